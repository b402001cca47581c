//! What a dive proves, node by node, as a certificate says it.
//!
//! Without a certificate nothing is kept and nothing is computed. With one, bounds rest on what
//! could be written down, so a certificate never says less than the search.

use super::packing::Packing;
use super::proven::Proven;
use crate::BlockProblem;
use crate::certificate::{
    Blocks, Case, Conflict, Cut, Edge, End, Node, Packing as Shares, Region, Row, RowName,
    multipliers, never_positive,
};
use crate::conflict::{ConflictLp, Evidence, WeightBox};
use crate::row_table::RowTable;
use num_bigint::BigUint;

/// The nodes of a dive, in the order in which they are left.
pub(crate) struct Trace<'a> {
    problem: &'a BlockProblem,
    pub on: bool,
    draft: Node,
    pub nodes: Vec<Node>,
}

/// Rows whose largest value in doubles is beyond this are not looked at exactly.
const DOUBTFUL: f64 = 1e-9;

/// Denominators tried for shares of conflicts, which are simple fractions mostly.
const SIMPLE: u64 = 24;

/// The denominator for shares that are not.
const FINE: u64 = 1 << 24;

impl<'a> Trace<'a> {
    pub fn new(problem: &'a BlockProblem, on: bool) -> Self {
        Self { problem, on, draft: Node::default(), nodes: Vec::new() }
    }

    /// Begins a node in which these rows kill their blocks.
    pub fn begin(&mut self, deaths: &[u32]) {
        if self.on {
            let deaths = deaths.iter().map(|row| name(self.problem, *row)).collect();
            self.draft = Node { deaths, ..Node::default() };
        }
    }

    /// Ends the node.
    pub fn end(&mut self, end: End) {
        if self.on {
            self.draft.end = end;
            self.nodes.push(std::mem::take(&mut self.draft));
        }
    }

    /// Ends a node that is split.
    pub fn split(&mut self, table: &RowTable, weight: usize, cut: f64, upper_first: bool) {
        let at = Edge::of(cut, table.exponents[weight].into());
        self.end(End::Split { weight: weight as u32, at, upper_first });
    }

    /// Notes the conflicts of a packing, which then says what follows from those noted.
    pub fn pack(&mut self, table: &RowTable, bounds: &WeightBox, packing: &mut Packing) {
        if !self.on {
            return;
        }
        let region = region(table, bounds);
        let evidence = std::mem::take(&mut packing.evidence);
        let noted: Vec<Option<Conflict>> =
            evidence.iter().map(|e| conflict(self.problem, table, &region, e)).collect();
        let kept = packing.shares.iter().zip(&noted).filter(|(_, noted)| noted.is_some());
        let kept: Vec<f64> = kept.map(|(share, _)| *share).collect();
        self.draft.conflicts = noted.into_iter().flatten().collect();
        let gains = Gains::of(self.problem, table);
        let blocks: Vec<Vec<u32>> = self.draft.conflicts.iter().map(|c| gains.places(c)).collect();
        // As the checker does: who is alone in a conflict is dead, and the others share.
        let (alone, several): (Vec<_>, Vec<_>) =
            blocks.iter().cloned().partition(|blocks| blocks.len() == 1);
        let mut dead = Blocks::default();
        alone.iter().for_each(|blocks| dead.insert(blocks[0], &table.gains));
        let greedy = Shares::greedy(&several, &table.gains);
        packing.disjoint = greedy.bound(&dead, &[], &table.gains);
        let left = |(b, gain): (u32, &u64)| match dead.contains(b) {
            true => 0,
            false => gain - greedy.load(b) as u64,
        };
        packing.left = (0..).zip(&table.gains).map(left).collect();
        let target = packing.bound;
        packing.bound = packing.disjoint;
        if target > packing.bound {
            let shares = simple_shares(&kept, &blocks, &table.gains, target);
            self.draft.shares = shares.and_then(|shares| in_gains(shares, self.problem));
            if self.draft.shares.is_some() {
                packing.bound = target;
            }
        }
    }

