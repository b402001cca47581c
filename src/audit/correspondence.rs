//! Whether the rows of the original and of the release belong together.

use super::examination::if_wanted;
use super::pairings::{Groups, Nearness, PAIRINGS};
use super::{Elsewhere, Misplaced};
use crate::anonymity::EquivalenceClasses;
use crate::dataset::{Attribute, Dataset, Values};
use crate::distance::{AttributeDistances, Standardization};
use crate::error::{Error, Result};
use crate::linkage::Release;
use crate::listener::Listener;
use crate::random::generator;
use crate::words::isolated;
use rayon::prelude::*;
use serde::Serialize;
use std::ops::Range;

/// Below this many records doubts are a warning.
const FEW: usize = 100;
/// Where the best pairing is nearer than a random one by fewer standard deviations, nothing is told.
const LEAST_MOST: f64 = 4.0;
/// A test inside blocks counts where own pairs are expected to be nearer by this many deviations.
const LEAST_EXPECTED: f64 = 8.0;

/// What the test of correspondence says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum RowsVerdict {
    /// Own pairs are nearer than random ones, in the file and inside every block that can tell.
    Corresponds,
    /// They are not: no verdict about risk holds.
    Doubtful,
    /// They are not, but there are fewer than 100 records, of which little can be told.
    TooFew,
    /// The released values vary too little to tell.
    TellsNothing,
}

/// Do the rows of original and release belong together? Own pairs must be nearer than random ones.
///
/// Own pairs are compared with 1,000 random pairings of the whole file, and of blocks of records:
/// those with the same value of a column, original or released, or, where few values repeat, with
/// neighboring numbers. The block's attribute itself is left out, so a file that was shuffled
/// inside its regions, or sorted by a protected attribute, is caught; of records that agree on
/// all unchanged columns, so that one sorted by several columns is; of adjacent rows, so that one
/// shuffled a few rows at a time is; and of up to 16 parts of the file, so that one whose rows slipped
/// from some place on is. All of that on common ranges; the whole file also, where there are
/// numbers, on each file's own scale, which no change of units hides. Rows are doubted where not
/// every pairing is farther; rows that were shuffled at random pass one test with a chance of 1 in
/// 1,001. They are also doubted where many hold exactly the values of one other record
/// ([`Misplaced`]), or nearly those ([`Elsewhere`]). Inside blocks the test counts only where an aligned file would stand out by 8 standard
/// deviations of a random pairing ([`PairingTest::expected`]), so that heavy protection is not
/// mistaken for a shuffle. Blocks with less than that are listed, and nothing follows from them.
///
/// Cost: 2,000 records at most for each test, two tests for each column; 256 for each part.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Correspondence {
    /// What the tests say together.
    pub verdict: RowsVerdict,
    /// Pairs of the release.
    pub records: usize,
    /// Random pairings of each test.
    pub pairings: usize,
    /// The tests, those of the whole file first.
    pub tests: Vec<PairingTest>,
    /// Records that hold the values of others.
    pub misplaced: Misplaced,
    /// Records whose values, a little changed, are in the rows of others.
    pub elsewhere: Elsewhere,
}

/// Own pairs beside random pairings, in the file or inside blocks.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PairingTest {
    /// The attribute on which the records of a block agree, or several; none for the whole file.
    pub block: Option<String>,
    /// First and last row of the original, from 1, where records of a part of the file were compared.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rows: Option<[usize; 2]>,
    /// True when its released values are meant.
    pub released: bool,
    /// True when the blocks hold neighboring numbers in place of equal values.
    pub neighbors: bool,
    /// True when each file is on its own scale; else both are on common ranges.
    pub own_scale: bool,
    /// Records compared.
    pub records: usize,
    /// The share of random pairings that are at least as near as the own pairs.
    pub share_as_near: f64,
    /// By how many standard deviations of a random pairing an aligned file is expected to be nearer.
    pub expected: f64,
    /// True when there is enough to tell.
    pub tells: bool,
    /// True when own pairs are nearer than every random pairing, or at distance 0 where random
    /// pairs are not.
    pub nearer: bool,
    /// True when it tells, and own pairs are not nearer than every random pairing.
    pub doubtful: bool,
}

