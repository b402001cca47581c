//! A study's table as declared in TOML, typed and checked before anything runs.

use super::cell::{Cell, cells};
use super::check::{Problems, Section};
use super::published::{Measure, Published, published};
use crate::dataset::{Dataset, ReadOptions, catalog};
use crate::error::{Error, Result};
use crate::files;
use crate::learning::SolverChoice;
use serde::{Deserialize, Serialize};
use std::path::Path;
use toml::Table;

/// One table or figure of a study: `experiments/<study>/<table>.toml`.
#[derive(Debug)]
pub struct Specification {
    /// File, study and table, title and reading.
    pub heading: Heading,
    /// The original file.
    pub data: Dataset,
    /// SHA-256 of the original file.
    pub data_sha256: String,
    /// The attributes the attacker knows.
    pub known: Vec<String>,
    /// How records are drawn.
    pub sample: Sample,
    /// What is run on every sample.
    pub attacks: Attacks,
    /// Who looks for the worst case.
    pub solver: SolverChoice,
    /// Where the search stops short of a proof, in nodes. There is no time limit:
    /// what it gives depends on the machine.
    pub nodes: Option<u64>,
    /// One cell for each protection and value of its parameter.
    pub cells: Vec<Cell>,
    /// The published numbers.
    pub published: Option<Published>,
    /// What `plot.svg` shows.
    pub plot: Plot,
}

/// How records are drawn, run by run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sample {
    /// Records drawn without replacement after the whole file was protected.
    pub records: usize,
    /// Other records on which the learned weights are tested.
    pub held_out: Option<usize>,
    /// Runs of each cell.
    pub runs: usize,
    /// Runs of each cell with `--quick`.
    pub quick_runs: usize,
    /// Seed of the study.
    pub seed: u64,
}

/// What is run on every sample, besides DBRL1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Attacks {
    /// Learn the worst case.
    pub worst_case: bool,
    /// Link by each known attribute alone.
    pub single: bool,
}

/// The attacks by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum AttackName {
    Dbrl1,
    WorstCase,
    Single,
}

/// What `plot.svg` shows.
#[derive(Debug, Clone, PartialEq)]
pub enum Plot {
    /// Ours beside the published rates, cell by cell.
    Rates,
    /// Original against released values of one attribute, a panel for each cell.
    Values {
        /// The attribute.
        attribute: String,
    },
    /// The gain of the worst case over DBRL1 against the unlinked records, for all
    /// runs, and the means of some protections; `timing.svg` shows the times alike.
    Improvement {
        /// The protections of the second panel.
        highlight: Vec<String>,
    },
}

impl Specification {
    /// Reads `file` and everything it names; all problems are told at once.
    pub fn load(file: &str) -> Result<Self> {
        let (text, table) = parsed(file)?;
        checked(file, table, |whole, problems| {
            let heading = Heading::take(file, &text, whole);
            read(heading, whole, problems)
        })
    }

    /// Runs of each cell.
    pub fn runs(&self, quick: bool) -> usize {
        if quick { self.sample.quick_runs } else { self.sample.runs }
    }

    /// The quantities that the runs measure.
    pub fn measures(&self) -> Vec<Measure> {
        let mut measures = vec![Measure::Dbrl1];
        if self.attacks.worst_case {
            measures.push(Measure::WorstCase);
        }
        if self.sample.held_out.is_some() {
            measures.push(Measure::HeldOutDbrl1);
        }
        if self.sample.held_out.is_some() && self.attacks.worst_case {
            measures.push(Measure::HeldOutWorstCase);
        }
        if self.attacks.single {
            measures.extend(self.known.iter().cloned().map(Measure::Single));
        }
        if self.attacks.worst_case {
            measures.extend(self.known.iter().cloned().map(Measure::Weight));
        }
        measures
    }
}

/// What every specification begins with, whatever its kind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Heading {
    /// The file as the user named it.
    pub file: String,
    /// Name of the file's folder.
    pub study: String,
    /// Name of the file without its extension.
    pub table: String,
    /// SHA-256 of the file.
    pub sha256: String,
    /// Heading of the results.
    pub title: String,
    /// Which reading of the publication this is.
    pub reading: String,
}

impl Heading {
    /// Takes `kind`, `title` and `reading` out of the whole file.
    pub(crate) fn take(file: &str, text: &str, whole: &mut Section<'_>) -> Option<Self> {
        let _: Option<String> = whole.take("kind");
        let title: Option<String> = whole.needed("title", "a heading for the results");
        let reading: Option<String> = whole.take("reading");
        let path = Path::new(file);
        Some(Self {
            file: file.to_owned(),
            study: folder_name(path),
            table: path.file_stem()?.to_string_lossy().into_owned(),
            sha256: files::sha256(text.as_bytes()),
            title: title?,
            reading: reading.unwrap_or_default(),
        })
    }
}

