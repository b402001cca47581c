//! Points in small blocks of vector-friendly layout, and how far a query is from them.
//!
//! A leaf holds [`LEAF`] points as a structure of arrays, so that one pass of
//! vector instructions gives the distances of the whole leaf. Every sum runs in
//! the order of the coordinates, in a leaf and for a single pair alike: equal
//! points are at equal distances to the last bit, whatever computed them.

use crate::distance::{CellMetric, Gap, Metric};

/// Points in a leaf: a multiple of every vector width.
pub(crate) const LEAF: usize = 32;

/// The space the points live in.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Geometry {
    /// The sum of what each coordinate adds.
    Sum(Vec<Metric>),
    /// K(a,a) - 2 K(a,b) + K(b,b) with K(x,y) = (1 + x·y)^degree; the last
    /// coordinate of a point is its K with itself.
    Kernel {
        /// The exponent.
        degree: u32,
    },
    /// What agreeing or differing costs on each of some attributes, whose coordinates lie one
    /// after the other.
    Agreement(Vec<AttributeAgreement>),
}

/// What it costs to agree or to differ on one attribute.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct AttributeAgreement {
    /// How its coordinates add to its distance.
    pub metrics: Vec<Metric>,
    /// The largest distance at which two values agree.
    pub limit: f64,
    /// What it costs to agree.
    pub agreeing: f64,
    /// What it costs to differ.
    pub differing: f64,
}

impl AttributeAgreement {
    /// The cost at `distance`.
    #[inline(always)]
    fn cost(&self, distance: f64) -> f64 {
        if distance <= self.limit { self.agreeing } else { self.differing }
    }

    /// The least cost at `distance` or farther.
    #[inline(always)]
    fn least_cost(&self, distance: f64) -> f64 {
        if distance <= self.limit { self.agreeing.min(self.differing) } else { self.differing }
    }
}

/// Shows `term` each attribute with its part of `values`, which hold `width` numbers for every
/// coordinate, and of `query`.
#[inline(always)]
fn by_attribute(
    attributes: &[AttributeAgreement],
    mut values: &[f64],
    mut query: &[f64],
    width: usize,
    mut term: impl FnMut(&AttributeAgreement, &[f64], &[f64]),
) {
    for attribute in attributes {
        let coordinates = attribute.metrics.len();
        let (own, others) = values.split_at(coordinates * width);
        let (own_query, other_queries) = query.split_at(coordinates);
        term(attribute, own, own_query);
        (values, query) = (others, other_queries);
    }
}

impl Geometry {
    /// The distance of two points, by the operations of [`Leaves::distances`] in their order.
    #[inline(always)]
    pub fn distance(&self, a: &[f64], b: &[f64]) -> f64 {
        match self {
            Self::Sum(metrics) => sum_between(metrics, a, b),
            Self::Agreement(attributes) => {
                let mut sum = 0.0;
                by_attribute(attributes, b, a, 1, |attribute, b, a| {
                    sum += attribute.cost(sum_between(&attribute.metrics, a, b));
                });
                sum
            }
            Self::Kernel { degree } => {
                let last = a.len() - 1;
                let dot = a[..last].iter().zip(&b[..last]).fold(1.0, |sum, (x, y)| sum + x * y);
                kernel_distance(power(dot, *degree), a[last], b[last])
            }
        }
    }

    /// The same space where points and queries change places.
    pub fn reversed(self) -> Self {
        match self {
            Self::Sum(metrics) => Self::Sum(metrics.iter().map(Metric::reversed).collect()),
            Self::Agreement(attributes) => {
                let reversed = |attribute: AttributeAgreement| AttributeAgreement {
                    metrics: attribute.metrics.iter().map(Metric::reversed).collect(),
                    ..attribute
                };
                Self::Agreement(attributes.into_iter().map(reversed).collect())
            }
            kernel => kernel,
        }
    }

    /// The number of coordinates by which boxes are told apart, those of a released cell
    /// counted as one; `None` when boxes have no bound.
    pub fn box_dimensions(&self) -> Option<usize> {
        let Self::Sum(metrics) = self else { return None };
        let leads = |metric: &&Metric| match metric {
            Metric::Cell(cell) => cell.leads(),
            _ => true,
        };
        Some(metrics.iter().filter(leads).count())
    }
}

#[inline(always)]
fn sum_between(metrics: &[Metric], a: &[f64], b: &[f64]) -> f64 {
    let terms = metrics.iter().zip(a).zip(b).map(|((m, x), y)| m.between(*x, *y));
    terms.fold(0.0, |sum, term| sum + term)
}

/// Boxes side by side in the layout of a leaf.
pub(crate) const BOXES: usize = 8;

