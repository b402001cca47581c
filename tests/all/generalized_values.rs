//! Released files of intervals, sets, masked codes, names and suppressed cells are attacked as
//! what they are.

use crate::support::{refusal, success, unmask_in};
use std::collections::HashMap;
use unmask::dataset::{Attribute, Dataset, Numeric, ReadOptions, Values};
use unmask::distance::{AttributeDistances, Standardization, SuppressedReading};
use unmask::lattice::{Hierarchy, find_hierarchies, generalize};
use unmask::linkage::{Attack, Release, TieRule};

const NAMES: [&str; 5] = ["age", "sex", "region", "education", "occupation"];

fn survey() -> Dataset {
    Dataset::load("survey", &ReadOptions::default()).expect("built in")
}

fn read(name: &str, text: &str) -> Dataset {
    Dataset::from_csv(name, text.as_bytes(), &ReadOptions::default()).expect("well-formed")
}

/// `data` with column `name` as `write` says.
fn recoded(data: &Dataset, name: &str, write: impl Fn(&str) -> String) -> Dataset {
    let position = data.position(name).expect("a column");
    let attribute = &data.attributes()[position];
    let text = |i: usize| match &attribute.values {
        Values::Numeric(column) => column.get(i).map(|v| v.to_string()),
        Values::Categorical(column) => column.get(i).map(str::to_owned),
    };
    let labels = Attribute::nominal(name, (0..data.records()).map(|i| text(i).map(|t| write(&t))));
    data.with_columns([(position, labels.values)])
}

fn decade(age: &str) -> String {
    let low = age.parse::<u32>().expect("an age") / 10 * 10;
    format!("{low}-{}", low + 9)
}

fn first_two_digits(region: &str) -> String {
    format!("{}***", &region[..2])
}

fn distances(release: &Release, names: &[&str], scale: Standardization<'_>) -> AttributeDistances {
    release.distances(names, scale).expect("comparable")
}

/// Targets whose own row alone is nearest by equal weights, and the sum of 1 / rows as near.
fn certain_and_expected(release: &Release, distances: &AttributeDistances) -> (usize, f64) {
    let mut d = vec![0.0; distances.len()];
    let (mut certain, mut expected) = (0, 0.0);
    for (i, &own) in release.own().iter().enumerate() {
        let mut sum = |j: usize| {
            distances.vector(i, j, &mut d);
            d.iter().sum::<f64>()
        };
        let own = sum(own as usize);
        let all: Vec<f64> = (0..release.released().records()).map(sum).collect();
        if all.iter().all(|other| *other >= own) {
            let ties = all.iter().filter(|other| **other == own).count();
            certain += usize::from(ties == 1);
            expected += 1.0 / ties as f64;
        }
    }
    (certain, expected)
}

#[test]
fn ages_as_decades_and_regions_as_masked_codes_are_attacked_as_what_they_are() {
    let original = survey();
    let released = recoded(&recoded(&original, "age", decade), "region", first_two_digits);
    // As the file is written and read.
    let bytes = released.to_bytes("r.csv".as_ref()).expect("written");
    let released = Dataset::from_csv("r.csv", &bytes, &ReadOptions::default()).expect("read");
    let release = Release::by_row(original, released).expect("as many rows");
    release.check_labels(&NAMES).expect("every label is read");
    for scale in [Standardization::Original, Standardization::Own] {
        let (certain, expected) =
            certain_and_expected(&release, &distances(&release, &NAMES, scale));
        assert_eq!((certain, expected.round()), (2399, 2674.0));
    }
    for attack in [Attack::Dbrl1, Attack::Dbrl2, Attack::Gower] {
        let links = attack.link(&release, &NAMES, &()).expect("links");
        assert_eq!(links.reidentified(TieRule::Miss), 2399.0, "{}", attack.name());
        assert_eq!(links.reidentified(TieRule::Share).round(), 2674.0);
    }
}

#[test]
fn columns_declared_categorical_are_attacked_no_less() {
    let mut options = ReadOptions::default();
    options.schema.set_nominal("age");
    let original = Dataset::load("survey", &options).expect("built in");
    let released = recoded(&recoded(&original, "age", decade), "region", first_two_digits);
    let release = Release::by_row(original, released).expect("as many rows");
    let links = Attack::Dbrl1.link(&release, &NAMES, &()).expect("links");
    assert_eq!(links.reidentified(TieRule::Miss), 2399.0);
    assert_eq!(links.reidentified(TieRule::Share).round(), 2674.0);
}

