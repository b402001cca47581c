//! One-to-one links: the linear sum assignment of least total cost.
//!
//! Shortest augmenting paths from a start in which every record that can have
//! its cheapest partner has it, which in linkage most can. Costs are computed
//! row by row when needed and never stored: memory O(n). Time O(n³) at worst, so that
//! more than [`ASSIGNMENT_LIMIT`] records are left to [`super::sparse`].
//!
//! R. Jonker, A. Volgenant, "A shortest augmenting path algorithm for dense and
//! sparse linear assignment problems", Computing 38 (1987),
//! doi:10.1007/BF02278710.

use super::distance_based::Space;
use super::{Link, Links, Release, sparse};
use crate::error::{Error, Result};
use crate::listener::Listener;
use crate::spatial::leaves::{LEAF, Leaves};
use rayon::prelude::*;
use unmask_solvers::vectorized;

/// The most released records whose one-to-one assignment looks at all pairs; for more it is
/// found among sparse candidates, with a stated gap.
pub const ASSIGNMENT_LIMIT: usize = 5_000;

/// Reduced costs below this share of the largest cost count as 0.
const TIGHT: f64 = 1e-11;

/// What it costs to link an original record to each released one.
pub(super) trait Costs: Sync {
    /// Number of original and of released records.
    fn size(&self) -> [usize; 2];

    /// Writes the costs of original record `i` to `out`, one per released record.
    fn row(&self, i: usize, out: &mut [f64]);
}

/// Links by the least sum of the distances the index of `space` sees.
pub(super) fn link_space(
    space: Space,
    release: &Release,
    listener: &dyn Listener,
) -> Result<Links> {
    check_size([space.original[0].len(), space.released[0].len()], release)?;
    if space.released[0].len() > ASSIGNMENT_LIMIT {
        return sparse::link(&space, release, listener);
    }
    link_all_pairs(space, release, listener)
}

/// As [`link_space`], whatever the number of records.
pub(super) fn link_all_pairs(
    space: Space,
    release: &Release,
    listener: &dyn Listener,
) -> Result<Links> {
    let Space { geometry, original, released, scale, .. } = space;
    let records = (0..released[0].len() as u32).collect();
    let leaves = Leaves::new(geometry, &released, records);
    let costs = DistanceCosts { original, leaves };
    link(&costs, release, |cost| scale.apply(cost), listener)
}

struct DistanceCosts {
    original: Vec<Vec<f64>>,
    leaves: Leaves,
}

impl Costs for DistanceCosts {
    fn size(&self) -> [usize; 2] {
        [self.original[0].len(), self.leaves.records().len()]
    }

    fn row(&self, i: usize, out: &mut [f64]) {
        let query: Vec<f64> = self.original.iter().map(|column| column[i]).collect();
        vectorized!({
            for (leaf, out) in out.chunks_mut(LEAF).enumerate() {
                out.copy_from_slice(&self.leaves.distances(leaf, &query)[..out.len()]);
            }
        });
    }
}

/// The links of least total cost, no released record used twice.
///
/// Ties: a released record counts as tied with the linked one when some other
/// assignment of least total cost links it. Fails when there are more original
/// records than released ones, or when interrupted.
pub(super) fn link<C: Costs>(
    costs: &C,
    release: &Release,
    scale: impl Fn(f64) -> f64,
    listener: &dyn Listener,
) -> Result<Links> {
    check_size(costs.size(), release)?;
    let solution = solve(costs, listener).ok_or(Error::Interrupted)?;
    let alternatives = solution.alternatives(costs);
    let link = |i: usize, row: &[f64]| {
        let linked = solution.partner[i];
        let distance = row[linked];
        let others = row.iter().enumerate().filter(|(j, _)| *j != linked);
        let second = others.map(|(_, d)| *d).fold(f64::INFINITY, f64::min);
        let tied = &alternatives[i];
        Link {
            linked: linked as u32,
            distance: scale(distance),
            second: second.is_finite().then(|| scale(second)),
            tied: tied.len() as u32,
            own_among_tied: tied.contains(&release.own()[i]),
        }
    };
    let mut row = vec![0.0; costs.size()[1]];
    let links = (0..costs.size()[0]).map(|i| {
        costs.row(i, &mut row);
        link(i, &row)
    });
    Ok(Links(links.collect(), None))
}

