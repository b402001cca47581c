//! `kind = "linkage"`, the default: attacks on samples of protected files.
//!
//! A cell is one protection with one value of its parameter. In each of its runs the whole file
//! is protected anew, records are drawn, and both files linked; the means stand beside
//! published ones.

mod attacks;
mod comparison;
mod job;
mod plot;
mod read;
mod record;
mod runs;
mod table;

pub use job::job_seed;
pub(super) use read::read;

use super::{ExperimentCell, ExperimentKind, Job};
use crate::dataset::Dataset;
use crate::error::Result;
use crate::experiment::record::{CellRecord, recorded, typed};
use crate::experiment::results::Findings;
use crate::experiment::specification::{
    DataDigest, ProtectionCell, Published, Quantity, ReleaseSource,
};
use crate::learning::SolverChoice;
use attacks::Attacks;
use comparison::compare;
use plot::Runs;
use record::LinkageRun;

/// The experiment as declared.
#[derive(Debug)]
struct LinkageExperiment {
    /// The original file.
    data: Dataset,
    /// As the specification names it.
    data_name: String,
    data_sha256: String,
    /// The attributes the attacker knows.
    known: Vec<String>,
    sample: SampleDesign,
    attacks: Attacks,
    /// Who looks for the worst case.
    solver: SolverChoice,
    /// Where the search stops short of a proof, in nodes. There is no time limit:
    /// what it gives depends on the machine.
    nodes: Option<u64>,
    cells: Vec<ProtectionCell>,
    published: Option<Published>,
    plot: Plot,
}

/// How records are drawn, run by run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct SampleDesign {
    /// Records drawn without replacement after the whole file was protected.
    records: usize,
    /// Other records on which the learned weights are tested.
    held_out: Option<usize>,
    /// Runs of each cell.
    runs: usize,
    /// Runs of each cell when it is to be quick.
    quick_runs: usize,
    /// The runs' seeds follow from it.
    seed: u64,
}

/// What `plot.svg` shows.
#[derive(Debug, Clone, PartialEq)]
enum Plot {
    /// Ours beside the published rates, cell by cell.
    Rates,
    /// Original against released values of one attribute, a panel for each cell.
    Values { attribute: String },
    /// The gain of the worst case over DBRL1 against the unlinked records, for all
    /// runs, and the means of the `highlight`ed protections; `timing.svg` shows the times alike.
    Improvement { highlight: Vec<String> },
}

impl LinkageExperiment {
    /// The quantities that the runs measure.
    fn quantities(&self) -> Vec<Quantity> {
        let (attacks, held_out) = (&self.attacks, self.sample.held_out.is_some());
        let mut quantities = vec![Quantity::Dbrl1];
        if attacks.worst_case {
            quantities.push(Quantity::WorstCase);
        }
        if held_out {
            quantities.push(Quantity::HeldOutDbrl1);
        }
        if held_out && attacks.worst_case {
            quantities.push(Quantity::HeldOutWorstCase);
        }
        quantities.extend(attacks.further_names().into_iter().map(Quantity::Attack));
        if attacks.single {
            quantities.extend(self.known.iter().cloned().map(Quantity::Single));
        }
        if attacks.worst_case {
            quantities.extend(self.known.iter().cloned().map(Quantity::Weight));
        }
        quantities
    }

    fn files(&self, runs: &[LinkageRun], table: String) -> Result<Vec<(String, String)>> {
        let of = Runs { experiment: self, runs };
        let mut files = vec![
            ("runs.csv".into(), runs::runs_csv(self, runs)),
            ("table.csv".into(), table),
            ("plot.svg".into(), plot::plot(of)?),
        ];
        if matches!(self.plot, Plot::Improvement { .. }) {
            files.push(("timing.svg".into(), plot::times(of)));
        }
        Ok(files)
    }
}

impl ExperimentKind for LinkageExperiment {
    fn data(&self) -> Vec<DataDigest> {
        let releases = self.cells.iter().filter_map(|cell| match &cell.source {
            ReleaseSource::File { file, .. } => Some(file.clone()),
            ReleaseSource::Protection { .. } => None,
        });
        let original = DataDigest::new(&self.data_name, &self.data_sha256);
        std::iter::once(original).chain(releases).collect()
    }

    fn cells(&self, quick: bool) -> Vec<ExperimentCell> {
        let listed = |cell: &ProtectionCell| {
            let (method, parameters) = cell.source.described();
            ExperimentCell {
                name: cell.name.clone(),
                method,
                parameters,
                records: self.sample.records,
                runs: if quick { self.sample.quick_runs } else { self.sample.runs },
            }
        };
        self.cells.iter().map(listed).collect()
    }

    fn job_key(&self, job: Job) -> Option<String> {
        Some(job::job_key(self, &self.cells[job.cell], job.run))
    }

    fn run(&self, job: Job) -> Result<serde_json::Value> {
        recorded(&job::run_job(self, &self.cells[job.cell], job.run)?)
    }

    fn summary(&self, records: &[CellRecord]) -> Result<Vec<String>> {
        let runs = typed(records)?;
        Ok(table::summary(&runs, &compare(self, &runs)))
    }

    fn findings(&self, records: &[CellRecord], _quick: bool) -> Result<Findings> {
        let runs: Vec<LinkageRun> = typed(records)?;
        let compared = compare(self, &runs);
        Ok(Findings {
            design: table::design(self, &runs),
            citation: self.published.as_ref().map(|published| published.citation.clone()),
            summary: table::summary(&runs, &compared),
            tables: table::tables(&runs, &compared),
            files: self.files(&runs, table::csv(&runs, &compared))?,
            timing: Some(runs::timing(&runs)),
        })
    }
}