#[test]
fn ages_cut_at_65_are_found_on_the_original_s_scale() {
    let original = survey();
    let position = original.position("age").expect("a column");
    let age = original.numeric("age", "a test").expect("numbers");
    let cut = Numeric::new(age.iter().map(|v| v.map(|v| v.min(65.0)))).expect("finite");
    let released = original.with_columns([(position, Values::Numeric(cut))]);
    let release = Release::by_row(original, released).expect("as many rows");
    let names = ["age", "sex", "region"];
    let by_original = distances(&release, &names, Standardization::Original);
    let (certain, expected) = certain_and_expected(&release, &by_original);
    assert_eq!((certain, expected.round()), (947, 1572.0));
}

#[test]
fn ages_above_65_written_as_a_top_code_are_found_as_well() {
    let original = survey();
    let top = |age: &str| match age.parse::<u32>() {
        Ok(years) if years >= 65 => "65+".to_owned(),
        _ => age.to_owned(),
    };
    let released = recoded(&original, "age", top);
    let bytes = released.to_bytes("r.csv".as_ref()).expect("written");
    // Mostly numbers, and yet no mistake.
    let released = Dataset::from_csv("r.csv", &bytes, &ReadOptions::default()).expect("read");
    let release = Release::by_row(original, released).expect("as many rows");
    let links = Attack::Dbrl1.link(&release, &["age", "sex", "region"], &()).expect("links");
    assert_eq!(links.reidentified(TieRule::Miss), 947.0);
    assert_eq!(links.reidentified(TieRule::Share).round(), 1572.0);
}

#[test]
fn suppressed_rows_hide_the_others_from_one_attacker_and_not_from_the_other() {
    let original = survey();
    let mut released = original.clone();
    for name in NAMES {
        let position = released.position(name).expect("a column");
        let all = recoded(&released, name, str::to_owned);
        let Values::Categorical(labels) = &all.attributes()[position].values else { panic!() };
        let text = |i: usize| if i < 300 { Some("*") } else { labels.get(i) };
        let column = Attribute::nominal(name, (0..3000).map(text));
        released = released.with_columns([(position, column.values)]);
    }
    let plain = Release::by_row(original.clone(), original.clone()).expect("rows");
    let open = Attack::Gower.link(&plain, &NAMES, &()).expect("links");
    let others = open.0[300..].iter().filter(|l| l.own_among_tied && l.tied == 1).count();
    let release = Release::by_row(original, released).expect("rows");
    let both = release.readings(&NAMES).expect("attributes");
    assert_eq!(both, [SuppressedReading::MatchesAll, SuppressedReading::OwnValue]);
    assert_eq!(plain.readings(&NAMES).expect("attributes"), [SuppressedReading::MatchesAll]);
    let found = |reading| {
        let links = Attack::Dbrl1.link(&release.read_as(reading), &NAMES, &()).expect("links");
        links.reidentified(TieRule::Miss) as usize
    };
    assert_eq!(found(SuppressedReading::MatchesAll), 0);
    assert!(found(SuppressedReading::OwnValue) >= others && others > 2000);
    let links = Attack::Dbrl1
        .link(&release.read_as(SuppressedReading::MatchesAll), &NAMES, &())
        .expect("links");
    assert!(links.0[300..].iter().all(|l| l.tied > 300));
    // The published reading is that of a suppressed value that matches all.
    assert_eq!(found(SuppressedReading::Study), 0);
}

