//! How the numbers of a column are written, and which may occur in it.
//!
//! Dates are numbers of days, so that whatever works on numbers works on dates: a day is a day
//! in distances, noise and groups. A column that replaces another keeps its form: it is written as
//! that one was, whole where that was whole, and inside its bounds.

use crate::words::quoted;
use jiff::civil::Date;
use serde::{Deserialize, Serialize};
use std::str::FromStr;

/// The character before the decimals of a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
#[serde(rename_all = "kebab-case")]
pub enum Decimal {
    /// 1234.5, with `,`, `'` or a space between thousands
    Point,
    /// 1234,5, with `.`, `'` or a space between thousands
    Comma,
}

impl Decimal {
    fn byte(self) -> u8 {
        match self {
            Self::Point => b'.',
            Self::Comma => b',',
        }
    }

    /// The number that `text` spells; none where its thousands are not grouped as such.
    pub fn read(self, text: &str) -> Option<f64> {
        let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
        if !unsigned.starts_with(|c: char| c.is_ascii_digit() || c as u32 == u32::from(self.byte()))
        {
            return None;
        }
        let (whole, fraction) = match unsigned.split_once(char::from(self.byte())) {
            Some((whole, fraction)) => (whole, Some(fraction)),
            None => (unsigned, None),
        };
        let is_digits = |part: &str| part.bytes().all(|b| b.is_ascii_digit());
        if fraction.is_some_and(|f| f.is_empty() || !is_digits(f)) {
            return None;
        }
        let mut plain = if text.starts_with('-') { "-".to_owned() } else { String::new() };
        match is_digits(whole) {
            true => plain.push_str(whole),
            false => self.push_thousands(whole, &mut plain)?,
        }
        plain.extend(fraction.into_iter().flat_map(|fraction| [".", fraction]));
        plain.parse().ok().filter(|number: &f64| number.is_finite())
    }

    /// Adds the digits of `whole`, whose thousands one separator divides.
    fn push_thousands(self, whole: &str, plain: &mut String) -> Option<()> {
        let is_separator = |c: &char| {
            let decimal = *c as u32 == u32::from(self.byte());
            !decimal && matches!(c, '.' | ',' | '\'' | '’' | ' ' | '\u{a0}' | '\u{202f}')
        };
        let separator = whole.chars().find(is_separator)?;
        for (i, group) in whole.split(separator).enumerate() {
            let fits = match i {
                0 => (1..=3).contains(&group.len()) && !group.starts_with('0'),
                _ => group.len() == 3,
            };
            if !fits || !group.bytes().all(|b| b.is_ascii_digit()) {
                return None;
            }
            plain.push_str(group);
        }
        Some(())
    }
}

/// True for `1.234` and `1.234.567`, and not for `0.123`: what would be a whole number where points
/// divide thousands.
pub(super) fn is_grouped_by_points(text: &str) -> bool {
    let before_three = text.len().checked_sub(4).and_then(|at| text.as_bytes().get(at));
    before_three == Some(&b'.') && Decimal::Comma.read(text).is_some()
}

/// How dates are written: fields as `strftime` names them, such as `%d.%m.%Y`.
///
/// A year that is written as `%Y` has four digits. Years of two digits (`%y`) are 1930 to 2029, as
/// spreadsheets have it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct DateFormat(String);

/// Days of the years 1 to 9999.
const DAYS: (f64, f64) = (-719_162.0, 2_932_896.0);

const EPOCH: Date = Date::constant(1970, 1, 1);

/// 2023-03-29.
const ISO: &str = "%Y-%m-%d";

/// The years that two digits stand for.
const SHORT_YEARS: (i16, i16) = (1930, 2029);

/// Formats that are looked for in files; some texts fit several.
pub(super) const COMMON_DATES: [&str; 10] = [
    ISO, "%Y/%m/%d", "%Y.%m.%d", "%d.%m.%Y", "%d/%m/%Y", "%m/%d/%Y", "%d-%m-%Y", "%m-%d-%Y",
    "%d%b%Y", "%d-%b-%Y",
];

/// The same with years of two digits, which are told and not read.
pub(super) const SHORT_DATES: [&str; 10] = [
    "%d.%m.%y", "%d/%m/%y", "%m/%d/%y", "%d-%m-%y", "%m-%d-%y", "%y-%m-%d", "%y.%m.%d", "%y/%m/%d",
    "%d%b%y", "%d-%b-%y",
];

