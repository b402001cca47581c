//! MDAV: maximum distance to average vector.
//!
//! J. Domingo-Ferrer, V. Torra, "Ordinal, continuous and heterogeneous
//! k-anonymity through microaggregation", Data Mining and Knowledge Discovery
//! 11 (2005), doi:10.1007/s10618-005-0007-5.

use super::centroid::Centroid;
use super::{AttributeBlocks, GroupingPlan, Microaggregation, Missing, Refinement, options};
use crate::distance::{Points, Scale};
use crate::protection::{AttributeKinds, Described};
use crate::spatial::RemovableTree;
use serde::{Deserialize, Serialize};

/// What happens to the last records. Published descriptions differ; the results
/// differ in the later decimals of the information loss.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
#[serde(rename_all = "kebab-case")]
pub enum TailRule {
    /// Two groups while at least 3k records remain; of 2k to 3k - 1 one group round
    /// the record farthest from the centroid, the rest is the last group; fewer
    /// than 2k are one group.
    #[default]
    LastGroup,
    /// Two groups while at least 2k records remain; then one of k if there are
    /// enough; what is left joins the group with the nearest centroid.
    NearestGroup,
}

options! {
    /// Multivariate microaggregation round the extreme records (MDAV).
    ///
    /// Records are put into groups of at least k similar ones, and each value is replaced by its
    /// group's mean, median or most frequent label. Takes numeric, ordinal and nominal attributes;
    /// missing values stay missing, and groups are made of records that lack the same. Cost: n/k
    /// neighbor queries in a box tree. Source: J. Domingo-Ferrer, V. Torra 2005,
    /// doi:10.1007/s10618-005-0007-5.
    pub struct Mdav {
        k,
        groups,
        cluster_on,
        /// What happens to the last records
        #[cfg_attr(feature = "cli", arg(long, value_enum, value_name = "RULE", default_value_t))]
        #[serde(default)]
        pub tail: TailRule,
        missing,
        refine,
    }
}

impl Mdav {
    /// Groups of `k` on all attributes together, by z-scores.
    pub fn new(k: usize) -> Self {
        Self {
            k: vec![k],
            groups: AttributeBlocks::All,
            cluster_on: Scale::default(),
            tail: TailRule::default(),
            missing: Missing::default(),
            refine: None,
        }
    }
}

impl Described for Mdav {
    const NAME: &'static str = "mdav";
    const STRENGTHS: &'static [&'static str] = &["k"];
}

impl Microaggregation for Mdav {
    fn grouping(&self) -> GroupingPlan<'_> {
        GroupingPlan {
            k: &self.k,
            blocks: &self.groups,
            takes: AttributeKinds::Any,
            scale: self.cluster_on,
            missing: self.missing,
            refinement: Refinement::of(self.refine, self.cluster_on),
        }
    }

    fn partition(
        &self,
        points: &Points,
        k: usize,
        grouped: &(dyn Fn(usize) + Sync),
    ) -> Vec<Vec<u32>> {
        mdav(points, k, self.tail, grouped)
    }
}

/// Groups of at least `k` of the records of `points`, which has at least k.
///
/// While enough records remain: xr is the record farthest from the centroid of the
/// remaining ones; xr and its k - 1 nearest form a group; xs is the record farthest
/// from xr; xs and its k - 1 nearest form a group. Ties go to the lowest record.
/// `grouped` hears how many records were grouped.
///
/// Cost: n/k neighbor queries in a box tree, O(n²/k) distances at worst and far
/// fewer in a few dimensions, on two threads; memory O(n).
pub fn mdav(
    points: &Points,
    k: usize,
    tail: TailRule,
    grouped: &(dyn Fn(usize) + Sync),
) -> Vec<Vec<u32>> {
    // Inside the pool, where two searches at the same time cost no hand-over.
    rayon::scope(|_| State::new(points, k, grouped).partition(tail))
}

