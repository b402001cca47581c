//! k, l and t of one file.

use super::classes::{ClassSize, EquivalenceClasses};
use super::closeness::WholeFile;
use super::diversity::{entropy_l, frequencies, recursive_l};
use super::homogeneity::Homogeneity;
use super::sensitive::{Levels, SensitiveValues};
use crate::dataset::Dataset;
use crate::error::{Error, Result};
use crate::table::Table;
use crate::words::listed;
use serde::Serialize;
use std::fmt;

/// k-anonymity, l-diversity and t-closeness of a file.
///
/// Attacker: knows the quasi-identifiers of a person in the file. Missing values:
/// a missing quasi-identifier equals other missing ones only; a missing
/// sensitive value is no value that counts for l, so that l is 0 where a class has none, and for t
/// left out where values have an order, else a value of its own. Generalized values (`*`) match every value: k, l and t are
/// those of covered sets ([`EquivalenceClasses`]), which is what the release alone
/// shows; linkage tells what an attacker who holds the original values can do. Cost:
/// O(n log n).
///
/// ```
/// use unmask::dataset::{Dataset, ReadOptions};
/// use unmask::anonymity::{Anonymity, AnonymityOptions};
///
/// let text = b"age,town,illness\n20,a,flu\n20,a,cold\n30,b,flu\n30,b,flu\n";
/// let file = Dataset::from_csv("example", text, &ReadOptions::default())?;
/// let options = AnonymityOptions::default();
/// let found = Anonymity::measure(&file, &["age", "town"], &["illness"], &options)?;
/// assert_eq!((found.k, found.sensitive[0].distinct_l), (2, 1));
/// # Ok::<(), unmask::error::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Anonymity {
    /// Records in the file.
    pub records: usize,
    /// The quasi-identifiers.
    pub quasi_identifiers: Vec<String>,
    /// Size of the smallest class; in a file with generalized values, of the smallest covered set.
    pub k: usize,
    /// The least number of equal rows in a file with generalized values, where it may be
    /// less than k.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fewest_equal_rows: Option<usize>,
    /// Number of classes.
    pub classes: usize,
    /// Number of records alone in their class.
    pub uniques: usize,
    /// How many classes there are of each size.
    pub class_sizes: Vec<ClassSize>,
    /// One entry per sensitive attribute.
    pub sensitive: Vec<SensitiveMeasures>,
}

/// l-diversity and t-closeness of one sensitive attribute, those of the worst class, and how
/// many classes give its value away.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SensitiveMeasures {
    /// The attribute.
    pub attribute: String,
    /// Least number of different values in a class.
    pub distinct_l: usize,
    /// Least exp(entropy) of a class.
    pub entropy_l: f64,
    /// Largest l for which every class is recursively (c, l)-diverse.
    pub recursive_l: usize,
    /// The c of `recursive_l`.
    pub recursive_c: f64,
    /// Greatest distance of a class's values from the whole file's.
    pub t: f64,
    /// What a homogeneity attack learns: classes whose value is certain, and their records.
    pub certain: Homogeneity,
}

/// How sensitive values are compared.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AnonymityOptions {
    /// The c of recursive (c, l)-diversity.
    pub c: f64,
    /// Cut numeric sensitive attributes into levels.
    pub levels: Option<Levels>,
}

impl Default for AnonymityOptions {
    fn default() -> Self {
        Self { c: 3.0, levels: None }
    }
}

impl Anonymity {
    /// Measures `dataset` with the given quasi-identifiers and sensitive attributes.
    ///
    /// Fails on an unknown attribute, one that is both, a sensitive one without any value, and when
    /// there is no quasi-identifier.
    pub fn measure<S: AsRef<str>>(
        dataset: &Dataset,
        quasi: &[S],
        sensitive: &[S],
        options: &AnonymityOptions,
    ) -> Result<Self> {
        if !(options.c.is_finite() && options.c > 0.0) {
            return Err(Error::parameter("c", options.c, "but c is a number above 0"));
        }
        let names = |list: &[S]| -> Vec<String> {
            list.iter().map(|name| name.as_ref().to_owned()).collect()
        };
        let quasi_identifiers = names(quasi);
        if let Some(both) = names(sensitive).iter().find(|s| quasi_identifiers.contains(s)) {
            let problem = "is also a quasi-identifier; an attribute has one role";
            return Err(Error::parameter("sensitive", both, problem));
        }
        for position in dataset.positions(sensitive)? {
            let attribute = &dataset.attributes()[position];
            if attribute.is_blank() {
                let problem = "has no value that anybody could learn; leave it out";
                return Err(Error::parameter("sensitive", &attribute.name, problem));
            }
        }
        let classes = EquivalenceClasses::new(dataset, quasi)?;
        let measured = |attribute: &S| measure(dataset, &classes, attribute.as_ref(), options);
        Ok(Self {
            records: dataset.records(),
            quasi_identifiers,
            k: classes.k(),
            fewest_equal_rows: classes.fewest_equal_rows(),
            classes: classes.len(),
            uniques: classes.uniques(),
            class_sizes: classes.sizes(),
            sensitive: sensitive.iter().map(measured).collect::<Result<_>>()?,
        })
    }
}

