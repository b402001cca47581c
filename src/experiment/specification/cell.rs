//! Cells: one protection with one value of its parameter, or a release that was made elsewhere.

use super::check::{KeyTable, Problems};
use super::data::{DataDigest, data_file};
use super::parameter::{Setting, settings};
use crate::dataset::Dataset;
use crate::error::{Error, Result};
use crate::linkage::Release;
use crate::protection::{Method, Recipe};
use toml::{Table, Value};

/// A row of a table.
#[derive(Debug)]
pub struct ProtectionCell {
    /// `Mic2-5`: the protection's name and the parameter; the name of a release made elsewhere.
    pub name: String,
    /// The protection's name: `Mic2`.
    pub protection: String,
    /// The parameter where it is one number.
    pub parameter: Option<f64>,
    /// Where its releases come from.
    pub source: ReleaseSource,
}

/// Where the releases of a cell come from.
#[derive(Debug)]
pub enum ReleaseSource {
    /// Each run protects the file anew.
    Protection {
        /// How.
        method: Method,
        /// The protected attributes, in the order of the specification.
        attributes: Vec<String>,
    },
    /// One release that somebody else made.
    File {
        /// It and the original.
        release: Box<Release>,
        /// As the specification names it, and its SHA-256.
        file: DataDigest,
    },
}

impl ReleaseSource {
    /// The file `data` and a release of it; a protection draws from `seed`.
    pub fn release(&self, data: &Dataset, seed: u64) -> Result<Release> {
        let (method, attributes) = match self {
            Self::File { release, .. } => return Ok(Release::clone(release)),
            Self::Protection { method, attributes } => (method, attributes),
        };
        let released = method.protect(data, attributes, seed, &())?;
        let release = match released.kept() {
            None => Release::by_row(data.clone(), released.released),
            Some(kept) => Release::by_row(data.select(&kept)?, released.released),
        }?;
        release.made_by(&Recipe { attributes: attributes.clone(), ..method.clone().into() })
    }

    /// The method's name, and its parameters as JSON.
    pub fn described(&self) -> (String, String) {
        match self {
            Self::Protection { method, .. } => {
                (method.name().into(), method.parameters().to_string())
            }
            Self::File { file, .. } => {
                ("made elsewhere".into(), format!("{{\"file\":{:?}}}", file.name))
            }
        }
    }

    /// All that the releases depend on, beside the data and the seed.
    pub fn key(&self) -> String {
        match self {
            Self::Protection { method, attributes } => format!("{attributes:?} {method:?}"),
            Self::File { file, .. } => file.sha256.clone(),
        }
    }
}

/// The cell of one `[[release]]`, which belongs to `data` row by row, or by the column `key`.
pub fn release_cell(
    mut section: KeyTable<'_>,
    data: &Dataset,
    known: &[String],
    to: &Problems,
) -> Option<ProtectionCell> {
    let name: Option<String> = section.needed("name", "a name for the table's row");
    let file: Option<String> = section.needed("file", "the released file");
    let key: Option<String> = section.take("key");
    let places = ["file", "key"].map(|key| section.key(key));
    section.finish();
    let (name, file) = (name?, file?);
    let (released, sha256) = data_file(&places[0], &file, to)?;
    for name in known.iter().filter(|name| released.position(name).is_err()) {
        let problem = format!("which lacks {name}, an attribute that the attacker knows");
        to.add(&places[0], format!("{file:?}"), problem);
    }
    let release = match &key {
        Some(key) => Release::by_key(data.clone(), released, key),
        None => Release::by_row(data.clone(), released),
    };
    let refused = |error| to.say(format!("{}: {error}", places[usize::from(key.is_some())]));
    let release = Box::new(release.map_err(refused).ok()?);
    let file = DataDigest::new(&file, &sha256);
    let source = ReleaseSource::File { release, file };
    Some(ProtectionCell { protection: name.clone(), name, parameter: None, source })
}

