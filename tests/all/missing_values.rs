//! Missing values under every method: k, l and the cells themselves; mixed kinds, dates and bounds.

use crate::support::methods::{microaggregations, random_methods};
use crate::support::{normal_columns, refusal, success, unmask_in};
use proptest::prelude::*;
use rand::RngExt;
use std::collections::HashSet;
use std::path::Path;
use tempfile::TempDir;
use unmask::anonymity::{Anonymity, AnonymityOptions, EquivalenceClasses};
use unmask::dataset::{
    Attribute, Categorical, Dataset, Kind, Numeric, ReadOptions, Role, Schema, Values,
};
use unmask::protection::microaggregation::{IndividualRanking, LDiverseVMdav, Mdav, VMdav};
use unmask::protection::{AttributeKinds, Method, Noise, NoiseKind, Protected, Protection};
use unmask::random::generator;
use unmask::statistics::standard_deviation;

/// Numbers x0 to x3, labels a and b, ordered labels o and a complete sensitive label s; of the first
/// seven columns about `percent` of the cells are missing, in a few patterns and in cells alone.
fn holey_file(records: usize, percent: u32, seed: u64) -> Dataset {
    let columns = normal_columns(records, 7, seed);
    let mut random = generator(seed, 99);
    let masks: Vec<u8> = (0..3).map(|_| random.random_range(0..128)).collect();
    let lacks: Vec<u8> = (0..records)
        .map(|_| match random.random_range(0..100) < percent {
            true if random.random_range(0..2) == 0 => masks[random.random_range(0..3)],
            true => 1 << random.random_range(0..7),
            false => 0,
        })
        .collect();
    let is_there = |i: usize, j: usize| lacks[i] >> j & 1 == 0;
    let label = |j: usize, i: usize| format!("l{}", columns[j][i].round().abs());
    let labels = |j: usize| {
        let cell = |i: usize| is_there(i, j).then(|| label(j, i));
        Categorical::nominal((0..records).map(cell))
    };
    let number = |j: usize| {
        let cell = |i: usize| is_there(i, j).then_some((100.0 * columns[j][i]).round());
        Values::Numeric(Numeric::new((0..records).map(cell)).unwrap())
    };
    let order: Vec<String> = (0..9).map(|level| format!("l{level}")).collect();
    let ordered = Values::Categorical(labels(6).ordinal(&order).unwrap());
    let sensitive = (0..records).map(|i| Some(["p", "q", "r"][i % 3]));
    let named = |name: &str, values| Attribute { name: name.into(), role: Role::Other, values };
    let mut attributes: Vec<Attribute> =
        (0..4).map(|j| named(&format!("x{j}"), number(j))).collect();
    attributes.push(named("a", Values::Categorical(labels(4))));
    attributes.push(named("b", Values::Categorical(labels(5))));
    attributes.push(named("o", ordered));
    attributes.push(Attribute::nominal("s", sensitive));
    attributes[7].role = Role::Confidential;
    Dataset::new("holes.csv", attributes).unwrap()
}

/// Every method that groups, with `missing` values read like that.
fn grouping_methods(k: usize, missing: &str) -> Vec<Method> {
    let refined = Mdav { refine: Some(2_000), ..Mdav::new(k) };
    let whole = VMdav { gamma: 1.1, ..VMdav::new(k) };
    let diverse = LDiverseVMdav { k: Some(k.max(2)), ..LDiverseVMdav::new(2) };
    let refined_diverse = LDiverseVMdav { refine: Some(2_000), ..diverse.clone() };
    let mut methods = microaggregations(k);
    methods.extend([
        Method::Mdav(refined),
        Method::VMdav(whole),
        Method::LDiverseVMdav(diverse),
        Method::LDiverseVMdav(refined_diverse),
    ]);
    methods.into_iter().map(|method| with_missing(&method, missing)).collect()
}

fn with_missing(method: &Method, missing: &str) -> Method {
    let mut json = serde_json::to_value(method).unwrap();
    json["missing"] = missing.into();
    serde_json::from_value(json).unwrap()
}

