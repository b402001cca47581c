//! Hierarchies from a folder: `<attribute>.csv` spells every value out, `<attribute>.toml` has a rule.
//!
//! A CSV hierarchy has no header and one row per value: the value itself, then its name on
//! level 1, 2, ... Fields are divided by semicolons where the first line has one, else by
//! commas: the layout that ARX uses.

use super::hierarchy::Row;
use super::rules::Rule;
use super::{Hierarchy, domain};
use crate::dataset::Dataset;
use crate::error::{Error, Result};
use crate::words::is_file_name;
use std::path::{Path, PathBuf};

/// The hierarchies of the attributes `quasi` of `data` from `folder`, in that order.
///
/// Fails on no or an unknown attribute, a missing file, one that is not a hierarchy, and a
/// value of `data` that is not covered.
pub fn load_hierarchies<S: AsRef<str>>(
    folder: &Path,
    data: &Dataset,
    quasi: &[S],
) -> Result<Vec<Hierarchy>> {
    if quasi.is_empty() {
        let problem = "no quasi-identifier; name them with `quasi`";
        return Err(Error::input(data.name(), problem));
    }
    data.positions(quasi)?;
    quasi.iter().map(|name| Hierarchy::load(folder, data, name.as_ref())).collect()
}

/// The hierarchies that `folder` has for attributes of `data`, in the order of the attributes.
///
/// Fails when there are none, on a file that is not a hierarchy, and on a value of `data` that
/// is not covered.
pub fn find_hierarchies(folder: &Path, data: &Dataset) -> Result<Vec<Hierarchy>> {
    let has_file = |name: &&String| {
        is_file_name(name)
            && ["csv", "toml"].iter().any(|kind| hierarchy_path(folder, name, kind).exists())
    };
    let names = data.names();
    let found: Vec<&String> = names.iter().filter(has_file).collect();
    if found.is_empty() {
        let problem = format!(
            "no hierarchy of a column of {}; call its file <column>.csv or <column>.toml",
            data.name()
        );
        return Err(Error::input(folder.display().to_string(), problem));
    }
    load_hierarchies(folder, data, &found)
}

fn hierarchy_path(folder: &Path, attribute: &str, extension: &str) -> PathBuf {
    folder.join(format!("{attribute}.{extension}"))
}

impl Hierarchy {
    /// The hierarchy of `attribute` from `folder`: `<attribute>.csv`, or the rule in
    /// `<attribute>.toml` on the values of `data`.
    ///
    /// Fails as [`load_hierarchies`] does.
    pub fn load(folder: &Path, data: &Dataset, attribute: &str) -> Result<Self> {
        if !is_file_name(attribute) {
            let problem = "but its hierarchy is looked for in a file of that name, and no file can \
                           have it; rename the column";
            return Err(Error::parameter("quasi", attribute, problem));
        }
        let [csv, toml] = ["csv", "toml"].map(|kind| hierarchy_path(folder, attribute, kind));
        match (csv.exists(), toml.exists()) {
            (true, false) => Self::load_file(&csv, data, attribute),
            (false, true) => Self::load_file(&toml, data, attribute),
            (true, true) => {
                let problem = format!("both {attribute}.csv and {attribute}.toml; keep one");
                Err(Error::input(folder.display().to_string(), problem))
            }
            (false, false) => Err(no_hierarchy(&csv, attribute)),
        }
    }

    /// The hierarchy of `attribute` from the file `path`: where that ends in .toml, the rule in it on
    /// the values of `data`, else CSV. Fails as [`load_hierarchies`] does.
    pub fn load_file(path: &Path, data: &Dataset, attribute: &str) -> Result<Self> {
        let is_rule = path.extension().is_some_and(|e| e.eq_ignore_ascii_case("toml"));
        let hierarchy = match is_rule {
            false => Self::read_csv(path, attribute)?,
            true => {
                let values = domain::distinct_values(data, attribute)?;
                Rule::load(path)?.hierarchy(&path.display().to_string(), attribute, &values)?
            }
        };
        domain::CodeDomain::new(data, &hierarchy).map(|_| hierarchy)
    }

    /// The hierarchy that the rule in the TOML `text`, called `place` in errors, gives on `values`.
    pub fn parse_toml(place: &str, attribute: &str, text: &str, values: &[String]) -> Result<Self> {
        Rule::parse(text, place)?.hierarchy(place, attribute, values)
    }

    /// Reads a CSV hierarchy; it need not cover any data.
    pub fn read_csv(path: &Path, attribute: &str) -> Result<Self> {
        let bytes = std::fs::read(path).map_err(|e| Error::io(path, e))?;
        Self::parse_csv(&path.display().to_string(), attribute, &bytes)
    }

    /// The hierarchy in the CSV text `bytes`, called `place` in errors.
    pub fn parse_csv(place: &str, attribute: &str, bytes: &[u8]) -> Result<Self> {
        let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
        let mut parser = csv::ReaderBuilder::new()
            .has_headers(false)
            .flexible(true)
            .delimiter(delimiter(bytes))
            .trim(csv::Trim::All)
            .from_reader(bytes);
        let mut rows = Vec::new();
        for record in parser.records() {
            let record = record.map_err(|e| Error::input(place, e.to_string()))?;
            let line = record.position().map(csv::Position::line);
            rows.push(Row { line, names: record.iter().map(str::to_owned).collect() });
        }
        Self::checked(place.to_owned(), attribute, rows)
    }
}

/// Names such as `[20, 30[` have commas: a semicolon in the first line wins.
fn delimiter(bytes: &[u8]) -> u8 {
    let first = bytes.split(|b| *b == b'\n').next().unwrap_or_default();
    if first.contains(&b';') { b';' } else { b',' }
}

fn no_hierarchy(csv: &Path, attribute: &str) -> Error {
    let problem = format!(
        "no such file, and no {attribute}.toml either; write a row per value: the value, then its \
         name on level 1, 2, ..."
    );
    Error::input(csv.display().to_string(), problem)
}
