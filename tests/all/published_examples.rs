//! Numbers that papers print, from the same data.

use unmask::anonymity::{
    Anonymity, AnonymityOptions, Diversity, LevelCounts, LevelRule, Levels, SensitiveValues,
};
use unmask::dataset::catalog::EIA_ATTRIBUTES as EIA;
use unmask::dataset::{Dataset, ReadOptions};
use unmask::protection::ProtectionMethod;
use unmask::protection::microaggregation::{LDiverseVMdav, Mdav};
use unmask::utility::Utility;

#[test]
fn mdav_on_z_scores_loses_what_the_literature_reports() {
    let published = [
        ("census", [(3, "5.69"), (5, "9.09"), (10, "14.16")]),
        ("tarragona", [(3, "16.93"), (5, "22.46"), (10, "33.19")]),
        ("eia", [(3, "0.48"), (5, "1.67"), (10, "3.84")]),
    ];
    let losses = published.into_iter().flat_map(|(name, row)| row.map(|(k, loss)| (name, k, loss)));
    for (name, k, published) in losses {
        let data = Dataset::load(name, &ReadOptions::default()).unwrap();
        let attributes: Vec<&str> = match name {
            "eia" => EIA.to_vec(),
            _ => data.attributes().iter().map(|a| a.name.as_str()).collect(),
        };
        let names: Vec<String> = attributes.iter().map(|name| (*name).to_owned()).collect();
        let released = Mdav::new(k).protect(&data, &names, 1, &()).unwrap().released;
        let loss = Utility::measure(&data, &released, &attributes).unwrap().il_percent;
        assert_eq!(format!("{loss:.2}"), published, "{name} k={k}");
    }
}

/// Three classes of Han, Cen and Yu (2008) and the ends of the range of Table 2.
const SALARIES: &str = "age,height,weight,salary\n25,165,70,5500\n25,165,70,5400\n\
    30,170,80,5500\n30,170,80,3200\n30,170,80,2000\n40,180,90,1000\n40,180,90,6000\n";

/// Distinct diversity of the records of one age, by values or by 5 levels.
fn diversity_at(age: &str, levels: Option<Levels>) -> usize {
    let file = Dataset::from_csv("salaries", SALARIES.as_bytes(), &ReadOptions::default()).unwrap();
    let values = SensitiveValues::new(&file, "salary", levels).unwrap();
    let mut counts = LevelCounts::default();
    let lines = SALARIES.lines().skip(1).zip(values.codes());
    lines.filter(|(line, _)| line.starts_with(age)).for_each(|(_, &code)| counts.add(code));
    counts.degree(Diversity::Distinct) as usize
}

#[test]
fn close_salaries_are_not_2_diverse_on_5_levels_of_1000() {
    let levels = Some(Levels { count: 5, rule: LevelRule::EqualWidth });
    assert_eq!(diversity_at("25", None), 2, "Table 1 is 2-diverse by values");
    assert_eq!(diversity_at("25", levels), 1, "{{5500, 5400}} is on one level of Table 2");
    assert_eq!(diversity_at("30", levels), 3, "{{5500, 3200, 2000}} has distinct diversity 3");
}

#[test]
fn a_release_of_the_published_example_is_diverse_on_levels() {
    let file = Dataset::from_csv("salaries", SALARIES.as_bytes(), &ReadOptions::default()).unwrap();
    let levels = Some(Levels { count: 5, rule: LevelRule::EqualWidth });
    let quasi = ["age", "height", "weight"];
    let options = AnonymityOptions { c: 3.0, levels };
    let l = |file: &Dataset| {
        Anonymity::measure(file, &quasi, &["salary"], &options).unwrap().sensitive[0].distinct_l
    };
    assert_eq!(l(&file), 1);
    let method = LDiverseVMdav {
        sensitive: vec!["salary".into()],
        levels: Some(5),
        ..LDiverseVMdav::new(2)
    };
    let names = quasi.map(String::from);
    assert!(l(&method.protect(&file, &names, 1, &()).unwrap().released) >= 2);
}