/// Why records are taken to belong together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pairing {
    /// By their rows.
    Rows,
    /// By a key.
    Key,
    /// Somebody insists on it.
    Insisted,
}

impl Correspondence {
    /// Tests the pairs of `release` on `attributes`; what is drawn depends on `seed` alone.
    ///
    /// Fails where [`Release::distances`] does, and when `listener` interrupts.
    pub fn test(
        release: &Release,
        attributes: &[String],
        seed: u64,
        listener: &dyn Listener,
    ) -> Result<Self> {
        let release = release.whole();
        let released = release.released_in_order()?;
        let files = [release.original(), &released];
        let ranges = release.distances(attributes, Standardization::Range)?;
        let tester = Tester { distances: &ranges, own: release.own(), seed, listener };
        let mut tests = vec![tester.whole_file()];
        if let Some(own) = own_scale(release, attributes) {
            let whole = Tester { distances: &own, ..tester }.whole_file();
            tests.push(PairingTest { own_scale: true, ..whole });
        }
        tests.extend(tester.inside_blocks(files)?);
        let misplaced = if_wanted(listener, || Misplaced::among(files, attributes))?;
        let elsewhere = Elsewhere::among(release, attributes, seed, listener)?;
        let moved = misplaced.is_doubtful() || elsewhere.is_doubtful();
        let records = release.records();
        let verdict = verdict(&tests, moved, records);
        Ok(Self { verdict, records, pairings: PAIRINGS, tests, misplaced, elsewhere })
    }

    /// Fails when the rows are doubtful, with the remedy that `by` says.
    pub fn refuse(&self, release: &Release, by: Pairing) -> Result<()> {
        match self.verdict {
            RowsVerdict::Doubtful => {
                Err(Error::input(release.released().name(), self.sentences(by).join(" ")))
            }
            _ => Ok(()),
        }
    }

    /// What is to be said: nothing when rows correspond; the evidence and the remedy when not.
    pub fn sentences(&self, by: Pairing) -> Vec<String> {
        let remedy = match by {
            Pairing::Insisted => "That they do is insisted on.",
            Pairing::Rows => "Name a common column with `key`, or insist with `rows_correspond`.",
            Pairing::Key => {
                "See whether the `key` names the same people in both files, or insist with \
                 `rows_correspond`."
            }
        };
        match self.verdict {
            RowsVerdict::Corresponds => Vec::new(),
            RowsVerdict::TellsNothing => {
                let nothing = "The released values vary too little to tell whether rows belong \
                               together; that they do is taken on trust.";
                vec![nothing.to_owned()]
            }
            RowsVerdict::Doubtful => vec![
                "The rows do not seem to correspond with those of the original.".to_owned(),
                self.evidence(),
                remedy.to_owned(),
            ],
            RowsVerdict::TooFew => vec![
                format!("Too few records ({}) to tell whether rows correspond.", self.records),
                self.evidence(),
                remedy.to_owned(),
            ],
        }
    }

    /// What speaks most clearly: values of others, a doubtful test of the whole file, the
    /// doubtful one that expects most, or values of others that were changed.
    fn evidence(&self) -> String {
        if self.misplaced.is_doubtful() {
            return self.misplaced.sentence();
        }
        let doubtful = || self.tests.iter().filter(|test| test.doubtful);
        let whole = doubtful().find(|test| test.block.is_none());
        let clearest = || doubtful().max_by(|a, b| a.expected.total_cmp(&b.expected));
        match whole.or_else(clearest) {
            None if self.elsewhere.is_doubtful() => self.elsewhere.sentence(),
            clearest => clearest.unwrap_or(&self.tests[0]).sentence(),
        }
    }
}

