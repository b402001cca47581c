//! The subcommands, one file each: thin shells over the library.

mod audit;
mod classify;
mod completions;
mod correspondence;
mod data;
mod experiment;
mod export_milp;
mod fingerprint;
mod flags;
mod init;
mod keys;
mod lattice;
mod learning;
mod limits;
mod link;
mod man;
mod measure;
mod protect;
mod reading;
mod recipe;
mod release;
mod report_files;
mod reproduce;
mod terminal;
mod utility;
mod verify;

pub use flags::told;

use clap::{Parser, Subcommand, ValueEnum};
use std::io::Write;
use std::process::ExitCode;
use unmask::error::{Error, Result};
use unmask::words::printable;

/// Tells how badly a protected file can still be re-identified, and protects it better.
///
/// Wherever a FILE is expected, a built-in data set can be named instead (see
/// `unmask data`). Exit codes: 0 fine, 1 internal error, 2 bad input, 3 a
/// threshold was exceeded.
#[derive(Parser)]
#[command(name = "unmask", version, max_term_width = 100)]
pub struct Program {
    #[command(subcommand)]
    command: Command,

    /// Number of threads; 0 takes all cores. Results do not depend on it.
    #[arg(long, global = true, default_value_t = 0, value_name = "T")]
    threads: usize,
}

#[derive(Subcommand)]
enum Command {
    Init(Box<init::Init>),
    Protect(Box<protect::ProtectCommand>),
    Utility(Box<utility::UtilityCommand>),
    Link(link::LinkCommand),
    Audit(Box<audit::AuditCommand>),
    Verify(Box<verify::Verify>),
    Keys(Box<keys::KeysCommand>),
    ExportMilp(Box<export_milp::ExportMilp>),
    Measure(Box<measure::Measure>),
    Classify(Box<classify::Classify>),
    Lattice(Box<lattice::LatticeCommand>),
    Fingerprint(Box<fingerprint::Fingerprint>),
    Experiment(Box<experiment::ExperimentCommand>),
    Reproduce(Box<reproduce::Reproduce>),
    Data(data::Data),
    Completions(completions::Completions),
    Man(man::Man),
}

/// How a command prints its result.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// For reading.
    Text,
    /// One JSON object on standard output.
    Json,
}

/// Runs the program; the exit code is 0 unless a command says otherwise.
pub fn run() -> Result<ExitCode> {
    let program = match Program::try_parse() {
        Ok(program) => program,
        Err(shown) => return explained(&shown),
    };
    check_threads(program.threads)?;
    terminal::handle_interrupts()?;
    rayon::ThreadPoolBuilder::new()
        .num_threads(program.threads)
        .build_global()
        .map_err(|e| Error::Internal(e.to_string()))?;
    let code = run_command(program.command, program.threads)?;
    reading::tell_found();
    Ok(code)
}

fn run_command(command: Command, threads: usize) -> Result<ExitCode> {
    match command {
        Command::Init(command) => command.run()?,
        Command::Protect(command) => command.run()?,
        Command::Utility(command) => return command.run(),
        Command::Link(command) => command.run()?,
        Command::Audit(command) => return command.run(threads),
        Command::Verify(command) => return command.run(),
        Command::Keys(command) => command.run(threads)?,
        Command::ExportMilp(command) => command.run()?,
        Command::Measure(command) => return command.run(),
        Command::Classify(command) => command.run()?,
        Command::Lattice(command) => command.run()?,
        Command::Fingerprint(command) => command.run()?,
        Command::Experiment(command) => command.run(threads)?,
        Command::Reproduce(command) => command.run(threads)?,
        Command::Data(command) => command.run()?,
        Command::Completions(command) => command.run()?,
        Command::Man(command) => command.run()?,
    }
    Ok(ExitCode::SUCCESS)
}

/// More threads than any machine has cores for; so many more take minutes to start.
const MOST_THREADS: usize = 1_024;

fn check_threads(threads: usize) -> Result<()> {
    if threads <= MOST_THREADS {
        return Ok(());
    }
    let problem = format!("but {MOST_THREADS} are the most; 0 takes as many as there are cores");
    Err(Error::parameter("threads", threads, problem))
}

/// Prints help, version or what is wrong with the arguments.
fn explained(shown: &clap::Error) -> Result<ExitCode> {
    let result = shown.print();
    if !shown.use_stderr() {
        printed(result)?;
    }
    // 0 for help that was asked for, else 2.
    Ok(ExitCode::from(u8::try_from(shown.exit_code()).unwrap_or(1)))
}

/// Writes `text` and a line end to standard output, without what would command a terminal; a
/// reader that has gone is no error, and every other failure is one.
fn print(text: impl std::fmt::Display) -> Result<()> {
    let text = text.to_string();
    let mut out = std::io::stdout().lock();
    printed(writeln!(out, "{}", printable(&text)).and_then(|()| out.flush()))
}

fn printed(result: std::io::Result<()>) -> Result<()> {
    match result {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => {
            Err(Error::io("standard output".as_ref(), error))
        }
        _ => Ok(()),
    }
}

/// Writes a line to standard error, where nothing can be done about a failure.
pub fn tell(line: &str) {
    let _ = writeln!(std::io::stderr(), "{}", printable(line));
}

/// Prints `value` as JSON.
fn print_json(value: &impl serde::Serialize) -> Result<()> {
    let text = serde_json::to_string_pretty(value).map_err(|e| Error::Internal(e.to_string()))?;
    print(text)
}
