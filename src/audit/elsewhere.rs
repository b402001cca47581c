//! Records whose released values are found, a little changed, in another row: protected rows that
//! were moved.

use super::examination::{if_wanted, split_constant};
use crate::distance::{AttributeDistances, Standardization};
use crate::error::Result;
use crate::linkage::Release;
use crate::listener::Listener;
use crate::random::generator;
use rand::seq::index;
use rayon::prelude::*;
use serde::Serialize;

/// Records that are looked for, at most; fewer where the files are large, at least [`FEWEST`].
const DRAWN: usize = 2_000;
const FEWEST: usize = 64;
/// Distances on an attribute that are computed where more than [`FEWEST`] records are drawn.
const WORK: usize = 20_000_000;
/// Fewer rows than this may be chance.
const FEW: usize = 20;
/// Distances that are tried as what protection changes.
const TRIED: usize = 24;

/// Records unlike all others whose own row is far, and those of them that some other row is near to.
///
/// For a distance t these are the records with no other person within 2t, whose own row is farther
/// than 2t, and farther than t on two attributes. *Elsewhere* are those of them that one foreign row
/// lies within t of, and no other foreign row within 2t. Rows that were protected by about t and then
/// moved are all found so. Where rows stand with their own people, a foreign row is there by chance
/// alone; however many rows lie about there, that exactly one is within t and none else
/// within 2t has a chance of at most 1/e (for points on a lattice; 1/(2e) and less elsewhere). So rows
/// are doubted from half of the records on. Two attributes at least, since an attribute that is
/// swapped by itself holds the values of others by design. Of the distances tried the one that shows
/// most counts.
///
/// [`super::Misplaced`] asks the same of values that were not changed at all, of every record.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize)]
pub struct Elsewhere {
    /// Records drawn.
    pub records: usize,
    /// The distance t, in standard deviations of the original.
    pub within: f64,
    /// Records unlike all others whose own row is far.
    pub far: usize,
    /// Those of them whose values are elsewhere.
    pub elsewhere: usize,
}

impl Elsewhere {
    /// Looks for records of `release` on those of `attributes` that vary in the original; what is
    /// drawn depends on `seed` alone. Nothing is found on fewer than two attributes.
    ///
    /// Cost: 2,000 records, fewer of large files, with every row of both files.
    pub fn among(
        release: &Release,
        attributes: &[String],
        seed: u64,
        listener: &dyn Listener,
    ) -> Result<Self> {
        let (names, _) = split_constant(release.original(), attributes.to_vec())?;
        let original = release.original();
        let people = AttributeDistances::new(original, original, &names, Standardization::Original);
        let rows = release.distances(&names, Standardization::Original);
        let (true, Ok(people), Ok(rows)) = (names.len() >= 2, people, rows) else {
            return Ok(Self::default());
        };
        let records = original.records();
        let affordable = WORK / (2 * names.len() * release.released().records().max(1));
        let drawn = records.min(DRAWN.min(affordable.max(FEWEST)));
        let mut places = index::sample(&mut generator(seed, 2), records, drawn).into_vec();
        places.sort_unstable();
        let seen = |&i: &usize| {
            let own = release.own()[i] as usize;
            if_wanted(listener, || Ok(Surroundings::of(i, own, &people, &rows)))
        };
        let seen: Vec<Surroundings> = places.par_iter().map(seen).collect::<Result<_>>()?;
        Ok(Self::clearest(&seen))
    }

    /// Of the distances at which rows are nearest to records, the one that shows most.
    fn clearest(seen: &[Surroundings]) -> Self {
        let mut nearest: Vec<f64> = seen.iter().map(|s| s.foreign[0]).collect();
        nearest.sort_by(f64::total_cmp);
        let tried = (0..TRIED.min(nearest.len())).map(|place| {
            let within = nearest[(2 * place + 1) * nearest.len() / (2 * TRIED.min(nearest.len()))];
            Self::at(within, seen)
        });
        let clarity = |found: &Self| (found.is_doubtful(), found.elsewhere);
        tried.max_by_key(clarity).unwrap_or_default()
    }

    fn at(within: f64, seen: &[Surroundings]) -> Self {
        let far = || seen.iter().filter(|record| record.is_far(within));
        let elsewhere = far().filter(|record| record.is_elsewhere(within)).count();
        Self { records: seen.len(), within, far: far().count(), elsewhere }
    }

    /// True when more than half of the far records are elsewhere.
    pub fn is_doubtful(&self) -> bool {
        self.elsewhere >= FEW && 2 * self.elsewhere > self.far
    }

