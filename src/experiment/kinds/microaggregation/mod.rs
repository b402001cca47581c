//! `kind = "microaggregation"`: MDAV, V-MDAV and l-diverse V-MDAV side by side.
//!
//! For every file, method and k: what the release loses (SSE/SST on the
//! quasi-identifiers), what it discloses (distance-linkage disclosure, the worst
//! case over all weights, the homogeneity attack), and what it costs.

mod claims;
mod plots;
mod time;
mod worst_case;

use super::{ExperimentCell, ExperimentKind, Job};
use crate::anonymity::{Diversity, Homogeneity, LevelRule, Levels, homogeneity_attack};
use crate::dataset::Dataset;
use crate::disclosure::distance_linkage_disclosure;
use crate::error::Result;
use crate::experiment::record::{CellRecord, recorded};
use crate::experiment::results::{Findings, NamedTable, seconds_table};
use crate::experiment::specification::{DataDigest, KeyTable, Problems, data_file, known_numeric};
use crate::linkage::Release;
use crate::protection::microaggregation::{LDiverseVMdav, Mdav, VMdav};
use crate::protection::{Method, Protected};
use crate::table::Table;
use crate::utility::Utility;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;
use worst_case::{WorstCaseSample, WorstCases};

/// The experiment as declared.
#[derive(Debug)]
struct MicroaggregationExperiment {
    citation: String,
    k: Vec<usize>,
    gamma: f64,
    levels: Levels,
    diversity: Diversity,
    worst_case: WorstCaseSample,
    refine_iterations: Option<u64>,
    files: Vec<ComparedFile>,
    /// Releases of timed cells that are not measured yet, by the place of the cell.
    releases: Mutex<HashMap<usize, Protected>>,
}

#[derive(Debug)]
struct ComparedFile {
    /// As tables, cells and figures call it: the name of the file without folder and ending.
    name: String,
    data: Dataset,
    sha256: String,
    quasi: Vec<String>,
    sensitive: String,
}

/// The compared methods in the order of the tables.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ComparedMethod {
    Mdav,
    VMdav,
    LDiverse,
}

const METHODS: [ComparedMethod; 3] =
    [ComparedMethod::Mdav, ComparedMethod::VMdav, ComparedMethod::LDiverse];

/// One method with one k on one file; `refined` by local search or not.
#[derive(Debug, Clone, Copy)]
struct ComparedCell {
    file: usize,
    method: ComparedMethod,
    refined: bool,
    k: usize,
}

/// Times are means of so many, as in the paper.
const TIMINGS: usize = 5;

/// The first run of a cell, with nothing beside it, takes the time.
const TIMED_RUN: usize = 1;

/// The second measures the release, beside others.
const MEASURING_RUN: usize = 2;

/// The seed of refinements; the methods themselves draw nothing.
const SEED: u64 = 1;

/// What was measured of a release.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Measures {
    groups: usize,
    largest: usize,
    loss: f64,
    /// Percent; none for a release of equal records, which cannot be linked.
    disclosed: Option<f64>,
    worst_case: WorstCases,
    homogeneity: Homogeneity,
}

/// A cell with what was measured of its release, and the time to make it.
#[derive(Debug, Clone)]
struct Measured {
    cell: ComparedCell,
    found: Measures,
    seconds: f64,
}