fn attributes_for(method: &Method) -> Vec<String> {
    let names: &[&str] = match method.implementation().takes() {
        AttributeKinds::Numbers => &["x0", "x1", "x2", "x3"],
        _ => &["x0", "x1", "a", "b", "o", "x2"],
    };
    names.iter().map(|name| (*name).to_owned()).collect()
}

/// The release of `method`; none where too few values are left to have a deviation.
fn protect(method: &Method, data: &Dataset) -> Option<Protected> {
    match method.protect(data, &attributes_for(method), 3, &()) {
        Ok(protected) => Some(protected),
        Err(error) => {
            assert!(error.to_string().contains("is constant"), "{}: {error}", method.name());
            None
        }
    }
}

/// The file as who receives it reads it.
fn read_back(released: &Dataset) -> Dataset {
    let bytes = released.to_bytes(Path::new("r.csv")).unwrap();
    Dataset::from_csv("r.csv", &bytes, &ReadOptions::default()).unwrap()
}

/// Whether the cells of one column have values.
fn present(file: &Dataset, name: &str) -> Vec<bool> {
    let column = &file.attributes()[file.position(name).unwrap()];
    (0..column.len()).map(|i| column.has_value(i)).collect()
}

fn check_k(method: &Method, protected: &Protected, k: usize) {
    let file = read_back(&protected.released);
    for partition in &protected.partitions {
        let classes = EquivalenceClasses::new(&file, &partition.attributes).unwrap();
        let smallest = classes.iter().map(|class| class.len()).min().unwrap();
        assert!(smallest >= k, "{} {}: {smallest}", method.name(), method.parameters());
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(120))]

    #[test]
    fn k_holds_in_the_written_file_where_missing_is_a_value_of_its_own(
        records in 12usize..120, percent in 0u32..70, seed in 0u64..10_000, k in 2usize..6,
        which in 0..grouping_methods(2, "keep").len()
    ) {
        let data = holey_file(records, percent, seed);
        for missing in ["keep", "impute"] {
            let method = &grouping_methods(k, missing)[which];
            if let Some(protected) = protect(method, &data) {
                check_k(method, &protected, k);
            }
        }
    }

    #[test]
    fn missing_stays_missing_where_it_is_kept_and_is_filled_where_a_group_can(
        records in 12usize..90, percent in 0u32..70, seed in 0u64..10_000, k in 2usize..5,
        which in 0..grouping_methods(2, "keep").len()
    ) {
        let data = holey_file(records, percent, seed);
        for missing in ["keep", "impute"] {
            let method = &grouping_methods(k, missing)[which];
            let Some(protected) = protect(method, &data) else { continue };
            for partition in &protected.partitions {
                for name in &partition.attributes {
                    let (before, after) = (present(&data, name), present(&protected.released, name));
                    for group in &partition.groups {
                        let has = |i: &u32| before[*i as usize];
                        let expected = match missing {
                            "keep" => group.iter().all(has),
                            _ => group.iter().any(has),
                        };
                        prop_assert!(group.iter().all(|&i| after[i as usize] == expected));
                    }
                }
            }
        }
    }

    #[test]
    fn a_complete_file_is_protected_in_the_same_way_whatever_missing_says(
        records in 12usize..90, seed in 0u64..10_000, k in 2usize..5,
        which in 0..grouping_methods(2, "keep").len()
    ) {
        let data = holey_file(records, 0, seed);
        let bytes = |missing: &str| {
            let released = protect(&grouping_methods(k, missing)[which], &data)?.released;
            Some(released.to_bytes(Path::new("r.csv")).unwrap())
        };
        prop_assert_eq!(bytes("keep"), bytes("refuse"));
        prop_assert_eq!(bytes("keep"), bytes("impute"));
    }

    #[test]
    fn diverse_groups_stay_diverse_with_missing_values(
        records in 20usize..150, percent in 0u32..70, seed in 0u64..10_000, l in 2usize..4,
        entropy: bool
    ) {
        let data = holey_file(records, percent, seed);
        let diversity = if entropy { "entropy" } else { "distinct" };
        let mut json = serde_json::to_value(Method::LDiverseVMdav(LDiverseVMdav::new(2))).unwrap();
        json["l"] = l.min(if entropy { 2 } else { 3 }).into();
        json["diversity"] = diversity.into();
        let method: Method = serde_json::from_value(json).unwrap();
        let Some(protected) = protect(&method, &data) else { return Ok(()) };
        let names = attributes_for(&method);
        let file = read_back(&protected.released);
        let Values::Categorical(sensitive) = file.values("s").unwrap() else { panic!("labels") };
        for class in EquivalenceClasses::new(&file, &names).unwrap().iter() {
            let values: HashSet<_> = class.iter().map(|&i| sensitive.code(i as usize)).collect();
            prop_assert!(values.len() >= 2 && class.len() >= 2);
        }
    }

    #[test]
    fn noise_and_swapping_change_values_and_leave_what_is_missing(
        records in 60usize..200, percent in 0u32..60, seed in 0u64..10_000
    ) {
        let data = holey_file(records, percent, seed);
        for method in random_methods() {
            let Ok(protected) = method.protect(&data, &attributes_for(&method), 3, &()) else {
                continue;
            };
            for name in attributes_for(&method) {
                prop_assert_eq!(present(&data, &name), present(&protected.released, &name));
                prop_assert!(data.values(&name).unwrap() != protected.released.values(&name).unwrap());
            }
        }
    }
}

