//! Minimum set covers, all of them, by exact search.
//!
//! Every cover must cover the element that the fewest sets cover, so the search tries those
//! sets, one after the other, and with each of them goes on among the elements left; a set
//! that was tried is out of the question for those after it, so no cover is met twice. A
//! branch ends where the sets left to choose, each as large as the largest, are too few. The
//! size is the least for which the search finds a cover; for that it looks only at sets that
//! are part of no other.

use super::bits::Bits;
use std::collections::BTreeMap;

/// Elements `0..elements`, and for each set the elements it covers.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct SetCover {
    /// Number of elements to cover.
    pub elements: usize,
    /// The elements each set covers.
    pub sets: Vec<Vec<usize>>,
}

/// Every way to cover all elements with as few sets as possible.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct MinimumCovers {
    /// The covers, each a sorted list of sets, in lexicographic order; all of one size.
    pub covers: Vec<Vec<usize>>,
    /// False when there are more than were asked for.
    pub complete: bool,
}

impl SetCover {
    /// The elements that no set covers, ascending.
    pub fn uncovered(&self) -> Vec<usize> {
        let covered = |e: &usize| self.sets.iter().any(|set| set.contains(e));
        (0..self.elements).filter(|e| !covered(e)).collect()
    }

    /// All minimum covers, at most `most` of them; `None` when an element cannot be covered.
    ///
    /// Cost: exponential in the elements in the worst case; sets that cover the same elements
    /// are searched once.
    pub fn minimum_covers(&self, most: usize) -> Option<MinimumCovers> {
        if !self.uncovered().is_empty() {
            return None;
        }
        let (different, alike) = self.different_sets();
        let size = minimum_size(self.elements, &different);
        let most = most.max(1);
        let mut search = CoverSearch { sets: &different, most: most + 1, found: Vec::new() };
        search.run(self.elements, size);
        let mut covers = Vec::new();
        for cover in &search.found {
            let members: Vec<&[usize]> = cover.iter().map(|&j| alike[j].as_slice()).collect();
            selections(&members, most + 1, &mut Vec::new(), &mut covers);
        }
        let complete = covers.len() <= most;
        covers.truncate(most);
        covers.iter_mut().for_each(|cover| cover.sort_unstable());
        covers.sort();
        Some(MinimumCovers { covers, complete })
    }

    /// The different sets that cover anything, and for each the sets that are equal to it.
    fn different_sets(&self) -> (Vec<Bits>, Vec<Vec<usize>>) {
        let mut alike: BTreeMap<Bits, Vec<usize>> = BTreeMap::new();
        for (j, set) in self.sets.iter().enumerate().filter(|(_, set)| !set.is_empty()) {
            let mut bits = Bits::new(self.elements);
            set.iter().for_each(|&e| bits.set(e));
            alike.entry(bits).or_default().push(j);
        }
        alike.into_iter().unzip()
    }
}

/// The size of the smallest cover; `sets` must cover every element.
fn minimum_size(elements: usize, sets: &[Bits]) -> usize {
    let largest = sets.iter().map(Bits::count).max().unwrap_or(1) as usize;
    let sets = maximal(sets);
    let mut size = elements.div_ceil(largest);
    loop {
        let mut search = CoverSearch { sets: &sets, most: 1, found: Vec::new() };
        search.run(elements, size);
        if !search.found.is_empty() {
            return size;
        }
        size += 1;
    }
}

/// The sets that are part of no other; `sets` must be different.
fn maximal(sets: &[Bits]) -> Vec<Bits> {
    let mut by_size: Vec<&Bits> = sets.iter().collect();
    by_size.sort_by_key(|set| std::cmp::Reverse(set.count()));
    let mut kept: Vec<Bits> = Vec::new();
    for set in by_size {
        let mut larger = kept.iter().take_while(|other| other.count() > set.count());
        if larger.all(|other| set.common(other) < set.count()) {
            kept.push(set.clone());
        }
    }
    kept
}

/// Looks for covers of one size until `most` are found.
struct CoverSearch<'a> {
    sets: &'a [Bits],
    most: usize,
    found: Vec<Vec<usize>>,
}