#[test]
fn distances_to_each_kind_of_cell_are_to_the_nearest_value_it_stands_for() {
    let original = read("o", "n,c\n20,a1\n25,a2\n30,b1\n40,b2\n,\n");
    let released =
        read("r", "n,c\n20-29,a*\n[21; 30[,{a1|b2}\n{20|40},b1\n>30,*\n,\n*,{zz|b2}\n25,a*\n");
    let names = ["n", "c"];
    let vector = |reading, i, j| {
        let reading = unmask::distance::ValueReading { suppressed: reading, ..Default::default() };
        let raw = Standardization::Raw;
        let distances = AttributeDistances::read_as(&original, &released, &names, raw, &reading);
        let mut d = [0.0; 2];
        distances.expect("comparable").vector(i, j, &mut d);
        d
    };
    use SuppressedReading::{MatchesAll, OwnValue, Study};
    for reading in [MatchesAll, OwnValue, Study] {
        assert_eq!(vector(reading, 0, 0), [0.0, 0.0]);
        assert_eq!(vector(reading, 2, 0), [1.0, 1.0]);
        assert_eq!(vector(reading, 0, 1), [1.0, 0.0]);
        assert_eq!(vector(reading, 2, 1), [1.0, 1.0]);
        assert_eq!(vector(reading, 1, 2), [25.0, 1.0]);
        assert_eq!(vector(reading, 2, 2), [100.0, 0.0]);
        assert_eq!(vector(reading, 0, 3)[0], 121.0);
        assert_eq!(vector(reading, 3, 5)[1], 0.0);
        assert_eq!(vector(reading, 3, 6), [225.0, 1.0]);
        // What the original lacks is unknown.
        for j in 0..7 {
            assert_eq!(vector(reading, 4, j), [0.0, 0.0]);
        }
    }
    let present = [20.0, 25.0, 30.0, 40.0];
    let mean = present.iter().sum::<f64>() / 4.0;
    let variance = present.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / 3.0;
    assert_eq!(vector(MatchesAll, 0, 4), [0.0, 0.0]);
    let own = vector(OwnValue, 0, 4);
    assert!((own[0] - variance).abs() < 1e-9 && own[1] == 1.0, "{own:?}");
    assert_eq!(vector(OwnValue, 0, 3)[1], 1.0);
    assert_eq!(vector(MatchesAll, 0, 3)[1], 0.0);
    assert_eq!((vector(Study, 0, 3)[1], vector(Study, 0, 4)[1]), (0.0, 1.0));
}

#[test]
fn levels_are_as_far_as_the_nearest_level_of_a_set() {
    let mut options = ReadOptions::default();
    let schema = "[attributes.level]\nkind = \"ordinal\"\norder = [\"a\", \"b\", \"c\", \"d\"]\n";
    options.schema = toml::from_str(schema).expect("well-formed");
    let file = |name, text: &str| Dataset::from_csv(name, text.as_bytes(), &options);
    let original = file("o", "level\na\nb\nc\nd\n").expect("levels");
    let released = file("r", "level\n{a|b}\n{a|d}\nc\n*\n").expect("levels and sets");
    assert!(file("r", "level\nx\n").is_err(), "a label that is no level stays a mistake");
    let raw = Standardization::Raw;
    let distances = AttributeDistances::new(&original, &released, &["level"], raw).expect("read");
    let row = |i| {
        let mut d = [0.0];
        (0..4)
            .map(|j| {
                distances.vector(i, j, &mut d);
                d[0]
            })
            .collect::<Vec<f64>>()
    };
    assert_eq!(row(0), [0.0, 0.0, 0.5, 0.0]);
    assert_eq!(row(1), [0.0, 0.25, 0.25, 0.0]);
    assert_eq!(row(2), [0.25, 0.25, 0.0, 0.0]);
    assert_eq!(row(3), [0.5, 0.0, 0.25, 0.0]);
}

#[test]
fn codes_of_several_lengths_that_were_cut_to_one_are_found_again() {
    let original = read("o", "code\nocc1\nocc12\nocc3\nx9\n");
    let released = recoded(&original, "code", |code| format!("{}***", &code[..2]));
    let release = Release::by_row(original, released).expect("rows");
    let distances = distances(&release, &["code"], Standardization::Raw);
    let mut d = [0.0];
    for (i, expected) in [[0.0, 1.0], [0.0, 1.0], [0.0, 1.0], [1.0, 0.0]].iter().enumerate() {
        for (j, expected) in [0, 3].into_iter().zip(expected) {
            distances.vector(i, j, &mut d);
            assert_eq!(d[0], *expected, "{i} {j}");
        }
    }
}

#[test]
fn codes_with_leading_zeros_and_numbers_in_one_file_only_are_compared() {
    let codes = || read("codes", "region\n08440\n25300\n25301\n");
    let numbers = || read("numbers", "region\n8440\n25300\n25301\n");
    assert!(
        codes().numeric("region", "a test").is_err() && numbers().numeric("region", "").is_ok()
    );
    for (original, released) in [(codes(), numbers()), (numbers(), codes())] {
        let release = Release::by_row(original, released).expect("rows");
        let links = Attack::Gower.link(&release, &["region"], &()).expect("links");
        assert_eq!(links.reidentified(TieRule::Miss), 3.0);
    }
}

