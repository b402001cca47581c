//! The largest family of items in which no small set is forbidden.
//!
//! With forbidden pairs alone this is the maximum clique. Larger forbidden sets
//! make it a hypergraph problem whose linear relaxation is of little use (every
//! item at `(w-1)/w`), so that a search with colorings is used instead: inside a
//! branch, forbidden sets that hold chosen items become forbidden pairs of the
//! others, and the coloring bound tightens with every choice.

use super::bits::Bits;
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;

/// Which small sets of items may stand together.
///
/// A family is allowed when every subset of at most [`FamilyRule::width`] of its
/// items is.
pub(super) trait FamilyRule {
    /// Number of items.
    fn items(&self) -> usize;

    /// Size of the largest sets that [`FamilyRule::allowed`] is asked about, at least 1.
    fn width(&self) -> usize;

    /// True when the items of `set`, distinct and in any order, may stand together;
    /// its proper subsets are asked about separately.
    fn allowed(&self, set: &[usize]) -> bool;
}

/// A family, and what is proven about all others.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct LargestFamily {
    /// The items, ascending.
    pub members: Vec<usize>,
    /// No allowed family has more items.
    pub bound: usize,
    /// How often the rule was asked.
    pub checks: u64,
}

/// Random greedy families tried before the search.
const STARTS: u64 = 60;

/// Chosen items beyond which a branch is left open: bounds memory and the depth of calls.
const MOST_CHOSEN: usize = 128;

/// The largest allowed family.
///
/// After `most_checks` questions to the rule the search stops with the best family
/// found and a proven bound; counted in questions and not in seconds, so that the
/// answer is the same on every machine. Exponential in the worst case.
pub(super) fn largest_family(rule: &dyn FamilyRule, most_checks: u64) -> LargestFamily {
    let mut search = FamilySearch { rule, best: Vec::new(), checks: 0, most_checks, cut: false };
    let items: Vec<usize> = (0..rule.items()).filter(|&i| search.ask(&[i])).collect();
    search.greedy(&items, 0);
    let pairs = (items.len() as u64).pow(2) / 2;
    let bound = match search.best.len() == items.len() || search.checks + pairs > most_checks {
        true => items.len(),
        false => {
            let graph = search.pair_graph(&items);
            search.root(&graph)
        }
    };
    let mut members = search.best;
    members.sort_unstable();
    LargestFamily { bound: bound.max(members.len()), members, checks: search.checks }
}

/// Items that may still be added to the chosen ones, and which two of them together.
struct PairGraph {
    items: Vec<usize>,
    /// Row `a` holds a bit for each position `b` that may stand beside `a`.
    rows: Vec<Bits>,
}

struct FamilySearch<'a> {
    rule: &'a dyn FamilyRule,
    best: Vec<usize>,
    checks: u64,
    most_checks: u64,
    /// True once a branch was left open for its depth.
    cut: bool,
}