/// The cells of one `[[protection]]`; `all` are the attributes of the data.
pub fn cells(
    mut section: KeyTable<'_>,
    data: &Dataset,
    all: &[String],
    to: &Problems,
) -> Vec<ProtectionCell> {
    let name: Option<String> = section.needed("name", "a name for the table's rows");
    let method: Option<String> = section.needed("method", &Method::all_names());
    let Some(method) = method else { return Vec::new() };
    let place = section.key("method");
    let Some(parameter) = Method::main_parameter(&method) else {
        let problem = format!("which is no method; it is {}", Method::all_names());
        to.add(&place, format!("{method:?}"), problem);
        return Vec::new();
    };
    let attributes = attributes(&mut section, data, all, to);
    let settings = settings_of(&mut section, parameter, to);
    let (place, keys) = section.rest();
    let cell = |setting: &Setting| {
        let method = with_setting(&method, parameter, setting, keys.clone(), to)?;
        let refused = |error| note(error, &place, setting, parameter, to);
        method.implementation().check(data, &attributes).map_err(refused).ok()?;
        let name = name.clone()?;
        Some(ProtectionCell {
            name: format!("{name}-{}", setting.label()),
            protection: name,
            parameter: <[f64; 1]>::try_from(setting.numbers.as_slice()).ok().map(|[one]| one),
            source: ReleaseSource::Protection { method, attributes: attributes.clone() },
        })
    };
    // Keys that do not fit are told once, not for every value of the parameter.
    if let Some(problem) = settings.first().and_then(|s| misfit(&method, parameter, s, &keys)) {
        to.say(format!("{place}: {problem}"));
        return Vec::new();
    }
    settings.iter().filter_map(cell).collect()
}

fn settings_of(section: &mut KeyTable<'_>, parameter: &'static str, to: &Problems) -> Vec<Setting> {
    let place = section.key(parameter);
    match section.value(parameter) {
        Some(value) => settings(&place, &value, to),
        None => {
            let remedy = "give a number, a list, or { from = 3, to = 20 }";
            to.say(format!("{place} is missing; {remedy}"));
            Vec::new()
        }
    }
}

/// The protected attributes: those of the data unless the section names its own.
fn attributes(
    section: &mut KeyTable<'_>,
    data: &Dataset,
    all: &[String],
    to: &Problems,
) -> Vec<String> {
    let key = section.key("attributes");
    match section.take::<Vec<String>>("attributes") {
        None => all.to_vec(),
        Some(names) => super::known_names(&key, &names, data, to),
    }
}

/// The keys of a method with `setting` as its main parameter.
fn table(method: &str, parameter: &str, setting: &Setting, mut keys: Table) -> Table {
    let number = |n: &f64| match n.fract() == 0.0 && n.abs() < 1e15 {
        true => Value::Integer(*n as i64),
        false => Value::Float(*n),
    };
    let value = match setting.numbers.as_slice() {
        [one] => number(one),
        many => Value::Array(many.iter().map(number).collect()),
    };
    keys.insert("method".into(), method.into());
    keys.insert(parameter.into(), value);
    keys
}

/// What is wrong with the keys beside the main parameter.
fn misfit(method: &str, parameter: &str, setting: &Setting, keys: &Table) -> Option<String> {
    let whole = Setting { numbers: vec![2.0], ..setting.clone() };
    let table = table(method, parameter, &whole, keys.clone());
    Method::from_table(table).err().map(|error| error.to_string())
}

/// The method with `setting` as its main parameter.
fn with_setting(
    method: &str,
    parameter: &str,
    setting: &Setting,
    keys: Table,
    to: &Problems,
) -> Option<Method> {
    if parameter != "p" {
        setting.counts(to)?;
    }
    let problem = |error: Error| to.say(format!("{}: {error}", setting.place));
    Method::from_table(table(method, parameter, setting, keys)).map_err(problem).ok()
}

/// Notes what a method refuses at the key that it concerns, below the section `place`.
fn note(error: Error, place: &str, setting: &Setting, parameter: &str, to: &Problems) {
    match error {
        Error::Parameter { name, problem, .. } if name == parameter => {
            to.add(&setting.place, setting.shown(), problem);
        }
        Error::Parameter { name, value, problem } => {
            to.add(&format!("{place}.{}", name.replace('-', "_")), value, problem);
        }
        error => to.say(format!("{}: {error}", setting.place)),
    }
}