#[test]
fn a_release_of_the_lattice_is_read_back_by_the_attacker() {
    let data = survey();
    let folder = tempfile::tempdir().expect("a folder");
    let write = |file: &str, text: &str| {
        std::fs::write(folder.path().join(file), text).expect("written");
    };
    write("age.toml", "rule = 'number'\nwidths = [10, 50]\nsuppress = true\n");
    write("region.toml", "rule = 'zip'\nmasked = [3, 5]\nmask = 'X'\n");
    write("admission.toml", "rule = 'date'\nlevels = ['month', 'year']\n");
    let hierarchies = find_hierarchies(folder.path(), &data).expect("three");
    let names: Vec<&str> = hierarchies.iter().map(Hierarchy::attribute).collect();
    assert_eq!(names, ["age", "region", "admission"]);
    for node in [[1, 1, 1], [2, 1, 2], [0, 2, 0], [3, 0, 1]] {
        let released = generalize(&data, &hierarchies, &node).expect("a node");
        let bytes = released.to_bytes("r.csv".as_ref()).expect("written");
        let released = Dataset::from_csv("r.csv", &bytes, &ReadOptions::default()).expect("read");
        let release = Release::by_row(data.clone(), released).expect("rows");
        if node[1] > 0 {
            // 08XXX says nothing by itself.
            let error = release.check_labels(&names).expect_err("a name").to_string();
            assert!(error.contains("column region") && error.contains("`hierarchies`"), "{error}");
        }
        let release = release.with_hierarchies(&hierarchies);
        release.check_labels(&names).expect("names are known");
        let distances = distances(&release, &names, Standardization::Own);
        let mut d = [0.0; 3];
        for i in 0..data.records() {
            distances.vector(i, i, &mut d);
            assert_eq!(d, [0.0; 3], "record {i} of {node:?}");
        }
        let (certain, _) = certain_and_expected(&release, &distances);
        assert_eq!(certain, expected_certain(&data, &hierarchies, &names, &node));
    }
}

/// Targets that alone have their values on the levels of `node`.
fn expected_certain(
    data: &Dataset,
    hierarchies: &[Hierarchy],
    names: &[&str],
    node: &[usize],
) -> usize {
    let released = generalize(data, hierarchies, node).expect("a node");
    let text = |name: &&str, i: usize| match released.values(name).expect("a column") {
        Values::Numeric(column) => column.get(i).map(|v| v.to_string()),
        Values::Categorical(column) => column.get(i).map(str::to_owned),
    };
    let rows: Vec<Vec<Option<String>>> =
        (0..data.records()).map(|i| names.iter().map(|name| text(name, i)).collect()).collect();
    let mut counts: HashMap<&Vec<Option<String>>, usize> = HashMap::new();
    rows.iter().for_each(|row| *counts.entry(row).or_default() += 1);
    rows.iter().filter(|row| counts[row] == 1).count()
}

#[test]
fn labels_without_counterpart_are_refused_with_the_remedy_and_one_short_value() {
    let folder = tempfile::tempdir().expect("a folder");
    let write = |file: &str, text: &str| {
        std::fs::write(folder.path().join(file), text).expect("written");
    };
    write("o.csv", "age,town\n21,Ulm\n22,Bonn\n33,Kiel\n");
    write(
        "r.csv",
        "age,town\n21,a region with a very long name\n22,secret north\n33,secret north\n",
    );
    let run = |arguments: &[&str]| unmask_in(folder.path(), arguments);
    for verb in ["link", "audit", "keys"] {
        let command =
            [verb, "--original", "o.csv", "--released", "r.csv", "--attributes", "age,town"];
        let error = refusal(&run(&command));
        assert!(error.contains("r.csv: column town: \"a region with a very"), "{error}");
        assert!(error.contains("--hierarchies") && !error.contains("secret"), "{error}");
        assert!(!error.contains("long name"), "{error}");
    }
    std::fs::create_dir(folder.path().join("names")).expect("a folder");
    write(
        "names/town.csv",
        "Ulm,a region with a very long name\nBonn,secret north\nKiel,secret north\n",
    );
    let found = success(&run(&[
        "link",
        "--original",
        "o.csv",
        "--released",
        "r.csv",
        "--attributes",
        "age,town",
        "--hierarchies",
        "names",
    ]));
    assert!(found.contains('3'), "{found}");
    write("r.csv", "age,town\nyoung,Ulm\nyoung,Bonn\nold,Kiel\n");
    let error = refusal(&run(&["link", "--original", "o.csv", "--released", "r.csv"]));
    assert!(error.contains("r.csv: column age: \"young\"") && error.contains("numbers"), "{error}");
}