impl CoverSearch<'_> {
    fn run(&mut self, elements: usize, size: usize) {
        let all: Vec<usize> = (0..self.sets.len()).collect();
        self.extend(&Bits::full(elements), &all, &mut Vec::new(), size);
    }

    /// Finds the covers of `chosen` and `left` more of the sets `allowed`; `open` are the
    /// elements that `chosen` leaves.
    fn extend(&mut self, open: &Bits, allowed: &[usize], chosen: &mut Vec<usize>, left: usize) {
        if open.is_empty() {
            // None of fewer sets exists: a smaller size would have been found before.
            self.found.push(chosen.clone());
            return;
        }
        let useful = |j: &usize| self.sets[*j].common(open) > 0;
        let allowed: Vec<usize> = allowed.iter().copied().filter(useful).collect();
        let largest = allowed.iter().map(|&j| self.sets[j].common(open)).max().unwrap_or(0);
        if left * (largest as usize) < open.count() as usize {
            return;
        }
        let (trying, mut others) = self.split_at_rarest(open, &allowed);
        for (i, &j) in trying.iter().enumerate() {
            let mut rest = open.clone();
            rest.remove(&self.sets[j]);
            chosen.push(j);
            // Those not tried yet may still be chosen for other elements.
            others.extend(&trying[i + 1..]);
            self.extend(&rest, &others, chosen, left - 1);
            others.truncate(others.len() - (trying.len() - i - 1));
            chosen.pop();
            if self.found.len() >= self.most {
                return;
            }
        }
    }

    /// The allowed sets that cover the open element that the fewest cover, and the others.
    fn split_at_rarest(&self, open: &Bits, allowed: &[usize]) -> (Vec<usize>, Vec<usize>) {
        let covering = |e: &usize| allowed.iter().filter(|&&j| self.sets[j].get(*e)).count();
        let rarest = open.iter().min_by_key(covering).unwrap_or(0);
        allowed.iter().partition(|&&j| self.sets[j].get(rarest))
    }
}

/// Adds to `into`, until it has `most`, every way to take one of each of `groups`.
fn selections(
    groups: &[&[usize]],
    most: usize,
    chosen: &mut Vec<usize>,
    into: &mut Vec<Vec<usize>>,
) {
    let Some((first, rest)) = groups.split_first() else {
        into.push(chosen.clone());
        return;
    };
    for &j in *first {
        if into.len() >= most {
            return;
        }
        chosen.push(j);
        selections(rest, most, chosen, into);
        chosen.pop();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// All minimum covers by trying every selection of sets.
    fn by_enumeration(problem: &SetCover) -> Option<Vec<Vec<usize>>> {
        let n = problem.sets.len();
        let covers = |selection: &Vec<usize>| {
            (0..problem.elements).all(|e| selection.iter().any(|&j| problem.sets[j].contains(&e)))
        };
        let selections = (0..1u32 << n).map(|bits| (0..n).filter(|j| bits >> j & 1 == 1).collect());
        let all: Vec<Vec<usize>> = selections.filter(covers).collect();
        let size = all.iter().map(Vec::len).min()?;
        let mut least: Vec<Vec<usize>> = all.into_iter().filter(|c| c.len() == size).collect();
        least.sort();
        Some(least)
    }

    fn problems() -> impl Strategy<Value = SetCover> {
        (1usize..7, 1usize..10).prop_flat_map(|(elements, sets)| {
            let set = proptest::collection::btree_set(0..elements, 0..=elements)
                .prop_map(|s| s.into_iter().collect::<Vec<usize>>());
            proptest::collection::vec(set, sets).prop_map(move |sets| SetCover { elements, sets })
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(300))]
        #[test]
        fn all_minimum_covers_are_found(problem in problems()) {
            let found = problem.minimum_covers(1000);
            let expected = by_enumeration(&problem);
            prop_assert_eq!(found.as_ref().map(|f| f.covers.clone()), expected);
            prop_assert!(found.is_none_or(|f| f.complete));
        }
    }

    #[test]
    fn a_list_cut_short_says_so() {
        let problem = SetCover { elements: 1, sets: vec![vec![0]; 5] };
        let found = problem.minimum_covers(3).unwrap();
        assert_eq!((found.covers.len(), found.complete), (3, false));
        let all = problem.minimum_covers(5).unwrap();
        assert_eq!((all.covers.len(), all.complete), (5, true));
    }

    #[test]
    fn an_element_that_no_set_covers_has_no_cover() {
        let problem = SetCover { elements: 2, sets: vec![vec![1], vec![1]] };
        assert_eq!(problem.minimum_covers(9), None);
        assert_eq!(problem.uncovered(), vec![0]);
    }

    #[test]
    fn nothing_to_cover_takes_no_set() {
        let problem = SetCover { elements: 0, sets: vec![vec![], vec![]] };
        let found = problem.minimum_covers(9).unwrap();
        assert_eq!((found.covers, found.complete), (vec![vec![]], true));
    }

    /// All sets of 6 of 16 elements, each often: a search that took no heed of equal sets, or
    /// of the largest, would not end.
    #[test]
    fn thousands_of_sets_are_searched_in_no_time() {
        let set = |bits: u32| (0..16).filter(|e| bits >> e & 1 == 1).collect::<Vec<usize>>();
        let sixes: Vec<Vec<usize>> =
            (0..1u32 << 16).filter(|bits| bits.count_ones() == 6).map(set).collect();
        let sets: Vec<Vec<usize>> = sixes.iter().chain(&sixes).cloned().collect();
        let found = SetCover { elements: 16, sets }.minimum_covers(100).unwrap();
        assert_eq!((found.covers.len(), found.complete), (100, false));
        assert!(found.covers.iter().all(|cover| cover.len() == 3));
    }
}
