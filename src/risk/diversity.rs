//! How varied the sensitive values of one class are.
//!
//! A. Machanavajjhala, D. Kifer, J. Gehrke, M. Venkitasubramaniam, "l-diversity:
//! privacy beyond k-anonymity", ACM TKDD 1 (2007), doi:10.1145/1217299.1217302.

/// How often each value occurs in a sorted list, most frequent first.
pub(crate) fn frequencies(sorted: &[u32]) -> Vec<usize> {
    let mut counts: Vec<usize> = sorted.chunk_by(|a, b| a == b).map(<[u32]>::len).collect();
    counts.sort_unstable_by(|a, b| b.cmp(a));
    counts
}

/// exp of the entropy of the values: the l of entropy l-diversity.
pub(crate) fn entropy_l(frequencies: &[usize]) -> f64 {
    let total = frequencies.iter().sum::<usize>() as f64;
    let term = |&count: &usize| {
        let p = count as f64 / total;
        -p * p.ln()
    };
    frequencies.iter().map(term).sum::<f64>().exp()
}

/// The largest l of recursive (c, l)-diversity: the most frequent value occurs less
/// than c times as often as the l-th and all rarer ones together; at least 1.
pub(super) fn recursive_l(frequencies: &[usize], c: f64) -> usize {
    let most = frequencies[0] as f64;
    let mut tail = 0;
    for l in (2..=frequencies.len()).rev() {
        tail += frequencies[l - 1];
        if most < c * tail as f64 {
            return l;
        }
    }
    1
}
