//! The worst case by visiting cells of the arrangement of all rows, in whole numbers.
//!
//! Independent of the library: rows come from the values, nothing is rounded, and no weights are
//! left out. Two ways to the same number check each other: faces of faces for two and three weights,
//! and a linear program for each set of blocks.

use num_bigint::{BigInt, Sign};
use std::cmp::Ordering;

type Row = Vec<BigInt>;

/// Blocks of rows, and what each is worth where all its rows are above 0.
pub struct Arrangement {
    dimension: usize,
    blocks: Vec<Vec<Row>>,
    gains: Vec<u64>,
}

impl Arrangement {
    /// The rows of each original record, released at the same place: how much farther than its own
    /// each other released record is, squared, on each attribute. A block is worth 1, and nothing
    /// with a twin.
    pub fn certain(original: &[Vec<i64>], released: &[Vec<i64>]) -> Self {
        let blocks = (0..original.len()).map(|i| rows(original, released, i)).collect();
        Self { dimension: original[0].len(), blocks, gains: vec![1; original.len()] }
    }

    /// The same, where a record that only its twins are as near as is worth `unit` divided by their
    /// number, itself included.
    pub fn expected(original: &[Vec<i64>], released: &[Vec<i64>], unit: u64) -> Self {
        let mut all = Self::certain(original, released);
        for (block, gain) in all.blocks.iter_mut().zip(&mut all.gains) {
            let before = block.len();
            block.retain(|row| !is_zero(row));
            *gain = unit / (1 + before - block.len()) as u64;
        }
        all
    }

    /// The most that any weights of at least 0 gain.
    pub fn optimum(&self) -> u64 {
        match self.dimension {
            2 | 3 => self.optimum_by_faces(),
            _ => self.optimum_by_sets(),
        }
    }

    /// The same by programs for sets of blocks; fewer than 20 blocks.
    pub fn optimum_by_sets(&self) -> u64 {
        let gain = |set: u32| -> u64 {
            (0..).zip(&self.gains).filter(|(b, _)| set >> b & 1 == 1).map(|(_, g)| g).sum()
        };
        let mut sets: Vec<u32> = (0..1 << self.blocks.len()).collect();
        sets.sort_by_key(|set| std::cmp::Reverse(gain(*set)));
        let holds = |set: &u32| {
            let chosen = (0..).zip(&self.blocks).filter(|(b, _)| set >> b & 1 == 1);
            let rows: Vec<&Row> = chosen.flat_map(|(_, block)| block).collect();
            hold_together(&rows, self.dimension)
        };
        sets.into_iter().find(holds).map_or(0, gain)
    }

    /// The same by faces: of two or three weights.
    pub fn optimum_by_faces(&self) -> u64 {
        let domain = axes(self.dimension);
        let needed = self.without_implied();
        match self.dimension {
            2 => needed.sweep(&Plane::new(&needed.blocks, &domain, None)),
            _ => needed.planes().iter().fold(0, |best, plane| {
                let restricted = Plane::new(&needed.blocks, &domain, Some(plane));
                best.max(needed.sweep(&restricted))
            }),
        }
    }

    /// The same without rows that are nowhere below another one of their block, and without blocks
    /// that have a row nowhere above 0.
    fn without_implied(&self) -> Self {
        let holds_nowhere = |row: &Row| row.iter().all(|x| x.sign() != Sign::Plus);
        let kept = self.blocks.iter().zip(&self.gains);
        let kept = kept.filter(|(block, _)| !block.iter().any(holds_nowhere));
        let (blocks, gains) = kept.map(|(block, gain)| (least(block), *gain)).unzip();
        Self { dimension: self.dimension, blocks, gains }
    }

    /// Every cell has a face in one of these.
    fn planes(&self) -> Vec<Row> {
        let rows = self.blocks.iter().flatten().filter(|row| !is_zero(row));
        let mut planes: Vec<Row> = rows.map(|row| primitive(row)).chain(axes(3)).collect();
        planes.sort();
        planes.dedup();
        planes
    }

    /// The most that is gained in a sector of a plane, on either side of it.
    fn sweep(&self, plane: &Plane) -> u64 {
        let mut turns = plane.turns();
        turns.sort_by(|a, b| by_angle(&a.ray, &b.ray));
        let sides = if plane.divides { &[true, false][..] } else { &[true] };
        sides.iter().map(|side| self.sweep_side(plane, &turns, *side)).max().unwrap_or(0)
    }

