//! A depth-first dive into one box of the pool.
//!
//! A dive depends only on its box and on the state of the search when its
//! round began, never on other dives of the round: that is what makes the
//! search the same on any number of threads.

use super::enumeration::{Calls, Enumerated, enumerate};
use super::exclusion::{Pairs, exclude};
use super::node::{BoxNode, NodeScratch};
use super::packing::{PackingGoal, pack};
use super::proven::Proven;
use super::thresholds::Thresholds;
use super::tiers::Tiers;
use super::trace::Trace;
use crate::certificate::{End, Node};
use crate::conflict::WeightBox;
use crate::row_table::RowTable;
use crate::solver::Clock;
use crate::{BlockProblem, check};
use std::sync::Arc;

/// Best weights so far.
#[derive(Debug, Clone)]
pub(crate) struct Incumbent {
    /// Weights of the domain.
    pub weights: Vec<f64>,
    /// Gain of the open blocks they violate, counted exactly, in units of the problem's.
    pub violated: u64,
}

impl Incumbent {
    /// The weights on the ray through `point`, counted by the checker.
    pub fn counted(problem: &BlockProblem, point: &[f64]) -> Option<Self> {
        let weights = problem.domain().normalize(point).ok()?;
        let satisfied = check::satisfied_gain(problem, &weights).ok()?;
        Some(Self::known(problem, weights, satisfied))
    }

    /// Weights of a known gain.
    pub fn known(problem: &BlockProblem, weights: Vec<f64>, satisfied: u64) -> Self {
        let violated = problem.total_gain() - problem.dead_gain() - satisfied;
        Self { weights, violated: violated / problem.gain_unit() }
    }
}

/// A box waiting in the pool.
#[derive(Debug, Clone)]
pub(crate) struct OpenBox {
    pub bounds: WeightBox,
    pub bound: u64,
    /// Number in the certificate.
    pub number: u64,
    tiers: Tiers,
    exponents: Vec<i32>,
    levels_unpacked: u32,
    levels_stuck: u32,
    /// Dead blocks and undecided rows, if they are few enough to keep.
    rows: Option<KeptRows>,
    /// Blocks that exclude each other in pairs, if they are few enough to keep.
    pairs: Option<Arc<Pairs>>,
}

#[derive(Debug, Clone)]
struct KeptRows {
    dead: u64,
    ids: Vec<u32>,
    starts: Vec<u32>,
    gains: Vec<u64>,
}

/// Boxes with more undecided rows forget them: finding them again from the
/// root is cheap beside searching so large a box, and the pool stays small.
const KEPT_ROWS: usize = 1024;
/// The same for boxes with known pairs, whose rows and blocks took more to find.
const KEPT_ROWS_WITH_PAIRS: usize = 32 * KEPT_ROWS;

impl From<BoxNode> for OpenBox {
    fn from(node: BoxNode) -> Self {
        // The rows of a problem of its own cannot be found again by its box.
        let most = if node.pairs.is_some() { KEPT_ROWS_WITH_PAIRS } else { KEPT_ROWS };
        let keep = node.table.len() <= most || node.tiers.any();
        let RowTable { ids, starts, gains, exponents, .. } = node.table;
        let rows = KeptRows { dead: node.dead, ids, starts, gains };
        Self {
            bounds: node.bounds,
            bound: node.bound,
            number: 0,
            tiers: node.tiers,
            exponents,
            levels_unpacked: node.levels_unpacked,
            levels_stuck: node.levels_stuck,
            rows: keep.then_some(rows),
            pairs: node.pairs,
        }
    }
}

impl OpenBox {
    /// Memory that it takes for pairs and for the rows kept with them, in words of eight bytes.
    pub fn words(&self) -> usize {
        let rows = self.rows.as_ref().map_or(0, |rows| rows.ids.len() / 2);
        self.pairs.as_ref().map_or(0, |pairs| pairs.words() + rows)
    }

