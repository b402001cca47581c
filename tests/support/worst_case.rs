//! The worst case of the Census file, as the benches measure it.

use unmask::dataset::{Dataset, ReadOptions};
use unmask::distance::{Scale, Standardization};
use unmask::learning::{Aggregation, PairRows};
use unmask::linkage::Release;
use unmask::protection::microaggregation::{AttributeBlocks, Mdav};
use unmask::protection::{Noise, ProtectionMethod, RankSwapping};
use unmask_solvers::BlockProblem;

/// `records` of the Census file protected by `method`.
pub fn release(method: &dyn ProtectionMethod, records: usize) -> Release {
    whole(method).sample(records, 1).expect("a sample")
}

/// The Census file protected by `method`.
pub fn whole(method: &dyn ProtectionMethod) -> Release {
    let census = Dataset::load("census", &ReadOptions::default()).expect("built in");
    let names = census.names()[..13].to_vec();
    let released = method.protect(&census, &names, 1, &()).expect("protects").released;
    Release::by_row(census, released).expect("same rows")
}

/// The problem of the first `n` attributes.
pub fn problem(release: &Release, n: usize) -> BlockProblem {
    let attributes = release.original().attributes()[..n].iter();
    let names: Vec<String> = attributes.map(|a| a.name.clone()).collect();
    let mean = Aggregation::WeightedMean;
    let rows = PairRows::new(release, &names, Standardization::Own, mean).expect("rows");
    rows.problem(&()).expect("a problem")
}

/// One cell of a published table.
pub struct Cell {
    pub table: &'static str,
    pub name: String,
    pub method: Box<dyn ProtectionMethod>,
}

/// Every cell of Tables 2, 3, 4 and 7 of the study of 2012.
pub fn cells() -> Vec<Cell> {
    let mut cells: Vec<Cell> = Vec::new();
    let mut add = |table, name: String, method| cells.push(Cell { table, name, method });
    for p in 1..=6 {
        let method = RankSwapping::new(f64::from(p));
        add("2", format!("rank swapping p={p}"), Box::new(method));
    }
    for k in 3..=20 {
        add("3", format!("Mic2 k={k}"), mic(AttributeBlocks::Of(2), vec![k], Scale::Zscore));
    }
    for p in [1, 2, 4, 6, 8, 10, 12, 14, 16] {
        add("4", format!("noise p={p}"), Box::new(Noise::new(f64::from(p))));
    }
    for k in [[2, 8, 5], [8, 2, 5], [5, 3, 5]] {
        let blocks = AttributeBlocks::Sizes(vec![5, 5, 3]);
        let name = format!("Mic553-{}.{}.{}", k[0], k[1], k[2]);
        add("7", name, mic(blocks, k.to_vec(), Scale::Raw));
    }
    let blocks = AttributeBlocks::Sizes(vec![2, 2, 3, 6]);
    add("7", "Mic2236-8.3.10.5".into(), mic(blocks, vec![8, 3, 10, 5], Scale::Raw));
    cells
}

fn mic(groups: AttributeBlocks, k: Vec<usize>, cluster_on: Scale) -> Box<dyn ProtectionMethod> {
    Box::new(Mdav { k, groups, cluster_on, ..Mdav::new(2) })
}