/// Runs `unmask protect` on `in.csv` in a new folder; gives the folder and the summary.
fn run(text: &str, arguments: &str) -> (TempDir, String) {
    let folder = TempDir::new().unwrap();
    std::fs::write(folder.path().join("in.csv"), text).unwrap();
    let words: Vec<&str> = ["protect"].into_iter().chain(arguments.split(' ')).collect();
    let said = success(&unmask_in(folder.path(), &[&words[..], &["-o", "out.csv"]].concat()));
    (folder, said)
}

fn released(folder: &TempDir) -> String {
    std::fs::read_to_string(folder.path().join("out.csv")).unwrap()
}

/// One record lacks b; the two nearest to it by a have to lack it, too.
const ONE_LACKS_B: &str = "a,b\n1,1\n2,2\n3,3\n10,10\n11,11\n12,12\n2,NA\n";

#[test]
fn a_rare_pattern_takes_in_the_nearest_records_and_the_summary_says_so() {
    let (folder, said) = run(ONE_LACKS_B, "mdav in.csv --k 3 --cluster-on raw");
    let expected = "a,b\n1.6666666666666667,NA\n1.6666666666666667,NA\n9,9\n9,9\n9,9\n9,9\n\
                    1.6666666666666667,NA\n";
    assert_eq!(released(&folder), expected);
    assert!(said.contains("1 of 14 stay missing; 2 more (14.29%) were made missing"), "{said}");
    let (_, json) = run(ONE_LACKS_B, "mdav in.csv --k 3 --format json");
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    let cells = serde_json::json!({"of": 14, "left": 1, "imputed": 0, "suppressed": 2});
    assert_eq!(json["missing_cells"], cells);
}

#[test]
fn an_imputed_cell_gets_the_centroid_of_what_its_group_has() {
    let arguments = "mdav in.csv --k 3 --cluster-on raw --missing impute";
    let (folder, said) = run(ONE_LACKS_B, arguments);
    let expected = "a,b\n2,2\n2,2\n2,2\n11,11\n11,11\n11,11\n2,2\n";
    assert_eq!(released(&folder), expected);
    assert!(said.contains("0 of 14 stay missing; 1 got the centroid of their group"), "{said}");
    let recipe = std::fs::read_to_string(folder.path().join("out.csv.recipe.toml")).unwrap();
    assert!(recipe.contains("missing = \"impute\""), "{recipe}");
}

