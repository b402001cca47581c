//! Bounds by groups against enumeration, and the search with groups against the one without.

use super::exclude;
use crate::certificate::{self, RowSource};
use crate::conflict::WeightBox;
use crate::exact::dive::Incumbent;
use crate::exact::node::{BoxNode, NodeScratch};
use crate::exact::record::Record;
use crate::exact::rounds::BoxSearch;
use crate::exact::trace::Trace;
use crate::outcome::Claim;
use crate::row_table::RowTable;
use crate::solver::{Clock, thread_pool};
use crate::{
    BlockProblem, BlockProblemBuilder, Dyadic, Limits, ProofScope, StopReason, check, reduce_block,
};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Blocks of rows of whole numbers, as a checker reads them.
struct Blocks {
    weights: usize,
    blocks: Vec<(u64, Vec<f64>)>,
}

impl Blocks {
    /// Blocks of up to three rows, with gains of 1 to `most_gain`.
    fn random(seed: u64, weights: usize, blocks: usize, most_gain: u64) -> Self {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut block = || {
            let rows = rng.random_range(1..=3);
            let entry = |_| f64::from(rng.random_range(-9..=9i8));
            let entries = (0..rows * weights).map(entry).collect();
            (rng.random_range(1..=most_gain), entries)
        };
        Self { weights, blocks: (0..blocks).map(|_| block()).collect() }
    }

    fn problem(&self) -> BlockProblem {
        let mut builder = BlockProblemBuilder::new(self.weights).unwrap();
        for (gain, entries) in &self.blocks {
            builder.push_gaining(reduce_block(entries, self.weights).unwrap(), *gain).unwrap();
        }
        builder.finish()
    }
}

impl RowSource for Blocks {
    fn weights(&self) -> usize {
        self.weights
    }

    fn blocks(&self) -> usize {
        self.blocks.len()
    }

    fn gain(&self, block: usize) -> u64 {
        self.blocks[block].0
    }

    fn row(&self, block: usize, name: u32) -> Option<Vec<Dyadic>> {
        let row = self.blocks[block].1.chunks_exact(self.weights).nth(name as usize)?;
        Some(row.iter().map(|x| Dyadic::from(*x)).collect())
    }

    fn names(&self, block: usize) -> Vec<u32> {
        (0..(self.blocks[block].1.len() / self.weights) as u32).collect()
    }
}

fn random_problem(seed: u64, n: usize, blocks: usize, most_gain: u64) -> BlockProblem {
    Blocks::random(seed, n, blocks, most_gain).problem()
}

/// All `p` with whole entries of at most `most`, some of them `most`.
fn grid(n: usize, most: u32) -> Vec<Vec<f64>> {
    let points = (0..(most + 1).pow(n as u32)).map(|code| {
        let digit = |k: usize| code / (most + 1).pow(k as u32) % (most + 1);
        (0..n).map(|k| f64::from(digit(k))).collect::<Vec<f64>>()
    });
    points.filter(|p| p.contains(&f64::from(most))).collect()
}

/// A part of a root box, down to 0 now and then.
fn random_box(rng: &mut ChaCha8Rng, n: usize) -> WeightBox {
    let mut bounds = WeightBox::roots(n).swap_remove(rng.random_range(0..n));
    for k in 0..n {
        if bounds.low[k] < bounds.high[k] {
            let (a, b) = (rng.random_range(0..=12), rng.random_range(0..=12));
            bounds.low[k] = f64::from(i32::min(a, b)) / 12.0;
            bounds.high[k] = f64::from(i32::max(a, b)) / 12.0;
        }
    }
    bounds
}

fn in_box(p: &[f64], bounds: &WeightBox) -> bool {
    let largest = p.iter().copied().fold(0.0, f64::max);
    (0..p.len()).all(|k| bounds.low[k] * largest <= p[k] && p[k] <= bounds.high[k] * largest)
}

