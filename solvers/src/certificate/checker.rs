//! The checker: reads a certificate node by node and confirms every step or refuses it.
//!
//! Memory: the boxes that are open at a time, of which a search has no more either.

use super::bound::{Blocks, Packing};
use super::file::{Certificate, Certificates, Claim};
use super::format::{Case, Conflict, Cut, Decoder, End, Node, RowName, Step};
use super::number::{Edge, Region, Row, never_positive};
use super::{CertificateError, RowSource};
use num_bigint::BigUint;
use rayon::prelude::*;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::io::Read;
use std::sync::Arc;

/// What a certificate proves.
#[derive(Debug, Clone, PartialEq)]
pub struct Proven {
    /// The claim; every part of it was confirmed.
    pub claim: Claim,
    /// Number of nodes of the proof.
    pub nodes: u64,
}

/// Checks a file of one certificate against the definition of its rows.
pub fn verify(from: impl Read, rows: &dyn RowSource) -> Result<Proven, CertificateError> {
    let mut file = Certificates::open(from);
    let none = CertificateError::Malformed("there is no certificate in it");
    let proven = file.read_next()?.ok_or(none)?.verify(rows)?;
    match file.read_next()? {
        None => Ok(proven),
        Some(_) => Err(CertificateError::Malformed("something follows the proof")),
    }
}

impl<R: Read> Certificate<'_, R> {
    /// Checks the certificate against the definition of its rows.
    ///
    /// Confirms that the weights satisfy blocks of the gain found, and that all weights of at least
    /// 0 violate blocks of at least the gain of the bound. Cost: about a hundred operations for
    /// each row that the certificate mentions, and for each of the problem once.
    pub fn verify(mut self, rows: &dyn RowSource) -> Result<Proven, CertificateError> {
        self.claim.check_problem(rows)?;
        count(&self.claim, rows)?;
        let mut checker = Checker::new(self.claim.bound, rows);
        let checked = checker.check_proof(&self.claim.dead, &mut self.proof);
        checked.map_err(|fault| fault.at(checker.nodes))?;
        Ok(Proven { claim: self.claim, nodes: checker.nodes })
    }
}

/// Confirms what the weights satisfy, row by row.
fn count(claim: &Claim, rows: &dyn RowSource) -> Result<(), CertificateError> {
    let sound = claim.weights.iter().all(|w| w.is_finite() && *w >= 0.0);
    if !sound || claim.weights.iter().all(|w| *w == 0.0) {
        return Err(CertificateError::Malformed("weights that are not numbers of at least 0"));
    }
    let weights: Vec<Edge> = claim.weights.iter().map(|w| Edge::of(*w, 0)).collect();
    let holds = |b: usize, name: u32| {
        rows.row(b, name).is_some_and(|row| Row::new(&row).holds_at(&weights))
    };
    let satisfied = |b: &usize| rows.names(*b).into_iter().all(|name| holds(*b, name));
    let counted = (0..rows.blocks()).into_par_iter().filter(satisfied).map(|b| rows.gain(b)).sum();
    match counted == claim.found {
        true => Ok(()),
        false => Err(CertificateError::Found { claimed: claim.found, counted }),
    }
}

/// Why a step is refused.
enum Fault {
    Reading(CertificateError),
    Step(String),
}

impl Fault {
    fn at(self, node: u64) -> CertificateError {
        match self {
            Self::Reading(error) => error,
            Self::Step(reason) => CertificateError::Refused { node, reason },
        }
    }
}

impl From<CertificateError> for Fault {
    fn from(error: CertificateError) -> Self {
        Self::Reading(error)
    }
}

type Checked<T> = Result<T, Fault>;

fn refuse<T>(reason: impl Into<String>) -> Checked<T> {
    Err(Fault::Step(reason.into()))
}

fn ensure(holds: bool, reason: impl Fn() -> String) -> Checked<()> {
    if holds { Ok(()) } else { refuse(reason()) }
}

/// What is known about a box.
#[derive(Debug, Clone)]
struct State {
    region: Region,
    /// Weights for which rows may have entries, as bits.
    usable: u64,
    /// Blocks that no point of the box satisfies.
    dead: Blocks,
    /// Least gain of the violated blocks at any point of the box.
    bound: u64,
    /// Blocks that exclude each other in the box.
    pairs: Option<Arc<Pairs>>,
}

/// Pairs found in a box, and those of the boxes that contain it.
#[derive(Debug)]
struct Pairs {
    found: BTreeSet<(u32, u32)>,
    before: Option<Arc<Pairs>>,
}

impl Drop for Pairs {
    /// Drops those before one by one: boxes within boxes must not take stack.
    fn drop(&mut self) {
        let mut before = self.before.take();
        while let Some(mut pairs) = before.and_then(Arc::into_inner) {
            before = pairs.before.take();
        }
    }
}

