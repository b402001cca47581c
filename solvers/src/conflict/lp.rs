//! Is there a point of the box that satisfies all rows? If not, which few rows
//! exclude each other?
//!
//! The LP `max t : r . p >= t for all rows, low <= p <= high` by a bounded
//! dual simplex. Its dual mixes rows with multipliers `lambda >= 0` of sum 1;
//! the largest value of the mixture over the box bounds `t` from above, and
//! the bound falls with every iteration. As soon as it is at most 0 the mixed
//! rows, at most one per weight, cannot hold together: a *conflict*. One row
//! at its best corner of the box is dual feasible, so there is no first phase.

use super::dense::Dense;
use super::evidence::Evidence;
use super::exact_conflict::exclude_each_other;
use super::pricing_pool::{PricingPool, minimum};
use super::weight_box::WeightBox;
use crate::row_table::RowTable;
use crate::sign::dot;
use crate::{BlockProblem, ENTRY_ERROR};

/// What the LP found out about the blocks that are not masked.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum ConflictVerdict {
    /// These blocks of the table cannot all be satisfied in the box.
    Conflict(Vec<usize>),
    /// This point satisfies every row.
    Feasible(Vec<f64>),
    /// Numerical trouble: nothing is claimed.
    Unknown,
}

/// Cap on simplex iterations; reached only when cycling.
const ITERATIONS: usize = 200;

/// A row is violated when it misses the level of the LP by more than this.
const TOLERANCE: f64 = 1e-11;

/// The same where the level is so close to 0 that its sign is in doubt.
const FINE_TOLERANCE: f64 = 1e-15;

/// Levels this close to 0 are looked at with the fine tolerance.
const DOUBTFUL: f64 = 1e-10;

/// The LP over one table and one box, with the state of the current basis.
pub(crate) struct ConflictLp<'a> {
    table: &'a RowTable,
    bounds: &'a WeightBox,
    /// Where the rows of the table are known exactly.
    problem: Option<&'a BlockProblem>,
    tolerance: f64,
    masked: Vec<bool>,
    values: Vec<f64>,
    lows: Vec<(usize, f64)>,
    pool: PricingPool,
    /// Rows of the pool that hold with equality.
    active: Vec<usize>,
    basic: Vec<usize>,
    is_basic: Vec<bool>,
    at_high: Vec<bool>,
    inverse: Dense,
    lambda: Vec<f64>,
    mixture: Vec<f64>,
    point: Vec<f64>,
    level: f64,
    /// Positions of the active rows of the last conflict.
    found: Vec<usize>,
    /// If given, the only blocks of the LP, and only the sign of its level is looked for.
    only: Option<Vec<usize>>,
}

/// Where the LP of a block ended, for LPs with more blocks to start from.
#[derive(Debug, Clone, Default)]
pub(crate) struct Basis {
    /// The root table's rows that hold with equality.
    ids: Vec<usize>,
    basic: Vec<usize>,
    at_high: Vec<bool>,
}

/// What leaves primal infeasibility: a violated row enters the active rows, or
/// a basic weight outside its bounds returns to the bound it broke.
#[derive(Debug, Clone, Copy)]
enum Repair {
    Row { row: usize, violation: f64 },
    Weight { position: usize, above: bool, violation: f64 },
}

/// What the ratio test met first.
#[derive(Debug, Clone, Copy)]
enum Blocking {
    ActiveRow(usize),
    Weight(usize),
}

impl<'a> ConflictLp<'a> {
    pub fn new(table: &'a RowTable, bounds: &'a WeightBox) -> Self {
        let n = table.dimension();
        Self {
            table,
            bounds,
            problem: None,
            tolerance: TOLERANCE,
            masked: vec![false; table.blocks()],
            values: vec![0.0; table.len()],
            lows: Vec::with_capacity(table.blocks()),
            pool: PricingPool::new(n),
            active: Vec::with_capacity(n + 1),
            basic: Vec::with_capacity(n),
            is_basic: vec![false; n],
            at_high: vec![false; n],
            inverse: Dense::default(),
            lambda: Vec::with_capacity(n + 1),
            mixture: vec![0.0; n],
            point: vec![0.0; n],
            level: 0.0,
            found: Vec::new(),
            only: None,
        }
    }

