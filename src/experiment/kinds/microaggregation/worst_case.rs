//! What learned weights find: records in a sample of both files, and classes of the whole release.

use crate::anonymity::EquivalenceClasses;
use crate::dataset::Dataset;
use crate::disclosure::ClassLinkage;
use crate::distance::Standardization;
use crate::error::Result;
use crate::experiment::specification::KeyTable;
use crate::learning::{
    Aggregation, Count, Learner, PairRows, RowSet, SolverChoice, WorstCase, worst_case,
};
use crate::linkage::Release;
use serde::{Deserialize, Serialize};
use unmask_solvers::Limits;

/// On how many records, drawn how, worst cases are learned.
#[derive(Debug, Clone, Copy)]
pub(super) struct WorstCaseSample {
    pub records: usize,
    seed: u64,
    /// Where the search for records stops short of a proof.
    nodes: u64,
    /// Where the search for classes does.
    class_nodes: u64,
}

/// How many of the drawn records are found; none where they were not looked for.
#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize)]
pub(super) struct RecordsFound {
    /// By equal weights on all attributes.
    pub equal_weights: usize,
    /// By the best weights that the search met.
    pub learned: usize,
    /// No weights find more: proven.
    pub no_more: usize,
}

/// What linkage finds at the worst; nothing in a release of equal records.
#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize)]
pub(super) struct WorstCases {
    /// Own records, both files holding the sample only, as in Abril, Navarro-Arribas and
    /// Torra (2012): most twins are not drawn, and do not hide a record.
    pub record: RecordsFound,
    /// Own classes of the whole release, in which every record has twins.
    pub class: RecordsFound,
    /// Records re-identified on average by guessing within the classes found.
    pub guessed: f64,
}

impl RecordsFound {
    /// Whether the best weights are proven to be the best.
    pub fn is_proven(self) -> bool {
        self.learned == self.no_more
    }
}

impl WorstCaseSample {
    /// Reads `[worst_case]`.
    pub fn read(mut section: KeyTable<'_>) -> Option<Self> {
        let records: Option<usize> = section.needed("records", "the number of records to draw");
        let seed: Option<u64> = section.needed("seed", "a seed such as 2008");
        let nodes: Option<u64> =
            section.needed("nodes", "where the search for records stops short of a proof");
        let class_nodes: Option<u64> =
            section.needed("class_nodes", "where the search for classes stops short of a proof");
        section.finish();
        Some(Self { records: records?, seed: seed?, nodes: nodes?, class_nodes: class_nodes? })
    }

    /// The worst cases of a release on the attributes `names`.
    pub fn search(&self, release: &Release, names: &[String]) -> Result<WorstCases> {
        let sample = release.sample(self.records, self.seed)?;
        let (record, _) = find(&sample, names, Standardization::Own, self.nodes)?;
        let known = release.known(self.records, self.seed)?;
        let classes = ClassLinkage::new(&known, names)?;
        let (class, found) =
            find(&classes.release, names, Standardization::Original, self.class_nodes)?;
        let guessed = found.map_or(0.0, |found| classes.guessed(&found.reidentified()));
        Ok(WorstCases { record, class, guessed })
    }
}

/// The attributes that vary in both files: others cannot be standardized.
fn varying(release: &Release, names: &[String]) -> Result<Vec<String>> {
    let mut varying = Vec::new();
    for name in names {
        let varies = |file: &Dataset| -> Result<bool> {
            let mut values = file.numeric(name, "the worst case")?.present();
            let first = values.next();
            Ok(values.any(|value| Some(value) != first))
        };
        if varies(release.original())? && varies(release.released())? {
            varying.push(name.clone());
        }
    }
    Ok(varying)
}

/// What equal and learned weights find of `release`, on the attributes that vary in it.
fn find(
    release: &Release,
    names: &[String],
    standardization: Standardization<'_>,
    nodes: u64,
) -> Result<(RecordsFound, Option<WorstCase>)> {
    let learner = Learner {
        standardization,
        aggregation: Aggregation::WeightedMean,
        count: Count::Certain,
        solver: SolverChoice::Exact,
        rows: RowSet::Auto,
        limits: Limits { time: None, nodes: Some(nodes), threads: Some(1) },
        certificates: None,
    };
    // Where all drawn records are in one group nobody is told apart.
    if EquivalenceClasses::new(release.released(), names)?.len() < 2 {
        return Ok((RecordsFound::default(), None));
    }
    let names = &varying(release, names)?;
    let found = worst_case(release, names, &learner, &())?;
    let rows = PairRows::new(release, names, standardization, Aggregation::WeightedMean)?;
    let equal = rows.reidentified(&vec![1.0; rows.dimension()], &())?;
    let counts = RecordsFound {
        equal_weights: equal.iter().filter(|found| **found).count(),
        learned: found.certain(),
        no_more: found.upper_bound() as usize,
    };
    Ok((counts, Some(found)))
}