    fn sweep_side(&self, plane: &Plane, turns: &[Turn], side: bool) -> u64 {
        let domain = self.blocks.len();
        let start = &turns[turns.len() - 1].ray;
        let mut failing = vec![0usize; domain + 1];
        for row in &plane.rows {
            failing[row.block] += usize::from(!row.holds_after(start, side));
        }
        let gained = |failing: &[usize]| -> u64 {
            (0..domain).filter(|b| failing[*b] == 0).map(|b| self.gains[b]).sum()
        };
        let (mut best, mut gain) = (0, gained(&failing));
        for (i, turn) in turns.iter().enumerate() {
            let before = failing[turn.block];
            failing[turn.block] = if turn.falls { before + 1 } else { before - 1 };
            if turn.block < domain {
                let worth = self.gains[turn.block];
                gain -= if before == 0 { worth } else { 0 };
                gain += if failing[turn.block] == 0 { worth } else { 0 };
            }
            let last = turns.get(i + 1).is_none_or(|next| by_angle(&turn.ray, &next.ray).is_ne());
            if last && failing[domain] == 0 {
                best = best.max(gain);
            }
        }
        best
    }
}

fn rows(original: &[Vec<i64>], released: &[Vec<i64>], i: usize) -> Vec<Row> {
    let own = &released[i];
    let entry = |other: &[i64], k: usize| {
        BigInt::from(own[k] - other[k]) * BigInt::from(2 * original[i][k] - own[k] - other[k])
    };
    let others = (0..released.len()).filter(|j| *j != i);
    others.map(|j| (0..own.len()).map(|k| entry(&released[j], k)).collect()).collect()
}

/// The rows that no other one is at most everywhere.
fn least(block: &[Row]) -> Vec<Row> {
    let mut rows = block.to_vec();
    rows.sort();
    rows.dedup();
    let at_most = |a: &Row, b: &Row| a.iter().zip(b).all(|(a, b)| a <= b);
    let implied = |row: &Row| rows.iter().any(|other| other != row && at_most(other, row));
    rows.iter().filter(|row| !implied(row)).cloned().collect()
}

fn axes(n: usize) -> Vec<Row> {
    (0..n).map(|k| (0..n).map(|j| BigInt::from(u8::from(j == k))).collect()).collect()
}

fn is_zero(row: &[BigInt]) -> bool {
    row.iter().all(|x| x.sign() == Sign::NoSign)
}

/// The row divided by the greatest common divisor, its first entry that is not 0 above it.
fn primitive(row: &[BigInt]) -> Row {
    let divisor = row.iter().fold(BigInt::ZERO, |a, b| common_divisor(a, b.clone()));
    let first = row.iter().find(|x| x.sign() != Sign::NoSign);
    let divisor = if first.is_some_and(|x| x.sign() == Sign::Minus) { -divisor } else { divisor };
    row.iter().map(|x| x / &divisor).collect()
}

fn common_divisor(mut a: BigInt, mut b: BigInt) -> BigInt {
    while b.sign() != Sign::NoSign {
        (a, b) = (b.clone(), a % b);
    }
    if a.sign() == Sign::Minus { -a } else { a }
}

/// All rows on a plane of two dimensions.
struct Plane {
    rows: Vec<PlaneRow>,
    /// True when the sides of the plane differ.
    divides: bool,
}

/// A row of a block; those of the domain belong to the block after the last.
struct PlaneRow {
    block: usize,
    entries: [BigInt; 2],
    /// Where the row is 0 all over the plane: its sign on the upper side.
    beside: Sign,
}

/// Where a row becomes 0 in a walk around the plane.
struct Turn {
    ray: [BigInt; 2],
    block: usize,
    falls: bool,
}

impl Plane {
    /// The rows of two weights, or those of three where `normal` is 0.
    fn new(blocks: &[Vec<Row>], domain: &[Row], normal: Option<&Row>) -> Self {
        let numbered =
            blocks.iter().enumerate().flat_map(|(b, rows)| rows.iter().map(move |r| (b, r)));
        let all = numbered.chain(domain.iter().map(|r| (blocks.len(), r)));
        let rows = all.map(|(block, row)| match normal {
            None => {
                PlaneRow { block, entries: [row[0].clone(), row[1].clone()], beside: Sign::NoSign }
            }
            Some(normal) => PlaneRow::restricted(block, row, normal),
        });
        Self { rows: rows.collect(), divides: normal.is_some() }
    }

