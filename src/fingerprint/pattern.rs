//! Patterns: a level for each quasi-identifier, 0 being the finest.

/// The level of each quasi-identifier.
pub type GeneralizationPattern = Vec<usize>;

/// What a coalition knows when it puts its files together: the finest level of each
/// quasi-identifier. The records of two files can be matched row by row, so nothing less
/// should be assumed of them.
pub fn finest<'a>(
    patterns: impl IntoIterator<Item = &'a GeneralizationPattern>,
) -> GeneralizationPattern {
    let mut patterns = patterns.into_iter();
    let first = patterns.next().cloned().unwrap_or_default();
    patterns.fold(first, |mut finest, pattern| {
        finest.iter_mut().zip(pattern).for_each(|(a, b)| *a = (*a).min(*b));
        finest
    })
}

/// True when who has a file of `fine` can make one of `coarse`: no level is higher.
pub fn is_below(fine: &[usize], coarse: &[usize]) -> bool {
    fine.iter().zip(coarse).all(|(a, b)| a <= b)
}

/// The least general pattern above both.
pub fn above_both(a: &[usize], b: &[usize]) -> GeneralizationPattern {
    a.iter().zip(b).map(|(a, b)| *a.max(b)).collect()
}
