//! Where and how a study was run.

use crate::error::{Error, Result};
use crate::experiment::Heading;
use serde::Serialize;
use std::time::{SystemTime, UNIX_EPOCH};

/// The command that ran the study.
#[derive(Debug, Clone)]
pub struct RunBy {
    /// As typed.
    pub command: String,
    /// Jobs at once.
    pub threads: usize,
    /// From start to end, of everything the command ran.
    pub seconds: f64,
}

#[derive(Serialize)]
struct Environment<'a> {
    command: &'a str,
    specification: &'a str,
    specification_sha256: &'a str,
    data: &'a str,
    data_sha256: &'a str,
    finished_unix_seconds: u64,
    command_seconds: f64,
    jobs: usize,
    job_seconds: f64,
    longest_job_seconds: f64,
    versions: Versions,
    machine: Machine,
}

#[derive(Serialize)]
struct Versions {
    unmask: &'static str,
    cargo_lock_sha256: String,
}

#[derive(Serialize)]
struct Machine {
    system: &'static str,
    architecture: &'static str,
    processor: String,
    cores: usize,
    threads: usize,
    memory: String,
}

/// The dependencies this program was compiled with.
const CARGO_LOCK: &[u8] = include_bytes!("../../../Cargo.lock");

/// What was run, for `environment.toml`.
pub(super) struct Ran<'a> {
    /// The specification.
    pub heading: &'a Heading,
    /// Names of the data files.
    pub data: &'a str,
    /// Their SHA-256.
    pub data_sha256: &'a str,
    /// Seconds of each job on one core.
    pub seconds: Vec<f64>,
}

/// `environment.toml`.
pub(super) fn environment(ran: &Ran<'_>, by: &RunBy) -> Result<String> {
    let heading = ran.heading;
    let file = format!("{}/{}.toml", heading.study, heading.table);
    let rounded = |seconds: f64| (seconds * 1000.0).round() / 1000.0;
    let environment = Environment {
        command: &by.command,
        specification: &file,
        specification_sha256: &heading.sha256,
        data: ran.data,
        data_sha256: ran.data_sha256,
        finished_unix_seconds: SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .map_or(0, |d| d.as_secs()),
        command_seconds: rounded(by.seconds),
        jobs: ran.seconds.len(),
        job_seconds: rounded(ran.seconds.iter().sum()),
        longest_job_seconds: rounded(ran.seconds.iter().copied().fold(0.0, f64::max)),
        versions: Versions {
            unmask: env!("CARGO_PKG_VERSION"),
            cargo_lock_sha256: crate::files::sha256(CARGO_LOCK),
        },
        machine: Machine {
            system: std::env::consts::OS,
            architecture: std::env::consts::ARCH,
            processor: line_of("/proc/cpuinfo", "model name"),
            cores: std::thread::available_parallelism().map_or(1, usize::from),
            threads: by.threads,
            memory: line_of("/proc/meminfo", "MemTotal"),
        },
    };
    toml::to_string(&environment).map_err(|e| Error::Internal(e.to_string()))
}

/// What a Linux system file says after `key`; "unknown" elsewhere.
fn line_of(file: &str, key: &str) -> String {
    let text = std::fs::read_to_string(file).unwrap_or_default();
    let line = text.lines().find(|line| line.starts_with(key));
    let value =
        line.and_then(|line| line.split_once(':')).map(|(_, value)| value.trim().to_owned());
    value.unwrap_or_else(|| "unknown".into())
}
