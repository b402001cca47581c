//! What is seen before any attack: files that do not belong together are refused.

use super::translation::{refuse_renamed, refuse_translated};
use super::{CertainValues, Correspondence, Coverage, Pairing, in_original_order};
use crate::dataset::{Dataset, Values};
use crate::error::{Error, Result};
use crate::linkage::Release;
use crate::listener::Listener;

/// Attributes that weights are learned for, at most.
const MOST_WEIGHTS: usize = unmask_solvers::MAX_DIMENSION;

/// How a release is examined.
pub(super) struct Examination<'a> {
    /// The column that says which records belong together.
    pub key: Option<&'a str>,
    /// What is drawn depends on it alone.
    pub seed: u64,
    /// True where rows are said to belong together, whatever they look like.
    pub insisted: bool,
}

/// What is seen before any attack.
pub(super) struct Examined {
    pub coverage: Coverage,
    pub correspondence: Correspondence,
    pub certain_values: Vec<CertainValues>,
    pub in_original_order: bool,
    /// Why records are taken to belong together.
    pub pairing: Pairing,
}

impl Examined {
    /// What to know before trusting a verdict: doubts about rows first, then what identifies by itself.
    pub fn warnings(&self) -> Vec<String> {
        let mut warnings = self.correspondence.sentences(self.pairing);
        warnings.extend(self.coverage.sentences());
        warnings.extend(self.certain_values.iter().filter_map(CertainValues::sentence));
        if self.in_original_order {
            warnings.push(
                "The release is in the original's order of rows: who has the original finds \
                 everybody by counting. Shuffle it before publication."
                    .into(),
            );
        }
        warnings
    }
}

impl Examination<'_> {
    fn pairing(&self) -> Pairing {
        match (self.insisted, self.key) {
            (true, _) => Pairing::Insisted,
            (false, Some(_)) => Pairing::Key,
            (false, None) => Pairing::Rows,
        }
    }

    /// What must be known before any verdict on `names`; refuses files that do not belong together.
    ///
    /// Cost: some passes over each column; an interrupt ends it between them.
    pub fn of(
        &self,
        release: &Release,
        names: &[String],
        listener: &dyn Listener,
    ) -> Result<Examined> {
        check_attributes(release, names)?;
        release.check_labels(names)?;
        let correspondence = Correspondence::test(release, names, self.seed, listener)?;
        if !self.insisted {
            correspondence.refuse(release, self.pairing())?;
        }
        let coverage = Coverage::of(release, names, self.key)?;
        refuse_renamed(release, self.key, &coverage)?;
        if_wanted(listener, || refuse_translated(release, names, self.seed))?;
        Ok(Examined {
            coverage,
            certain_values: if_wanted(listener, || CertainValues::of(release, names))?,
            in_original_order: if_wanted(listener, || Ok(in_original_order(release)))?,
            correspondence,
            pairing: self.pairing(),
        })
    }
}

/// `job`, unless an interrupt came before it.
pub(super) fn if_wanted<T>(listener: &dyn Listener, job: impl FnOnce() -> Result<T>) -> Result<T> {
    if listener.interrupted() { Err(Error::Interrupted) } else { job() }
}

/// Fails before anything is computed when no attribute tells anything, or there are too many.
pub(super) fn check_attributes(release: &Release, names: &[String]) -> Result<()> {
    let refuse = |problem: String| Err(Error::input(release.released().name(), problem));
    match names.len() {
        0 if release.records() < 2 => refuse(
            "it holds one record: whoever knows that the person is in it has found it".into(),
        ),
        0 => refuse(
            "every attribute to attack is constant here and tells nothing; name others with \
             `attributes`"
                .into(),
        ),
        many => check_count(release, many),
    }
}

/// Fails when weights cannot be learned for so many attributes.
pub(super) fn check_count(release: &Release, attributes: usize) -> Result<()> {
    if attributes <= MOST_WEIGHTS {
        return Ok(());
    }
    let problem = format!(
        "{attributes} attributes to attack, but weights are learned for at most {MOST_WEIGHTS}; \
         name fewer with `attributes`"
    );
    Err(Error::input(release.released().name(), problem))
}

/// Those of `names` that vary in `released`, and those that do not.
pub(super) fn split_constant(
    released: &Dataset,
    names: Vec<String>,
) -> Result<(Vec<String>, Vec<String>)> {
    let mut split = (Vec::new(), Vec::new());
    for name in names {
        match varies(released.values(&name)?) {
            true => split.0.push(name),
            false => split.1.push(name),
        }
    }
    Ok(split)
}

/// True unless every cell is the same: the same value, missing, or generalized.
fn varies(values: &Values) -> bool {
    match values {
        Values::Numeric(column) => {
            let cell = |i: usize| (column.get(i).map(f64::to_bits), column.is_generalized(i));
            (1..column.len()).any(|i| cell(i) != cell(0))
        }
        Values::Categorical(column) => {
            let cell = |i: usize| (column.code(i), column.is_generalized(i));
            (1..column.len()).any(|i| cell(i) != cell(0))
        }
    }
}
