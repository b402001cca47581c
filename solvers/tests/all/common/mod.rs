//! Brute force and random instances shared by the tests.
#![allow(dead_code)]

use proptest::prelude::*;
use unmask_solvers::{BlockProblem, BlockProblemBuilder, check, reduce_block};

/// Blocks of integer rows, kept unreduced for the brute force.
#[derive(Debug, Clone)]
pub struct Instance {
    pub dimension: usize,
    pub blocks: Vec<Vec<Vec<i64>>>,
}

impl Instance {
    pub fn problem(&self) -> BlockProblem {
        let mut builder = BlockProblemBuilder::new(self.dimension).unwrap();
        for block in &self.blocks {
            let rows: Vec<f64> = block.iter().flatten().map(|x| *x as f64).collect();
            builder.push_block(&rows).unwrap();
        }
        builder.finish()
    }

    /// Satisfied blocks at integer weights, in exact arithmetic on all rows.
    pub fn satisfied(&self, p: &[i64]) -> usize {
        (0..self.blocks.len()).filter(|b| self.is_satisfied(*b, p)).count()
    }

    pub fn is_satisfied(&self, block: usize, p: &[i64]) -> bool {
        let holds = |row: &Vec<i64>| row.iter().zip(p).map(|(r, p)| r * p).sum::<i64>() > 0;
        self.blocks[block].iter().all(holds)
    }

    /// The optimum by visiting every cell of the arrangement.
    pub fn optimum(&self) -> usize {
        self.cells().iter().map(|p| self.satisfied(p)).max().unwrap_or(0)
    }

    /// A point of every cell of the arrangement.
    ///
    /// A cell of the arrangement of all rows and the axes is a cone; inside
    /// the positive orthant it is pointed, so the sum of its extreme rays is
    /// an interior point. Extreme rays are crossings of `n - 1` hyperplanes.
    pub fn cells(&self) -> Vec<Vec<i64>> {
        match self.dimension {
            2 => interior_points_2(&self.rays_2()),
            3 => interior_points_3(&self.hyperplanes()),
            n => panic!("no enumeration for {n} weights"),
        }
    }

    fn hyperplanes(&self) -> Vec<Vec<i64>> {
        let mut planes: Vec<Vec<i64>> = self.blocks.iter().flatten().cloned().collect();
        planes.extend(
            (0..self.dimension).map(|k| (0..self.dimension).map(|j| i64::from(j == k)).collect()),
        );
        planes.retain(|r| r.iter().any(|x| *x != 0));
        planes.sort();
        planes.dedup();
        planes
    }

    fn rays_2(&self) -> Vec<Vec<i64>> {
        let across = |r: Vec<i64>| [vec![-r[1], r[0]], vec![r[1], -r[0]]];
        let inside = |p: &Vec<i64>| p.iter().all(|x| *x >= 0);
        let mut rays: Vec<_> =
            self.hyperplanes().into_iter().flat_map(across).filter(inside).collect();
        rays.sort_by(|a, b| (a[1] * b[0]).cmp(&(b[1] * a[0])));
        rays.dedup_by(|a, b| a[1] * b[0] == b[1] * a[0]);
        rays
    }
}

fn interior_points_2(rays: &[Vec<i64>]) -> Vec<Vec<i64>> {
    let between = |pair: &[Vec<i64>]| vec![pair[0][0] + pair[1][0], pair[0][1] + pair[1][1]];
    rays.windows(2).map(between).collect()
}

/// Around each extreme ray, cells appear as sectors: step from the ray into
/// each of them by a small amount. Every cell has an extreme ray.
fn interior_points_3(planes: &[Vec<i64>]) -> Vec<Vec<i64>> {
    let mut rays: Vec<Vec<i64>> = Vec::new();
    for (i, a) in planes.iter().enumerate() {
        for b in &planes[i + 1..] {
            let ray = cross(a, b);
            for sign in [1, -1] {
                let ray: Vec<i64> = ray.iter().map(|x| x * sign).collect();
                if ray.iter().all(|x| *x >= 0) && ray.iter().any(|x| *x > 0) {
                    rays.push(primitive(&ray));
                }
            }
        }
    }
    rays.sort();
    rays.dedup();
    rays.iter().flat_map(|ray| points_around(ray, planes)).collect()
}

fn points_around(ray: &[i64], planes: &[Vec<i64>]) -> Vec<Vec<i64>> {
    let through: Vec<_> = planes.iter().filter(|r| dot(r, ray) == 0).collect();
    let mut directions: Vec<Vec<i64>> = Vec::new();
    for plane in &through {
        let along = primitive(&cross(plane, ray));
        directions.push(along.iter().map(|x| -x).collect());
        directions.push(along);
    }
    let mut points = Vec::new();
    for (i, a) in directions.iter().enumerate() {
        for b in &directions[i + 1..] {
            // Large enough that the step crosses no hyperplane that misses the ray.
            let big = 1_000_000;
            let step: Vec<i64> = (0..3).map(|k| a[k] + b[k]).collect();
            points.push((0..3).map(|k| big * ray[k] + step[k]).collect());
        }
    }
    points.retain(|p: &Vec<i64>| p.iter().all(|x| *x > 0));
    points
}

