//! How time and memory of every command grow with the records: `cargo bench --bench growth`.
//!
//! Runs the program itself on made files: seven normal attributes, an age, a sex, a region, and an
//! income that depends on them. Time is that of the processors, of all threads together, which other
//! work on the machine disturbs least; memory the most that the process held at once. Both are read
//! from /proc every few milliseconds until the process ends; elsewhere time is that of the clock, and
//! memory is "-".

use rand_distr::{Distribution, StandardNormal};
use std::fmt::Write as _;
use std::io::{BufWriter, Write as _};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;
use unmask::random::generator;

const SIZES: [usize; 3] = [10_000, 100_000, 1_000_000];

/// What takes longer than so many seconds is not run on ten times the records: with 12 all of it
/// takes a quarter of an hour; GROWTH_PATIENCE gives another number.
fn patience() -> f64 {
    let given = std::env::var("GROWTH_PATIENCE").ok().and_then(|text| text.parse().ok());
    given.unwrap_or(12.0)
}

/// A step that costs more than so many times what n log n does stands out.
const TOLERANCE: f64 = 1.4;

/// A line of the table.
struct Job {
    name: &'static str,
    arguments: &'static str,
    /// What limits it beside the records.
    limit: &'static str,
}

const fn job(name: &'static str, arguments: &'static str) -> Job {
    Job { name, arguments, limit: "" }
}

const fn limited(name: &'static str, limit: &'static str, arguments: &'static str) -> Job {
    Job { name, arguments, limit }
}

/// Every command that reads a file. Later ones read what earlier ones wrote; SEVEN stands for the normal
/// attributes, PAIR for an original and its release.
const JOBS: &[Job] = &[
    job("protect noise", "protect noise o.csv --p 16 --seed 1 --attributes SEVEN -o noise.csv"),
    job(
        "protect rank-swapping",
        "protect rank-swapping o.csv --p 5 --seed 1 --attributes SEVEN -o swap.csv",
    ),
    job("protect mdav", "protect mdav o.csv --k 5 --attributes SEVEN -o mdav.csv"),
    job("protect v-mdav", "protect v-mdav o.csv --k 5 --attributes SEVEN -o v-mdav.csv"),
    job(
        "protect l-diverse-v-mdav",
        "protect l-diverse-v-mdav o.csv --l 3 --sensitive region --attributes SEVEN -o diverse.csv",
    ),
    job(
        "protect individual-ranking",
        "protect individual-ranking o.csv --k 5 --attributes SEVEN -o ranking.csv",
    ),
    job("protect z-projection", "protect z-projection o.csv --k 5 --attributes SEVEN -o z.csv"),
    job("protect pc-projection", "protect pc-projection o.csv --k 5 --attributes SEVEN -o pc.csv"),
    job(
        "protect anti-unification",
        "protect anti-unification o.csv --k 5 --attributes age,sex,region --confidential income \
         --discretize age:5:20:90 -o patterns.csv",
    ),
    job("utility", "utility o.csv noise.csv --attributes SEVEN"),
    job("measure", "measure o.csv --quasi age,sex,region --sensitive income"),
    job("link dbrl1", "link PAIR --attributes SEVEN --attack dbrl1"),
    job("link assignment", "link PAIR --attributes SEVEN --attack assignment"),
    job("link probabilistic", "link PAIR --attributes SEVEN --attack probabilistic"),
    limited(
        "audit",
        "200 targets, 10 s",
        "audit PAIR --attributes SEVEN --sample 200 --time-limit 10s",
    ),
    limited(
        "audit --certificate",
        "200 targets among 200",
        "audit PAIR --attributes SEVEN --sample 200 --haystack sample --time-limit 60s \
         --certificate proof.unmask",
    ),
    limited("verify", "200 targets among 200", "verify proof.unmask PAIR"),
    limited(
        "keys",
        "200 targets among 200",
        "keys PAIR --attributes SEVEN --sample 200 --haystack sample --time-limit 60s",
    ),
    limited(
        "export-milp",
        "100 targets among 100",
        "export-milp PAIR --attributes SEVEN --sample 100 --haystack sample -o model.mps",
    ),
    job("classify", "classify --train o.csv --test noise.csv --class income"),
    job(
        "lattice enumerate",
        "lattice enumerate o.csv --hierarchies hierarchies --quasi age,sex,region --k 5 -o nodes.csv",
    ),
    job(
        "lattice search",
        "lattice search o.csv --hierarchies hierarchies --quasi age,sex,region --k 5 -o best.csv",
    ),
    job(
        "fingerprint plan",
        "fingerprint plan o.csv --hierarchies hierarchies --quasi age,sex,region --k 5 -o plan.toml",
    ),
    job(
        "fingerprint release",
        "fingerprint release plan.toml o.csv --recipients graz,tokyo -o files",
    ),
    job("fingerprint identify", "fingerprint identify plan.toml files/graz.csv"),
    limited("experiment run", "400 records in each run", "experiment run study/table.toml --fresh"),
];