    fn turns(&self) -> Vec<Turn> {
        let turning = self.rows.iter().filter(|row| !is_zero(&row.entries));
        let both = turning.flat_map(|row| {
            let [a, b] = &row.entries;
            let turn = |ray, falls| Turn { ray, block: row.block, falls };
            [turn([-b, a.clone()], true), turn([b.clone(), -a], false)]
        });
        both.collect()
    }
}

impl PlaneRow {
    /// The row as one of the two weights that are left where `normal` is 0.
    fn restricted(block: usize, row: &Row, normal: &Row) -> Self {
        let k = normal.iter().position(|x| x.sign() != Sign::NoSign).expect("a plane");
        let upward = normal[k].sign() == Sign::Plus;
        let left = (0..3).filter(|j| *j != k).map(|j| {
            let value = &row[j] * &normal[k] - &row[k] * &normal[j];
            if upward { value } else { -value }
        });
        let entries: Vec<BigInt> = left.collect();
        let beside = (&row[k] * &normal[k]).sign();
        Self { block, entries: entries.try_into().expect("two"), beside }
    }

    /// True when the row is above 0 right after `ray` in the walk, or on this side of the plane.
    fn holds_after(&self, ray: &[BigInt; 2], side: bool) -> bool {
        let [a, b] = &self.entries;
        if is_zero(&self.entries) {
            return self.beside == if side { Sign::Plus } else { Sign::Minus };
        }
        let along = (a * &ray[0] + b * &ray[1]).sign();
        let turned = (b * &ray[0] - a * &ray[1]).sign();
        along == Sign::Plus || along == Sign::NoSign && turned == Sign::Plus
    }
}

/// By the angle with the first axis, from 0 to a full turn.
fn by_angle(a: &[BigInt; 2], b: &[BigInt; 2]) -> Ordering {
    let below = |ray: &[BigInt; 2]| {
        ray[1].sign() == Sign::Minus
            || ray[1].sign() == Sign::NoSign && ray[0].sign() == Sign::Minus
    };
    below(a).cmp(&below(b)).then_with(|| (&a[1] * &b[0]).cmp(&(&a[0] * &b[1])))
}

/// True when weights above 0 exist for which all rows are above 0.
///
/// There are none exactly if rows and axes have a mixture, of shares that sum to 1, that is 0 (P.
/// Gordan 1873). That is a linear program, solved by the simplex method in whole numbers, with R. G.
/// Bland's rule.
fn hold_together(rows: &[&Row], dimension: usize) -> bool {
    let axes = axes(dimension);
    let columns: Vec<&Row> = rows.iter().copied().chain(&axes).collect();
    let mut tableau: Vec<Row> = (0..dimension)
        .map(|k| columns.iter().map(|c| c[k].clone()).chain([BigInt::ZERO]).collect())
        .collect();
    tableau.push(vec![BigInt::from(1); columns.len() + 1]);
    // The last row is the sum of what the equations miss, with the sign turned.
    let missed = (0..=columns.len()).map(|j| -tableau.iter().map(|row| &row[j]).sum::<BigInt>());
    let missed: Row = missed.collect();
    tableau.push(missed);
    let mut basis: Vec<usize> = (columns.len()..columns.len() + dimension + 1).collect();
    let mut divisor = BigInt::from(1);
    let goal = dimension + 1;
    while let Some(entering) = (0..columns.len()).find(|j| tableau[goal][*j].sign() == Sign::Minus)
    {
        let candidates = (0..goal).filter(|i| tableau[*i][entering].sign() == Sign::Plus);
        let ratio = |i: usize| (&tableau[i][columns.len()], &tableau[i][entering]);
        let smaller = |a: usize, b: usize| {
            let ((p, q), (r, s)) = (ratio(a), ratio(b));
            (p * s).cmp(&(r * q)).then(basis[a].cmp(&basis[b]))
        };
        let leaving = candidates.min_by(|a, b| smaller(*a, *b)).expect("bounded");
        pivot(&mut tableau, leaving, entering, &mut divisor);
        basis[leaving] = entering;
    }
    tableau[goal][columns.len()].sign() != Sign::NoSign
}

/// A pivot of entries that are all divided by `divisor`.
fn pivot(tableau: &mut [Row], leaving: usize, entering: usize, divisor: &mut BigInt) {
    let row = tableau[leaving].clone();
    for other in tableau.iter_mut().enumerate().filter(|(i, _)| *i != leaving).map(|(_, r)| r) {
        let factor = other[entering].clone();
        let terms = other.iter_mut().zip(&row);
        terms.for_each(|(x, p)| *x = (&*x * &row[entering] - &factor * p) / &*divisor);
    }
    *divisor = row[entering].clone();
}
