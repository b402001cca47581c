//! Where and how an experiment was run.

use crate::error::{Error, Result};
use crate::experiment::Experiment;
use crate::experiment::record::CellRecord;
use serde::Serialize;
use std::time::{SystemTime, UNIX_EPOCH};

/// How it came that the experiment was run.
#[derive(Debug, Clone)]
pub(crate) struct Circumstances<'a> {
    /// The command as typed, if there was one.
    pub command: Option<&'a str>,
    /// Jobs at once.
    pub threads: usize,
    /// From start to end, of everything that was run together.
    pub seconds: f64,
}

#[derive(Serialize)]
struct Environment<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    command: Option<&'a str>,
    specification: String,
    specification_sha256: &'a str,
    data: String,
    data_sha256: String,
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

/// `environment.toml`.
pub(super) fn environment(
    experiment: &Experiment,
    records: &[CellRecord],
    by: &Circumstances<'_>,
) -> Result<String> {
    let rounded = |seconds: f64| (seconds * 1000.0).round() / 1000.0;
    let seconds = || records.iter().map(|record| record.seconds);
    let data = experiment.kind.data();
    let joined = |parts: Vec<&str>| parts.join(" ");
    let environment = Environment {
        command: by.command,
        specification: format!("{}.toml", experiment.heading.name()),
        specification_sha256: &experiment.heading.sha256,
        data: joined(data.iter().map(|d| d.name.as_str()).collect()),
        data_sha256: joined(data.iter().map(|d| d.sha256.as_str()).collect()),
        finished_unix_seconds: SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .map_or(0, |d| d.as_secs()),
        command_seconds: rounded(by.seconds),
        jobs: records.len(),
        job_seconds: rounded(seconds().sum()),
        longest_job_seconds: rounded(seconds().fold(0.0, f64::max)),
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
