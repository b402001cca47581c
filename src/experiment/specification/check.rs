//! Reading a specification so that everything wrong with it is told at once.
//!
//! Serde alone stops at the first problem. Here each key is taken out of its
//! table by itself; what cannot be used is noted with file, key, value and
//! remedy, and reading goes on. A key that nobody asked for is unknown.

use crate::error::{Error, Result};
use crate::words::excerpt;
use serde::de::DeserializeOwned;
use std::cell::RefCell;
use std::fmt::Display;
use std::path::Path;
use toml::{Table, Value};

/// What is wrong with one file.
#[derive(Debug)]
pub struct Problems {
    file: String,
    found: RefCell<Vec<String>>,
}

impl Problems {
    /// None yet; `file` as the user named it.
    pub fn new(file: &str) -> Self {
        Self { file: file.to_owned(), found: RefCell::default() }
    }

    /// `path`, from the folder of this file where it is there, else as it is: from the current
    /// folder, or a built-in name.
    pub fn resolved(&self, path: &str) -> String {
        let beside = Path::new(&self.file).parent().map(|folder| folder.join(path));
        match beside.filter(|beside| beside.exists()) {
            Some(beside) => beside.display().to_string(),
            None => path.to_owned(),
        }
    }

    /// Notes `file: key = value, problem`.
    pub fn add(&self, key: &str, value: impl Display, problem: impl Display) {
        self.say(format!("{key} = {}, {problem}", excerpt(&value.to_string())));
    }

    /// Notes `file: problem`, once however often it is met.
    pub fn say(&self, problem: impl Display) {
        let (problem, mut found) = (format!("{}: {problem}", self.file), self.found.borrow_mut());
        if !found.contains(&problem) {
            found.push(problem);
        }
    }

    /// All problems as one error; fine when there is none.
    pub fn into_result(self) -> Result<()> {
        let found = self.found.into_inner();
        if found.is_empty() { Ok(()) } else { Err(Error::Specification(found)) }
    }
}

/// One table of a specification, from which keys are taken.
pub struct KeyTable<'p> {
    place: String,
    table: Table,
    asked: Vec<&'static str>,
    problems: &'p Problems,
}

impl<'p> KeyTable<'p> {
    /// The whole file.
    pub fn whole(table: Table, problems: &'p Problems) -> Self {
        Self { place: String::new(), table, asked: Vec::new(), problems }
    }

    /// Notes a problem with the whole file.
    pub fn say(&self, problem: impl Display) {
        self.problems.say(problem);
    }

    /// The full name of `key`, as in error messages.
    pub fn key(&self, key: &str) -> String {
        if self.place.is_empty() { key.to_owned() } else { format!("{}.{key}", self.place) }
    }

    /// The value of `key` as it stands, if given.
    pub fn value(&mut self, key: &'static str) -> Option<Value> {
        self.asked.push(key);
        self.table.remove(key)
    }

    /// The value of `key`; `None` when not given or not usable.
    pub fn take<T: DeserializeOwned>(&mut self, key: &'static str) -> Option<T> {
        let value = self.value(key)?;
        self.typed(key, value)
    }

    /// The value of `key`, which must be given; `purpose` says what it is.
    pub fn needed<T: DeserializeOwned>(&mut self, key: &'static str, purpose: &str) -> Option<T> {
        let value = self.value(key);
        if value.is_none() {
            self.problems.say(format!("{} is missing; give {purpose}", self.key(key)));
        }
        self.typed(key, value?)
    }

    fn typed<T: DeserializeOwned>(&self, key: &str, value: Value) -> Option<T> {
        let shown = value.to_string();
        match value.try_into() {
            Ok(typed) => Some(typed),
            Err(error) => {
                let problem = format!("which does not fit: {}", first_line(error.message()));
                self.problems.add(&self.key(key), shown, problem);
                None
            }
        }
    }

    /// The table under `key`; an empty one when not given.
    pub fn section(&mut self, key: &'static str) -> KeyTable<'p> {
        let table = self.take::<Table>(key).unwrap_or_default();
        KeyTable { place: self.key(key), table, asked: Vec::new(), problems: self.problems }
    }

    /// The tables of the list under `key`.
    pub fn list(&mut self, key: &'static str) -> Vec<KeyTable<'p>> {
        let tables = self.take::<Vec<Table>>(key).unwrap_or_default();
        let section = |(i, table)| KeyTable {
            place: format!("{}[{i}]", self.key(key)),
            table,
            asked: Vec::new(),
            problems: self.problems,
        };
        tables.into_iter().enumerate().map(section).collect()
    }

    /// All keys and values that are left.
    pub fn rest(self) -> (String, Table) {
        (self.place, self.table)
    }

    /// Notes the keys that nobody asked for.
    pub fn finish(self) {
        for (key, value) in &self.table {
            let problem = format!("which is no key here; the keys are {}", self.asked.join(", "));
            self.problems.add(&self.key(key), shortened(value), problem);
        }
    }
}

fn first_line(text: &str) -> &str {
    text.lines().next().unwrap_or_default()
}

/// Long values do not help to find the key.
fn shortened(value: &Value) -> String {
    match value {
        Value::Table(_) => "{...}".into(),
        Value::Array(_) => "[...]".into(),
        other => other.to_string(),
    }
}
