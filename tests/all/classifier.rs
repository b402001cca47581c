//! Decision trees: the book's examples, the laws, the textbook, and the reference on Adult.

#[path = "../textbook/c45.rs"]
mod textbook;

use proptest::prelude::*;
use textbook::{Case, Tree, Value};
use unmask::classifier::{C45, DecisionTree};
use unmask::dataset::catalog::ADULT_QUASI_IDENTIFIERS as EIGHT;
use unmask::dataset::{Attribute, Dataset, Numeric, ReadOptions, Role, Values};
use unmask::protection::generalization::{AntiUnification, Condition, Unknown, Variant};

/// Quinlan 1993, table 2.1.
const GOLF: &str = "\
outlook,temperature,humidity,windy,class
sunny,75,70,true,Play
sunny,80,90,true,Don't
sunny,85,85,false,Don't
sunny,72,95,false,Don't
sunny,69,70,false,Play
overcast,72,90,true,Play
overcast,83,78,false,Play
overcast,64,65,true,Play
overcast,81,75,false,Play
rain,71,80,true,Don't
rain,65,70,true,Don't
rain,75,80,false,Play
rain,68,80,false,Play
rain,70,96,false,Play
";

const GOLF_ATTRIBUTES: [&str; 4] = ["outlook", "temperature", "humidity", "windy"];

fn read(text: &str) -> Dataset {
    Dataset::from_csv("golf.csv", text.as_bytes(), &ReadOptions::default()).unwrap()
}

fn unpruned() -> C45 {
    C45 { pruning: false, ..C45::default() }
}

#[test]
fn the_golf_table_gives_the_tree_of_the_book() {
    for settings in [C45::default(), unpruned()] {
        let golf = read(GOLF);
        let tree = settings.train(&golf, "class", &GOLF_ATTRIBUTES).unwrap();
        // The threshold is a number of the whole file, as in the book: 75, not the 70 of the branch.
        let expected = "\
outlook = overcast: Play (4)
outlook = rain
|   windy = false: Play (3)
|   windy = true: Don't (2)
outlook = sunny
|   humidity <= 75: Play (2)
|   humidity > 75: Don't (3)";
        assert_eq!(tree.to_string(), expected);
        assert_eq!((tree.size(), tree.leaves(), tree.depth()), (8, 5, 2));
        assert_eq!(tree.evaluate(&golf).unwrap().accuracy_percent, 100.0);
    }
}

/// Quinlan 1993, section 3.2: the outlook of one record is not known.
#[test]
fn an_unknown_outlook_gives_the_fractions_of_the_book() {
    let golf = read(&GOLF.replace("overcast,72,90", "?,72,90"));
    let tree = unpruned().train(&golf, "class", &GOLF_ATTRIBUTES).unwrap();
    let expected = "\
outlook = overcast: Play (3.23)
outlook = rain
|   windy = false: Play (3)
|   windy = true: Don't (2.38/0.38)
outlook = sunny
|   humidity <= 75: Play (2)
|   humidity > 75: Don't (3.38/0.38)";
    assert_eq!(tree.to_string(), expected);
    let day = read("outlook,temperature,humidity,windy\nsunny,70,?,false\n");
    let probabilities = tree.probabilities(&day).unwrap().remove(0);
    let shown: Vec<String> = probabilities.iter().map(|p| format!("{p:.2}")).collect();
    assert_eq!((tree.classes()[0].as_str(), shown[0].as_str()), ("Don't", "0.56"));
    assert_eq!(shown[1], "0.44");
}

/// Adult with age in intervals of five years, as the study has it.
fn adult(name: &str) -> Dataset {
    let file = Dataset::load(name, &ReadOptions::default()).unwrap();
    file.discretize(&["age:5:20:90".parse().unwrap()]).unwrap()
}

/// Weka's J48 -C 0.25 -M 2: 83.42% and 83.11%, 300 leaves, size 331.
#[test]
fn adult_gives_the_very_numbers_of_the_reference() {
    let (train, test) = (adult("adult-train"), adult("adult-test"));
    let tree = C45::default().train(&train, "salary", &EIGHT).unwrap();
    let accuracy = |file| format!("{:.2}", tree.evaluate(file).unwrap().accuracy_percent);
    assert_eq!((accuracy(&train), accuracy(&test)), ("83.42".into(), "83.11".into()));
    assert_eq!((tree.leaves(), tree.size()), (300, 331));
}

