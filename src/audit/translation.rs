//! Released values that stand for original ones in a way that no attacker was told: turned round,
//! under other codes, a thousand times smaller, or in cells that hold others.
//!
//! Distances then tell nothing, and a release that gives everybody away looks safe. What is found
//! is refused: the values can be translated back before the audit.

use super::Coverage;
use crate::dataset::{Dataset, Values};
use crate::distance::Standardization;
use crate::error::{Error, Result};
use crate::linkage::Release;
use crate::random::generator;
use crate::words::isolated;
use rand::seq::index;
use std::collections::HashMap;

/// Pairs that are looked at, drawn at random where there are more.
const MOST_PAIRS: usize = 20_000;
/// Of fewer nothing is told.
const FEWEST_PAIRS: usize = 50;
/// From this rank correlation down values run the other way round...
const REVERSED: f64 = -0.3;
/// ...where it is by so many standard deviations of chance below 0.
const DEVIATIONS: f64 = 6.0;
/// Codes stand for codes where each original value occurs so often on average...
const OCCURRENCES: usize = 5;
/// ...and all but this share of what varies in the release follows from it...
const UNEXPLAINED: f64 = 0.1;
/// ...and so much more of it is not what it was before...
const MORE: f64 = 3.0;
/// ...at least so much varying beside the most frequent value.
const LEAST_VARYING: f64 = 0.05;
/// Numbers whose codes rise with them as clearly as this are taken for what they are.
const RISING: f64 = 0.9;
/// Cells hold others where own pairs are not nearer than this share of a random pair's distance...
const NOT_NEARER: f64 = 0.5;
/// ...and fewer than this share hold their own.
const FEW_HELD: f64 = 0.5;
/// Numbers lost a separator where at least this share shrank or grew a thousand times, and others
/// did not.
const THOUSANDS: f64 = 0.05;

/// How the released values of a column stand for others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Translation {
    /// The greatest are the smallest.
    Reversed,
    /// Each code stands for another.
    Recoded,
    /// Some are a thousand times smaller or greater.
    Thousands,
    /// Intervals, sets or dates do not hold the values of their own people.
    OtherCells,
}

/// Fails on the first of `names` whose released values stand for others.
///
/// Claim: looks at own pairs alone, so that protection of any strength passes, and a column that
/// follows from the original's by a rule that distances cannot see does not. Cost: O(n log n) for
/// each column, of 20,000 pairs at most.
pub(super) fn refuse_translated(release: &Release, names: &[String], seed: u64) -> Result<()> {
    let release = release.whole();
    let pairs = Pairs::drawn(release, seed);
    for name in names {
        if let Some(translation) = pairs.translation(name)? {
            let place = format!("{}: column {}", release.released().name(), isolated(name));
            return Err(Error::input(place, translation.problem()));
        }
    }
    Ok(())
}

impl Translation {
    fn problem(self) -> String {
        let what = match self {
            Self::Reversed => {
                "its values run the other way round: the greatest stand for the smallest of the \
                 original. Turn them round"
            }
            Self::Recoded => {
                "its values follow from the original's, but are other ones: codes stand for other \
                 codes, or groups have the names of values. Translate them back, or say what they \
                 stand for with `hierarchies`"
            }
            Self::Thousands => {
                "some of its values are a thousand times those of the original, and others are as \
                 they were: a separator of thousands is read as a decimal one in one of the files. \
                 Say with `decimal` how numbers are written"
            }
            Self::OtherCells => {
                "its cells do not hold the values of their own people, nor near ones: they are read \
                 in another notation than they are written in. Say with `decimal` or `date_format` \
                 how values are written"
            }
        };
        format!(
            "{what}, or leave the column out of `attributes` and of the file: attackers who compare \
             values would be taken for blind"
        )
    }
}

/// Own pairs of a release: rows of the original and of the released file.
struct Pairs<'a> {
    release: &'a Release,
    rows: Vec<(usize, usize)>,
}

