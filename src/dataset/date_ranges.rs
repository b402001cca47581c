//! Days that a released cell may stand for: a date, a month, a week, a quarter, a year, a decade, and
//! what lies between two of those.
//!
//! | written | also read |
//! |---|---|
//! | `2023-03` | `03.2023`, `03/2023`, `2023/03` |
//! | `2023-W13` | `2023W13` |
//! | `2023-Q1` | `2023Q1`, `Q1 2023` |
//! | `2023` | |
//! | `2020s` | |
//! | `[2023-01-01, 2023-03-31]` | `2023-01-01 to 2023-03-31`, `2023-01 .. 2023-03`, `[a, b[`, `[a,b)` |
//! | `<2023-01-01`, `>=2023-01` | `<=`, `>`, `2023+` |

use super::notation::{self, DateFormat};
use jiff::civil::{Date, ISOWeekDate, Weekday};

/// Days of the longest year.
pub(crate) const YEAR: f64 = 366.0;

/// The first and the last day that `text` stands for, infinite where it has no end; dates as
/// `format` writes them, or as ISO does.
pub(crate) fn read(text: &str, format: &DateFormat) -> Option<(f64, f64)> {
    let text = text.trim();
    period(text, format).or_else(|| one_sided(text, format)).or_else(|| between(text, format))
}

/// The day of a year, a month and a day of the month; none where there is no such day.
pub(crate) fn day_number([year, month, day]: [i16; 3]) -> Option<f64> {
    let [month, day] = [month, day].map(|part| i8::try_from(part).ok());
    Date::new(year, month?, day?).ok().filter(|date| date.year() > 0).map(notation::day_number)
}

/// A level that dates are generalized to, and that is no field of a date.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum DateLevel {
    /// The ISO week, from Monday on.
    Week,
    /// Three months.
    Quarter,
    /// Ten years, the first ending in 0.
    Decade,
}

impl DateLevel {
    /// What stands for `day` and all others of its period; [`read`] reads it.
    pub fn text(self, day: f64) -> String {
        let date = notation::date(day);
        let year = date.year();
        match self {
            Self::Week => {
                let week = date.iso_week_date();
                format!("{:04}-W{:02}", week.year(), week.week())
            }
            Self::Quarter => format!("{year:04}-Q{}", (date.month() + 2) / 3),
            Self::Decade => format!("{:04}s", year - year % 10),
        }
    }
}

fn period(text: &str, format: &DateFormat) -> Option<(f64, f64)> {
    let date = format.read(text).or_else(|| DateFormat::iso().read(text));
    if let Some(day) = date {
        return Some((day, day));
    }
    if let Some(year) = text.strip_suffix('s').and_then(year_of) {
        return (year % 10 == 0).then(|| months(year, 1, 120)).flatten();
    }
    if let Some(year) = year_of(text) {
        return months(year, 1, 12);
    }
    if let Some((year, rest)) = text.split_at_checked(4)
        && let Some(year) = year_of(year)
    {
        let rest = rest.trim_start_matches(['-', ' ']);
        if let Some(quarter) = rest.strip_prefix('Q') {
            return quarter_of(year, quarter);
        }
        if let Some(week) = rest.strip_prefix('W') {
            return week_of(year, number(week)?);
        }
        return months(year, number(text[4..].strip_prefix(['-', '/', '.'])?)?, 1);
    }
    if let Some((quarter, year)) = text.strip_prefix('Q').and_then(|rest| rest.split_once(' ')) {
        return quarter_of(year_of(year)?, quarter);
    }
    let (month, year) = text.split_once(['.', '/', '-'])?;
    months(year_of(year)?, number(month)?, 1)
}

fn quarter_of(year: i16, quarter: &str) -> Option<(f64, f64)> {
    let quarter = number(quarter).filter(|q| (1..=4).contains(q))?;
    months(year, 3 * quarter - 2, 3)
}

fn week_of(year: i16, week: i8) -> Option<(f64, f64)> {
    let monday = ISOWeekDate::new(year, week, Weekday::Monday).ok()?.date();
    let first = notation::day_number(monday);
    Some((first, first + 6.0))
}

/// The days of `count` months.
fn months(year: i16, month: i8, count: i16) -> Option<(f64, f64)> {
    let first = Date::new(year, month, 1).ok()?;
    let index = i16::from(month) - 1 + count;
    let (year, month) = (year.checked_add(index / 12)?, (index % 12) as i8 + 1);
    let after = Date::new(year, month, 1).ok()?;
    Some((notation::day_number(first), notation::day_number(after) - 1.0))
}