/// J48 trained on the patterns of the literal variant, one row each, most cells of
/// which are generalized or missing somewhere, and tested on the test file.
#[test]
fn trees_from_generalized_patterns_have_the_accuracy_of_the_reference() {
    let (mut train, test) = (adult("adult-train"), adult("adult-test"));
    train.set_role(&["salary"], Role::Confidential).unwrap();
    let quasi = EIGHT.map(String::from);
    let (fewest, most) = (Condition::Fewest, Condition::Most);
    for (conditions, k, expected) in [
        (vec![fewest, most], 20, "81.29"),
        (vec![fewest, most], 30, "81.26"),
        (vec![most, fewest], 20, "82.19"),
        (vec![most, fewest], 30, "76.38"),
    ] {
        let (variant, unknown) = (Variant::Literal, Unknown::OwnValue);
        let method = AntiUnification { k, indifferent: 2, conditions, variant, unknown };
        let patterns = method.generalize(&train, &quasi, &()).unwrap();
        let patterns = patterns.pattern_file(&train).unwrap();
        let tree = C45::default().train(&patterns, "salary", &EIGHT).unwrap();
        let accuracy = tree.evaluate(&test).unwrap().accuracy_percent;
        assert_eq!(format!("{accuracy:.2}"), expected, "{method:?}");
    }
}

#[test]
fn the_order_of_the_attributes_matters_only_for_ties() {
    let train = adult("adult-train").select(&(0..6000).collect::<Vec<_>>()).unwrap();
    let train_with = |attributes: &[&str]| {
        let tree = C45::default().train(&train, "salary", attributes).unwrap();
        (tree.size(), tree.leaves(), tree.evaluate(&train).unwrap().correct)
    };
    let expected = train_with(&EIGHT);
    let mut attributes = EIGHT;
    for _ in 0..3 {
        attributes.rotate_left(3);
        assert_eq!(train_with(&attributes), expected, "{attributes:?}");
    }
}

/// A small file: two nominal attributes, a numeric one, unknown values, a class.
#[derive(Debug, Clone)]
struct Small {
    nominal: Vec<[Option<u8>; 2]>,
    number: Vec<Option<f64>>,
    class: Vec<u8>,
}

const NAMES: [&str; 3] = ["a", "b", "x"];

fn small() -> impl Strategy<Value = Small> {
    let label = || prop::option::weighted(0.85, 0u8..4);
    let number = prop::option::weighted(0.85, (0i32..12).prop_map(f64::from));
    // Classes lean on the first label, so that there is something to learn.
    let record = ([label(), label()], number, 0u8..3, any::<bool>());
    prop::collection::vec(record, 6..60).prop_map(|records| Small {
        nominal: records.iter().map(|r| r.0).collect(),
        number: records.iter().map(|r| r.1).collect(),
        class: records.iter().map(|r| if r.3 { r.2 } else { r.0[0].unwrap_or(0) % 3 }).collect(),
    })
}

impl Small {
    fn dataset(&self) -> Dataset {
        let label = |code: u8| format!("l{code}");
        let column = |k: usize| self.nominal.iter().map(move |r| r[k].map(label));
        let number = Numeric::new(self.number.iter().copied()).unwrap();
        let x = Attribute { name: "x".into(), role: Role::Other, values: Values::Numeric(number) };
        let class = self.class.iter().map(|c| Some(format!("c{c}")));
        let (a, b) = (Attribute::nominal("a", column(0)), Attribute::nominal("b", column(1)));
        Dataset::new("small", vec![a, b, x, Attribute::nominal("class", class)]).unwrap()
    }

    fn cases(&self) -> Vec<Case> {
        let case = |i: usize| {
            let label = |k: usize| self.nominal[i][k].map(|c| Value::Label(format!("l{c}")));
            let values = vec![label(0), label(1), self.number[i].map(Value::Number)];
            Case { values, class: format!("c{}", self.class[i]), weight: 1.0 }
        };
        (0..self.class.len()).map(case).collect()
    }

    fn records(&self) -> usize {
        self.class.len()
    }
}