impl State {
    /// True when at most one of two blocks is satisfied in the box.
    fn excludes(&self, a: u32, b: u32) -> bool {
        if self.dead.contains(a) || self.dead.contains(b) {
            return true;
        }
        let pair = (a.min(b), a.max(b));
        let mut pairs = &self.pairs;
        while let Some(here) = pairs {
            if here.found.contains(&pair) {
                return true;
            }
            pairs = &here.before;
        }
        false
    }
}

struct Checker<'a> {
    rows: &'a dyn RowSource,
    gains: Vec<u64>,
    /// Gain of violated blocks that must be proven everywhere.
    goal: u64,
    /// Rows seen so far.
    known: HashMap<RowName, Arc<Row>>,
    /// Gain of the blocks that are dead everywhere.
    lost: u64,
    /// What the gain of the other violated blocks is a multiple of.
    unit: u64,
    /// Boxes to come back to, by their numbers.
    open: BTreeMap<u64, State>,
    /// Number of the next box to come back to.
    next: u64,
    nodes: u64,
}

impl<'a> Checker<'a> {
    fn new(goal: u64, rows: &'a dyn RowSource) -> Self {
        Self {
            rows,
            gains: (0..rows.blocks()).map(|b| rows.gain(b)).collect(),
            goal,
            known: HashMap::new(),
            lost: 0,
            unit: 1,
            open: BTreeMap::new(),
            next: 0,
            nodes: 0,
        }
    }

    fn check_proof(&mut self, dead: &[RowName], proof: &mut Decoder<impl Read>) -> Checked<()> {
        let dead = self.dead_everywhere(dead)?;
        self.start(&dead);
        loop {
            match proof.step()? {
                Step::End => break,
                Step::StartAgain => self.start(&dead),
                Step::Tree(number) => self.check_tree(number, proof)?,
            }
        }
        match self.open.first_key_value() {
            None => Ok(()),
            Some((number, state)) => refuse(format!(
                "box {number} stays open with a bound of {}, below {}",
                state.bound, self.goal
            )),
        }
    }

    /// Opens the root boxes, and no others.
    fn start(&mut self, dead: &Blocks) {
        self.open.clear();
        let weights = self.rows.weights();
        for largest in 0..weights {
            let region = Region::root(weights, largest);
            let (usable, bound) = (u64::MAX, self.rounded_up(dead.gain));
            self.keep(State { region, usable, dead: dead.clone(), bound, pairs: None });
        }
    }

    fn dead_everywhere(&mut self, rows: &[RowName]) -> Checked<Blocks> {
        let mut dead = Blocks::default();
        for name in rows {
            let row = self.row(*name, u64::MAX)?;
            ensure(row.never_holds(), || format!("{} can hold", described(*name)))?;
            dead.insert(name.block, &self.gains);
        }
        self.lost = dead.gain;
        let others = (0..).zip(&self.gains).filter(|(b, _)| !dead.contains(*b));
        self.unit = others.fold(0, |unit, (_, gain)| common_divisor(unit, *gain)).max(1);
        Ok(dead)
    }

    /// The least gain of violated blocks that is not below `bound`.
    fn rounded_up(&self, bound: u64) -> u64 {
        self.lost + (bound - self.lost).div_ceil(self.unit) * self.unit
    }

    /// Gives a box the next number; forgets it if nothing is left to prove.
    fn keep(&mut self, state: State) {
        if state.bound < self.goal {
            self.open.insert(self.next, state);
        }
        self.next += 1;
    }

    /// Checks the tree below an open box; below one that is closed nothing needs to be checked.
    fn check_tree(&mut self, number: u64, proof: &mut Decoder<impl Read>) -> Checked<()> {
        ensure(number < self.next, || format!("there is no box {number}"))?;
        let mut stack = vec![self.open.remove(&number)];
        while let Some(state) = stack.pop() {
            let node = proof.node()?;
            self.nodes += 1;
            match state {
                Some(state) => self.check_node(&node, state, &mut stack)?,
                None => self.skip(&node.end, &mut stack),
            }
        }
        Ok(())
    }

    fn skip(&mut self, end: &End, stack: &mut Vec<Option<State>>) {
        let parts = match end {
            End::Leaf | End::Cases(_) | End::Open => 0,
            End::Again => 1,
            End::Split { .. } => 2,
            End::Faces(weights) => weights.count_ones(),
        };
        self.next += u64::from(*end == End::Open);
        stack.extend((0..parts).map(|_| None));
    }