impl<'a> Pairs<'a> {
    fn drawn(release: &'a Release, seed: u64) -> Self {
        let own = release.own();
        let mut drawn: Vec<usize> = match own.len() <= MOST_PAIRS {
            true => (0..own.len()).collect(),
            false => index::sample(&mut generator(seed, 0), own.len(), MOST_PAIRS).into_vec(),
        };
        drawn.sort_unstable();
        let rows = drawn.into_iter().map(|i| (i, own[i] as usize)).collect();
        Self { release, rows }
    }

    fn translation(&self, name: &str) -> Result<Option<Translation>> {
        let [original, released] =
            [self.release.original(), self.release.released()].map(|file| file.values(name));
        let (original, released) = (original?, released?);
        if let (Values::Numeric(known), Values::Numeric(published)) = (original, released) {
            let both = |(i, j): &(usize, usize)| Some((known.get(*i)?, published.get(*j)?));
            let numbers: Vec<(f64, f64)> = self.rows.iter().filter_map(both).collect();
            if is_reversed(&numbers) {
                return Ok(Some(Translation::Reversed));
            }
            if !known.is_date() && lost_thousands(&numbers) {
                return Ok(Some(Translation::Thousands));
            }
            let other = numbers.iter().filter(|(x, y)| x != y).count();
            return Ok(is_recoded(&codes(&numbers), other).then_some(Translation::Recoded));
        }
        if let (Values::Numeric(_), Values::Categorical(_)) = (original, released) {
            return Ok(self.hold_others(name)?.then_some(Translation::OtherCells));
        }
        let texts = [original, released].map(text_codes);
        let both = |(i, j): &(usize, usize)| Some((texts[0][*i]?, texts[1][*j]?));
        let pairs: Vec<(u64, u64)> = self.rows.iter().filter_map(both).collect();
        let other = self.apart(name)?;
        Ok(is_recoded(&pairs, other).then_some(Translation::Recoded))
    }

    /// Pairs whose released cell is not what the person had, and does not hold it.
    fn apart(&self, name: &str) -> Result<usize> {
        let distances = self.release.distances(&[name], Standardization::Raw)?;
        let apart = |(i, j): &&(usize, usize)| distances.sum_up_to(0.0, *i, *j) > 0.0;
        Ok(self.rows.iter().filter(apart).count())
    }

    /// True where the cells of own pairs hold other values, about as far as those of random pairs.
    fn hold_others(&self, name: &str) -> Result<bool> {
        let distances = self.release.distances(&[name], Standardization::Raw)?;
        let apart = |i: usize, j: usize| distances.sum_up_to(f64::INFINITY, i, j);
        let mut own: Vec<f64> = self.rows.iter().map(|(i, j)| apart(*i, *j)).collect();
        let held = own.iter().filter(|d| **d == 0.0).count();
        if own.len() < FEWEST_PAIRS || held as f64 >= FEW_HELD * own.len() as f64 {
            return Ok(false);
        }
        let shifted = self.rows.iter().cycle().skip(self.rows.len() / 2);
        let mut random: Vec<f64> =
            self.rows.iter().zip(shifted).map(|((i, _), (_, j))| apart(*i, *j)).collect();
        // Of squares.
        Ok(median(&mut own) >= NOT_NEARER * NOT_NEARER * median(&mut random))
    }
}

fn median(values: &mut [f64]) -> f64 {
    let middle = values.len() / 2;
    *values.select_nth_unstable_by(middle, f64::total_cmp).1
}

/// True where the second numbers fall as the first rise, more clearly than by chance.
fn is_reversed(pairs: &[(f64, f64)]) -> bool {
    let chance = DEVIATIONS / (pairs.len().max(1) as f64).sqrt();
    pairs.len() >= FEWEST_PAIRS && rank_correlation(pairs) < REVERSED.min(-chance)
}