    /// Decides by the exact rows of `problem`, of which the table has some, where doubles are in
    /// doubt.
    pub fn exactly(mut self, problem: &'a BlockProblem) -> Self {
        self.problem = Some(problem);
        self
    }

    /// Leaves these blocks out of later LPs, and only these.
    pub fn mask_blocks(&mut self, masked: &[bool]) {
        self.masked.copy_from_slice(masked);
        self.pool.set_mask(masked);
    }

    /// Solves the LP over the rows that are not masked.
    pub fn solve(&mut self) -> ConflictVerdict {
        let center = self.bounds.center();
        let mut first = self.pool.lowest(&center);
        if first.is_none() && self.scan(&center, f64::INFINITY) {
            first = self.pool.lowest(&center);
        }
        let Some((first, _)) = first else {
            return ConflictVerdict::Feasible(center);
        };
        self.start_at(first);
        self.iterate()
    }

    /// Dual simplex iterations from the current basis.
    fn iterate(&mut self) -> ConflictVerdict {
        self.tolerance = TOLERANCE;
        for _ in 0..ITERATIONS {
            if !self.refresh() {
                return ConflictVerdict::Unknown;
            }
            if self.level <= 0.0
                && let Some(support) = self.certified_conflict()
            {
                return self.conflict(support);
            }
            match self.infeasibility() {
                None if self.only.is_some() && self.level > 0.0 => {
                    return ConflictVerdict::Feasible(self.point.clone());
                }
                Some(repair) => self.pivot(repair),
                None if self.level > DOUBTFUL => {
                    return ConflictVerdict::Feasible(self.point.clone());
                }
                None if self.tolerance > FINE_TOLERANCE => self.tolerance = FINE_TOLERANCE,
                None => return self.close_verdict(),
            }
        }
        match self.refresh() {
            true => self.close_verdict(),
            false => ConflictVerdict::Unknown,
        }
    }

    /// Whether these blocks alone can be satisfied together.
    ///
    /// Ends as soon as the sign of the LP is known. Goes on from the basis of the first of them,
    /// if there is one, and prices the rows of the others' bases first.
    pub fn decide(&mut self, blocks: &[usize], bases: &[&Basis]) -> ConflictVerdict {
        self.pool.clear();
        self.only = Some(blocks.to_vec());
        let verdict = match self.resume(blocks, bases) {
            true => self.iterate(),
            false => self.solve(),
        };
        self.only = None;
        verdict
    }

    /// Takes the first basis and the rows of all; false if that basis is none of this table.
    fn resume(&mut self, blocks: &[usize], bases: &[&Basis]) -> bool {
        for (block, basis) in blocks.iter().zip(bases) {
            let rows = basis.ids.iter().filter_map(|id| self.table.row_of(*block, *id));
            rows.for_each(|row| self.pool.push(self.table, row, *block));
        }
        let Some(basis) = bases.first().filter(|b| !b.ids.is_empty()) else { return false };
        let found =
            (0..basis.ids.len()).all(|i| i < self.pool.len() && self.pool.id(i) == basis.ids[i]);
        self.active.clear();
        self.active.extend(0..basis.ids.len());
        self.basic.clone_from(&basis.basic);
        self.is_basic.fill(false);
        basis.basic.iter().for_each(|k| self.is_basic[*k] = true);
        self.at_high.clone_from(&basis.at_high);
        found
    }

    /// The basis that the last LP ended with.
    pub fn basis(&self) -> Basis {
        let ids = self.active.iter().map(|a| self.pool.id(*a));
        Basis { ids: ids.collect(), basic: self.basic.clone(), at_high: self.at_high.clone() }
    }

    /// True when the current point satisfies every row of the blocks to decide on.
    fn decided(&mut self) -> bool {
        let Some(only) = self.only.take() else { return false };
        let point = std::mem::take(&mut self.point);
        let pooled = self.level > 0.0 && self.pool.lowest(&point).is_none_or(|l| l.1 > 0.0);
        if pooled {
            self.find_lows(&only, &point);
        }
        self.point = point;
        self.only = Some(only);
        pooled && self.lows.iter().all(|l| l.1 > 0.0)
    }

