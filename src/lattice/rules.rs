//! Hierarchies by rule, from a small TOML file.
//!
//! ```toml
//! rule = "date"               # 19.03.1970 -> 03.1970 -> 1970
//! format = "dd.mm.yyyy"       # how the values are written; yyyy-mm-dd when absent
//! levels = ["month", "year"]  # also "day" (drops a time that follows the date), "quarter",
//!                             # "decade", and "week", above which only `*` is: weeks lie in two months
//! ```
//!
//! ```toml
//! rule = "number"             # 37 -> [35, 40[ -> [30, 40[ -> *
//! widths = [5, 10]            # each a multiple of the one before
//! start = 0                   # where intervals begin
//! suppress = true             # `*` on top; every rule takes this key
//! ```
//!
//! ```toml
//! rule = "zip"                # 1015 -> 101X -> 10XX
//! masked = [1, 2]             # characters masked from the right on each level
//! mask = "X"                  # `*` when absent
//! ```
//!
//! ```toml
//! rule = "list"               # names on a level, and what of the level below they stand for
//! [[levels]]
//! Government = ["Federal-gov", "Local-gov", "State-gov"]
//! Other = ["Private"]
//! ```
//!
//! `rule = "suppress"` has the values and `*` alone.

use super::Hierarchy;
use super::hierarchy::Row;
use crate::dataset::NumberInterval;
use crate::dataset::date_ranges::{DateLevel, day_number};
use crate::error::{Error, Result};
use crate::words::quoted;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::Path;

/// A rule that names a value on each level.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(tag = "rule", rename_all = "kebab-case", deny_unknown_fields)]
pub(super) enum Rule {
    /// Parts of a date.
    Date {
        #[serde(default = "iso")]
        format: String,
        #[serde(default = "month_and_year")]
        levels: Vec<DatePart>,
        #[serde(default)]
        suppress: bool,
    },
    /// Intervals of growing width.
    Number {
        widths: Vec<f64>,
        #[serde(default)]
        start: f64,
        #[serde(default)]
        suppress: bool,
    },
    /// Characters masked from the right.
    Zip {
        masked: Vec<usize>,
        #[serde(default = "star")]
        mask: String,
        #[serde(default)]
        suppress: bool,
    },
    /// Groups by name.
    List {
        levels: Vec<BTreeMap<String, Vec<String>>>,
        #[serde(default)]
        suppress: bool,
    },
    /// Nothing but `*`.
    Suppress,
}

/// What is left of a date.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum DatePart {
    Day,
    Week,
    Month,
    Quarter,
    Year,
    Decade,
}

/// Fails unless each level is a function of the one below.
fn check_date_levels(levels: &[DatePart]) -> std::result::Result<(), String> {
    let rises = levels.windows(2).all(|pair| pair[0] < pair[1] && pair[0] != DatePart::Week);
    match rises && !levels.is_empty() {
        true => Ok(()),
        false => Err(r#"levels go upwards: some of "day", "month", "quarter", "year", "decade"; or "day", "week""#
            .into()),
    }
}

fn iso() -> String {
    "yyyy-mm-dd".into()
}

fn month_and_year() -> Vec<DatePart> {
    vec![DatePart::Month, DatePart::Year]
}

fn star() -> String {
    "*".into()
}

impl Rule {
    /// Reads a rule.
    pub fn load(path: &Path) -> Result<Self> {
        let text = std::fs::read_to_string(path).map_err(|e| Error::io(path, e))?;
        Self::parse(&text, &path.display().to_string())
    }

    /// The rule in `text`, called `place` in errors.
    pub fn parse(text: &str, place: &str) -> Result<Self> {
        let rule: Self = toml::from_str(text).map_err(|e| Error::input(place, e.message()))?;
        rule.check().map_err(|problem| Error::input(place, problem))?;
        Ok(rule)
    }

