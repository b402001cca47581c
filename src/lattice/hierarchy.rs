//! The names of an attribute's values on each level of generality.

use crate::dataset::ValueGroups;
use crate::error::{Error, Result};
use crate::words::quoted;
use std::collections::HashMap;

/// A value hierarchy: level 0 is the values themselves, each level above is a function of the
/// one below.
///
/// On every level values have codes 0, 1, ... without gap, in order of appearance.
/// Missing values: one is generalized like the value that stands for it (an empty one,
/// `NA` or `?`) where the hierarchy has such a value; else it is a value of its own, which
/// stays missing up to the first level with a single name, where it takes that name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hierarchy {
    attribute: String,
    /// By level and code.
    names: Vec<Vec<String>>,
    /// By level and code: the code on the next level.
    parents: Vec<Vec<u32>>,
    /// Level 0 by name.
    codes: HashMap<String, u32>,
    /// What errors call it: a file, or the attribute.
    place: String,
}

/// One value with its names, and the line it stands on where it comes from a file.
pub(super) struct Row {
    pub line: Option<u64>,
    pub names: Vec<String>,
}

/// Values that stand for a missing one: what a reader takes for it, unless told otherwise.
pub(crate) const MISSING: [&str; 3] = ["", "NA", "?"];

impl Hierarchy {
    /// The hierarchy of `attribute` with a row per value: the value itself, then its name on
    /// level 1, 2, ...
    ///
    /// Fails on no rows, rows of different length, and a level that is no function of the one
    /// below. Cost: O(rows * levels).
    pub fn new<S: AsRef<str>>(
        attribute: &str,
        rows: impl IntoIterator<Item = impl AsRef<[S]>>,
    ) -> Result<Self> {
        let names = |row: &[S]| row.iter().map(|name| name.as_ref().to_owned()).collect();
        let rows = rows.into_iter().map(|row| Row { line: None, names: names(row.as_ref()) });
        Self::checked(format!("hierarchy of {attribute}"), attribute, rows)
    }

    /// As [`Hierarchy::new`], with errors that begin with `place`.
    pub(super) fn checked(
        place: String,
        attribute: &str,
        rows: impl IntoIterator<Item = Row>,
    ) -> Result<Self> {
        let mut rows = rows.into_iter().peekable();
        let levels = rows.peek().map_or(0, |row| row.names.len());
        if levels == 0 {
            return Err(Error::input(place, "no values; write one row per value"));
        }
        let mut builder = Builder::new(place, levels);
        rows.try_for_each(|row| builder.add(row))?;
        Ok(builder.finish(attribute))
    }

    /// The attribute's name.
    pub fn attribute(&self) -> &str {
        &self.attribute
    }

    /// Number of levels, the values themselves counted.
    pub fn levels(&self) -> usize {
        self.names.len()
    }

    /// The names on `level`, by code.
    pub fn names(&self, level: usize) -> &[String] {
        &self.names[level]
    }

    /// The code on level 0 of `value`, `None` when the hierarchy does not cover it.
    pub fn code(&self, value: &str) -> Option<u32> {
        self.codes.get(value).copied()
    }

    /// True when this is the hierarchy of `attribute` and has `name` on some level.
    pub fn names_it(&self, attribute: &str, name: &str) -> bool {
        self.attribute == attribute && self.names.iter().flatten().any(|known| known == name)
    }

    /// The code on level 0 that a missing value has, where the hierarchy names one.
    pub fn missing_code(&self) -> Option<u32> {
        MISSING.iter().find_map(|token| self.code(token))
    }

    /// The code on `level + 1` of `code` on `level`; below the top level only.
    pub fn parent(&self, level: usize, code: u32) -> u32 {
        self.parents[level][code as usize]
    }

    /// The code on level `to` of `code` on level `from <= to`.
    pub fn raise(&self, code: u32, from: usize, to: usize) -> u32 {
        (from..to).fold(code, |code, level| self.parent(level, code))
    }

    /// Each value with its names on all levels: what [`Hierarchy::new`] takes.
    pub fn rows(&self) -> Vec<Vec<String>> {
        let name =
            |code: u32, level| self.names[level][self.raise(code, 0, level) as usize].clone();
        let row = |code| (0..self.levels()).map(|level| name(code, level)).collect();
        (0..self.names[0].len() as u32).map(row).collect()
    }

    /// Adds the name of each node above level 0, with the values it stands for.
    pub fn add_groups(&self, groups: &mut ValueGroups) {
        for (code, value) in (0..).zip(&self.names[0]) {
            for level in 1..self.levels() {
                let name = &self.names[level][self.raise(code, 0, level) as usize];
                groups.add(&self.attribute, name, value);
            }
        }
    }

    /// What errors call this hierarchy.
    pub(super) fn place(&self) -> &str {
        &self.place
    }
}

/// Takes rows one by one and checks each against those before.
struct Builder {
    place: String,
    codes: Vec<HashMap<String, u32>>,
    names: Vec<Vec<String>>,
    parents: Vec<Vec<u32>>,
}

impl Builder {
    fn new(place: String, levels: usize) -> Self {
        Self {
            place,
            codes: vec![HashMap::new(); levels],
            names: vec![Vec::new(); levels],
            parents: vec![Vec::new(); levels - 1],
        }
    }

    fn add(&mut self, row: Row) -> Result<()> {
        if row.names.len() != self.names.len() {
            return Err(self.ragged(&row));
        }
        let mut below = None;
        for (level, name) in row.names.iter().enumerate() {
            let code = self.code(level, name);
            if let Some(child) = below {
                self.join(&row, level, child, code)?;
            }
            below = Some(code);
        }
        Ok(())
    }

    /// The code of `name` on `level`, a new one when it is new.
    fn code(&mut self, level: usize, name: &str) -> u32 {
        if let Some(&code) = self.codes[level].get(name) {
            return code;
        }
        let code = self.names[level].len() as u32;
        self.codes[level].insert(name.to_owned(), code);
        self.names[level].push(name.to_owned());
        code
    }

    /// Puts `child` of the level below under `code`, or finds it under another already.
    fn join(&mut self, row: &Row, level: usize, child: u32, code: u32) -> Result<()> {
        let parents = &mut self.parents[level - 1];
        match parents.get(child as usize) {
            None => parents.push(code),
            Some(&other) if other != code => return Err(self.not_a_function(row, level, other)),
            Some(_) => {}
        }
        Ok(())
    }

    fn not_a_function(&self, row: &Row, level: usize, other: u32) -> Error {
        let problem = format!(
            "{} on level {} is {} on level {level}, but another row makes it {}: a level is a \
             function of the one below; give it one name",
            quoted(&row.names[level - 1]),
            level - 1,
            quoted(&row.names[level]),
            quoted(&self.names[level][other as usize]),
        );
        Error::input(self.line(row), problem)
    }

    fn ragged(&self, row: &Row) -> Error {
        let problem = format!(
            "value {} has {} columns, but the first row has {}: every value needs a name on \
             every level",
            quoted(row.names.first().map_or("", String::as_str)),
            row.names.len(),
            self.names.len(),
        );
        Error::input(self.line(row), problem)
    }

    fn line(&self, row: &Row) -> String {
        match row.line {
            Some(line) => format!("{}: line {line}", self.place),
            None => self.place.clone(),
        }
    }

    fn finish(mut self, attribute: &str) -> Hierarchy {
        Hierarchy {
            attribute: attribute.to_owned(),
            codes: self.codes.swap_remove(0),
            names: self.names,
            parents: self.parents,
            place: self.place,
        }
    }
}
