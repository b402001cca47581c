//! `kind = "information-loss"`: what microaggregation loses on several files.

use super::{ExperimentCell, ExperimentKind, Job};
use crate::dataset::Dataset;
use crate::error::Result;
use crate::experiment::record::{CellRecord, recorded};
use crate::experiment::results::{Findings, NamedTable};
use crate::experiment::specification::{DataDigest, KeyTable, Problems, data_file, known_numeric};
use crate::protection::Method;
use crate::protection::microaggregation::Mdav;
use crate::table::Table;
use crate::utility::Utility;

/// MDAV on all attributes of several files.
#[derive(Debug)]
struct InformationLossExperiment {
    citation: String,
    files: Vec<LossFile>,
}

/// One file and the loss published for some k.
#[derive(Debug)]
struct LossFile {
    data: Dataset,
    sha256: String,
    attributes: Vec<String>,
    published: Vec<(usize, f64)>,
}

/// Reads the keys of this kind.
pub(super) fn read(whole: &mut KeyTable<'_>, to: &Problems) -> Option<Box<dyn ExperimentKind>> {
    let citation: Option<String> = whole.needed("citation", "where the numbers were published");
    let sections = whole.list("file");
    if sections.is_empty() {
        to.say("file is missing; declare at least one [[file]]");
    }
    let files: Vec<Option<LossFile>> = sections.into_iter().map(|s| read_file(s, to)).collect();
    let files = files.into_iter().collect::<Option<_>>()?;
    Some(Box::new(InformationLossExperiment { citation: citation?, files }))
}

fn read_file(mut section: KeyTable<'_>, to: &Problems) -> Option<LossFile> {
    let places = ["data", "attributes", "k", "published"].map(|key| section.key(key));
    let name: Option<String> = section.needed("data", "a file, or the name of a built-in one");
    let names: Option<Vec<String>> = section.take("attributes");
    let k: Option<Vec<usize>> = section.needed("k", "a list of group sizes");
    let published: Option<Vec<f64>> = section.needed("published", "a loss in percent for each k");
    section.finish();
    let (data, sha256) = data_file(&places[0], &name?, to)?;
    let attributes = match names {
        Some(names) => known_numeric(&places[1], &names, &data, to),
        None => data.default_numeric_attributes(),
    };
    let (k, published) = (k?, published?);
    if let Some(small) = k.iter().find(|k| **k < 2 || **k > data.records()) {
        let problem = format!("but {} allows 2 to {}", data.name(), data.records());
        to.add(&places[2], small, problem);
    }
    if k.len() != published.len() {
        let problem = format!("numbers, but k has {}; give one for each k", k.len());
        to.add(&places[3], published.len(), problem);
    }
    Some(LossFile { data, sha256, attributes, published: k.into_iter().zip(published).collect() })
}

fn mdav(k: usize) -> Method {
    Method::Mdav(Mdav::new(k))
}

impl InformationLossExperiment {
    /// Every file with each of its k and the loss published for it.
    fn all_cells(&self) -> Vec<(&LossFile, usize, f64)> {
        let mut cells = Vec::new();
        for file in &self.files {
            cells.extend(file.published.iter().map(|&(k, published)| (file, k, published)));
        }
        cells
    }
}

impl ExperimentKind for InformationLossExperiment {
    fn data(&self) -> Vec<DataDigest> {
        self.files.iter().map(|file| DataDigest::new(file.data.name(), &file.sha256)).collect()
    }

    fn cells(&self, _quick: bool) -> Vec<ExperimentCell> {
        let cell = |(file, k, _): (&LossFile, usize, f64)| ExperimentCell {
            name: format!("{}-{k}", file.data.name()),
            method: "mdav".into(),
            parameters: mdav(k).parameters().to_string(),
            records: file.data.records(),
            runs: 1,
        };
        self.all_cells().into_iter().map(cell).collect()
    }

    fn run(&self, job: Job) -> Result<serde_json::Value> {
        let (file, k, _) = self.all_cells()[job.cell];
        recorded(&file.loss(k)?)
    }

    fn findings(&self, records: &[CellRecord], _quick: bool) -> Result<Findings> {
        let mut grid = Table::new(["data", "k", "ours", "published", "difference"]);
        let mut agreeing = 0;
        for ((file, k, published), record) in self.all_cells().into_iter().zip(records) {
            let ours = record.typed::<f64>()?.found;
            agreeing += usize::from(format!("{ours:.2}") == format!("{published:.2}"));
            grid.row([
                file.data.name().to_owned(),
                k.to_string(),
                format!("{ours:.4}"),
                published.to_string(),
                format!("{:+.4}", ours - published),
            ]);
        }
        let all = records.len();
        Ok(Findings {
            citation: Some(self.citation.clone()),
            summary: vec![format!("{agreeing} of {all} equal the published two decimals")],
            tables: vec![NamedTable::new("table", "SSE/SST in percent, z-scored", grid)],
            ..Findings::default()
        })
    }
}

impl LossFile {
    /// SSE/SST in percent of MDAV with groups of `k`.
    fn loss(&self, k: usize) -> Result<f64> {
        let release = mdav(k).protect(&self.data, &self.attributes, 1, &())?;
        let utility = Utility::measure(&self.data, &release.released, &self.attributes)?;
        Ok(utility.il_percent)
    }
}