#[test]
fn no_point_of_a_box_violates_less_than_its_groups_prove() {
    let (mut strengthened, mut met) = (0, 0);
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    for seed in 0..300 {
        let (n, most_gain) = (2 + seed as usize % 2, 1 + 3 * (seed % 3));
        let problem = random_problem(seed, n, 30, most_gain);
        let (root, limits) = (RowTable::of_problem(&problem), Limits::default());
        let clock = Clock::start(&problem, &limits, &());
        let bounds = random_box(&mut rng, n);
        let mut scratch = NodeScratch::new(&problem);
        let mut node = BoxNode::evaluate(bounds.clone(), &root, 0, 0, &mut scratch);
        let before = node.dead;
        exclude(&mut node, &problem, &root, &clock, &mut Trace::new(&problem, false));
        strengthened += usize::from(node.bound > before);
        // Divisors of 12 and 60: corners, edges and the inside of every box.
        for p in grid(n, if n == 2 { 60 } else { 24 }).iter().filter(|p| in_box(p, &bounds)) {
            // Not divided by their sum: rounded weights may leave the box.
            let satisfied = check::satisfied_gain(&problem, p).unwrap();
            let violated = Incumbent::known(&problem, p.clone(), satisfied).violated;
            assert!(node.bound <= violated, "problem {seed}: {} > {violated} at {p:?}", node.bound);
            met += usize::from(node.bound == violated);
        }
    }
    assert!(strengthened > 100 && met > 100, "{strengthened} boxes, {met} points");
}

/// Violated gain of the optimum, nodes, and whether it is proven.
fn search(
    problem: &BlockProblem,
    patience: u64,
    threads: usize,
) -> (u64, u64, StopReason, Vec<f64>) {
    let limits = Limits { threads: Some(threads), ..Limits::default() };
    let clock = Clock::start(problem, &limits, &());
    let root = RowTable::of_problem(problem);
    let center = Incumbent::counted(problem, &problem.domain().center()).unwrap();
    thread_pool(&limits).unwrap().install(|| {
        let mut search =
            BoxSearch::new(problem, &root, &clock, Some(50_000), center, Record::default())
                .unwrap();
        search.patience = patience;
        let reason = search.run().unwrap();
        (search.incumbent.violated, search.nodes, reason, search.incumbent.weights)
    })
}

#[test]
fn a_search_with_groups_proves_the_same_optimum() {
    let mut fewer = 0;
    for seed in 0..40 {
        let problem = random_problem(seed, 3 + seed as usize % 2, 60, 1 + 4 * (seed % 2));
        let (with, without) = (search(&problem, 0, 1), search(&problem, u64::MAX, 1));
        assert_eq!((with.0, with.2), (without.0, StopReason::Optimal), "problem {seed}");
        fewer += usize::from(with.1 < without.1);
    }
    assert!(fewer > 20, "fewer nodes in {fewer} of 40");
}

#[test]
fn a_search_with_groups_is_the_same_on_any_number_of_threads() {
    for seed in 100..106 {
        let problem = random_problem(seed, 4, 60, 3);
        assert_eq!(search(&problem, 0, 1), search(&problem, 0, 4), "problem {seed}");
    }
}

/// A search with groups from the start, and its proof.
fn certified(blocks: &Blocks, nodes: u64) -> (certificate::Claim, Vec<u8>) {
    let (problem, limits, mut proof) = (blocks.problem(), Limits::default(), Vec::new());
    let clock = Clock::start(&problem, &limits, &());
    let root = RowTable::of_problem(&problem);
    let center = Incumbent::counted(&problem, &problem.domain().center()).unwrap();
    let record = Record::to(&mut proof);
    let mut search = BoxSearch::new(&problem, &root, &clock, Some(nodes), center, record).unwrap();
    search.patience = 0;
    let stop_reason = search.run().unwrap();
    search.finish().unwrap();
    let claim = Claim {
        solver: "exact",
        direction: search.incumbent.weights.clone(),
        satisfied: problem.total_gain() - search.missed(search.incumbent.violated),
        bound: search.proven(),
        stop_reason,
        nodes: search.nodes,
        scope: ProofScope::default(),
    };
    drop(search);
    let outcome = claim.confirm(&problem, &clock).unwrap();
    (certificate::Claim::of(&outcome, &problem, blocks, "a test"), proof)
}

#[test]
fn groups_are_certified_and_nothing_more_is() {
    for seed in 0..60 {
        let blocks = Blocks::random(seed, 3 + seed as usize % 3, 40, 1 + 4 * (seed % 2));
        let nodes = if seed % 3 == 0 { 100 } else { 50_000 };
        let (mut claim, proof) = certified(&blocks, nodes);
        let file = |claim: &certificate::Claim| {
            let mut file = Vec::new();
            claim.write(&mut file).unwrap();
            [file, proof.clone()].concat()
        };
        certificate::verify(&file(&claim)[..], &blocks).unwrap_or_else(|e| panic!("{seed}: {e}"));
        claim.bound += 1;
        assert!(certificate::verify(&file(&claim)[..], &blocks).is_err(), "{seed}");
    }
}