    fn check(&self) -> std::result::Result<(), String> {
        match self {
            Self::Date { format, levels, .. } => {
                date_fields(format)?;
                check_date_levels(levels)
            }
            Self::Number { widths, start, .. } => check_widths(widths, *start),
            Self::Zip { masked, .. } => {
                match masked.windows(2).all(|pair| pair[0] < pair[1]) && !masked.contains(&0) {
                    true => Ok(()),
                    false => Err(format!("masked = {masked:?}, but each level masks more")),
                }
            }
            Self::List { .. } | Self::Suppress => Ok(()),
        }
    }

    /// The hierarchy of `attribute` that the rule gives on `values`, called `place` in errors.
    pub fn hierarchy(&self, place: &str, attribute: &str, values: &[String]) -> Result<Hierarchy> {
        let row = |value: &String| {
            let mut names = vec![value.clone()];
            names.extend(self.names(value).map_err(|problem| Error::input(place, problem))?);
            if self.suppresses() {
                names.push(star());
            }
            Ok(Row { line: None, names })
        };
        let rows: Vec<Row> = values.iter().map(row).collect::<Result<_>>()?;
        Hierarchy::checked(place.to_owned(), attribute, rows)
    }

    fn suppresses(&self) -> bool {
        match self {
            Self::Date { suppress, .. }
            | Self::Number { suppress, .. }
            | Self::Zip { suppress, .. }
            | Self::List { suppress, .. } => *suppress,
            Self::Suppress => true,
        }
    }

    /// The names of `value` on level 1, 2, ..., before suppression.
    fn names(&self, value: &str) -> std::result::Result<Vec<String>, String> {
        match self {
            Self::Date { format, levels, .. } => date_names(format, levels, value),
            Self::Number { widths, start, .. } => {
                let number = value.parse::<f64>().ok().filter(|v| v.is_finite());
                let number = number.ok_or_else(|| {
                    let value = quoted(value);
                    format!("{value} on level 0 is not a number, but the rule is \"number\"")
                })?;
                Ok(widths.iter().map(|width| interval(number, *start, *width)).collect())
            }
            Self::Zip { masked, mask, .. } => {
                Ok(masked.iter().map(|count| masked_from_right(value, *count, mask)).collect())
            }
            Self::List { levels, .. } => list_names(levels, value),
            Self::Suppress => Ok(Vec::new()),
        }
    }
}

fn check_widths(widths: &[f64], start: f64) -> std::result::Result<(), String> {
    let positive = widths.iter().all(|w| w.is_finite() && *w > 0.0) && start.is_finite();
    let multiple = |pair: &[f64]| {
        let times = pair[1] / pair[0];
        times > 1.0 && (times - times.round()).abs() < 1e-9
    };
    match positive && !widths.is_empty() && widths.windows(2).all(multiple) {
        true => Ok(()),
        false => Err(format!(
            "widths = {widths:?}, but each width is a multiple of the one before, else an interval \
             is no function of the one below"
        )),
    }
}

/// `[low, high[`, the interval of `width` that holds `number`.
fn interval(number: f64, start: f64, width: f64) -> String {
    let from = |step: f64| start + step * width;
    let mut step = ((number - start) / width).floor();
    // Rounding may put the number just outside of the ends that are written.
    if from(step) > number {
        step -= 1.0;
    } else if from(step + 1.0) <= number {
        step += 1.0;
    }
    NumberInterval::half_open(from(step), from(step + 1.0)).to_string()
}

/// `value` with the last `count` characters masked.
fn masked_from_right(value: &str, count: usize, mask: &str) -> String {
    let kept = value.chars().count().saturating_sub(count);
    let masked = value.chars().count() - kept;
    value.chars().take(kept).collect::<String>() + &mask.repeat(masked)
}

