//! Attackers who know how the release was made: method and parameters, never the seed.
//!
//! For each original record they hold the likelihood of every released one ([`Likelihood`]), and
//! link to the most probable. A released record that many originals may have become is weaker
//! evidence for each of them: likelihoods are shared out among all originals
//! ([`posterior`]), once by who looks for one person at a time, and until rows and columns agree by
//! who uses that every released record belongs to one person.

mod candidates;
mod posterior;

use super::{Link, Links, Release};
use crate::error::{Error, Result};
use crate::listener::Listener;
use crate::protection::{Likelihood, MadeFile, Recipe};
use candidates::Candidates;
use posterior::{Shares, shares};

/// Probabilities that differ by less than this share of the larger are taken for equal: sums in
/// another order of rows differ so.
const SAME: f64 = 1e-9;

/// What the attacker makes of likelihoods.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Uses {
    /// Each record alone.
    EachAlone,
    /// That no released record belongs to two originals.
    OneToOne,
    /// That the method draws nothing: it is applied again.
    Again,
}

/// Links every target of `release` to the released record that is most probably its own.
///
/// Cost: O(n²) likelihoods, n being the number of records; memory O(n) lists of candidates.
/// Fails where it is not known how the release was made, or the method says nothing.
pub(super) fn link<S: AsRef<str>>(
    release: &Release,
    names: &[S],
    uses: Uses,
    listener: &dyn Listener,
) -> Result<Links> {
    let recipe = release.recipe().ok_or_else(|| unknown(release))?;
    let whole = release.whole();
    let attacked: Vec<String> = names.iter().map(|name| name.as_ref().to_owned()).collect();
    let made = MadeFile {
        original: whole.original(),
        released: whole.released(),
        protected: &recipe.attributes,
        attacked: &attacked,
    };
    let parts = parts(recipe, made, uses, listener)?;
    let released = whole.released().records();
    let candidates = Candidates::of(&parts, whole.records(), released, listener)?;
    let shares = shares(&candidates, uses, listener)?;
    let links = (0..release.records()).map(|target| {
        let i = release.target_places().map_or(target, |places| places[target] as usize);
        shares_link(&candidates, &shares, i, release.own()[target])
    });
    Ok(Links(links.collect(), None))
}

/// What the likelihood of a pair is the sum of.
fn parts(
    recipe: &Recipe,
    made: MadeFile<'_>,
    uses: Uses,
    listener: &dyn Listener,
) -> Result<Vec<Box<dyn Likelihood>>> {
    let name = recipe.method.name();
    match uses {
        Uses::Again => {
            let again = recipe.again(made, listener)?;
            again.map(|part| vec![part]).ok_or_else(|| {
                let problem = "which draws random numbers or discards records, so that applying \
                               it again gives another file";
                Error::parameter("method", name, problem)
            })
        }
        _ => recipe.likelihoods(made)?.ok_or_else(|| {
            let problem = "which does not say how likely released values are";
            Error::parameter("method", name, problem)
        }),
    }
}

fn unknown(release: &Release) -> Error {
    let problem = "of which is not known how it was made; give `recipe`";
    Error::input(release.released().name(), problem)
}

/// The link of original record `i`: a guess among all that are equally probable.
fn shares_link(candidates: &Candidates, shares: &Shares, i: usize, own: u32) -> Link {
    let scored: Vec<(u32, f64)> =
        candidates.row(i).map(|(j, likelihood)| (j, likelihood * shares.of(j))).collect();
    let total: f64 = scored.iter().map(|(_, score)| score).sum();
    let most = scored.iter().map(|(_, score)| *score).fold(0.0, f64::max);
    let surprise = |score: f64| -(score / total).ln();
    if most == 0.0 {
        // Nothing fits: whoever is asked guesses among all.
        let tied = candidates.released() as u32;
        let distance = f64::INFINITY;
        return Link { linked: 0, distance, second: None, tied, own_among_tied: true };
    }
    let best = |score: f64| score >= most * (1.0 - SAME);
    let tied: Vec<u32> = scored.iter().filter(|(_, s)| best(*s)).map(|(j, _)| *j).collect();
    let rest = scored.iter().filter(|(_, s)| !best(*s)).map(|(_, s)| *s).fold(0.0, f64::max);
    let second = if tied.len() > 1 { most } else { rest };
    Link {
        linked: tied.iter().copied().min().unwrap_or(0),
        distance: surprise(most),
        second: (second > 0.0).then(|| surprise(second)),
        tied: tied.len() as u32,
        own_among_tied: tied.contains(&own),
    }
}
