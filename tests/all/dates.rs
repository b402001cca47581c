//! Dates are days: read, attacked, protected and written as such.

use crate::support::methods::{microaggregations, random_methods};
use crate::support::survey::{self, released_as};
use crate::support::{refusal, success, unmask_in};
use std::collections::HashSet;
use unmask::anonymity::EquivalenceClasses;
use unmask::dataset::{Attribute, Dataset, DateFormat, Numeric, ReadOptions, Schema};
use unmask::linkage::{Attack, Release, TieRule};
use unmask::protection::Protection;

fn read(text: &str) -> Dataset {
    Dataset::from_csv("d.csv", text.as_bytes(), &ReadOptions::default()).expect("reads")
}

fn warnings(dataset: &Dataset) -> String {
    dataset.notes().warnings().collect::<Vec<_>>().join("; ")
}

fn dates<'a>(dataset: &'a Dataset, name: &str) -> &'a Numeric {
    let column = dataset.numeric(name, "a test").expect("days");
    assert!(column.is_date(), "{name} holds dates");
    column
}

#[test]
fn dates_are_read_as_days_and_written_as_they_were() {
    for text in [
        "d\n1970-01-02\n1969-12-31\n\n",
        "d\n02.01.1970\n31.12.1969\n\n",
        "d\n2.1.1970\n31.12.1969\n\n",
        "d\n01/02/1970\n12/31/1969\n\n",
        "d\n02Jan1970\n31Dec1969\n\n",
    ] {
        let file = read(text);
        let days: Vec<Option<f64>> = dates(&file, "d").iter().collect();
        assert_eq!(days, [Some(1.0), Some(-1.0), None], "{text:?}");
        let written = file.to_bytes("out.csv".as_ref()).expect("writes");
        let plain = String::from_utf8(written).expect("text").replace("\"\"", "");
        assert_eq!(plain, text);
    }
}

#[test]
fn dates_that_two_formats_fit_stay_labels_with_a_warning_until_somebody_says_which() {
    let text = "d\n01/02/2020\n03/04/2021\n";
    let file = read(text);
    assert!(!file.attributes()[0].is_numeric());
    assert!(warnings(&file).contains("%d/%m/%Y or %m/%d/%Y"), "{}", warnings(&file));
    let format: DateFormat = "%d/%m/%Y".parse().expect("a format");
    let options = ReadOptions { date_format: Some(format), ..ReadOptions::default() };
    let said = Dataset::from_csv("d.csv", text.as_bytes(), &options).expect("reads");
    let texts: Vec<Option<String>> = dates(&said, "d").texts().collect();
    assert_eq!(texts, [Some("01/02/2020".into()), Some("03/04/2021".into())]);
    assert_eq!(dates(&said, "d").get(0), Some(18_293.0));
}

#[test]
fn what_is_no_day_keeps_a_column_of_labels() {
    for text in ["d\n2023-02-29\n2023-03-01\n", "d\n2023-03-01\nunknown\n", "d\n2023-03-01\n7\n"] {
        assert!(!read(text).attributes()[0].is_numeric(), "{text:?}");
    }
}

#[test]
fn years_of_two_digits_are_labels_with_a_warning_until_somebody_says_how() {
    let text = "d\n24.07.33\n23.10.03\n01.01.29\n";
    let file = read(text);
    assert!(!file.attributes()[0].is_numeric());
    assert!(warnings(&file).contains("two digits as %d.%m.%y"), "{}", warnings(&file));
    let format: DateFormat = "%d.%m.%y".parse().expect("a format");
    let options = ReadOptions { date_format: Some(format), ..ReadOptions::default() };
    let said = Dataset::from_csv("d.csv", text.as_bytes(), &options).expect("reads");
    let days = dates(&said, "d");
    let years: Vec<String> =
        days.present().map(|day| DateFormat::iso().text(day)[..4].to_owned()).collect();
    assert_eq!(years, ["1933", "2003", "2029"]);
    let written = said.to_bytes("out.csv".as_ref()).expect("writes");
    assert_eq!(String::from_utf8(written).expect("text"), text);
}