fn cross(a: &[i64], b: &[i64]) -> Vec<i64> {
    vec![a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

fn dot(a: &[i64], b: &[i64]) -> i64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

fn primitive(v: &[i64]) -> Vec<i64> {
    let gcd = v.iter().fold(0, |a, b| gcd(a, b.abs()));
    v.iter().map(|x| if gcd > 1 { x / gcd } else { *x }).collect()
}

fn gcd(a: i64, b: i64) -> i64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// Small integer rows: ties, duplicates, zero rows and opposite rows abound.
pub fn instances(
    dimension: usize,
    blocks: usize,
    rows: usize,
    size: i64,
) -> impl Strategy<Value = Instance> {
    let row = prop::collection::vec(-size..=size, dimension);
    let block = prop::collection::vec(row, 0..=rows);
    let opposite = any::<bool>();
    (prop::collection::vec(block, 0..=blocks), opposite).prop_map(move |(mut blocks, opposite)| {
        if opposite && let Some(first) = blocks.first().cloned() {
            blocks.push(first.into_iter().map(|r| r.into_iter().map(|x| -x).collect()).collect());
        }
        Instance { dimension, blocks }
    })
}

/// Blocks of integer rows with their gains.
#[derive(Debug, Clone)]
pub struct GainInstance {
    pub instance: Instance,
    pub gains: Vec<u64>,
}

impl GainInstance {
    pub fn problem(&self) -> BlockProblem {
        self.build(|gain| (gain, 1))
    }

    /// Each block as often as, and with the gain that, `as_blocks` says of its gain.
    pub fn build(&self, as_blocks: impl Fn(u64) -> (u64, u64)) -> BlockProblem {
        let dimension = self.instance.dimension;
        let mut builder = BlockProblemBuilder::new(dimension).unwrap();
        for (rows, gain) in self.instance.blocks.iter().zip(&self.gains) {
            let rows: Vec<f64> = rows.iter().flatten().map(|x| *x as f64).collect();
            let (gain, times) = as_blocks(*gain);
            for _ in 0..times {
                builder.push_gaining(reduce_block(&rows, dimension).unwrap(), gain).unwrap();
            }
        }
        builder.finish()
    }

    pub fn gain(&self, p: &[i64]) -> u64 {
        let blocks = (0..self.gains.len()).filter(|b| self.instance.is_satisfied(*b, p));
        blocks.map(|b| self.gains[b]).sum()
    }

    pub fn optimum(&self) -> u64 {
        self.instance.cells().iter().map(|p| self.gain(p)).max().unwrap_or(0)
    }
}

/// The gains that follow from up to four twins: 12, 6, 4 and 3 twelfths.
pub fn gaining(instances: impl Strategy<Value = Instance>) -> impl Strategy<Value = GainInstance> {
    let gains = prop::collection::vec(prop::sample::select(vec![12u64, 6, 4, 3]), 40);
    (instances, gains).prop_map(|(instance, mut gains)| {
        gains.truncate(instance.blocks.len());
        GainInstance { instance, gains }
    })
}

/// Seeded instance of the shape the solvers are made for.
pub fn noisy_instance(seed: u64, size: usize, dimension: usize, noise: f64) -> BlockProblem {
    use rand::{RngExt, SeedableRng};
    let mut rng = rand_chacha::ChaCha8Rng::seed_from_u64(seed);
    let mut table = |scale: f64| -> Vec<Vec<f64>> {
        (0..size)
            .map(|_| (0..dimension).map(|_| scale * (rng.random::<f64>() - 0.5)).collect())
            .collect()
    };
    let (original, error) = (table(1.0), table(noise));
    let released = |j: usize, k: usize| original[j][k] + error[j][k];
    let distance = |i: usize, j: usize, k: usize| (original[i][k] - released(j, k)).powi(2);
    let mut builder = BlockProblemBuilder::new(dimension).unwrap();
    for i in 0..size {
        let others = (0..size).filter(|j| *j != i);
        let rows: Vec<f64> = others
            .flat_map(|j| (0..dimension).map(move |k| (j, k)))
            .map(|(j, k)| distance(i, j, k) - distance(i, i, k))
            .collect();
        builder.push_block(&rows).unwrap();
    }
    builder.finish()
}

/// Satisfied blocks at equal weights.
pub fn at_center(problem: &BlockProblem) -> usize {
    check::count_satisfied(problem, &problem.domain().center()).unwrap()
}
