//! How close the worst case is known from much risk to little: found and bound
//! over protection methods, records and attributes, beside an earlier version.
//!
//! Time is that of the processor over the number of cores, so that other work on
//! the machine does not count. Each cell stops at its proof or after the last of
//! [`TIMES`]. `cargo bench --bench worst_case_map -- "noise p=40" 1080` runs the
//! cells whose names contain all of the words and keeps the others from
//! results/bench/worst_case_map.csv. To compare versions, run the
//! earlier one and name its file worst_case_map_before.csv.

#[path = "../tests/support/mod.rs"]
mod support;

use std::fmt::Write as _;
use std::sync::Mutex;
use std::time::Instant;
use support::worst_case::{problem, release};
use unmask::learning::SolverChoice;
use unmask::protection::microaggregation::Mdav;
use unmask::protection::{Noise, ProtectionMethod, RankSwapping};
use unmask::report::plots::{Chart, Mark, Series, panels};
use unmask_solvers::{Limits, Listener, SearchState};

const FOLDER: &str = "results/bench";
/// Seconds after which intervals are shown.
const TIMES: [f64; 2] = [10.0, 60.0];
const CORES: usize = 2;
/// Records and attributes.
const SIZES: [(usize, usize); 4] = [(400, 7), (1080, 7), (400, 13), (1080, 13)];

/// A protection method with its parameters, from weak to strong.
struct Method {
    name: &'static str,
    parameter: char,
    values: &'static [u32],
    with: fn(u32) -> Box<dyn ProtectionMethod>,
}

const METHODS: [Method; 3] = [
    Method {
        name: "noise",
        parameter: 'p',
        values: &[16, 20, 40, 80, 160, 320],
        with: |p| Box::new(Noise::new(f64::from(p))),
    },
    Method {
        name: "rank swapping",
        parameter: 'p',
        values: &[5, 10, 20, 40],
        with: |p| Box::new(RankSwapping::new(f64::from(p))),
    },
    Method {
        name: "MDAV",
        parameter: 'k',
        values: &[3, 5, 10, 20],
        with: |k| Box::new(Mdav::new(k as usize)),
    },
];

/// Records that the best weights re-identify, and a bound for all weights.
type Interval = [u64; 2];

/// What is known of a cell.
#[derive(Clone)]
struct Measured {
    name: String,
    /// After each of [`TIMES`].
    intervals: [Interval; 2],
    seconds: f64,
}

impl Measured {
    fn proven(&self) -> bool {
        self.intervals[1][0] == self.intervals[1][1]
    }

    fn csv(&self) -> String {
        let [[a, b], [c, d]] = self.intervals;
        format!("{},{a},{b},{c},{d},{:.2}\n", self.name, self.seconds)
    }

    fn from_csv(line: &str) -> Option<Self> {
        let mut cells = line.split(',');
        let name = cells.next()?.to_owned();
        let mut number = || cells.next()?.parse::<f64>().ok();
        let mut interval = || Some([number()? as u64, number()? as u64]);
        Some(Self { name, intervals: [interval()?, interval()?], seconds: number()? })
    }

    fn shown(&self, time: usize) -> String {
        let [found, bound] = self.intervals[time];
        match found == bound {
            true => format!("**{found}**"),
            false => format!("{found} to {bound}"),
        }
    }
}

/// Notes intervals and stops a search.
struct Watch {
    started: f64,
    states: Mutex<Vec<(f64, Interval)>>,
}

impl Watch {
    fn start() -> Self {
        Self { started: core_seconds(), states: Mutex::default() }
    }

    fn seconds(&self) -> f64 {
        (core_seconds() - self.started) / CORES as f64
    }

    fn note(&self, interval: Interval) {
        self.states.lock().expect("not poisoned").push((self.seconds(), interval));
    }

    /// The last interval noted by `time`.
    fn at(&self, time: f64, records: u64) -> Interval {
        let states = self.states.lock().expect("not poisoned");
        states.iter().rfind(|state| state.0 <= time).map_or([0, records], |state| state.1)
    }
}

impl Listener for Watch {
    fn search(&self, state: &SearchState) {
        self.note([state.best, state.bound].map(|missed| state.total_gain - missed));
    }

    fn interrupted(&self) -> bool {
        self.seconds() > TIMES[1]
    }
}

/// Seconds of the processor that this program took on all cores; where the system does not say,
/// as if it had taken all of them.
fn core_seconds() -> f64 {
    static STARTED: std::sync::OnceLock<Instant> = std::sync::OnceLock::new();
    let started = STARTED.get_or_init(Instant::now);
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields = stat.rsplit(')').next().unwrap_or_default().split_whitespace();
    // Time in the program and in the system for it, in hundredths, eleven fields after the name.
    let ticks: Vec<f64> = fields.skip(11).take(2).filter_map(|f| f.parse().ok()).collect();
    match ticks[..] {
        [user, system] => (user + system) / 100.0,
        _ => started.elapsed().as_secs_f64() * CORES as f64,
    }
}