    /// Forgets what can be found again from the root.
    pub fn forget(&mut self) {
        self.pairs = None;
        if !self.tiers.any() {
            self.rows = self.rows.take().filter(|rows| rows.ids.len() <= KEPT_ROWS);
        }
    }

    /// True when the box has weights in these proportions.
    pub fn meets(&self, weights: &[f64]) -> bool {
        self.tiers.meet(&self.bounds, &self.exponents, weights)
    }

    fn into_node(self, root: &RowTable, scratch: &mut NodeScratch<'_>) -> BoxNode {
        let in_units = |mut table: RowTable| {
            table.rescale(&self.exponents);
            table
        };
        let mut node = match self.rows {
            None if self.exponents == root.exponents => {
                BoxNode::evaluate(self.bounds, root, 0, self.bound, scratch)
            }
            None => {
                let table = in_units(root.clone());
                BoxNode::evaluate(self.bounds, &table, 0, self.bound, scratch)
            }
            Some(rows) => BoxNode {
                bounds: self.bounds,
                tiers: self.tiers,
                dead: rows.dead,
                bound: self.bound,
                table: in_units(root.gather(&rows.ids, &rows.starts, &rows.gains)),
                violated_at_center: u64::MAX,
                levels_unpacked: 0,
                levels_stuck: 0,
                deaths: Vec::new(),
                pairs: None,
            },
        };
        node.pairs = self.pairs;
        node.levels_unpacked = self.levels_unpacked;
        node.levels_stuck = self.levels_stuck;
        node
    }
}

/// How many conflicts, of blocks of the mean gain, a box may need for packing to be tried on it.
///
/// The limit rises when packing closes boxes near it and falls when it does
/// not; it settles where about one try in six succeeds, but not below
/// [`PackingLimit::LOWEST`]. Boxes over the limit are packed all the same once
/// in [`PackingLimit::PERIOD`] levels: around a point where rows tie, bounds on
/// single rows close no box however small, and only conflicts end the search.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PackingLimit(pub f64);

impl PackingLimit {
    const RISE: f64 = 0.25;
    const FALL: f64 = 0.05;
    const LOWEST: f64 = 6.0;
    const PERIOD: u32 = 24;

    fn allows(self, need: f64, levels_unpacked: u32) -> bool {
        need <= self.0.max(Self::LOWEST) || levels_unpacked >= Self::PERIOD
    }

    fn note(&mut self, need: f64, closed: bool) {
        let near = (need - self.0).abs() <= 3.0;
        if near && closed {
            self.0 += Self::RISE;
        } else if near && self.0 > Self::LOWEST {
            self.0 -= Self::FALL;
        }
    }
}

impl Default for PackingLimit {
    fn default() -> Self {
        Self(10.0)
    }
}

/// What all dives of a round share.
#[derive(Clone, Copy)]
pub(crate) struct Round<'a> {
    pub problem: &'a BlockProblem,
    pub root: &'a RowTable,
    pub clock: &'a Clock<'a>,
    pub best: u64,
    /// Mean gain of the open blocks.
    pub mean_gain: f64,
    pub packing_limit: PackingLimit,
    /// LPs of an enumeration.
    pub calls: Calls,
    /// Nodes of a dive; one with groups counts as [`GROUPED`].
    pub budget: u64,
    /// Whether a certificate is written.
    pub recorded: bool,
    /// Whether boxes that need too many conflicts are bounded by groups of exclusive blocks.
    pub grouping: bool,
}

/// What a node with groups costs, in nodes without.
const GROUPED: u64 = 32;

/// What a dive brings back.
pub(crate) struct DiveReport {
    pub improvement: Option<Incumbent>,
    /// Best point seen, counted without the checker.
    pub candidate: Option<Incumbent>,
    pub open: Vec<OpenBox>,
    /// Smallest bound of the boxes that are too small to split.
    pub unresolved: u64,
    pub nodes: u64,
    /// Rows bounded.
    pub rows: u64,
    pub packing_limit: PackingLimit,
    /// Boxes that enumeration closed, and those that it looked at in vain.
    pub enumerated: [u64; 2],
    /// Number of the box in the certificate, and what it says of it.
    pub number: u64,
    pub trace: Vec<Node>,
}

