//! One-to-one links of many records, from sparse candidates.

use super::auction::{self, Bargain, Market};
use super::distance_based::Space;
use super::{Link, Links, Release, SparseSearch};
use crate::error::{Error, Result};
use crate::listener::Listener;
use crate::spatial::box_tree::Open;
use crate::spatial::{BoxTree, PricedTree};
use rayon::prelude::*;

/// Links by a one-to-one assignment whose total is least but for a stated gap.
///
/// Ties: released records with the same coordinates as the linked one are interchangeable, and
/// count as tied with it; the record counts in full when it is linked to its own released
/// record and no other is like that. Other assignments of the same total are not looked for:
/// which of them is found depends neither on the truth nor on the order of the rows.
/// Interrupted, the assignment found so far counts, with its gap; fails when there is none.
pub(super) fn link(space: &Space, release: &Release, listener: &dyn Listener) -> Result<Links> {
    let classes = Classes::new(&space.released);
    let points = classes.points(&space.released);
    let tree = BoxTree::new(space.geometry.clone(), &points);
    let capacity = classes.sizes();
    let market =
        Market { tree: &tree, points: &points, queries: &space.original, capacity: &capacity };
    let bargain = auction::assign(&market, listener).ok_or(Error::Interrupted)?;
    let seconds = seconds(&market, &bargain);
    let rows = classes.rows_of(&bargain);
    let link = |i: usize| {
        let class = bargain.class[i];
        Link {
            linked: rows[i],
            distance: space.scale.apply(bargain.cost[i]),
            second: seconds[i].is_finite().then(|| space.scale.apply(seconds[i])),
            tied: capacity[class as usize],
            own_among_tied: classes.of_row[release.own()[i] as usize] == class,
        }
    };
    let links = (0..rows.len()).map(link).collect();
    Ok(Links(links, Some(SparseSearch { gap: bargain.gap(), patterns_of: None })))
}

/// The least distance of each query to a released record other than the linked one.
fn seconds(market: &Market<'_>, bargain: &Bargain) -> Vec<f64> {
    let free = vec![0.0; market.capacity.len()];
    let tree = PricedTree::new(market.tree, &free);
    let second = |open: &mut Open, i: usize| {
        let query: Vec<f64> = market.queries.iter().map(|column| column[i]).collect();
        let nearest = tree.cheapest((&query, 0), &free, 2, open);
        let linked = bargain.class[i];
        let is_other = |class: u32| class != linked || market.capacity[class as usize] > 1;
        let others = nearest.iter().filter(|offer| is_other(offer.record));
        others.map(|offer| offer.distance).next().unwrap_or(f64::INFINITY)
    };
    (0..bargain.class.len()).into_par_iter().map_init(Open::default, second).collect()
}

/// Released records with the same coordinates.
struct Classes {
    /// The class of each released record.
    of_row: Vec<u32>,
    /// The released records of each class, ascending.
    rows: Vec<Vec<u32>>,
}

impl Classes {
    fn new(columns: &[Vec<f64>]) -> Self {
        let mut order: Vec<u32> = (0..columns[0].len() as u32).collect();
        let compare = |a: u32, b: u32| {
            let both = columns.iter().map(|c| (c[a as usize], c[b as usize]));
            // 0 and -0 are the same.
            both.map(|(x, y)| (x + 0.0).total_cmp(&(y + 0.0)))
                .find(|order| order.is_ne())
                .unwrap_or(std::cmp::Ordering::Equal)
        };
        order.par_sort_unstable_by(|&a, &b| compare(a, b).then(a.cmp(&b)));
        let equal = order.chunk_by(|&a, &b| compare(a, b).is_eq());
        let rows: Vec<Vec<u32>> = equal.map(<[u32]>::to_vec).collect();
        let mut of_row = vec![0; order.len()];
        for (class, rows) in rows.iter().enumerate() {
            rows.iter().for_each(|&row| of_row[row as usize] = class as u32);
        }
        Self { of_row, rows }
    }

    /// The coordinates of each class, column by column.
    fn points(&self, columns: &[Vec<f64>]) -> Vec<Vec<f64>> {
        let of = |column: &Vec<f64>| self.rows.iter().map(|r| column[r[0] as usize]).collect();
        columns.iter().map(of).collect()
    }

    fn sizes(&self) -> Vec<u32> {
        self.rows.iter().map(|rows| rows.len() as u32).collect()
    }