    /// The lowest value at `point` of each of the blocks.
    fn find_lows(&mut self, blocks: &[usize], point: &[f64]) {
        self.lows.clear();
        for b in blocks {
            let rows = self.table.block(*b);
            let values = &mut self.values[rows.clone()];
            values.fill(0.0);
            self.table.add_dots_of(rows, point, values);
            self.lows.push((*b, minimum(values)));
        }
    }

    /// The verdict where the level is close to 0.
    fn close_verdict(&mut self) -> ConflictVerdict {
        if let Some(support) = self.exact_conflict() {
            return self.conflict(support);
        }
        match self.level > 0.0 {
            true => ConflictVerdict::Feasible(self.point.clone()),
            false => ConflictVerdict::Unknown,
        }
    }

    /// The active rows, if exact arithmetic finds multipliers near those of the basis whose
    /// mixture is at most 0 on the box.
    fn exact_conflict(&self) -> Option<Vec<usize>> {
        let problem = self.problem.filter(|_| self.in_doubt())?;
        let all: Vec<usize> = (0..self.active.len()).collect();
        // Multipliers that are exactly 0 are not in doubles, and may be below it.
        let attempts = [self.support(), all];
        let is_new = |i: usize| i == 0 || attempts[0].len() < attempts[1].len();
        let decides = |support: &Vec<usize>| {
            let rows: Vec<usize> = support.iter().map(|a| self.pool.id(self.active[*a])).collect();
            let exponents = &self.table.exponents;
            exclude_each_other(problem, &rows, &self.basic, self.bounds, exponents)
        };
        (0..2).filter(|i| is_new(*i)).map(|i| attempts[i].clone()).find(decides)
    }

    /// True when the last LP ended so close to 0 that doubles cannot tell its sign.
    pub fn in_doubt(&self) -> bool {
        self.level.abs() <= DOUBTFUL
    }

    fn conflict(&mut self, support: Vec<usize>) -> ConflictVerdict {
        let blocks = self.blocks_of(&support);
        self.found = support;
        ConflictVerdict::Conflict(blocks)
    }

    /// Why the blocks of the last conflict exclude each other.
    pub fn evidence(&self) -> Evidence {
        let rows = || self.found.iter().map(|a| self.active[*a]);
        Evidence {
            rows: rows().map(|row| self.pool.id(row)).collect(),
            multipliers: self.found.iter().map(|a| self.lambda[*a].max(0.0)).collect(),
            entries: rows().map(|row| self.pool.row(row).to_vec()).collect(),
            basic: self.basic.clone(),
            whole: None,
        }
    }

    /// Positions of the active rows whose multipliers are not about 0.
    fn support(&self) -> Vec<usize> {
        let largest = self.lambda.iter().copied().fold(0.0, f64::max);
        let used = |a: &usize| self.lambda[*a] > 1e-10 * largest;
        (0..self.active.len()).filter(used).collect()
    }

    /// Adds to the pool, for each block, its lowest row at `point` if below `level`.
    ///
    /// Returns whether there was any. Only rows at least half as far below as
    /// the lowest one are added.
    fn scan(&mut self, point: &[f64], level: f64) -> bool {
        match self.only.take() {
            Some(only) => {
                self.find_lows(&only, point);
                self.only = Some(only);
            }
            None => self.find_all_lows(point),
        }
        let worst = self.lows.iter().fold(f64::INFINITY, |a, l| a.min(l.1));
        let missed = 0.5 * (level - worst);
        let cut = if level.is_finite() { level - missed.max(self.tolerance) } else { level };
        let mut added = false;
        for (b, low) in self.lows.iter().filter(|l| l.1 <= cut) {
            let mut rows = self.table.block(*b);
            if let Some(row) = rows.find(|i| self.values[*i] == *low) {
                self.pool.push(self.table, row, *b);
                added = true;
            }
        }
        added
    }

