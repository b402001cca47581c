//! Files made to be reassured about: what an audit must say of each, with the true number.

use crate::support::survey::{
    FIVE, Rows, audit, changed, csv, dataset, released_as, survey, unhurried,
};
use crate::support::{normal_columns, refusal, success, unmask_in};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use rand::seq::SliceRandom;
use serde_json::Value;
use std::time::{Duration, Instant};
use tempfile::TempDir;
use unmask::audit::{Audit, Gate, Haystack};
use unmask::dataset::{Attribute, Dataset, ReadOptions, Role};
use unmask::learning::Count;
use unmask::linkage::Release;
use unmask::protection::microaggregation::Mdav;
use unmask::protection::{Method, Noise, NoiseKind, Protection, Recipe};
use unmask::random::generator;
use unmask::statistics::upper_limit_of_mean;

fn protected(method: impl Into<Recipe>, names: &[&str]) -> Release {
    let original = dataset(&survey());
    let names = names.iter().map(|n| (*n).to_owned()).collect();
    let recipe = Recipe { attributes: names, seed: Some(1), ..method.into() };
    let made = Protection::from(recipe).apply(&original, &()).expect("protects");
    Release::by_row(original, made.protected.released).expect("as many rows")
}

#[test]
fn decades_and_region_prefixes_are_attacked_as_what_they_are() {
    let file = changed(&["age", "region"], |name, cell| match name {
        "age" => {
            let decade = cell.parse::<u32>().unwrap() / 10 * 10;
            format!("{decade}-{}", decade + 9)
        }
        _ => format!("{}***", &cell[..2]),
    });
    let record = audit(&released_as(&file), &FIVE);
    assert!(record.verdict.certain >= 2_399, "{:?}", record.verdict);
    assert!(record.verdict.expected >= 2_673.5, "{:?}", record.verdict);
    assert!(record.verdict.upper_bound >= record.verdict.rate);
}

#[test]
fn an_unprotected_file_with_its_rows_shuffled_is_refused() {
    let (header, mut rows) = survey();
    rows.shuffle(&mut generator(7, 0));
    let release = released_as(&(header, rows));
    let error = Audit::of(&release).attributes(FIVE).run(&()).unwrap_err().to_string();
    assert!(error.contains("do not seem to correspond"), "{error}");
    assert!(error.contains("`key`"), "the remedy: {error}");
    let insisted = Audit::of(&release).attributes(FIVE).rows_correspond(true).run(&()).unwrap();
    assert!(insisted.rows_insisted);
    assert!(insisted.verdict.warnings.iter().any(|w| w.contains("do not seem to correspond")));
    let by_key = Release::by_key(dataset(&survey()), release.released().clone(), "person_id");
    let found = audit(&by_key.unwrap(), &FIVE);
    assert!(found.verdict.expected > 2_900.0, "all of it: {:?}", found.verdict);
}

#[test]
fn a_top_code_is_attacked_on_the_originals_scale_too() {
    let file = changed(&["age"], |_, cell| cell.parse::<u32>().unwrap().min(65).to_string());
    let record = audit(&released_as(&file), &["age", "sex", "region"]);
    assert_eq!(record.worst_case.scale, "original");
    assert_eq!(record.verdict.certain, 947);
    assert_eq!(record.verdict.expected.round(), 1_572.0);
    let own = record.worst_case.scales.iter().find(|s| s.scale == "own").expect("both are solved");
    assert!(own.certain < 947);
}

#[test]
fn groups_of_five_leave_a_fifth_to_guess_and_a_sample_agrees() {
    let release = protected(Method::Mdav(Mdav::new(5)), &["age", "weight"]);
    let names = ["age", "weight"];
    let whole = audit(&release, &names);
    assert_eq!(whole.verdict.certain, 0);
    assert!(whole.verdict.expected >= 390.0, "{:?}", whole.verdict);
    let sampled = unhurried(&release).attributes(names).sample(300).run(&()).unwrap();
    assert_eq!((sampled.targets, sampled.records), (300, 3_000));
    assert_eq!(sampled.worst_case.certain, 0, "the release is whole: nobody is alone");
    assert!(sampled.verdict.sampled && !sampled.verdict.proven);
    let truth = whole.worst_case.file.rate;
    assert!(sampled.worst_case.file.rate <= whole.worst_case.file.upper_bound_rate);
    assert!(sampled.worst_case.file.upper_bound_rate >= truth);
}

