//! Exported models, read back by HiGHS, have the optimum of the search.
#![cfg(feature = "milp")]

use crate::common::{Instance, noisy_instance};
use unmask_solvers::{
    BlockSource, Exact, FullRows, Limits, MilpParameters, Solver, SolverError, optimum_of_file,
    write_lp, write_mps,
};

type Writer =
    fn(&dyn BlockSource, &MilpParameters, &mut dyn std::io::Write) -> Result<(), SolverError>;

fn read_back(source: &dyn BlockSource, name: &str) -> [usize; 2] {
    let writers: [(Writer, &str); 2] = [(write_mps, "mps"), (write_lp, "lp")];
    writers.map(|(write, extension)| {
        let path =
            std::env::temp_dir().join(format!("unmask-{name}-{}.{extension}", std::process::id()));
        let mut file = std::io::BufWriter::new(std::fs::File::create(&path).unwrap());
        write(source, &MilpParameters::default(), &mut file).unwrap();
        drop(file);
        let optimum = optimum_of_file(&path);
        std::fs::remove_file(&path).unwrap();
        optimum.unwrap().round() as usize
    })
}

#[test]
fn the_reduced_model_has_the_optimum_of_the_search() {
    let problem = noisy_instance(3, 20, 3, 0.6);
    let outcome = Exact::default().solve(&problem, &Limits::default(), &()).unwrap();
    assert_eq!(read_back(&problem, "reduced"), [outcome.violated_blocks(); 2]);
}

#[test]
fn the_full_model_has_the_optimum_of_the_search() {
    let blocks = vec![
        vec![vec![0, 0, 0], vec![1, -1, 2]],
        vec![vec![2, -1, 0], vec![1, 1, 1]],
        vec![vec![-2, 1, 0]],
        vec![vec![1, -1, 1], vec![2, -2, 1]],
        vec![],
    ];
    let instance = Instance { dimension: 3, blocks };
    let rows = |b: usize| instance.blocks[b].iter().flatten().map(|x| *x as f64).collect();
    let full = FullRows::new(3, instance.blocks.len(), rows);
    let violated = instance.blocks.len() - instance.optimum();
    assert_eq!(read_back(&full, "full"), [violated; 2]);
    assert_eq!(read_back(&instance.problem(), "small"), [violated; 2]);
}