/// The correlation of the ranks of both numbers (Spearman), equal numbers having the middle of
/// their ranks; 0 where one does not vary.
fn rank_correlation(pairs: &[(f64, f64)]) -> f64 {
    let [a, b] = [0, 1].map(|side| {
        let values: Vec<f64> =
            pairs.iter().map(|pair| if side == 0 { pair.0 } else { pair.1 }).collect();
        ranks(&values)
    });
    let center = (pairs.len() as f64 - 1.0) / 2.0;
    let product = |a: &[f64], b: &[f64]| -> f64 {
        a.iter().zip(b).map(|(x, y)| (x - center) * (y - center)).sum()
    };
    let spread = (product(&a, &a) * product(&b, &b)).sqrt();
    if spread > 0.0 { product(&a, &b) / spread } else { 0.0 }
}

fn ranks(values: &[f64]) -> Vec<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    let rank = |value: &f64| {
        let below = sorted.partition_point(|other| other < value);
        let up_to = sorted.partition_point(|other| other <= value);
        (below + up_to.max(below + 1) - 1) as f64 / 2.0
    };
    values.iter().map(rank).collect()
}

/// True where some numbers shrank or grew about a thousand times, and nearly all others did not.
fn lost_thousands(pairs: &[(f64, f64)]) -> bool {
    let shift = |(before, after): &(f64, f64)| {
        let ratio = after / before;
        (ratio.is_finite() && ratio > 0.0).then(|| ratio.log10())
    };
    let shifts: Vec<f64> = pairs.iter().filter_map(shift).collect();
    let about = |target: f64| shifts.iter().filter(|s| (**s - target).abs() < 0.1).count() as f64;
    let few = THOUSANDS * shifts.len() as f64;
    let same = about(0.0);
    let moved = |target: f64| {
        about(target) > few && about(target) + same > (1.0 - THOUSANDS) * shifts.len() as f64
    };
    shifts.len() >= FEWEST_PAIRS && same > few && (moved(3.0) || moved(-3.0))
}

/// Numbers as codes; none where the released ones rise with the original's.
fn codes(pairs: &[(f64, f64)]) -> Vec<(u64, u64)> {
    if rank_correlation(pairs) >= RISING {
        return Vec::new();
    }
    pairs.iter().map(|(x, y)| ((x + 0.0).to_bits(), (y + 0.0).to_bits())).collect()
}

/// A number for each different text of a column; none where it is missing or generalized.
fn text_codes(values: &Values) -> Vec<Option<u64>> {
    match values {
        Values::Numeric(column) => column.iter().map(|v| v.map(|v| (v + 0.0).to_bits())).collect(),
        Values::Categorical(column) => (0..column.len())
            .map(|i| column.code(i).filter(|_| !column.is_generalized(i)).map(u64::from))
            .collect(),
    }
}

/// True where the second codes follow from the first, each of these having one of those nearly always,
/// while `other` pairs do not have what they had before.
fn is_recoded(pairs: &[(u64, u64)], other: usize) -> bool {
    let mut counts: HashMap<u64, HashMap<u64, usize>> = HashMap::new();
    let mut all: HashMap<u64, usize> = HashMap::new();
    for (known, published) in pairs {
        *counts.entry(*known).or_default().entry(*published).or_default() += 1;
        *all.entry(*published).or_default() += 1;
    }
    if pairs.len() < FEWEST_PAIRS || OCCURRENCES * counts.len() > pairs.len() {
        return false;
    }
    let most = |counts: &HashMap<u64, usize>| counts.values().copied().max().unwrap_or(0);
    let explained: usize = counts.values().map(most).sum();
    let share = |right: usize| 1.0 - right as f64 / pairs.len() as f64;
    let (left, varying) = (share(explained), share(most(&all)));
    let changed = other as f64 / pairs.len() as f64;
    varying >= LEAST_VARYING
        && left <= UNEXPLAINED * varying
        && changed >= LEAST_VARYING + MORE * left
}