impl PairingTest {
    fn new(block: Option<String>, found: Nearness) -> Self {
        let tells = match block {
            None => found.most >= LEAST_MOST,
            Some(_) => found.expected >= LEAST_EXPECTED,
        };
        Self {
            block,
            rows: None,
            released: false,
            neighbors: false,
            own_scale: false,
            records: found.records,
            share_as_near: found.as_near as f64 / PAIRINGS as f64,
            expected: found.expected,
            tells,
            nearer: found.is_nearer(),
            doubtful: tells && !found.is_nearer(),
        }
    }

    fn sentence(&self) -> String {
        let as_near = (self.share_as_near * PAIRINGS as f64).round();
        let are = if as_near == 1.0 { "is" } else { "are" };
        format!(
            "{} pairs are not clearly nearer than random pairs: {as_near} of 1,000 random pairings \
             {are} at least as near.",
            self.whose()
        )
    }

    /// Whose pairs were compared.
    fn whose(&self) -> String {
        if let Some([first, last]) = self.rows {
            return format!("In rows {first} to {last}, own");
        }
        let Some(name) = &self.block else { return "Own".to_owned() };
        let nearly = if self.neighbors { "nearly " } else { "" };
        let released = if self.released { "released " } else { "" };
        format!("Among records with {nearly}the same {released}{}, own", isolated(name))
    }
}

/// A column whose equal values make blocks of pairs.
struct Block<'a> {
    /// The file, in the order of the original.
    file: &'a Dataset,
    attribute: &'a Attribute,
    released: bool,
}

/// The columns of the original, and those of the release that are not the same.
fn blocks<'a>(original: &'a Dataset, released: &'a Dataset) -> Vec<Block<'a>> {
    let columns = |file: &'a Dataset, released: bool| {
        file.attributes().iter().map(move |attribute| Block { file, attribute, released })
    };
    let is_same = |block: &Block<'_>| {
        original.values(&block.attribute.name).is_ok_and(|values| *values == block.attribute.values)
    };
    let changed = columns(released, true).filter(|block| !is_same(block));
    columns(original, false).chain(changed).collect()
}

/// Distances of numbers on each file's own scale; none where there are no numbers that vary.
fn own_scale(release: &Release, attributes: &[String]) -> Option<AttributeDistances> {
    let is_number = |name: &String| {
        let in_file = |file: &Dataset| matches!(file.values(name), Ok(Values::Numeric(_)));
        in_file(release.original()) && in_file(release.released())
    };
    let any = attributes.iter().any(is_number);
    any.then(|| release.distances(attributes, Standardization::Own).ok())?
}

/// Adjacent rows that are exchanged: rows shuffled so many or more at a time are no nearer than that.
const ADJACENT: [usize; 2] = [2, 3];

/// Parts of a file that are tested by themselves, at most, and the records of one at least.
const PARTS: u32 = 16;
const PART: u32 = 100;
/// Records that are drawn of a part.
const DRAWN_OF_PART: usize = 256;

/// The file cut into nearly equal parts; none where it is too short for two.
fn parts_of_file(records: u32) -> Vec<Range<u32>> {
    let parts = (records / PART).min(PARTS);
    let start = |part: u32| (u64::from(part) * u64::from(records) / u64::from(parts)) as u32;
    let cut = (0..parts).map(|part| start(part)..start(part + 1));
    if parts < 2 { Vec::new() } else { cut.collect() }
}

/// What adjacent rows share.
const PLACE: &str = "place in the file";

/// What all tests share.
#[derive(Clone, Copy)]
struct Tester<'a> {
    distances: &'a AttributeDistances,
    own: &'a [u32],
    seed: u64,
    listener: &'a dyn Listener,
}