/// Lower bounds of the distances from `query` to the points of each of [`BOXES`] boxes.
///
/// `sides` holds, coordinate by coordinate, the lower and then the upper ends of
/// all boxes. The terms of a bound are summed in the order of the distance's and
/// rounding is monotone, so a bound never exceeds a computed distance. A kernel
/// has no bound (0).
#[inline(always)]
pub(crate) fn distances_to_boxes(
    geometry: &Geometry,
    sides: &[f64],
    query: &[f64],
) -> [f64; BOXES] {
    match geometry {
        Geometry::Sum(metrics) => sums_to_boxes(metrics, sides, query),
        Geometry::Kernel { .. } => [0.0; BOXES],
        Geometry::Agreement(attributes) => {
            let mut costs = [0.0; BOXES];
            by_attribute(attributes, sides, query, 2 * BOXES, |attribute, sides, query| {
                let distances = sums_to_boxes(&attribute.metrics, sides, query);
                combine(&mut costs, &distances, |cost, d| cost + attribute.least_cost(d));
            });
            costs
        }
    }
}

#[inline(always)]
fn sums_to_boxes(metrics: &[Metric], sides: &[f64], query: &[f64]) -> [f64; BOXES] {
    let mut sums = [0.0; BOXES];
    for ((ends, &x), metric) in sides.chunks_exact(2 * BOXES).zip(query).zip(metrics) {
        let (low, high) = ends.split_at(BOXES);
        match metric {
            Metric::Squared => {
                add_sides(&mut sums, low, high, |l, h| Metric::Squared.least_in(l, h, x))
            }
            other => add_sides(&mut sums, low, high, |l, h| other.least_in(l, h, x)),
        }
    }
    sums
}

#[inline(always)]
fn add_sides(sums: &mut [f64; BOXES], low: &[f64], high: &[f64], term: impl Fn(f64, f64) -> f64) {
    for ((sum, l), h) in sums.iter_mut().zip(low).zip(high) {
        *sum += term(*l, *h);
    }
}

/// Distances from `query` to `N` points, [`LEAF`] or another multiple of eight, whose
/// `coordinates` lie column by column: the sum of what each coordinate adds.
#[inline(always)]
pub(crate) fn distances_to_points<const N: usize>(
    metrics: &[Metric],
    coordinates: &[f64],
    query: &[f64],
) -> [f64; N] {
    let mut sums = [0.0; N];
    for ((column, &x), metric) in coordinates.chunks_exact(N).zip(query).zip(metrics) {
        // One loop per kind keeps the choice out of the vector instructions.
        match metric {
            Metric::Squared => add(&mut sums, column, |y| Metric::Squared.between(x, y)),
            Metric::SquaredOrAny => add(&mut sums, column, |y| Metric::SquaredOrAny.between(x, y)),
            &Metric::Steps(cap) => add(&mut sums, column, |y| Metric::Steps(cap).between(x, y)),
            &Metric::Mismatch(value) => {
                add(&mut sums, column, |y| Metric::Mismatch(value).between(x, y));
            }
            Metric::Cell(CellMetric::Below(gap)) => add_gaps(&mut sums, column, *gap, |y| y - x),
            Metric::Cell(CellMetric::Above(gap)) => add_gaps(&mut sums, column, *gap, |y| x - y),
            Metric::Cell(other) => add(&mut sums, column, |y| other.between(x, y)),
        }
    }
    sums
}

/// Adds what the gaps add, in one loop per measure.
#[inline(always)]
fn add_gaps(sums: &mut [f64], column: &[f64], gap: Gap, to: impl Fn(f64) -> f64) {
    match gap {
        Gap::Squared => add(sums, column, |y| Gap::Squared.add(to(y))),
        Gap::Steps(cap) => add(sums, column, |y| Gap::Steps(cap).add(to(y))),
        Gap::Mismatch(value) => add(sums, column, |y| Gap::Mismatch(value).add(to(y))),
    }
}

/// As [`distances_to_points`] where all coordinates are numbers.
#[inline(always)]
pub(crate) fn distances_on_numbers<const N: usize>(coordinates: &[f64], query: &[f64]) -> [f64; N] {
    let mut sums = [0.0; N];
    for (column, &x) in coordinates.chunks_exact(N).zip(query) {
        add(&mut sums, column, |y| Metric::Squared.between(x, y));
    }
    sums
}

/// Whether one of the points of a leaf is within `radius`. Most leaves hold none, and
/// counting them is one pass of vector instructions.
#[inline(always)]
pub(crate) fn any_within(distances: &[f64], radius: f64) -> bool {
    distances.iter().map(|d| u64::from(*d <= radius)).sum::<u64>() > 0
}

