//! From a release to the inequalities of the block problem.

use super::equal_numbers::EqualNumbers;
use super::{Aggregation, Count, Gains};
use crate::distance::{AttributeDistances, OwnDistance, Standardization};
use crate::error::{Error, Result};
use crate::linkage::{Gatherer, Release, around_own, relative_margin};
use crate::listener::Listener;
use rayon::prelude::*;
use std::sync::{Arc, OnceLock};
use unmask_solvers::{
    BlockProblem, BlockProblemBuilder, Dyadic, ExactRows, ReducedBlock, check, reduce_block,
};

/// The inequalities of a release, made when asked for.
///
/// Nothing of size n² is kept: a block's rows exist while it is reduced or counted. With a weight
/// for each attribute their signs, and so every count and every proof, are those of the values in
/// the files, without rounding; ordered distances are rounded before they are ordered.
#[derive(Debug)]
pub struct PairRows<'a> {
    release: &'a Release,
    distances: Arc<AttributeDistances>,
    aggregation: Aggregation,
    count: Count,
    twins: OnceLock<Vec<u32>>,
}

/// Blocks reduced in parallel before they are added in order.
const BATCH: usize = 512;

impl<'a> PairRows<'a> {
    /// Prepares the attributes `names`; fails as [`AttributeDistances::new`] does.
    pub fn new<S: AsRef<str>>(
        release: &'a Release,
        names: &[S],
        standardization: Standardization<'_>,
        aggregation: Aggregation,
    ) -> Result<Self> {
        let distances = Arc::new(release.distances(names, standardization)?);
        let (count, twins) = (Count::Certain, OnceLock::new());
        Ok(Self { release, distances, aggregation, count, twins })
    }

    /// The same with `count` for what a record gains. A new one counts what is certain: a record
    /// that has twins gains nothing.
    pub fn counting(self, count: Count) -> Self {
        Self { count, ..self }
    }

