//! `kind = "microaggregation"`: MDAV, V-MDAV and l-diverse V-MDAV side by side.
//!
//! For every file, method and k: what the release loses (SSE/SST on the
//! quasi-identifiers), what it discloses (distance-linkage disclosure, the worst
//! case over all weights, the homogeneity attack), and what it costs.

mod claims;
mod plots;
mod time;
mod worst_case;

use super::{ListedCell, Study};
use crate::anonymity::{Diversity, Homogeneity, LevelRule, Levels, homogeneity_attack};
use crate::dataset::Dataset;
use crate::disclosure::distance_linkage_disclosure;
use crate::error::Result;
use crate::experiment::check::{Problems, Section};
use crate::experiment::results::{Findings, NamedTable};
use crate::experiment::specification::{data_file, known_positions};
use crate::linkage::Release;
use crate::listener::Listener;
use crate::protection::microaggregation::{LDiverseVMdav, Mdav, VMdav};
use crate::protection::{self, Protected};
use crate::table::Table;
use crate::utility::Utility;
use rayon::prelude::*;
use std::path::Path;
use std::time::Instant;
use worst_case::{WorstCaseSample, WorstCases};

/// The study as declared.
#[derive(Debug)]
struct Comparison {
    citation: String,
    k: Vec<usize>,
    gamma: f64,
    levels: Levels,
    diversity: Diversity,
    worst_case: WorstCaseSample,
    refine_iterations: Option<u64>,
    files: Vec<File>,
}

#[derive(Debug)]
struct File {
    /// As tables, cells and figures call it: the name of the file without folder and ending.
    name: String,
    data: Dataset,
    sha256: String,
    quasi: Vec<usize>,
    sensitive: String,
}

/// The compared methods in the order of the tables.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Method {
    Mdav,
    VMdav,
    LDiverse,
}

const METHODS: [Method; 3] = [Method::Mdav, Method::VMdav, Method::LDiverse];

/// One method with one k on one file; `refined` by local search or not.
#[derive(Debug, Clone, Copy)]
struct Cell {
    file: usize,
    method: Method,
    refined: bool,
    k: usize,
}

/// Times are means of so many runs, as in the paper.
const RUNS: usize = 5;

/// The seed of refinements; the methods themselves draw nothing.
const SEED: u64 = 1;

/// The release of a cell, and what it took to make it.
struct Made {
    cell: Cell,
    protected: Protected,
    seconds: f64,
}

/// What was measured of a cell.
#[derive(Debug, Clone)]
struct Measured {
    cell: Cell,
    groups: usize,
    largest: usize,
    loss: f64,
    /// Percent; none for a release of equal records, which cannot be linked.
    disclosed: Option<f64>,
    worst_case: WorstCases,
    homogeneity: Homogeneity,
    seconds: f64,
}

/// Reads the keys of this kind.
pub(super) fn read(whole: &mut Section<'_>, to: &Problems) -> Option<Box<dyn Study>> {
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
    let files: Vec<Option<File>> = sections.into_iter().map(|s| read_file(s, to)).collect();
    let mut k = k?;
    k.sort_unstable();
    k.dedup();
    let study = Comparison {
        citation: citation?,
        k,
        gamma: gamma?,
        levels: Levels { count: count?, rule },
        diversity,
        worst_case: worst_case?,
        refine_iterations,
        files: files.into_iter().collect::<Option<_>>()?,
    };
    study.check(to);
    Some(Box::new(study))
}