#[test]
fn records_are_grouped_with_those_that_lack_the_same() {
    let rows: String =
        (0..12).map(|i| format!("{i},{}\n", if i % 2 == 0 { "" } else { "7" })).collect();
    let text = format!("a,b\n{rows}").replace(",7\n", ",7.5\n").replacen(",7.5", ",8", 1);
    let (folder, said) = run(&text, "mdav in.csv --k 3");
    assert!(said.contains("6 of 24 stay missing\n"), "{said}");
    for (before, after) in text.lines().zip(released(&folder).lines()) {
        assert_eq!(before.ends_with(','), after.ends_with(','), "{before} became {after}");
    }
}

#[test]
fn a_column_alone_needs_k_missing_values_too() {
    let text = "x\n1\n2\n\n4\n5\n6\n7\n";
    let (folder, _) = run(text, "individual-ranking in.csv --k 3");
    let blank = released(&folder).lines().filter(|line| *line == "\"\"" || line.is_empty()).count();
    assert_eq!(blank, 3, "{}", released(&folder));
    let file = Dataset::from_csv("t", text.as_bytes(), &ReadOptions::default()).unwrap();
    let method = Method::IndividualRanking(IndividualRanking::new(3));
    check_k(&method, &method.protect(&file, &file.names(), 0, &()).unwrap(), 3);
}

#[test]
fn a_column_without_values_and_a_generalized_cell_are_missing() {
    let text = "x,y,z\n1,,1\n2,,2\n3,,*\n4,,4\n5,,5\n6,,6\n7,,7\n";
    let (folder, said) = run(text, "mdav in.csv --k 3 --attributes x,y,z");
    let file =
        Dataset::load(folder.path().join("out.csv").to_str().unwrap(), &ReadOptions::default());
    let file = file.unwrap();
    assert_eq!((file.attributes()[1].missing(), file.attributes()[2].missing()), (7, 3));
    assert!(said.contains("8 of 21 stay missing; 2 more"), "{said}");
    assert!(said.contains("Too few values are left to tell what was lost of: y."), "{said}");
    assert!(!said.contains("NaN"), "{said}");
}

#[test]
fn missing_cells_of_a_group_are_written_alike_and_in_a_token_of_all_columns() {
    let text = "x,y\n-9,1\n2,2\n3,?\n4,NA\n5,5\n6,6\n7,NA\n8,8\n";
    let mut schema = Schema::default();
    schema.attributes.entry("x".into()).or_default().missing = vec!["-9".into()];
    let options = ReadOptions { schema, ..ReadOptions::default() };
    let file = Dataset::from_csv("t.csv", text.as_bytes(), &options).unwrap();
    let released =
        Method::Mdav(Mdav::new(3)).protect(&file, &file.names(), 0, &()).unwrap().released;
    let written = String::from_utf8(released.to_bytes(Path::new("t.csv")).unwrap()).unwrap();
    assert!(!written.contains("-9") && !written.contains("NA"), "{written}");
    let again = Dataset::from_csv("t.csv", written.as_bytes(), &ReadOptions::default()).unwrap();
    assert!(EquivalenceClasses::new(&again, &again.names()).unwrap().iter().all(|c| c.len() >= 3));
}

#[test]
fn a_missing_cell_is_written_as_text_rather_than_as_a_number() {
    let options = |tokens: &[&str]| ReadOptions {
        missing_tokens: tokens.iter().map(|token| (*token).to_owned()).collect(),
        ..ReadOptions::default()
    };
    for (token, expected) in [("NA", "NA"), ("-9", "")] {
        let rows: String = (0..8).map(|i| format!("{i},{i}\n")).collect();
        let text = format!("x,y\n-9,1\n{rows}{token},1\n-9,1\n");
        let options = options(&["", "NA", "-9"]);
        let file = Dataset::from_csv("t.csv", text.as_bytes(), &options).unwrap();
        assert_eq!(file.to_bytes(Path::new("t.csv")).unwrap(), text.as_bytes());
        let method = Method::Mdav(Mdav::new(3));
        let released = method.protect(&file, &file.names(), 0, &()).unwrap().released;
        let written = String::from_utf8(released.to_bytes(Path::new("t.csv")).unwrap()).unwrap();
        let cells: HashSet<&str> =
            written.lines().skip(1).filter_map(|line| line.split(',').next()).collect();
        assert!(cells.contains(expected) && !cells.contains("-9"), "{token}: {written}");
    }
}

