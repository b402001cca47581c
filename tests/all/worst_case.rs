//! The worst case of a release, against independent ways to the same number.

use crate::support::{column, dataset, normal_columns, success, unmask_in};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use tempfile::TempDir;
use unmask::dataset::{Attribute, Dataset, ReadOptions};
use unmask::distance::Standardization;
use unmask::learning::{
    Aggregation, Count, HeldOut, Learner, PairRows, RowSet, SolverChoice, WorstCase, worst_case,
};
use unmask::linkage::{Attack, Release, TieRule};
use unmask::protection::{Noise, ProtectionMethod};
use unmask_solvers::{Limits, StopReason};

const SEVEN: [&str; 7] = ["AFNLWGT", "AGI", "EMCONTRB", "FEDTAX", "PTOTVAL", "STATETAX", "TAXINC"];

fn learner(solver: SolverChoice) -> Learner<'static> {
    Learner {
        standardization: Standardization::Own,
        aggregation: Aggregation::WeightedMean,
        count: Count::Certain,
        solver,
        rows: RowSet::All,
        limits: Limits::default(),
        certificates: None,
    }
}

fn solve(release: &Release, names: &[&str], learner: &Learner<'_>) -> WorstCase {
    worst_case(release, names, learner, &()).expect("solves")
}

/// Census with `p` percent of noise, a sample of `size` records.
fn noisy_census(p: f64, size: usize, seed: u64) -> Release {
    let census = Dataset::load("census", &ReadOptions::default()).unwrap();
    let names = census.names()[..13].to_vec();
    let released = Noise::new(p).protect(&census, &names, seed, &()).unwrap().released;
    Release::by_row(census, released).unwrap().sample(size, seed).unwrap()
}

fn made(original: &[Vec<f64>], released: &[Vec<f64>]) -> Release {
    Release::by_row(dataset(original), dataset(released)).unwrap()
}

fn raw(aggregation: Aggregation) -> Learner<'static> {
    Learner { standardization: Standardization::Raw, aggregation, ..learner(SolverChoice::Exact) }
}

/// The most records any weights (w, 1 - w) re-identify: between two neighboring
/// breakpoints of the inequalities nothing changes, so one point of each is enough.
fn best_of_two_weights(release: &Release, aggregation: Aggregation) -> usize {
    let rows = PairRows::new(release, &["x0", "x1"], Standardization::Raw, aggregation).unwrap();
    let blocks: Vec<Vec<f64>> = (0..rows.blocks()).map(|i| rows.block(i)).collect();
    let mut breaks = vec![0.0, 1.0];
    for row in blocks.iter().flat_map(|block| block.chunks_exact(2)) {
        let (a, b) = (row[0], row[1]);
        let zero = b / (b - a);
        if zero.is_finite() && zero > 0.0 && zero < 1.0 {
            breaks.push(zero);
        }
    }
    breaks.sort_by(f64::total_cmp);
    let count = |w: f64| {
        let holds = |block: &&Vec<f64>| {
            block.chunks_exact(2).all(|row| w * row[0] + (1.0 - w) * row[1] > 0.0)
        };
        blocks.iter().filter(holds).count()
    };
    let between = breaks.windows(2).filter(|pair| pair[1] - pair[0] > 1e-9);
    between.map(|pair| count((pair[0] + pair[1]) / 2.0)).max().unwrap_or(0)
}

proptest! {
    #![proptest_config(ProptestConfig { rng_seed: RngSeed::Fixed(1), ..ProptestConfig::with_cases(150) })]

    #[test]
    fn two_weights_are_as_good_as_the_best_of_all_arrangements(
        original in prop::collection::vec(prop::collection::vec(0i32..12, 14), 2),
        moved in prop::collection::vec(prop::collection::vec(-3i32..4, 14), 2),
        owa in any::<bool>()
    ) {
        let float = |columns: &[Vec<i32>]| -> Vec<Vec<f64>> {
            columns.iter().map(|c| c.iter().map(|v| f64::from(*v)).collect()).collect()
        };
        let original = float(&original);
        let moved = float(&moved);
        let released: Vec<Vec<f64>> = original
            .iter()
            .zip(&moved)
            .map(|(o, m)| o.iter().zip(m).map(|(a, b)| a + b).collect())
            .collect();
        let release = made(&original, &released);
        let aggregation = if owa { Aggregation::Owa } else { Aggregation::WeightedMean };
        let found = solve(&release, &["x0", "x1"], &raw(aggregation));
        prop_assert!(found.outcome.proven_optimal());
        prop_assert_eq!(found.certain(), best_of_two_weights(&release, aggregation));
    }
}