const SEVEN: &str = "x0,x1,x2,x3,x4,x5,x6";
const PAIR: &str = "--original o.csv --released noise.csv";

const EXPERIMENT: &str = r#"
title = "Growth"
attacks = ["dbrl1"]
[data]
file = "o.csv"
attributes = ["x0", "x1", "x2", "x3", "x4", "x5", "x6"]
[sample]
records = 400
runs = 2
seed = 7
[[protection]]
name = "Noise"
method = "noise"
p = [2, 30]
"#;

fn main() {
    if std::env::args().any(|argument| argument == "--test") {
        return;
    }
    let folders = SIZES.map(made);
    let rows: Vec<Row> = JOBS.iter().map(|job| Row::measured(job, &folders)).collect();
    let text = page(&rows);
    println!("{text}");
    std::fs::write("results/bench/growth.md", text).expect("results/bench can be written");
}

/// A folder with `records` in o.csv, hierarchies and an experiment.
fn made(records: usize) -> TempDir {
    let folder = TempDir::new_in(env!("CARGO_TARGET_TMPDIR")).expect("a folder");
    write_records(&folder.path().join("o.csv"), records).expect("o.csv can be written");
    let regions: String = (0..20).map(|r| format!("r{r},area{},*\n", r / 5)).collect();
    for (name, text) in [
        (
            "hierarchies/age.toml",
            "rule = \"number\"\nwidths = [5, 10, 20]\nstart = 0\nsuppress = true\n",
        ),
        ("hierarchies/sex.toml", "rule = \"suppress\"\n"),
        ("hierarchies/region.csv", &regions),
        ("study/table.toml", EXPERIMENT),
    ] {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        std::fs::write(path, text).expect("a file");
    }
    folder
}

fn write_records(path: &Path, records: usize) -> std::io::Result<()> {
    let mut out = BufWriter::new(std::fs::File::create(path)?);
    writeln!(out, "{SEVEN},age,sex,region,income")?;
    let mut random = generator(1, 0);
    for _ in 0..records {
        let x: [f64; 10] = std::array::from_fn(|_| StandardNormal.sample(&mut random));
        x[..7].iter().try_for_each(|x| write!(out, "{:.2},", 1000.0 * x))?;
        let age = (45.0 + 15.0 * x[7]).clamp(18.0, 89.0) as u32;
        let region = (10.0 + 4.0 * x[8]).clamp(0.0, 19.0) as u32;
        let income = if x[0] + x[8] + 0.5 * x[9] > 0.5 { "high" } else { "low" };
        writeln!(out, "{age},{},r{region},{income}", if x[9] > 0.0 { "f" } else { "m" })?;
    }
    out.flush()
}

/// What one run took.
#[derive(Clone, Copy, Default)]
struct Cost {
    /// Of the processors.
    seconds: f64,
    /// 0 where the system does not tell.
    megabytes: f64,
}

/// A command and what it took on each size that was not too much for it.
struct Row {
    job: &'static Job,
    costs: Vec<Cost>,
}

impl Row {
    fn measured(job: &'static Job, folders: &[TempDir]) -> Self {
        let mut costs: Vec<Cost> = Vec::new();
        for folder in folders {
            if costs.last().is_some_and(|cost| cost.seconds > patience() && job.limit.is_empty()) {
                break;
            }
            let Some(cost) = run(job, folder.path()) else { break };
            eprintln!("{}: {:.2} s, {:.0} MB", job.name, cost.seconds, cost.megabytes);
            costs.push(cost);
        }
        Self { job, costs }
    }

    /// What a number grew by, from each size to the next.
    fn steps(&self, of: impl Fn(&Cost) -> f64) -> Vec<f64> {
        self.costs.windows(2).map(|pair| of(&pair[1]) / of(&pair[0])).collect()
    }

    /// Whether time or memory grows faster than n log n, where it is more than noise.
    fn stands_out(&self) -> bool {
        let steep = |(i, step): (usize, f64)| step > TOLERANCE * n_log_n(i);
        let time = self.steps(|cost| cost.seconds.max(0.1)).into_iter().enumerate().any(steep);
        let memory = self.steps(|cost| cost.megabytes.max(20.0)).into_iter().enumerate().any(steep);
        time || memory
    }
}

