//! From criterion's estimates to one Markdown table under results/bench.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// One line of the table.
pub struct Row {
    /// Criterion's name of the measurement, `group/function`.
    pub id: &'static str,
    /// What was measured.
    pub what: &'static str,
    /// The measurement it is compared with, in the same run.
    pub baseline: Option<&'static str>,
    /// The time it should stay under, in seconds.
    pub target: Option<f64>,
}

/// Where criterion writes.
pub fn criterion_folder() -> PathBuf {
    let target = std::env::var_os("CARGO_TARGET_DIR").unwrap_or_else(|| "target".into());
    Path::new(&target).join("criterion")
}

/// Prints the table of `rows` and writes it to `results/bench/<name>.md`.
pub fn report(name: &str, title: &str, rows: &[Row]) {
    let mut text = format!(
        "# {title}\n\nMade by `make bench`. Medians of one run on {} cores ({}); machines differ and are \
         shared, so the ratios within the run count.\n\n\
         | measurement | seconds | baseline, seconds | times faster | target, seconds |\n|---|---|---|---|---|\n",
        std::thread::available_parallelism().map_or(1, usize::from),
        processor()
    );
    for row in rows {
        let Some(seconds) = median(row.id) else { continue };
        let baseline = row.baseline.and_then(median);
        let number = |value: Option<f64>| value.map_or("-".into(), |v| format!("{v:.4}"));
        let ratio = baseline.map_or("-".into(), |b| format!("{:.1}", b / seconds));
        let target = row.target.map_or("-".into(), |t| format!("{t}"));
        writeln!(
            text,
            "| {} | {seconds:.4} | {} | {ratio} | {target} |",
            row.what,
            number(baseline)
        )
        .expect("a String takes any text");
    }
    print!("\n{text}");
    let path = Path::new("results/bench").join(format!("{name}.md"));
    std::fs::write(&path, text).expect("results/bench can be written");
}

/// Median seconds of a measurement of this run.
fn median(id: &str) -> Option<f64> {
    let path = criterion_folder().join(id).join("new/estimates.json");
    let estimates: serde_json::Value = serde_json::from_slice(&std::fs::read(path).ok()?).ok()?;
    Some(estimates["median"]["point_estimate"].as_f64()? * 1e-9)
}

fn processor() -> String {
    let info = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let name = info.lines().find_map(|line| line.strip_prefix("model name")?.split(": ").nth(1));
    name.unwrap_or("processor unknown").to_owned()
}