/// The solvers that prove an optimum.
#[cfg(feature = "milp")]
const PROVING: &[SolverChoice] =
    &[SolverChoice::Exact, SolverChoice::MilpHighs, SolverChoice::MilpGoodLp];
#[cfg(not(feature = "milp"))]
const PROVING: &[SolverChoice] = &[SolverChoice::Exact];

#[test]
fn all_solvers_agree_on_small_census_samples() {
    for (p, seed) in [(16.0, 1), (30.0, 2), (60.0, 3)] {
        let release = noisy_census(p, 40, seed);
        let names = &SEVEN[..4];
        let exact = solve(&release, names, &learner(SolverChoice::Exact));
        assert!(exact.outcome.proven_optimal());
        for &solver in PROVING {
            let proven = solve(&release, names, &learner(solver));
            assert!(proven.outcome.proven_optimal(), "{solver:?}");
            assert_eq!(proven.certain(), exact.certain(), "{solver:?} p={p}");
        }
        let heuristic = solve(&release, names, &learner(SolverChoice::Heuristic));
        assert!(heuristic.certain() <= exact.certain());
    }
}

#[test]
fn the_worst_case_is_at_least_every_weighted_attack() {
    let release = noisy_census(16.0, 200, 4);
    let found = solve(&release, &SEVEN, &learner(SolverChoice::Exact));
    assert!(found.outcome.proven_optimal());
    let count =
        |attack: Attack| attack.link(&release, &SEVEN, &()).unwrap().reidentified(TieRule::Miss);
    assert!(found.certain() as f64 >= count(Attack::Dbrl1));
    for attribute in SEVEN {
        assert!(found.certain() as f64 >= count(Attack::Single { attribute: attribute.into() }));
    }
    let weights = found.outcome.weights().to_vec();
    assert_eq!(count(Attack::Weighted { weights }), found.certain() as f64);
}

#[test]
fn the_same_optimum_and_weights_come_from_any_number_of_threads() {
    let release = noisy_census(16.0, 150, 5);
    let with = |threads| {
        let limits = Limits { threads: Some(threads), ..Limits::default() };
        let found = solve(&release, &SEVEN, &Learner { limits, ..learner(SolverChoice::Exact) });
        (found.certain(), found.outcome.weights().to_vec())
    };
    assert_eq!(with(1), with(2));
}

#[test]
fn identical_twins_in_the_release_are_never_counted() {
    let mut columns = normal_columns(30, 3, 8);
    for column in &mut columns {
        for pair in 0..10 {
            column[2 * pair + 1] = column[2 * pair];
        }
    }
    let release = made(&columns, &columns);
    for &solver in PROVING {
        let found = solve(&release, &["x0", "x1", "x2"], &learner(solver));
        assert_eq!(found.certain(), 10, "{solver:?}");
        assert!(found.outcome.proven_optimal());
        assert_eq!(found.outcome.reductions().blocks_dead, 20);
    }
}

#[test]
fn one_attribute_and_two_records_have_defined_results() {
    let release = made(&[vec![1.0, 2.0]], &[vec![1.1, 1.9]]);
    let found = solve(&release, &["x0"], &learner(SolverChoice::Exact));
    assert_eq!((found.certain(), found.upper_bound()), (2, 2.0));
    assert_eq!(found.outcome.weights(), [1.0]);
}

#[test]
fn a_file_whose_records_are_all_alike_has_a_worst_case_of_zero() {
    let original = vec![vec![1.0, 2.0, 3.0], vec![3.0, 1.0, 2.0]];
    let release = made(&original, &[vec![2.0; 3], vec![2.0; 3]]);
    let found = solve(&release, &["x0", "x1"], &raw(Aggregation::WeightedMean));
    assert_eq!((found.certain(), found.upper_bound()), (0, 0.0));
    assert!(found.outcome.proven_optimal());
}

