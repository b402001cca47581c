//! V-MDAV and l-diverse V-MDAV as the papers tell them: plain scans, nothing
//! shared with the library but the mean.

use unmask::protection::microaggregation::ExactCentroid;

/// What a column holds.
#[derive(Clone, Copy, PartialEq)]
#[allow(dead_code)]
pub enum Kind {
    Number,
    Ordinal,
    Nominal,
}

/// Records, and what was not grouped yet.
pub struct Textbook<'a> {
    columns: &'a [Vec<f64>],
    kinds: &'a [Kind],
    center: Vec<f64>,
    rest: Vec<u32>,
    groups: Vec<Vec<u32>>,
}

/// Groups of at least `k` records; O(n² k) distances.
pub fn v_mdav(columns: &[Vec<f64>], kinds: &[Kind], k: usize, gamma: f64) -> Vec<Vec<u32>> {
    let mut book = Textbook::new(columns, kinds);
    while book.rest.len() >= k {
        let mut group = vec![book.take_farthest()];
        while group.len() < k {
            let seed = group[0];
            let (_, record) = book.nearest(&[seed], |_| true).unwrap();
            book.take(record);
            group.push(record);
        }
        while group.len() < 2 * k - 1 && book.extend(&mut group, gamma, |_, _| true) {}
        book.groups.push(group);
    }
    for record in book.rest.clone() {
        let group = book.closest_group(record, |_| true).unwrap();
        // It stays in the rest: others do not see it in its group.
        book.groups[group].push(record);
    }
    book.finish()
}

impl<'a> Textbook<'a> {
    fn new(columns: &'a [Vec<f64>], kinds: &'a [Kind]) -> Self {
        let rest: Vec<u32> = (0..columns[0].len() as u32).collect();
        let mut centroid = ExactCentroid::new(columns);
        for &record in &rest {
            centroid.add(columns.iter().map(|c| c[record as usize]));
        }
        let mut center = centroid.mean();
        for ((value, column), kind) in center.iter_mut().zip(columns).zip(kinds) {
            let mut sorted = column.clone();
            sorted.sort_by(f64::total_cmp);
            let runs = || sorted.chunk_by(|a, b| a == b);
            let most = runs().map(<[f64]>::len).max().unwrap();
            *value = match kind {
                Kind::Number => *value,
                Kind::Ordinal => sorted[(sorted.len() - 1) / 2],
                Kind::Nominal => runs().find(|run| run.len() == most).unwrap()[0],
            };
        }
        Self { columns, kinds, center, rest, groups: Vec::new() }
    }

    fn distance(&self, a: u32, b: u32) -> f64 {
        let point: Vec<f64> = self.columns.iter().map(|c| c[b as usize]).collect();
        self.squared(a, &point).sqrt()
    }

    fn squared(&self, record: u32, point: &[f64]) -> f64 {
        let mut sum = 0.0;
        for ((column, y), kind) in self.columns.iter().zip(point).zip(self.kinds) {
            let x = column[record as usize];
            sum += match kind {
                Kind::Number => (x - y).powi(2),
                Kind::Ordinal => (x - y).abs(),
                Kind::Nominal => f64::from(u8::from(x != *y)),
            };
        }
        sum
    }

    fn take(&mut self, record: u32) {
        self.rest.retain(|&r| r != record);
    }

    fn take_farthest(&mut self) -> u32 {
        let mut best = (f64::NEG_INFINITY, 0);
        for &record in &self.rest {
            let distance = self.squared(record, &self.center);
            if distance > best.0 {
                best = (distance, record);
            }
        }
        self.take(best.1);
        best.1
    }

    /// The record of the rest, of those that `may` allows, nearest to any of `group`.
    fn nearest(&self, group: &[u32], may: impl Fn(u32) -> bool) -> Option<(f64, u32)> {
        let mut best: Option<(f64, u32)> = None;
        for &record in self.rest.iter().filter(|r| may(**r)) {
            for &member in group {
                let found = (self.distance(member, record), record);
                if best.is_none_or(|b| found < b) {
                    best = Some(found);
                }
            }
        }
        best
    }

    /// Equation (13): adds one record to the group, if one passes.
    fn extend(
        &mut self,
        group: &mut Vec<u32>,
        gamma: f64,
        may: impl Fn(&[u32], u32) -> bool,
    ) -> bool {
        let Some((d_in, record)) = self.nearest(group, |r| may(group, r)) else { return false };
        let d_out = self.nearest(&[record], |r| r != record).map_or(f64::INFINITY, |n| n.0);
        if gamma == 0.0 || d_in >= gamma * d_out {
            return false;
        }
        self.take(record);
        group.push(record);
        true
    }