/// Levels without a decided row after which a box counts as stuck.
const STUCK: u32 = 8;

/// Problems of so few open blocks are enumerated before boxes are split.
const FEW: usize = 12;

/// Nodes, for each level without a decided row, that the rows of small weights alone are given to
/// close a box.
const PROBED: u64 = 8;

/// Levels without a decided row after which a box is given up as unresolved.
const HOPELESS: u32 = 96;

struct Dive<'a> {
    round: &'a Round<'a>,
    best: u64,
    stack: Vec<BoxNode>,
    scratch: NodeScratch<'a>,
    /// What the nodes so far count for.
    spent: u64,
    report: DiveReport,
    trace: Trace<'a>,
}

/// Searches the box depth first, better bound first, for at most `budget` nodes.
pub(crate) fn dive(round: &Round<'_>, start: OpenBox) -> DiveReport {
    let mut dive = Dive::new(round, start.number);
    let node = start.into_node(round.root, &mut dive.scratch);
    dive.push([node]);
    dive.run();
    dive.leave_open();
    DiveReport { trace: dive.trace.nodes, ..dive.report }
}

impl<'a> Dive<'a> {
    fn new(round: &'a Round<'a>, number: u64) -> Self {
        Self {
            round,
            best: round.best,
            stack: Vec::new(),
            scratch: NodeScratch::new(round.problem),
            spent: 0,
            report: DiveReport {
                improvement: None,
                candidate: None,
                open: Vec::new(),
                unresolved: u64::MAX,
                nodes: 0,
                rows: 0,
                packing_limit: round.packing_limit,
                enumerated: [0; 2],
                number,
                trace: Vec::new(),
            },
            trace: Trace::new(round.problem, round.recorded),
        }
    }

    /// Searches what is on the stack within the budget.
    fn run(&mut self) {
        while self.spent < self.round.budget && self.round.clock.stop().is_none() {
            let Some(node) = self.stack.pop() else { break };
            self.trace.begin(&node.deaths);
            if node.bound < self.best {
                self.report.nodes += 1;
                self.spent += 1;
                self.expand(node);
            } else {
                self.trace.end(End::Leaf);
            }
        }
    }

    /// Leaves what is on the stack to later dives.
    fn leave_open(&mut self) {
        for node in self.stack.drain(..).rev() {
            self.trace.begin(&node.deaths);
            if node.bound < self.best {
                self.trace.end(End::Open);
                self.report.open.push(node.into());
            } else {
                self.trace.end(End::Leaf);
            }
        }
        self.report.open.reverse();
    }

    fn expand(&mut self, mut node: BoxNode) {
        if let Some((tiers, faces)) = Tiers::below(&node) {
            self.trace.end(End::Faces(tiers.innermost()));
            node.tiers = tiers;
            let faces = faces.into_iter().map(|face| self.child(&node, face)).collect::<Vec<_>>();
            self.push(faces);
            return;
        }
        node.rescale();
        if node.is_too_deep() {
            self.report.unresolved = self.report.unresolved.min(node.bound);
            return self.trace.end(End::Leaf);
        }
        let proven = self.tighten(&mut node);
        if node.bound >= self.best {
            return self.trace.end(End::Leaf);
        }
        if self.closes_by_small_weights(&node) || self.closes_by_enumeration(&node) {
            return;
        }
        let (thresholds, shares) = node.examine(&mut self.scratch);
        let gap = self.best - node.dead - proven.cost;
        let contracted = proven.contract(&thresholds, &node.bounds, gap);
        let contracted = self.trace.contract(&node.table, (&node.bounds, contracted), gap, &proven);
        if contracted.is_empty() {
            return self.trace.end(End::Leaf);
        }
        let shrunk = contracted.relative_volume(&node.bounds);
        node.bounds = contracted;
        if shrunk < 0.5 {
            self.trace.end(End::Again);
            let child = self.child(&node, node.bounds.clone());
            self.push([child]);
            return;
        }
        self.branch(&node, &thresholds, &shares, gap);
    }