    /// The lowest value at `point` of each block that is not masked.
    fn find_all_lows(&mut self, point: &[f64]) {
        self.values.fill(0.0);
        self.table.add_dots(point, &mut self.values);
        self.lows.clear();
        for b in (0..self.table.blocks()).filter(|b| !self.masked[*b]) {
            self.lows.push((b, minimum(&self.values[self.table.block(b)])));
        }
    }

    fn start_at(&mut self, row: usize) {
        self.active.clear();
        self.active.push(row);
        self.basic.clear();
        self.is_basic.fill(false);
        for k in 0..self.table.dimension() {
            self.at_high[k] = self.pool.row(row)[k] > 0.0;
        }
    }

    /// Recomputes multipliers, mixture, point and level from the basis.
    fn refresh(&mut self) -> bool {
        let size = self.active.len();
        let (pool, active, basic) = (&self.pool, &self.active, &self.basic);
        let entry = |i: usize, a: usize| match i {
            0 => 1.0,
            _ => pool.row(active[a])[basic[i - 1]],
        };
        if !self.inverse.invert(size, entry) {
            return false;
        }
        self.lambda.clear();
        self.lambda.extend((0..size).map(|a| self.inverse.at(a, 0)));
        self.refresh_mixture();
        self.refresh_point();
        true
    }

    fn refresh_mixture(&mut self) {
        self.mixture.fill(0.0);
        for (row, l) in self.active.iter().zip(&self.lambda) {
            let entries = self.mixture.iter_mut().zip(self.pool.row(*row));
            entries.for_each(|(m, x)| *m += l * x);
        }
    }

    fn refresh_point(&mut self) {
        for k in 0..self.point.len() {
            let bound = if self.at_high[k] { self.bounds.high[k] } else { self.bounds.low[k] };
            self.point[k] = if self.is_basic[k] { 0.0 } else { bound };
        }
        // Basic weights are still 0 here, so this is the nonbasic part.
        let active = self.active.iter();
        let fixed: Vec<f64> = active.map(|row| dot(self.pool.row(*row), &self.point)).collect();
        let solve =
            |c: usize| -> f64 { (0..fixed.len()).map(|a| self.inverse.at(a, c) * fixed[a]).sum() };
        self.level = solve(0);
        for (position, k) in self.basic.iter().enumerate() {
            self.point[*k] = -solve(position + 1);
        }
    }

    /// The active rows, if their mixture is certainly at most 0 on the box.
    fn certified_conflict(&self) -> Option<Vec<usize>> {
        let support = self.support();
        let (mut value, mut magnitude) = (0.0, 0.0);
        for k in 0..self.table.dimension() {
            let (mut mixed, mut size) = (0.0, 0.0);
            for a in &support {
                let term = self.lambda[*a] * self.pool.row(self.active[*a])[k];
                mixed += term;
                size += term.abs();
            }
            value += f64::max(mixed * self.bounds.low[k], mixed * self.bounds.high[k]);
            magnitude += size * self.bounds.high[k];
        }
        let operations = (support.len() + self.table.dimension() + 4) as f64;
        let error = operations * f64::EPSILON + ENTRY_ERROR;
        let certain = value + error * magnitude < 0.0;
        certain.then_some(support)
    }

    fn blocks_of(&self, support: &[usize]) -> Vec<usize> {
        let block = |a: &usize| self.pool.block(self.active[*a]);
        let mut blocks: Vec<usize> = support.iter().map(block).collect();
        blocks.sort_unstable();
        blocks.dedup();
        blocks
    }

    /// The largest violation by a row or by a basic weight, if there is any.
    fn infeasibility(&mut self) -> Option<Repair> {
        if let Some(repair) = self.broken_bound() {
            return Some(repair);
        }
        if self.decided() {
            return None;
        }
        let point = std::mem::take(&mut self.point);
        let mut priced = self.pool.violated(&point, self.level, self.tolerance);
        if priced.is_none() && self.scan(&point, self.level) {
            priced = self.pool.violated(&point, self.level, self.tolerance);
        }
        self.point = point;
        let (row, value) = priced?;
        let violation = self.level - value;
        Some(Repair::Row { row, violation })
    }