#[test]
fn a_sample_of_targets_says_of_the_file_what_is_true_of_it() {
    let noise = Noise { p: vec![60.0], noise: NoiseKind::Uncorrelated };
    let release = protected(Method::Noise(noise), &["age", "weight"]);
    let names = ["age", "weight"];
    let whole = audit(&release, &names);
    assert!(whole.worst_case.proven_optimal);
    assert!(whole.worst_case.rate < 0.01, "{}", whole.worst_case.rate);
    let sampled = unhurried(&release).attributes(names).sample(300).run(&()).unwrap();
    let file = sampled.worst_case.file;
    assert!(file.rate <= whole.worst_case.rate && whole.worst_case.rate <= file.upper_bound_rate);
    assert!(file.rate < 0.01, "not 5%: {file:?}");
    let cut = unhurried(&release).attributes(names).sample(300).haystack(Haystack::Sample);
    let cut = cut.run(&()).unwrap();
    assert!(cut.worst_case.rate > 0.03, "the study's protocol: {}", cut.worst_case.rate);
    assert!(cut.verdict.warnings.iter().any(|w| w.contains("cut to 300 records")));
}

#[test]
fn one_to_one_linkage_above_the_worst_case_is_the_headline() {
    let folder = TempDir::new().unwrap();
    let run = |arguments: &[&str]| unmask_in(folder.path(), arguments);
    success(&run(&["protect", "noise", "census", "--p", "16", "--seed", "1", "-o", "noisy.csv"]));
    let names = "AFNLWGT,AGI,EMCONTRB,FEDTAX,PTOTVAL,STATETAX,TAXINC";
    let audit = ["audit", "--original", "census", "--released", "noisy.csv", "--sample", "400"];
    let cut = ["--haystack", "sample", "--seed", "1", "--attributes", names, "--format", "json"];
    let output = run(&[&audit[..], &cut[..], &["--max-risk", "0.95"]].concat());
    assert_eq!(output.status.code(), Some(3), "the gate hears of it");
    let record: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let verdict = &record["verdict"];
    assert!(verdict["rate"].as_f64().unwrap() >= 0.9675, "{verdict}");
    assert_eq!(verdict["attack"], "assignment");
    assert!(verdict["unbounded"].as_array().unwrap().contains(&"assignment".into()));
    assert_eq!((&verdict["proven"], &verdict["kept"]), (&false.into(), &false.into()));
    let worst = record["worst_case"]["rate"].as_f64().unwrap();
    assert!(worst < verdict["rate"].as_f64().unwrap());
}

#[test]
fn groups_of_three_are_riskier_than_groups_of_five_on_one_map() {
    let names = ["age", "weight"];
    let [three, five] = [3, 5].map(|k| protected(Method::Mdav(Mdav::new(k)), &names));
    let record = Audit::of(&three).attributes(names).compared_with("five", &five);
    let record = record.run(&()).unwrap();
    let [three, five] = [&record.releases[0].verdict, &record.releases[1].verdict];
    assert!(three.rate > five.rate, "{} against {}", three.rate, five.rate);
    assert!(three.rate < 1.0 / 3.0 + 1e-9 && five.rate < 1.0 / 5.0 + 1e-9);
    assert_eq!((three.certain, five.certain), (0, 0));
}

#[test]
fn with_generated_rows_nobody_is_certain_in_groups_of_five() {
    let columns = normal_columns(3_400, 3, 3);
    let names = ["x0", "x1", "x2"];
    let original = crate::support::dataset(&columns);
    let made = Protection::from(Recipe {
        attributes: names.map(str::to_owned).to_vec(),
        ..Method::Mdav(Mdav::new(5)).into()
    });
    let released = made.apply(&original, &()).unwrap().protected.released;
    let release = Release::by_row(original, released).unwrap();
    for count in [Count::Expected, Count::Certain] {
        let audit = Audit::of(&release).attributes(names).count(count);
        let record = audit.time_limit(Duration::from_secs(20)).run(&()).unwrap();
        assert!(record.worst_case.rounds > 0, "rows are generated");
        assert_eq!(record.worst_case.certain, 0);
        assert_eq!(record.worst_case.always_reidentified, None, "not known, so not said");
        if count == Count::Certain {
            assert_eq!(record.worst_case.upper_bound, 0.0, "twins are known at every size");
        } else {
            assert!(record.worst_case.expected > 400.0);
        }
    }
}

