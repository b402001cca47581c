//! Values that may mean that there is none, for a person to decide.

use super::toml_text::{array, comment};
use crate::dataset::{Attribute, Categorical, Numeric, Values};

/// Numbers that files have in place of a missing value.
const STAND_INS: &[f64] = &[
    -1.0,
    -2.0,
    -3.0,
    -5.0,
    -6.0,
    -7.0,
    -8.0,
    -9.0,
    -77.0,
    -88.0,
    -97.0,
    -98.0,
    -99.0,
    -777.0,
    -888.0,
    -999.0,
    -9_999.0,
    97.0,
    98.0,
    99.0,
    777.0,
    888.0,
    997.0,
    998.0,
    999.0,
    7_777.0,
    8_888.0,
    9_998.0,
    9_999.0,
    99_999.0,
    999_999.0,
    9_999_999.0,
    99_999_999.0,
];

/// What is typed by chance is not typed twice.
const LEAST: usize = 2;

/// So many times as far from the middle half of the others as that is wide.
const FAR: f64 = 5.0;

/// The comment on values of `attribute` that may mean that there is none, or that mean so and may
/// be values; `token` is what stands for a missing value in its file.
pub(super) fn of(attribute: &Attribute, token: &str) -> String {
    match &attribute.values {
        Values::Numeric(column) if !column.is_date() => stand_ins(column),
        Values::Numeric(_) => String::new(),
        Values::Categorical(column) => country_codes(attribute, column, token),
    }
}

fn stand_ins(column: &Numeric) -> String {
    let found = suspicious(column);
    if found.is_empty() {
        return String::new();
    }
    let times = |value: &f64| format!("{value} ({} times)", count(column, *value));
    let values: Vec<String> = found.iter().map(times).collect();
    let question = format!(
        "Not decided: {} lie far from all other values. Should they mean that a value is missing:",
        values.join(", ")
    );
    let texts: Vec<String> = found.iter().map(f64::to_string).collect();
    format!("{}# missing = {}\n", comment(&question), array(&texts))
}

fn count(column: &Numeric, value: f64) -> usize {
    column.present().filter(|v| *v == value).count()
}

/// The stand-ins that occur more than once, and far from the other values or as the only negative
/// ones.
fn suspicious(column: &Numeric) -> Vec<f64> {
    let is_candidate = |value: &&f64| count(column, **value) >= LEAST;
    let mut found: Vec<f64> = STAND_INS.iter().filter(is_candidate).copied().collect();
    // What is left among the others may be what makes a value look ordinary.
    loop {
        let mut others: Vec<f64> = column.present().filter(|v| !found.contains(v)).collect();
        others.sort_unstable_by(f64::total_cmp);
        let [Some(first), Some(low), Some(high)] =
            [0, others.len() / 4, 3 * others.len() / 4].map(|at| others.get(at).copied())
        else {
            return Vec::new();
        };
        let reach = FAR * (high - low);
        let is_far = |value: &f64| {
            let only_negative = *value < 0.0 && first >= 0.0;
            only_negative || *value < low - reach || *value > high + reach
        };
        let before = found.len();
        found.retain(is_far);
        if found.len() == before {
            return found;
        }
    }
}

/// Among codes of countries, NA is Namibia.
fn country_codes(attribute: &Attribute, column: &Categorical, token: &str) -> String {
    let is_code =
        |label: &String| label.len() == 2 && label.bytes().all(|b| b.is_ascii_uppercase());
    let all_codes = column.labels().len() > 2 && column.labels().iter().all(is_code);
    let is_na = |i: &usize| attribute.missing_text(*i, token) == Some("NA");
    let count = if all_codes { (0..column.len()).filter(is_na).count() } else { 0 };
    match count {
        0 => String::new(),
        count => comment(&format!(
            "Not decided: NA, which {count} records have, is read as a missing value. Among codes of \
             countries it is Namibia: then take it out of missing above."
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(values: &[f64]) -> Vec<f64> {
        suspicious(&Numeric::complete(values.to_vec()).expect("finite"))
    }

    #[test]
    fn stand_ins_are_repeated_and_far_from_all_others() {
        let ages: Vec<f64> = (18..80).map(f64::from).collect();
        let with = |more: &[f64]| [ages.as_slice(), more].concat();
        assert_eq!(found(&with(&[-9.0, -9.0, -1.0, -1.0])), [-1.0, -9.0]);
        assert_eq!(found(&with(&[999.0, 999.0, 9_999.0])), [999.0]);
        assert_eq!(found(&with(&[99.0, 99.0])), [0.0; 0]);
        let changes: Vec<f64> = (-20..20).map(f64::from).collect();
        assert_eq!(found(&[changes.as_slice(), &[-9.0, -9.0]].concat()), [0.0; 0]);
        assert_eq!(found(&[-9.0, -9.0]), [0.0; 0]);
    }
}