/// Every branch as (way from the root, weight there), as the textbook tells them.
fn outline(tree: &DecisionTree) -> Vec<(String, f64)> {
    fn below(tree: &DecisionTree, at: usize, way: String, lines: &mut Vec<(String, f64)>) {
        let node = &tree.nodes()[at];
        lines.push((way.clone(), node.weight()));
        for (branch, &child) in node.children.iter().enumerate() {
            let split = node.split.unwrap();
            let condition = tree.condition(split, branch);
            below(tree, child, format!("{way}/{} {condition}", tree.attribute(split)), lines);
        }
    }
    let mut lines = Vec::new();
    below(tree, 0, String::new(), &mut lines);
    lines
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn trees_are_those_of_the_textbook(small in small(), pruning: bool) {
        let file = small.dataset();
        let ours = C45 { pruning, ..C45::default() }.train(&file, "class", &NAMES).unwrap();
        let cases = small.cases();
        let theirs = Tree::train(&cases, pruning);
        let (left, right) = (outline(&ours), theirs.outline(&NAMES));
        prop_assert_eq!(left.len(), right.len());
        for ((way, weight), (their_way, their_weight)) in left.iter().zip(&right) {
            prop_assert_eq!(way, their_way);
            prop_assert!((weight - their_weight).abs() < 1e-9);
        }
        for (case, probabilities) in cases.iter().zip(ours.probabilities(&file).unwrap()) {
            for (class, probability) in ours.classes().iter().zip(probabilities) {
                prop_assert!((probability - theirs.probability(case, class)).abs() < 1e-9);
            }
        }
    }

    #[test]
    fn the_order_of_the_records_does_not_matter(small in small(), shift in 1usize..50) {
        let file = small.dataset();
        let n = small.records();
        // Rotated and reversed.
        let rows: Vec<usize> = (0..n).map(|i| (n - 1 - i + shift) % n).collect();
        let other = file.select(&rows).unwrap();
        let trees = [file, other].map(|f| C45::default().train(&f, "class", &NAMES).unwrap());
        prop_assert_eq!(trees[0].to_string(), trees[1].to_string());
    }

    #[test]
    fn a_record_of_weight_two_is_two_records(small in small()) {
        let file = small.dataset();
        let n = small.records();
        let twice = file.select(&(0..2 * n).map(|i| i / 2).collect::<Vec<_>>()).unwrap();
        let weights = vec![2.0; n];
        let settings = C45::default();
        let weighted =
            settings.train_weighted(&file, "class", &NAMES, Some(&weights), &()).unwrap();
        let repeated = settings.train(&twice, "class", &NAMES).unwrap();
        prop_assert_eq!(weighted.to_string(), repeated.to_string());
    }

    #[test]
    fn a_record_of_weight_zero_is_no_record(small in small(), dropped in 1usize..5) {
        let file = small.dataset();
        let n = small.records();
        let weights: Vec<f64> = (0..n).map(|i| f64::from(u8::from(i >= dropped))).collect();
        let rest = file.select(&(dropped..n).collect::<Vec<_>>()).unwrap();
        // A label of a dropped record alone would still have its branch.
        prop_assume!(labels(&file) == labels(&rest));
        let settings = C45::default();
        let weighted =
            settings.train_weighted(&file, "class", &["a", "b"], Some(&weights), &()).unwrap();
        let without = settings.train(&rest, "class", &["a", "b"]).unwrap();
        prop_assert_eq!(weighted.to_string(), without.to_string());
    }

    #[test]
    fn an_attribute_without_known_values_is_never_tested(small in small()) {
        let file = small.dataset();
        let nothing = Attribute::nominal("nothing", vec![None::<&str>; small.records()]);
        let stars = Attribute::nominal("stars", vec![Some("*"); small.records()]);
        let mut attributes = file.attributes().to_vec();
        attributes.extend([nothing, stars]);
        let wider = Dataset::new("wider", attributes).unwrap();
        let all = ["nothing", "stars", "a", "b", "x"];
        let tree = C45::default().train(&wider, "class", &all).unwrap();
        let expected = C45::default().train(&file, "class", &NAMES).unwrap();
        prop_assert_eq!(tree.to_string(), expected.to_string());
    }

    #[test]
    fn the_unit_of_a_number_does_not_matter(small in small()) {
        let doubled = Small {
            number: small.number.iter().map(|x| x.map(|x| 2.0 * x)).collect(),
            ..small.clone()
        };
        let trees = [small, doubled].map(|s| {
            let file = s.dataset();
            let tree = C45::default().train(&file, "class", &NAMES).unwrap();
            (tree.size(), tree.evaluate(&file).unwrap().confusion_matrix)
        });
        prop_assert_eq!(&trees[0], &trees[1]);
    }

    // Training errors may fall by pruning: a raised branch may tell the records of the others
    // apart better than their own leaf did.
    #[test]
    fn pruning_never_grows_a_tree_and_no_tree_errs_more_than_one_leaf(small in small()) {
        let file = small.dataset();
        let [full, pruned] = [unpruned(), C45::default()]
            .map(|settings| settings.train(&file, "class", &NAMES).unwrap());
        prop_assert!(pruned.size() <= full.size());
        let errors = |tree: &DecisionTree| -> f64 {
            tree.nodes().iter().filter(|n| n.split.is_none()).map(|n| n.errors()).sum()
        };
        for tree in [&full, &pruned] {
            prop_assert!(errors(tree) <= tree.nodes()[0].errors() + 1e-9);
        }
    }
}

