//! Links to the nearest released record.

use super::exact_ties::ExactTies;
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
    /// Who knows the distances without rounding.
    pub ties: Option<ExactTies>,
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
        let ties = ExactTies::new(distances, weights, &metrics, [&original, &released]);
        let geometry = Geometry::Sum(metrics);
        Ok(Self { geometry, original, released, scale, ties: Some(ties) })
    }

    /// Squared Euclidean distance of points given by columns.
    pub fn euclidean(original: Vec<Vec<f64>>, released: Vec<Vec<f64>>) -> Self {
        let geometry = Geometry::Sum(vec![Metric::Squared; original.len()]);
        Self { geometry, original, released, scale: DistanceScale::SquareRoot, ties: None }
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
        let found = match &self.ties {
            Some(ties) => ties.nearest(&index, pairs, second, listener)?,
            None => index.nearest(pairs, second, listener)?,
        };
        let scale = self.scale;
        let links = found.iter().map(|nearest| link(nearest, second, scale));
        Ok(Links(links.collect(), None))
    }

    /// The original records nearest to each pair's released record.
    fn nearest_originals(self, release: &Release, listener: &dyn Listener) -> Result<Vec<Nearest>> {
        let queries = values_at(&self.released, release.own());
        let own: Vec<u32> = (0..release.records() as u32).collect();
        let index = Index::new(self.geometry.reversed(), &self.original);
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dataset::{Attribute, Dataset};
    use crate::distance::SuppressedReading;
    use proptest::prelude::*;

    /// What may stand in a cell of a released column of numbers, levels or labels.
    const NUMBERS: [&str; 12] =
        ["*", "?", "3", "7", "1-4", "[2, 6[", "<3", "5+", "{1|8}", "{0|4-5|9}", "1*", "]3, 9]"];
    const LABELS: [&str; 9] = ["*", "?", "a1", "b2", "a*", "{a1|b2}", "{a2|c1}", "*1", "nobody"];

    fn column(name: &str, texts: Vec<&str>) -> Attribute {
        Attribute::nominal(name, texts.into_iter().map(|t| Some(t).filter(|t| *t != "?")))
    }

    fn numbers(name: &str, values: &[Option<u8>]) -> Attribute {
        let numbers = crate::dataset::Numeric::new(values.iter().map(|v| v.map(f64::from)));
        let mut attribute = Attribute::numeric(name, vec![0.0]).expect("finite");
        attribute.values = crate::dataset::Values::Numeric(numbers.expect("finite"));
        attribute
    }

    fn ordinal(mut attribute: Attribute) -> Attribute {
        let levels = ["a1", "b2", "a2", "c1"].map(String::from);
        if let crate::dataset::Values::Categorical(column) = &mut attribute.values {
            *column = column.clone().ordinal(&levels).expect("levels");
        }
        attribute
    }

    type Row = (Option<u8>, Option<u8>, usize, usize, usize, usize, usize);

    /// Intervals, numbers with gaps, labels and levels in both files.
    fn release(rows: &[Row]) -> Release {
        let known = |pick: fn(&Row) -> usize| -> Vec<&str> {
            rows.iter().map(|r| ["a1", "a2", "b2", "c1", "?"][pick(r) % 5]).collect()
        };
        let labels = |pick: fn(&Row) -> usize| rows.iter().map(|r| LABELS[pick(r)]).collect();
        let ages: Vec<Option<u8>> = rows.iter().map(|r| r.0).collect();
        let plain: Vec<Option<u8>> = rows.iter().map(|r| r.1).collect();
        let moved: Vec<Option<u8>> = rows.iter().map(|r| r.1.map(|v| v / 2)).collect();
        let original = Dataset::new(
            "o",
            vec![
                numbers("age", &ages),
                numbers("plain", &plain),
                column("town", known(|r| r.4)),
                ordinal(column("level", known(|r| r.5))),
            ],
        );
        let released = Dataset::new(
            "r",
            vec![
                column("age", rows.iter().map(|r| NUMBERS[r.2]).collect()),
                numbers("plain", &moved),
                column("town", labels(|r| r.3)),
                column("level", labels(|r| r.6)),
            ],
        );
        Release::by_row(original.expect("columns"), released.expect("columns")).expect("rows")
    }

    fn some_number() -> impl Strategy<Value = Option<u8>> {
        prop::option::weighted(0.9, 0u8..14)
    }

    fn rows() -> impl Strategy<Value = Vec<Row>> {
        let cells = (0..12usize, 0..9usize, 0..5usize, 0..5usize, 0..9usize);
        let row = (some_number(), some_number(), cells)
            .prop_map(|(age, plain, (a, b, c, d, e))| (age, plain, a, b, c, d, e));
        prop::collection::vec(row, 3..90)
    }

    const NAMES: [&str; 4] = ["age", "plain", "town", "level"];
    const READINGS: [SuppressedReading; 3] =
        [SuppressedReading::MatchesAll, SuppressedReading::OwnValue, SuppressedReading::Study];

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(60))]
        #[test]
        fn tree_scan_and_double_loop_measure_the_same_distances_to_cells(rows in rows()) {
            let scales = [Standardization::Original, Standardization::Raw, Standardization::Range];
            for reading in READINGS {
                let release = release(&rows).read_as(reading);
                for scale in scales {
                    let space = match Space::of_attributes(&release, &NAMES, scale, None) {
                        Ok(space) => space,
                        Err(error) => {
                            let error = error.to_string();
                            let empty = error.contains("constant") || error.contains("missing");
                            prop_assert!(empty, "{}", error);
                            continue;
                        }
                    };
                    let distances = release.distances(&NAMES, scale).expect("as before");
                    let pairs = Pairs {
                        points: &space.released,
                        queries: &space.original,
                        own: release.own(),
                    };
                    let tree = Index::tree(space.geometry.clone(), &space.released);
                    let scan = Index::scan(space.geometry.clone(), &space.released);
                    let found = tree.nearest(pairs, true, &()).unwrap();
                    prop_assert_eq!(&found, &scan.nearest(pairs, true, &()).unwrap());
                    for (i, nearest) in found.iter().enumerate() {
                        let mut d = [0.0; 4];
                        let mut sum = |j| {
                            distances.vector(i, j, &mut d);
                            d.iter().fold(0.0, |sum, term| sum + term)
                        };
                        let all: Vec<f64> = (0..rows.len()).map(&mut sum).collect();
                        let least = all.iter().copied().fold(f64::INFINITY, f64::min);
                        let close = |a: f64, b: f64| (a - b).abs() <= 1e-12 * (1.0 + b.abs());
                        prop_assert!(close(nearest.distance, least), "{} {}", nearest.distance, least);
                        prop_assert!(close(nearest.own, all[i]));
                        let exact = reading != SuppressedReading::Study;
                        if exact {
                            let ties = all.iter().filter(|d| **d == least).count();
                            prop_assert_eq!((nearest.distance, nearest.tied as usize), (least, ties));
                        }
                    }
                }
            }
        }

        #[test]
        fn an_index_of_originals_measures_what_one_of_cells_does(rows in rows()) {
            let release = release(&rows).read_as(SuppressedReading::OwnValue);
            let weights = [0.3, 2.0, 1.0, 0.7];
            let scale = Standardization::Raw;
            if let Ok(space) = Space::of_attributes(&release, &NAMES, scale, Some(&weights)) {
                let reversed = space.geometry.clone().reversed();
                let row = |side: &[Vec<f64>], i: usize| -> Vec<f64> {
                    side.iter().map(|column| column[i]).collect()
                };
                for (i, j) in (0..rows.len()).map(|i| (i, (i * 7 + 3) % rows.len())) {
                    let (a, b) = (row(&space.original, i), row(&space.released, j));
                    prop_assert_eq!(space.geometry.distance(&a, &b), reversed.distance(&b, &a));
                }
                let found = space.nearest_originals(&release, &()).unwrap();
                prop_assert!(found.iter().all(|nearest| nearest.distance <= nearest.own));
            }
        }
    }
}