/// What n log n grows by from size `i` to the next.
fn n_log_n(i: usize) -> f64 {
    let cost = |n: usize| n as f64 * (n as f64).ln();
    cost(SIZES[i + 1]) / cost(SIZES[i])
}

/// None where the command refuses.
fn run(job: &Job, folder: &Path) -> Option<Cost> {
    let arguments = job.arguments.replace("SEVEN", SEVEN).replace("PAIR", PAIR);
    let child = Command::new(env!("CARGO_BIN_EXE_unmask"))
        .args(arguments.split_whitespace())
        .current_dir(folder)
        .stdout(Stdio::null())
        .spawn()
        .expect("the program starts");
    let (status, cost) = watched(child);
    status.success().then_some(cost)
}

/// Waits for the end of `child`.
fn watched(mut child: Child) -> (ExitStatus, Cost) {
    let (started, mut cost) = (Instant::now(), Cost::default());
    loop {
        let read = |name| std::fs::read_to_string(format!("/proc/{}/{name}", child.id())).ok();
        let seconds = read("stat").as_deref().and_then(processor_seconds);
        cost.seconds = cost.seconds.max(seconds.unwrap_or(0.0));
        cost.megabytes = cost.megabytes.max(read("status").as_deref().map_or(0.0, high_water));
        if let Some(status) = child.try_wait().expect("a child") {
            if cost.megabytes == 0.0 {
                cost.seconds = started.elapsed().as_secs_f64();
            }
            return (status, cost);
        }
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// Ticks of the clock in a second, by which Linux counts.
const TICKS: f64 = 100.0;

/// The time in the program and in the system, the 14th and 15th field; names may have spaces.
fn processor_seconds(stat: &str) -> Option<f64> {
    let mut fields = stat.rsplit_once(')')?.1.split_whitespace().skip(11);
    let mut ticks = || fields.next()?.parse::<f64>().ok();
    Some((ticks()? + ticks()?) / TICKS)
}

/// Megabytes; 0 where there is no such line.
fn high_water(status: &str) -> f64 {
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kilobytes = line.and_then(|rest| rest.trim().trim_end_matches(" kB").parse::<f64>().ok());
    kilobytes.unwrap_or(0.0) / 1024.0
}

fn page(rows: &[Row]) -> String {
    let mut text = format!(
        "# Growth with the records\n\nMade by `make bench` on {} cores: the program itself on made files of seven normal \
         attributes, an age, a sex, a region and an income. One run each, reading and writing included. Seconds are those of the \
         processors, of all threads together; machines differ, so the ratios count. Ten times the records are {:.1} and {:.1} times n log n. What took more \
         than {} s was not run on more records, unless something else limits it; nor what refused so many.\n\n\
         | command | limited to | s at 10⁴ | s at 10⁵ | times | s at 10⁶ | times | MB at 10⁴ | at 10⁵ | times | at 10⁶ | times |\n\
         |---|---|---|---|---|---|---|---|---|---|---|---|\n",
        std::thread::available_parallelism().map_or(1, usize::from),
        n_log_n(0),
        n_log_n(1),
        patience(),
    );
    for row in rows {
        let seconds = cells(row, 2, |cost| cost.seconds);
        let memory = cells(row, 0, |cost| cost.megabytes);
        let Job { name, limit, .. } = row.job;
        writeln!(text, "| {name} | {limit} | {seconds} | {memory} |").expect("a String");
    }
    text + &standing_out(rows)
}

/// The number at each size, and from the second on how many times the one before.
fn cells(row: &Row, digits: usize, of: impl Fn(&Cost) -> f64 + Copy) -> String {
    let mut cells = Vec::new();
    let steps = row.steps(of);
    for i in 0..SIZES.len() {
        let number = row.costs.get(i).map(of).filter(|number| *number > 0.0);
        cells.push(number.map_or("-".into(), |number| format!("{number:.digits$}")));
        if i > 0 {
            let step = steps.get(i - 1).filter(|step| step.is_finite());
            cells.push(step.map_or("-".into(), |step| format!("{step:.1}")));
        }
    }
    cells.join(" | ")
}

/// The commands that grow faster than n log n.
fn standing_out(rows: &[Row]) -> String {
    let names: Vec<&str> = rows.iter().filter(|row| row.stands_out()).map(|r| r.job.name).collect();
    let named = if names.is_empty() { "none".to_owned() } else { names.join(", ") };
    format!("\nSteps of more than {TOLERANCE} times n log n, in time or memory: {named}.\n")
}