struct State<'a> {
    k: usize,
    points: &'a Points,
    remaining: RemovableTree<'a>,
    centroid: Centroid<'a>,
    groups: Vec<Vec<u32>>,
    grouped: &'a (dyn Fn(usize) + Sync),
}

impl<'a> State<'a> {
    fn new(points: &'a Points, k: usize, grouped: &'a (dyn Fn(usize) + Sync)) -> Self {
        let (remaining, centroid) = (RemovableTree::new(points), Centroid::of_all(points));
        Self { k, points, remaining, centroid, groups: Vec::new(), grouped }
    }

    fn partition(mut self, tail: TailRule) -> Vec<Vec<u32>> {
        let enough = match tail {
            TailRule::LastGroup => 3 * self.k,
            TailRule::NearestGroup => 2 * self.k,
        };
        while self.remaining.len() >= enough {
            self.group_extremes();
        }
        let last = match tail {
            TailRule::LastGroup => 2 * self.k,
            TailRule::NearestGroup => self.k,
        };
        if self.remaining.len() >= last {
            let xr = self.farthest_from_centroid();
            self.group_round(xr);
        }
        match tail {
            TailRule::LastGroup => self.group_rest(),
            TailRule::NearestGroup => self.join_nearest(),
        }
        self.groups
    }

    /// Groups xr with its nearest, and xs, the record then farthest from xr, with its own.
    ///
    /// Both groups are looked for at the same time, that of xs as if the other were still there.
    /// When it holds none of the other's records it is the same; else it is looked for again.
    fn group_extremes(&mut self) {
        let xr = self.farthest_from_centroid();
        let this = &*self;
        let (first, second) =
            rayon::join(|| this.with_nearest(xr), || this.with_nearest(this.farthest_from(xr)));
        let is_apart = second.iter().all(|record| !first.contains(record));
        self.group(first);
        match is_apart {
            true => self.group(second),
            false => self.group_round(self.farthest_from(xr)),
        }
    }

    fn farthest_from_centroid(&self) -> u32 {
        self.remaining.farthest(&self.centroid.point())
    }

    fn farthest_from(&self, record: u32) -> u32 {
        self.remaining.farthest(&self.points.point(record))
    }

    fn take(&mut self, record: u32) {
        self.centroid.remove(record);
        self.remaining.remove(record);
    }

    /// Groups `center` with its k - 1 nearest.
    fn group_round(&mut self, center: u32) {
        self.group(self.with_nearest(center));
    }

    /// `center` and the k - 1 records nearest to it.
    fn with_nearest(&self, center: u32) -> Vec<u32> {
        let nearest = self.remaining.nearest_other(&self.points.point(center), self.k - 1, center);
        std::iter::once(center).chain(nearest.iter().map(|n| n.record)).collect()
    }

    /// Groups records that remain.
    fn group(&mut self, records: Vec<u32>) {
        records.iter().for_each(|&record| self.take(record));
        self.close(records);
    }

    fn group_rest(&mut self) {
        let rest = self.remaining.records();
        if !rest.is_empty() {
            self.close(rest);
        }
    }

    fn close(&mut self, mut group: Vec<u32>) {
        group.sort_unstable();
        (self.grouped)(group.len());
        self.groups.push(group);
    }

    /// Each record left joins the group whose centroid, before any joined, is nearest.
    fn join_nearest(&mut self) {
        let centroids: Vec<Vec<f64>> =
            self.groups.iter().map(|g| self.centroid.of_group(g).point()).collect();
        let rest = self.remaining.records();
        (self.grouped)(rest.len());
        for record in rest {
            let distance = |c: &Vec<f64>| self.points.distance(record, c);
            let distances: Vec<f64> = centroids.iter().map(distance).collect();
            let nearest =
                (0..distances.len()).min_by(|&a, &b| distances[a].total_cmp(&distances[b]));
            match nearest {
                Some(group) => self.groups[group].push(record),
                None => self.groups.push(vec![record]),
            }
        }
        self.groups.iter_mut().for_each(|g| g.sort_unstable());
    }
}
