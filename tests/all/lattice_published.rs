//! The worked example of S. Schrittwieser, P. Kieseberg, I. Echizen, S. Wohlgemuth, N. Sonehara,
//! E. Weippl, "An algorithm for k-anonymity-based fingerprinting".

use unmask::dataset::{Dataset, ReadOptions, Values};
use unmask::lattice::{Criteria, Hierarchy, Lattice, NodeRecord, enumerate, generalize};

/// Table 1, original data.
const PATIENTS: &str = "name,sex,birthdate,disease\n\
    Bob,m,19.03.1970,chest pain\n\
    Dave,m,20.03.1970,short breath\n\
    Alice,f,18.04.1970,obesity\n\
    Eve,f,21.04.1970,short breath\n";

fn patients() -> Dataset {
    Dataset::from_csv("table1.csv", PATIENTS.as_bytes(), &ReadOptions::default()).unwrap()
}

/// Figure 1.
fn hierarchies() -> [Hierarchy; 2] {
    let sex = Hierarchy::new("sex", [["m", "p"], ["f", "p"]]).unwrap();
    let birthdate = Hierarchy::new(
        "birthdate",
        [
            ["19.03.1970", "03.1970", "1970"],
            ["20.03.1970", "03.1970", "1970"],
            ["18.04.1970", "04.1970", "1970"],
            ["21.04.1970", "04.1970", "1970"],
        ],
    );
    [sex, birthdate.unwrap()]
}

fn node(levels: [usize; 2]) -> NodeRecord {
    let nodes = enumerate(&patients(), &hierarchies(), &Criteria::k(2), &()).unwrap();
    nodes[Lattice::new(&[2, 3]).unwrap().index(&levels).unwrap()].clone()
}

#[test]
fn table_2_has_the_three_metrics_and_k_of_every_node() {
    let published = [
        ([0, 0], 0, 0.0, 4, 1),
        ([1, 0], 1, 1.0, 4, 1),
        ([0, 1], 1, 0.5, 8, 2),
        ([0, 2], 2, 1.0, 8, 2),
        ([1, 1], 2, 1.5, 8, 2),
        ([1, 2], 3, 2.0, 16, 4),
    ];
    for (levels, samarati, precision, dm_star, k) in published {
        let found = node(levels);
        assert_eq!(found.levels, levels);
        assert_eq!((found.samarati, found.precision), (samarati, precision), "{levels:?}");
        assert_eq!((found.dm_star, found.k), (dm_star, k), "{levels:?}");
    }
}

#[test]
fn table_4_has_the_four_solutions_with_their_loss_and_k() {
    let nodes = enumerate(&patients(), &hierarchies(), &Criteria::k(2), &()).unwrap();
    let solutions: Vec<_> = nodes.iter().filter(|n| n.satisfied).collect();
    let found: Vec<_> = solutions.iter().map(|n| (n.levels.as_slice(), n.samarati, n.k)).collect();
    let published: [(&[usize], usize, usize); 4] =
        [(&[0, 1], 1, 2), (&[0, 2], 2, 2), (&[1, 1], 2, 2), (&[1, 2], 3, 4)];
    assert_eq!(found, published);
}

#[test]
fn table_5_has_the_generalized_records() {
    let published = [
        ([0, 1], ["m", "m", "f", "f"], ["03.1970", "03.1970", "04.1970", "04.1970"]),
        ([1, 1], ["p", "p", "p", "p"], ["03.1970", "03.1970", "04.1970", "04.1970"]),
        ([0, 2], ["m", "m", "f", "f"], ["1970", "1970", "1970", "1970"]),
    ];
    for (levels, sex, birthdate) in published {
        let release = generalize(&patients(), &hierarchies(), &levels).unwrap();
        assert_eq!(labels(&release, "sex"), sex, "{levels:?}");
        assert_eq!(labels(&release, "birthdate"), birthdate, "{levels:?}");
        assert_eq!(labels(&release, "disease"), labels(&patients(), "disease"));
    }
}

fn labels(data: &Dataset, attribute: &str) -> Vec<String> {
    let Values::Categorical(column) = &data.attributes()[data.position(attribute).unwrap()].values
    else {
        panic!("{attribute} has labels");
    };
    (0..column.len()).map(|i| column.get(i).unwrap().to_owned()).collect()
}
