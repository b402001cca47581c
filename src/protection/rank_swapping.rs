//! Rank swapping.
//!
//! R. Moore, "Controlled data swapping techniques for masking public use
//! microdata sets", US Bureau of the Census (1996).

mod likelihood;

use super::{
    AttributeKinds, Described, Likelihood, MadeFile, Protected, ProtectionMethod, one_or_many,
    per_attribute,
};
use crate::dataset::{Dataset, Numeric, Values};
use crate::error::{Error, Result};
use crate::listener::Listener;
use crate::random::generator;
use rand::RngExt;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

/// In which order ranks look for a partner, and where.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
#[serde(rename_all = "lowercase")]
pub enum SwapVariant {
    /// Ranks from low to high; the partner is drawn from the free ranks in (i, i + r].
    #[default]
    Upward,
    /// Ranks in random order; the partner is drawn from the free ranks in [i - r, i + r].
    Symmetric,
}

/// Rank swapping: each value is swapped with one at most r = ⌊p n / 100⌋ ranks away.
///
/// Per attribute: the values are ranked (equal values by record), and every rank that is still
/// free swaps with a uniformly drawn free rank in its window; where there is none it stays. The
/// values of each attribute stay the same as a whole. Missing values stay where they are; n
/// counts the present ones.
///
/// Cost: O(n log n) per attribute for the sort; a draw takes a few trials. Source: R. Moore 1996.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(clap::Args))]
#[serde(deny_unknown_fields)]
pub struct RankSwapping {
    /// Window in percent of the number of records: one for all attributes, or one each
    #[cfg_attr(
        feature = "cli",
        arg(long, value_name = "P,...", value_delimiter = ',', required = true)
    )]
    #[serde(deserialize_with = "one_or_many::deserialize")]
    pub p: Vec<f64>,

    /// Order and window of the swaps
    #[cfg_attr(feature = "cli", arg(long, value_enum, value_name = "VARIANT", default_value_t))]
    #[serde(default)]
    pub swap: SwapVariant,
}

impl RankSwapping {
    /// Upward swaps within `p` percent of the ranks.
    pub fn new(p: f64) -> Self {
        Self { p: vec![p], swap: SwapVariant::default() }
    }
}

impl Described for RankSwapping {
    const NAME: &'static str = "rank-swapping";
    const STRENGTHS: &'static [&'static str] = &["p"];
}

impl ProtectionMethod for RankSwapping {
    fn name(&self) -> &'static str {
        Self::NAME
    }

    fn draws(&self) -> bool {
        true
    }

    fn takes(&self) -> AttributeKinds {
        AttributeKinds::Numbers
    }

    fn likelihoods(&self, made: &MadeFile<'_>) -> Result<Option<Vec<Box<dyn Likelihood>>>> {
        self.parts(made).map(Some)
    }

    fn estimated_strength(&self, made: &MadeFile<'_>) -> Result<Option<f64>> {
        self.estimated_p(made)
    }

    fn check(&self, _original: &Dataset, attributes: &[String]) -> Result<()> {
        per_attribute(&self.p, attributes.len(), "p")?.into_iter().try_for_each(check_range)
    }

    fn protect(
        &self,
        original: &Dataset,
        attributes: &[String],
        seed: u64,
        listener: &dyn Listener,
    ) -> Result<Protected> {
        self.check(original, attributes)?;
        let positions = original.positions(attributes)?;
        let p = per_attribute(&self.p, positions.len(), "p")?;
        let total = (positions.len() * original.records()) as u64;
        let columns: Vec<(usize, Values)> = positions
            .par_iter()
            .zip(&p)
            .enumerate()
            .map(|(stream, (&position, &p))| {
                let column = original.numeric_at(position, "rank swapping")?;
                let mut random = generator(seed, stream as u64);
                let swapped = self.swapped(column, window(p, column)?, &mut random);
                listener.advance(column.len() as u64, total);
                Ok((position, Values::Numeric(swapped)))
            })
            .collect::<Result<_>>()?;
        Ok(Protected::plain(original.with_columns(columns)))
    }
}

impl RankSwapping {
    fn swapped(&self, column: &Numeric, r: usize, random: &mut ChaCha8Rng) -> Numeric {
        let mut ranked: Vec<(u64, u32)> = (0u32..)
            .zip(column.iter())
            .filter_map(|(record, value)| value.map(|v| (ordered_bits(v), record)))
            .collect();
        ranked.sort_unstable();
        let mut released = vec![0.0; column.len()];
        for (rank, partner) in self.partners(ranked.len(), r, random).into_iter().enumerate() {
            released[ranked[rank].1 as usize] = from_ordered_bits(ranked[partner as usize].0);
        }
        column.map_present(|record, _| released[record])
    }