impl Tester<'_> {
    /// Every test inside blocks of an original and a released file, in the original's order.
    fn inside_blocks(&self, [original, released]: [&Dataset; 2]) -> Result<Vec<PairingTest>> {
        let blocks = blocks(original, released);
        let inside = |block| if_wanted(self.listener, || self.inside(block));
        let inside: Result<Vec<_>> = blocks.par_iter().map(inside).collect();
        let mut tests: Vec<PairingTest> = inside?.into_iter().flatten().collect();
        tests.extend(self.inside_unchanged(original, released)?);
        tests.extend(ADJACENT.into_iter().filter_map(|rows| self.adjacent(rows)));
        for part in parts_of_file(self.own.len() as u32) {
            tests.push(if_wanted(self.listener, || Ok(self.inside_part(part)))?);
        }
        Ok(tests)
    }

    /// In a part of the file, whose rows may have slipped by one while the others have not.
    fn inside_part(&self, part: Range<u32>) -> PairingTest {
        let rows = Some([part.start as usize + 1, part.end as usize]);
        let groups = Groups::of_part(part, DRAWN_OF_PART, &mut generator(self.seed, 0));
        let test = PairingTest::new(Some(PLACE.to_owned()), self.measure(&groups, None));
        PairingTest { rows, ..test }
    }

    /// Among so many adjacent rows; none where they are few.
    fn adjacent(&self, rows: usize) -> Option<PairingTest> {
        let records = self.own.len() as u32;
        let groups = Groups::of_adjacent(records, rows, &mut generator(self.seed, 0));
        let test = || PairingTest::new(Some(PLACE.to_owned()), self.measure(&groups, None));
        (groups.records() >= FEW).then(|| PairingTest { neighbors: true, ..test() })
    }

    fn whole_file(&self) -> PairingTest {
        let all: Vec<u32> = (0..self.own.len() as u32).collect();
        let groups = Groups::of_equals([all], &mut generator(self.seed, 0));
        PairingTest::new(None, self.measure(&groups, None))
    }

    /// Inside classes of records that agree on all columns that are the same in both files: rows
    /// that were sorted by several columns, or shuffled inside their classes, leave these so. None
    /// where there are not several, or too few records share their values.
    fn inside_unchanged(
        &self,
        original: &Dataset,
        released: &Dataset,
    ) -> Result<Option<PairingTest>> {
        let is_same = |a: &&Attribute| released.values(&a.name).is_ok_and(|v| *v == a.values);
        let mut names = Vec::new();
        for attribute in original.attributes().iter().filter(is_same) {
            let values = EquivalenceClasses::new(original, &[&attribute.name])?.len();
            if values > 1 && 2 * values <= original.records() {
                names.push(&attribute.name);
            }
        }
        if names.len() < 2 {
            return Ok(None);
        }
        let classes = EquivalenceClasses::new(original, &names)?;
        let equal = classes.equal_rows_of_each().filter(|rows| rows.len() > 1);
        let groups = Groups::of_equals(equal.map(<[u32]>::to_vec), &mut generator(self.seed, 0));
        let together = names.iter().map(|name| name.as_str()).collect::<Vec<_>>().join(", ");
        let test = || PairingTest::new(Some(together), self.measure(&groups, None));
        Ok((groups.records() >= FEW).then(test))
    }

    /// Inside the blocks of a column; none where nobody shares one.
    fn inside(&self, block: &Block<'_>) -> Result<Option<PairingTest>> {
        let mut random = generator(self.seed, 0);
        let name = &block.attribute.name;
        let classes = EquivalenceClasses::new(block.file, &[name])?;
        let equal = || classes.equal_rows_of_each().filter(|rows| rows.len() > 1);
        let is_rare = 2 * equal().map(<[u32]>::len).sum::<usize>() < self.own.len();
        let neighbors = in_order(&block.attribute.values).filter(|_| is_rare);
        let groups = match &neighbors {
            Some(records) => Groups::of_neighbors(records, &mut random),
            None => Groups::of_equals(equal().map(<[u32]>::to_vec), &mut random),
        };
        if groups.records() == 0 {
            return Ok(None);
        }
        let without = self.distances.names().iter().position(|n| n == name);
        let found = self.measure(&groups, without);
        let test = PairingTest::new(Some(name.clone()), found);
        Ok(Some(PairingTest { released: block.released, neighbors: neighbors.is_some(), ..test }))
    }

    fn measure(&self, groups: &Groups, without: Option<usize>) -> Nearness {
        Nearness::measure(self.distances, self.own, groups, without, self.seed)
    }
}

