//! The search: rounds of independent dives over a pool of open boxes.
//!
//! Each round takes a fixed selection of boxes, dives into them in parallel
//! against the incumbent of the round's start, and merges the reports in
//! order. Selection and merge do not know the number of threads, so the whole
//! search, its incumbent and its node count are the same on any machine; only
//! a time limit or an interrupt can cut it at different places. Boxes of the
//! smallest bound are taken first, because they hold down the proven bound;
//! half of a round goes to boxes of the largest bound, which close soon and
//! keep the pool small.

use super::dive::{DiveReport, Incumbent, OpenBox, PackingLimit, Round, dive};
use super::enumeration::Calls;
use super::node::{BoxNode, NodeScratch};
use super::record::Record;
use crate::conflict::WeightBox;
use crate::heuristic::improve;
use crate::row_table::RowTable;
use crate::solver::Clock;
use crate::{BlockProblem, SolverError, StopReason};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;
use std::collections::BTreeMap;

/// Boxes per round: enough to keep many cores busy.
const BATCH: usize = 64;
/// Points of a round that local search starts from.
const IMPROVED: usize = 2;
/// Nodes per dive once the pool can fill a round.
const BUDGET: u64 = 64;

/// Entries of rows to bound before groups are considered: twice what the hardest of the published
/// cells takes.
const PATIENCE: u64 = 50_000_000;
/// Groups pay where at least one in so many is violated, by gain.
const MUCH: u64 = 4;
/// Memory of the pool for pairs of exclusive blocks, in words of eight bytes: half a gigabyte.
const MOST_WORDS: usize = 1 << 26;

/// Whether boxes are bounded by groups of exclusive blocks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Grouping {
    Later,
    Now,
    Never,
}

/// State of the search between rounds.
pub(crate) struct BoxSearch<'a> {
    problem: &'a BlockProblem,
    root: &'a RowTable,
    clock: &'a Clock<'a>,
    node_limit: u64,
    pool: BTreeMap<(u64, u64), OpenBox>,
    sequence: u64,
    pub incumbent: Incumbent,
    unresolved: u64,
    mean_gain: f64,
    packing_limit: PackingLimit,
    calls: Calls,
    grouping: Grouping,
    /// Entries of rows to bound before groups are considered.
    pub patience: u64,
    /// Bound that groups of exclusive blocks prove in the root boxes.
    grouped: u64,
    /// Rows bounded so far.
    rows: u64,
    /// Memory of the pool for pairs, in words.
    words: usize,
    pub nodes: u64,
    rounds: u64,
    wait: u64,
    next_improvement: u64,
    record: Record<'a>,
}

impl<'a> BoxSearch<'a> {
    /// A search over all root boxes, starting from known weights.
    pub fn new(
        problem: &'a BlockProblem,
        root: &'a RowTable,
        clock: &'a Clock<'a>,
        node_limit: Option<u64>,
        incumbent: Incumbent,
        record: Record<'a>,
    ) -> Result<Self, SolverError> {
        let mut search = Self {
            problem,
            root,
            clock,
            node_limit: node_limit.unwrap_or(u64::MAX),
            pool: BTreeMap::new(),
            sequence: 0,
            incumbent,
            unresolved: u64::MAX,
            mean_gain: root.mean_gain(),
            packing_limit: PackingLimit::default(),
            calls: Calls::default(),
            grouping: Grouping::Later,
            patience: PATIENCE,
            grouped: 0,
            rows: 0,
            words: 0,
            nodes: 0,
            rounds: 0,
            wait: 1,
            next_improvement: 0,
            record,
        };
        let (roots, deaths) = search.roots();
        let numbers = search.record.roots(problem, &deaths)?;
        for (mut open, number) in roots.into_iter().zip(numbers) {
            open.number = number;
            search.insert(open);
        }
        Ok(search)
    }

    /// The root boxes, and the rows that kill blocks in them.
    fn roots(&self) -> (Vec<OpenBox>, Vec<Vec<u32>>) {
        let (problem, root) = (self.problem, self.root);
        let evaluate = |bounds| {
            let mut node = BoxNode::evaluate(bounds, root, 0, 0, &mut NodeScratch::new(problem));
            let deaths = std::mem::take(&mut node.deaths);
            (OpenBox::from(node), deaths)
        };
        WeightBox::roots(problem.dimension()).into_par_iter().map(evaluate).unzip()
    }