impl FamilySearch<'_> {
    fn ask(&mut self, set: &[usize]) -> bool {
        self.checks += 1;
        self.rule.allowed(set)
    }

    fn exhausted(&self) -> bool {
        self.checks >= self.most_checks
    }

    fn keep(&mut self, chosen: &[usize]) {
        if chosen.len() > self.best.len() {
            self.best = chosen.to_vec();
        }
    }

    /// Adds what can be added, in the order of the items or, from `start` 1, a random one.
    fn greedy(&mut self, items: &[usize], start: u64) {
        let mut order = items.to_vec();
        if start > 0 {
            order.shuffle(&mut ChaCha8Rng::seed_from_u64(start));
        }
        let mut chosen: Vec<usize> = Vec::new();
        for item in order {
            if self.exhausted() {
                break;
            }
            let most = self.rule.width() - 1;
            if self.allowed_with(&chosen, &[item], most) {
                chosen.push(item);
            }
        }
        self.keep(&chosen);
    }

    /// True when `with` and every choice of at most `most` of `chosen` may stand together.
    fn allowed_with(&mut self, chosen: &[usize], with: &[usize], most: usize) -> bool {
        if !self.ask(with) {
            return false;
        }
        most == 0
            || (0..chosen.len()).all(|i| {
                let larger: Vec<usize> = with.iter().copied().chain([chosen[i]]).collect();
                self.allowed_with(&chosen[..i], &larger, most - 1)
            })
    }

    /// The pairs that may stand together, items of high degree first: it colors better.
    fn pair_graph(&mut self, items: &[usize]) -> PairGraph {
        let pairs_matter = self.rule.width() >= 2;
        let graph = self.graph(items.to_vec(), &mut |search, a, b| {
            !pairs_matter || search.ask(&[items[a], items[b]])
        });
        let mut order: Vec<usize> = (0..items.len()).collect();
        order.sort_by_key(|&a| (std::cmp::Reverse(graph.rows[a].count()), a));
        graph.select(&order)
    }

    /// The graph of `items`; `together` is asked about every two positions.
    fn graph(
        &mut self,
        items: Vec<usize>,
        together: &mut dyn FnMut(&mut Self, usize, usize) -> bool,
    ) -> PairGraph {
        let mut rows = vec![Bits::new(items.len()); items.len()];
        for a in 0..items.len() {
            for b in 0..a {
                if together(self, a, b) {
                    rows[a].set(b);
                    rows[b].set(a);
                }
            }
        }
        PairGraph { items, rows }
    }

    /// Searches everything; returns the proven bound.
    fn root(&mut self, graph: &PairGraph) -> usize {
        let colored = graph.colored();
        let colors = colored.last().map_or(0, |c| c.1);
        let most = self.checks + (self.most_checks - self.checks.min(self.most_checks)) / 4;
        for start in 1..=STARTS {
            if self.best.len() < colors && self.checks < most {
                self.greedy(&graph.items, start);
            }
        }
        for (done, &(vertex, color)) in colored.iter().enumerate().rev() {
            if color <= self.best.len() {
                break;
            }
            let below = self.below(graph, &colored[..done], vertex, &[]);
            self.branch(&mut vec![graph.items[vertex]], &below);
            if self.exhausted() {
                return self.open_bound(graph, &colored[..=done]);
            }
        }
        match self.cut {
            true => colors,
            false => self.best.len(),
        }
    }

    /// Bound of the branches that were not finished: one item and a coloring of what
    /// may stand beside it, as far as another `most_checks` questions go.
    fn open_bound(&mut self, graph: &PairGraph, open: &[(usize, usize)]) -> usize {
        let mut bound = self.best.len();
        for (i, &(vertex, color)) in open.iter().enumerate().rev() {
            if color <= bound || self.checks >= self.most_checks.saturating_mul(2) {
                return bound.max(color);
            }
            let below = self.below(graph, &open[..i], vertex, &[]);
            bound = bound.max(color.min(1 + below.colored().last().map_or(0, |c| c.1)));
        }
        bound
    }

    /// What may be added beside `chosen` and `vertex`, among `earlier`.
    fn below(
        &mut self,
        graph: &PairGraph,
        earlier: &[(usize, usize)],
        vertex: usize,
        chosen: &[usize],
    ) -> PairGraph {
        let beside = &graph.rows[vertex];
        let mut kept: Vec<usize> = earlier.iter().map(|c| c.0).filter(|&w| beside.get(w)).collect();
        kept.sort_unstable();
        let below = graph.select(&kept);
        let width = self.rule.width();
        if width < 3 {
            return below;
        }
        let item = graph.items[vertex];
        let PairGraph { items, rows } = below;
        self.graph(items.clone(), &mut |search, a, b| {
            rows[a].get(b) && search.allowed_with(chosen, &[items[a], items[b], item], width - 3)
        })
    }

    /// Searches the families that hold `chosen` and items of `graph`.
    fn branch(&mut self, chosen: &mut Vec<usize>, graph: &PairGraph) {
        self.keep(chosen);
        if chosen.len() == MOST_CHOSEN {
            self.cut |= !graph.items.is_empty();
            return;
        }
        let colored = graph.colored();
        for (done, &(vertex, color)) in colored.iter().enumerate().rev() {
            if chosen.len() + color <= self.best.len() || self.exhausted() {
                return;
            }
            let below = self.below(graph, &colored[..done], vertex, chosen);
            chosen.push(graph.items[vertex]);
            self.branch(chosen, &below);
            chosen.pop();
        }
    }
}