    /// The release.
    pub(super) fn release(&self) -> &'a Release {
        self.release
    }

    /// What is compared.
    pub(super) fn distances(&self) -> &AttributeDistances {
        &self.distances
    }

    /// The inequality of record `i` and released record `j` without rounding.
    pub(super) fn exact_row(&self, i: usize, j: u32) -> Vec<Dyadic> {
        let own = self.distances.own(i, self.release.own()[i] as usize);
        self.distances.exact_differences(i, j as usize, &own)
    }

    /// The released records that record `i` has inequalities with.
    pub(super) fn rivals_of(&self, i: usize) -> Vec<u32> {
        self.all_rows_of(i).1
    }

    /// What is counted.
    pub fn count(&self) -> Count {
        self.count
    }

    /// For each record the number of released ones that no weights tell apart from its own: at
    /// the same distances on every attribute, its own included.
    ///
    /// Found once. Fails when `listener` interrupts. Cost: as [`PairRows::told_apart`].
    pub fn twins(&self, listener: &dyn Listener) -> Result<&[u32]> {
        if self.twins.get().is_none() {
            let twin = |i: u32| TwinCount { row: self.row_maker(i as usize), twins: 1 };
            let counts = self.around_own(&vec![1.0; self.dimension()], twin, listener)?;
            let counts = counts.into_iter().map(|count| count.twins).collect();
            self.twins.get_or_init(|| counts);
        }
        Ok(self.twins.get().map_or(&[], Vec::as_slice))
    }

    /// What each record gains.
    pub fn gains(&self, listener: &dyn Listener) -> Result<Gains> {
        Ok(match self.count {
            Count::Certain => Gains::certain(self.blocks()),
            Count::Expected => Gains::expected(self.twins(listener)?),
        })
    }

    /// Number of weights.
    pub fn dimension(&self) -> usize {
        self.distances.len()
    }

    /// Number of blocks: one per original record.
    pub fn blocks(&self) -> usize {
        self.release.records()
    }

    /// Number of inequalities in all.
    pub fn rows_full(&self) -> usize {
        self.blocks() * (self.release.released().records() - 1)
    }

    /// All inequalities of record `i`, one after the other; those of twins only where what is
    /// certain is counted.
    pub fn block(&self, i: usize) -> Vec<f64> {
        self.all_rows_of(i).0
    }

    /// Shows `see` the inequality of record `i` with every other released record.
    pub(super) fn each_row(&self, i: usize, see: impl FnMut(&[f64])) {
        self.each_row_of(i, self.others(i), see);
    }

    /// The same with the released records `others`.
    pub(super) fn each_row_of(
        &self,
        i: usize,
        others: impl Iterator<Item = u32>,
        mut see: impl FnMut(&[f64]),
    ) {
        let mut row = self.row_maker(i);
        others.for_each(|j| see(row.with(j)));
    }

    /// Where to look up equal numbers; none where other values are compared, or in order of their
    /// distances.
    pub(super) fn equal_numbers(&self) -> Option<EqualNumbers> {
        match self.aggregation {
            Aggregation::WeightedMean => EqualNumbers::new(&self.distances),
            Aggregation::Owa => None,
        }
    }

    /// The released record that belongs to each.
    pub(super) fn own(&self) -> &[u32] {
        self.release.own()
    }

    /// The released records that are not record `i`'s own.
    fn others(&self, i: usize) -> impl Iterator<Item = u32> {
        let own = self.release.own()[i];
        (0..self.release.released().records() as u32).filter(move |j| *j != own)
    }

    /// The inequalities of record `i` and the released records `others`, and which of these each
    /// is with.
    fn rows_of(&self, i: usize, others: impl Iterator<Item = u32>) -> (Vec<f64>, Vec<u32>) {
        let mut row = self.row_maker(i);
        let expected = others.size_hint().1.unwrap_or(0);
        let mut rows = Vec::with_capacity(expected * self.dimension());
        let mut rivals = Vec::with_capacity(expected);
        others.for_each(|j| {
            let row = row.with(j);
            if self.count == Count::Certain || !is_twin(row) {
                rows.extend_from_slice(row);
                rivals.push(j);
            }
        });
        (rows, rivals)
    }

    /// The same with all other released records.
    fn all_rows_of(&self, i: usize) -> (Vec<f64>, Vec<u32>) {
        if self.aggregation == Aggregation::Owa {
            return self.rows_of(i, self.others(i));
        }
        let own = self.release.own()[i];
        let all = self.distances.all_differences(i, &self.distances.own(i, own as usize));
        let (mut rows, mut rivals) = (Vec::with_capacity(all.len()), Vec::new());
        for (j, row) in (0..).zip(all.chunks_exact(self.dimension())) {
            if j != own && (self.count == Count::Certain || !is_twin(row)) {
                rows.extend_from_slice(row);
                rivals.push(j);
            }
        }
        (rows, rivals)
    }

    fn row_maker(&self, i: usize) -> RowMaker<'_> {
        let own = self.release.own()[i] as usize;
        RowMaker {
            distances: &self.distances,
            aggregation: self.aggregation,
            i,
            exact_own: self.distances.own(i, own),
            own: self.own_distances(i),
            row: vec![0.0; self.dimension()],
        }
    }

    /// The distances of record `i` and its own released one, in the order of the weights.
    fn own_distances(&self, i: usize) -> Vec<f64> {
        let mut own = vec![0.0; self.dimension()];
        self.distances.vector(i, self.release.own()[i] as usize, &mut own);
        self.aggregation.arrange(&mut own);
        own
    }

    /// The whole problem, each block reduced as it is made.
    ///
    /// Fails when `listener` interrupts. Cost: O(n²) inequalities made, a skyline per block; memory
    /// for the reduced rows and one block per thread.
    pub fn problem(&self, listener: &dyn Listener) -> Result<BlockProblem> {
        self.collect(|i| self.all_rows_of(i), listener)
    }

    /// The problem with only some rows: `others[i]` are the released records that
    /// record i is compared with.
    pub fn problem_of(&self, others: &[Vec<u32>], listener: &dyn Listener) -> Result<BlockProblem> {
        self.collect(|i| self.rows_of(i, others[i].iter().copied()), listener)
    }

    fn collect(
        &self,
        rows: impl Fn(usize) -> (Vec<f64>, Vec<u32>) + Sync,
        listener: &dyn Listener,
    ) -> Result<BlockProblem> {
        let mut builder = BlockProblemBuilder::new(self.dimension())?;
        let gains = self.gains(&())?;
        for start in (0..self.blocks()).step_by(BATCH) {
            let batch = start..self.blocks().min(start + BATCH);
            let reduced: Vec<ReducedBlock> = batch
                .clone()
                .into_par_iter()
                .map(|i| {
                    if listener.interrupted() {
                        return Err(Error::Interrupted);
                    }
                    let (rows, rivals) = rows(i);
                    Ok(reduce_block(&rows, self.dimension())?.named(&rivals))
                })
                .collect::<Result<_>>()?;
            listener.advance(batch.len() as u64, self.blocks() as u64);
            for (i, block) in batch.zip(reduced) {
                builder.push_gaining(block, gains.units(i))?;
            }
        }
        Ok(match self.aggregation {
            Aggregation::WeightedMean => builder.rounded_from(self.exact_rows()).finish(),
            Aggregation::Owa => builder.finish(),
        })
    }

    fn exact_rows(&self) -> Arc<ExactPairRows> {
        let own = self.release.own().to_vec();
        Arc::new(ExactPairRows { distances: Arc::clone(&self.distances), own })
    }

    /// For each record whether `weights` re-identify it for certain: its own released record is
    /// strictly nearer than every other one, by exact signs.
    pub fn reidentified(&self, weights: &[f64], listener: &dyn Listener) -> Result<Vec<bool>> {
        let twins = self.twins(listener)?;
        let told_apart = self.told_apart(weights, listener)?.into_iter();
        Ok(told_apart.zip(twins).map(|(told, twins)| told && *twins == 1).collect())
    }

    /// For each record whether `weights` tell it and its twins apart from all other released
    /// records: they are strictly nearer, by exact signs.
    ///
    /// Fails when `listener` interrupts. Cost: a search of a box tree for each record, about
    /// O(n log n) for few attributes; O(n²) for ordered distances. Memory O(n).
    pub fn told_apart(&self, weights: &[f64], listener: &dyn Listener) -> Result<Vec<bool>> {
        Ok(self.rivals(weights, listener)?.iter().map(Option::is_none).collect())
    }

    /// For each record the released one, not a twin, that is nearest to it of those at least as
    /// near as its own; none when it is told apart. Fails when `listener` interrupts.
    pub fn rivals(&self, weights: &[f64], listener: &dyn Listener) -> Result<Vec<Option<u32>>> {
        let rival = |i: u32| RivalSearch {
            row: self.row_maker(i as usize),
            weights,
            nearest: (f64::INFINITY, None),
        };
        let found = self.around_own(weights, rival, listener)?.into_iter();
        Ok(found.map(|search| search.nearest.1).collect())
    }

    /// Of the records that are told apart those that count: all, or where what is certain is
    /// counted those without twins.
    pub(super) fn counted(&self, told_apart: &[bool]) -> Result<Vec<bool>> {
        let twins = self.twins(&())?;
        let counts =
            |(told, twins): (&bool, &u32)| *told && (self.count == Count::Expected || *twins == 1);
        Ok(told_apart.iter().zip(twins).map(counts).collect())
    }

    /// A twin of record `i`, where it has one.
    pub(super) fn a_twin(&self, i: usize) -> Option<u32> {
        let mut row = self.row_maker(i);
        self.others(i).find(|&j| is_twin(row.with(j)))
    }

    /// Shows gatherers what is around each record's own released one.
    fn around_own<G: Gatherer>(
        &self,
        weights: &[f64],
        gatherer: impl Fn(u32) -> G + Sync,
        listener: &dyn Listener,
    ) -> Result<Vec<G>> {
        if self.aggregation == Aggregation::WeightedMean {
            let own = self.release.own();
            return around_own(&self.distances, own, weights, gatherer, listener);
        }
        // Ordered distances have no index: every pair is looked at.
        let dot = |d: &[f64]| d.iter().zip(weights).map(|(d, w)| d * w).sum::<f64>();
        let gather = |i: usize| {
            if listener.interrupted() {
                return Err(Error::Interrupted);
            }
            let mut gatherer = gatherer(i as u32);
            let mut row = self.row_maker(i);
            let mut radius = f64::INFINITY;
            for j in self.others(i) {
                let distance = dot(row.with(j));
                if distance <= radius {
                    radius = gatherer.see(j, distance, radius);
                }
            }
            Ok(gatherer)
        };
        (0..self.blocks()).into_par_iter().map(gather).collect()
    }

    /// By how much each record is told apart under `weights`: (d - o) / (d + o), o
    /// being the distance to its own released record and d that to the nearest other one. Rounded: for
    /// display, never for counting. Cost: O(n²).
    pub fn margins(&self, weights: &[f64]) -> Vec<f64> {
        let dot = |d: &[f64]| d.iter().zip(weights).map(|(d, w)| d * w).sum::<f64>();
        let margin = |i: usize| {
            let mut row = self.row_maker(i);
            let own = dot(&row.own);
            let least = self.others(i).map(|j| dot(row.with(j))).fold(f64::INFINITY, f64::min);
            relative_margin(own, least + own)
        };
        (0..self.blocks()).into_par_iter().map(margin).collect()
    }
}