/// Reads the keys of this kind.
pub(super) fn read(whole: &mut KeyTable<'_>, to: &Problems) -> Option<Box<dyn ExperimentKind>> {
    let citation: Option<String> = whole.needed("citation", "whose figures these are");
    let k: Option<Vec<usize>> =
        whole.needed("k", "a list of group sizes; l for the l-diverse method");
    let gamma: Option<f64> = whole.needed("gamma", "the gain factor, such as 0.2");
    let count: Option<u32> = whole.needed("levels", "the number of levels of sensitive attributes");
    let rule: LevelRule = whole.take("level_rule").unwrap_or_default();
    let diversity: Diversity = whole.take("diversity").unwrap_or_default();
    let refine_iterations: Option<u64> = whole.take("refine_iterations");
    let worst_case = WorstCaseSample::read(whole.section("worst_case"));
    let sections = whole.list("file");
    if sections.is_empty() {
        to.say("file is missing; declare at least one [[file]]");
    }
    let files: Vec<Option<ComparedFile>> = sections.into_iter().map(|s| read_file(s, to)).collect();
    let mut k = k?;
    k.sort_unstable();
    k.dedup();
    let experiment = MicroaggregationExperiment {
        citation: citation?,
        k,
        gamma: gamma?,
        levels: Levels { count: count?, rule },
        diversity,
        worst_case: worst_case?,
        refine_iterations,
        files: files.into_iter().collect::<Option<_>>()?,
        releases: Mutex::default(),
    };
    experiment.check(to);
    Some(Box::new(experiment))
}

fn read_file(mut section: KeyTable<'_>, to: &Problems) -> Option<ComparedFile> {
    let places = ["data", "sensitive", "attributes"].map(|key| section.key(key));
    let name: Option<String> = section.needed("data", "a file, or the name of a built-in one");
    let sensitive: Option<String> = section.needed("sensitive", "the sensitive attribute");
    let names: Option<Vec<String>> = section.take("attributes");
    section.finish();
    let (data, sha256) = data_file(&places[0], &name?, to)?;
    let sensitive = sensitive?;
    known_numeric(&places[1], std::slice::from_ref(&sensitive), &data, to);
    let quasi: Vec<String> = match names {
        Some(names) => {
            if names.contains(&sensitive) {
                let problem = "which is sensitive, too; an attribute has one role";
                to.add(&places[2], &sensitive, problem);
            }
            known_numeric(&places[2], &names, &data, to)
        }
        None => {
            let all = data.default_numeric_attributes();
            all.into_iter().filter(|name| *name != sensitive).collect()
        }
    };
    if quasi.is_empty() {
        let problem =
            "has no numeric attribute beside the sensitive one; there is nothing to group by";
        to.add(&places[0], data.name(), problem);
        return None;
    }
    let path = Path::new(data.name());
    let name = path.file_stem().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
    Some(ComparedFile { name, data, sha256, quasi, sensitive })
}

impl MicroaggregationExperiment {
    /// Notes what a method refuses, and samples that are too large.
    fn check(&self, to: &Problems) {
        if self.refine_iterations == Some(0) {
            to.add("refine_iterations", 0, "but at least one move is needed");
            return;
        }
        for cell in self.all_cells() {
            let file = &self.files[cell.file];
            if let Err(error) = self.method(cell).implementation().check(&file.data, &file.quasi) {
                to.say(format!("{}: {error}", self.name(cell)));
            }
        }
        if self.k.is_empty() {
            to.add("k", "[]", "but at least one group size is needed");
        }
        let fewest = self.files.iter().map(|file| file.data.records()).min();
        let drawn = self.worst_case.records;
        if let Some(fewest) = fewest.filter(|fewest| !(2..=*fewest).contains(&drawn)) {
            let problem = format!("but 2 to {fewest} can be drawn from the smallest file");
            to.add("worst_case.records", drawn, problem);
        }
        for (number, file) in self.files.iter().enumerate() {
            if self.files[..number].iter().any(|other| other.name == file.name) {
                let problem = "but another file has the same name; results are told apart by it";
                to.add(&format!("file[{number}].data"), &file.name, problem);
            }
        }
    }

    fn all_cells(&self) -> Vec<ComparedCell> {
        let mut cells = Vec::new();
        for file in 0..self.files.len() {
            for method in METHODS {
                for refined in [false, true] {
                    let wanted = !refined || self.refine_iterations.is_some();
                    let of_k = self.k.iter().map(|&k| ComparedCell { file, method, refined, k });
                    cells.extend(of_k.filter(|_| wanted));
                }
            }
        }
        cells
    }