impl DateFormat {
    /// 2023-03-29.
    pub fn iso() -> Self {
        Self(ISO.to_owned())
    }

    /// The day that `text` names, in days since 1970-01-01.
    pub fn read(&self, text: &str) -> Option<f64> {
        read_date(&self.0, text)
    }

    /// The text of a day.
    pub fn text(&self, day: f64) -> String {
        date(day).strftime(&self.0).to_string()
    }

    /// True where some dates would be others with day and month in other places.
    pub(super) fn has_a_rival(&self) -> bool {
        ["%d/%m", "%m/%d", "%d-%m", "%m-%d"].iter().any(|start| self.0.starts_with(start))
    }

    /// True where years have two digits.
    pub(super) fn has_short_years(&self) -> bool {
        has_short_years(&self.0)
    }

    /// The first and the last day that can be written.
    fn days(&self) -> (f64, f64) {
        let (first, last) = SHORT_YEARS;
        match self.has_short_years() {
            true => {
                (day_number(Date::constant(first, 1, 1)), day_number(Date::constant(last, 12, 31)))
            }
            false => DAYS,
        }
    }

    /// The fields as `strftime` names them.
    pub fn fields(&self) -> &str {
        &self.0
    }
}

/// As [`DateFormat::read`].
pub(super) fn read_date(format: &str, text: &str) -> Option<f64> {
    // Ten times as fast as reading by fields.
    if format == ISO {
        return iso_date(text).filter(|date| date.year() > 0).map(day_number);
    }
    let date = Date::strptime(format, text).ok()?;
    match has_short_years(format) {
        true => in_short_years(date),
        false => (date.year() > 0 && has_four_digits(text, date.year())).then_some(date),
    }
    .map(day_number)
}

/// True unless `text` has fewer digits for `year` than four.
fn has_four_digits(text: &str, year: i16) -> bool {
    year > 999 || text.contains(&format!("{year:04}"))
}

/// `date` in the one century that two digits stand for.
fn in_short_years(date: Date) -> Option<Date> {
    let (first, last) = SHORT_YEARS;
    let year = first + (date.year() - first).rem_euclid(last - first + 1);
    Date::new(year, date.month(), date.day()).ok()
}

/// True for a format with years of two digits: `%y`, or a field that has one in it.
fn has_short_years(format: &str) -> bool {
    let fields = format.split('%').skip(1);
    let names = fields.map(|field| field.trim_start_matches(['-', '_', '0', '^', '#']));
    let short = |name: &str| name.starts_with(['y', 'D', 'x']);
    names.into_iter().any(short)
}

/// True for a day of the years 1 to 9999, in days since 1970-01-01.
#[cfg(any(feature = "parquet", feature = "formats"))]
pub(super) fn is_day(value: f64) -> bool {
    value.fract() == 0.0 && (DAYS.0..=DAYS.1).contains(&value)
}

/// Days from 1970-01-01 to `date`.
pub(crate) fn day_number(date: Date) -> f64 {
    let days = date.duration_since(EPOCH).as_hours() / 24;
    days as f64
}

/// The date that is so many days after 1970-01-01, within the years 1 to 9999.
pub(crate) fn date(day: f64) -> Date {
    let days = day.round().clamp(DAYS.0, DAYS.1) as i64;
    EPOCH.saturating_add(jiff::Span::new().days(days))
}

fn iso_date(text: &str) -> Option<Date> {
    let bytes = text.as_bytes();
    if bytes.len() != 10 || bytes[4] != b'-' || bytes[7] != b'-' {
        return None;
    }
    let number = |range: std::ops::Range<usize>| {
        let digits = &bytes[range];
        let add = |sum: i16, byte: &u8| Some(10 * sum + i16::from(byte.checked_sub(b'0')?));
        digits.iter().all(u8::is_ascii_digit).then(|| digits.iter().try_fold(0, add))?
    };
    Date::new(number(0..4)?, number(5..7)? as i8, number(8..10)? as i8).ok()
}

impl FromStr for DateFormat {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let format = Self(text.to_owned());
        // In two centuries.
        let is_read_back = |day: f64| {
            let written = jiff::fmt::strtime::format(text, date(day)).ok();
            written.and_then(|written| format.read(&written)) == Some(day)
        };
        match [17_533.0, -12_345.0].into_iter().all(is_read_back) {
            true => Ok(format),
            false => Err(format!(
                "{} does not say day, month and year; write them as %d, %m and %Y, as in %d.%m.%Y, or \
                 %y for years of two digits",
                quoted(text)
            )),
        }
    }
}