#[test]
fn a_release_that_still_holds_identifiers_is_not_protected() {
    let noise = Noise { p: vec![200.0], noise: NoiseKind::Uncorrelated };
    let release = protected(Method::Noise(noise), &["age", "weight"]);
    let audit = Audit::of(&release).attributes(["age", "weight"]).max_risk(0.5, "a test");
    let record = audit.run(&()).unwrap();
    let identifiers: Vec<&str> =
        record.coverage.direct_identifiers.iter().map(|d| d.name.as_str()).collect();
    assert_eq!(identifiers, ["person_id"]);
    assert!(record.verdict.rate < 0.5, "the attackers find few");
    assert_eq!(record.verdict.kept, Some(false), "and yet it is not kept");
    assert!(record.exceeded());
    assert!(record.verdict.warnings[0].contains("person_id"), "{:?}", record.verdict.warnings);
    let missed: Vec<&str> = record.coverage.not_attacked.iter().map(|n| n.name.as_str()).collect();
    assert!(missed.contains(&"income") && missed.contains(&"admission"), "{missed:?}");
    let income = record.coverage.not_attacked.iter().find(|n| n.name == "income").unwrap();
    assert_eq!((income.unchanged, income.role), (Some(true), Role::Other));
}

#[test]
fn labels_are_attacked_when_no_attributes_are_named() {
    let adult = Dataset::load("adult-train", &ReadOptions::default()).unwrap();
    let rows: Vec<usize> = (0..2_000).collect();
    let original = adult.select(&rows).unwrap();
    let numeric: Vec<String> = original.default_numeric_attributes();
    let recipe = Recipe { attributes: numeric, ..Method::Mdav(Mdav::new(5)).into() };
    let made = Protection::from(recipe).apply(&original, &()).unwrap();
    let release = Release::by_row(original, made.protected.released).unwrap();
    let record = Audit::of(&release).time_limit(Duration::from_secs(20)).run(&()).unwrap();
    assert!(record.attributes.iter().any(|name| name == "occupation"), "{:?}", record.attributes);
    assert!(record.verdict.rate > 0.4, "{:?}", record.verdict);
}

#[test]
fn the_limit_of_a_mean_covers_at_least_ninety_three_of_a_hundred_samples() {
    // Two attributes with ties: the best of many weights is found by trying them all.
    let records = 600;
    let mut random = generator(3, 0);
    let values: Vec<Vec<f64>> = (0..8)
        .map(|_| {
            let share = rand::RngExt::random_range(&mut random, 0.05..0.4);
            let value =
                |_: usize| f64::from(u8::from(rand::RngExt::random_bool(&mut random, share)));
            (0..records).map(value).collect()
        })
        .collect();
    let mean =
        |rows: &[usize], v: &Vec<f64>| rows.iter().map(|&i| v[i]).sum::<f64>() / rows.len() as f64;
    let best = |rows: &[usize]| values.iter().map(|v| mean(rows, v)).fold(0.0, f64::max);
    let all: Vec<usize> = (0..records).collect();
    let truth = best(&all);
    let covered = (0..1_000).filter(|&seed| {
        let rows = rand::seq::index::sample(&mut generator(seed, 5), records, 60).into_vec();
        upper_limit_of_mean(best(&rows), 60, records) >= truth
    });
    assert!(covered.count() >= 930);
}

/// Normal columns and the same with noise of 0.4 standard deviations.
fn noisy_release(records: usize, attributes: usize) -> Release {
    let columns = normal_columns(records, attributes, 9);
    let noise = normal_columns(records, attributes, 10);
    let moved: Vec<Vec<f64>> = columns
        .iter()
        .zip(&noise)
        .map(|(c, n)| c.iter().zip(n).map(|(c, n)| c + 0.4 * n).collect())
        .collect();
    let [original, released] = [&columns, &moved].map(|c| crate::support::dataset(c));
    Release::by_row(original, released).unwrap()
}

#[test]
fn the_intervals_of_sampled_audits_cover_the_files_worst_case_in_930_of_1000() {
    let release = noisy_release(160, 2);
    let audit = || Audit::of(&release).attributes(["x0", "x1"]);
    let truth = audit().run(&()).unwrap().worst_case;
    assert!(truth.proven_optimal);
    let covers = |&seed: &u64| {
        let found = audit().sample(30).seed(seed).run(&()).unwrap().worst_case.file;
        found.rate <= truth.rate + 1e-12 && truth.rate <= found.upper_bound_rate
    };
    let covered = (0..1_000).filter(covers).count();
    assert!(covered >= 930, "{covered} of 1,000");
}

#[test]
fn the_time_limit_bounds_the_whole_audit_at_any_size() {
    for records in [400, 5_000, 40_000] {
        let release = noisy_release(records, 13);
        let limit = Duration::from_secs(5);
        let begun = Instant::now();
        let record = Audit::of(&release).time_limit(limit).run(&()).unwrap();
        let over = begun.elapsed().saturating_sub(limit.mul_f64(1.1));
        assert!(over <= Duration::from_secs(2), "{records} records: {over:?} too long");
        assert!(record.verdict.upper_bound >= record.verdict.rate);
    }
}