fn labels(file: &Dataset) -> Vec<Vec<String>> {
    let column = |a: &Attribute| match &a.values {
        Values::Categorical(column) => {
            let mut labels: Vec<String> =
                (0..column.len()).filter_map(|i| column.get(i).map(str::to_owned)).collect();
            labels.sort();
            labels.dedup();
            labels
        }
        Values::Numeric(_) => Vec::new(),
    };
    file.attributes().iter().map(column).collect()
}

#[test]
fn a_pure_class_gives_one_leaf() {
    let file = read("a,class\nx,yes\ny,yes\nz,yes\n");
    let tree = C45::default().train(&file, "class", &["a"]).unwrap();
    assert_eq!((tree.size(), tree.leaves(), tree.depth()), (1, 1, 0));
    assert_eq!(tree.to_string(), "yes (3)");
}

#[test]
fn a_label_never_seen_in_training_is_an_unknown_value() {
    let golf = read(GOLF);
    let tree = C45::default().train(&golf, "class", &GOLF_ATTRIBUTES).unwrap();
    let header = "outlook,temperature,humidity,windy\n";
    let [hail, unknown] =
        ["hail", "?"].map(|sky| tree.probabilities(&read(&format!("{header}{sky},70,80,true\n"))));
    assert_eq!(hail.unwrap(), unknown.unwrap());
}

#[test]
fn numbers_between_and_beyond_those_of_training_go_the_right_way() {
    let golf = read(GOLF);
    let tree = C45::default().train(&golf, "class", &GOLF_ATTRIBUTES).unwrap();
    let classes = |humidity: &str| {
        let day = format!("outlook,temperature,humidity,windy\nsunny,70,{humidity},true\n");
        tree.classes()[tree.classify(&read(&day)).unwrap()[0]].clone()
    };
    for (humidity, class) in
        [("-1000", "Play"), ("74.9", "Play"), ("75", "Play"), ("75.1", "Don't"), ("1e9", "Don't")]
    {
        assert_eq!(classes(humidity), class, "{humidity}");
    }
}

/// A staircase: every number its own class in turn, so that the tree is a chain.
#[test]
fn a_deep_tree_does_not_exhaust_the_stack() {
    let records = 3000;
    let class = (0..records).map(|i| Some(format!("c{:04}", i / 2)));
    let x = (0..records).map(|i| f64::from(i / 2)).collect();
    let attributes = vec![Attribute::numeric("x", x).unwrap(), Attribute::nominal("class", class)];
    let file = Dataset::new("stairs", attributes).unwrap();
    let small_stack = std::thread::Builder::new().stack_size(128 * 1024);
    let trained = small_stack.spawn(move || {
        let tree = unpruned().train(&file, "class", &["x"]).unwrap();
        let text = tree.to_string();
        (tree.evaluate(&file).unwrap().correct, text.lines().count(), tree.size())
    });
    let (correct, lines, size) = trained.unwrap().join().unwrap();
    assert_eq!((correct, lines), (3000, size - 1));
}

#[test]
fn bad_settings_and_bad_files_are_refused() {
    let golf = read(GOLF);
    let train = |settings: C45, class: &str, attributes: &[&str]| {
        settings.train(&golf, class, attributes).unwrap_err().to_string()
    };
    let with = |confidence: f64, minimum: f64| C45 { confidence, minimum, ..C45::default() };
    assert!(train(with(0.7, 2.0), "class", &["windy"]).contains("confidence = 0.7"));
    assert!(train(with(0.25, 0.0), "class", &["windy"]).contains("minimum = 0"));
    assert!(train(C45::default(), "humidity", &["windy"]).contains("`categorical` humidity"));
    assert!(train(C45::default(), "class", &["class"]).contains("leave it out"));
    assert!(train(C45::default(), "class", &[]).contains("at least one"));
    assert!(train(C45::default(), "tomorrow", &["windy"]).contains("no column \"tomorrow\""));
    for weights in [vec![1.0; 3], vec![f64::NAN; 14], vec![-1.0; 14]] {
        let settings = C45::default();
        assert!(settings.train_weighted(&golf, "class", &["windy"], Some(&weights), &()).is_err());
    }
    let tree = C45::default().train(&golf, "class", &GOLF_ATTRIBUTES).unwrap();
    let other_class = read(&GOLF.replace("75,70,true,Play", "75,70,true,Perhaps"));
    assert!(tree.evaluate(&other_class).unwrap_err().to_string().contains("\"Perhaps\""));
    let other_kind = read("outlook,temperature,humidity,windy,class\n1,2,high,true,Play\n");
    assert!(tree.evaluate(&other_kind).unwrap_err().to_string().contains("read both files alike"));
}