#[test]
fn a_missing_diagnosis_makes_no_class_diverse() {
    let text = "zip,diagnosis\n1,flu\n1,flu\n1,flu\n1,flu\n1,NA\n1,NA\n2,flu\n2,cold\n2,NA\n";
    let file = Dataset::from_csv("t.csv", text.as_bytes(), &ReadOptions::default()).unwrap();
    let measured = |file: &Dataset| {
        Anonymity::measure(file, &["zip"], &["diagnosis"], &AnonymityOptions::default()).unwrap()
    };
    let found = &measured(&file).sensitive[0];
    assert_eq!((found.distinct_l, found.entropy_l, found.recursive_l), (1, 1.0, 1));
    assert_eq!((found.certain.records.disclosed, found.certain.records.of), (4, 9));
    let nobody = format!("{text}3,NA\n3,NA\n");
    let file = Dataset::from_csv("t.csv", nobody.as_bytes(), &ReadOptions::default()).unwrap();
    let found = &measured(&file).sensitive[0];
    assert_eq!((found.distinct_l, found.entropy_l, found.recursive_l), (0, 0.0, 0));
    assert_eq!(found.certain.records.disclosed, 4);
}

#[test]
fn tokens_have_a_flag_of_their_own_and_policies_are_checked() {
    let text = "x,y\n1,1\n-99,2\n3,3\n4,5\n";
    let (folder, _) = run(text, "noise in.csv --p 5 --missing-tokens -99");
    assert!(released(&folder).lines().nth(2).unwrap().starts_with("-99,"));
    std::fs::write(folder.path().join("in.csv"), text).unwrap();
    let words = ["protect", "mdav", "in.csv", "-o", "o.csv", "--k", "2", "--missing", "guess"];
    let output = unmask_in(folder.path(), &words);
    let error = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2));
    assert!(error.contains("[possible values: keep, impute, refuse]"), "{error}");
}

#[test]
fn noise_of_incomplete_records_has_the_deviations_and_correlations_that_were_asked_for() {
    let records = 40_000;
    let mut columns = normal_columns(records, 3, 6);
    columns[1] = (0..records).map(|i| 0.8 * columns[0][i] + 0.6 * columns[1][i]).collect();
    // Large values of the first are missing more often, so complete records vary less.
    let is_large = |i: usize| columns[2][i] > 0.0 && i.is_multiple_of(3);
    let cell = |j: usize, i: usize| match (j, is_large(i)) {
        (0, true) => None,
        (_, large) => Some(columns[j][i] * if large { 5.0 } else { 1.0 }),
    };
    let attribute = |j: usize| {
        let values = Numeric::new((0..records).map(|i| cell(j, i))).unwrap();
        Attribute { name: format!("x{j}"), role: Role::Other, values: Values::Numeric(values) }
    };
    let data = Dataset::new("t.csv", (0..2).map(attribute).collect()).unwrap();
    let noise = Noise { noise: NoiseKind::Correlated, ..Noise::new(50.0) };
    let released = Method::Noise(noise).protect(&data, &data.names(), 1, &()).unwrap().released;
    let added = |name: &str| -> Vec<Option<f64>> {
        let (Values::Numeric(before), Values::Numeric(after)) =
            (data.values(name).unwrap(), released.values(name).unwrap())
        else {
            panic!("numbers")
        };
        before.iter().zip(after.iter()).map(|(x, y)| Some(y? - x?)).collect()
    };
    let (first, second) = (added("x0"), added("x1"));
    for (name, added) in [("x0", &first), ("x1", &second)] {
        let Values::Numeric(before) = data.values(name).unwrap() else { panic!("numbers") };
        let all: Vec<f64> = before.present().collect();
        let added: Vec<f64> = added.iter().flatten().copied().collect();
        assert_eq!(added.len(), all.len());
        let ratio = standard_deviation(&added) / (0.5 * standard_deviation(&all));
        assert!((ratio - 1.0).abs() < 0.02, "{name}: {ratio}");
    }
    let both: Vec<(f64, f64)> =
        first.iter().zip(&second).filter_map(|(x, y)| (*x).zip(*y)).collect();
    let (x, y): (Vec<f64>, Vec<f64>) = both.into_iter().unzip();
    let covariance = unmask::statistics::covariance(&x, &y);
    let correlation = covariance / (standard_deviation(&x) * standard_deviation(&y));
    assert!((correlation - 0.8).abs() < 0.02, "{correlation}");
}