impl TryFrom<String> for DateFormat {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        text.parse()
    }
}

impl From<DateFormat> for String {
    fn from(format: DateFormat) -> Self {
        format.0
    }
}

/// How the numbers of a column are written.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Notation {
    /// As Rust, JSON and most programs write them: `1234.5`, `1e-7`.
    #[default]
    Plain,
    /// With this character before the decimals and, perhaps, marks between thousands.
    Decimal(Decimal),
    /// As dates; the numbers are days since 1970-01-01.
    Date(DateFormat),
}

impl Notation {
    /// The number that `text` spells.
    pub fn read(&self, text: &str) -> Option<f64> {
        match self {
            Self::Plain => text.parse().ok().filter(|number: &f64| number.is_finite()),
            Self::Decimal(decimal) => decimal.read(text),
            Self::Date(format) => format.read(text),
        }
    }

    /// How `number` is written; zero has no sign.
    pub fn text(&self, number: f64) -> String {
        let number = number + 0.0;
        match self {
            Self::Plain | Self::Decimal(Decimal::Point) => number.to_string(),
            Self::Decimal(Decimal::Comma) => number.to_string().replace('.', ","),
            Self::Date(format) => format.text(number),
        }
    }

    /// True for dates.
    pub fn is_date(&self) -> bool {
        matches!(self, Self::Date(_))
    }

    /// What the cells of such a column are.
    pub fn in_words(&self) -> String {
        match self {
            Self::Plain => "numbers".to_owned(),
            Self::Decimal(Decimal::Comma) => "numbers with a decimal comma".to_owned(),
            Self::Decimal(Decimal::Point) => {
                "numbers with a decimal point and marks between thousands".to_owned()
            }
            Self::Date(format) if format.has_short_years() => {
                let (first, last) = SHORT_YEARS;
                format!("dates as {}, of the years {first} to {last}", format.fields())
            }
            Self::Date(format) => format!("dates as {}", format.fields()),
        }
    }
}

/// The numbers that may occur in a column, ends included.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Bounds {
    /// None is below.
    pub low: f64,
    /// None is above.
    pub high: f64,
}

impl Default for Bounds {
    fn default() -> Self {
        Self { low: f64::NEG_INFINITY, high: f64::INFINITY }
    }
}

impl FromStr for Bounds {
    type Err = String;

    /// `0..`, `..100` or `0..100`, both ends included.
    fn from_str(text: &str) -> Result<Self, String> {
        let problem = || {
            let text = quoted(text);
            format!("{text} are no bounds; write LOW..HIGH, LOW.. or ..HIGH, as in 0..100")
        };
        let (low, high) = text.split_once("..").ok_or_else(problem)?;
        let end = |text: &str, open: f64| match text.trim() {
            "" => Some(open),
            number => number.parse().ok().filter(|n: &f64| n.is_finite()),
        };
        let all = Self::default();
        let low = end(low, all.low).ok_or_else(problem)?;
        let high = end(high, all.high).ok_or_else(problem)?;
        if low > high || (low.is_infinite() && high.is_infinite()) {
            return Err(problem());
        }
        Ok(Self { low, high })
    }
}

impl TryFrom<String> for Bounds {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        text.parse()
    }
}

impl From<Bounds> for String {
    fn from(bounds: Bounds) -> Self {
        let end = |number: f64| if number.is_finite() { number.to_string() } else { Self::new() };
        format!("{}..{}", end(bounds.low), end(bounds.high))
    }
}

/// What the numbers of a column are: how they are written, and which may occur.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct NumberForm {
    /// How they are written.
    pub notation: Notation,
    /// True where only whole numbers may occur; dates are.
    pub whole: bool,
    /// Between which ends they lie.
    pub bounds: Bounds,
}

impl NumberForm {
    /// The number of this form that is nearest to `number`. Cost: O(1).
    pub fn fitted(&self, number: f64) -> f64 {
        match self.allows_all() {
            true => number,
            false => self.nearest(number),
        }
    }

    fn nearest(&self, number: f64) -> f64 {
        let Bounds { low, high } = self.bounds;
        let whole = self.whole || self.notation.is_date();
        // Never above the high end, should no whole number lie between both.
        let (low, high) = if whole { (low.ceil().min(high), high.floor()) } else { (low, high) };
        let rounded = if whole { number.round() } else { number };
        let inside = rounded.min(high).max(low);
        match &self.notation {
            Notation::Date(format) => inside.clamp(format.days().0, format.days().1),
            Notation::Plain | Notation::Decimal(_) => inside,
        }
    }

