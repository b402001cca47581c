//! Trees over points: who is near, who is far, without scanning everybody.
//!
//! - `leaves`: points in blocks of vector-friendly layout.
//! - [`BoxTree`]: a tree of boxes over leaves, for points that stay.
//! - [`RemovableTree`]: one from which records are taken, with queries for single records and
//!   for batches of them.
//! - [`PricedTree`]: the few points of a box tree of least distance plus price.
//! - [`GroupIndex`]: records in groups, and the group nearest to a record.
//!
//! Answers equal those of a linear scan to the last tie.

pub(crate) mod box_tree;
mod cheapest;
mod group_index;
pub(crate) mod leaves;
mod removable_tree;

pub(crate) use box_tree::BoxTree;
pub(crate) use cheapest::{Offer, PricedTree};
pub(crate) use group_index::GroupIndex;
pub(crate) use removable_tree::{ANY, Neighbor, QueryBatch, RemovableTree};