#[test]
fn nominal_attributes_can_carry_the_risk() {
    let town = |names: &[&str]| Attribute::nominal("town", names.iter().map(|n| Some(*n)));
    let number = |values: &[f64]| Attribute::numeric("x", values.to_vec()).unwrap();
    let original =
        Dataset::new("o", vec![town(&["a", "b", "c"]), number(&[1.0, 2.0, 3.0])]).unwrap();
    let released =
        Dataset::new("r", vec![town(&["a", "b", "c"]), number(&[3.0, 1.0, 2.0])]).unwrap();
    let release = Release::by_row(original, released).unwrap();
    let found = solve(&release, &["town", "x"], &learner(SolverChoice::Exact));
    assert_eq!(found.certain(), 3);
    assert!(found.outcome.weights()[0] > 0.5, "{:?}", found.outcome.weights());
}

#[test]
fn generated_rows_lead_to_the_same_optimum_as_all_rows() {
    for (seed, aggregation) in [(6, Aggregation::WeightedMean), (7, Aggregation::Owa)] {
        let release = noisy_census(40.0, 120, seed);
        let all = Learner { aggregation, ..learner(SolverChoice::Exact) };
        let generated = Learner { rows: RowSet::Generated, ..all.clone() };
        let (all, generated) = (solve(&release, &SEVEN, &all), solve(&release, &SEVEN, &generated));
        assert!(all.outcome.proven_optimal() && generated.outcome.proven_optimal());
        assert_eq!(all.certain(), generated.certain());
        assert!(generated.rounds > 1);
        assert!(
            generated.outcome.reductions().rows_reduced < all.outcome.reductions().rows_reduced
        );
    }
}

#[test]
fn a_limit_gives_a_true_interval() {
    let release = noisy_census(16.0, 200, 9);
    let truth = solve(&release, &SEVEN, &learner(SolverChoice::Exact)).certain();
    let limits = Limits { nodes: Some(50), ..Limits::default() };
    let cut = solve(&release, &SEVEN, &Learner { limits, ..learner(SolverChoice::Exact) });
    assert_eq!(cut.outcome.stop_reason(), StopReason::NodeLimit);
    assert!(cut.certain() <= truth && truth as f64 <= cut.upper_bound());
    assert!(cut.upper_bound() < release.records() as f64);
}

#[test]
fn held_out_records_are_others_than_those_learned_from() {
    let census = Dataset::load("census", &ReadOptions::default()).unwrap();
    let whole = Release::by_row(census.clone(), census).unwrap();
    let (first, second) = whole.split(Some(400), 500, 3).unwrap();
    assert_eq!(first.original(), whole.sample(400, 3).unwrap().original());
    let rows = |release: &Release| -> Vec<Vec<u64>> {
        let columns = [0, 1, 2].map(|k| column(release.original(), k));
        (0..release.records()).map(|i| columns.iter().map(|c| c[i].to_bits()).collect()).collect()
    };
    let learned = rows(&first);
    assert!(rows(&second).iter().all(|row| !learned.contains(row)));
    let (rest, held) = whole.split(None, 80, 3).unwrap();
    assert_eq!((rest.records(), held.records()), (1000, 80));
    let weights = [1.0; 7];
    let mean = Aggregation::WeightedMean;
    let tested = HeldOut::test(&held, &SEVEN, Standardization::Own, mean, &weights).unwrap();
    assert_eq!((tested.dbrl1, tested.worst_case_weights), (80, 80));
}

/// `noisy.csv` in a new folder.
fn folder_with_noisy_census() -> TempDir {
    let folder = TempDir::new().unwrap();
    let protect = ["protect", "noise", "census", "--p", "16", "--seed", "1", "-o", "noisy.csv"];
    success(&unmask_in(folder.path(), &protect));
    folder
}