#[test]
fn a_year_of_two_digits_is_no_year_of_the_first_century() {
    let format: DateFormat = "%d.%m.%Y".parse().expect("a format");
    let options = ReadOptions { date_format: Some(format), ..ReadOptions::default() };
    let file = Dataset::from_csv("d.csv", b"d\n24.07.03\n", &options).expect("reads");
    assert!(!file.attributes()[0].is_numeric());
    let days: Vec<String> =
        (0..300).map(|i| format!("{:02}.07.{}", 1 + i % 28, 1950 + i % 50)).collect();
    let original = read(&format!("d\n{}\n", days.join("\n")));
    for cut in [
        |day: &String| format!("{}{}", &day[..6], &day[8..]),
        |day: &String| format!("{}{}", &day[3..6], &day[8..]),
    ] {
        let released: Vec<String> = days.iter().map(cut).collect();
        let released = read(&format!("d\n{}\n", released.join("\n")));
        let release = Release::by_row(original.clone(), released).expect("as many rows");
        assert!(Attack::Dbrl1.link(&release, &["d"], &()).is_err());
    }
}

#[test]
fn dates_that_contradict_what_is_said_of_them_are_never_read_in_silence() {
    let american = "d,x\n06/03/1975,1\n11/30/2021,2\n";
    let said: DateFormat = "%d/%m/%Y".parse().expect("a format");
    let with = |schema: Schema, date_format: Option<DateFormat>, text: &str| {
        let options = ReadOptions { schema, date_format, ..ReadOptions::default() };
        Dataset::from_csv("d.csv", text.as_bytes(), &options)
    };
    let mut of_column = Schema::default();
    of_column.attributes.entry("d".into()).or_default().date_format = Some(said.clone());
    let mut of_release = of_column.clone();
    of_release.of_release = true;
    for schema in [of_column.clone(), of_release] {
        let error = with(schema, None, american).expect_err("is refused").to_string();
        assert!(error.contains("line 3") && error.contains("%d/%m/%Y"), "{error}");
    }
    let file = with(Schema::default(), Some(said.clone()), american).expect("reads");
    assert!(!file.attributes()[0].is_numeric());
    assert!(warnings(&file).contains("in line 3"), "{}", warnings(&file));
    let iso = with(Schema::default(), Some(said.clone()), "d\n2021-11-30\n").expect("reads");
    assert!(dates(&iso, "d").len() == 1 && warnings(&iso).contains("in line 2"));
    let typo = "d\n06/03/1975\n07/03/1975\n31/02/1975\n";
    assert!(with(of_column, None, typo).is_err());
    let file = with(Schema::default(), Some(said), typo).expect("reads");
    assert!(warnings(&file).contains("\"31/02/1975\" in line 4"), "{}", warnings(&file));
}

/// Dates of twenty years, one in thirteen days, and what is released of them.
fn released(write: impl Fn(&str) -> String) -> Release {
    let format = DateFormat::iso();
    let days: Vec<String> = (0..500).map(|i| format.text(f64::from(i * 13 + 7_305))).collect();
    let file = |texts: Vec<String>| read(&format!("d\n\"{}\"\n", texts.join("\"\n\"")));
    let released = file(days.iter().map(|day| write(day)).collect());
    Release::by_row(file(days), released).expect("as many rows")
}

/// How many people are found on average by who takes the nearest date.
fn found(release: &Release) -> f64 {
    Attack::Dbrl1.link(release, &["d"], &()).expect("links").reidentified(TieRule::Share)
}