/// True when the inequality holds for no weights because both records are equally far on every
/// attribute.
fn is_twin(row: &[f64]) -> bool {
    row.iter().all(|r| *r == 0.0)
}

/// Counts the released records that are twins of one.
struct TwinCount<'a> {
    row: RowMaker<'a>,
    twins: u32,
}

impl Gatherer for TwinCount<'_> {
    fn see(&mut self, record: u32, _: f64, radius: f64) -> f64 {
        self.twins += u32::from(is_twin(self.row.with(record)));
        radius
    }
}

/// Looks for the nearest released record that one is not told apart from.
struct RivalSearch<'a> {
    row: RowMaker<'a>,
    weights: &'a [f64],
    nearest: (f64, Option<u32>),
}

impl Gatherer for RivalSearch<'_> {
    fn see(&mut self, record: u32, distance: f64, radius: f64) -> f64 {
        if self.row.holds(record, self.weights) {
            return radius;
        }
        let (least, lowest) = self.nearest;
        if distance < least || lowest.is_none_or(|lowest| record < lowest) {
            self.nearest = (distance, Some(record));
        }
        distance.max(0.0)
    }
}

/// The inequalities of a release without rounding, by the rivals that they are with.
#[derive(Debug)]
struct ExactPairRows {
    distances: Arc<AttributeDistances>,
    own: Vec<u32>,
}