fn measure(
    dataset: &Dataset,
    classes: &EquivalenceClasses,
    attribute: &str,
    options: &AnonymityOptions,
) -> Result<SensitiveMeasures> {
    let values = SensitiveValues::new(dataset, attribute, options.levels)?;
    let file = WholeFile::new(&values);
    let mut worst = SensitiveMeasures {
        attribute: attribute.to_owned(),
        distinct_l: usize::MAX,
        entropy_l: f64::INFINITY,
        recursive_l: usize::MAX,
        recursive_c: options.c,
        t: 0.0,
        certain: Homogeneity::of(classes, &values),
    };
    for class in classes.iter() {
        let codes = values.of(&class);
        let counts = frequencies(values.present(&codes));
        worst.distinct_l = worst.distinct_l.min(counts.len());
        worst.entropy_l = worst.entropy_l.min(entropy_l(&counts));
        worst.recursive_l = worst.recursive_l.min(recursive_l(&counts, options.c));
        worst.t = worst.t.max(file.distance(&codes));
    }
    Ok(worst)
}

impl fmt::Display for Anonymity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let quasi = &self.quasi_identifiers;
        writeln!(f, "records            {}", self.records)?;
        writeln!(f, "quasi-identifiers  {}: {}", quasi.len(), listed(quasi))?;
        writeln!(f, "k-anonymity        k = {}", self.k)?;
        if let Some(rows) = self.fewest_equal_rows {
            writeln!(f, "generalized (*)    k of the covered sets; fewest equal rows {rows}")?;
        }
        writeln!(f, "classes            {}", self.classes)?;
        let share = 100.0 * self.uniques as f64 / self.records as f64;
        writeln!(f, "unique records     {} ({share:.2}%)", self.uniques)?;
        write!(f, "\n{}", self.size_table())?;
        if !self.sensitive.is_empty() {
            write!(f, "\n\n{}", self.sensitive_table())?;
        }
        Ok(())
    }
}

/// Lower ends of the rows of the table of class sizes.
const SIZES: [usize; 11] = [1, 2, 3, 4, 5, 10, 20, 50, 100, 1_000, 10_000];

impl Anonymity {
    fn size_table(&self) -> Table {
        let mut table = Table::new(["class size", "classes", "records"]);
        for (row, &low) in SIZES.iter().enumerate() {
            let high = SIZES.get(row + 1).map_or(usize::MAX, |next| next - 1);
            let within = self.class_sizes.iter().filter(|s| (low..=high).contains(&s.size));
            let (classes, records) =
                within.fold((0, 0), |(c, r), s| (c + s.classes, r + s.records));
            if classes > 0 {
                let size = match high {
                    usize::MAX => format!("{low} or more"),
                    _ if low == high => low.to_string(),
                    _ => format!("{low} to {high}"),
                };
                table.row([size, classes.to_string(), records.to_string()]);
            }
        }
        table
    }

    fn sensitive_table(&self) -> Table {
        let mut table = Table::new([
            "sensitive",
            "distinct l",
            "entropy l",
            "recursive (c, l)",
            "t-closeness",
            "certain classes",
            "certain records",
        ]);
        for s in &self.sensitive {
            table.row([
                s.attribute.clone(),
                s.distinct_l.to_string(),
                format!("{:.2}", s.entropy_l),
                format!("({}, {})", s.recursive_c, s.recursive_l),
                format!("{:.4}", s.t),
                format!("{:.2}%", 100.0 * s.certain.classes.rate()),
                format!("{:.2}%", 100.0 * s.certain.records.rate()),
            ]);
        }
        table
    }
}