#[test]
fn correlated_noise_without_enough_complete_records_is_refused_with_a_remedy() {
    let folder = TempDir::new().unwrap();
    std::fs::write(folder.path().join("in.csv"), "x,y\n1,\n2,5\n3,7\n,8\n,9\n").unwrap();
    let words = ["protect", "noise", "in.csv", "-o", "o.csv", "--p", "5", "--noise", "correlated"];
    let error = refusal(&unmask_in(folder.path(), &words));
    assert!(
        error.contains("2 complete records on x, y") && error.contains("uncorrelated"),
        "{error}"
    );
}

const MIXED: &str = "age,town,pay,sex\n30,graz,1000,f\n40,linz,2000,m\n50,graz,3000,f\n\
                     60,wien,4000,m\n35,linz,1500,m\n45,graz,2500,f\n";

#[test]
fn of_mixed_kinds_what_can_be_protected_is_and_the_rest_is_named() {
    for method in
        ["noise in.csv --p 10", "rank-swapping in.csv --p 50", "z-projection in.csv --k 3"]
    {
        let (folder, said) = run(MIXED, &format!("{method} --attributes town,age,sex"));
        let name = method.split(' ').next().unwrap();
        let warning = format!("Left as they are: town, sex; {name} protects numbers.");
        assert!(said.contains(&warning), "{said}");
        let out = released(&folder);
        for (before, after) in MIXED.lines().zip(out.lines()).skip(1) {
            let fields = |line: &str| line.split(',').map(str::to_owned).collect::<Vec<_>>();
            let (before, after) = (fields(before), fields(after));
            assert_eq!(before[1..], after[1..]);
        }
        assert_ne!(MIXED, out);
    }
    let (_, json) = run(MIXED, "noise in.csv --p 10 --quasi age,town --format json");
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["attributes"], serde_json::json!(["age"]));
    assert_eq!(json["left_as_they_are"], serde_json::json!(["town", "pay", "sex"]));
    let warnings = json["warnings"].to_string();
    assert!(warnings.contains("Left as they are: town; noise protects numbers."), "{warnings}");
}

#[test]
fn labels_alone_are_refused_where_numbers_are_needed_and_numbers_where_labels_are() {
    let folder = TempDir::new().unwrap();
    std::fs::write(folder.path().join("in.csv"), MIXED).unwrap();
    let refused = |arguments: &str| {
        let words: Vec<&str> = ["protect"].into_iter().chain(arguments.split(' ')).collect();
        refusal(&unmask_in(folder.path(), &[&words[..], &["-o", "o.csv"]].concat()))
    };
    assert!(refused("noise in.csv --p 5 --attributes town,sex").contains("column town"));
    assert!(refused("z-projection in.csv --k 2 --attributes town").contains("column town"));
    let error = refused("anti-unification in.csv --k 2 --indifferent 0 --attributes age,pay");
    assert!(error.contains("column age") && error.contains("--discretize"), "{error}");
}

#[test]
fn a_method_for_labels_leaves_numbers_out_of_its_release_and_says_so() {
    let arguments = "anti-unification in.csv --k 2 --indifferent 1 --quasi age,town,sex";
    let (folder, said) = run(MIXED, arguments);
    let warning = "Left out of the release: age; anti-unification protects labels.";
    assert!(said.contains(warning), "{said}");
    assert!(released(&folder).starts_with("town,sex\n"), "{}", released(&folder));
}