/// A year of four digits.
fn year_of(text: &str) -> Option<i16> {
    let digits = text.len() == 4 && text.bytes().all(|b| b.is_ascii_digit());
    digits.then(|| text.parse().ok()).flatten().filter(|year| *year > 0)
}

/// A number of one or two digits.
fn number(text: &str) -> Option<i8> {
    let digits = (1..=2).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_digit());
    digits.then(|| text.parse().ok()).flatten()
}

fn one_sided(text: &str, format: &DateFormat) -> Option<(f64, f64)> {
    let after = |signs: [&str; 2]| {
        let rest = signs.into_iter().find_map(|sign| text.strip_prefix(sign))?;
        period(rest.trim(), format)
    };
    let (low, high) = (f64::NEG_INFINITY, f64::INFINITY);
    if let Some(end) = after(["<=", "≤"]) {
        return Some((low, end.1));
    }
    if let Some(start) = after([">=", "≥"]) {
        return Some((start.0, high));
    }
    if let Some(end) = after(["<", "before "]) {
        return Some((low, end.0 - 1.0));
    }
    if let Some(start) = after([">", "after "]) {
        return Some((start.1 + 1.0, high));
    }
    Some((period(text.strip_suffix('+')?, format)?.0, high))
}

fn between(text: &str, format: &DateFormat) -> Option<(f64, f64)> {
    let open_low = text.starts_with([']', '(']);
    let open_high = text.ends_with(['[', ')']);
    let brackets = |c: char| matches!(c, '[' | ']' | '(' | ')');
    let inside = text.trim_matches(brackets);
    let dividers = [" to ", "..", ",", ";", "–", " - ", "/"];
    let parts = dividers.into_iter().find_map(|by| {
        let (low, high) = inside.split_once(by)?;
        Some((period(low.trim(), format)?, period(high.trim(), format)?))
    });
    let (low, high) = parts?;
    let low = if open_low { low.1 + 1.0 } else { low.0 };
    let high = if open_high { high.0 - 1.0 } else { high.1 };
    (low <= high).then_some((low, high))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn days(text: &str) -> Option<(String, String)> {
        let iso = DateFormat::iso();
        let end = |day: f64| if day.is_finite() { iso.text(day) } else { String::new() };
        read(text, &"%d.%m.%Y".parse().unwrap()).map(|(low, high)| (end(low), end(high)))
    }

    #[test]
    fn periods_are_read_as_their_days() {
        for (text, low, high) in [
            ("2023-03-29", "2023-03-29", "2023-03-29"),
            ("29.03.2023", "2023-03-29", "2023-03-29"),
            ("2024-02", "2024-02-01", "2024-02-29"),
            ("12/2023", "2023-12-01", "2023-12-31"),
            ("2023-Q4", "2023-10-01", "2023-12-31"),
            ("Q1 2023", "2023-01-01", "2023-03-31"),
            ("2023-W01", "2023-01-02", "2023-01-08"),
            ("2023", "2023-01-01", "2023-12-31"),
            ("1990s", "1990-01-01", "1999-12-31"),
            ("2023-01 to 2023-03", "2023-01-01", "2023-03-31"),
            ("[2023-01-01, 2023-02-01[", "2023-01-01", "2023-01-31"),
            ("<2023", "", "2022-12-31"),
            (">=2023-05", "2023-05-01", ""),
            ("2020+", "2020-01-01", ""),
        ] {
            assert_eq!(days(text), Some((low.to_owned(), high.to_owned())), "{text}");
        }
        for wrong in ["", "march", "2023-13", "2023-Q5", "1995s", "23", "[2023, 2022]", "2023-W60"]
        {
            assert_eq!(days(wrong), None, "{wrong}");
        }
    }

    proptest! {
        #[test]
        fn a_day_lies_in_each_of_its_periods(day in -700_000i32..2_900_000) {
            let day = f64::from(day);
            for level in [DateLevel::Week, DateLevel::Quarter, DateLevel::Decade] {
                let text = level.text(day);
                let (low, high) = read(&text, &DateFormat::iso()).expect("is read");
                prop_assert!(low <= day && day <= high, "{text}");
            }
        }
    }
}
