//! The nodes of a lattice as a file.

use super::{Hierarchy, NodeRecord};
use crate::dataset::{Attribute, Dataset};
use crate::error::Result;

/// One row per node: `<attribute>_level` for each quasi-identifier, `k`, `classes`, `samarati`,
/// `precision`, `dm_star`, `k_anonymous` (at least `k`); with `details` also `largest`,
/// `suppressed`, `discernibility`, `entropy` and `satisfied`.
pub fn nodes_table(
    hierarchies: &[Hierarchy],
    nodes: &[NodeRecord],
    k: usize,
    details: bool,
) -> Result<Dataset> {
    let numbers = |name: &str, value: &dyn Fn(&NodeRecord) -> f64| {
        Attribute::numeric(name, nodes.iter().map(value).collect())
    };
    let flags = |name: &str, value: &dyn Fn(&NodeRecord) -> bool| {
        let text = |node| if value(node) { "true" } else { "false" };
        Attribute::nominal(name, nodes.iter().map(|node| Some(text(node))))
    };
    let level = |(i, hierarchy): (usize, &Hierarchy)| {
        let name = format!("{}_level", hierarchy.attribute());
        numbers(&name, &|node| node.levels[i] as f64)
    };
    let mut columns: Vec<Attribute> =
        hierarchies.iter().enumerate().map(level).collect::<Result<_>>()?;
    columns.push(numbers("k", &|node| node.k as f64)?);
    columns.push(numbers("classes", &|node| node.classes as f64)?);
    columns.push(numbers("samarati", &|node| node.samarati as f64)?);
    columns.push(numbers("precision", &|node| node.precision)?);
    columns.push(numbers("dm_star", &|node| node.dm_star as f64)?);
    columns.push(flags("k_anonymous", &|node| node.k >= k));
    if details {
        columns.push(numbers("largest", &|node| node.largest as f64)?);
        columns.push(numbers("suppressed", &|node| node.suppressed as f64)?);
        columns.push(numbers("discernibility", &|node| node.discernibility as f64)?);
        columns.push(numbers("entropy", &|node| node.entropy)?);
        columns.push(flags("satisfied", &|node| node.satisfied));
    }
    Dataset::new("nodes", columns)
}