/// The records that have a number, by it; none for labels.
fn in_order(values: &Values) -> Option<Vec<u32>> {
    let Values::Numeric(column) = values else { return None };
    let numbers = column.iter().zip(0u32..);
    let mut present: Vec<(f64, u32)> = numbers.filter_map(|(v, i)| Some((v?, i))).collect();
    present.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    Some(present.into_iter().map(|(_, i)| i).collect())
}

fn verdict(tests: &[PairingTest], moved: bool, records: usize) -> RowsVerdict {
    let nearer = tests.iter().any(|test| test.block.is_none() && test.nearer);
    match moved || tests.iter().any(|test| test.doubtful) {
        true if records < FEW => RowsVerdict::TooFew,
        true => RowsVerdict::Doubtful,
        false if nearer => RowsVerdict::Corresponds,
        false if records < FEW => RowsVerdict::TooFew,
        false => RowsVerdict::TellsNothing,
    }
}

/// True when the released records stand in the order of the original: whoever has the original
/// in that order links by position.
pub fn in_original_order(release: &Release) -> bool {
    release.whole().own().windows(2).all(|pair| pair[0] < pair[1])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dataset::ReadOptions;
    use crate::protection::microaggregation::Mdav;
    use crate::protection::{Noise, ProtectionMethod, RankSwapping};
    use proptest::prelude::*;
    use rand::seq::SliceRandom;

    const PERSON: [&str; 5] = ["age", "sex", "region", "education", "occupation"];

    fn load(name: &str) -> Dataset {
        Dataset::load(name, &ReadOptions::default()).unwrap()
    }

    fn names(list: &[&str]) -> Vec<String> {
        list.iter().map(|name| (*name).to_owned()).collect()
    }

    fn test(original: &Dataset, released: Dataset, names: &[String], seed: u64) -> Correspondence {
        let release = Release::by_row(original.clone(), released).unwrap();
        Correspondence::test(&release, names, seed, &()).unwrap()
    }

    /// `file` with its rows shuffled among those with the same value of `block`, or all of them.
    fn shuffled(file: &Dataset, block: Option<&str>, seed: u64) -> Dataset {
        let mut rows: Vec<usize> = (0..file.records()).collect();
        let mut random = generator(seed, 1_000);
        match block {
            None => rows.shuffle(&mut random),
            Some(name) => {
                let classes = EquivalenceClasses::new(file, &[name]).unwrap();
                for class in classes.equal_rows_of_each() {
                    let mut moved = class.to_vec();
                    moved.shuffle(&mut random);
                    class.iter().zip(moved).for_each(|(&i, j)| rows[i as usize] = j as usize);
                }
            }
        }
        file.select(&rows).unwrap()
    }

    fn doubted_blocks(found: &Correspondence) -> Vec<&str> {
        let doubted = found.tests.iter().filter(|test| test.doubtful);
        doubted.filter_map(|test| test.block.as_deref()).collect()
    }

    /// Aligned files must pass, and the same files with all rows shuffled must not.
    fn tells_aligned_from_shuffled(
        file: &str,
        attributes: &[String],
        method: &dyn ProtectionMethod,
        seeds: u64,
    ) {
        let original = load(file);
        for seed in 0..seeds {
            let released = method.protect(&original, attributes, seed, &()).unwrap().released;
            let mixed = shuffled(&released, None, seed);
            let aligned = test(&original, released, attributes, seed);
            assert_eq!(aligned.verdict, RowsVerdict::Corresponds, "{file}, {seed}: {aligned:?}");
            let mixed = test(&original, mixed, attributes, seed);
            assert_eq!(mixed.verdict, RowsVerdict::Doubtful, "{file}, {seed}");
        }
    }

    fn on_both_files(method: &dyn ProtectionMethod, seeds: u64) {
        let census = load("census").names();
        tells_aligned_from_shuffled("census", &census, method, seeds);
        tells_aligned_from_shuffled("census", &census[..2], method, seeds);
        tells_aligned_from_shuffled("survey", &names(&["age", "weight"]), method, seeds);
    }

    #[test]
    fn noise_of_320_percent_is_not_refused_and_is_caught_when_shuffled() {
        on_both_files(&Noise::new(320.0), 7);
    }

    #[test]
    fn rank_swapping_of_40_percent_is_not_refused_and_is_caught_when_shuffled() {
        on_both_files(&RankSwapping::new(40.0), 7);
    }

    #[test]
    fn mdav_with_50_in_a_group_is_not_refused_and_is_caught_when_shuffled() {
        on_both_files(&Mdav::new(50), 2);
    }

    #[test]
    fn an_unprotected_file_shuffled_inside_its_blocks_is_caught() {
        let survey = load("survey");
        for block in PERSON {
            let found = test(&survey, shuffled(&survey, Some(block), 1), &names(&PERSON), 1);
            assert_eq!(found.verdict, RowsVerdict::Doubtful);
            assert!(doubted_blocks(&found).contains(&block), "{block}: {found:?}");
        }
        let aligned = test(&survey, survey.clone(), &names(&PERSON), 1);
        assert_eq!(aligned.verdict, RowsVerdict::Corresponds);
    }

    #[test]
    fn a_protected_file_with_labels_is_caught_only_when_shuffled_inside_its_regions() {
        let survey = load("survey");
        for k in [5, 50] {
            let released = Mdav::new(k).protect(&survey, &names(&PERSON), 1, &()).unwrap().released;
            let mixed = test(&survey, shuffled(&released, Some("region"), 1), &names(&PERSON), 1);
            assert_eq!(mixed.verdict, RowsVerdict::Doubtful, "k = {k}: {mixed:?}");
            let aligned = test(&survey, released, &names(&PERSON), 1);
            assert_eq!(aligned.verdict, RowsVerdict::Corresponds, "k = {k}: {aligned:?}");
        }
    }

    #[test]
    fn files_that_were_both_sorted_by_a_protected_attribute_are_caught() {
        let census = load("census");
        let attributes = census.names()[..5].to_vec();
        let noisy = Noise::new(20.0).protect(&census, &attributes, 1, &()).unwrap().released;
        let by_first = |file: &Dataset| {
            let rows = in_order(&file.attributes()[0].values).unwrap();
            file.select(&rows.iter().map(|&i| i as usize).collect::<Vec<_>>()).unwrap()
        };
        let found = test(&by_first(&census), by_first(&noisy), &attributes, 1);
        assert!(!found.tests[0].doubtful, "the sorted attribute hides it");
        assert!(doubted_blocks(&found).contains(&attributes[0].as_str()), "{found:?}");
    }

    #[test]
    fn below_a_hundred_records_doubts_are_a_warning() {
        let few = load("census").select(&(0..80).collect::<Vec<_>>()).unwrap();
        let release = Release::by_row(few.clone(), shuffled(&few, None, 1)).unwrap();
        let found = Correspondence::test(&release, &few.names(), 1, &()).unwrap();
        assert_eq!(found.verdict, RowsVerdict::TooFew);
        assert!(found.refuse(&release, Pairing::Rows).is_ok());
        assert!(found.sentences(Pairing::Rows)[0].contains("(80)"));
        assert_eq!(test(&few, few.clone(), &few.names(), 1).verdict, RowsVerdict::Corresponds);
    }

    #[test]
    fn three_equal_records_correspond() {
        let text = b"x,y\n1,a\n2,b\n3,c\n";
        let file = Dataset::from_csv("example", text, &ReadOptions::default()).unwrap();
        assert_eq!(test(&file, file.clone(), &file.names(), 1).verdict, RowsVerdict::Corresponds);
    }

    #[test]
    fn a_release_of_constants_is_not_refused_and_says_that_it_tells_nothing() {
        let census = load("census").select(&(0..200).collect::<Vec<_>>()).unwrap();
        let constant = Attribute::numeric("AGI", vec![7.0; 200]).unwrap();
        let released = census.with_columns([(census.position("AGI").unwrap(), constant.values)]);
        let found = test(&census, released, &names(&["AGI"]), 1);
        assert_eq!(found.verdict, RowsVerdict::TellsNothing);
        assert_eq!(found.sentences(Pairing::Rows).len(), 1);
    }

    #[test]
    fn a_refusal_names_the_file_the_evidence_and_the_remedy() {
        let survey = load("survey");
        let noisy = Noise::new(5.0).protect(&survey, &names(&["age"]), 1, &()).unwrap().released;
        let mixed = shuffled(&noisy, Some("region"), 1);
        let release = Release::by_row(survey, mixed).unwrap();
        let found = Correspondence::test(&release, &names(&PERSON), 1, &()).unwrap();
        let error = found.refuse(&release, Pairing::Rows).unwrap_err().to_string();
        assert!(error.starts_with("survey: The rows do not seem to correspond"), "{error}");
        assert!(error.contains("Among records with the same region, own pairs"), "{error}");
        assert!(error.contains("`key`") && error.contains("`rows_correspond`"), "{error}");
    }

    #[test]
    fn the_same_seed_gives_the_same_answer_on_any_number_of_threads() {
        let survey = load("survey");
        let noisy = Noise::new(50.0).protect(&survey, &names(&["age"]), 1, &()).unwrap().released;
        let run = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| test(&survey, noisy.clone(), &names(&PERSON), 3))
        };
        assert_eq!(run(1), run(4));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(24))]

        #[test]
        fn any_shuffle_of_numbers_is_caught_and_the_file_itself_never(
            records in 100usize..400, attributes in 1usize..4, seed: u64,
        ) {
            let mut random = generator(seed, 0);
            let column = |k: usize, random: &mut rand_chacha::ChaCha8Rng| {
                let values = (0..records).map(|_| f64::from(random.random_range(0..50u32)));
                Attribute::numeric(format!("x{k}"), values.collect()).unwrap()
            };
            let columns = (0..attributes).map(|k| column(k, &mut random)).collect();
            let file = Dataset::new("random", columns).unwrap();
            let found = test(&file, file.clone(), &file.names(), seed);
            prop_assert_eq!(found.verdict, RowsVerdict::Corresponds);
            let mixed = test(&file, shuffled(&file, None, seed), &file.names(), seed);
            // One shuffle in a thousand passes by chance.
            let by_chance = mixed.tests[0].share_as_near == 0.0;
            prop_assert!(mixed.verdict == RowsVerdict::Doubtful || by_chance);
        }

        #[test]
        fn rows_in_order_are_found_in_order_with_and_without_gaps(kept in 3usize..20) {
            let column = |records: usize| {
                Attribute::numeric("id", (0..records).map(|i| i as f64).collect()).unwrap()
            };
            let file = |records| Dataset::new("ids", vec![column(records)]).unwrap();
            let release = Release::by_key(file(20), file(kept), "id").unwrap();
            prop_assert!(in_original_order(&release));
            let backwards = file(kept).select(&(0..kept).rev().collect::<Vec<_>>()).unwrap();
            let release = Release::by_key(file(20), backwards, "id").unwrap();
            prop_assert!(!in_original_order(&release));
        }
    }
}