    fn name(&self, cell: ComparedCell) -> String {
        format!("{}-{}-{}", self.files[cell.file].name, label(cell), cell.k)
    }

    fn method(&self, cell: ComparedCell) -> Method {
        let refine = self.refine_iterations.filter(|_| cell.refined);
        match cell.method {
            ComparedMethod::Mdav => Method::Mdav(Mdav { refine, ..Mdav::new(cell.k) }),
            ComparedMethod::VMdav => {
                let gamma = self.gamma;
                Method::VMdav(VMdav { gamma, refine, ..VMdav::new(cell.k) })
            }
            ComparedMethod::LDiverse => Method::LDiverseVMdav(LDiverseVMdav {
                gamma: self.gamma,
                sensitive: vec![self.files[cell.file].sensitive.clone()],
                levels: Some(self.levels.count),
                level_rule: Some(self.levels.rule),
                diversity: self.diversity,
                refine,
                ..LDiverseVMdav::new(cell.k)
            }),
        }
    }

    /// Seconds to make the release of a cell: the mean of several runs, as in the paper, and
    /// of one for the long refinement. Keeps the release for the run that measures it.
    fn time(&self, job: Job, cell: ComparedCell) -> Result<f64> {
        let started = Instant::now();
        let protected = self.protect(cell)?;
        let more = if job.quick || cell.refined { 0 } else { TIMINGS - 1 };
        (0..more).try_for_each(|_| self.protect(cell).map(drop))?;
        let seconds = started.elapsed().as_secs_f64() / (1 + more) as f64;
        self.releases().insert(job.cell, protected);
        Ok(seconds)
    }

    fn protect(&self, cell: ComparedCell) -> Result<Protected> {
        let file = &self.files[cell.file];
        self.method(cell).protect(&file.data, &file.quasi, SEED, &())
    }

    /// The release of the cell at `place`: the one that was timed, or, after a stop, made anew.
    fn release(&self, place: usize, cell: ComparedCell) -> Result<Protected> {
        let kept = self.releases().remove(&place);
        kept.map_or_else(|| self.protect(cell), Ok)
    }

    fn releases(&self) -> MutexGuard<'_, HashMap<usize, Protected>> {
        self.releases.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn measure(&self, cell: ComparedCell, protected: Protected, quick: bool) -> Result<Measures> {
        let file = &self.files[cell.file];
        let names = &file.quasi;
        let partition = protected.partitions.first();
        let (groups, largest) = partition.map_or((0, 0), |p| (p.groups.len(), p.largest()));
        let loss = Utility::measure(&file.data, &protected.released, names)?.il_percent;
        let homogeneity = self.homogeneity(file, &protected.released)?;
        let release = Release::by_row(file.data.clone(), protected.released)?;
        let is_linkable = groups > 1;
        let disclosed = match is_linkable {
            true => Some(distance_linkage_disclosure(&release, names, &())?.rate() * 100.0),
            false => None,
        };
        let worst_case = match is_linkable && !quick {
            true => self.worst_case.search(&release, names)?,
            false => WorstCases::default(),
        };
        Ok(Measures { groups, largest, loss, disclosed, worst_case, homogeneity })
    }

    /// Both records of each cell put together.
    fn measured(&self, records: &[CellRecord]) -> Result<Vec<Measured>> {
        let of_run = |run| records.iter().filter(move |record| record.run == run);
        let both = of_run(TIMED_RUN).zip(of_run(MEASURING_RUN));
        let measured = |(cell, (timed, measuring)): (ComparedCell, (&CellRecord, &CellRecord))| {
            let (seconds, found) = (timed.typed()?.found, measuring.typed()?.found);
            Ok(Measured { cell, found, seconds })
        };
        self.all_cells().into_iter().zip(both).map(measured).collect()
    }