    /// Confirms a node; what follows it goes onto the stack.
    fn check_node(
        &mut self,
        node: &Node,
        mut state: State,
        stack: &mut Vec<Option<State>>,
    ) -> Checked<()> {
        self.kill(&node.deaths, &state.region, state.usable, &mut state.dead)?;
        let packings = self.packings(node, &mut state)?;
        state.bound = self.bound(&state, &state.dead, &packings, &node.groups);
        for cut in &node.cuts {
            self.cut(cut, &mut state, &packings, &node.groups)?;
        }
        if let End::Cases(case) = &node.end {
            let bound = self.case(case, &state, &state.dead, &BTreeSet::new())?;
            state.bound = state.bound.max(self.rounded_up(bound.max(self.lost)));
        }
        let closed = state.bound >= self.goal;
        match &node.end {
            end if closed => self.skip(end, stack),
            End::Leaf | End::Cases(_) => {
                return refuse(format!("its bound is {}, below {}", state.bound, self.goal));
            }
            End::Open => self.keep(state),
            End::Again => stack.push(Some(state)),
            End::Split { weight, at, upper_first } => {
                self.check_weight(*weight)?;
                let mut upper = state.clone();
                state.region.set_high(*weight as usize, *at);
                upper.region.set_low(*weight as usize, *at);
                let order = if *upper_first { [state, upper] } else { [upper, state] };
                stack.extend(order.map(Some));
            }
            End::Faces(weights) => self.faces(*weights, &state, stack)?,
        }
        Ok(())
    }

    fn check_weight(&self, weight: u32) -> Checked<()> {
        ensure((weight as usize) < self.rows.weights(), || format!("there is no weight {weight}"))
    }

    fn row(&mut self, name: RowName, usable: u64) -> Checked<Arc<Row>> {
        let row = match self.known.get(&name) {
            Some(row) => row.clone(),
            None => {
                let block = name.block as usize;
                let exact = (block < self.gains.len()).then(|| self.rows.row(block, name.name));
                let Some(exact) = exact.flatten().filter(|r| r.len() == self.rows.weights()) else {
                    return refuse(format!("there is no {}", described(name)));
                };
                let row = Arc::new(Row::new(&exact));
                self.known.insert(name, row.clone());
                row
            }
        };
        ensure(row.support & !usable == 0, || {
            format!("{} has an entry for a weight outside the face", described(name))
        })?;
        Ok(row)
    }

    /// Adds the blocks of rows that are nowhere above 0 in the region.
    fn kill(
        &mut self,
        deaths: &[RowName],
        region: &Region,
        usable: u64,
        dead: &mut Blocks,
    ) -> Checked<()> {
        let once = BigUint::from(1u8);
        for name in deaths {
            let row = self.row(*name, usable)?;
            let fails = never_positive(&[(&row, &once)], region);
            ensure(fails, || format!("{} holds somewhere", described(*name)))?;
            dead.insert(name.block, &self.gains);
        }
        Ok(())
    }

    /// The blocks of a conflict, once it is confirmed.
    fn conflict(&mut self, conflict: &Conflict, state: &State) -> Checked<Vec<u32>> {
        let zero = BigUint::ZERO;
        let sound = !conflict.is_empty() && conflict.iter().all(|(_, m)| *m > zero);
        ensure(sound, || "a conflict needs rows and positive multipliers".into())?;
        let rows: Vec<Arc<Row>> = conflict
            .iter()
            .map(|(name, _)| self.row(*name, state.usable))
            .collect::<Checked<_>>()?;
        let terms: Vec<(&Row, &BigUint)> =
            rows.iter().zip(conflict).map(|(row, (_, m))| (&**row, m)).collect();
        ensure(never_positive(&terms, &state.region), || {
            format!("a conflict with {} is none", described(conflict[0].0))
        })?;
        let blocks: BTreeSet<u32> = conflict.iter().map(|(name, _)| name.block).collect();
        Ok(blocks.into_iter().collect())
    }

    /// Confirms conflicts, shares and groups: the packings to bound by.
    fn packings(&mut self, node: &Node, state: &mut State) -> Checked<Vec<Packing>> {
        let mut conflicts = Vec::with_capacity(node.conflicts.len());
        for conflict in &node.conflicts {
            conflicts.push(self.conflict(conflict, state)?);
        }
        for blocks in conflicts.iter().filter(|blocks| blocks.len() == 1) {
            state.dead.insert(blocks[0], &self.gains);
        }
        let pairs = conflicts.iter().filter(|blocks| blocks.len() == 2);
        let found: BTreeSet<(u32, u32)> = pairs.map(|blocks| (blocks[0], blocks[1])).collect();
        if !found.is_empty() {
            state.pairs = Some(Arc::new(Pairs { found, before: state.pairs.take() }));
        }
        let grouped = self.check_groups(&node.groups, state)?;
        let free =
            |blocks: &&Vec<u32>| blocks.len() > 1 && !blocks.iter().any(|b| grouped.contains(b));
        let alone: Vec<Vec<u32>> = conflicts.iter().filter(free).cloned().collect();
        let mut packings = vec![Packing::greedy(&alone, &self.gains)];
        if let Some((denominator, numerators)) = &node.shares {
            let shares = Packing::of_shares(&conflicts, *denominator, numerators, &self.gains);
            let Some(packing) = shares.filter(|p| !grouped.iter().any(|b| p.load(*b) > 0)) else {
                return refuse("shares that blocks cannot bear");
            };
            packings.push(packing);
        }
        Ok(packings)
    }

