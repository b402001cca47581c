//! V-MDAV: MDAV with groups of variable size.
//!
//! A. Solanas, A. Martínez-Ballesté, "V-MDAV: a multivariate microaggregation
//! with variable group size", COMPSTAT (2006).
//!
//! Published descriptions differ in four places. Built here:
//! - The centroid is that of the whole file, computed once (Solanas and
//!   Martínez-Ballesté; Figure 1 of Han, Cen and Yu 2008). Some programs take
//!   that of the remaining records, as MDAV does.
//! - Groups are formed while at least k records remain, and the fewer than k left
//!   join the closest group. Others stop below 2k and make k or more a last group.
//! - The distance of a record and a group is that to the group's nearest record,
//!   for the extension and for the leftovers alike.
//! - d_in < γ d_out compares Euclidean distances. Equation (1) of Han et al. writes
//!   a norm and prints its square: with squares a γ here is √γ there.

use super::extension::Growing;
use super::forming::Forming;
use super::{
    AttributeBlocks, DEFAULT_GAMMA, GroupingPlan, Microaggregation, Missing, Refinement,
    check_gamma, options,
};
use crate::distance::{Points, Scale};
use crate::error::Result;
use crate::protection::{AttributeKinds, Described};
use crate::spatial::ANY;

options! {
    /// MDAV with groups of k to 2k - 1 records, extended to near ones (V-MDAV).
    ///
    /// Takes numeric, ordinal and nominal attributes. Missing values stay missing, and groups are
    /// made of records that lack the same. Cost: O(n²) distances at worst and far fewer in a few
    /// dimensions. Source: A. Solanas, A. Martínez-Ballesté 2006.
    pub struct VMdav {
        k,
        gamma,
        groups,
        cluster_on,
        missing,
        refine,
    }
}

impl VMdav {
    /// Groups of `k` to 2k - 1 on all attributes together, by z-scores, with the gain factor 0.2.
    pub fn new(k: usize) -> Self {
        Self {
            k: vec![k],
            gamma: DEFAULT_GAMMA,
            groups: AttributeBlocks::All,
            cluster_on: Scale::default(),
            missing: Missing::default(),
            refine: None,
        }
    }
}

impl Described for VMdav {
    const NAME: &'static str = "v-mdav";
    const STRENGTHS: &'static [&'static str] = &["k"];
}

impl Microaggregation for VMdav {
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

    fn check_parameters(&self) -> Result<()> {
        check_gamma(self.gamma)
    }

    fn partition(
        &self,
        points: &Points,
        k: usize,
        grouped: &(dyn Fn(usize) + Sync),
    ) -> Vec<Vec<u32>> {
        v_mdav(points, k, self.gamma, grouped)
    }
}

/// Groups of `k` to 2k - 1 of the records of `points`, which has at least k.
///
/// While at least k records remain: the one farthest from the centroid of the file
/// and its k - 1 nearest form a group, which then takes, up to 2k - 1 records, the
/// record nearest to it as long as the distance d_in to the group is less than
/// `gamma` times the distance d_out to its nearest other ungrouped record. The rest
/// joins the closest group, which may so grow beyond 2k - 1. Ties go to the lowest
/// record; `gamma` = 0 gives groups of k. `grouped` hears how many were grouped.
///
/// Cost: the seeds come from one sort; each group asks a box tree once for k
/// neighbors, once for the records nearest to any member and once for each candidate's
/// neighbors, O(n²) distances at worst and far fewer in a few dimensions; memory O(n), no
/// matrix of distances.
pub fn v_mdav(
    points: &Points,
    k: usize,
    gamma: f64,
    grouped: &(dyn Fn(usize) + Sync),
) -> Vec<Vec<u32>> {
    let mut forming = Forming::new(points, &[], grouped);
    while forming.remaining.len() >= k {
        let mut group = Growing::round(forming.farthest());
        // Two more than join: what the extension starts from.
        let mut near = forming.remaining.nearest(&points.point(group.records[0]), k + 1);
        for neighbor in near.drain(..k - 1) {
            forming.take(neighbor.record);
            group.add(neighbor.record);
        }
        while group.records.len() < 2 * k - 1 {
            match forming.extension(&mut group, gamma, &near, ANY, |_| true) {
                Some(record) => near.retain(|n| n.record != record),
                None => break,
            }
        }
        forming.close(group.records);
    }
    let rest = forming.remaining.records();
    forming.join_closest(&rest);
    forming.groups
}