    fn homogeneity(&self, file: &ComparedFile, data: &Dataset) -> Result<Homogeneity> {
        homogeneity_attack(data, &file.quasi, &file.sensitive, Some(self.levels))
    }
}

impl ComparedMethod {
    /// As tables and legends call it.
    fn name(self) -> &'static str {
        match self {
            Self::Mdav => "MDAV",
            Self::VMdav => "V-MDAV",
            Self::LDiverse => "L-V-MDAV",
        }
    }
}

/// The method as tables and legends call it.
fn label(cell: ComparedCell) -> String {
    format!("{}{}", cell.method.name(), if cell.refined { " refined" } else { "" })
}

impl ExperimentKind for MicroaggregationExperiment {
    fn data(&self) -> Vec<DataDigest> {
        self.files.iter().map(|file| DataDigest::new(&file.name, &file.sha256)).collect()
    }

    fn cells(&self, _quick: bool) -> Vec<ExperimentCell> {
        let listed = |cell: ComparedCell| {
            let method = self.method(cell);
            ExperimentCell {
                name: self.name(cell),
                method: method.name().into(),
                parameters: method.parameters().to_string(),
                records: self.files[cell.file].data.records(),
                runs: MEASURING_RUN,
            }
        };
        self.all_cells().into_iter().map(listed).collect()
    }

    fn is_timed(&self, run: usize) -> bool {
        run == TIMED_RUN
    }

    fn run(&self, job: Job) -> Result<serde_json::Value> {
        let cell = self.all_cells()[job.cell];
        match job.run {
            TIMED_RUN => recorded(&self.time(job, cell)?),
            _ => recorded(&self.measure(cell, self.release(job.cell, cell)?, job.quick)?),
        }
    }

    fn findings(&self, records: &[CellRecord], quick: bool) -> Result<Findings> {
        let measured = self.measured(records)?;
        let mut files = plots::plots(self, &measured)?;
        files.extend(time::Growth::measure(self, quick)?.files(&measured)?);
        let title = "Information loss (SSE/SST), DLD, worst case and homogeneity";
        let timing = seconds_table(measured.iter().map(|m| (self.name(m.cell), m.seconds)));
        Ok(Findings {
            citation: Some(self.citation.clone()),
            summary: claims::claims(self, &measured)?,
            tables: vec![NamedTable::new("table", title, self.grid(&measured))],
            files,
            timing: Some(timing),
            ..Findings::default()
        })
    }
}

impl MicroaggregationExperiment {
    fn grid(&self, measured: &[Measured]) -> Table {
        let header = [
            "data",
            "method",
            "k",
            "groups",
            "largest",
            "loss %",
            "DLD %",
            "equal weights",
            "worst case",
            "no weights above",
            "class: equal weights",
            "class: worst case",
            "class: no weights above",
            "guessed",
            "of",
            "certain classes %",
            "certain records %",
        ];
        let row = |m: &Measured| {
            let found = &m.found;
            let WorstCases { record, class, guessed } = found.worst_case;
            vec![
                self.files[m.cell.file].name.clone(),
                label(m.cell),
                m.cell.k.to_string(),
                found.groups.to_string(),
                found.largest.to_string(),
                format!("{:.2}", found.loss),
                found.disclosed.map_or(String::new(), |percent| format!("{percent:.2}")),
                record.equal_weights.to_string(),
                record.learned.to_string(),
                record.no_more.to_string(),
                class.equal_weights.to_string(),
                class.learned.to_string(),
                class.no_more.to_string(),
                format!("{guessed:.1}"),
                self.worst_case.records.to_string(),
                format!("{:.2}", 100.0 * found.homogeneity.classes.rate()),
                format!("{:.2}", 100.0 * found.homogeneity.records.rate()),
            ]
        };
        Table::new(header).with_rows(measured.iter().map(row))
    }
}
