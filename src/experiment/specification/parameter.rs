//! Parameters of protections: lists and ranges that become cells.

use super::check::Problems;
use toml::Value;

/// One value of a parameter: a number for all attributes, or one for each.
#[derive(Debug, Clone, PartialEq)]
pub struct Setting {
    /// Where it stands, as in error messages: `protection[0].k[17]`.
    pub place: String,
    /// One number, or one for each attribute or group.
    pub numbers: Vec<f64>,
}

impl Setting {
    /// `2.8.5` for the numbers 2, 8 and 5.
    pub fn label(&self) -> String {
        self.numbers.iter().map(f64::to_string).collect::<Vec<_>>().join(".")
    }

    /// The numbers as they would stand in the file.
    pub fn shown(&self) -> String {
        match self.numbers.as_slice() {
            [one] => one.to_string(),
            many => format!("{many:?}"),
        }
    }

    /// The numbers as counts; the first that is none is noted.
    pub fn counts(&self, problems: &Problems) -> Option<Vec<usize>> {
        let whole = |n: &&f64| n.fract() == 0.0 && **n >= 0.0;
        if self.numbers.iter().all(|n| whole(&n)) {
            return Some(self.numbers.iter().map(|n| *n as usize).collect());
        }
        problems.add(&self.place, self.shown(), "but a whole number is needed");
        None
    }
}

/// The most values a range may have; more is a slip of the keyboard.
const MOST: f64 = 10_000.0;

/// The settings of `value`: a number, a list of numbers or of lists, or a range
/// `{ from = 3, to = 20, step = 1 }`.
pub fn settings(place: &str, value: &Value, problems: &Problems) -> Vec<Setting> {
    let wrong = |place: &str, value: &Value| {
        let problem = "but a number, a list, or { from = 3, to = 20 } is needed";
        problems.add(place, value, problem);
    };
    match value {
        Value::Table(_) => range(place, value, problems),
        Value::Array(items) if items.is_empty() => {
            problems.add(place, "[]", "but at least one value is needed");
            Vec::new()
        }
        Value::Array(items) => {
            let item = |(i, item): (usize, &Value)| {
                let place = format!("{place}[{i}]");
                let numbers = match item {
                    Value::Array(many) if !many.is_empty() => many.iter().map(number).collect(),
                    one => number(one).map(|n| vec![n]),
                };
                if numbers.is_none() {
                    wrong(&place, item);
                }
                Some(Setting { place, numbers: numbers? })
            };
            items.iter().enumerate().filter_map(item).collect()
        }
        one => match number(one) {
            Some(n) => vec![Setting { place: place.to_owned(), numbers: vec![n] }],
            None => {
                wrong(place, one);
                Vec::new()
            }
        },
    }
}

fn number(value: &Value) -> Option<f64> {
    match value {
        Value::Integer(n) => Some(*n as f64),
        Value::Float(n) if n.is_finite() => Some(*n),
        _ => None,
    }
}

fn range(place: &str, value: &Value, problems: &Problems) -> Vec<Setting> {
    let table = value.as_table().cloned().unwrap_or_default();
    for key in table.keys().filter(|key| !["from", "to", "step"].contains(&key.as_str())) {
        let problem = "which is no key here; the keys are from, to, step";
        problems.add(&format!("{place}.{key}"), &table[key], problem);
    }
    let bound = |key: &str| table.get(key).and_then(number);
    let (Some(from), Some(to)) = (bound("from"), bound("to")) else {
        problems.add(place, value, "but a range needs two numbers, from and to");
        return Vec::new();
    };
    let step = if table.contains_key("step") { bound("step").unwrap_or(0.0) } else { 1.0 };
    let steps = ((to - from) / step).floor();
    if !(step > 0.0 && (0.0..MOST).contains(&steps)) {
        problems.add(place, value, "which is an empty or endless range; from <= to and step > 0");
        return Vec::new();
    }
    let setting =
        |i: usize| Setting { place: place.to_owned(), numbers: vec![from + i as f64 * step] };
    (0..=steps as usize).map(setting).collect()
}
