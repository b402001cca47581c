//! Records as rows of numbers, and the records near each.

use crate::distance::{LANES, lane_distance};
use crate::spatial::RemovableTree;
use std::collections::BTreeMap;

/// The records, row by row, each row filled up with zeros to whole vectors.
pub(super) struct RefinedPoints {
    values: Vec<f64>,
    width: usize,
    neighbors: Vec<u32>,
    near: usize,
    /// The records nearest to each among those of the same levels; empty without levels.
    alike: Vec<Vec<u32>>,
}

impl RefinedPoints {
    /// The records of `columns`, each with its `near` nearest (fewer where there are not so many),
    /// and with as many of its own levels.
    ///
    /// O(n near) memory; the neighbors come from a box tree.
    pub fn new(columns: &[Vec<f64>], levels: &[Vec<u32>], near: usize) -> Self {
        let records = columns[0].len();
        let width = columns.len().next_multiple_of(LANES);
        let mut values = vec![0.0; records * width];
        for (j, column) in columns.iter().enumerate() {
            column.iter().enumerate().for_each(|(i, v)| values[i * width + j] = *v);
        }
        let near = near.min(records - 1);
        let neighbors = neighbors(columns, near).concat();
        let alike = if levels.is_empty() { Vec::new() } else { alike(columns, levels, near) };
        Self { values, width, neighbors, near, alike }
    }

    pub fn records(&self) -> usize {
        self.values.len() / self.width
    }

    /// Numbers in a row.
    pub fn width(&self) -> usize {
        self.width
    }

    #[inline(always)]
    pub fn row(&self, record: u32) -> &[f64] {
        &self.values[record as usize * self.width..][..self.width]
    }

    /// The records nearest to `record`, nearest first.
    #[inline(always)]
    pub fn neighbors(&self, record: u32) -> &[u32] {
        &self.neighbors[record as usize * self.near..][..self.near]
    }

    /// Whether records have levels.
    #[inline(always)]
    pub fn have_levels(&self) -> bool {
        !self.alike.is_empty()
    }

    /// The records nearest to `record` among those of its levels, nearest first.
    #[inline(always)]
    pub fn alike(&self, record: u32) -> &[u32] {
        &self.alike[record as usize]
    }

    /// The squared distance of two records.
    #[inline(always)]
    pub fn distance(&self, a: u32, b: u32) -> f64 {
        lane_distance(self.row(a), self.row(b))
    }

    /// Writes the centroid of `members`; gives the sum of their squared distances from it.
    pub fn sum_up(&self, members: &[u32], centroid: &mut [f64]) -> f64 {
        centroid.fill(0.0);
        for &i in members {
            centroid.iter_mut().zip(self.row(i)).for_each(|(sum, v)| *sum += v);
        }
        let share = 1.0 / members.len().max(1) as f64;
        centroid.iter_mut().for_each(|sum| *sum *= share);
        members.iter().map(|&i| lane_distance(self.row(i), centroid)).sum()
    }

    /// Sums of squared errors of the first record, the first two, three and so on.
    ///
    /// In one pass by the recurrence of B.P. Welford, "Note on a method for calculating
    /// corrected sums of squares and products", Technometrics 4 (1962).
    pub fn errors_of_firsts(&self, records: impl Iterator<Item = u32>) -> Vec<f64> {
        let (mut centroid, mut error) = (vec![0.0; self.width], 0.0);
        let next = |(before, record): (usize, u32)| {
            let (row, before) = (self.row(record), before as f64);
            let after = before + 1.0;
            error += lane_distance(row, &centroid) * before / after;
            centroid.iter_mut().zip(row).for_each(|(c, v)| *c += (v - *c) / after);
            error
        };
        records.enumerate().map(next).collect()
    }

    /// Sum of squared errors of a group of `members`.
    pub fn error(&self, members: &[u32]) -> f64 {
        self.sum_up(members, &mut vec![0.0; self.width])
    }
}

/// The `near` records nearest to each, fewer where there are not so many.
fn neighbors(columns: &[Vec<f64>], near: usize) -> Vec<Vec<u32>> {
    let points = crate::distance::Points::numeric(columns.to_vec());
    let tree = RemovableTree::new(&points);
    let of = |record: u32| {
        let query = points.point(record);
        let found = tree.nearest(&query, near + 1).into_iter().map(|n| n.record);
        // Among many equal records the record itself may be missing.
        found.filter(move |&other| other != record).take(near).collect()
    };
    (0..columns[0].len() as u32).map(of).collect()
}

/// The `near` records nearest to each among those of the same levels.
fn alike(columns: &[Vec<f64>], levels: &[Vec<u32>], near: usize) -> Vec<Vec<u32>> {
    let mut classes: BTreeMap<Vec<u32>, Vec<u32>> = BTreeMap::new();
    for record in 0..columns[0].len() {
        let combination = levels.iter().map(|of| of[record]).collect();
        classes.entry(combination).or_default().push(record as u32);
    }
    let mut alike = vec![Vec::new(); columns[0].len()];
    for class in classes.values() {
        let of_class = |column: &Vec<f64>| class.iter().map(|&i| column[i as usize]).collect();
        let columns: Vec<Vec<f64>> = columns.iter().map(of_class).collect();
        for (record, near) in class.iter().zip(neighbors(&columns, near)) {
            alike[*record as usize] = near.into_iter().map(|i| class[i as usize]).collect();
        }
    }
    alike
}
