//! Local search on a partition: records move between neighboring groups so that
//! the sum of squared errors falls, while every group keeps its rule.
//!
//! No grouping heuristic is near the optimum, which is NP-hard for two and more
//! attributes (A. Oganian, J. Domingo-Ferrer, "On the complexity of optimal
//! microaggregation for statistical disclosure control", Statistical Journal of
//! the UN ECE 18, 2001). The search is simulated annealing (S. Kirkpatrick, C.D.
//! Gelatt, M.P. Vecchi, "Optimization by simulated annealing", Science 220, 1983,
//! doi:10.1126/science.220.4598.671) over the moves of `moves.rs`: a record is
//! relocated, two swap (also two of the same sensitive levels, which changes no
//! diversity), three rotate, a group is dissolved, founded or split.
//! Candidates come from lists of near records; the change of the error is
//! exact and costs O(attributes) for the frequent moves, however large the groups are.
//!
//! - The temperature is relative to the mean error in the two groups at hand:
//!   outliers, whose groups hold most of the error, and dense regions freeze at
//!   the same time. With one temperature for all, as many moves end higher on
//!   Tarragona, though a little lower on Census at k = 10.
//! - The limit is a number of moves, not a time, and the chains are fixed in
//!   number: a seed gives the same groups on any number of threads.
//! - Rejected: lists of near centroids, which have to be kept up to date.

mod grouping;
mod moves;
mod points;
mod rule;

pub use rule::{AtLeast, GroupRule, Tally};

use super::super::{Partition, Protected, ProtectionMethod};
use super::parts::{Part, Within};
use super::{aggregate, check_classes};
use crate::dataset::Dataset;
use crate::distance::{Points, Scale};
use crate::error::{Error, Result};
use crate::listener::Listener;
use crate::random::generator;
use grouping::Grouping;
use moves::Walk;
use points::RefinedPoints;
use rayon::prelude::*;
use unmask_solvers::vectorized;

/// Independent searches; the best is taken. Fixed, so that threads do not matter.
pub const CHAINS: u64 = 2;

/// Temperatures of the first and the last annealed move.
const HOT: f64 = 0.7;
const COLD: f64 = 0.03;

/// The last part of the moves accepts improvements only.
const DESCENT: f64 = 0.05;

/// Moves per record below which annealing would not get cold: improvements only.
const TOO_FEW: u64 = 100;

/// Moves between two looks at the error, at least.
const ROUND: u64 = 1024;

/// The most columns that are refined together: memory and time of a move grow with them.
const WIDEST: usize = 512;

/// Lower errors by less than this share are rounding.
const ROUNDING: f64 = 1e-12;

/// `groups` with a sum of squared errors that is lower or the same.
///
/// `columns` are what distances see; `groups` hold every record exactly once and
/// each keeps `rule`, and so does every group of the result: ascending, in the
/// order of their first records. Tries `iterations` moves in each of [`CHAINS`]
/// chains; `tried` hears of every move. The same seed and stream give the same
/// groups. Memory O(n); time O(iterations x attributes) for the most part.
///
/// ```
/// use unmask::protection::microaggregation::{AtLeast, refine};
///
/// let columns = [vec![0.0, 9.0, 1.0, 8.0]];
/// let groups = [vec![0, 1], vec![2, 3]];
/// let refined = refine(&columns, &groups, &AtLeast(2), 1000, (1, 0), &|_| ());
/// assert_eq!(refined, [[0, 2], [1, 3]]);
/// ```
pub fn refine(
    columns: &[Vec<f64>],
    groups: &[Vec<u32>],
    rule: &dyn GroupRule,
    iterations: u64,
    (seed, stream): (u64, u64),
    tried: &(dyn Fn(u64) + Sync),
) -> Vec<Vec<u32>> {
    let start = ordered(groups.to_vec());
    if start.len() < 2 || columns.is_empty() {
        tried(CHAINS.saturating_mul(iterations));
        return start;
    }
    let points = RefinedPoints::new(columns, rule.levels(), (rule.smallest() + 5).clamp(15, 64));
    let chain = |chain: u64| {
        let grouping = Grouping::new(&points, rule, &start);
        let random = generator(seed, stream * CHAINS + chain);
        let walk = Walk { grouping, random, temperature: 0.0 };
        let found = ordered(anneal(walk, iterations, tried));
        (error(&points, &found), found)
    };
    let found: Vec<_> = (0..CHAINS).into_par_iter().map(chain).collect();
    let before = error(&points, &start) * (1.0 - ROUNDING);
    let best = found.into_iter().fold(
        (before, start),
        |best, found| {
            if found.0 < best.0 { found } else { best }
        },
    );
    best.1
}

/// Walks from hot to cold; gives the best groups seen at the end of a round.
fn anneal(mut walk: Walk<'_>, iterations: u64, tried: &dyn Fn(u64)) -> Vec<Vec<u32>> {
    let records = walk.grouping.points.records() as u64;
    let annealed = iterations / records >= TOO_FEW;
    let mut best = (walk.grouping.total_error(), walk.grouping.assignment().to_vec());
    let mut done = 0;
    while done < iterations {
        let steps = records.max(ROUND).min(iterations - done);
        let passed = done as f64 / iterations as f64 / (1.0 - DESCENT);
        let is_hot = annealed && passed < 1.0;
        walk.temperature = if is_hot { HOT * (COLD / HOT).powf(passed) } else { 0.0 };
        run(&mut walk, steps);
        walk.grouping.sum_up();
        let error = walk.grouping.total_error();
        if error < best.0 {
            best.0 = error;
            best.1.copy_from_slice(walk.grouping.assignment());
        }
        done += steps;
        tried(steps);
    }
    groups(&best.1)
}