/// Ages, dates, integers of a range and shares, some of them missing.
fn people(records: usize) -> String {
    let columns = normal_columns(records, 4, 8);
    let rows: String = (0..records)
        .map(|i| {
            let day = 1 + (i * 7) % 28;
            let month = 1 + (i * 5) % 12;
            let born = format!("{day:02}.{month:02}.{}", 1930 + (i * 3) % 70);
            let born = if i % 11 == 0 { "NA".to_owned() } else { born };
            let age = (columns[0][i].abs() * 20.0).round();
            let age = if i % 13 == 0 { "NA".to_owned() } else { age.to_string() };
            let share = columns[1][i].abs().min(1.0);
            format!("{age},{born},{share},{}\n", (columns[2][i] * 100.0).round())
        })
        .collect();
    format!("age,born,share,points\n{rows}")
}

fn people_options() -> ReadOptions {
    let mut schema = Schema::default();
    schema.set_bounds("age", "0..".parse().unwrap());
    schema.set_bounds("share", "0..1".parse().unwrap());
    for name in ["age", "points"] {
        schema.attributes.entry(name.into()).or_default().kind = Some(Kind::Integer);
    }
    ReadOptions { schema, ..ReadOptions::default() }
}

#[test]
fn no_age_is_negative_integers_are_whole_and_dates_are_dates_after_every_method() {
    let data = Dataset::from_csv("p.csv", people(150).as_bytes(), &people_options()).unwrap();
    let strong = Noise { p: vec![150.0], ..Noise::new(1.0) };
    let correlated = Noise { noise: NoiseKind::Correlated, ..strong.clone() };
    let mut methods = [random_methods(), microaggregations(3)].concat();
    methods.extend([Method::Noise(strong), Method::Noise(correlated)]);
    methods.push(Method::Mdav(Mdav { refine: Some(2_000), ..Mdav::new(3) }));
    for missing in ["keep", "impute"] {
        for method in &methods {
            let groups = microaggregations(3).iter().any(|m| m.name() == method.name());
            let method = if groups { with_missing(method, missing) } else { method.clone() };
            let protected = method.protect(&data, &data.names(), 5, &()).unwrap();
            let bytes = protected.released.to_bytes(Path::new("r.csv")).unwrap();
            // Reading under the same schema refuses what is out of bounds or no integer.
            let file = Dataset::from_csv("r.csv", &bytes, &people_options())
                .unwrap_or_else(|e| panic!("{}: {e}", method.name()));
            let Values::Numeric(born) = file.values("born").unwrap() else { panic!("dates") };
            assert!(born.is_date(), "{}", method.name());
            for partition in &protected.partitions {
                let classes = EquivalenceClasses::new(&file, &partition.attributes).unwrap();
                assert!(classes.iter().all(|class| class.len() >= 3), "{}", method.name());
            }
        }
    }
}

#[test]
fn bounds_hold_on_the_command_line_and_values_beyond_lie_on_them() {
    let text: String = (0..200).map(|i| format!("{},{i}\n", i % 10)).collect();
    let text = format!("age,n\n{text}");
    let (folder, _) =
        run(&text, "noise in.csv --p 100 --seed 4 --attributes age --bounds age=0..9");
    let file =
        Dataset::load(folder.path().join("out.csv").to_str().unwrap(), &ReadOptions::default());
    let file = file.unwrap();
    let Values::Numeric(age) = file.values("age").unwrap() else { panic!("numbers") };
    assert!(age.present().all(|v| (0.0..=9.0).contains(&v)));
    assert!(age.present().any(|v| v == 0.0) && age.present().any(|v| v == 9.0));
}

#[test]
fn the_library_protects_what_it_can_and_names_the_rest() {
    let data = Dataset::from_csv("m.csv", MIXED.as_bytes(), &ReadOptions::default()).unwrap();
    let protection = Protection::by(Method::Noise(Noise::new(5.0))).attributes(["sex", "pay"]);
    let made = protection.apply(&data, &()).unwrap();
    assert_eq!(made.recipe.attributes, ["pay"]);
    assert_eq!(made.not_protected, ["sex"]);
    let summary = made.summary(&data).unwrap();
    assert_eq!(summary.missing_cells, None);
}