    fn broken_bound(&self) -> Option<Repair> {
        let repairs = self.basic.iter().enumerate().map(|(position, k)| {
            let over = self.point[*k] - self.bounds.high[*k];
            let under = self.bounds.low[*k] - self.point[*k];
            let (above, violation) = if over > under { (true, over) } else { (false, under) };
            (position, above, violation)
        });
        let worst = repairs.max_by(|a, b| a.2.total_cmp(&b.2))?;
        let (position, above, violation) = worst;
        let tolerance = self.tolerance * self.bounds.high[self.basic[position]];
        (violation > tolerance).then_some(Repair::Weight { position, above, violation })
    }

    fn pivot(&mut self, repair: Repair) {
        let change = self.multiplier_change(repair);
        let blocking = self.ratio_test(repair, &change);
        if let Repair::Weight { position, above, .. } = repair {
            let k = self.basic.swap_remove(position);
            self.is_basic[k] = false;
            self.at_high[k] = above;
        }
        match blocking {
            Blocking::ActiveRow(a) => {
                self.active.swap_remove(a);
            }
            Blocking::Weight(k) => {
                self.basic.push(k);
                self.is_basic[k] = true;
            }
        }
        if let Repair::Row { row, .. } = repair {
            self.active.push(row);
        }
    }

    /// Change of the active multipliers per unit of the repaired one.
    fn multiplier_change(&self, repair: Repair) -> Vec<f64> {
        let size = self.active.len();
        match repair {
            Repair::Weight { position, above, .. } => {
                let sign = if above { 1.0 } else { -1.0 };
                (0..size).map(|a| sign * self.inverse.at(a, position + 1)).collect()
            }
            Repair::Row { row, .. } => (0..size)
                .map(|a| {
                    let basic = self.basic.iter().enumerate();
                    let rest: f64 = basic
                        .map(|(c, k)| self.inverse.at(a, c + 1) * self.pool.row(row)[*k])
                        .sum();
                    -(self.inverse.at(a, 0) + rest)
                })
                .collect(),
        }
    }

    /// Walks along the convex, piecewise linear dual objective to its minimum:
    /// weights whose mixture changes sign flip to their other bound as long as
    /// the objective still falls.
    fn ratio_test(&mut self, repair: Repair, change: &[f64]) -> Blocking {
        let (entering, violation) = match repair {
            Repair::Row { row, violation } => (Some(row), violation),
            Repair::Weight { violation, .. } => (None, violation),
        };
        let (row_step, leaving) = self.first_zero_multiplier(change);
        let mut slope = -violation;
        for (step, k, rate) in self.sign_changes(entering, change) {
            if step > row_step {
                break;
            }
            slope += rate * (self.bounds.high[k] - self.bounds.low[k]);
            if slope >= 0.0 {
                return Blocking::Weight(k);
            }
            self.at_high[k] = !self.at_high[k];
        }
        Blocking::ActiveRow(leaving)
    }

    fn first_zero_multiplier(&self, change: &[f64]) -> (f64, usize) {
        let mut first = (f64::INFINITY, 0);
        for (a, w) in change.iter().enumerate() {
            if *w < -1e-12 {
                let step = self.lambda[a].max(0.0) / -w;
                if step < first.0 {
                    first = (step, a);
                }
            }
        }
        first
    }

    /// Steps at which the mixture of a nonbasic weight changes sign, in order.
    fn sign_changes(&self, entering: Option<usize>, change: &[f64]) -> Vec<(f64, usize, f64)> {
        let mut steps = Vec::with_capacity(self.point.len());
        for k in 0..self.table.dimension() {
            if self.is_basic[k] || self.bounds.high[k] <= self.bounds.low[k] {
                continue;
            }
            let terms = self.active.iter().zip(change);
            let rate = terms.map(|(row, w)| w * self.pool.row(*row)[k]).sum::<f64>()
                + entering.map_or(0.0, |row| self.pool.row(row)[k]);
            let towards_zero = if self.at_high[k] { -rate } else { rate };
            if towards_zero > 1e-13 {
                let distance = if self.at_high[k] { self.mixture[k] } else { -self.mixture[k] };
                steps.push((distance.max(0.0) / towards_zero, k, towards_zero));
            }
        }
        steps.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        steps
    }
}
