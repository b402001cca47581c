//! For each original record the released ones that it may have become, with their likelihoods.

use crate::error::{Error, Result};
use crate::listener::Listener;
use crate::protection::Likelihood;
use rayon::prelude::*;

/// What is so many times less likely than a record's likeliest candidate is none: e^30.
const WORTH: f64 = 30.0;

/// Candidates kept of all records together, of 12 bytes each and 16 more while they are shared out.
const MOST: usize = 20_000_000;

/// The fewest candidates kept of a record, its likeliest ones.
const FEWEST: usize = 64;

/// Candidates of each original; their likelihoods are shares of the likeliest one's.
pub(super) struct Candidates {
    starts: Vec<usize>,
    records: Vec<u32>,
    likelihoods: Vec<f64>,
    released: usize,
}

impl Candidates {
    /// Those by the sum of `parts`. Cost: one likelihood for each pair.
    pub fn of(
        parts: &[Box<dyn Likelihood>],
        originals: usize,
        released: usize,
        listener: &dyn Listener,
    ) -> Result<Self> {
        let most = (MOST / originals.max(1)).max(FEWEST);
        let rows: Vec<Vec<(u32, f64)>> = (0..originals)
            .into_par_iter()
            .map_init(
                || vec![0.0; released],
                |costs, i| {
                    if listener.interrupted() {
                        return Err(Error::Interrupted);
                    }
                    costs.fill(0.0);
                    parts.iter().for_each(|part| part.add_costs(i, costs));
                    listener.advance(1, originals as u64);
                    Ok(likeliest(costs, most))
                },
            )
            .collect::<Result<_>>()?;
        let mut starts = vec![0];
        let count = rows.iter().map(Vec::len).sum();
        let (mut records, mut likelihoods) = (Vec::with_capacity(count), Vec::with_capacity(count));
        for row in rows {
            records.extend(row.iter().map(|(j, _)| *j));
            likelihoods.extend(row.iter().map(|(_, likelihood)| *likelihood));
            starts.push(records.len());
        }
        Ok(Self { starts, records, likelihoods, released })
    }

    /// Number of originals.
    pub fn originals(&self) -> usize {
        self.starts.len() - 1
    }

    /// Number of released records.
    pub fn released(&self) -> usize {
        self.released
    }

    /// The candidates of original `i`, ascending, with their likelihoods.
    pub fn row(&self, i: usize) -> impl Iterator<Item = (u32, f64)> + '_ {
        let range = self.starts[i]..self.starts[i + 1];
        range.map(|place| (self.records[place], self.likelihoods[place]))
    }

    /// For each released record the originals that it is a candidate of, ascending.
    pub fn columns(&self) -> Vec<Vec<(u32, f64)>> {
        let mut columns = vec![Vec::new(); self.released];
        for i in 0..self.originals() {
            self.row(i)
                .for_each(|(j, likelihood)| columns[j as usize].push((i as u32, likelihood)));
        }
        columns
    }
}

/// The likeliest candidates, equally likely ones together: all that are worth it, or about `most`.
fn likeliest(costs: &[f64], most: usize) -> Vec<(u32, f64)> {
    let least = costs.iter().copied().fold(f64::INFINITY, f64::min);
    if least == f64::INFINITY {
        return Vec::new();
    }
    let mut limit = least + WORTH;
    let mut worth: Vec<f64> = costs.iter().copied().filter(|cost| *cost <= limit).collect();
    if worth.len() > most {
        let (_, last, _) = worth.select_nth_unstable_by(most - 1, f64::total_cmp);
        limit = *last;
    }
    let kept = (0u32..).zip(costs).filter(|(_, cost)| **cost <= limit);
    kept.map(|(j, cost)| (j, (least - cost).exp())).collect()
}
