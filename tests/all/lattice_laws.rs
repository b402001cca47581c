//! Laws of the lattice, on random small tables, against a plain full scan.

use proptest::prelude::*;
use std::collections::{BTreeSet, HashMap};
use unmask::anonymity::{Anonymity, AnonymityOptions};
use unmask::dataset::{Attribute, Dataset};
use unmask::lattice::{
    Criteria, Hierarchy, Lattice, LatticeMetric, LeastDiversity, NodeRecord, class_sizes,
    enumerate, generalize, release, search,
};

const METRICS: [LatticeMetric; 5] = [
    LatticeMetric::Samarati,
    LatticeMetric::Precision,
    LatticeMetric::DmStar,
    LatticeMetric::Discernibility,
    LatticeMetric::Entropy,
];

/// A random file: values of each quasi-identifier, its hierarchy as rows, a sensitive value.
#[derive(Debug, Clone)]
struct Made {
    columns: Vec<Vec<Option<usize>>>,
    rows: Vec<Vec<Vec<String>>>,
    sensitive: Vec<usize>,
}

impl Made {
    fn data(&self) -> Dataset {
        let mut attributes: Vec<Attribute> = self
            .columns
            .iter()
            .enumerate()
            .map(|(i, column)| {
                let name = |v: &Option<usize>| v.map(|v| format!("v{v}"));
                Attribute::nominal(format!("q{i}"), column.iter().map(name))
            })
            .collect();
        let illness = self.sensitive.iter().map(|v| Some(format!("s{v}")));
        attributes.push(Attribute::nominal("illness", illness));
        Dataset::new("made.csv", attributes).unwrap()
    }

    fn hierarchies(&self) -> Vec<Hierarchy> {
        let made = |(i, rows): (usize, &Vec<Vec<String>>)| Hierarchy::new(&format!("q{i}"), rows);
        self.rows.iter().enumerate().map(|rows| made(rows).unwrap()).collect()
    }

    fn lattice(&self) -> Lattice {
        Lattice::new(&self.rows.iter().map(|rows| rows[0].len()).collect::<Vec<_>>()).unwrap()
    }

    /// What record `i` is called on `level` of quasi-identifier `q`; missing is nothing.
    fn name(&self, q: usize, i: usize, level: usize) -> Option<String> {
        match self.columns[q][i] {
            Some(value) => Some(self.rows[q][value][level].clone()),
            None => {
                let names: BTreeSet<&String> = self.rows[q].iter().map(|row| &row[level]).collect();
                (level > 0 && names.len() == 1).then(|| self.rows[q][0][level].clone())
            }
        }
    }

    /// The records of each class of a node.
    fn classes(&self, node: &[usize]) -> Vec<Vec<usize>> {
        let mut classes: HashMap<Vec<Option<String>>, Vec<usize>> = HashMap::new();
        for i in 0..self.sensitive.len() {
            let names = (0..node.len()).map(|q| self.name(q, i, node[q])).collect();
            classes.entry(names).or_default().push(i);
        }
        classes.into_values().collect()
    }

    /// Bits that tell the values of `q` from their names on `level`.
    fn entropy(&self, q: usize, level: usize) -> f64 {
        let records = 0..self.sensitive.len();
        let share = |i: usize| {
            let same = |level| {
                let name = self.name(q, i, level);
                records.clone().filter(|&j| self.name(q, j, level) == name).count() as f64
            };
            same(level) / same(0)
        };
        records.clone().map(|i| share(i).log2()).sum()
    }

    fn passes(&self, class: &[usize], criteria: &Criteria) -> bool {
        let counts = |records: &mut dyn Iterator<Item = usize>| {
            let mut counts: HashMap<usize, f64> = HashMap::new();
            records.for_each(|i| *counts.entry(self.sensitive[i]).or_default() += 1.0);
            counts
        };
        let own = counts(&mut class.iter().copied());
        let all = counts(&mut (0..self.sensitive.len()));
        let (size, total) = (class.len() as f64, self.sensitive.len() as f64);
        let share = |value: &usize| own.get(value).map_or(0.0, |n| n / size);
        let diverse = match criteria.diversity {
            None => true,
            Some(LeastDiversity::Distinct(l)) => own.len() >= l,
            Some(LeastDiversity::Entropy(l)) => {
                let entropy: f64 = own.keys().map(|v| -share(v) * share(v).ln()).sum();
                entropy.exp() >= l - 1e-9
            }
        };
        let distance: f64 =
            all.iter().map(|(v, n)| (share(v) - n / total).abs()).sum::<f64>() / 2.0;
        class.len() >= criteria.k
            && diverse
            && criteria.closeness.is_none_or(|t| distance <= t + 1e-9)
    }