    /// The blocks of all groups, each in one of them, once all pairs are confirmed.
    fn check_groups(&self, groups: &[Vec<u32>], state: &State) -> Checked<BTreeSet<u32>> {
        let mut grouped = BTreeSet::new();
        for group in groups {
            for (i, a) in group.iter().enumerate() {
                let known = (*a as usize) < self.gains.len() && grouped.insert(*a);
                ensure(known, || format!("block {a} is not one of one group"))?;
                let exclusive = group[..i].iter().all(|b| state.excludes(*a, *b));
                ensure(exclusive, || format!("block {a} does not exclude all of its group"))?;
            }
        }
        Ok(grouped)
    }

    fn bound(
        &self,
        state: &State,
        dead: &Blocks,
        packings: &[Packing],
        groups: &[Vec<u32>],
    ) -> u64 {
        let bounds = packings.iter().map(|packing| packing.bound(dead, groups, &self.gains));
        let plain = Packing::empty().bound(dead, &[], &self.gains);
        let best = bounds.fold(plain, u64::max);
        state.bound.max(self.rounded_up(best))
    }

    /// Confirms that a strip is closed, and takes it off the box.
    fn cut(
        &mut self,
        cut: &Cut,
        state: &mut State,
        packings: &[Packing],
        groups: &[Vec<u32>],
    ) -> Checked<()> {
        self.check_weight(cut.weight)?;
        let weight = cut.weight as usize;
        let (mut strip, mut dead) = (state.region.clone(), state.dead.clone());
        match cut.upper {
            true => strip.set_low(weight, cut.at),
            false => strip.set_high(weight, cut.at),
        }
        self.kill(&cut.deaths, &strip, state.usable, &mut dead)?;
        let bound = self.bound(state, &dead, packings, groups);
        ensure(bound >= self.goal, || {
            format!("its strip in weight {weight} has a bound of {bound}, below {}", self.goal)
        })?;
        match cut.upper {
            true => state.region.set_high(weight, cut.at),
            false => state.region.set_low(weight, cut.at),
        }
        if state.region.low(weight) > state.region.high(weight) {
            state.bound = u64::MAX;
        }
        Ok(())
    }

    /// The parts of a box in which one of the weights, which may all be 0, is at its upper bound.
    fn faces(&self, weights: u64, state: &State, stack: &mut Vec<Option<State>>) -> Checked<()> {
        let own = |k: &usize| weights >> k & 1 == 1;
        let count = self.rows.weights();
        let known = weights != 0 && (count == 64 || weights >> count == 0);
        ensure(known, || "its faces are in weights that do not exist".into())?;
        for k in (0..count).filter(own) {
            ensure(state.region.low(k) == Edge::ZERO, || {
                format!("it has faces in weight {k}, which cannot be 0 in it")
            })?;
            let mut face = state.clone();
            face.usable &= weights;
            face.region.set_low(k, state.region.high(k));
            stack.push(Some(face));
        }
        Ok(())
    }

    /// Least gain of violated blocks in all cases.
    fn case(
        &mut self,
        case: &Case,
        state: &State,
        violated: &Blocks,
        held: &BTreeSet<u32>,
    ) -> Checked<u64> {
        if case.conflict.is_empty() {
            ensure(case.branches.is_empty(), || "a case has branches but no conflict".into())?;
            return Ok(violated.gain);
        }
        let blocks = self.conflict(&case.conflict, state)?;
        let open: BTreeSet<u32> = blocks.into_iter().filter(|b| !held.contains(b)).collect();
        let branches: BTreeSet<u32> = case.branches.iter().map(|branch| branch.0).collect();
        let complete = open == branches && case.branches.len() == open.len();
        ensure(complete, || "the branches of a case are not those of its conflict".into())?;
        let (mut least, mut held) = (u64::MAX, held.clone());
        for (block, branch) in &case.branches {
            let mut violated = violated.clone();
            violated.insert(*block, &self.gains);
            least = least.min(self.case(branch, state, &violated, &held)?);
            held.insert(*block);
        }
        Ok(least)
    }
}

fn described(name: RowName) -> String {
    format!("row {} of block {}", name.name, name.block)
}

fn common_divisor(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { common_divisor(b, a % b) }
}