/// The group of the value on each level, found by the name on the level below.
fn list_names(
    levels: &[BTreeMap<String, Vec<String>>],
    value: &str,
) -> std::result::Result<Vec<String>, String> {
    let mut names: Vec<String> = Vec::new();
    for (level, groups) in levels.iter().enumerate() {
        let below = names.last().map_or(value, String::as_str);
        let holds = |members: &&Vec<String>| members.iter().any(|member| member == below);
        let mut found = groups.iter().filter(|(_, members)| holds(members));
        match (found.next(), found.next()) {
            (Some((name, _)), None) => names.push(name.clone()),
            (None, _) => {
                return Err(format!(
                    "{} on level {level} is in no group of level {}; add it to one",
                    quoted(below),
                    level + 1
                ));
            }
            (Some((one, _)), Some((other, _))) => {
                return Err(format!(
                    "{} on level {level} is in {} and in {} on level {}; keep one",
                    quoted(below),
                    quoted(one),
                    quoted(other),
                    level + 1
                ));
            }
        }
    }
    Ok(names)
}

/// A field of a date format and the separator that follows it.
type DateField = (char, usize, String);

/// The fields of a format such as `dd.mm.yyyy`: letter, width, separator.
fn date_fields(format: &str) -> std::result::Result<Vec<DateField>, String> {
    let mut fields: Vec<DateField> = Vec::new();
    for c in format.chars() {
        match fields.last_mut() {
            Some((letter, width, separator)) if *letter == c && separator.is_empty() => *width += 1,
            Some((_, _, separator)) if !matches!(c, 'd' | 'm' | 'y') => separator.push(c),
            _ => fields.push((c, 1, String::new())),
        }
    }
    let mut letters: Vec<char> = fields.iter().map(|field| field.0).collect();
    letters.sort_unstable();
    match letters == ['d', 'm', 'y'] {
        true => Ok(fields),
        false => Err(format!("format = {format:?}, but a date format is like \"dd.mm.yyyy\"")),
    }
}

/// The fields of `value` as `format` has them.
fn date_texts(fields: &[DateField], value: &str) -> Option<Vec<String>> {
    let mut rest = value;
    let mut texts = Vec::new();
    for (_, width, separator) in fields {
        let text = rest.get(..*width).filter(|text| text.bytes().all(|b| b.is_ascii_digit()))?;
        texts.push(text.to_owned());
        rest = rest.get(*width..)?.strip_prefix(separator.as_str())?;
    }
    let time_or_nothing = rest.is_empty() || rest.starts_with([' ', 'T']);
    time_or_nothing.then_some(texts)
}

/// The day that the texts name; none where there is no such day.
fn day_of(fields: &[DateField], texts: &[String]) -> Option<f64> {
    let number = |letter: char| -> Option<i16> {
        let found = fields.iter().zip(texts).find(|(field, _)| field.0 == letter);
        found?.1.parse().ok()
    };
    day_number([number('y')?, number('m')?, number('d')?])
}

fn date_names(
    format: &str,
    levels: &[DatePart],
    value: &str,
) -> std::result::Result<Vec<String>, String> {
    let fields = date_fields(format)?;
    let dated = |texts: Vec<String>| day_of(&fields, &texts).map(|day| (texts, day));
    let (texts, day) = date_texts(&fields, value)
        .and_then(dated)
        .ok_or_else(|| format!("{} on level 0 is not a date written {format}", quoted(value)))?;
    Ok(levels.iter().map(|part| date_name(&fields, &texts, day, *part)).collect())
}