    /// Notes the conflict that an LP found last: those of its blocks that exclude each other as it
    /// is noted, or none if it cannot be.
    pub fn note(
        &mut self,
        table: &RowTable,
        bounds: &WeightBox,
        lp: &ConflictLp<'_>,
        blocks: Vec<usize>,
    ) -> Option<Vec<usize>> {
        if !self.on {
            return Some(blocks);
        }
        let noted = conflict(self.problem, table, &region(table, bounds), &lp.evidence())?;
        let is_noted = |b: &usize| noted.iter().any(|row| row.0.block == self.block(table, *b));
        let blocks = blocks.into_iter().filter(is_noted).collect();
        self.draft.conflicts.push(noted);
        Some(blocks)
    }

    /// Notes groups of blocks that exclude each other.
    pub fn group(&mut self, table: &RowTable, groups: &[Vec<usize>]) {
        if self.on {
            let several = groups.iter().filter(|group| group.len() > 1);
            let group = |g: &Vec<usize>| g.iter().map(|b| self.block(table, *b)).collect();
            self.draft.groups = several.map(group).collect();
        }
    }

    /// Block `b` of a table as the problem numbers it.
    fn block(&self, table: &RowTable, b: usize) -> u32 {
        self.problem.block_of(table.ids[table.starts[b] as usize] as usize) as u32
    }

    /// Ends a node that cases decide, among blocks of which some are ruled out.
    pub fn cases(&mut self, ruled_out: Vec<Conflict>, case: Case) {
        // Shares are those of the conflicts before.
        if let Some((_, numerators)) = &mut self.draft.shares {
            numerators.extend(ruled_out.iter().map(|_| 0));
        }
        if self.on {
            self.draft.conflicts.extend(ruled_out);
            self.end(End::Cases(case));
        }
    }

    /// The part of `inner`, which is part of `outer`, that cutting off strips leads to: those in
    /// which the rows found kill blocks that add at least `gap` to what is proven.
    pub fn contract(
        &mut self,
        table: &RowTable,
        (outer, inner): (&WeightBox, WeightBox),
        gap: u64,
        proven: &Proven,
    ) -> WeightBox {
        if !self.on {
            return inner;
        }
        let mut reached = outer.clone();
        for weight in 0..outer.low.len() {
            for upper in [false, true] {
                let at = if upper { inner.high[weight] } else { inner.low[weight] };
                let before = if upper { reached.high[weight] } else { reached.low[weight] };
                let mut strip = reached.clone();
                match upper {
                    true => strip.low[weight] = at,
                    false => strip.high[weight] = at,
                }
                if at == before {
                    continue;
                }
                let Some(deaths) = self.deaths(table, &strip, gap, proven) else { continue };
                let edge = Edge::of(at, table.exponents[weight].into());
                self.draft.cuts.push(Cut { weight: weight as u32, upper, at: edge, deaths });
                match upper {
                    true => reached.high[weight] = at,
                    false => reached.low[weight] = at,
                }
                if reached.is_empty() {
                    return reached;
                }
            }
        }
        reached
    }

    /// Rows that kill blocks that add at least `gap`; none if there are not enough.
    fn deaths(
        &self,
        table: &RowTable,
        strip: &WeightBox,
        gap: u64,
        proven: &Proven,
    ) -> Option<Vec<RowName>> {
        let (mut mid, mut spread) = (Vec::new(), Vec::new());
        table.ranges(&strip.center(), &strip.radius(), &mut mid, &mut spread);
        let top = |i: &usize| mid[*i] + spread[*i];
        let lowest = |b: usize| table.block(b).min_by(|i, j| top(i).total_cmp(&top(j)));
        let killers = |i: usize| -> (f64, Vec<usize>, u64) {
            let rows: Vec<usize> = proven.blocks(i).into_iter().filter_map(lowest).collect();
            let highest = rows.iter().map(top).fold(f64::NEG_INFINITY, f64::max);
            (highest, rows, proven.left[i])
        };
        let open = (0..proven.left.len()).filter(|i| proven.left[*i] > 0);
        let mut found: Vec<_> = open.map(killers).filter(|k| k.0 < DOUBTFUL).collect();
        found.sort_by(|a, b| b.2.cmp(&a.2).then(a.0.total_cmp(&b.0)));
        let region = region(table, strip);
        let (mut deaths, mut gain) = (Vec::new(), 0);
        let once = BigUint::from(1u8);
        let fails = |id: &u32| never_positive(&[(&row(self.problem, *id), &once)], &region);
        for (_, rows, left) in found {
            if gain >= gap {
                break;
            }
            let ids: Vec<u32> = rows.into_iter().map(|i| table.ids[i]).collect();
            if ids.iter().all(fails) {
                deaths.extend(ids.iter().map(|id| name(self.problem, *id)));
                gain += left;
            }
        }
        (gain >= gap).then_some(deaths)
    }
}