fn measure(name: String, method: &dyn ProtectionMethod, records: usize, n: usize) -> Measured {
    let problem = problem(&release(method, records), n);
    let watch = Watch::start();
    let limits = Limits { threads: Some(CORES), ..Limits::default() };
    let outcome = SolverChoice::Exact.solver().solve(&problem, &limits, &watch).expect("solves");
    let seconds = watch.seconds();
    let missed = [outcome.violated_blocks() as u64, outcome.bound()];
    let last = missed.map(|missed| records as u64 - missed);
    let early = if seconds <= TIMES[0] { last } else { watch.at(TIMES[0], records as u64) };
    Measured { name, intervals: [early, last], seconds }
}

fn cell_name(method: &Method, value: u32, (records, n): (usize, usize)) -> String {
    format!("{} {}={value} {records} x {n}", method.name, method.parameter)
}

fn read(file: &str) -> Vec<Measured> {
    let text = std::fs::read_to_string(format!("{FOLDER}/{file}")).unwrap_or_default();
    text.lines().skip(1).filter_map(Measured::from_csv).collect()
}

fn find<'m>(all: &'m [Measured], name: &str) -> Option<&'m Measured> {
    all.iter().find(|cell| cell.name == name)
}

/// Measures the cells whose names contain all words; the others as they were.
fn measure_all(words: &[String]) -> Vec<Measured> {
    let known = read("worst_case_map.csv");
    let mut all = Vec::new();
    for size in SIZES {
        for (method, value) in METHODS.iter().flat_map(|m| m.values.iter().map(move |v| (m, *v))) {
            let name = cell_name(method, value, size);
            if words.iter().all(|word| name.contains(word)) {
                let cell = measure(name, &*(method.with)(value), size.0, size.1);
                print!("{}", cell.csv());
                all.push(cell);
            } else {
                all.extend(find(&known, &name).cloned());
            }
        }
    }
    all
}

fn data(all: &[Measured]) -> String {
    let head = TIMES.map(|t| format!("found after {t} s,bound after {t} s")).join(",");
    let lines: String = all.iter().map(Measured::csv).collect();
    format!("cell,{head},seconds\n{lines}")
}

fn table(all: &[Measured], before: &[Measured]) -> String {
    let mut text = String::from(
        "# The worst case from much risk to little\n\n\
         Records re-identified: the most that weights were found to reach, to the most that any \
         could. Proven optima are bold.\n\n\
         | cell | 10 s | before, 60 s | 60 s | before, seconds | seconds |\n\
         |---|---|---|---|---|---|\n",
    );
    let seconds = |cell: &Measured| match cell.proven() {
        true => format!("{:.1}", cell.seconds),
        false => "-".into(),
    };
    for cell in all {
        let before = find(before, &cell.name);
        let line = format!(
            "| {} | {} | {} | {} | {} | {} |",
            cell.name,
            cell.shown(0),
            before.map_or("-".into(), |b| b.shown(1)),
            cell.shown(1),
            before.map_or("-".into(), seconds),
            seconds(cell)
        );
        writeln!(text, "{line}").expect("a String takes any text");
    }
    text + &format!(
        "\n![found and bound over the strength of protection](worst_case_map.svg)\n\n\
         Made by `make bench`: Census, first attributes in file order, one sample of the records \
         (seed 1). Seconds are those of the processor over {CORES} cores, without making \
         the problem. *Before* (worst_case_map_before.csv): the version with a weight floor and without groups \
         of records that exclude each other, 60 s of the clock on two loaded cores, 45 s for 13 \
         attributes.\n"
    )
}

/// One chart per method and size: found, the bound after the last time, and that before.
fn charts(all: &[Measured], before: &[Measured]) -> Vec<Chart> {
    let sizes = SIZES.iter().flat_map(|size| METHODS.iter().map(move |method| (method, *size)));
    sizes.map(|(method, size)| chart(method, size, all, before)).collect()
}

fn chart(method: &Method, size: (usize, usize), all: &[Measured], before: &[Measured]) -> Chart {
    let series = |name: &str, from: &[Measured], [time, end]: [usize; 2]| {
        let point = |(x, value): (usize, &u32)| {
            let cell = find(from, &cell_name(method, *value, size))?;
            Some((x as f64, 100.0 * cell.intervals[time][end] as f64 / size.0 as f64))
        };
        let points = method.values.iter().enumerate().filter_map(point).collect();
        (Series { name: name.into(), points }, Mark::Line)
    };
    Chart {
        title: format!("{}, {} records, {} attributes", method.name, size.0, size.1),
        x_label: method.parameter.to_string(),
        y_label: "re-identified, %".into(),
        x_names: method.values.iter().map(u32::to_string).collect(),
        series: vec![
            series("found", all, [1, 0]),
            series("bound, 60 s", all, [1, 1]),
            series("bound, 10 s", all, [0, 1]),
            series("before, 60 s", before, [1, 1]),
        ],
        ..Chart::default()
    }
}

fn main() {
    let words: Vec<String> = std::env::args().skip(1).filter(|a| !a.starts_with("--")).collect();
    let before = read("worst_case_map_before.csv");
    let all = measure_all(&words);
    for (ending, text) in
        [("csv", data(&all)), ("md", table(&all, &before)), ("svg", panels(&charts(&all, &before)))]
    {
        let path = format!("{FOLDER}/worst_case_map.{ending}");
        std::fs::write(path, text).expect("results/bench can be written");
    }
}