#[test]
fn rows_of_stars_do_not_halve_the_risk_of_the_others() {
    let (header, mut rows) = survey();
    for row in rows.iter_mut().step_by(2) {
        let starred = header.iter().zip(row).filter(|(name, _)| FIVE.contains(&name.as_str()));
        starred.for_each(|(_, cell)| *cell = "*".to_owned());
    }
    let release = released_as(&(header, rows));
    let record = Audit::of(&release).attributes(FIVE).max_risk(0.6, "a test").run(&()).unwrap();
    assert_eq!((record.verdict.of, record.verdict.blank), (3000, 1500));
    assert!(record.verdict.rate < 0.6, "half of the people are hidden");
    assert_eq!(record.verdict.kept, Some(false));
    assert!(record.threshold.as_ref().unwrap().risk > 0.85, "{:?}", record.threshold);
    let said = record.verdict.sentence();
    assert!(said.contains("people with released values are found"), "{said}");
    assert!(said.contains("Of 1500 people every attacked value is suppressed"), "{said}");
}

#[test]
fn suppressed_records_count_as_not_found_and_rows_may_be_in_any_order() {
    let (header, mut rows) = survey();
    rows.truncate(2_000);
    rows.shuffle(&mut generator(5, 0));
    let released = dataset(&(header, rows));
    let release = Release::by_key(dataset(&survey()), released, "person_id").unwrap();
    assert_eq!((release.records(), release.absent()), (2_000, 1_000));
    let record = Audit::of(&release).attributes(FIVE).key("person_id").run(&()).unwrap();
    assert_eq!((record.suppressed, record.verdict.of), (1_000, 3_000));
    assert!(record.verdict.rate <= 2.0 / 3.0 && record.verdict.rate > 0.6);
    assert!(record.attacks.iter().all(|row| row.of == 3_000));
    assert_eq!(record.coverage.presumed_dropped.as_deref(), Some("person_id"));
    assert!(record.coverage.direct_identifiers.is_empty(), "the key is presumed dropped");
}

#[test]
fn columns_may_have_other_names_and_the_original_more_of_them() {
    let folder = TempDir::new().unwrap();
    let text = csv(&survey());
    std::fs::write(folder.path().join("original.csv"), &text).unwrap();
    let (mut header, rows) = survey();
    header[2] = "years".into();
    let cut = |row: &Vec<String>| row[2..8].to_vec();
    let released = (cut(&header), rows.iter().map(cut).collect());
    std::fs::write(folder.path().join("released.csv"), csv(&released)).unwrap();
    let audit =
        ["audit", "--original", "original.csv", "--released", "released.csv", "--format", "json"];
    let rename = ["--rename", "years=age", "--attributes", "age,sex"];
    let record: Value =
        serde_json::from_str(&success(&unmask_in(folder.path(), &[&audit[..], &rename].concat())))
            .unwrap();
    assert_eq!(record["attributes"], serde_json::json!(["age", "sex"]));
    let wrong = [&audit[..], &["--rename", "years"]].concat();
    let error = refusal(&unmask_in(folder.path(), &wrong));
    assert!(error.contains("--rename") && error.contains("years"), "{error}");
}

#[test]
fn a_gate_may_ask_for_what_was_found() {
    let noise = Noise { p: vec![100.0], noise: NoiseKind::Uncorrelated };
    let release = protected(Method::Noise(noise), &["age", "weight"]);
    let audit = |gate| {
        let audit = unhurried(&release).attributes(["age", "weight"]).sample(200).gate(gate);
        audit.max_risk(0.01, "a test").run(&()).unwrap().threshold.unwrap()
    };
    let (found, bound) = (audit(Gate::Found), audit(Gate::Bound));
    assert!(found.risk < bound.risk, "a sample's limit lies above");
    assert_eq!(found.found, bound.found);
}