impl PairGraph {
    /// The subgraph of the positions `kept`, in that order.
    fn select(&self, kept: &[usize]) -> Self {
        let row = |&a: &usize| {
            let mut bits = Bits::new(kept.len());
            kept.iter()
                .enumerate()
                .filter(|(_, b)| self.rows[a].get(**b))
                .for_each(|(p, _)| bits.set(p));
            bits
        };
        Self {
            items: kept.iter().map(|&a| self.items[a]).collect(),
            rows: kept.iter().map(row).collect(),
        }
    }

    /// (position, color) by ascending color, from 1: positions of one color exclude
    /// each other, so that no family among the first entries is larger than their color.
    fn colored(&self) -> Vec<(usize, usize)> {
        let mut open = Bits::full(self.items.len());
        let mut colored = Vec::with_capacity(self.items.len());
        for color in 1.. {
            let mut free = open.clone();
            if free.first().is_none() {
                break;
            }
            while let Some(vertex) = free.first() {
                free.clear(vertex);
                open.clear(vertex);
                free.remove(&self.rows[vertex]);
                colored.push((vertex, color));
            }
        }
        colored
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    /// Items with a list of forbidden sets.
    #[derive(Debug)]
    struct Forbidden {
        items: usize,
        width: usize,
        sets: BTreeSet<BTreeSet<usize>>,
    }

    impl FamilyRule for Forbidden {
        fn items(&self) -> usize {
            self.items
        }

        fn width(&self) -> usize {
            self.width
        }

        fn allowed(&self, set: &[usize]) -> bool {
            !self.sets.contains(&set.iter().copied().collect::<BTreeSet<usize>>())
        }
    }

    impl Forbidden {
        fn holds(&self, family: &BTreeSet<usize>) -> bool {
            self.sets.iter().all(|set| !set.is_subset(family))
        }

        fn by_enumeration(&self) -> usize {
            let family = |bits: u32| (0..self.items).filter(|i| bits >> i & 1 == 1).collect();
            let allowed = (0..1u32 << self.items).map(family).filter(|f| self.holds(f));
            allowed.map(|f| f.len()).max().unwrap_or(0)
        }
    }

    fn rules() -> impl Strategy<Value = Forbidden> {
        (1usize..10, 1usize..5).prop_flat_map(|(items, width)| {
            let set = proptest::collection::btree_set(0..items, 1..=width);
            proptest::collection::btree_set(set, 0..25).prop_map(move |sets| Forbidden {
                items,
                width,
                sets,
            })
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(150))]
        #[test]
        fn the_family_found_is_allowed_and_none_is_larger(rule in rules()) {
            let found = largest_family(&rule, u64::MAX);
            prop_assert!(rule.holds(&found.members.iter().copied().collect()));
            prop_assert_eq!(found.bound, found.members.len());
            prop_assert_eq!(found.bound, rule.by_enumeration());
        }

        #[test]
        fn a_search_cut_short_gives_a_true_interval(rule in rules(), most in 0u64..200) {
            let found = largest_family(&rule, most);
            prop_assert!(rule.holds(&found.members.iter().copied().collect()));
            let largest = rule.by_enumeration();
            prop_assert!(found.members.len() <= largest && largest <= found.bound);
        }
    }

    #[test]
    fn hundreds_of_items_that_nearly_all_fit_need_no_search() {
        let sets = BTreeSet::from([BTreeSet::from([3, 4])]);
        let rule = Forbidden { items: 400, width: 2, sets };
        let found = largest_family(&rule, 100_000_000);
        assert_eq!((found.members.len(), found.bound), (399, 399));
    }
}