/// The fields that are left, with the separators between them; weeks, quarters and decades, which
/// are no fields, as [`DateLevel`] writes them.
fn date_name(fields: &[DateField], texts: &[String], day: f64, part: DatePart) -> String {
    let letters = match part {
        DatePart::Day => "dmy",
        DatePart::Month => "my",
        DatePart::Year => "y",
        DatePart::Week => return DateLevel::Week.text(day),
        DatePart::Quarter => return DateLevel::Quarter.text(day),
        DatePart::Decade => return DateLevel::Decade.text(day),
    };
    let mut name = String::new();
    for ((letter, _, _), text) in fields.iter().zip(texts) {
        if letters.contains(*letter) {
            let separator = fields.iter().find(|f| !f.2.is_empty()).map_or("", |f| f.2.as_str());
            if !name.is_empty() {
                name.push_str(separator);
            }
            name.push_str(text);
        }
    }
    name
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(rule: &str, value: &str) -> std::result::Result<Vec<String>, String> {
        let rule: Rule = toml::from_str(rule).expect("a rule");
        rule.check()?;
        rule.names(value)
    }

    #[test]
    fn a_date_loses_day_and_month_in_its_own_way_of_writing() {
        let german = "rule = 'date'\nformat = 'dd.mm.yyyy'";
        assert_eq!(names(german, "19.03.1970").unwrap(), ["03.1970", "1970"]);
        let iso = "rule = 'date'\nlevels = ['day', 'month', 'year']";
        assert_eq!(names(iso, "1970-03-19T10:30").unwrap(), ["1970-03-19", "1970-03", "1970"]);
        let american = "rule = 'date'\nformat = 'mm/dd/yyyy'\nlevels = ['month']";
        assert_eq!(names(american, "03/19/1970").unwrap(), ["03/1970"]);
    }

    #[test]
    fn what_is_no_date_is_refused() {
        let german = "rule = 'date'\nformat = 'dd.mm.yyyy'";
        for value in
            ["", "1970", "31.04.1970", "29.02.1900", "00.01.1970", "1.3.1970", "19.03.1970x"]
        {
            assert!(names(german, value).is_err(), "{value}");
        }
        assert!(names(german, "29.02.2000").is_ok());
        assert!(names("rule = 'date'\nformat = 'dd.mm'", "19.03").is_err());
        assert!(names("rule = 'date'\nlevels = ['year', 'month']", "1970-03-19").is_err());
    }

    #[test]
    fn intervals_grow_and_hold_their_number() {
        let rule = "rule = 'number'\nwidths = [5, 10]\nstart = 2";
        assert_eq!(names(rule, "37").unwrap(), ["[37, 42[", "[32, 42["]);
        assert_eq!(names(rule, "-1.5").unwrap(), ["[-3, 2[", "[-8, 2["]);
        assert!(names("rule = 'number'\nwidths = []", "1").is_err());
        assert!(names("rule = 'number'\nwidths = [0]", "1").is_err());
    }

    #[test]
    fn a_number_lies_in_the_interval_that_is_written_for_it() {
        for width in [0.1, 0.3, 0.7, 1.0, 2.5] {
            for number in (-300..300).map(|i| f64::from(i) / 10.0) {
                let written = interval(number, 0.0, width);
                let read = NumberInterval::read(&written).expect("an interval");
                assert!(read.contains(number), "{number} in {written}");
            }
        }
    }

    #[test]
    fn digits_are_masked_from_the_right() {
        let rule = "rule = 'zip'\nmasked = [1, 3]\nmask = 'X'";
        assert_eq!(names(rule, "1015").unwrap(), ["101X", "1XXX"]);
        assert_eq!(names(rule, "ü5").unwrap(), ["üX", "XX"]);
        assert!(names("rule = 'zip'\nmasked = [2, 1]", "1015").is_err());
    }

    #[test]
    fn a_list_names_groups_of_groups_and_misses_none() {
        let rule =
            "rule = 'list'\n[[levels]]\nx = ['a', 'b']\ny = ['c']\n[[levels]]\nall = ['x', 'y']";
        assert_eq!(names(rule, "c").unwrap(), ["y", "all"]);
        let error = names(rule, "d").unwrap_err();
        assert!(error.contains("\"d\" on level 0") && error.contains("level 1"), "{error}");
        let twice = "rule = 'list'\n[[levels]]\nx = ['a']\ny = ['a']";
        assert!(names(twice, "a").unwrap_err().contains("\"x\" and in \"y\""));
    }

    #[test]
    fn suppression_is_the_level_above_all_others() {
        let rule: Rule = toml::from_str("rule = 'zip'\nmasked = [1]\nsuppress = true").unwrap();
        let values = ["12".to_owned(), "34".to_owned()];
        let hierarchy = rule.hierarchy("zip.toml", "zip", &values).unwrap();
        assert_eq!(hierarchy.rows(), [["12", "1*", "*"], ["34", "3*", "*"]]);
    }
}
