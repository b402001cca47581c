//! Links to the nearest released record.

use super::nearest::{Index, Nearest, Pairs};
use super::{Link, Links, Release};
use crate::distance::Metric;
use crate::distance::{Coordinates, Standardization};
use crate::error::{Error, Result};
use crate::listener::Listener;
use crate::spatial::leaves::Geometry;

/// The points of both files in one space.
pub(super) struct Space {
    pub geometry: Geometry,
    pub original: Vec<Vec<f64>>,
    pub released: Vec<Vec<f64>>,
    pub scale: DistanceScale,
}

/// How the index's distance becomes the attack's.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum DistanceScale {
    /// The index's is the square.
    SquareRoot,
    /// The index's is the sum of parts that weigh this much in all.
    MeanOf(f64),
}

impl DistanceScale {
    pub fn apply(self, distance: f64) -> f64 {
        match self {
            Self::SquareRoot => distance.max(0.0).sqrt(),
            Self::MeanOf(total) => distance / total,
        }
    }
}

impl Space {
    /// The sum of weighted attribute distances.
    pub fn of_attributes<S: AsRef<str>>(
        release: &Release,
        names: &[S],
        standardization: Standardization<'_>,
        weights: Option<&[f64]>,
    ) -> Result<Self> {
        if let Some(weights) = weights {
            check_weights(weights, names.len())?;
        }
        let distances = release.distances(names, standardization)?;
        let scale = match standardization {
            Standardization::Range => {
                DistanceScale::MeanOf(weights.map_or(names.len() as f64, |w| w.iter().sum()))
            }
            _ => DistanceScale::SquareRoot,
        };
        let Coordinates { metrics, original, released } = distances.coordinates(weights);
        Ok(Self { geometry: Geometry::Sum(metrics), original, released, scale })
    }

    /// Squared Euclidean distance of points given by columns.
    pub fn euclidean(original: Vec<Vec<f64>>, released: Vec<Vec<f64>>) -> Self {
        let geometry = Geometry::Sum(vec![Metric::Squared; original.len()]);
        Self { geometry, original, released, scale: DistanceScale::SquareRoot }
    }

    /// The same space with the points of `release`'s targets alone, where it has some.
    pub fn of_targets(mut self, release: &Release) -> Self {
        if let Some(places) = release.target_places() {
            self.original = values_at(&self.original, places);
        }
        self
    }

    /// Each original record linked to the nearest released one; `second` asks for
    /// the second distance too.
    pub fn link(self, release: &Release, second: bool, listener: &dyn Listener) -> Result<Links> {
        let index = Index::new(self.geometry, &self.released);
        let (points, queries) = (&self.released, &self.original);
        let pairs = Pairs { points, queries, own: release.own() };
        let found = index.nearest(pairs, second, listener)?;
        let scale = self.scale;
        Ok(Links(found.iter().map(|nearest| link(nearest, second, scale)).collect()))
    }

    /// The original records nearest to each pair's released record.
    fn nearest_originals(self, release: &Release, listener: &dyn Listener) -> Result<Vec<Nearest>> {
        let queries = values_at(&self.released, release.own());
        let own: Vec<u32> = (0..release.records() as u32).collect();
        let index = Index::new(self.geometry, &self.original);
        let pairs = Pairs { points: &self.original, queries: &queries, own: &own };
        index.nearest(pairs, true, listener)
    }
}

/// Number of released records whose own original record is in the set of nearest or
/// second nearest ones, by the distance of [`super::Attack::Dbrl1`].
pub(crate) fn own_within_second_nearest<S: AsRef<str>>(
    release: &Release,
    names: &[S],
    listener: &dyn Listener,
) -> Result<usize> {
    let space = Space::of_attributes(release, names, Standardization::Own, None)?;
    let found = space.nearest_originals(release, listener)?;
    Ok(found.iter().filter(|nearest| nearest.own <= nearest.next).count())
}

/// The values of `columns` in `rows`, in that order.
fn values_at(columns: &[Vec<f64>], rows: &[u32]) -> Vec<Vec<f64>> {
    columns.iter().map(|column| rows.iter().map(|&j| column[j as usize]).collect()).collect()
}

fn link(nearest: &Nearest, second: bool, scale: DistanceScale) -> Link {
    let next = if nearest.tied > 1 { nearest.distance } else { nearest.next };
    Link {
        linked: nearest.record,
        distance: scale.apply(nearest.distance),
        second: (second && next.is_finite()).then(|| scale.apply(next)),
        tied: nearest.tied,
        own_among_tied: nearest.own == nearest.distance,
    }
}

fn check_weights(weights: &[f64], attributes: usize) -> Result<()> {
    let given = || weights.iter().map(f64::to_string).collect::<Vec<_>>().join(",");
    if weights.len() != attributes {
        let problem =
            format!("{} weights for {attributes} attributes; give one each", weights.len());
        return Err(Error::parameter("weights", given(), problem));
    }
    let usable = weights.iter().all(|w| w.is_finite() && *w >= 0.0);
    if !usable || weights.iter().all(|w| *w == 0.0) {
        let problem = "but weights are numbers >= 0, one of them above 0";
        return Err(Error::parameter("weights", given(), problem));
    }
    Ok(())
}