    /// The node by a full scan of the records.
    fn scan(&self, node: &[usize], criteria: &Criteria) -> NodeRecord {
        let classes = self.classes(node);
        let records = self.sensitive.len();
        let square = |class: &Vec<usize>| (class.len() * class.len()) as u64;
        let failing: Vec<&Vec<usize>> =
            classes.iter().filter(|class| !self.passes(class, criteria)).collect();
        let suppressed = failing.iter().map(|class| class.len()).sum::<usize>();
        let dm_star = classes.iter().map(square).sum::<u64>();
        let failing_squares = failing.iter().map(|class| square(class)).sum::<u64>();
        let highest = |q: usize| (self.rows[q][0].len() - 1).max(1) as f64;
        NodeRecord {
            levels: node.to_vec(),
            k: classes.iter().map(Vec::len).min().unwrap(),
            classes: classes.len(),
            largest: classes.iter().map(Vec::len).max().unwrap(),
            samarati: node.iter().sum(),
            precision: node.iter().enumerate().map(|(q, level)| *level as f64 / highest(q)).sum(),
            dm_star,
            discernibility: dm_star - failing_squares + (suppressed * records) as u64,
            entropy: (0..node.len()).map(|q| self.entropy(q, node[q])).sum(),
            suppressed,
            satisfied: suppressed as f64 <= criteria.suppression_limit * records as f64 + 1e-9,
        }
    }
}

/// Rows of a random hierarchy of `values` values with so many levels above them: each maps
/// the names of the last.
fn hierarchy(
    values: usize,
    levels: std::ops::Range<usize>,
) -> impl Strategy<Value = Vec<Vec<String>>> {
    let level = prop::collection::vec(0usize..4, values);
    prop::collection::vec(level, levels).prop_map(move |maps| {
        (0..values)
            .map(|value| {
                let mut code = value;
                let mut row = vec![format!("v{value}")];
                for (level, map) in maps.iter().enumerate() {
                    code = map[code];
                    row.push(format!("level{level} {code}"));
                }
                row
            })
            .collect()
    })
}

/// Files of up to three quasi-identifiers with up to `levels` levels each.
fn made(levels: usize) -> impl Strategy<Value = Made> {
    (1usize..4, 1usize..25)
        .prop_flat_map(move |(attributes, records)| file(attributes, records, 0..levels))
}

fn file(
    attributes: usize,
    records: usize,
    levels: std::ops::Range<usize>,
) -> impl Strategy<Value = Made> {
    let value = prop_oneof![8 => (0usize..5).prop_map(Some), 1 => Just(None)];
    let column = prop::collection::vec(value, records);
    let columns = prop::collection::vec(column, attributes);
    let rows = prop::collection::vec(hierarchy(5, levels), attributes);
    let sensitive = prop::collection::vec(0usize..3, records);
    (columns, rows, sensitive).prop_map(|(columns, rows, sensitive)| Made {
        columns,
        rows,
        sensitive,
    })
}

fn criteria() -> impl Strategy<Value = Criteria> {
    let diversity = prop_oneof![
        2 => Just(None),
        1 => (1usize..4).prop_map(|l| Some(LeastDiversity::Distinct(l))),
        2 => prop::sample::select(vec![1.2, 1.6, 1.9, 2.0, 2.5])
            .prop_map(|l| Some(LeastDiversity::Entropy(l))),
    ];
    let closeness = prop_oneof![2 => Just(None), 1 => (0.0..1.0).prop_map(Some)];
    let limit = prop_oneof![Just(0.0), 0.0..0.6];
    (1usize..5, diversity, closeness, limit).prop_map(
        |(k, diversity, closeness, suppression_limit)| {
            let asks = diversity.is_some() || closeness.is_some();
            Criteria {
                sensitive: asks.then(|| "illness".to_owned()).into_iter().collect(),
                diversity,
                closeness,
                suppression_limit,
                ..Criteria::k(k)
            }
        },
    )
}

