//! The release of one node.

use super::Hierarchy;
use super::domain::Domain;
use crate::dataset::{Categorical, Dataset, Values};
use crate::error::{Error, Result};

/// `data` with every quasi-identifier on the level that `node` gives it, in the order of
/// `hierarchies`; other attributes stay as they are.
///
/// On level 0 a column stays as it is, above it holds names. A missing value stays missing
/// unless the [`Hierarchy`] names it. Fails on a value that is not covered and on levels that
/// do not exist. Cost: O(records) per quasi-identifier.
pub fn generalise(data: &Dataset, hierarchies: &[Hierarchy], node: &[usize]) -> Result<Dataset> {
    if node.len() != hierarchies.len() {
        let problem = format!("but there are {} quasi-identifiers", hierarchies.len());
        return Err(Error::parameter("node", format!("{node:?}"), problem));
    }
    let mut columns = Vec::new();
    for (hierarchy, &level) in hierarchies.iter().zip(node) {
        if level >= hierarchy.levels() {
            let problem = format!("but the highest is {}", hierarchy.levels() - 1);
            let name = format!("level of {}", hierarchy.attribute());
            return Err(Error::parameter(name, level, problem));
        }
        let domain = Domain::new(data, hierarchy)?;
        if level > 0 {
            let position = data.position(hierarchy.attribute())?;
            columns.push((position, column(&domain, hierarchy, level)));
        }
    }
    Ok(data.with_columns(columns))
}

/// The names of all records on `level`.
fn column(domain: &Domain, hierarchy: &Hierarchy, level: usize) -> Values {
    let raised = domain.raised(0, level);
    let name = |code: &u32| {
        let origin = domain.origin[level][raised[*code as usize] as usize];
        origin.map(|code| hierarchy.names(level)[code as usize].as_str())
    };
    Values::Categorical(Categorical::nominal(domain.records.iter().map(name)))
}