    /// What that says.
    pub(super) fn sentence(&self) -> String {
        format!(
            "Of {} records drawn, {} are unlike all others and far from their own row; next to {} of \
             these lies one row of another: rows seem to have been moved.",
            self.records, self.far, self.elsewhere
        )
    }
}

/// What is near a record, in distances.
struct Surroundings {
    /// The nearest other person.
    person: f64,
    /// The record's own row, and how far that is on the attribute on which it is second farthest.
    own: [f64; 2],
    /// The nearest and the second nearest foreign row.
    foreign: [f64; 2],
}

impl Surroundings {
    fn of(i: usize, own: usize, people: &AttributeDistances, rows: &AttributeDistances) -> Self {
        let others = (0..people.records()[1]).filter(|j| *j != i);
        let nearer = |least: f64, j| least.min(people.sum_up_to(least, i, j));
        let person = others.fold(f64::INFINITY, nearer);
        let mut foreign = [f64::INFINITY; 2];
        for j in (0..rows.records()[1]).filter(|j| *j != own) {
            let distance = rows.sum_up_to(foreign[1], i, j);
            if distance < foreign[0] {
                foreign = [distance, foreign[0]];
            } else if distance < foreign[1] {
                foreign[1] = distance;
            }
        }
        let mut vector = vec![0.0; rows.len()];
        rows.vector(i, own, &mut vector);
        vector.sort_by(f64::total_cmp);
        let (whole, second) = (vector.iter().sum::<f64>(), vector[vector.len().saturating_sub(2)]);
        Self {
            person: person.sqrt(),
            own: [whole, second].map(f64::sqrt),
            foreign: foreign.map(f64::sqrt),
        }
    }

    fn is_far(&self, within: f64) -> bool {
        self.person > 2.0 * within && self.own[0] > 2.0 * within && self.own[1] > within
    }

    fn is_elsewhere(&self, within: f64) -> bool {
        self.foreign[0] <= within && self.foreign[1] > 2.0 * within
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dataset::{Dataset, ReadOptions};
    use crate::protection::{Noise, ProtectionMethod, RankSwapping};
    use rand::seq::SliceRandom;

    fn census() -> Dataset {
        Dataset::load("census", &ReadOptions::default()).unwrap()
    }

    fn among(original: &Dataset, released: Dataset, attributes: &[String]) -> Elsewhere {
        let release = Release::by_row(original.clone(), released).unwrap();
        Elsewhere::among(&release, attributes, 1, &()).unwrap()
    }

    /// `file` with `moved` of its rows shuffled over the whole file.
    fn mixed(file: &Dataset, moved: usize, seed: u64) -> Dataset {
        let mut random = generator(seed, 7);
        let places = index::sample(&mut random, file.records(), moved).into_vec();
        let mut to = places.clone();
        to.shuffle(&mut random);
        let mut rows: Vec<usize> = (0..file.records()).collect();
        places.iter().zip(to).for_each(|(&place, row)| rows[place] = row);
        file.select(&rows).unwrap()
    }

    #[test]
    fn rows_moved_after_light_noise_are_found_elsewhere() {
        let census = census();
        for (many, p, moved) in
            [(13, 1.0, 100), (13, 5.0, 300), (13, 10.0, 950), (4, 2.0, 300), (4, 5.0, 950)]
        {
            let attributes = &census.names()[..many];
            let noisy = Noise::new(p).protect(&census, attributes, 1, &()).unwrap().released;
            let found = among(&census, mixed(&noisy, moved, 1), attributes);
            assert!(found.is_doubtful(), "{many}, {p}, {moved}: {found:?}");
        }
    }

    #[test]
    fn rows_with_their_own_people_are_not_doubted_however_strong_the_noise() {
        let census = census();
        for many in [13, 2] {
            let attributes = &census.names()[..many];
            for p in [1.0, 5.0, 20.0, 50.0, 100.0, 320.0] {
                let noisy = Noise::new(p).protect(&census, attributes, 1, &()).unwrap().released;
                let found = among(&census, noisy, attributes);
                assert!(2 * found.elsewhere <= found.far.max(FEW), "{p}: {found:?}");
            }
        }
    }

    #[test]
    fn a_swapped_attribute_holds_the_values_of_others_by_design() {
        let census = census();
        for many in [1, 2] {
            let attributes = &census.names()[..many];
            let swapped = RankSwapping::new(30.0).protect(&census, attributes, 1, &()).unwrap();
            let found = among(&census, swapped.released, &census.names());
            assert!(!found.is_doubtful(), "{attributes:?}: {found:?}");
        }
    }
}
