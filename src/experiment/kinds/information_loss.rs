//! `kind = "information-loss"`: what microaggregation loses on several files.

use super::{ListedCell, Study};
use crate::dataset::Dataset;
use crate::error::Result;
use crate::experiment::check::{Problems, Section};
use crate::experiment::results::{Findings, NamedTable};
use crate::experiment::specification::{data_file, known_positions};
use crate::listener::Listener;
use crate::protection::Method;
use crate::protection::microaggregation::Mdav;
use crate::table::Table;
use crate::utility::Utility;
use std::time::Instant;

/// MDAV on all attributes of several files.
#[derive(Debug)]
struct InformationLoss {
    citation: String,
    files: Vec<File>,
}

/// One file and the loss published for some k.
#[derive(Debug)]
struct File {
    data: Dataset,
    sha256: String,
    positions: Vec<usize>,
    published: Vec<(usize, f64)>,
}

/// Reads the keys of this kind.
pub(super) fn read(whole: &mut Section<'_>, to: &Problems) -> Option<Box<dyn Study>> {
    let citation: Option<String> = whole.needed("citation", "where the numbers were published");
    let sections = whole.list("file");
    if sections.is_empty() {
        to.say("file is missing; declare at least one [[file]]");
    }
    let files: Vec<Option<File>> = sections.into_iter().map(|s| read_file(s, to)).collect();
    let files = files.into_iter().collect::<Option<_>>()?;
    Some(Box::new(InformationLoss { citation: citation?, files }))
}

fn read_file(mut section: Section<'_>, to: &Problems) -> Option<File> {
    let places = ["data", "attributes", "k", "published"].map(|key| section.key(key));
    let name: Option<String> = section.needed("data", "a file, or the name of a built-in one");
    let names: Option<Vec<String>> = section.take("attributes");
    let k: Option<Vec<usize>> = section.needed("k", "a list of group sizes");
    let published: Option<Vec<f64>> = section.needed("published", "a loss in percent for each k");
    section.finish();
    let (data, sha256) = data_file(&places[0], &name?, to)?;
    let positions = match names {
        Some(names) => known_positions(&places[1], &names, &data, to),
        None => data.default_numeric_positions().unwrap_or_default(),
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
    Some(File { data, sha256, positions, published: k.into_iter().zip(published).collect() })
}

fn mdav(k: usize) -> Method {
    Method::Mdav(Mdav::new(k))
}

impl Study for InformationLoss {
    fn cells(&self) -> Vec<ListedCell> {
        let cell = |file: &File, k: usize| ListedCell {
            name: format!("{}-{k}", file.data.name()),
            method: "mdav".into(),
            parameters: mdav(k).parameters().to_string(),
            records: file.data.records(),
            runs: 1,
        };
        let of_file = |file| group_sizes(file).map(move |k| cell(file, k));
        self.files.iter().flat_map(of_file).collect()
    }

    fn run(&self, _quick: bool, listener: &dyn Listener) -> Result<Findings> {
        let mut grid = Table::new(["data", "k", "ours", "published", "difference"]);
        let (mut timing, mut agreeing) = (Vec::new(), 0);
        let cells = self.cells().len();
        for file in &self.files {
            for (k, published) in &file.published {
                let started = Instant::now();
                let ours = file.loss(*k)?;
                let name = file.data.name();
                let difference = ours - published;
                agreeing += usize::from(format!("{ours:.2}") == format!("{published:.2}"));
                grid.row([
                    name.to_owned(),
                    k.to_string(),
                    format!("{ours:.4}"),
                    published.to_string(),
                    format!("{difference:+.4}"),
                ]);
                timing.push((format!("{name}-{k}"), started.elapsed().as_secs_f64()));
                listener.advance(1, cells as u64);
            }
        }
        let title = "SSE/SST in percent, z-scored".into();
        Ok(Findings {
            citation: Some(self.citation.clone()),
            summary: vec![format!("{agreeing} of {cells} equal the published two decimals")],
            tables: vec![NamedTable { name: "table".into(), title, grid }],
            files: Vec::new(),
            data: self.files.iter().map(|f| (f.data.name().into(), f.sha256.clone())).collect(),
            timing,
        })
    }
}

/// The group sizes of a file.
fn group_sizes(file: &File) -> impl Iterator<Item = usize> + '_ {
    file.published.iter().map(|(k, _)| *k)
}

impl File {
    /// SSE/SST in percent of MDAV with groups of `k`.
    fn loss(&self, k: usize) -> Result<f64> {
        let names = self.data.names(&self.positions);
        let release = mdav(k).protect(&self.data, &names, 1, &())?;
        let utility = Utility::measure(&self.data, &release.released, &names)?;
        Ok(utility.il_percent)
    }
}
