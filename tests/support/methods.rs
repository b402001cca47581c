//! Every method of the registry with parameters, and a file that it can protect.

use super::normal_columns;
use unmask::dataset::{Attribute, Categorical, Dataset, Role, Values};
use unmask::protection::generalization::AntiUnification;
use unmask::protection::microaggregation::{
    AttributeBlocks, IndividualRanking, LDiverseVMdav, Mdav, PcProjection, TailRule, VMdav,
    ZProjection,
};
use unmask::protection::{AttributeKinds, Method, Noise, NoiseKind, RankSwapping, SwapVariant};

/// Methods that put records into groups of at least `k`, on blocks of two attributes.
pub fn microaggregations(k: usize) -> Vec<Method> {
    let groups = AttributeBlocks::Of(2);
    let mdav = |tail| Method::Mdav(Mdav { groups: groups.clone(), tail, ..Mdav::new(k) });
    let mut methods = vec![
        Method::VMdav(VMdav { gamma: 0.7, groups: groups.clone(), ..VMdav::new(k) }),
        mdav(TailRule::LastGroup),
        mdav(TailRule::NearestGroup),
    ];
    for optimal in [false, true] {
        let groups = groups.clone();
        methods.extend([
            Method::IndividualRanking(IndividualRanking { optimal, ..IndividualRanking::new(k) }),
            Method::ZProjection(ZProjection {
                optimal,
                groups: groups.clone(),
                ..ZProjection::new(k)
            }),
            Method::PcProjection(PcProjection { optimal, groups, ..PcProjection::new(k) }),
        ]);
    }
    methods
}

/// Methods that draw random numbers.
pub fn random_methods() -> Vec<Method> {
    let noise = |noise| Method::Noise(Noise { noise, ..Noise::new(10.0) });
    let swapping = |swap| Method::RankSwapping(RankSwapping { swap, ..RankSwapping::new(5.0) });
    vec![
        noise(NoiseKind::Uncorrelated),
        noise(NoiseKind::Correlated),
        noise(NoiseKind::CovariancePreserving),
        swapping(SwapVariant::Upward),
        swapping(SwapVariant::Symmetric),
    ]
}

/// Every method of the registry, most of them in several forms.
///
/// Fails when one is missing: whoever adds a method adds it here, and all laws run over it.
pub fn all_methods() -> Vec<Method> {
    let diverse = LDiverseVMdav { levels: Some(6), ..LDiverseVMdav::new(3) };
    let refined = Mdav { refine: Some(2_000), ..Mdav::new(4) };
    let mut methods = [random_methods(), microaggregations(4)].concat();
    methods.extend([
        Method::Mdav(refined),
        Method::LDiverseVMdav(diverse),
        Method::AntiUnification(AntiUnification { indifferent: 1, ..AntiUnification::new(3) }),
    ]);
    for (name, _) in Method::LIST {
        assert!(methods.iter().any(|m| m.name() == *name), "add {name} to all_methods");
    }
    methods
}

/// Numbers x0 to x3, labels a and b, an identifier and a confidential number.
pub fn mixed_file(records: usize, seed: u64) -> Dataset {
    let columns = normal_columns(records, 5, seed);
    let label = |column: &[f64]| {
        let labels: Vec<String> = column.iter().map(|x| format!("l{}", x.round())).collect();
        Values::Categorical(Categorical::nominal(labels.iter().map(|l| Some(l.as_str()))))
    };
    let mut attributes = vec![
        Attribute::numeric("id", (0..records).map(|i| i as f64).collect()).expect("finite"),
        Attribute::numeric("secret", columns[4].clone()).expect("finite"),
    ];
    for (j, column) in columns[..4].iter().enumerate() {
        attributes.push(Attribute::numeric(format!("x{j}"), column.clone()).expect("finite"));
    }
    for (name, column) in [("a", &columns[0]), ("b", &columns[1])] {
        attributes.push(Attribute { name: name.into(), role: Role::Other, values: label(column) });
    }
    let mut file = Dataset::new("made.csv", attributes).expect("a data set");
    file.set_role(&["id"], Role::Identifier).expect("a column");
    file.set_role(&["secret"], Role::Confidential).expect("a column");
    file
}

/// Attributes of [`mixed_file`] that `method` takes, and the file itself, with confidential
/// labels where numbers would make every record a class.
pub fn fitting(method: &Method, records: usize, seed: u64) -> (Dataset, Vec<String>) {
    let mut file = mixed_file(records, seed);
    let names: &[&str] = match method.implementation().takes() {
        AttributeKinds::Numbers => &["x0", "x1", "x2", "x3"],
        AttributeKinds::Any => &["x0", "x1", "a", "b"],
        AttributeKinds::Labels => {
            file.set_role(&["secret"], Role::Other).expect("a column");
            &["a", "b"]
        }
    };
    (file, names.iter().map(|name| (*name).to_owned()).collect())
}
