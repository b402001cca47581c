//! Minimum set covers, all of them, as a 0-1 program through `good_lp` and HiGHS.

use crate::SolverError;
use good_lp::{
    Expression, ProblemVariables, Solution, SolutionStatus, SolverModel, Variable, constraint,
    solvers::highs::highs, variable,
};

const NAME: &str = "set-cover";

/// Elements `0..elements`, and for each set the elements it covers.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SetCover {
    /// Number of elements to cover.
    pub elements: usize,
    /// The elements each set covers.
    pub sets: Vec<Vec<usize>>,
}

/// Every way to cover all elements with as few sets as possible.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MinimumCovers {
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
    /// The first solution gives the size; further ones are found with that size fixed
    /// and every cover known so far cut off, until the program is infeasible. Costs one
    /// 0-1 program for each cover and one for the proof that there are no more.
    pub fn minimum_covers(&self, most: usize) -> Result<Option<MinimumCovers>, SolverError> {
        if !self.uncovered().is_empty() {
            return Ok(None);
        }
        let first = match self.elements {
            0 => Vec::new(),
            _ => self.solve(None, &[])?.ok_or_else(|| backend("infeasible"))?,
        };
        let size = first.len();
        let mut covers = vec![first];
        let mut complete = size == 0;
        while !complete && covers.len() < most {
            match self.solve(Some(size), &covers)? {
                Some(next) => covers.push(next),
                None => complete = true,
            }
        }
        let complete = complete || self.solve(Some(size), &covers)?.is_none();
        covers.sort();
        Ok(Some(MinimumCovers { covers, complete }))
    }

    /// A minimum cover other than `known`; of `size` sets when that is known already.
    fn solve(
        &self,
        size: Option<usize>,
        known: &[Vec<usize>],
    ) -> Result<Option<Vec<usize>>, SolverError> {
        let mut variables = ProblemVariables::new();
        let chosen = variables.add_vector(variable().binary(), self.sets.len());
        let number = || -> Expression { chosen.iter().sum() };
        let mut problem = variables.minimise(number()).using(highs);
        for element in 0..self.elements {
            let covering: Expression = self.covering(element, &chosen).into_iter().sum();
            problem.add_constraint(constraint!(covering >= 1));
        }
        if let Some(size) = size {
            problem.add_constraint(constraint!(number() == size as f64));
        }
        for cover in known {
            let again: Expression = cover.iter().map(|&j| chosen[j]).sum();
            problem.add_constraint(constraint!(again <= cover.len() as f64 - 1.0));
        }
        let problem = problem.set_option("mip_rel_gap", 0.0).set_option("mip_abs_gap", 1e-6);
        match problem.solve() {
            Ok(solution) if matches!(solution.status(), SolutionStatus::TimeLimit) => {
                Err(backend("stopped early"))
            }
            Ok(solution) => self.read(&solution, &chosen).map(Some),
            Err(good_lp::ResolutionError::Infeasible) => Ok(None),
            Err(error) => Err(backend(&error.to_string())),
        }
    }

    fn covering(&self, element: usize, chosen: &[Variable]) -> Vec<Variable> {
        let covers = |(set, _): &(&Vec<usize>, &Variable)| set.contains(&element);
        self.sets.iter().zip(chosen).filter(covers).map(|(_, v)| *v).collect()
    }

    /// The chosen sets, if they do cover everything.
    fn read(
        &self,
        solution: &impl Solution,
        chosen: &[Variable],
    ) -> Result<Vec<usize>, SolverError> {
        let cover: Vec<usize> =
            (0..chosen.len()).filter(|&j| solution.value(chosen[j]) > 0.5).collect();
        let covered = |e: usize| cover.iter().any(|&j| self.sets[j].contains(&e));
        match (0..self.elements).all(covered) {
            true => Ok(cover),
            false => Err(backend("the answer covers not every element")),
        }
    }
}

fn backend(reason: &str) -> SolverError {
    SolverError::Backend { solver: NAME, call: "solve".into(), reason: reason.into() }
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
        (1usize..6, 1usize..8).prop_flat_map(|(elements, sets)| {
            let set = proptest::collection::btree_set(0..elements, 0..=elements)
                .prop_map(|s| s.into_iter().collect::<Vec<usize>>());
            proptest::collection::vec(set, sets).prop_map(move |sets| SetCover { elements, sets })
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(60))]
        #[test]
        fn all_minimum_covers_are_found(problem in problems()) {
            let found = problem.minimum_covers(1000).unwrap();
            let expected = by_enumeration(&problem);
            prop_assert_eq!(found.as_ref().map(|f| f.covers.clone()), expected);
            prop_assert!(found.is_none_or(|f| f.complete));
        }
    }

    #[test]
    fn a_list_cut_short_says_so() {
        let problem = SetCover { elements: 1, sets: vec![vec![0]; 5] };
        let found = problem.minimum_covers(3).unwrap().unwrap();
        assert_eq!((found.covers.len(), found.complete), (3, false));
        let all = problem.minimum_covers(5).unwrap().unwrap();
        assert_eq!((all.covers.len(), all.complete), (5, true));
    }

    #[test]
    fn an_element_that_no_set_covers_has_no_cover() {
        let problem = SetCover { elements: 2, sets: vec![vec![1], vec![1]] };
        assert_eq!(problem.minimum_covers(9).unwrap(), None);
        assert_eq!(problem.uncovered(), vec![0]);
    }
}