    /// The rank that each of `n` ranks takes its value from; its own when it stays.
    fn partners(&self, n: usize, r: usize, random: &mut ChaCha8Rng) -> Vec<u32> {
        let mut order: Vec<u32> = (0..n as u32).collect();
        let mut partner = order.clone();
        if self.swap == SwapVariant::Symmetric {
            order.shuffle(random);
        }
        let mut free = FreeRanks::all(n);
        for rank in order {
            let i = rank as usize;
            if !free.take(i) {
                continue;
            }
            let low = match self.swap {
                SwapVariant::Upward => i + 1,
                SwapVariant::Symmetric => i.saturating_sub(r),
            };
            if let Some(other) = free.draw(low, (i + r + 1).min(n), random) {
                free.take(other);
                partner[i] = other as u32;
                partner[other] = rank;
            }
        }
        partner
    }
}

/// The bits of a number, such that they are ordered as the numbers are: integers sort faster.
fn ordered_bits(value: f64) -> u64 {
    let bits = value.to_bits();
    if bits >> 63 == 0 { bits | 1 << 63 } else { !bits }
}

fn from_ordered_bits(bits: u64) -> f64 {
    f64::from_bits(if bits >> 63 == 1 { bits & !(1 << 63) } else { !bits })
}

fn check_range(p: f64) -> Result<()> {
    if p > 0.0 && p <= 100.0 {
        return Ok(());
    }
    let problem = "but rank swapping needs 0 < p <= 100, in percent of the records";
    Err(Error::parameter("p", p, problem))
}

/// r = ⌊p n / 100⌋, refused when p is too small to move anything.
fn window(p: f64, column: &Numeric) -> Result<usize> {
    let n = column.present().count();
    let r = (p * n as f64 / 100.0).floor() as usize;
    if r == 0 {
        let problem =
            format!("but {p}% of {n} records is less than one rank, so nothing would be swapped");
        return Err(Error::parameter("p", p, problem));
    }
    Ok(r)
}

/// The ranks not yet swapped, one bit each.
struct FreeRanks(Vec<u64>);

impl FreeRanks {
    fn all(n: usize) -> Self {
        let mut words = vec![u64::MAX; n.div_ceil(64)];
        if !n.is_multiple_of(64) {
            *words.last_mut().expect("n > 0") = (1 << (n % 64)) - 1;
        }
        Self(words)
    }

    fn is_free(&self, rank: usize) -> bool {
        self.0[rank / 64] >> (rank % 64) & 1 == 1
    }

    /// Takes `rank`; false when it was taken before.
    fn take(&mut self, rank: usize) -> bool {
        let was_free = self.is_free(rank);
        self.0[rank / 64] &= !(1 << (rank % 64));
        was_free
    }

    /// A uniformly drawn free rank in `low..high`.
    ///
    /// A few blind trials find one in most windows; when they fail the free ranks
    /// are counted. Both are uniform, so their mixture is.
    fn draw(&self, low: usize, high: usize, random: &mut ChaCha8Rng) -> Option<usize> {
        if low >= high {
            return None;
        }
        for _ in 0..8 {
            let rank = random.random_range(low..high);
            if self.is_free(rank) {
                return Some(rank);
            }
        }
        let count: u32 = self.words(low, high).map(|(_, word)| word.count_ones()).sum();
        (count > 0).then(|| self.select(low, high, random.random_range(0..count)))
    }

    /// The free rank in `low..high` that has `before` free ones below it.
    fn select(&self, low: usize, high: usize, mut before: u32) -> usize {
        for (start, mut word) in self.words(low, high) {
            if before < word.count_ones() {
                (0..before).for_each(|_| word &= word - 1);
                return start + word.trailing_zeros() as usize;
            }
            before -= word.count_ones();
        }
        unreachable!("`before` is less than the number of free ranks in the window")
    }

    /// The words that cover `low..high`, with the bits outside cleared.
    fn words(&self, low: usize, high: usize) -> impl Iterator<Item = (usize, u64)> + '_ {
        (low / 64..high.div_ceil(64)).map(move |w| {
            let start = w * 64;
            let mut word = self.0[w];
            if start < low {
                word &= u64::MAX << (low - start);
            }
            if start + 64 > high {
                word &= u64::MAX >> (start + 64 - high);
            }
            (start, word)
        })
    }
}
