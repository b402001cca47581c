//! `unmask experiment`.

use super::print;
use super::terminal::{Terminal, command_line};
use clap::{Args, Subcommand};
use std::path::PathBuf;
use unmask::error::Result;
use unmask::experiment::{Experiment, RunOptions, run_all};
use unmask::listener::Listener;
use unmask::table::Table;

/// Runs experiments that are declared in TOML: protections, samples, attacks, published numbers.
///
/// A FILE declares one table or figure; docs/experiment-schema.json describes its
/// keys. Results go to results/FOLDER/TABLE/, FOLDER being the file's folder and
/// TABLE its name. They depend on the file alone, not on threads or interruptions.
#[derive(Args)]
#[command(after_help = "Examples:\n  \
    unmask experiment check experiments/abril2012/*.toml\n  \
    unmask experiment list experiments/abril2012/table3.toml\n  \
    unmask experiment run experiments/abril2012/table3.toml --quick")]
pub struct ExperimentCommand {
    #[command(subcommand)]
    action: ExperimentAction,
}

#[derive(Subcommand)]
enum ExperimentAction {
    /// Checks the files and tells everything that is wrong with them
    #[command(after_help = "Example:\n  unmask experiment check experiments/demo/noise.toml")]
    Check(SpecificationFiles),
    /// Lists the cells of the files
    #[command(after_help = "Example:\n  unmask experiment list experiments/demo/noise.toml")]
    List(SpecificationFiles),
    /// Runs the files and writes their results; goes on where a killed run stopped
    #[command(after_help = "Examples:\n  \
        unmask experiment run experiments/demo/noise.toml\n  \
        unmask experiment run experiments/abril2012/table4.toml --only Noise-16 --quick")]
    Run(RunExperiments),
}

#[derive(Args)]
struct SpecificationFiles {
    /// The specifications
    #[arg(required = true, value_name = "FILE")]
    files: Vec<String>,
}

impl SpecificationFiles {
    fn load(&self) -> Result<Vec<Experiment>> {
        Experiment::load_all(&self.files)
    }
}

#[derive(Args)]
struct RunExperiments {
    #[command(flatten)]
    files: SpecificationFiles,

    /// Run only this cell (repeatable); results are written when no cell is left
    /// [default: all]
    #[arg(long, value_name = "CELL")]
    only: Vec<String>,

    #[command(flatten)]
    flags: RunFlags,
}

/// The flags of everything that runs experiments.
#[derive(Args)]
pub struct RunFlags {
    /// Fewer runs or cells; results go to quick/ in the results folder
    #[arg(long)]
    quick: bool,

    /// Start anew in place of going on where an earlier run stopped
    #[arg(long)]
    fresh: bool,

    /// Where results go
    #[arg(long, value_name = "FOLDER", default_value = "results")]
    results: PathBuf,
}

impl ExperimentCommand {
    /// Does what the action says.
    pub fn run(&self, threads: usize) -> Result<()> {
        match &self.action {
            ExperimentAction::Check(files) => {
                let experiments = files.load()?;
                let cells: usize = experiments.iter().map(|e| e.cells().len()).sum();
                print(format_args!("{} files, {cells} cells: fine", experiments.len()))
            }
            ExperimentAction::List(files) => print(listed(&files.load()?)),
            ExperimentAction::Run(run) => run.flags.run(&run.files.load()?, &run.only, threads),
        }
    }
}

fn listed(experiments: &[Experiment]) -> Table {
    let mut table = Table::new(["table", "cell", "method", "parameters", "records", "runs"]);
    for experiment in experiments {
        for cell in experiment.cells() {
            table.row([
                experiment.heading().name(),
                cell.name,
                cell.method,
                cell.parameters,
                cell.records.to_string(),
                cell.runs.to_string(),
            ]);
        }
    }
    table
}

impl RunFlags {
    /// Runs the experiments and prints what came out.
    pub fn run(&self, experiments: &[Experiment], only: &[String], threads: usize) -> Result<()> {
        let options = RunOptions::default()
            .results(&self.results)
            .quick(self.quick)
            .fresh(self.fresh)
            .only(only)
            .threads(threads)
            .command(command_line());
        let outcomes = run_all(experiments, &options, &Bars(Terminal::new()))?;
        outcomes.iter().try_for_each(print)
    }
}

/// Bars alone: Ctrl-C ends the program at once, for the journal keeps what is finished.
struct Bars(Terminal);

impl Listener for Bars {
    fn advance(&self, steps: u64, total: u64) {
        self.0.advance(steps, total);
    }
}
