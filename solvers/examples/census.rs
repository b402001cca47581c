//! Times the exact search on a pair of number files whose rows correspond.
//!
//! ```text
//! cargo run --release --example census -- original.csv released.csv \
//!     [--attributes 7] [--size 400] [--seed 1] [--time 60] [--nodes N] [--threads T]
//! ```
//!
//! Both files are standardized by their own statistics over the chosen lines;
//! the rows are `r_ij = d(i, j) - d(i, i)` of squared differences. Without
//! `--seed` the first lines are taken, with it a sample.

use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;
use std::error::Error;
use std::time::{Duration, Instant};
use unmask_solvers::{
    BlockProblem, BlockProblemBuilder, Exact, Heuristic, Limits, Listener, ReducedBlock,
    SearchState, Solver, SolverError, reduce_block,
};

/// Prints the interval on standard error when it changes.
struct Print(std::sync::Mutex<(u64, u64, u64)>);

impl Listener for Print {
    fn search(&self, p: &SearchState) {
        let Ok(mut last) = self.0.lock() else { return };
        let changed = (p.best, p.bound) != (last.0, last.1);
        if changed || p.elapsed.as_secs() >= last.2 + 10 {
            *last = (p.best, p.bound, p.elapsed.as_secs());
            let seconds = p.elapsed.as_secs_f64();
            eprintln!("{seconds:8.2} s  [{}, {}] violated, {} nodes", p.bound, p.best, p.nodes);
        }
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let option = |name: &str| -> Option<u64> {
        let at = arguments.iter().position(|a| a == name)?;
        arguments.get(at + 1)?.parse().ok()
    };
    let n = option("--attributes").unwrap_or(7) as usize;
    let size = option("--size").unwrap_or(400) as usize;
    let path =
        |i: usize| arguments.get(i).ok_or("usage: census original.csv released.csv [options]");
    let (original, released) = (read(path(0)?, n)?, read(path(1)?, n)?);
    let lines = sample(original.len(), size, option("--seed"));
    let original = standardize(&original, &lines);
    let released = standardize(&released, &lines);

    let start = Instant::now();
    let problem = build(&original, &released)?;
    println!("reduced in {:.3} s: {:?}", start.elapsed().as_secs_f64(), problem.reductions());
    let limits = Limits {
        time: option("--time").map(Duration::from_secs),
        nodes: option("--nodes"),
        threads: option("--threads").map(|t| t as usize),
    };
    let quick = Heuristic::default().solve(&problem, &limits, &())?;
    println!(
        "heuristic: {} violated, {:.3} s",
        quick.violated_blocks(),
        quick.elapsed().as_secs_f64()
    );
    let control = Print(std::sync::Mutex::new((0, 0, 0)));
    let outcome = Exact::default().solve(&problem, &limits, &control)?;
    println!(
        "exact: [{}, {}] violated, {:?}, {} nodes, {:.3} s, margin {:?}",
        outcome.bound(),
        outcome.violated_blocks(),
        outcome.stop_reason(),
        outcome.nodes(),
        outcome.elapsed().as_secs_f64(),
        outcome.margin()
    );
    println!("weights {:.5?}", outcome.weights());
    Ok(())
}

fn read(path: &str, n: usize) -> Result<Vec<Vec<f64>>, Box<dyn Error>> {
    let text = std::fs::read_to_string(path)?;
    let line = |l: &str| {
        l.split(',').take(n).map(|v| v.trim().parse::<f64>()).collect::<Result<Vec<_>, _>>()
    };
    Ok(text.lines().skip(1).map(line).collect::<Result<_, _>>()?)
}

fn sample(lines: usize, size: usize, seed: Option<u64>) -> Vec<usize> {
    let mut order: Vec<usize> = (0..lines).collect();
    if let Some(seed) = seed {
        order.shuffle(&mut ChaCha8Rng::seed_from_u64(seed));
    }
    order.truncate(size);
    order
}

fn standardize(table: &[Vec<f64>], lines: &[usize]) -> Vec<Vec<f64>> {
    let n = table.first().map_or(0, Vec::len);
    let count = lines.len() as f64;
    let column = |k: usize| lines.iter().map(move |i| table[*i][k]);
    let means: Vec<f64> = (0..n).map(|k| column(k).sum::<f64>() / count).collect();
    let deviation = |k: usize| {
        let squares: f64 = column(k).map(|x| (x - means[k]).powi(2)).sum();
        (squares / (count - 1.0)).sqrt()
    };
    let deviations: Vec<f64> = (0..n).map(deviation).collect();
    let score = |i: &usize| (0..n).map(|k| (table[*i][k] - means[k]) / deviations[k]).collect();
    lines.iter().map(score).collect()
}

fn build(original: &[Vec<f64>], released: &[Vec<f64>]) -> Result<BlockProblem, SolverError> {
    let n = original.first().map_or(1, Vec::len);
    // The difference of two squares as a product: opposite rows come out exactly opposite.
    let entry = |i: usize, j: usize, k: usize| {
        let (x, own, other) = (original[i][k], released[i][k], released[j][k]);
        (own - other) * ((x - own) + (x - other))
    };
    let block = |i: usize| {
        let others = (0..released.len()).filter(move |j| *j != i);
        let rows: Vec<f64> = others.flat_map(|j| (0..n).map(move |k| entry(i, j, k))).collect();
        reduce_block(&rows, n)
    };
    let blocks: Vec<ReducedBlock> =
        (0..original.len()).into_par_iter().map(block).collect::<Result<_, _>>()?;
    let mut builder = BlockProblemBuilder::new(n)?;
    for block in blocks {
        builder.push_reduced(block)?;
    }
    Ok(builder.finish())
}