fn read_file(mut section: Section<'_>, to: &Problems) -> Option<File> {
    let places = ["data", "sensitive", "attributes"].map(|key| section.key(key));
    let name: Option<String> = section.needed("data", "a file, or the name of a built-in one");
    let sensitive: Option<String> = section.needed("sensitive", "the sensitive attribute");
    let names: Option<Vec<String>> = section.take("attributes");
    section.finish();
    let (data, sha256) = data_file(&places[0], &name?, to)?;
    let sensitive = sensitive?;
    let position = known_positions(&places[1], std::slice::from_ref(&sensitive), &data, to);
    let quasi: Vec<usize> = match names {
        Some(names) => {
            if names.contains(&sensitive) {
                let problem = "which is sensitive, too; an attribute has one role";
                to.add(&places[2], &sensitive, problem);
            }
            known_positions(&places[2], &names, &data, to)
        }
        None => {
            let all = data.default_numeric_positions().unwrap_or_default();
            all.into_iter().filter(|i| !position.contains(i)).collect()
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
    Some(File { name, data, sha256, quasi, sensitive })
}

impl Comparison {
    /// Notes what a method refuses, and samples that are too large.
    fn check(&self, to: &Problems) {
        for cell in self.all_cells() {
            let file = &self.files[cell.file];
            if let Err(error) = self.method(cell).implementation().check(&file.data, &file.names())
            {
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

    fn all_cells(&self) -> Vec<Cell> {
        let mut cells = Vec::new();
        for file in 0..self.files.len() {
            for method in METHODS {
                for refined in [false, true] {
                    let wanted = !refined || self.refine_iterations.is_some();
                    let of_k = self.k.iter().map(|&k| Cell { file, method, refined, k });
                    cells.extend(of_k.filter(|_| wanted));
                }
            }
        }
        cells
    }

    fn name(&self, cell: Cell) -> String {
        format!("{}-{}-{}", self.files[cell.file].name, label(cell), cell.k)
    }

    fn method(&self, cell: Cell) -> protection::Method {
        let refine = self.refine_iterations.filter(|_| cell.refined);
        match cell.method {
            Method::Mdav => protection::Method::Mdav(Mdav { refine, ..Mdav::new(cell.k) }),
            Method::VMdav => {
                let gamma = self.gamma;
                protection::Method::VMdav(VMdav { gamma, refine, ..VMdav::new(cell.k) })
            }
            Method::LDiverse => protection::Method::LDiverseVMdav(LDiverseVMdav {
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

    /// The release of a cell, made alone so that nothing disturbs the time it takes: the
    /// mean of several runs, as in the paper, and of one for the long refinement.
    fn make(&self, cell: Cell, quick: bool) -> Result<Made> {
        let file = &self.files[cell.file];
        let method = self.method(cell);
        let make = || method.protect(&file.data, &file.names(), SEED, &());
        let started = Instant::now();
        let protected = make()?;
        let more = if quick || cell.refined { 0 } else { RUNS - 1 };
        (0..more).try_for_each(|_| make().map(drop))?;
        let seconds = started.elapsed().as_secs_f64() / (1 + more) as f64;
        Ok(Made { cell, protected, seconds })
    }

    fn measure(&self, Made { cell, protected, seconds }: Made, quick: bool) -> Result<Measured> {
        let file = &self.files[cell.file];
        let names = file.names();
        let partition = protected.partitions.first();
        let (groups, largest) = partition.map_or((0, 0), |p| (p.groups.len(), p.largest()));
        let loss = Utility::measure(&file.data, &protected.released, &names)?.il_percent;
        let homogeneity = self.homogeneity(file, &protected.released)?;
        let release = Release::by_row(file.data.clone(), protected.released)?;
        let is_linkable = groups > 1;
        let disclosed = match is_linkable {
            true => Some(distance_linkage_disclosure(&release, &names, &())?.rate() * 100.0),
            false => None,
        };
        let worst_case = match is_linkable && !quick {
            true => self.worst_case.search(&release, &names)?,
            false => WorstCases::default(),
        };
        Ok(Measured { cell, groups, largest, loss, disclosed, worst_case, homogeneity, seconds })
    }

    fn homogeneity(&self, file: &File, data: &Dataset) -> Result<Homogeneity> {
        homogeneity_attack(data, &file.names(), &file.sensitive, Some(self.levels))
    }
}

impl File {
    fn names(&self) -> Vec<String> {
        self.data.names(&self.quasi)
    }
}

impl Method {
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
fn label(cell: Cell) -> String {
    format!("{}{}", cell.method.name(), if cell.refined { " refined" } else { "" })
}

impl Study for Comparison {
    fn cells(&self) -> Vec<ListedCell> {
        let listed = |cell: Cell| {
            let method = self.method(cell);
            ListedCell {
                name: self.name(cell),
                method: method.name().into(),
                parameters: method.parameters().to_string(),
                records: self.files[cell.file].data.records(),
                runs: 1,
            }
        };
        self.all_cells().into_iter().map(listed).collect()
    }

    fn run(&self, quick: bool, listener: &dyn Listener) -> Result<Findings> {
        let cells = self.all_cells();
        let total = 2 * cells.len() as u64;
        let make = |cell| self.make(cell, quick).inspect(|_| listener.advance(1, total));
        let made: Vec<Made> = cells.into_iter().map(make).collect::<Result<_>>()?;
        let time = time::Growth::measure(self, quick)?;
        let measured: Vec<Measured> = made
            .into_par_iter()
            .map(|made| self.measure(made, quick).inspect(|_| listener.advance(1, total)))
            .collect::<Result<_>>()?;
        let mut files = plots::plots(self, &measured)?;
        files.extend(time.files(&measured)?);
        let title = "Information loss (SSE/SST), DLD, worst case and homogeneity".to_owned();
        Ok(Findings {
            citation: Some(self.citation.clone()),
            summary: claims::claims(self, &measured)?,
            tables: vec![NamedTable { name: "table".into(), title, grid: self.grid(&measured) }],
            files,
            data: self.files.iter().map(|f| (f.name.clone(), f.sha256.clone())).collect(),
            timing: measured.iter().map(|m| (self.name(m.cell), m.seconds)).collect(),
        })
    }
}

impl Comparison {
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
            let WorstCases { record, class, guessed } = m.worst_case;
            vec![
                self.files[m.cell.file].name.clone(),
                label(m.cell),
                m.cell.k.to_string(),
                m.groups.to_string(),
                m.largest.to_string(),
                format!("{:.2}", m.loss),
                m.disclosed.map_or(String::new(), |percent| format!("{percent:.2}")),
                record.equal_weights.to_string(),
                record.learned.to_string(),
                record.no_more.to_string(),
                class.equal_weights.to_string(),
                class.learned.to_string(),
                class.no_more.to_string(),
                format!("{guessed:.1}"),
                self.worst_case.records.to_string(),
                format!("{:.2}", 100.0 * m.homogeneity.classes.rate()),
                format!("{:.2}", 100.0 * m.homogeneity.records.rate()),
            ]
        };
        Table::new(header).with_rows(measured.iter().map(row))
    }
}