    /// Keeps the boxes, the last of them for next.
    fn push(&mut self, nodes: impl IntoIterator<Item = BoxNode>) {
        self.stack.extend(nodes);
    }

    /// Tries, where no row was decided for 8, 16, 32 or 64 levels, whether the rows of weights that
    /// may be 0 close the box by themselves.
    fn closes_by_small_weights(&mut self, node: &BoxNode) -> bool {
        if node.levels_stuck < STUCK || !node.levels_stuck.is_power_of_two() {
            return false;
        }
        let Some((inner, faces)) = Tiers::of_small_weights(node) else { return false };
        if inner.dead + inner.table.gain_where(|_| true) < self.best {
            return false;
        }
        let budget = PROBED * u64::from(node.levels_stuck);
        let round = Round { best: self.best, budget, ..*self.round };
        let mut probe = Dive::new(&round, self.report.number);
        let faces = faces.into_iter().map(|face| probe.child(&inner, face)).collect::<Vec<_>>();
        probe.push(faces);
        probe.run();
        let closed = probe.stack.is_empty() && probe.report.unresolved == u64::MAX;
        let nodes = std::mem::take(&mut probe.trace.nodes);
        let report = probe.report;
        self.report.nodes += report.nodes;
        self.report.rows += report.rows;
        for (all, more) in self.report.enumerated.iter_mut().zip(report.enumerated) {
            *all += more;
        }
        self.spent += report.nodes;
        let found = [report.improvement, report.candidate].into_iter().flatten();
        found.for_each(|found| self.offer(found.violated, &found.weights));
        if closed {
            self.trace.end(End::Faces(inner.tiers.innermost()));
            self.trace.nodes.extend(nodes);
        }
        closed
    }

    /// Tries enumeration once in [`STUCK`] levels without progress, and in problems of few blocks
    /// at once.
    fn closes_by_enumeration(&mut self, node: &BoxNode) -> bool {
        let few = self.round.root.blocks() <= FEW;
        if !node.levels_stuck.is_multiple_of(STUCK) || node.levels_stuck == 0 && !few {
            return false;
        }
        let Round { problem, clock, calls, recorded, .. } = *self.round;
        let enough = self.best - node.dead;
        match enumerate(problem, &node.table, &node.bounds, enough, (calls, clock), recorded) {
            Enumerated::Closed(ruled_out, case) => {
                self.report.enumerated[0] += 1;
                self.trace.cases(ruled_out, case);
                return true;
            }
            Enumerated::Open(weights) => self.offer(node.dead, &weights),
            Enumerated::Unknown => self.report.enumerated[1] += 1,
        }
        let closed = node.bound >= self.best;
        if closed {
            self.trace.end(End::Leaf);
        }
        closed
    }

    fn branch(&mut self, node: &BoxNode, thresholds: &Thresholds, shares: &[f64], gap: u64) {
        let hopeful = node.levels_stuck < HOPELESS;
        let weight = branching_weight(node, thresholds, shares, gap).filter(|_| hopeful);
        let Some(weight) = weight else {
            self.report.unresolved = self.report.unresolved.min(node.bound);
            return self.trace.end(End::Leaf);
        };
        let (lower, upper) = node.bounds.split(weight);
        let lower = self.child(node, lower);
        let upper = self.child(node, upper);
        let upper_first = upper.dead < lower.dead;
        self.trace.split(&node.table, weight, upper.bounds.low[weight], upper_first);
        let (first, second) = if upper_first { (upper, lower) } else { (lower, upper) };
        self.push([second, first]);
    }

    fn child(&mut self, parent: &BoxNode, bounds: WeightBox) -> BoxNode {
        let (dead, bound) = (parent.dead, parent.bound);
        let mut child = BoxNode::evaluate(bounds, &parent.table, dead, bound, &mut self.scratch);
        child.tiers = parent.tiers.clone();
        child.pairs = parent.pairs.clone();
        self.report.rows += parent.table.len() as u64;
        child.levels_unpacked = parent.levels_unpacked + 1;
        if child.table.len() == parent.table.len() {
            child.levels_stuck = parent.levels_stuck + 1;
        }
        self.offer(child.violated_at_center, &child.table.weights(&child.bounds.center()));
        child
    }