pub(super) fn check_size([originals, released]: [usize; 2], release: &Release) -> Result<()> {
    let name = release.released().name();
    if originals > released {
        let problem = format!(
            "{released} records for {originals} original ones, so links cannot be one-to-one"
        );
        return Err(Error::input(name, problem));
    }
    Ok(())
}

/// An optimal assignment with its dual prices: cost >= u + v, equal where linked.
pub(super) struct OptimalAssignment {
    /// The column of each row.
    pub partner: Vec<usize>,
    u: Vec<f64>,
    v: Vec<f64>,
    tolerance: f64,
}

/// The partner of a row or column that has none.
const FREE: usize = usize::MAX;

/// An assignment under construction, optimal for the rows that have a partner.
struct PartialAssignment {
    partner: Vec<usize>,
    row_of: Vec<usize>,
    u: Vec<f64>,
    v: Vec<f64>,
}

/// The assignment of least total cost; `None` when the listener interrupts.
pub(super) fn solve<C: Costs>(costs: &C, listener: &dyn Listener) -> Option<OptimalAssignment> {
    let [rows, columns] = costs.size();
    let cheapest: Vec<(usize, f64, f64)> = (0..rows)
        .into_par_iter()
        .map_init(
            || vec![0.0; columns],
            |row, i| {
                costs.row(i, row);
                let largest = row.iter().fold(0.0, |most: f64, c| most.max(c.abs()));
                let (j, least) = row.iter().enumerate().fold((0, f64::INFINITY), |best, (j, c)| {
                    if *c < best.1 { (j, *c) } else { best }
                });
                (j, least, largest)
            },
        )
        .collect();
    let mut search = PartialAssignment {
        partner: vec![FREE; rows],
        row_of: vec![FREE; columns],
        u: cheapest.iter().map(|c| c.1).collect(),
        v: vec![0.0; columns],
    };
    for (i, (j, ..)) in cheapest.iter().enumerate() {
        if search.row_of[*j] == FREE {
            search.row_of[*j] = i;
            search.partner[i] = *j;
        }
    }
    let free: Vec<usize> = (0..rows).filter(|&i| search.partner[i] == FREE).collect();
    listener.advance((rows - free.len()) as u64, rows as u64);
    let mut scratch = PathScratch::new(columns);
    for i in free {
        if listener.interrupted() {
            return None;
        }
        search.augment(costs, i, &mut scratch);
        listener.advance(1, rows as u64);
    }
    let largest = cheapest.iter().fold(0.0, |most: f64, c| most.max(c.2));
    let PartialAssignment { partner, u, v, .. } = search;
    Some(OptimalAssignment { partner, u, v, tolerance: TIGHT * largest })
}

struct PathScratch {
    row: Vec<f64>,
    /// Least reduced length of a path to each column found so far.
    length: Vec<f64>,
    /// The row before each column on that path.
    before: Vec<usize>,
    /// Columns not yet reached.
    open: Vec<usize>,
    /// Columns reached, in order.
    reached: Vec<usize>,
}

impl PathScratch {
    fn new(columns: usize) -> Self {
        Self {
            row: vec![0.0; columns],
            length: vec![0.0; columns],
            before: vec![FREE; columns],
            open: Vec::with_capacity(columns),
            reached: Vec::with_capacity(columns),
        }
    }

    fn reset(&mut self) {
        self.length.fill(f64::INFINITY);
        self.reached.clear();
        self.open.clear();
        self.open.extend(0..self.row.len());
    }
}

impl PartialAssignment {
    /// Gives row `start` a column by the shortest augmenting path.
    fn augment<C: Costs>(&mut self, costs: &C, start: usize, s: &mut PathScratch) {
        s.reset();
        let (mut i, mut least) = (start, 0.0);
        let end = loop {
            costs.row(i, &mut s.row);
            let next = self.nearest_open(i, least, s);
            let j = s.open.swap_remove(next);
            least = s.length[j];
            s.reached.push(j);
            if self.row_of[j] == FREE {
                break j;
            }
            i = self.row_of[j];
        };
        self.update_prices(start, least, s);
        self.flip(start, end, s);
    }

