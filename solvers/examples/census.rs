//! Times the exact search on a pair of number files whose rows correspond.
//!
//! ```text
//! cargo run --release --example census -- original.csv released.csv \
//!     [--attributes 7] [--size 400] [--seed 1] [--time 60] [--nodes N] [--threads T]
//! ```
//!
//! Both files are standardized by their own statistics over the chosen lines: released values are
//! mapped to the original's scale. The rows are `r_ij = d(i, j) - d(i, i)` of squared differences,
//! known exactly. Without `--seed` the first lines are taken, with it a sample.

use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;
use std::error::Error;
use std::sync::Arc;
use std::time::{Duration, Instant};
use unmask_solvers::{
    BlockProblem, BlockProblemBuilder, Dyadic, Exact, ExactRows, Heuristic, Limits, Listener,
    ReducedBlock, SearchState, Solver, SolverError, reduce_block,
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
    let start = Instant::now();
    let problem = build(Files::new(&original, &released, &lines))?;
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

/// Mean and standard deviation, whatever the order of the values.
fn moments(mut values: Vec<f64>) -> (f64, f64) {
    values.sort_unstable_by(f64::total_cmp);
    let count = values.len() as f64;
    let mean = values.iter().sum::<f64>() / count;
    let squares: f64 = values.iter().map(|x| (x - mean).powi(2)).sum();
    (mean, (squares / (count - 1.0)).sqrt())
}

/// Both files in the scale of the original, column by column.
#[derive(Debug)]
struct Files {
    original: Vec<Vec<f64>>,
    released: Vec<Vec<f64>>,
    factors: Vec<f64>,
}

impl Files {
    fn new(original: &[Vec<f64>], released: &[Vec<f64>], lines: &[usize]) -> Self {
        let n = original.first().map_or(0, Vec::len);
        let mut files = Self { original: vec![], released: vec![], factors: vec![] };
        for k in 0..n {
            let [x, y] =
                [original, released].map(|t| lines.iter().map(|i| t[*i][k]).collect::<Vec<_>>());
            let ((mean, deviation), (center, scale)) = (moments(x.clone()), moments(y.clone()));
            let a = deviation / scale;
            let b = mean - a * center;
            files.original.push(x);
            files.released.push(y.into_iter().map(|y| a * y + b).collect());
            files.factors.push(1.0 / (deviation * deviation));
        }
        files
    }

    /// How much farther released record `j` is from original record `i` than its own.
    fn entry(&self, i: usize, j: usize, k: usize) -> f64 {
        let (x, own, other) = (self.original[k][i], self.released[k][i], self.released[k][j]);
        let (near, far) = (x - own, x - other);
        let sum = near + far;
        match sum.abs() > 0.25 * (near.abs() + far.abs()) {
            true => (own - other) * sum * self.factors[k],
            false => self.exact_entry(i, j, k).rounded(),
        }
    }

    /// The same without rounding.
    fn exact_entry(&self, i: usize, j: usize, k: usize) -> Dyadic {
        let [x, own, other, factor] =
            [self.original[k][i], self.released[k][i], self.released[k][j], self.factors[k]]
                .map(Dyadic::from);
        let sum = &(&x - &own) + &(&x - &other);
        &(&(&own - &other) * &sum) * &factor
    }
}

impl ExactRows for Files {
    fn row(&self, block: usize, name: u32) -> Vec<Dyadic> {
        (0..self.factors.len()).map(|k| self.exact_entry(block, name as usize, k)).collect()
    }
}

fn build(files: Files) -> Result<BlockProblem, SolverError> {
    let (n, records) = (files.factors.len(), files.original[0].len());
    let block = |i: usize| {
        let others: Vec<u32> = (0..records as u32).filter(|j| *j as usize != i).collect();
        let entry = |j: &u32| (0..n).map(|k| files.entry(i, *j as usize, k)).collect::<Vec<_>>();
        let rows: Vec<f64> = others.iter().flat_map(entry).collect();
        Ok(reduce_block(&rows, n)?.named(&others))
    };
    let blocks: Vec<ReducedBlock> =
        (0..records).into_par_iter().map(block).collect::<Result<_, SolverError>>()?;
    let mut builder = BlockProblemBuilder::new(n)?;
    for block in blocks {
        builder.push_reduced(block)?;
    }
    Ok(builder.rounded_from(Arc::new(files)).finish())
}