    /// Raises the bound of a node by packing conflicts, where that tends to close it, or by
    /// groups of exclusive blocks, where it takes more.
    fn tighten(&mut self, node: &mut BoxNode) -> Proven {
        let need = (self.best - node.dead) as f64 / self.round.mean_gain;
        match self.report.packing_limit.allows(need, node.levels_unpacked) {
            true => self.pack(node, need),
            false if self.round.grouping => self.group(node),
            false => Proven { cost: 0, left: node.table.gains.clone(), groups: None },
        }
    }

    fn pack(&mut self, node: &mut BoxNode, need: f64) -> Proven {
        node.levels_unpacked = 0;
        let Round { problem, clock, mean_gain, recorded, .. } = *self.round;
        let enough = self.best - node.dead;
        let goal = PackingGoal { enough, mean_gain, problem, clock, recorded };
        let mut packing = pack(&node.table, &node.bounds, &goal);
        self.trace.pack(&node.table, &node.bounds, &mut packing);
        node.bound = node.bound.max(node.dead + packing.bound);
        self.report.packing_limit.note(need, packing.bound >= enough);
        if let Some((point, violated)) = packing.candidate {
            self.offer(node.dead + violated, &node.table.weights(&point));
        }
        Proven { cost: packing.disjoint, left: packing.left, groups: None }
    }

    fn group(&mut self, node: &mut BoxNode) -> Proven {
        self.spent += GROUPED - 1;
        let Round { problem, root, clock, .. } = *self.round;
        let groups = exclude(node, problem, root, clock, &mut self.trace);
        self.trace.group(&node.table, &groups.members);
        Proven { cost: groups.cost, left: groups.left, groups: Some(groups.members) }
    }

    /// Remembers the best point of the dive; the incumbent needs an exact count.
    fn offer(&mut self, violated: u64, point: &[f64]) {
        if self.report.candidate.as_ref().is_none_or(|c| violated < c.violated) {
            self.report.candidate = Some(Incumbent { weights: point.to_vec(), violated });
        }
        if violated >= self.best {
            return;
        }
        if let Some(found) = Incumbent::counted(self.round.problem, point)
            && found.violated < self.best
        {
            self.best = found.violated;
            self.report.improvement = Some(found);
        }
    }
}

/// The weight whose split kills most gain on both sides; shares break ties.
///
/// Rows that live in weights that may all be 0 are not decided by splitting these: they stay in
/// the part that reaches 0. Where that goes on, the other weights are split, until rows of the
/// small ones alone are left, which are a problem of their own ([`Tiers`]).
fn branching_weight(
    node: &BoxNode,
    thresholds: &Thresholds,
    shares: &[f64],
    gap: u64,
) -> Option<usize> {
    let total: f64 = shares.iter().sum();
    let score = |k: usize| {
        let (lower, upper) = thresholds.killed(k, node.bounds.cut(k), &node.table.gains);
        let share = shares[k] / total.max(f64::MIN_POSITIVE);
        let part = |x: u64| x.min(gap) as f64 / gap as f64;
        share * (1.0 + 2.0 * (part(lower) + part(upper)))
    };
    let splittable = (0..shares.len()).filter(|k| shares[*k] > 0.0 && node.bounds.can_split(*k));
    let splittable: Vec<usize> = splittable.collect();
    let away_from_zero = |k: &&usize| node.levels_stuck >= STUCK && node.bounds.low[**k] > 0.0;
    let large: Vec<usize> = splittable.iter().filter(away_from_zero).copied().collect();
    let candidates = if large.is_empty() { splittable } else { large };
    candidates
        .into_iter()
        .map(|k| (k, score(k)))
        .reduce(|a, b| if b.1 > a.1 { b } else { a })
        .map(|best| best.0)
}