#[test]
fn audit_prints_the_record_that_is_promised() {
    let folder = folder_with_noisy_census();
    let names = SEVEN.join(",");
    let arguments = [
        "audit",
        "--original",
        "census",
        "--released",
        "noisy.csv",
        "--attributes",
        &names,
        "--sample",
        "100",
        "--test-sample",
        "200",
        "--format",
        "json",
    ];
    let record: serde_json::Value =
        serde_json::from_str(&success(&unmask_in(folder.path(), &arguments))).unwrap();
    assert_eq!((&record["records"], &record["targets"]), (&1080.into(), &100.into()));
    let attacks = record["attacks"].as_array().unwrap();
    let dbrl1 = attacks.iter().find(|a| a["attack"] == "dbrl1").unwrap();
    let worst = &record["worst_case"];
    assert!(worst["file"]["upper_bound_rate"].as_f64() >= dbrl1["rate"].as_f64());
    assert_eq!(worst["upper_bound"], worst["reidentified"]);
    assert_eq!(worst["proven_optimal"], true);
    assert_eq!(worst["solver"], "exact");
    assert_eq!(worst["rows_full"], 107_900);
    assert!(worst["rows_reduced"].as_u64().unwrap() < 107_900);
    let weights = worst["weights"].as_object().unwrap();
    assert!((weights.values().map(|w| w.as_f64().unwrap()).sum::<f64>() - 1.0).abs() < 1e-9);
    assert_eq!(weights.keys().collect::<Vec<_>>(), SEVEN);
    assert_eq!(record["held_out"]["records"], 200);
    assert!(record["held_out"]["dbrl1"].is_u64());
}

#[cfg(unix)]
fn interrupted_audit(folder: &std::path::Path, after: std::time::Duration) -> std::process::Output {
    let child = std::process::Command::new(env!("CARGO_BIN_EXE_unmask"))
        .args(["audit", "--original", "census", "--released", "noisy.csv", "--format", "json"])
        .current_dir(folder)
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    std::thread::sleep(after);
    let id = child.id().to_string();
    std::process::Command::new("kill").args(["-INT", &id]).status().unwrap();
    child.wait_with_output().unwrap()
}

#[test]
fn an_interrupted_audit_prints_the_best_weights_and_the_interval() {
    let folder = folder_with_noisy_census();
    // On a busy machine the search may begin late; until then an interrupt ends the program, or
    // the audit with what a sample tells.
    let waits = [4, 12, 36].map(std::time::Duration::from_secs).into_iter();
    let outputs = waits.map(|wait| interrupted_audit(folder.path(), wait));
    let mut records = outputs
        .filter(|output| output.status.code() != Some(130))
        .map(|output| serde_json::from_str::<serde_json::Value>(&success(&output)).unwrap());
    let record = records.find(|record| record["targets"] == 1080).unwrap();
    let worst = &record["worst_case"];
    assert_eq!(worst["stop_reason"], "interrupted");
    assert!(worst["reidentified"].as_u64() <= worst["upper_bound"].as_u64());
    assert!(worst["reidentified"].as_u64().unwrap() > 800);
}

#[cfg(feature = "milp")]
#[test]
fn a_written_model_has_the_optimum_of_the_exact_search() {
    let folder = folder_with_noisy_census();
    let names = SEVEN[..3].join(",");
    let common = [
        "--original",
        "census",
        "--released",
        "noisy.csv",
        "--attributes",
        &names,
        "--sample",
        "30",
    ];
    let run = |command: &[&str]| {
        let all: Vec<&str> = command.iter().chain(&common).copied().collect();
        success(&unmask_in(folder.path(), &all))
    };
    let audit: serde_json::Value =
        serde_json::from_str(&run(&["audit", "--format", "json"])).unwrap();
    let missed = 30 - audit["worst_case"]["reidentified"].as_u64().unwrap();
    for (model, file) in
        [("reduced", "r.mps"), ("reduced", "r.lp"), ("full", "f.mps"), ("full", "f.lp")]
    {
        run(&["export-milp", "--model", model, "-o", file]);
        let optimum = unmask_solvers::optimum_of_file(&folder.path().join(file)).unwrap();
        assert_eq!(optimum.round() as u64, missed, "{file}");
    }
}
