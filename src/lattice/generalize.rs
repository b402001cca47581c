//! The release of one node.

use super::criteria::Judge;
use super::domain::CodeDomain;
use super::{Criteria, Hierarchy};
use crate::anonymity::EquivalenceClasses;
use crate::dataset::{Attribute, Categorical, Dataset, Values};
use crate::error::{Error, Result};

/// `data` with every quasi-identifier on the level that `node` gives it, in the order of
/// `hierarchies`; other attributes stay as they are.
///
/// On level 0 a column stays as it is, above it holds names. A missing value stays missing
/// unless the [`Hierarchy`] names it. Fails on a value that is not covered and on levels that
/// do not exist. Cost: O(records) per quasi-identifier.
pub fn generalize(data: &Dataset, hierarchies: &[Hierarchy], node: &[usize]) -> Result<Dataset> {
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
        let domain = CodeDomain::new(data, hierarchy)?;
        if level > 0 {
            let position = data.position(hierarchy.attribute())?;
            columns.push((position, column(&domain, hierarchy, level)));
        }
    }
    Ok(data.with_columns(columns))
}

/// The names of all records on `level`.
fn column(domain: &CodeDomain, hierarchy: &Hierarchy, level: usize) -> Values {
    let raised = domain.raised(0, level);
    let name = |code: &u32| {
        let origin = domain.origin[level][raised[*code as usize] as usize];
        origin.map(|code| hierarchy.names(level)[code as usize].as_str())
    };
    Values::Categorical(Categorical::nominal(domain.records.iter().map(name)))
}

/// What stands for the quasi-identifiers of a suppressed record.
const SUPPRESSED: &str = "*";

/// As [`generalize()`], with `*` for the quasi-identifiers of records in classes that fail
/// `criteria`. How many may fail is not looked at.
pub fn release(
    data: &Dataset,
    hierarchies: &[Hierarchy],
    node: &[usize],
    criteria: &Criteria,
) -> Result<Dataset> {
    let released = generalize(data, hierarchies, node)?;
    let quasi: Vec<&str> = hierarchies.iter().map(Hierarchy::attribute).collect();
    let judge = Judge::new(data, &quasi, criteria)?;
    let mut kept = vec![true; data.records()];
    for class in EquivalenceClasses::new(&released, &quasi)?.iter() {
        let values = class.iter().map(|&i| (judge.combination[i as usize], 1));
        if !judge.passes(class.len(), values) {
            class.iter().for_each(|&i| kept[i as usize] = false);
        }
    }
    if kept.iter().all(|kept| *kept) {
        return Ok(released);
    }
    let columns = released.positions(&quasi)?.into_iter().map(|position| {
        let column = suppress(&released.attributes()[position], &kept);
        (position, Values::Categorical(column))
    });
    Ok(released.with_columns(columns))
}

/// The values as labels, `*` where a record is not kept.
fn suppress(attribute: &Attribute, kept: &[bool]) -> Categorical {
    let label = |i: usize| match &attribute.values {
        _ if attribute.is_generalized(i) => Some(SUPPRESSED.into()),
        Values::Numeric(column) => column.text(i),
        Values::Categorical(column) => column.get(i).map(str::to_owned),
    };
    let shown = |(i, kept): (usize, &bool)| if *kept { label(i) } else { Some(SUPPRESSED.into()) };
    Categorical::nominal(kept.iter().enumerate().map(shown))
}
