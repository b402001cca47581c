//! A depth-first dive into one box of the pool.
//!
//! A dive depends only on its box and on the state of the search when its
//! round began, never on other dives of the round: that is what makes the
//! search the same on any number of threads.

use super::node::{Node, Scratch};
use super::packing::pack;
use super::weight_box::WeightBox;
use crate::row_table::RowTable;
use crate::solver::Clock;
use crate::{BlockProblem, check};

/// Best weights so far.
#[derive(Debug, Clone)]
pub(crate) struct Incumbent {
    /// Weights of the domain.
    pub weights: Vec<f64>,
    /// Open blocks they violate, counted exactly.
    pub violated: usize,
}

/// A box waiting in the pool: rows by number only.
#[derive(Debug, Clone)]
pub(crate) struct OpenBox {
    pub bounds: WeightBox,
    pub dead: usize,
    pub bound: usize,
    pub ids: Vec<u32>,
    pub starts: Vec<u32>,
}

impl From<Node> for OpenBox {
    fn from(node: Node) -> Self {
        Self {
            bounds: node.bounds,
            dead: node.dead,
            bound: node.bound,
            ids: node.table.ids,
            starts: node.table.starts,
        }
    }
}

/// How often packing closed a box, by the number of conflicts it needed.
#[derive(Debug, Clone)]
pub(crate) struct PackingRecord {
    tries: [u32; 128],
    closed: [u32; 128],
}

impl Default for PackingRecord {
    fn default() -> Self {
        Self {
            tries: [0; 128],
            closed: [0; 128],
        }
    }
}

impl PackingRecord {
    /// Packing pays when it closes at least one box in twenty.
    fn is_worthwhile(&self, need: usize) -> bool {
        if need >= self.tries.len() {
            return false;
        }
        let (tries, closed) = (self.tries[need], self.closed[need]);
        tries < 20 || closed * 20 >= tries
    }

    fn note(&mut self, need: usize, closed: bool) {
        self.tries[need] += 1;
        self.closed[need] += u32::from(closed);
    }

    /// Adds what happened between `before` and `after`.
    pub fn add_difference(&mut self, before: &Self, after: &Self) {
        for i in 0..self.tries.len() {
            self.tries[i] += after.tries[i] - before.tries[i];
            self.closed[i] += after.closed[i] - before.closed[i];
        }
    }
}

/// What all dives of a round share.
pub(crate) struct Round<'a> {
    pub problem: &'a BlockProblem,
    pub root: &'a RowTable,
    pub clock: &'a Clock<'a>,
    pub best: usize,
    pub record: &'a PackingRecord,
    pub budget: u64,
}

/// What a dive brings back.
pub(crate) struct Report {
    pub improvement: Option<Incumbent>,
    pub open: Vec<OpenBox>,
    /// Smallest bound of the boxes that are too small to split.
    pub unresolved: usize,
    pub nodes: u64,
    pub record: PackingRecord,
}

struct Dive<'a> {
    round: &'a Round<'a>,
    best: usize,
    stack: Vec<Node>,
    scratch: Scratch,
    report: Report,
}

/// Searches the box depth first, better bound first, for at most `budget` nodes.
pub(crate) fn dive(round: &Round<'_>, start: OpenBox) -> Report {
    let table = round.root.gather(&start.ids, &start.starts);
    let node = Node {
        bounds: start.bounds,
        dead: start.dead,
        bound: start.bound,
        table,
        violated_at_centre: usize::MAX,
    };
    let mut dive = Dive {
        round,
        best: round.best,
        stack: vec![node],
        scratch: Scratch::default(),
        report: Report {
            improvement: None,
            open: Vec::new(),
            unresolved: usize::MAX,
            nodes: 0,
            record: round.record.clone(),
        },
    };
    dive.run();
    dive.report
}

impl Dive<'_> {
    fn run(&mut self) {
        while self.report.nodes < self.round.budget && self.round.clock.stop().is_none() {
            let Some(node) = self.stack.pop() else { break };
            if node.bound < self.best {
                self.report.nodes += 1;
                self.expand(node);
            }
        }
        let best = self.best;
        let open = self.stack.drain(..).filter(|node| node.bound < best);
        self.report.open = open.map(OpenBox::from).collect();
    }

    fn expand(&mut self, mut node: Node) {
        self.tighten(&mut node);
        if node.bound >= self.best {
            return;
        }
        let Some(weight) = node.branching_weight(&mut self.scratch) else {
            self.report.unresolved = self.report.unresolved.min(node.bound);
            return;
        };
        let (lower, upper) = node.bounds.split(weight);
        let lower = self.child(&node, lower);
        let upper = self.child(&node, upper);
        let (first, second) = if upper.dead < lower.dead {
            (upper, lower)
        } else {
            (lower, upper)
        };
        self.stack.extend(
            [second, first]
                .into_iter()
                .filter(|child| child.bound < self.best),
        );
    }

    fn child(&mut self, parent: &Node, bounds: WeightBox) -> Node {
        let child = Node::evaluate(
            bounds,
            &parent.table,
            parent.dead,
            parent.bound,
            &mut self.scratch,
        );
        if child.violated_at_centre < self.best {
            self.offer(&child.bounds.centre());
        }
        child
    }

    /// Raises the bound of a node by packing conflicts, where that tends to close it.
    fn tighten(&mut self, node: &mut Node) {
        let need = self.best - node.dead;
        if !self.report.record.is_worthwhile(need) {
            return;
        }
        let packing = pack(&node.table, &node.bounds, need);
        node.bound = node.bound.max(node.dead + packing.conflicts);
        self.report.record.note(need, packing.conflicts >= need);
        if let Some((point, violated)) = packing.candidate
            && node.dead + violated < self.best
        {
            self.offer(&point);
        }
    }

    /// Takes a point as the new incumbent if the exact count says so.
    fn offer(&mut self, point: &[f64]) {
        let problem = self.round.problem;
        let Ok(weights) = problem.domain().normalise(point) else {
            return;
        };
        let Ok(satisfied) = check::count_satisfied(problem, &weights) else {
            return;
        };
        let violated = problem.blocks() - problem.reductions().blocks_dead - satisfied;
        if violated < self.best {
            self.best = violated;
            self.report.improvement = Some(Incumbent { weights, violated });
        }
    }
}