/// The text of a specification and its keys.
pub(crate) fn parsed(file: &str) -> Result<(String, Table)> {
    let path = Path::new(file);
    let text = std::fs::read_to_string(path).map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => {
            let problem = "no such file; name a specification such as experiments/demo/noise.toml";
            Error::input(file, problem)
        }
        _ => Error::io(path, error),
    })?;
    let table = toml::from_str(&text).map_err(|error| syntax(file, &text, &error))?;
    Ok((text, table))
}

/// What `read` makes of the keys of `file`; all problems are told at once, keys
/// that it did not ask for among them.
pub(crate) fn checked<T>(
    file: &str,
    table: Table,
    read: impl FnOnce(&mut Section<'_>, &Problems) -> Option<T>,
) -> Result<T> {
    let problems = Problems::new(file);
    let mut whole = Section::whole(table, &problems);
    let found = read(&mut whole, &problems);
    whole.finish();
    problems.into_result()?;
    found.ok_or_else(|| Error::Internal(format!("{file} was refused without a reason")))
}

fn syntax(file: &str, text: &str, error: &toml::de::Error) -> Error {
    let before = error.span().and_then(|span| text.get(..span.start)).unwrap_or_default();
    let line = before.matches('\n').count() + 1;
    Error::input(format!("{file}: line {line}"), error.message().replace('\n', "; "))
}

fn read(heading: Option<Heading>, whole: &mut Section<'_>, to: &Problems) -> Option<Specification> {
    let data = read_data(whole.section("data"), to);
    let sample = read_sample(whole.section("sample"), data.as_ref(), to);
    let attacks = read_attacks(whole.take("attacks"), to);
    let (solver, nodes) = read_solver(whole.section("solver"), to);
    let protections = whole.list("protection");
    if protections.is_empty() {
        to.say("protection is missing; declare at least one [[protection]]");
    }
    let Some(data) = data else {
        // Without the data no protection can be checked; ask for the keys all the same.
        let _ = (whole.value("published"), whole.value("plot"));
        return None;
    };
    let cells: Vec<Cell> = protections
        .into_iter()
        .flat_map(|section| cells(section, &data.dataset, &data.attributes, to))
        .collect();
    check_names(&cells, to);
    let names: Vec<&str> = cells.iter().map(|cell| cell.name.as_str()).collect();
    let published = published(whole.section("published"), &names, &data.known, to);
    let plot = read_plot(whole.section("plot"), &cells, &data.dataset, to);
    Some(Specification {
        heading: heading?,
        data: data.dataset,
        data_sha256: data.sha256,
        known: data.known,
        sample: sample?,
        attacks: attacks?,
        solver,
        nodes,
        cells,
        published,
        plot: plot?,
    })
}

/// Name of the folder that `path` stands in.
fn folder_name(path: &Path) -> String {
    let absolute = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let folder = absolute.parent().and_then(Path::file_name);
    folder.map_or_else(|| "study".into(), |name| name.to_string_lossy().into_owned())
}

/// The `[data]` part.
struct Data {
    dataset: Dataset,
    sha256: String,
    attributes: Vec<usize>,
    known: Vec<String>,
}

fn read_data(mut section: Section<'_>, to: &Problems) -> Option<Data> {
    let file: Option<String> = section.needed("file", "a file, or the name of a built-in one");
    let names: Option<Vec<String>> = section.take("attributes");
    let known: Option<usize> = section.take("known");
    let place = |key| format!("data.{key}");
    section.finish();
    let file = file?;
    let (dataset, sha256) = data_file(&place("file"), &file, to)?;
    let named = names.as_ref().map(Vec::len);
    let attributes = match names {
        Some(names) => known_positions(&place("attributes"), &names, &dataset, to),
        None => dataset.default_numeric_positions().unwrap_or_default(),
    };
    let most = named.unwrap_or(attributes.len());
    let count = known.unwrap_or(most);
    if count == 0 || count > most {
        let problem = format!("but the attacker knows 1 to {most} attributes");
        to.add(&place("known"), count, problem);
    }
    let first = attributes.iter().take(count);
    let known = first.map(|&i| dataset.attributes()[i].name.clone()).collect();
    Some(Data { dataset, sha256, attributes, known })
}

/// The data `file` that the key `place` names, and its SHA-256.
pub(crate) fn data_file(place: &str, file: &str, to: &Problems) -> Option<(Dataset, String)> {
    match Dataset::load(file, &ReadOptions::default()) {
        Err(error) => {
            to.add(place, format!("{file:?}"), format!("which cannot be used: {error}"));
            None
        }
        Ok(dataset) => {
            let sha256 = match catalog::find(file) {
                Some(built_in) if !Path::new(file).exists() => built_in.sha256.to_owned(),
                _ => files::sha256(&std::fs::read(file).unwrap_or_default()),
            };
            Some((dataset, sha256))
        }
    }
}

/// Positions of the numeric attributes `names`; every unknown one is noted.
pub(crate) fn known_positions(
    place: &str,
    names: &[String],
    data: &Dataset,
    to: &Problems,
) -> Vec<usize> {
    let mut positions = Vec::new();
    for (i, name) in names.iter().enumerate() {
        let place = format!("{place}[{i}]");
        match data.position(name) {
            Err(error) => to.add(&place, format!("{name:?}"), format!("but {error}")),
            Ok(position) if positions.contains(&position) => {
                to.add(&place, format!("{name:?}"), "which is named twice; name it once");
            }
            Ok(position) if !data.attributes()[position].is_numeric() => {
                to.add(&place, format!("{name:?}"), "but it is not numeric; leave it out");
            }
            Ok(position) => positions.push(position),
        }
    }
    positions
}

fn read_sample(mut section: Section<'_>, data: Option<&Data>, to: &Problems) -> Option<Sample> {
    let records: Option<usize> = section.needed("records", "the number of records to draw");
    let runs: Option<usize> = section.needed("runs", "the number of runs of each cell");
    let quick_runs: Option<usize> = section.take("quick_runs");
    let held_out: Option<usize> = section.take("held_out");
    let seed: Option<u64> = section.needed("seed", "a seed such as 2012");
    section.finish();
    let at_least_one = |key: &str, count: Option<usize>| {
        if count == Some(0) {
            to.add(&format!("sample.{key}"), 0, "but at least one run is needed");
        }
    };
    at_least_one("runs", runs);
    at_least_one("quick_runs", quick_runs);
    if let (Some(records), Some(data)) = (records, data) {
        let all = data.dataset.records();
        let left = all.saturating_sub(records);
        if records < 2 || records > all {
            let problem = format!("but {} allows 2 to {all}", data.dataset.name());
            to.add("sample.records", records, problem);
        } else if held_out.is_some_and(|other| other < 2 || other > left) {
            let problem =
                format!("but {left} records are left after drawing {records}; 2 are needed");
            to.add("sample.held_out", held_out.unwrap_or(0), problem);
        }
    }
    let (records, runs) = (records?, runs?);
    let quick_runs = quick_runs.unwrap_or(runs.min(2)).min(runs);
    Some(Sample { records, held_out, runs, quick_runs, seed: seed? })
}

fn read_attacks(names: Option<Vec<AttackName>>, to: &Problems) -> Option<Attacks> {
    let names = names.unwrap_or_else(|| vec![AttackName::Dbrl1, AttackName::WorstCase]);
    if !names.contains(&AttackName::Dbrl1) {
        to.say("attacks lacks \"dbrl1\", what every other attack is compared with; add it");
    }
    let has = |name| names.contains(&name);
    Some(Attacks { worst_case: has(AttackName::WorstCase), single: has(AttackName::Single) })
}

fn read_solver(mut section: Section<'_>, to: &Problems) -> (SolverChoice, Option<u64>) {
    let name = section.take("name").unwrap_or_default();
    let nodes: Option<u64> = section.take("nodes");
    if nodes == Some(0) {
        to.add("solver.nodes", 0, "but a search needs at least one node; leave it out for none");
    }
    section.finish();
    (name, nodes)
}

fn read_plot(
    mut section: Section<'_>,
    cells: &[Cell],
    data: &Dataset,
    to: &Problems,
) -> Option<Plot> {
    let kind: String = section.take("kind").unwrap_or_else(|| "rates".into());
    let plot = match kind.as_str() {
        "rates" => Some(Plot::Rates),
        "values" => {
            let attribute: Option<String> = section.needed("attribute", "the attribute to show");
            let known = attribute.iter().cloned().collect::<Vec<_>>();
            known_positions("plot.attribute", &known, data, to);
            attribute.map(|attribute| Plot::Values { attribute })
        }
        "improvement" => {
            let highlight: Vec<String> = section.take("highlight").unwrap_or_default();
            for name in highlight.iter().filter(|n| !cells.iter().any(|c| c.protection == **n)) {
                to.add("plot.highlight", format!("{name:?}"), "but no protection has that name");
            }
            Some(Plot::Improvement { highlight })
        }
        other => {
            let problem = "but a plot shows rates, values or improvement";
            to.add("plot.kind", format!("{other:?}"), problem);
            return None;
        }
    };
    section.finish();
    plot
}

fn check_names(cells: &[Cell], to: &Problems) {
    for (i, cell) in cells.iter().enumerate() {
        if cells[..i].iter().any(|other| other.name == cell.name) {
            let problem = "is declared twice; give the protections different names or parameters";
            to.say(format!("the cell {} {problem}", cell.name));
        }
    }
}