    /// Runs to the proof or to a limit; fails when weights turn up where it was proven that none
    /// are.
    pub fn run(&mut self) -> Result<StopReason, SolverError> {
        while !self.pool.is_empty() {
            if let Some(reason) = self.clock.stop() {
                return Ok(reason);
            }
            if self.nodes >= self.node_limit {
                return Ok(StopReason::NodeLimit);
            }
            self.consider_grouping()?;
            if !self.pool.is_empty() {
                self.round()?;
            }
            let [best, bound] = [self.incumbent.violated, self.bound()].map(|v| self.missed(v));
            self.clock.report(best, bound, self.nodes);
        }
        Ok(match self.bound() < self.incumbent.violated {
            true => StopReason::Unresolved,
            false => StopReason::Optimal,
        })
    }

    /// Ends the certificate, if one is written.
    pub fn finish(&mut self) -> Result<(), SolverError> {
        self.record.finish()
    }

    /// Proven lower bound on the gain of the violated blocks, dead ones included.
    pub fn proven(&self) -> u64 {
        self.missed(self.bound())
    }

    /// The same of the open blocks, in units.
    fn bound(&self) -> u64 {
        let open = self.pool.keys().next().map_or(u64::MAX, |k| k.0);
        open.min(self.unresolved).max(self.grouped).min(self.incumbent.violated)
    }

    /// Gain of all violated blocks where that of the open ones is `violated` units.
    pub fn missed(&self, violated: u64) -> u64 {
        self.problem.dead_gain() + self.problem.gain_unit() * violated
    }

    fn round(&mut self) -> Result<(), SolverError> {
        self.rounds += 1;
        let budget = if self.pool.len() < BATCH { 4 } else { BUDGET };
        let batch = self.select(budget);
        let per_dive = budget.min((self.node_limit - self.nodes).div_ceil(batch.len() as u64));
        let searched = batch.clone();
        let mut reports = self.dives(batch, per_dive, self.grouping == Grouping::Now);
        let (before, best) = (self.packing_limit, self.incumbent.violated);
        self.improve_candidates(&reports);
        let improvements = reports.iter().filter_map(|report| report.improvement.clone());
        improvements.collect::<Vec<_>>().into_iter().for_each(|found| self.accept(found));
        self.confirm_open(&searched, best)?;
        reports.iter_mut().try_for_each(|report| self.record.dive(report))?;
        let enumerated = |i: usize| reports.iter().map(|report| report.enumerated[i]).sum();
        self.calls = self.calls.after(enumerated(0), enumerated(1));
        reports.into_iter().for_each(|report| self.merge(before, report));
        self.prune();
        Ok(())
    }

    fn dives(&self, batch: Vec<OpenBox>, budget: u64, grouping: bool) -> Vec<DiveReport> {
        let round = Round {
            problem: self.problem,
            root: self.root,
            clock: self.clock,
            best: self.incumbent.violated,
            mean_gain: self.mean_gain,
            packing_limit: self.packing_limit,
            calls: self.calls,
            budget,
            grouping,
            recorded: self.record.is_kept(),
        };
        batch.into_par_iter().map(|open| dive(&round, open)).collect()
    }

    /// Once the search has taken long, looks at what groups prove in the root boxes.
    ///
    /// That bound holds from then on. Where much is violated the search starts again from there:
    /// groups then close boxes many levels earlier than conflicts do. A certificate has one proof
    /// only, so with one the bound is forgotten unless the search starts again.
    fn consider_grouping(&mut self) -> Result<(), SolverError> {
        let roots = self.problem.dimension() as u64;
        let work = self.rows * roots;
        let affordable = self.nodes + roots <= self.node_limit;
        if self.grouping != Grouping::Later || work < self.patience || !affordable {
            return Ok(());
        }
        let (boxes, deaths) = self.roots();
        let mut reports = self.dives(boxes, 1, true);
        let open = reports.iter().flat_map(|report| report.open.iter().map(|open| open.bound));
        let unresolved = reports.iter().map(|report| report.unresolved);
        let bound = open.chain(unresolved).min().unwrap_or(u64::MAX);
        let missed = self.missed(self.incumbent.violated);
        let restart = bound > self.bound() && MUCH * missed >= self.problem.total_gain();
        self.grouping = if restart { Grouping::Now } else { Grouping::Never };
        self.grouped = if restart || !self.record.is_kept() { bound } else { 0 };
        self.nodes += reports.iter().map(|report| report.nodes).sum::<u64>();
        if restart {
            self.pool.clear();
            (self.words, self.unresolved) = (0, u64::MAX);
            self.record.start_again(self.problem, &deaths, &mut reports)?;
        }
        for report in reports {
            report.improvement.into_iter().for_each(|found| self.accept(found));
            if restart {
                self.unresolved = self.unresolved.min(report.unresolved);
                report.open.into_iter().for_each(|open| self.insert(open));
            }
        }
        self.prune();
        Ok(())
    }

