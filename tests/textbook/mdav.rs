//! MDAV as the textbook tells it: plain scans, nothing shared with the library
//! but the definition of a centroid.

use unmask::protection::microaggregation::{ExactCentroid, TailRule};

/// Groups of at least `k` records; O(n²/k) distances.
pub fn mdav(columns: &[Vec<f64>], k: usize, tail: TailRule) -> Vec<Vec<u32>> {
    let mut rest: Vec<u32> = (0..columns[0].len() as u32).collect();
    let mut groups = Vec::new();
    let enough = if tail == TailRule::LastGroup { 3 * k } else { 2 * k };
    while rest.len() >= enough {
        let xr = farthest(columns, &rest, &centroid(columns, &rest));
        groups.push(group_round(columns, &mut rest, xr, k));
        let xs = farthest(columns, &rest, &point(columns, xr));
        groups.push(group_round(columns, &mut rest, xs, k));
    }
    let one_more = if tail == TailRule::LastGroup { 2 * k } else { k };
    if rest.len() >= one_more {
        let xr = farthest(columns, &rest, &centroid(columns, &rest));
        groups.push(group_round(columns, &mut rest, xr, k));
    }
    if tail == TailRule::LastGroup {
        groups.extend((!rest.is_empty()).then_some(rest));
        return groups;
    }
    let centroids: Vec<Vec<f64>> = groups.iter().map(|g| centroid(columns, g)).collect();
    for record in rest {
        let to = |c: &Vec<f64>| distance(c, &point(columns, record));
        let mut nearest = 0;
        for g in 1..centroids.len() {
            if to(&centroids[g]) < to(&centroids[nearest]) {
                nearest = g;
            }
        }
        groups[nearest].push(record);
        groups[nearest].sort_unstable();
    }
    groups
}

fn point(columns: &[Vec<f64>], record: u32) -> Vec<f64> {
    columns.iter().map(|c| c[record as usize]).collect()
}

fn distance(a: &[f64], b: &[f64]) -> f64 {
    let mut sum = 0.0;
    for d in 0..a.len() {
        sum += (a[d] - b[d]) * (a[d] - b[d]);
    }
    sum
}

fn centroid(columns: &[Vec<f64>], records: &[u32]) -> Vec<f64> {
    let mut centroid = ExactCentroid::new(columns);
    for &record in records {
        centroid.add(point(columns, record).into_iter());
    }
    centroid.mean()
}

fn farthest(columns: &[Vec<f64>], records: &[u32], from: &[f64]) -> u32 {
    let mut best = (f64::NEG_INFINITY, 0);
    for &record in records {
        let d = distance(&point(columns, record), from);
        if d > best.0 {
            best = (d, record);
        }
    }
    best.1
}

/// Takes `center` and its k - 1 nearest out of `rest`.
fn group_round(columns: &[Vec<f64>], rest: &mut Vec<u32>, center: u32, k: usize) -> Vec<u32> {
    let from = point(columns, center);
    let mut by_distance: Vec<(f64, u32)> = rest
        .iter()
        .filter(|&&r| r != center)
        .map(|&r| (distance(&point(columns, r), &from), r))
        .collect();
    by_distance.sort_by(|a, b| a.partial_cmp(b).unwrap());
    let mut group = vec![center];
    group.extend(by_distance.iter().take(k - 1).map(|(_, r)| *r));
    group.sort_unstable();
    rest.retain(|r| !group.contains(r));
    group
}