/// Columns of the release that the original lacks, and that are not the key's.
fn unknown_columns(original: &Dataset, released: &Dataset, key: Option<&str>) -> Vec<String> {
    let mut names = released.names();
    names.retain(|name| original.position(name).is_err() && Some(name.as_str()) != key);
    names
}

/// Fails where the release has columns that the original lacks while it lacks some of the
/// original's that would be attacked: they may be the same, under other names or cut in pieces. Those
/// that `coverage` knows to identify people are told of as such.
pub(super) fn refuse_renamed(
    release: &Release,
    key: Option<&str>,
    coverage: &Coverage,
) -> Result<()> {
    let (original, released) = (release.original(), release.released());
    let mut unknown = unknown_columns(original, released, key);
    unknown.retain(|name| coverage.direct_identifiers.iter().all(|known| known.name != *name));
    let Ok(chosen) = original.default_attributes(|a| Some(a.name.as_str()) != key) else {
        return Ok(());
    };
    let mut lacking = chosen.names;
    lacking.retain(|name| released.position(name).is_err());
    if unknown.is_empty() || lacking.is_empty() {
        return Ok(());
    }
    let folded = |name: &String| name.trim().to_lowercase();
    let like = |known: &&String| unknown.iter().find(|other| folded(other) == folded(known));
    let pairs: Vec<String> = lacking
        .iter()
        .filter_map(|known| Some(format!("{}={}", isolated(like(&known)?), isolated(known))))
        .collect();
    let example = match pairs.is_empty() {
        true => "RELEASED=ORIGINAL".to_owned(),
        false => pairs.join(","),
    };
    let listed =
        |names: &[String]| names.iter().map(|n| isolated(n)).collect::<Vec<_>>().join(", ");
    let problem = format!(
        "it holds {}, which the original does not, and lacks {}, which the original holds and \
         attackers may know. Where they are the same, say so with `rename` ({example}); else take \
         those columns out of the file that is audited: nobody is attacked by them",
        listed(&unknown),
        listed(&lacking)
    );
    Err(Error::input(released.name(), problem))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_of_equal_numbers_are_their_middle() {
        assert_eq!(ranks(&[5.0, 1.0, 5.0, 9.0]), [1.5, 0.0, 1.5, 3.0]);
        let pairs: Vec<(f64, f64)> = (0..60).map(|i| (f64::from(i), f64::from(-i))).collect();
        assert!((rank_correlation(&pairs) + 1.0).abs() < 1e-12 && is_reversed(&pairs));
        assert_eq!(rank_correlation(&[(1.0, 2.0), (3.0, 2.0)]), 0.0);
    }

    #[test]
    fn codes_that_stand_for_codes_are_seen_and_noise_is_not() {
        let permuted: Vec<(u64, u64)> = (0..200).map(|i| (i % 7, (3 * i + 2) % 7)).collect();
        assert!(is_recoded(&permuted, 200));
        let noisy: Vec<(u64, u64)> = (0..200).map(|i| (i % 7, (i * i / 3) % 7)).collect();
        assert!(!is_recoded(&noisy, 200));
        assert!(!is_recoded(&permuted, 9), "nearly all are what they were");
        let unique: Vec<(u64, u64)> = (0..200).map(|i| (i, 199 - i)).collect();
        assert!(!is_recoded(&unique, 200), "of values that occur once nothing is told");
        assert!(!is_recoded(&[(1, 2); 200], 200), "what does not vary tells nothing");
    }

    #[test]
    fn a_lost_separator_moves_some_numbers_a_thousand_times() {
        let misread = |x: f64| (x, if x >= 1000.0 { x / 1000.0 } else { x });
        let pairs: Vec<(f64, f64)> = (0..100).map(|i| misread(f64::from(300 + 40 * i))).collect();
        assert!(lost_thousands(&pairs));
        let scaled: Vec<(f64, f64)> = pairs.iter().map(|(x, _)| (*x, x / 1000.0)).collect();
        assert!(!lost_thousands(&scaled), "another unit is no misreading");
    }
}