    /// Extends paths by row `i`; gives the place of the nearest open column, a free one if tied.
    fn nearest_open(&self, i: usize, least: f64, s: &mut PathScratch) -> usize {
        let mut best = (f64::INFINITY, 0);
        for (place, &j) in s.open.iter().enumerate() {
            let length = least + (s.row[j] - self.u[i] - self.v[j]);
            if length < s.length[j] {
                s.length[j] = length;
                s.before[j] = i;
            }
            let shorter = s.length[j] < best.0;
            if shorter || (s.length[j] == best.0 && self.row_of[j] == FREE) {
                best = (s.length[j], place);
            }
        }
        best.1
    }

    fn update_prices(&mut self, start: usize, least: f64, s: &PathScratch) {
        self.u[start] += least;
        for &j in &s.reached {
            let slack = least - s.length[j];
            if self.row_of[j] != FREE {
                self.u[self.row_of[j]] += slack;
            }
            self.v[j] -= slack;
        }
    }

    fn flip(&mut self, start: usize, end: usize, s: &PathScratch) {
        let mut j = end;
        loop {
            let i = s.before[j];
            self.row_of[j] = i;
            let previous = std::mem::replace(&mut self.partner[i], j);
            if i == start {
                return;
            }
            j = previous;
        }
    }
}

impl OptimalAssignment {
    /// For each row the columns that some assignment of the same total cost gives it.
    ///
    /// Linked pairs can be exchanged along cycles of pairs with reduced cost 0,
    /// and along paths of such to a column of price 0 that nobody has: a row's
    /// alternatives are the partners in its strongly connected component, the
    /// unused columns being one node.
    fn alternatives<C: Costs>(&self, costs: &C) -> Vec<Vec<u32>> {
        let edges = self.tight(costs);
        let component = components(&self.successors(&edges));
        let row_of = self.row_of();
        let unused = self.partner.len();
        let same = |i: usize, j: usize| {
            let node = if row_of[j] == FREE { unused } else { row_of[j] };
            component[node] == component[i]
        };
        let of_row = |(i, tight): (usize, &Vec<u32>)| {
            let linked = self.partner[i] as u32;
            let others = tight.iter().copied().filter(|&j| j != linked && same(i, j as usize));
            std::iter::once(linked).chain(others).collect()
        };
        edges.iter().enumerate().map(of_row).collect()
    }

    /// The columns of each row at reduced cost 0.
    fn tight<C: Costs>(&self, costs: &C) -> Vec<Vec<u32>> {
        let columns = self.v.len();
        (0..self.partner.len())
            .into_par_iter()
            .map_init(
                || vec![0.0; columns],
                |row, i| {
                    costs.row(i, row);
                    let reduced = |j: &usize| row[*j] - self.u[i] - self.v[*j];
                    let tight = (0..columns).filter(|j| reduced(j) <= self.tolerance);
                    tight.map(|j| j as u32).collect()
                },
            )
            .collect()
    }

    fn row_of(&self) -> Vec<usize> {
        let mut row_of = vec![FREE; self.v.len()];
        self.partner.iter().enumerate().for_each(|(i, &j)| row_of[j] = i);
        row_of
    }

    /// Row i leads to the row whose partner it could take; one more node stands
    /// for all unused columns, and leads to every row whose partner may fall free.
    fn successors(&self, edges: &[Vec<u32>]) -> Vec<Vec<u32>> {
        let row_of = self.row_of();
        let unused = self.partner.len();
        let node = |j: u32| if row_of[j as usize] == FREE { unused } else { row_of[j as usize] };
        let mut successors: Vec<Vec<u32>> =
            edges.iter().map(|tight| tight.iter().map(|&j| node(j) as u32).collect()).collect();
        let may_fall_free = |&i: &usize| self.v[self.partner[i]] >= -self.tolerance;
        successors.push((0..unused).filter(may_fall_free).map(|i| i as u32).collect());
        successors
    }
}