/// `base` multiplied with itself `degree` times, always in the same order.
#[inline(always)]
pub(crate) fn power(base: f64, degree: u32) -> f64 {
    (1..degree).fold(base, |product, _| product * base)
}

#[inline(always)]
fn kernel_distance(kernel: f64, own: f64, other: f64) -> f64 {
    own - 2.0 * kernel + other
}

/// Points cut into leaves, in a given order.
#[derive(Debug)]
pub(crate) struct Leaves {
    geometry: Geometry,
    dims: usize,
    /// Leaf by leaf, coordinate by coordinate.
    coordinates: Vec<f64>,
    /// The record of each point.
    records: Vec<u32>,
}

impl Leaves {
    /// The points of `columns` in the order of `records`.
    pub fn new(geometry: Geometry, columns: &[Vec<f64>], records: Vec<u32>) -> Self {
        let leaves = records.len().div_ceil(LEAF);
        let mut coordinates = Vec::with_capacity(leaves * LEAF * columns.len());
        for leaf in records.chunks(LEAF) {
            for column in columns {
                coordinates.extend(leaf.iter().map(|&i| column[i as usize]));
                coordinates.extend(std::iter::repeat_n(0.0, LEAF - leaf.len()));
            }
        }
        Self { geometry, dims: columns.len(), coordinates, records }
    }

    /// The space the points live in.
    pub fn geometry(&self) -> &Geometry {
        &self.geometry
    }

    /// Number of leaves.
    pub fn len(&self) -> usize {
        self.records.len().div_ceil(LEAF)
    }

    /// The records in leaf order.
    pub fn records(&self) -> &[u32] {
        &self.records
    }

    /// The records of `leaf`.
    #[inline(always)]
    pub fn records_of(&self, leaf: usize) -> &[u32] {
        &self.records[leaf * LEAF..self.records.len().min((leaf + 1) * LEAF)]
    }

    /// The columns of `leaf`, each [`LEAF`] long.
    #[inline(always)]
    pub fn columns_of(&self, leaf: usize) -> std::slice::ChunksExact<'_, f64> {
        self.coordinates_of(leaf).chunks_exact(LEAF)
    }

    #[inline(always)]
    fn coordinates_of(&self, leaf: usize) -> &[f64] {
        let size = self.dims * LEAF;
        &self.coordinates[leaf * size..(leaf + 1) * size]
    }

    /// Distances from `query` to the points of `leaf`; infinite where a short leaf has none.
    #[inline(always)]
    pub fn distances(&self, leaf: usize, query: &[f64]) -> [f64; LEAF] {
        let mut sums = match &self.geometry {
            Geometry::Sum(metrics) => {
                distances_to_points(metrics, self.coordinates_of(leaf), query)
            }
            Geometry::Kernel { degree } => self.kernel_distances(leaf, query, *degree),
            Geometry::Agreement(attributes) => {
                let mut costs = [0.0; LEAF];
                let coordinates = self.coordinates_of(leaf);
                by_attribute(attributes, coordinates, query, LEAF, |attribute, own, query| {
                    let distances: [f64; LEAF] =
                        distances_to_points(&attribute.metrics, own, query);
                    combine(&mut costs, &distances, |cost, d| cost + attribute.cost(d));
                });
                costs
            }
        };
        let count = self.records_of(leaf).len();
        sums[count..].fill(f64::INFINITY);
        sums
    }

    #[inline(always)]
    fn kernel_distances(&self, leaf: usize, query: &[f64], degree: u32) -> [f64; LEAF] {
        let mut dots = [1.0; LEAF];
        let last = self.dims - 1;
        let mut columns = self.columns_of(leaf);
        for (column, &x) in columns.by_ref().take(last).zip(query) {
            add(&mut dots, column, |y| x * y);
        }
        // As in `power`, all points at once.
        let mut distances = dots;
        for _ in 1..degree {
            combine(&mut distances, &dots, |kernel, dot| kernel * dot);
        }
        if let Some(own) = columns.next() {
            combine(&mut distances, own, |kernel, y| kernel_distance(kernel, query[last], y));
        }
        distances
    }
}

#[inline(always)]
fn add(sums: &mut [f64], column: &[f64], term: impl Fn(f64) -> f64) {
    combine(sums, column, |sum, y| sum + term(y));
}

/// Puts `new` of a value and its neighbor in `column` in the value's place, eight at a time:
/// the compiler unrolls a loop over all of them and then finds no vectors. There are a
/// multiple of eight.
#[inline(always)]
pub(crate) fn combine(values: &mut [f64], column: &[f64], new: impl Fn(f64, f64) -> f64) {
    for (values, column) in values.as_chunks_mut::<8>().0.iter_mut().zip(column.as_chunks::<8>().0)
    {
        *values = std::array::from_fn(|lane| new(values[lane], column[lane]));
    }
}