/// Shares of conflicts as fractions of a common denominator that prove the target.
fn simple_shares(
    shares: &[f64],
    blocks: &[Vec<u32>],
    gains: &[u64],
    target: u64,
) -> Option<(u64, Vec<u64>)> {
    (1..=SIMPLE).chain([FINE]).find_map(|denominator| {
        let numerator = |share: &f64| (share * denominator as f64 + 1e-7) as u64;
        let numerators: Vec<u64> = shares.iter().map(numerator).collect();
        let packing = Shares::of_shares(blocks, denominator, &numerators, gains)?;
        let bound = packing.bound(&Default::default(), &[], gains);
        (bound >= target).then_some((denominator, numerators))
    })
}

/// Shares of gains in units as shares of the gains themselves.
fn in_gains(
    (denominator, shares): (u64, Vec<u64>),
    problem: &BlockProblem,
) -> Option<(u64, Vec<u64>)> {
    let whole = |share: &u64| share.checked_mul(problem.gain_unit());
    Some((denominator, shares.iter().map(whole).collect::<Option<_>>()?))
}

/// Where the blocks of the problem are in a table.
struct Gains {
    blocks: Vec<usize>,
}

impl Gains {
    fn of(problem: &BlockProblem, table: &RowTable) -> Self {
        let block = |b: usize| problem.block_of(table.ids[table.starts[b] as usize] as usize);
        Self { blocks: (0..table.blocks()).map(block).collect() }
    }

    fn places(&self, conflict: &Conflict) -> Vec<u32> {
        let place = |row: &(RowName, BigUint)| self.blocks.binary_search(&(row.0.block as usize));
        let mut places: Vec<u32> =
            conflict.iter().filter_map(|row| place(row).ok()).map(|b| b as u32).collect();
        places.sort_unstable();
        places.dedup();
        places
    }
}

fn name(problem: &BlockProblem, row: u32) -> RowName {
    let block = problem.block_of(row as usize) as u32;
    RowName { block, name: problem.row_name(row as usize) }
}

fn row(problem: &BlockProblem, id: u32) -> Row {
    Row::new(&problem.exact_row(id as usize))
}

pub(super) fn region(table: &RowTable, bounds: &WeightBox) -> Region {
    let edges = |side: &[f64]| {
        side.iter().zip(&table.exponents).map(|(x, e)| Edge::of(*x, i64::from(*e))).collect()
    };
    Region::new(edges(&bounds.low), edges(&bounds.high))
}

/// The conflict as a certificate has it; none if no multipliers make it certain.
pub(super) fn conflict(
    problem: &BlockProblem,
    table: &RowTable,
    region: &Region,
    evidence: &Evidence,
) -> Option<Conflict> {
    let rows: Vec<Row> = evidence.rows.iter().map(|id| row(problem, *id as u32)).collect();
    let doubles: Vec<&[f64]> = rows.iter().map(Row::doubles).collect();
    let rounded = || {
        let scaled = evidence.scaled(&table.exponents, &doubles);
        multipliers(&rows, &scaled, region)
    };
    let exactly = || {
        let whole = evidence.exact(problem)?;
        let exact: Vec<BigUint> = rows.iter().zip(&whole).map(|(r, m)| r.multiplier(m)).collect();
        let spare = exact.iter().filter_map(BigUint::trailing_zeros).min()?;
        let exact: Vec<BigUint> = exact.into_iter().map(|m| m >> spare).collect();
        let used = rows.iter().zip(&exact).filter(|(_, m)| **m > BigUint::ZERO);
        never_positive(&used.collect::<Vec<_>>(), region).then_some(exact)
    };
    let found = match evidence.whole.is_some() {
        true => exactly(),
        false => rounded().or_else(exactly),
    }?;
    let names = evidence.rows.iter().map(|id| name(problem, *id as u32));
    Some(names.zip(found).filter(|(_, m)| *m > BigUint::ZERO).collect())
}