/// Strongly connected components (Tarjan, without recursion): a number per node.
fn components(successors: &[Vec<u32>]) -> Vec<u32> {
    const NEW: u32 = u32::MAX;
    let n = successors.len();
    let (mut order, mut low) = (vec![NEW; n], vec![0u32; n]);
    let (mut component, mut stack) = (vec![NEW; n], Vec::new());
    let (mut clock, mut count) = (0, 0);
    for root in 0..n {
        let mut path = vec![(root, 0usize)];
        while let Some((node, edge)) = path.pop() {
            if edge == 0 {
                if order[node] != NEW {
                    continue;
                }
                (order[node], low[node]) = (clock, clock);
                clock += 1;
                stack.push(node);
            } else {
                let child = successors[node][edge - 1] as usize;
                if component[child] == NEW {
                    low[node] = low[node].min(low[child]);
                }
            }
            match successors[node].get(edge) {
                Some(&next) => {
                    path.push((node, edge + 1));
                    if order[next as usize] == NEW {
                        path.push((next as usize, 0));
                    }
                }
                None if low[node] == order[node] => {
                    while let Some(member) = stack.pop() {
                        component[member] = count;
                        if member == node {
                            break;
                        }
                    }
                    count += 1;
                }
                None => {}
            }
        }
    }
    component
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::generator;
    use rand::RngExt;

    struct CostTable(Vec<Vec<f64>>);

    impl Costs for CostTable {
        fn size(&self) -> [usize; 2] {
            [self.0.len(), self.0[0].len()]
        }

        fn row(&self, i: usize, out: &mut [f64]) {
            out.copy_from_slice(&self.0[i]);
        }
    }

    /// Every assignment, by enumeration: the least total, and who can have whom at that total.
    fn enumerate(costs: &[Vec<f64>]) -> (f64, Vec<Vec<u32>>) {
        fn visit(
            costs: &[Vec<f64>],
            chosen: &mut Vec<usize>,
            total: f64,
            found: &mut Vec<(f64, Vec<usize>)>,
        ) {
            match costs.get(chosen.len()) {
                None => found.push((total, chosen.clone())),
                Some(row) => {
                    for j in (0..row.len()).filter(|j| !chosen.contains(j)).collect::<Vec<_>>() {
                        chosen.push(j);
                        visit(costs, chosen, total + row[j], found);
                        chosen.pop();
                    }
                }
            }
        }
        let mut found = Vec::new();
        visit(costs, &mut Vec::new(), 0.0, &mut found);
        let least = found.iter().map(|f| f.0).fold(f64::INFINITY, f64::min);
        let mut partners = vec![Vec::new(); costs.len()];
        for (_, chosen) in found.iter().filter(|f| f.0 == least) {
            for (i, &j) in chosen.iter().enumerate() {
                partners[i].push(j as u32);
            }
        }
        partners.iter_mut().for_each(|p| {
            p.sort_unstable();
            p.dedup();
        });
        (least, partners)
    }

    #[test]
    fn assignment_and_its_ties_agree_with_enumeration_on_small_tables() {
        let mut random = generator(11, 0);
        for case in 0..400 {
            let (rows, columns) = (1 + case % 5, 1 + case % 5 + case / 5 % 3);
            let levels = [2, 4, 1000][case % 3];
            let table: Vec<Vec<f64>> = (0..rows)
                .map(|_| (0..columns).map(|_| f64::from(random.random_range(0..levels))).collect())
                .collect();
            let (least, partners) = enumerate(&table);
            let costs = CostTable(table.clone());
            let solution = solve(&costs, &()).expect("not interrupted");
            let total: f64 = (0..rows).map(|i| table[i][solution.partner[i]]).sum();
            assert_eq!(total, least, "{table:?}");
            let mut alternatives = solution.alternatives(&costs);
            alternatives.iter_mut().for_each(|a| a.sort_unstable());
            assert_eq!(alternatives, partners, "{table:?}");
        }
    }
}
