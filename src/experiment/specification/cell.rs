//! Cells: one protection with one value of its parameter.

use super::check::{KeyTable, Problems};
use super::parameter::{Setting, settings};
use crate::dataset::Dataset;
use crate::error::Error;
use crate::protection::Method;
use toml::{Table, Value};

/// One protection with one value of its parameter: a row of a table.
#[derive(Debug)]
pub struct ProtectionCell {
    /// `Mic2-5`: the protection's name and the parameter.
    pub name: String,
    /// The protection's name: `Mic2`.
    pub protection: String,
    /// The parameter where it is one number.
    pub parameter: Option<f64>,
    /// How the file is protected.
    pub method: Method,
    /// The protected attributes, in the order of the specification.
    pub attributes: Vec<String>,
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
            method,
            attributes: attributes.clone(),
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