#[test]
fn released_months_quarters_years_and_decades_are_attacked_as_the_days_they_stand_for() {
    let quarter = |day: &str| {
        let month: u32 = day[5..7].parse().expect("a month");
        format!("{}-Q{}", &day[..4], month.div_ceil(3))
    };
    type Write<'a> = &'a dyn Fn(&str) -> String;
    let levels: [(&str, Write<'_>); 6] = [
        ("month", &|day| day[..7].to_owned()),
        ("month, other form", &|day| format!("{}.{}", &day[5..7], &day[..4])),
        ("quarter", &quarter),
        ("year", &|day| day[..4].to_owned()),
        ("decade", &|day| format!("{}0s", &day[..3])),
        ("interval", &|day| format!("[{}-01-01, {}-12-31]", &day[..4], &day[..4])),
    ];
    for (name, write) in levels {
        let release = released(write);
        let texts: HashSet<String> = (0..500)
            .map(|i| write(&dates(release.original(), "d").text(i).expect("a date")))
            .collect();
        // Whoever knows a day guesses among the records of its period: one is found in each.
        assert!((found(&release) - texts.len() as f64).abs() < 1e-6, "{name}: {}", found(&release));
    }
}

#[test]
fn numbers_of_days_are_never_taken_for_years() {
    // Born from 1973 to 1996: days since 1970 have four digits, as years do.
    let births: Vec<f64> = (0..300).map(|i| f64::from(1_100 + 29 * i)).collect();
    let format = DateFormat::iso();
    let file = |texts: Vec<String>| read(&format!("d\n{}\n", texts.join("\n")));
    let original = || file(births.iter().map(|day| format.text(*day)).collect());
    for noise in [0.0, 40.0] {
        let noisy = |(i, day): (usize, &f64)| day + noise * f64::from(i as u32 % 7) - 3.0 * noise;
        let days = births.iter().enumerate().map(|row| noisy(row).to_string()).collect();
        let release = Release::by_row(original(), file(days)).expect("as many rows");
        let error = Attack::Dbrl1.link(&release, &["d"], &()).expect_err("is refused").to_string();
        assert!(error.contains("column d"), "{error}");
    }
    // Years a little outside of the original's are years.
    let years = births.iter().map(|day| format!("{:.0}", 1_965.0 + day / 365.0)).collect();
    let release = Release::by_row(original(), file(years)).expect("as many rows");
    assert!(Attack::Dbrl1.link(&release, &["d"], &()).is_ok());
}

#[test]
fn a_date_is_never_compared_with_a_number_of_something_else() {
    let folder = tempfile::tempdir().expect("a folder");
    let days: String = (10..40).map(|i| format!("20{i}-03-{:02}\n", 1 + i % 28)).collect();
    let incomes: String = (10..40).map(|i| format!("{}\n", 1_000 * i)).collect();
    std::fs::write(folder.path().join("o.csv"), format!("d\n{days}")).expect("writes");
    std::fs::write(folder.path().join("r.csv"), format!("d\n{incomes}")).expect("writes");
    let arguments = ["link", "--original", "o.csv", "--released", "r.csv", "--attack", "dbrl1"];
    let error = refusal(&unmask_in(folder.path(), &arguments));
    assert!(error.contains("which holds dates"), "{error}");
}

#[test]
fn an_audit_of_admission_months_finds_who_is_alone_in_a_month() {
    let months = survey::changed(&["admission"], |_, day| day[..7].to_owned());
    let release = released_as(&months);
    let links = Attack::Dbrl1.link(&release, &["admission"], &()).expect("links");
    let (_, rows) = survey::survey();
    let distinct: HashSet<String> = rows.iter().map(|row| row[5][..7].to_owned()).collect();
    assert!((links.reidentified(TieRule::Share) - distinct.len() as f64).abs() < 1e-6);
}

/// Dates beside numbers.
fn mixed(records: usize) -> Dataset {
    let format = DateFormat::iso();
    let rows: String = (0..records)
        .map(|i| format!("{},{}\n", format.text((i * 7919 % 3_001) as f64), (i * 31) % 97))
        .collect();
    read(&format!("day,x\n{rows}"))
}

#[test]
fn every_method_for_numbers_makes_dates_of_dates() {
    let original = mixed(120);
    for method in [random_methods(), microaggregations(4)].concat() {
        let protection = Protection::by(method.clone()).attributes(["day", "x"]).seed(7);
        let made = protection.apply(&original, &()).expect("protects").protected;
        let days = dates(&made.released, "day");
        assert!(days.present().all(|day| day.fract() == 0.0), "{}", method.name());
        assert_ne!(days, dates(&original, "day"), "{}", method.name());
        let bytes = made.released.to_bytes("out.csv".as_ref()).expect("writes");
        let again = read(&String::from_utf8(bytes).expect("text"));
        assert_eq!(dates(&again, "day"), days, "{}", method.name());
    }
}

#[test]
fn groups_keep_k_records_when_their_mean_dates_are_rounded_to_days() {
    let original = mixed(200);
    for method in microaggregations(5) {
        let protection = Protection::by(method.clone()).attributes(["day", "x"]);
        let made = protection.apply(&original, &()).expect("protects").protected;
        for partition in &made.partitions {
            let classes = EquivalenceClasses::new(&made.released, &partition.attributes);
            assert!(classes.expect("classes").k() >= 5, "{}", method.name());
        }
    }
}

#[test]
fn distances_of_dates_are_those_of_their_days() {
    let file = mixed(80);
    let days: Vec<f64> = dates(&file, "day").present().collect();
    let noisy: Vec<f64> = days.iter().enumerate().map(|(i, d)| d + (i % 9) as f64).collect();
    let texts: Vec<String> = noisy.iter().map(|d| DateFormat::iso().text(*d)).collect();
    let as_dates = Release::by_row(
        read(&format!(
            "day\n{}\n",
            join(&dates(&file, "day").texts().flatten().collect::<Vec<_>>())
        )),
        read(&format!("day\n{}\n", join(&texts))),
    );
    let number = |values: Vec<f64>| {
        Dataset::new("n", vec![Attribute::numeric("day", values).expect("finite")]).expect("a file")
    };
    let as_numbers = Release::by_row(number(days), number(noisy));
    let [a, b] = [as_dates, as_numbers].map(|release| {
        Attack::Dbrl2
            .link(&release.expect("rows"), &["day"], &())
            .expect("links")
            .reidentified(TieRule::Miss)
    });
    assert_eq!(a, b);
}

fn join(texts: &[String]) -> String {
    texts.join("\n")
}

#[test]
fn hierarchies_by_rule_have_weeks_quarters_and_decades() {
    let folder = tempfile::tempdir().expect("a folder");
    let days: String =
        (0..60).map(|i| format!("{}\n", DateFormat::iso().text(f64::from(i * 97)))).collect();
    std::fs::write(folder.path().join("d.csv"), format!("d\n{days}")).expect("writes");
    std::fs::create_dir(folder.path().join("h")).expect("a folder");
    let lattice = |levels: &str| {
        let rule = format!("rule = \"date\"\nlevels = {levels}\nsuppress = true\n");
        std::fs::write(folder.path().join("h/d.toml"), rule).expect("writes");
        unmask_in(
            folder.path(),
            &[
                "lattice",
                "enumerate",
                "d.csv",
                "--hierarchies",
                "h",
                "--quasi",
                "d",
                "--k",
                "2",
                "-o",
                "nodes.csv",
                "--force",
            ],
        )
    };
    success(&lattice(r#"["month", "quarter", "year", "decade"]"#));
    success(&lattice(r#"["week"]"#));
    assert!(refusal(&lattice(r#"["week", "month"]"#)).contains("upwards"));
}

#[test]
fn numbers_with_a_decimal_comma_and_missing_ones_are_attacked_as_numbers() {
    let row = |i: usize| (i * 37 % 101, i % 10);
    let file = |comma: bool| {
        let cell = |i: usize| match row(i) {
            (_, 0) => String::new(),
            (a, b) if comma => format!("{a},{b}"),
            (a, b) => format!("{a}.{b}"),
        };
        let rows: String = (0..60).map(|i| format!("{i};{}\n", cell(i))).collect();
        read(&format!("id;x\n{rows}"))
    };
    let found = |original: bool, released: bool| {
        let release = Release::by_row(file(original), file(released)).expect("rows");
        Attack::Dbrl1.link(&release, &["x"], &()).expect("links").reidentified(TieRule::Share)
    };
    let plain = found(false, false);
    assert_eq!([found(true, true), found(true, false), found(false, true)], [plain; 3]);
}