impl ExactRows for ExactPairRows {
    fn row(&self, block: usize, rival: u32) -> Vec<Dyadic> {
        let own = self.distances.own(block, self.own[block] as usize);
        self.distances.exact_differences(block, rival as usize, &own)
    }
}

/// Makes the inequalities of one record, one at a time.
struct RowMaker<'a> {
    distances: &'a AttributeDistances,
    aggregation: Aggregation,
    i: usize,
    exact_own: Vec<OwnDistance>,
    own: Vec<f64>,
    row: Vec<f64>,
}

impl RowMaker<'_> {
    /// The inequality of the record and released record `j`.
    fn with(&mut self, j: u32) -> &[f64] {
        match self.aggregation {
            Aggregation::WeightedMean => {
                let (i, j) = (self.i, j as usize);
                self.distances.differences(i, j, &self.exact_own, &mut self.row);
            }
            Aggregation::Owa => {
                self.distances.vector(self.i, j as usize, &mut self.row);
                self.aggregation.arrange(&mut self.row);
                self.row.iter_mut().zip(&self.own).for_each(|(d, own)| *d -= own);
            }
        }
        &self.row
    }

    /// True when released record `j` is a twin, or the inequality holds, by its exact sign.
    fn holds(&mut self, j: u32, weights: &[f64]) -> bool {
        if is_twin(self.with(j)) {
            return true;
        }
        match self.aggregation {
            Aggregation::Owa => check::row_holds(&self.row, weights),
            Aggregation::WeightedMean => check::rounded_row_holds(&self.row, weights, || {
                self.distances.exact_differences(self.i, j as usize, &self.exact_own)
            }),
        }
    }
}