    /// True where every number may occur.
    pub fn allows_all(&self) -> bool {
        !self.whole && !self.notation.is_date() && self.bounds == Bounds::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn numbers_are_read_under_both_conventions() {
        let read = |decimal: Decimal, text| decimal.read(text);
        for (text, comma, point) in [
            ("1,5", Some(1.5), None),
            ("1.234,5", Some(1234.5), None),
            ("1,234.5", None, Some(1234.5)),
            ("1,234", Some(1.234), Some(1234.0)),
            ("1 234", Some(1234.0), Some(1234.0)),
            ("1\u{202f}234,50", Some(1234.5), None),
            ("-12'345.25", None, Some(-12345.25)),
            ("12.5", None, Some(12.5)),
            ("1.2345", None, Some(1.2345)),
            ("1,23,4", None, None),
            (",5", Some(0.5), None),
            ("5,", None, None),
            ("", None, None),
            ("1.234.567", Some(1_234_567.0), None),
            ("0,812", Some(0.812), None),
            ("0.812", None, Some(0.812)),
        ] {
            assert_eq!(
                [read(Decimal::Comma, text), read(Decimal::Point, text)],
                [comma, point],
                "{text}"
            );
        }
    }

    #[test]
    fn dates_are_days_and_only_days_that_exist() {
        let format: DateFormat = "%d.%m.%Y".parse().unwrap();
        assert_eq!(format.read("02.01.1970"), Some(1.0));
        assert_eq!(format.text(-1.0), "31.12.1969");
        assert_eq!(format.read("30.02.2020"), None);
        assert_eq!(DateFormat::iso().read("2024-02-29"), Some(19_782.0));
        assert_eq!(DateFormat::iso().read("2023-02-29"), None);
        assert_eq!(DateFormat::iso().read("2023-2-9"), None);
        assert_eq!(format.read("02.01.70"), None);
        assert_eq!(format.read("02.01.0070"), Some(-693_959.0));
        for wrong in ["%d.%m", "%d.%m.%g", "", "day", "%q", "%Y-%m-%d %H"] {
            assert!(wrong.parse::<DateFormat>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn years_of_two_digits_are_1930_to_2029() {
        let format: DateFormat = "%d.%m.%y".parse().unwrap();
        let iso = |text: &str| format.read(text).map(|day| DateFormat::iso().text(day));
        for (short, long) in [
            ("24.07.03", "2003-07-24"),
            ("24.07.29", "2029-07-24"),
            ("29.02.32", "1932-02-29"),
            ("01.01.30", "1930-01-01"),
            ("01.01.70", "1970-01-01"),
        ] {
            assert_eq!(iso(short).as_deref(), Some(long));
        }
        let form = NumberForm { notation: Notation::Date(format.clone()), ..NumberForm::default() };
        assert_eq!(format.text(form.fitted(90_000.0)), "31.12.29");
        assert_eq!(iso("24.07.2003"), None);
    }

    #[test]
    fn numbers_are_fitted_to_their_form() {
        let ages =
            NumberForm { whole: true, bounds: "0..".parse().unwrap(), ..NumberForm::default() };
        assert_eq!([-3.2, 41.5, 7.0].map(|v| ages.fitted(v)), [0.0, 42.0, 7.0]);
        let shares = NumberForm { bounds: "0..1".parse().unwrap(), ..NumberForm::default() };
        assert_eq!([-0.1, 0.25, 1.5].map(|v| shares.fitted(v)), [0.0, 0.25, 1.0]);
        for wrong in ["", "..", "5..1", "a..", "1-2"] {
            assert!(wrong.parse::<Bounds>().is_err(), "{wrong}");
        }
    }

    proptest! {
        #[test]
        fn a_date_is_read_as_it_was_written(day in -700_000i32..2_900_000, format in 0..COMMON_DATES.len()) {
            let format: DateFormat = COMMON_DATES[format].parse().unwrap();
            prop_assert_eq!(format.read(&format.text(f64::from(day))), Some(f64::from(day)));
        }

        #[test]
        fn a_number_with_a_comma_is_read_as_it_was_written(number in -1e9..1e9f64) {
            let notation = Notation::Decimal(Decimal::Comma);
            prop_assert_eq!(notation.read(&notation.text(number)), Some(number));
        }
    }
}