#[test]
fn the_utility_of_numbers_released_as_intervals_is_that_of_their_middles() {
    let original = read("o", "age,income\n21,1\n22,2\n36,3\n");
    let released = read("r", "age,income\n20-29,1\n20-29,3\n30-39,2\n");
    let middles = read("m", "age,income\n25,1\n25,3\n33,2\n");
    let measure =
        |file| unmask::utility::Utility::measure_all(&original, file).expect("two columns");
    let (found, same) = (measure(&released), measure(&middles));
    assert_eq!(found.attributes.len(), 2);
    assert_eq!(found.il_percent, same.il_percent);
    assert_eq!(found.il1s_percent, same.il1s_percent);
    let unreadable = read("r", "age,income\nyoung,1\nyoung,3\nold,2\n");
    let error = unmask::utility::Utility::measure(&original, &unreadable, &["age"]).unwrap_err();
    assert!(error.to_string().contains("leave the column out"), "{error}");
}

#[test]
fn classes_do_not_depend_on_how_a_value_is_written() {
    let data = read("r", "age,town\n20-29,{a|b}\n\"[20, 29]\",{b|a}\n20 to 29,{a|b}\n30+,{a|c}\n");
    let classes = unmask::anonymity::EquivalenceClasses::new(&data, &["age", "town"]);
    let sizes: Vec<usize> = classes.expect("two columns").iter().map(|class| class.len()).collect();
    assert_eq!(sizes, [3, 1]);
}

#[test]
fn an_audit_of_intervals_leaves_out_what_needs_numbers_and_finds_the_rest() {
    let original = read("o", "age,income\n21,5\n22,9\n33,2\n47,7\n58,1\n61,3\n");
    let released = read("r", "age,income\n20-29,5\n20-29,9\n30-39,2\n40-49,7\n50-59,1\n60+,3\n");
    let release = Release::by_row(original, released).expect("rows");
    let record = unmask::audit::Audit::of(&release).run(&()).expect("audited");
    let json = serde_json::to_value(&record).expect("serializable");
    assert_eq!(json["verdict"]["rate"], 1.0, "{}", json["verdict"]);
    let left_out = json["left_out"].to_string();
    assert!(
        left_out.contains("mahalanobis") && left_out.contains("age holds labels"),
        "{left_out}"
    );
}

#[test]
fn groups_that_are_called_like_one_of_their_values_are_groups_where_the_others_are_gone() {
    let original = read("o", "age,school\n20,none\n22,primary\n25,bachelor\n27,master\n");
    let recoded = read("r", "age,school\n20,primary\n20,primary\n25,bachelor\n25,bachelor\n");
    let hierarchy = |name, rows: [[&str; 2]; 4]| Hierarchy::new(name, rows).expect("two levels");
    let hierarchies = [
        hierarchy("age", [["20", "20"], ["22", "20"], ["25", "25"], ["27", "25"]]),
        hierarchy(
            "school",
            [
                ["none", "primary"],
                ["primary", "primary"],
                ["bachelor", "bachelor"],
                ["master", "bachelor"],
            ],
        ),
    ];
    let expected = [[0.0, 0.0, 1.0, 1.0], [0.0, 0.0, 1.0, 1.0]];
    for (released, expected) in [(recoded, expected), (original.clone(), [[0.0, 1.0, 1.0, 1.0]; 2])]
    {
        let release = Release::by_row(original.clone(), released).expect("rows");
        let release = release.with_hierarchies(&hierarchies);
        let distances = distances(&release, &["age", "school"], Standardization::Own);
        let mut d = [0.0; 2];
        for (j, expected) in (0..4).map(|j| (j, [expected[0][j], expected[1][j]])) {
            distances.vector(0, j, &mut d);
            assert_eq!(d.map(|d| f64::from(u8::from(d > 0.0))), expected, "row {j}: {d:?}");
        }
    }
}
