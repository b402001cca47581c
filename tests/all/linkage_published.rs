//! The DBRL columns of Tables 2, 3 and 4 of Abril, Navarro-Arribas, Torra 2012,
//! doi:10.1016/j.inffus.2011.05.001.
//!
//! Reading: the full Census file of 1080 x 13 is protected, 400 records are drawn
//! without replacement, each file is standardized by its own 400 records, and
//! the first 7 attributes in file order are linked, strictly. Ten runs, seeds 1
//! to 10 for protection and sample alike.
//!
//! A cell agrees when the means of ten runs differ by at most two standard
//! errors of their difference: √((s² + s'²) / 10), s and s' being the standard
//! deviations of our and of the published runs. It is never taken below one
//! record in the 4000 of ten runs, so that cells where no run varies can be judged.
//!
//! The test is as sharp as ten runs are. Sixty runs of ours place eight of the 33
//! published means two to four standard errors above ours, by 0.2 to 1.7 points
//! (rank swapping 5; Mic2 7, 10, 14, 16; noise 6, 14, 16). Linking from the
//! release to the original fits rank swapping and Mic2 better (27 cells in all)
//! but noise 12, 14 and 16 worse, by up to five; other statistics for the
//! standardization change little. The reading above is the paper's text.

use unmask::dataset::{Dataset, ReadOptions};
use unmask::linkage::{Attack, Release, TieRule};
use unmask::protection::microaggregation::{AttributeBlocks, Mdav};
use unmask::protection::{Noise, ProtectionMethod, RankSwapping};
use unmask::statistics::{mean, standard_deviation};

const TABLE_2: &str = include_str!("../published/abril2012-table2-rank-swapping.csv");
const TABLE_3: &str = include_str!("../published/abril2012-table3-mic2.csv");
const TABLE_4: &str = include_str!("../published/abril2012-table4-noise.csv");

const RUNS: u64 = 10;
const SAMPLE: usize = 400;
const ATTRIBUTES: usize = 7;

/// One cell: parameter, mean and standard deviation in percent.
#[derive(Clone, Copy)]
struct Cell {
    parameter: f64,
    mean: f64,
    deviation: f64,
}

/// The `dbrl` and `dbrl_sd` columns of a table; the latter is printed as a share.
fn published(table: &str) -> Vec<Cell> {
    let cell = |line: &str| {
        let numbers: Vec<f64> = line.split(',').map(|n| n.parse().expect("a number")).collect();
        Cell { parameter: numbers[0], mean: numbers[1], deviation: 100.0 * numbers[2] }
    };
    table.lines().skip(1).map(cell).collect()
}

fn rank_swapping(p: f64) -> Box<dyn ProtectionMethod> {
    Box::new(RankSwapping::new(p))
}

fn mic2(k: f64) -> Box<dyn ProtectionMethod> {
    Box::new(Mdav { groups: AttributeBlocks::Of(2), ..Mdav::new(k as usize) })
}

fn noise(p: f64) -> Box<dyn ProtectionMethod> {
    Box::new(Noise::new(p))
}

/// Percent re-identified in each run.
fn runs(census: &Dataset, method: &dyn ProtectionMethod) -> Vec<f64> {
    let all = census.names();
    let names = &all[..ATTRIBUTES];
    (1..=RUNS)
        .map(|seed| {
            let protected = method.protect(census, &all, seed, &()).expect("protects");
            let release = Release::by_row(census.clone(), protected.released).expect("rows fit");
            let sample = release.sample(SAMPLE, seed).expect("400 of 1080");
            let links = Attack::Dbrl1.link(&sample, names, &()).expect("links");
            100.0 * links.rate(TieRule::Miss)
        })
        .collect()
}

/// Prints ours, theirs and the difference in standard errors; true when they agree.
fn agrees(name: &str, census: &Dataset, method: &dyn ProtectionMethod, cell: Cell) -> bool {
    let rates = runs(census, method);
    let variance = standard_deviation(&rates).powi(2) + cell.deviation.powi(2);
    let error = (variance / RUNS as f64).sqrt().max(100.0 / (SAMPLE as f64 * RUNS as f64));
    let errors = (mean(&rates) - cell.mean) / error;
    println!(
        "{name} {:>2}: ours {:7.3} (sd {:.3})  published {:7.3} (sd {:.3})  {errors:+.2} standard errors",
        cell.parameter,
        mean(&rates),
        standard_deviation(&rates),
        cell.mean,
        cell.deviation,
    );
    errors.abs() <= 2.0
}

fn census() -> Dataset {
    Dataset::load("census", &ReadOptions::default()).expect("built in")
}

type Method = fn(f64) -> Box<dyn ProtectionMethod>;
const TABLES: [(&str, &str, Method); 3] =
    [("rank swapping", TABLE_2, rank_swapping), ("mic2", TABLE_3, mic2), ("noise", TABLE_4, noise)];

#[test]
fn nine_of_ten_published_dbrl_cells_are_reproduced_within_two_standard_errors() {
    let census = census();
    let mut agreement = Vec::new();
    for (name, table, method) in TABLES {
        for cell in published(table) {
            agreement.push(agrees(name, &census, &*method(cell.parameter), cell));
        }
    }
    let agreeing = agreement.iter().filter(|a| **a).count();
    println!("{agreeing} of {} cells agree", agreement.len());
    assert!(10 * agreeing >= 9 * agreement.len());
}
