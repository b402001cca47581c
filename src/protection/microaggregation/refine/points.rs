//! Records as rows of numbers, and the records near each.

use super::super::cloud::Cloud;
use crate::distance::{LANES, lane_distance};

/// The records, row by row, each row filled up with zeros to whole vectors.
pub(super) struct Points {
    values: Vec<f64>,
    width: usize,
    neighbours: Vec<u32>,
    near: usize,
}

impl Points {
    /// The records of `columns`, each with its `near` nearest (fewer where there are not so many).
    ///
    /// O(n near) memory; the neighbours come from a box tree.
    pub fn new(columns: &[Vec<f64>], near: usize) -> Self {
        let records = columns[0].len();
        let width = columns.len().next_multiple_of(LANES);
        let mut values = vec![0.0; records * width];
        for (j, column) in columns.iter().enumerate() {
            column.iter().enumerate().for_each(|(i, v)| values[i * width + j] = *v);
        }
        let near = near.min(records - 1);
        let neighbours = neighbours(columns, near);
        Self { values, width, neighbours, near }
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
    pub fn neighbours(&self, record: u32) -> &[u32] {
        &self.neighbours[record as usize * self.near..][..self.near]
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

    /// Sum of squared errors of a group of `members`.
    pub fn error(&self, members: &[u32]) -> f64 {
        self.sum_up(members, &mut vec![0.0; self.width])
    }
}

fn neighbours(columns: &[Vec<f64>], near: usize) -> Vec<u32> {
    let points = crate::distance::Points::numeric(columns.to_vec());
    let cloud = Cloud::new(&points);
    let of = |record: u32| {
        let query = points.point(record);
        let found = cloud.nearest(&query, near + 1).into_iter().map(|n| n.record);
        // Among many equal records the record itself may be missing.
        found.filter(move |&other| other != record).take(near).collect::<Vec<u32>>()
    };
    (0..columns[0].len() as u32).flat_map(of).collect()
}
