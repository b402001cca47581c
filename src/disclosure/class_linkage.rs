//! Linking persons to classes of a release in place of its records.

use crate::anonymity::EquivalenceClasses;
use crate::error::Result;
use crate::linkage::Release;

/// The attacker's records against the classes of equal records of a release.
///
/// In a k-anonymous release every record has k - 1 twins: no weights tell it apart, a tie
/// being a miss, and all that linkage can find is the class. Whoever finds it guesses the
/// record with one chance in its size, and knows for certain what its members share.
/// Attacks and [`crate::learning::worst_case`] work on `release` as on any other; take
/// [`crate::distance::Standardization::Original`], which does not ask how often released
/// values occur.
///
/// ```
/// use unmask::dataset::{Attribute, Dataset};
/// use unmask::linkage::Release;
/// use unmask::disclosure::ClassLinkage;
///
/// let file = |values: [f64; 4]| {
///     Dataset::new("file", vec![Attribute::numeric("x", values.into()).unwrap()]).unwrap()
/// };
/// let release = Release::by_row(file([1.0, 2.0, 8.0, 9.0]), file([1.5, 1.5, 8.5, 8.5])).unwrap();
/// let classes = ClassLinkage::new(&release, &["x"]).unwrap();
/// assert_eq!(classes.release.own(), [0, 0, 1, 1]);
/// assert_eq!(classes.guessed(&[true, true, true, false]), 1.5);
/// ```
#[derive(Debug, Clone)]
pub struct ClassLinkage {
    /// The same attacker; one released record for each class, to which all of its members belong.
    pub release: Release,
    /// The number of released records of each class.
    sizes: Vec<usize>,
}

impl ClassLinkage {
    /// The classes of the released file on the attributes `names`, in order of appearance.
    ///
    /// A missing or generalized value equals its like only. Fails on an unknown attribute,
    /// and when none is named. Cost: O(n) per attribute.
    pub fn new<S: AsRef<str>>(release: &Release, names: &[S]) -> Result<Self> {
        let classes = EquivalenceClasses::new(release.released(), names)?;
        let mut class_of = vec![0; release.released().records()];
        let (mut firsts, mut sizes) = (Vec::new(), Vec::new());
        for (number, rows) in (0u32..).zip(classes.equal_rows_of_each()) {
            rows.iter().for_each(|&row| class_of[row as usize] = number);
            firsts.push(rows[0] as usize);
            sizes.push(rows.len());
        }
        let own = release.own().iter().map(|&row| class_of[row as usize]).collect();
        let released = release.released().select(&firsts)?;
        let release = Release::by_own(release.original().clone(), released, own);
        Ok(Self { release, sizes })
    }

    /// How many records are re-identified on average by guessing within the classes of the
    /// records that are `found`.
    pub fn guessed(&self, found: &[bool]) -> f64 {
        let chance = |(own, _): (&u32, &bool)| 1.0 / self.sizes[*own as usize] as f64;
        self.release.own().iter().zip(found).filter(|(_, found)| **found).map(chance).sum()
    }
}