    /// The group, of those that `may` allows, with the record nearest to `record`.
    fn closest_group(&self, record: u32, may: impl Fn(usize) -> bool) -> Option<usize> {
        let mut best: Option<(f64, u32, usize)> = None;
        for (number, group) in self.groups.iter().enumerate().filter(|(g, _)| may(*g)) {
            for &member in group.iter().filter(|m| !self.rest.contains(m)) {
                let found = (self.distance(member, record), member, number);
                if best.is_none_or(|b| found < b) {
                    best = Some(found);
                }
            }
        }
        best.map(|b| b.2)
    }

    fn finish(mut self) -> Vec<Vec<u32>> {
        self.groups.iter_mut().for_each(|g| g.sort_unstable());
        self.groups
    }
}

/// What every group must have.
pub struct Rule<'a> {
    pub l: f64,
    pub k: usize,
    pub entropy: bool,
    /// Levels of each record, sensitive attribute by sensitive attribute.
    pub levels: &'a [Vec<u32>],
}

const ROUNDING: f64 = 1e-9;

impl Rule<'_> {
    /// The diversity degree of `group` on each sensitive attribute, by the definition.
    pub fn degrees(&self, group: &[u32]) -> Vec<f64> {
        let degree = |levels: &Vec<u32>| {
            let mut seen: Vec<u32> = group.iter().map(|&r| levels[r as usize]).collect();
            seen.sort_unstable();
            let shares: Vec<f64> = seen
                .chunk_by(|a, b| a == b)
                .map(|run| run.len() as f64 / group.len() as f64)
                .collect();
            match self.entropy {
                true => (-shares.iter().map(|p| p * p.ln()).sum::<f64>()).exp(),
                false => shares.len() as f64,
            }
        };
        self.levels.iter().map(degree).collect()
    }

    pub fn is_diverse(&self, group: &[u32]) -> bool {
        self.degrees(group).iter().all(|d| *d >= self.l - ROUNDING)
    }

    fn capped(&self, group: &[u32]) -> f64 {
        self.degrees(group).iter().map(|d| d.min(self.l)).sum()
    }

    fn lowers_none(&self, group: &[u32], record: u32) -> bool {
        let after = self.degrees(&with(group, record));
        after.iter().zip(self.degrees(group)).all(|(after, now)| *after >= now - ROUNDING)
    }

    fn wants(&self, group: &[u32], record: u32) -> bool {
        match self.is_diverse(group) {
            true => self.is_diverse(&with(group, record)),
            false => self.capped(&with(group, record)) > self.capped(group) + ROUNDING,
        }
    }
}

fn with(group: &[u32], record: u32) -> Vec<u32> {
    let mut larger = group.to_vec();
    larger.push(record);
    larger
}

/// Groups that keep `rule`, which the whole file keeps; O(n³).
pub fn l_diverse_v_mdav(columns: &[Vec<f64>], rule: &Rule<'_>, gamma: f64) -> Vec<Vec<u32>> {
    let kinds = vec![Kind::Number; columns.len()];
    let mut book = Textbook::new(columns, &kinds);
    while book.rest.len() >= rule.k && rule.is_diverse(&book.rest) {
        let mut group = vec![book.take_farthest()];
        while group.len() < rule.k || !rule.is_diverse(&group) {
            let seed = [group[0]];
            let wanted = book.nearest(&seed, |r| rule.wants(&group, r));
            let (_, record) = wanted.or_else(|| book.nearest(&seed, |_| true)).unwrap();
            book.take(record);
            group.push(record);
        }
        let lowers_none = |group: &[u32], record| rule.lowers_none(group, record);
        while group.len() < 2 * rule.k - 1 && book.extend(&mut group, gamma, lowers_none) {}
        book.groups.push(group);
    }
    for record in book.rest.clone() {
        let stays = |g: usize| rule.is_diverse(&with(&book.groups[g], record));
        let group = book.closest_group(record, stays);
        let group = group.or_else(|| book.closest_group(record, |_| true)).unwrap();
        book.groups[group].push(record);
        while !rule.is_diverse(&book.groups[group]) {
            // One group is left: it is diverse when the last record has joined.
            let Some(other) = book.closest_group(record, |g| g != group) else { break };
            let moved = std::mem::take(&mut book.groups[other]);
            book.groups[group].extend(moved);
        }
    }
    book.groups.retain(|group| !group.is_empty());
    book.finish()
}