fn random_release() -> impl Strategy<Value = Release> {
    let column = |records| proptest::collection::vec(0u8..6, records);
    (20usize..60)
        .prop_flat_map(move |records| {
            (
                proptest::collection::vec(column(records), 3),
                proptest::collection::vec(column(records), 3),
            )
        })
        .prop_filter_map("attributes vary", |(columns, noise)| {
            let varies = |c: &Vec<f64>| c.iter().any(|v| *v != c[0]);
            let original: Vec<Vec<f64>> =
                columns.iter().map(|c| c.iter().map(|v| f64::from(*v)).collect()).collect();
            let released: Vec<Vec<f64>> = original
                .iter()
                .zip(&noise)
                .map(|(c, n)| c.iter().zip(n).map(|(c, n)| c + f64::from(*n) / 4.0).collect())
                .collect();
            if !original.iter().chain(&released).all(varies) {
                return None;
            }
            let file = |columns: &Vec<Vec<f64>>| {
                let attribute = |(j, c): (usize, &Vec<f64>)| {
                    Attribute::numeric(format!("x{j}"), c.clone()).unwrap()
                };
                Dataset::new("made.csv", columns.iter().enumerate().map(attribute).collect())
            };
            Release::by_row(file(&original).unwrap(), file(&released).unwrap()).ok()
        })
}

#[test]
fn rows_sorted_by_two_columns_are_refused() {
    let (header, mut rows) = survey();
    let place = |name: &str| header.iter().position(|h| h == name).unwrap();
    let (sex, education) = (place("sex"), place("education"));
    let sorted = |rows: &mut Rows| {
        rows.sort_by(|a, b| (&a[sex], &a[education]).cmp(&(&b[sex], &b[education])));
    };
    sorted(&mut rows);
    let original = dataset(&(header.clone(), rows.clone()));
    rows.shuffle(&mut generator(7, 0));
    sorted(&mut rows);
    let age = place("age");
    rows.iter_mut().for_each(|row| row[age].push_str(".5"));
    let released = dataset(&(header, rows));
    let release = Release::by_row(original, released).unwrap();
    let refused = Audit::of(&release).attributes(FIVE).run(&()).unwrap_err().to_string();
    assert!(refused.contains("do not seem to correspond"), "{refused}");
    assert!(refused.contains("with the same sex, education"), "{refused}");
}

/// 120 people of whom `kept` keep their names in a column called `column`.
fn named(kept: usize, column: &str) -> Release {
    let file = |column: &str, name: &dyn Fn(usize) -> String| {
        let row = |i: usize| format!("{},{},{}\n", 20 + i % 40, i % 2, name(i));
        let text = format!("age,sex,{column}\n") + &(0..120).map(row).collect::<String>();
        Dataset::from_csv("people.csv", text.as_bytes(), &ReadOptions::default()).unwrap()
    };
    let original = file("name", &|i| format!("Name{i}"));
    let name = |i: usize| if i < kept { format!(" NAME{i}") } else { "*".to_owned() };
    Release::by_row(original, file(column, &name)).unwrap()
}

#[test]
fn names_that_some_people_keep_identify_them_under_any_name_of_the_column() {
    for (release, column) in [(named(108, "name"), "name"), (named(120, "who"), "who")] {
        let record = Audit::of(&release).attributes(["age", "sex"]).max_risk(1.0, "a test");
        let record = record.run(&()).unwrap();
        let found = &record.coverage.direct_identifiers;
        assert_eq!(found.iter().map(|d| d.name.as_str()).collect::<Vec<_>>(), [column]);
        assert_eq!(record.verdict.kept, Some(false));
    }
    let record = Audit::of(&named(3, "name")).attributes(["age", "sex"]).run(&()).unwrap();
    assert!(record.coverage.direct_identifiers.is_empty());
    let sentence = Audit::of(&named(108, "name")).attributes(["age", "sex"]).run(&()).unwrap();
    assert!(sentence.verdict.warnings[0].contains("unchanged for 90.0% of the people"));
}

proptest! {
    #![proptest_config(ProptestConfig { rng_seed: RngSeed::Fixed(1), ..ProptestConfig::with_cases(24) })]

    #[test]
    fn the_verdict_is_at_least_what_every_attack_finds(
        release in random_release(), certain: bool
    ) {
        let count = if certain { Count::Certain } else { Count::Expected };
        let record = Audit::of(&release).count(count).run(&()).unwrap();
        for row in record.ladder() {
            prop_assert!(record.verdict.rate >= row.rate - 1e-12, "{} {:?}", row.attack, record.verdict);
        }
        prop_assert!(record.verdict.upper_bound >= record.verdict.rate);
        for scale in &record.worst_case.scales {
            prop_assert!(scale.bounds.upper_bound >= scale.bounds.reidentified);
            prop_assert!(scale.expected >= scale.certain as f64);
        }
        if record.verdict.proven {
            prop_assert!(record.verdict.unbounded.is_empty());
            prop_assert!((record.verdict.rate - record.verdict.upper_bound).abs() < 1e-6);
        }
    }
}
