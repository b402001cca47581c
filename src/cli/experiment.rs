//! `unmask experiment`.

use super::print;
use super::terminal::Terminal;
use clap::{Args, Subcommand};
use std::path::PathBuf;
use std::time::Instant;
use unmask::error::{Error, Result};
use unmask::experiment::kinds::{Declared, Study};
use unmask::experiment::results::{self, RunBy, compare, summary, write_findings};
use unmask::experiment::{Heading, RunOptions, Specification, StudyRuns, journal, run};
use unmask::table::Table;

/// Runs studies that are declared in TOML: protections, samples, attacks, published numbers.
///
/// A FILE declares one table or figure; docs/experiment-schema.json describes its
/// keys. Results go to results/STUDY/TABLE/, STUDY being the file's folder and
/// TABLE its name. They depend on the file alone, not on threads or interruptions.
#[derive(Args)]
#[command(after_help = "Examples:\n  \
    unmask experiment check experiments/abril2012/*.toml\n  \
    unmask experiment list experiments/abril2012/table3.toml\n  \
    unmask experiment run experiments/abril2012/table3.toml --quick")]
pub struct ExperimentCommand {
    #[command(subcommand)]
    action: Action,
}

#[derive(Subcommand)]
enum Action {
    /// Checks the files and tells everything that is wrong with them
    #[command(after_help = "Example:\n  unmask experiment check experiments/demo/noise.toml")]
    Check(Files),
    /// Lists the cells of the files
    #[command(after_help = "Example:\n  unmask experiment list experiments/demo/noise.toml")]
    List(Files),
    /// Runs the files and writes their results; goes on where a killed run stopped
    #[command(after_help = "Examples:\n  \
        unmask experiment run experiments/demo/noise.toml\n  \
        unmask experiment run experiments/abril2012/table4.toml --only Noise-16 --quick")]
    Run(Run),
}

#[derive(Args)]
struct Files {
    /// The specifications
    #[arg(required = true, value_name = "FILE")]
    files: Vec<String>,
}

#[derive(Args)]
struct Run {
    #[command(flatten)]
    files: Files,

    /// Run only this cell (repeatable); results are written when no cell is left
    /// [default: all]
    #[arg(long, value_name = "CELL")]
    only: Vec<String>,

    #[command(flatten)]
    how: How,
}

/// The flags of everything that runs studies.
#[derive(Args)]
pub struct How {
    /// Fewer runs of each cell; results go to quick/ in the results folder
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
            Action::Check(files) => {
                let specifications = load(&files.files)?;
                let cells: usize = specifications.iter().map(|s| s.cells().len()).sum();
                print(format_args!("{} files, {cells} cells: fine", specifications.len()));
            }
            Action::List(files) => print(listed(&load(&files.files)?)),
            Action::Run(run) => {
                run.how.run(load(&run.files.files)?, run.only.clone(), threads)?;
            }
        }
        Ok(())
    }
}

/// All specifications; the problems of all files are told at once.
pub fn load(files: &[String]) -> Result<Vec<Declared>> {
    let (mut loaded, mut problems) = (Vec::new(), Vec::new());
    for file in files {
        match Declared::load(file) {
            Ok(specification) => loaded.push(specification),
            Err(Error::Specification(found)) => problems.extend(found),
            Err(error @ Error::Internal(_)) => return Err(error),
            Err(other) => problems.push(other.to_string()),
        }
    }
    if problems.is_empty() { Ok(loaded) } else { Err(Error::Specification(problems)) }
}

fn listed(specifications: &[Declared]) -> Table {
    let mut table = Table::new(["table", "cell", "method", "parameters", "records", "runs"]);
    for specification in specifications {
        for cell in specification.cells() {
            table.row([
                named(specification.heading()),
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

fn named(heading: &Heading) -> String {
    format!("{}/{}", heading.study, heading.table)
}

impl How {
    /// Runs the specifications, writes the results of those that are complete, and
    /// prints what came out. With `only`, cells of linkage studies alone are run.
    pub fn run(&self, declared: Vec<Declared>, only: Vec<String>, threads: usize) -> Result<()> {
        let (mut linkage, mut others) = (Vec::new(), Vec::new());
        for specification in declared {
            match specification {
                Declared::Linkage(specification) => linkage.push(*specification),
                Declared::Other(heading, study) => others.push((heading, study)),
            }
        }
        let by_name = !only.is_empty();
        let options = RunOptions {
            results: self.results.clone(),
            quick: self.quick,
            fresh: self.fresh,
            only,
            threads,
        };
        run_linkage(&linkage, &options)?;
        if by_name {
            return Ok(());
        }
        others.iter().try_for_each(|(heading, study)| run_other(heading, study.as_ref(), &options))
    }
}

fn run_by(threads: usize, started: Instant) -> RunBy {
    RunBy {
        command: typed_command(),
        threads: if threads == 0 { rayon::current_num_threads() } else { threads },
        seconds: started.elapsed().as_secs_f64(),
    }
}

fn run_linkage(specifications: &[Specification], options: &RunOptions) -> Result<()> {
    let started = Instant::now();
    let studies = run(specifications, options, &Terminal::new())?;
    let by = run_by(options.threads, started);
    studies.iter().try_for_each(|study| finish(study, &by))
}

fn run_other(heading: &Heading, study: &dyn Study, options: &RunOptions) -> Result<()> {
    let started = Instant::now();
    let findings = study.run(options.quick, &Terminal::new())?;
    let folder = options.folder(heading);
    write_findings(heading, &findings, &folder, &run_by(options.threads, started))?;
    let summary: String = findings.summary.iter().map(|line| format!("\n- {line}")).collect();
    print(format_args!("{}: written to {}{summary}", named(heading), folder.display()));
    Ok(())
}

/// Writes the results of a complete study; prints its summary.
fn finish(study: &StudyRuns<'_>, by: &RunBy) -> Result<()> {
    let specification = study.specification;
    let compared = compare(study);
    let place = match study.complete {
        true => {
            results::write(study, by)?;
            journal::remove(&study.folder)?;
            format!("written to {}", study.folder.display())
        }
        false => {
            let jobs = specification.cells.len();
            let done = study.records.len();
            format!("{done} runs of {jobs} cells so far; nothing written before all are done")
        }
    };
    let summary = summary(study, &compared);
    let below = if summary.is_empty() { String::new() } else { format!("\n{summary}") };
    print(format_args!("{}: {place}{below}", named(&specification.heading)));
    Ok(())
}

/// The command line, the program by its name alone.
fn typed_command() -> String {
    let arguments = std::env::args().skip(1);
    std::iter::once("unmask".to_owned()).chain(arguments).collect::<Vec<_>>().join(" ")
}