    /// The released record of each original one: those of a class in turn.
    fn rows_of(&self, bargain: &Bargain) -> Vec<u32> {
        let mut used = vec![0; self.rows.len()];
        let next = |&class: &u32| {
            let class = class as usize;
            used[class] += 1;
            self.rows[class][used[class] - 1]
        };
        bargain.class.iter().map(next).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dataset::{Attribute, Dataset};
    use crate::distance::Standardization;
    use crate::linkage::{TieRule, assignment};
    use crate::listener::Interrupt;
    use crate::random::generator;
    use rand::RngExt;
    use rand_distr::{Distribution, StandardNormal};

    const NAMES: [&str; 7] = ["a", "b", "c", "d", "e", "f", "g"];

    /// Normal data plus noise, both rounded to multiples of `step`, which makes ties and
    /// duplicates.
    fn noisy(records: usize, attributes: usize, noise: f64, step: f64, seed: u64) -> Release {
        let column = |stream: usize| -> Vec<f64> {
            StandardNormal.sample_iter(generator(seed, stream as u64)).take(records).collect()
        };
        let file = |name: &str, noise: f64| {
            let value = |(x, e): (f64, f64)| ((x + noise * e) / step).round() * step;
            let values = |k: usize| column(2 * k).into_iter().zip(column(2 * k + 1)).map(value);
            let attribute =
                |k: usize| Attribute::numeric(NAMES[k], values(k).collect()).expect("finite");
            Dataset::new(name, (0..attributes).map(attribute).collect()).expect("records")
        };
        Release::by_row(file("original", 0.0), file("released", noise)).expect("as many rows")
    }

    fn space(release: &Release, attributes: usize) -> Space {
        Space::of_attributes(release, &NAMES[..attributes], Standardization::Own, None)
            .expect("numbers")
    }

    fn total(links: &Links) -> f64 {
        links.0.iter().map(|link| link.distance * link.distance).sum()
    }

    fn gap(links: &Links) -> f64 {
        links.1.expect("sparse").gap
    }

    #[test]
    fn the_total_is_that_of_all_pairs_but_for_the_stated_gap() {
        let mut random = generator(31, 0);
        for case in 0..48 {
            let records = random.random_range(100..400);
            let attributes = 1 + case % 4;
            let (noise, step) = ([0.1, 0.5, 3.0][case % 3], [1e-9, 0.25, 1.0][case / 3 % 3]);
            let mut release = noisy(records, attributes, noise, step, case as u64);
            if case % 2 == 1 {
                release = release.targets(records / 2 + case, 1).expect("a sample");
            }
            let found = link(&space(&release, attributes), &release, &()).expect("links");
            let best = assignment::link_all_pairs(space(&release, attributes), &release, &())
                .expect("links");
            let (found_total, least) = (total(&found), total(&best));
            let rounding = 1e-9 * (1.0 + least);
            assert!((0.0..=1.0).contains(&gap(&found)));
            assert!(found_total >= least - rounding, "{case}: {found_total} below {least}");
            let most = least + gap(&found) * found_total + rounding;
            assert!(found_total <= most, "{case}: {found_total} above {most}");
            assert!(found_total <= least * 1.001 + rounding, "{case}: {found_total}, {least}");
            let mut linked: Vec<u32> = found.0.iter().map(|link| link.linked).collect();
            linked.sort_unstable();
            linked.dedup();
            assert_eq!(linked.len(), release.records(), "a released record is linked twice");
        }
    }

    #[test]
    fn second_distances_are_those_of_all_pairs() {
        let release = noisy(300, 3, 0.3, 0.5, 77);
        let best = assignment::link_all_pairs(space(&release, 3), &release, &()).expect("links");
        let found = link(&space(&release, 3), &release, &()).expect("links");
        let mut same = 0;
        for (found, best) in found.0.iter().zip(&best.0).filter(|(f, b)| f.linked == b.linked) {
            assert_eq!((found.distance, found.second), (best.distance, best.second));
            same += 1;
        }
        assert!(same > 100, "{same}");
    }

    #[test]
    fn links_are_the_same_on_any_number_of_threads() {
        let release = noisy(2_000, 3, 0.4, 0.05, 5);
        let on = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("pool");
            pool.install(|| link(&space(&release, 3), &release, &()).expect("links"))
        };
        assert_eq!(on(1), on(3));
    }

    #[test]
    fn a_record_of_a_class_counts_one_share_of_it() {
        let column = |values: &[f64]| Attribute::numeric("a", values.to_vec()).expect("finite");
        let file = |values: &[f64]| Dataset::new("f", vec![column(values)]).expect("records");
        let original = file(&[1.0, 1.2, 5.0, 9.0]);
        let release = Release::by_row(original, file(&[1.0, 1.0, 5.0, 9.0])).expect("rows");
        let links = link(&space(&release, 1), &release, &()).expect("links");
        assert_eq!((links.0[0].tied, links.0[1].tied, links.0[2].tied), (2, 2, 1));
        assert_eq!(links.reidentified(TieRule::Miss), 2.0);
        assert_eq!(links.reidentified(TieRule::Share), 3.0);
    }

    #[test]
    fn sparse_candidates_find_as_many_as_all_pairs_on_noise() {
        let release = noisy(3_000, 7, 0.3, 1e-9, 8);
        let best = assignment::link_all_pairs(space(&release, 7), &release, &()).expect("links");
        let found = link(&space(&release, 7), &release, &()).expect("links");
        let [best, count] = [best, found].map(|links| links.reidentified(TieRule::Miss));
        assert!((best - count).abs() <= 3.0, "{count} against {best}");
    }

    #[test]
    fn an_interrupted_search_says_so() {
        let interrupt = Interrupt::default();
        interrupt.trip();
        let release = noisy(200, 2, 0.3, 0.1, 2);
        let error = link(&space(&release, 2), &release, &interrupt).expect_err("interrupted");
        assert!(matches!(error, Error::Interrupted), "{error}");
    }
}
