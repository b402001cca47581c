//! A method that somebody supposes a release was made by, its strength perhaps unknown.

use super::{MadeFile, Method, Protection, Recipe};
use crate::dataset::Dataset;
use crate::error::{Error, Result};
use serde::Serialize;
use std::fmt;
use std::str::FromStr;
use toml::{Table, Value};

/// A guess at how a release was made, as it is typed: `rank-swapping --p 5..20`.
///
/// The method's name and its options follow as on the command line. The option that says how much
/// is protected may be a range, or missing: it is then estimated from the release.
///
/// ```
/// use unmask::protection::Supposition;
///
/// let supposed: Supposition = "noise --p 10..30 --noise correlated".parse()?;
/// assert_eq!(supposed.to_string(), "noise --p 10..30 --noise correlated");
/// assert!("smoke --p 10".parse::<Supposition>().is_err());
/// # Ok::<(), unmask::error::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Supposition {
    text: String,
    method: String,
    strength: &'static str,
    keys: Table,
    range: [f64; 2],
}

/// What came of a supposition.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Supposed {
    /// As it was typed.
    pub text: String,
    /// The parameter that was estimated from the release, and its value.
    pub estimated: Option<(String, f64)>,
}

impl FromStr for Supposition {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let wrong = |problem: String| Error::parameter("suppose", text, problem);
        let mut words = text.split_whitespace();
        let method = words.next().unwrap_or_default().to_owned();
        let strength = Method::main_parameter(&method)
            .ok_or_else(|| wrong(format!("which is no method; it is {}", Method::all_names())))?;
        let (mut keys, mut range) = (Table::new(), [0.0, f64::INFINITY]);
        while let Some(option) = words.next() {
            let key = option.strip_prefix("--").map(|key| key.replace('-', "_"));
            let (Some(key), Some(value)) = (key, words.next()) else {
                return Err(wrong(format!("but after {method} come options: --{strength} VALUE")));
            };
            match value.split_once("..").filter(|_| key == strength) {
                Some((low, high)) => {
                    let end = |text: &str| text.parse::<f64>().ok().filter(|end| *end >= 0.0);
                    match (end(low), end(high)) {
                        (Some(low), Some(high)) if low <= high => range = [low, high],
                        _ => return Err(wrong(format!("but a range is --{strength} LOW..HIGH"))),
                    }
                }
                None => {
                    keys.insert(key, typed(value));
                }
            }
        }
        let supposed = Self { text: words_of(text), method, strength, keys, range };
        // Whatever is wrong with the options is said before any file is read.
        supposed.method(1.0)?;
        Ok(supposed)
    }
}

impl fmt::Display for Supposition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl Supposition {
    /// The recipe that `released` was made from `original` by, if this is true; with what was
    /// estimated.
    ///
    /// Fails where the method does not fit the files, or its strength can be neither told nor
    /// estimated.
    pub fn recipe(
        &self,
        original: &Dataset,
        released: &Dataset,
        attributes: &[String],
    ) -> Result<(Recipe, Supposed)> {
        let recipe = |method| Recipe { method, attributes: attributes.to_vec(), seed: None };
        let told = |estimated| Supposed { text: self.text.clone(), estimated };
        if self.keys.contains_key(self.strength) {
            return Ok((recipe(self.method(1.0)?), told(None)));
        }
        let made = MadeFile { original, released, protected: attributes, attacked: attributes };
        let estimated = self.method(1.0)?.implementation().estimated_strength(&made)?;
        let Some(strength) = estimated else {
            let problem = format!("but it cannot be estimated; give --{}", self.strength);
            return Err(Error::parameter("suppose", &self.text, problem));
        };
        let strength = strength.clamp(self.range[0], self.range[1]);
        let estimated = Some((self.strength.to_owned(), strength));
        Ok((recipe(self.method(strength)?), told(estimated)))
    }

    /// The attributes that it would have protected: of the default ones of `original` those that
    /// the method takes and that `released` has changed.
    pub fn attributes(&self, original: &Dataset, released: &Dataset) -> Result<Vec<String>> {
        let known = |name: &str| released.position(name).is_ok();
        let common = original.default_attributes(|a| known(&a.name))?.names;
        let protection = Protection::by(self.method(1.0)?).attributes(common);
        let mut names = protection.chosen(original)?;
        names.retain(|name| match (original.values(name), released.values(name)) {
            (Ok(before), Ok(after)) => before != after,
            _ => false,
        });
        match names.is_empty() {
            false => Ok(names),
            true => {
                let problem = format!("no attribute that {} could have changed", self.method);
                Err(Error::input(released.name(), problem))
            }
        }
    }

    /// The method, of this strength where none is given.
    fn method(&self, strength: f64) -> Result<Method> {
        let mut table = self.keys.clone();
        table.insert("method".into(), Value::String(self.method.clone()));
        if !table.contains_key(self.strength) {
            let whole = strength.fract() == 0.0;
            let value = match whole {
                true => Value::Integer(strength as i64),
                false => Value::Float(strength),
            };
            table.insert(self.strength.into(), value);
        }
        Method::from_table(table)
    }
}

impl Supposed {
    /// In words.
    pub fn sentence(&self) -> String {
        let estimated = match &self.estimated {
            Some((name, value)) => {
                format!(", with {name} = {:.4} estimated from the release", value)
            }
            None => String::new(),
        };
        format!(
            "Attackers who know the method suppose that it was {}{estimated}; nobody said that this \
             is true.",
            self.text
        )
    }
}

/// The words of `text`, one space between them.
fn words_of(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A number, several divided by commas, or a text.
fn typed(text: &str) -> Value {
    let number = |text: &str| {
        let whole = text.parse().ok().map(Value::Integer);
        whole.or_else(|| text.parse().ok().filter(|f: &f64| f.is_finite()).map(Value::Float))
    };
    let numbers: Option<Vec<Value>> = text.split(',').map(number).collect();
    match numbers {
        Some(mut one) if one.len() == 1 => one.remove(0),
        Some(several) => Value::Array(several),
        None => Value::String(text.to_owned()),
    }
}