    /// Fails when better weights than the round began with lie in no box that was open then, and
    /// in none that was given up as unresolved.
    fn confirm_open(&self, searched: &[OpenBox], best: u64) -> Result<(), SolverError> {
        let Incumbent { weights, violated } = &self.incumbent;
        let mut open = searched.iter().chain(self.pool.values());
        let known = *violated == best || *violated >= self.unresolved;
        if known || open.any(|open| open.meets(weights)) {
            return Ok(());
        }
        let [bound, violated] = [best, *violated].map(|v| self.missed(v));
        Err(SolverError::FalseBound { solver: "exact", bound, violated })
    }

    /// Boxes of the smallest bound for one half, of the largest for the other; with groups, which
    /// cost more and raise the bound more, for three quarters and one.
    fn select(&mut self, budget: u64) -> Vec<OpenBox> {
        let left = (self.node_limit - self.nodes).div_ceil(budget).max(1);
        let batch_size = if self.grouping == Grouping::Now { BATCH / 2 } else { BATCH };
        let size = batch_size.min(left as usize).min(self.pool.len());
        let mut batch = Vec::with_capacity(size);
        let period = if self.grouping == Grouping::Now { 4 } else { 2 };
        for i in 1..=size {
            let next = if i % period != 0 { self.pool.pop_first() } else { self.pool.pop_last() };
            batch.extend(next.map(|(_, open)| open));
        }
        self.words -= batch.iter().map(OpenBox::words).sum::<usize>();
        batch
    }

    /// Local search from the best points of the round.
    ///
    /// Each failure doubles the number of rounds until the next try.
    fn improve_candidates(&mut self, reports: &[DiveReport]) {
        if self.rounds < self.next_improvement {
            return;
        }
        let mut points: Vec<&Incumbent> =
            reports.iter().filter_map(|r| r.candidate.as_ref()).collect();
        points.sort_by_key(|c| c.violated);
        points.truncate(IMPROVED);
        let (problem, root, clock, rounds) = (self.problem, self.root, self.clock, self.rounds);
        let improve_one = |(i, candidate): (usize, &Incumbent)| {
            let mut rng = ChaCha8Rng::seed_from_u64(rounds);
            rng.set_stream(i as u64);
            let point = improve(problem, root, &candidate.weights, &mut rng, clock);
            Incumbent::counted(problem, &point)
        };
        let improved: Vec<_> = points.into_par_iter().enumerate().map(improve_one).collect();
        let before = self.incumbent.violated;
        improved.into_iter().flatten().for_each(|found| self.accept(found));
        self.wait = if self.incumbent.violated < before { 1 } else { 2 * self.wait };
        self.next_improvement = self.rounds + self.wait;
    }

    fn accept(&mut self, found: Incumbent) {
        if found.violated < self.incumbent.violated {
            self.incumbent = found;
        }
    }

    fn merge(&mut self, before: PackingLimit, report: DiveReport) {
        self.nodes += report.nodes;
        self.rows += report.rows;
        self.unresolved = self.unresolved.min(report.unresolved);
        self.packing_limit.0 += report.packing_limit.0 - before.0;
        report.open.into_iter().for_each(|open| self.insert(open));
    }

    fn insert(&mut self, mut open: OpenBox) {
        self.sequence += 1;
        if self.words + open.words() > MOST_WORDS {
            open.forget();
        }
        self.words += open.words();
        self.pool.insert((open.bound, self.sequence), open);
    }

    fn prune(&mut self) {
        let closed = match self.grouped >= self.incumbent.violated {
            true => std::mem::take(&mut self.pool),
            false => self.pool.split_off(&(self.incumbent.violated, 0)),
        };
        self.words -= closed.values().map(OpenBox::words).sum::<usize>();
    }
}