fn run(walk: &mut Walk<'_>, steps: u64) {
    vectorized!(for _ in 0..steps {
        walk.step();
    });
}

/// The groups of an assignment of records to groups.
fn groups(assignment: &[u32]) -> Vec<Vec<u32>> {
    let count = assignment.iter().max().map_or(0, |last| *last as usize + 1);
    let mut groups = vec![Vec::new(); count];
    assignment.iter().zip(0..).for_each(|(&group, record)| groups[group as usize].push(record));
    groups.retain(|group| !group.is_empty());
    groups
}

/// Each group ascending, the groups by their first records.
fn ordered(mut groups: Vec<Vec<u32>>) -> Vec<Vec<u32>> {
    groups.iter_mut().for_each(|group| group.sort_unstable());
    groups.sort_unstable();
    groups
}

/// Sum of squared errors, from the records alone.
fn error(points: &RefinedPoints, groups: &[Vec<u32>]) -> f64 {
    groups.iter().map(|group| points.error(group)).sum()
}

/// How partitions are refined.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Refinement {
    /// Moves tried in each chain, for each block of attributes.
    pub iterations: u64,
    /// On which scale the squared errors are summed.
    pub scale: Scale,
}

impl Refinement {
    /// The limit when none is given: a few seconds on a thousand records with a dozen attributes.
    pub const ITERATIONS: u64 = 20_000_000;

    /// So many moves, where they are given.
    pub fn of(iterations: Option<u64>, scale: Scale) -> Option<Self> {
        iterations.map(|iterations| Self { iterations, scale })
    }

    /// What `method` gave for `original`, refined; see [`refine`].
    ///
    /// Each block of attributes is refined on its own, under the method's
    /// [group rule](ProtectionMethod::group_rule), which the release is checked against. Nominal
    /// and ordinal attributes take part by numbers that have their distances, see
    /// [`crate::distance::Points::embedded`]. Records move between groups that have values on the
    /// same attributes. Fails on more than 512 labels and numbers in a block, and on methods that
    /// form no groups.
    pub fn improve(
        &self,
        method: &dyn ProtectionMethod,
        original: &Dataset,
        start: &Protected,
        seed: u64,
        listener: &dyn Listener,
    ) -> Result<Protected> {
        self.check(method, start)?;
        let total = (start.partitions.len() as u64 * CHAINS).saturating_mul(self.iterations);
        let missing = method.missing();
        let one = |(stream, partition): (usize, &Partition)| {
            let rule = method.group_rule(original, partition)?;
            let positions = original.positions(&partition.attributes)?;
            let points = missing.points(original, &positions, self.scale)?;
            let tried = |steps| listener.advance(steps, total);
            let mut groups = Vec::new();
            for (place, (part, own)) in
                Part::of_groups(points, &partition.groups).into_iter().enumerate()
            {
                let columns = embedded(original, &part.points)?;
                let within = Within::new(&*rule, &part.records);
                let iterations = self.share(part.records.len(), original.records());
                let random = (seed, (place as u64) << 32 | stream as u64);
                let refined = refine(&columns, &own, &within, iterations, random, &tried);
                groups.extend(part.records_of(refined));
            }
            Ok(Partition { groups, ..partition.clone() })
        };
        let partitions: Vec<Partition> =
            start.partitions.par_iter().enumerate().map(one).collect::<Result<_>>()?;
        let released = aggregate(original, &partitions, missing)?;
        for partition in &partitions {
            let rule = method.group_rule(original, partition)?;
            check_classes(&*rule, &released, &partition.attributes)?;
        }
        Ok(Protected::grouped(released, partitions))
    }

    /// The moves for a part of the file.
    fn share(&self, part: usize, whole: usize) -> u64 {
        let share = u128::from(self.iterations) * part as u128 / whole.max(1) as u128;
        share.max(1) as u64
    }

    /// Fails on no moves at all.
    pub fn check_iterations(&self) -> Result<()> {
        match self.iterations {
            0 => Err(Error::parameter("refine", 0, "but at least one move is needed")),
            _ => Ok(()),
        }
    }

    fn check(&self, method: &dyn ProtectionMethod, start: &Protected) -> Result<()> {
        self.check_iterations()?;
        if start.partitions.is_empty() {
            let problem = "which forms no groups; refine a microaggregation";
            return Err(Error::parameter("method", method.name(), problem));
        }
        Ok(())
    }
}

/// What the search sees of `points`; fails when labels would take too many columns.
fn embedded(original: &Dataset, points: &Points) -> Result<Vec<Vec<f64>>> {
    let width = points.embedded_width();
    if width > WIDEST {
        let problem = format!(
            "has {width} different labels and numeric attributes on what is refined together, \
             but `refine` takes {WIDEST} at most; generalize labels, or leave `refine` out"
        );
        return Err(Error::input(original.name(), problem));
    }
    Ok(points.embedded())
}