/// Equal but for the rounding of sums.
fn assert_same(found: &NodeRecord, expected: &NodeRecord) {
    assert!((found.entropy - expected.entropy).abs() < 1e-9, "{found:?} {expected:?}");
    assert!((found.precision - expected.precision).abs() < 1e-12, "{found:?} {expected:?}");
    let rounded =
        NodeRecord { entropy: expected.entropy, precision: expected.precision, ..found.clone() };
    assert_eq!(&rounded, expected);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn every_node_is_as_a_full_scan_finds_it(made in made(3), criteria in criteria()) {
        let nodes = enumerate(&made.data(), &made.hierarchies(), &criteria, &()).unwrap();
        prop_assert_eq!(nodes.len(), made.lattice().len());
        for (index, node) in nodes.iter().enumerate() {
            assert_same(node, &made.scan(&made.lattice().node(index), &criteria));
        }
    }

    #[test]
    fn along_an_edge_upwards_k_never_falls(made in made(4), criteria in criteria()) {
        let nodes = enumerate(&made.data(), &made.hierarchies(), &criteria, &()).unwrap();
        let lattice = made.lattice();
        for (index, node) in nodes.iter().enumerate() {
            for above in lattice.above(index).map(|i| &nodes[i]) {
                prop_assert!(above.k >= node.k && above.classes <= node.classes);
                prop_assert!(above.dm_star >= node.dm_star && above.precision > node.precision);
                prop_assert!(!criteria.is_monotone() || above.satisfied || !node.satisfied);
            }
        }
    }

    #[test]
    fn the_search_finds_the_best_of_all_nodes(made in made(6), criteria in criteria()) {
        let (data, hierarchies) = (made.data(), made.hierarchies());
        let nodes = enumerate(&data, &hierarchies, &criteria, &()).unwrap();
        for metric in METRICS {
            let satisfied = nodes.iter().filter(|node| node.satisfied);
            let key = |node: &NodeRecord| (node.loss(metric), node.samarati);
            let best = satisfied.reduce(|a, b| if key(b) < key(a) { b } else { a });
            let found = search(&data, &hierarchies, &criteria, metric, &());
            prop_assert_eq!(found.ok().map(|optimum| optimum.node), best.cloned());
        }
    }

    #[test]
    fn the_release_of_a_node_has_its_classes(made in made(3), index in any::<prop::sample::Index>()) {
        let (data, hierarchies) = (made.data(), made.hierarchies());
        let nodes = enumerate(&data, &hierarchies, &Criteria::k(2), &()).unwrap();
        let node = index.get(&nodes);
        let released = generalize(&data, &hierarchies, &node.levels).unwrap();
        let quasi: Vec<&str> = hierarchies.iter().map(Hierarchy::attribute).collect();
        let found = Anonymity::measure(&released, &quasi, &[], &AnonymityOptions::default()).unwrap();
        prop_assert_eq!((found.k, found.classes), (node.k, node.classes));
        let sizes = class_sizes(&data, &hierarchies, &node.levels).unwrap();
        prop_assert_eq!(sizes, found.class_sizes);
    }

    #[test]
    fn a_release_suppresses_the_records_that_were_counted(
        made in made(3),
        criteria in criteria(),
        index in any::<prop::sample::Index>(),
    ) {
        let (data, hierarchies) = (made.data(), made.hierarchies());
        let nodes = enumerate(&data, &hierarchies, &criteria, &()).unwrap();
        let node = index.get(&nodes);
        let released = release(&data, &hierarchies, &node.levels, &criteria).unwrap();
        let text = String::from_utf8(released.to_bytes("release.csv".as_ref()).unwrap()).unwrap();
        let stars = format!("{},", vec!["*"; hierarchies.len()].join(","));
        let suppressed = text.lines().skip(1).filter(|line| line.starts_with(&stars)).count();
        prop_assert_eq!(suppressed, node.suppressed);
    }

    #[test]
    fn a_node_and_its_index_are_two_names_of_one_thing(levels in prop::collection::vec(1usize..5, 1..6)) {
        let lattice = Lattice::new(&levels).unwrap();
        prop_assert_eq!(lattice.len(), levels.iter().product::<usize>());
        for index in 0..lattice.len() {
            prop_assert_eq!(lattice.index(&lattice.node(index)), Some(index));
            prop_assert_eq!(lattice.height(index), lattice.node(index).iter().sum::<usize>());
            prop_assert!(lattice.above(index).all(|i| lattice.below(i).any(|j| j == index)));
        }
        prop_assert_eq!(lattice.index(&levels), None);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    /// Small lattices are counted from the bottom alone, large ones by many steps.
    #[test]
    fn nodes_of_a_large_lattice_are_as_a_full_scan_finds_them(
        made in file(5, 40, 3..4),
        criteria in criteria(),
    ) {
        let nodes = enumerate(&made.data(), &made.hierarchies(), &criteria, &()).unwrap();
        prop_assert_eq!(nodes.len(), 1024);
        for index in (0..nodes.len()).step_by(31) {
            assert_same(&nodes[index], &made.scan(&made.lattice().node(index), &criteria));
        }
    }
}

/// One quasi-identifier whose values `classes` names on level 0, all one name on level 1.
fn one_step(classes: &[usize], sensitive: &[usize], top: &[usize]) -> Made {
    let row = |v: usize| vec![format!("v{v}"), format!("top {}", top[v])];
    Made {
        columns: vec![classes.iter().map(|v| Some(*v)).collect()],
        rows: vec![(0..top.len()).map(row).collect()],
        sensitive: sensitive.to_vec(),
    }
}

fn best_levels(made: &Made, criteria: &Criteria, metric: LatticeMetric) -> Vec<usize> {
    search(&made.data(), &made.hierarchies(), criteria, metric, &()).unwrap().node.levels
}

#[test]
fn entropy_and_closeness_under_suppression_may_fail_above_a_node_that_satisfies_them() {
    // A class with two values, and one record that may be suppressed; together they fail.
    let made = one_step(&[0, 0, 1], &[0, 1, 0], &[0, 0]);
    let entropy = Criteria {
        sensitive: vec!["illness".to_owned()],
        diversity: Some(LeastDiversity::Entropy(2.0)),
        suppression_limit: 0.34,
        ..Criteria::k(1)
    };
    assert_eq!(best_levels(&made, &entropy, LatticeMetric::Samarati), [0]);
    // The large class is as the file but for one record too many, which the small one brings.
    let made = one_step(&[0, 0, 1, 1, 2, 2], &[0, 1, 0, 0, 1, 1], &[0, 0, 1]);
    let close = Criteria {
        sensitive: vec!["illness".to_owned()],
        closeness: Some(0.1),
        suppression_limit: 0.7,
        ..Criteria::k(1)
    };
    assert_eq!(best_levels(&made, &close, LatticeMetric::Samarati), [0]);
}

#[test]
fn discernibility_under_suppression_may_be_least_above_the_lowest_node() {
    let row = |v: usize, group: usize| {
        [format!("v{v}"), format!("a{v}"), format!("b{v}"), format!("c{group}"), "*".to_owned()]
    };
    let mut made = one_step(&[0, 0, 1, 2], &[0; 4], &[0, 1, 1]);
    made.rows = vec![[(0, 0), (1, 1), (2, 1)].map(|(v, group)| row(v, group).to_vec()).to_vec()];
    let criteria = Criteria { suppression_limit: 0.5, ..Criteria::k(2) };
    assert_eq!(best_levels(&made, &criteria, LatticeMetric::DmStar), [0]);
    assert_eq!(best_levels(&made, &criteria, LatticeMetric::Discernibility), [3]);
}

/// A file of `attributes` quasi-identifiers with up to 300 values, of which the first
/// `generalized` have a second level.
fn wide(attributes: usize, generalized: usize) -> Made {
    let value = |i: usize, q: usize| (i * (q + 3) + q) % 300;
    let row = |q: usize, v: usize| match q < generalized {
        true => vec![format!("v{v}"), format!("group {}", v % 7)],
        false => vec![format!("v{v}")],
    };
    Made {
        columns: (0..attributes)
            .map(|q| (0..300).map(|i| Some(value(i % 90, q))).collect())
            .collect(),
        rows: (0..attributes).map(|q| (0..300).map(|v| row(q, v)).collect()).collect(),
        sensitive: vec![0; 300],
    }
}

#[test]
fn keys_of_any_width_count_the_same() {
    for (attributes, generalized) in [(7, 7), (12, 7), (30, 7)] {
        let made = wide(attributes, generalized);
        let criteria = Criteria::k(3);
        let nodes = enumerate(&made.data(), &made.hierarchies(), &criteria, &()).unwrap();
        assert_eq!(nodes.len(), 1 << generalized);
        for node in nodes.iter().step_by(9) {
            let sizes: Vec<usize> = made.classes(&node.levels).iter().map(Vec::len).collect();
            assert_eq!((node.k, node.classes), (*sizes.iter().min().unwrap(), sizes.len()));
            assert_eq!(node.dm_star, sizes.iter().map(|n| (n * n) as u64).sum::<u64>());
        }
        let best = search(&made.data(), &made.hierarchies(), &criteria, LatticeMetric::DmStar, &());
        let lowest = nodes.iter().filter(|node| node.satisfied).map(|node| node.dm_star).min();
        assert_eq!(best.ok().map(|optimum| optimum.node.dm_star), lowest);
    }
}

#[test]
fn the_nodes_do_not_depend_on_the_number_of_threads() {
    let made = wide(8, 8);
    let on = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| enumerate(&made.data(), &made.hierarchies(), &Criteria::k(2), &()).unwrap())
    };
    assert_eq!(on(1), on(4));
}
