//! What a cell of a released file may stand for: how it is read, and the one way it is written.
//!
//! | written | stands for | also read |
//! |---|---|---|
//! | `[20, 29]`, `[20, 30[`, `]19, 30[` | numbers between two ends, open or closed | `20-29`, `20 to 29`, `20–29`, `20..29`, `[20,30)`, `(19,30]`, `[20-30)`, `77,0-77,5`, `[77,0; 77,5[` |
//! | `<20`, `<=19` | numbers without lower end | `≤19`, `(-inf, 20)`, `low-19` |
//! | `>=90`, `>89` | numbers without upper end | `90+`, `≥90`, `[90, inf)`, `high-90` |
//! | `{a\|b}` | one of several values | `{a, b}`, `{a; b}` |
//! | `08***` | a code of which `*` hides one character each | |
//! | `*` | any value: suppressed | |
//!
//! Everything else stands for itself: numbers, negative ones too, dates (`2023-03-29`) and codes
//! (`2019-05`: the ends of an interval are numbers, the lower one first). What stands in a column
//! is a notation only where it is no value of the original; who compares two columns sees to that.

use std::collections::HashMap;
use std::fmt;

/// What a cell of a released file may stand for. A missing cell has no text, and so no meaning;
/// a name of a group of values ([`ValueGroups`]) reads as [`CellMeaning::Exact`].
///
/// ```
/// use unmask::dataset::CellMeaning;
///
/// assert_eq!(CellMeaning::read("20 to 29").to_string(), "[20, 29]");
/// assert_eq!(CellMeaning::read("{b, a}").to_string(), "{a|b}");
/// assert_eq!(CellMeaning::read("2023-03-29"), CellMeaning::Exact("2023-03-29".into()));
/// ```
#[derive(Debug, Clone, PartialEq)]
pub enum CellMeaning {
    /// This number or label.
    Exact(String),
    /// A number between two ends.
    Interval(NumberInterval),
    /// One of these, in the order of their texts.
    OneOf(Vec<CellMeaning>),
    /// A code with `*` in place of hidden characters.
    Masked(String),
    /// Any value.
    Suppressed,
}

impl CellMeaning {
    /// Reads `text`; what is in no notation stands for itself.
    pub fn read(text: &str) -> Self {
        let text = text.trim();
        if text == super::GENERALIZED {
            return Self::Suppressed;
        }
        if finite_number(text).is_some() {
            return Self::Exact(text.to_owned());
        }
        if let Some(interval) = NumberInterval::read(text) {
            return Self::Interval(interval);
        }
        if let Some(members) = members(text) {
            return Self::one_of(members.into_iter().map(Self::read));
        }
        match text.contains('*') {
            true => Self::Masked(text.to_owned()),
            false => Self::Exact(text.to_owned()),
        }
    }

    /// One of `meanings`, each named once.
    pub fn one_of(meanings: impl IntoIterator<Item = Self>) -> Self {
        let mut meanings: Vec<Self> = meanings.into_iter().collect();
        meanings.sort_by_cached_key(Self::to_string);
        meanings.dedup();
        match meanings.len() {
            1 => meanings.remove(0),
            _ => Self::OneOf(meanings),
        }
    }

    /// False for a value that stands for itself.
    pub fn is_generalized(&self) -> bool {
        !matches!(self, Self::Exact(_))
    }
}

impl fmt::Display for CellMeaning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Exact(text) | Self::Masked(text) => f.write_str(text),
            Self::Interval(interval) => interval.fmt(f),
            Self::OneOf(meanings) => {
                let texts: Vec<String> = meanings.iter().map(Self::to_string).collect();
                write!(f, "{{{}}}", texts.join("|"))
            }
            Self::Suppressed => f.write_str(super::GENERALIZED),
        }
    }
}

/// The parts of `{a|b}`; `None` when it is no set.
fn members(text: &str) -> Option<Vec<&str>> {
    let inside = text.strip_prefix('{')?.strip_suffix('}')?;
    let bar = ['|', ';', ','].into_iter().find(|bar| inside.contains(*bar)).unwrap_or('|');
    let members: Vec<&str> = inside.split(bar).map(str::trim).collect();
    let plain = |member: &&str| !member.is_empty() && !member.contains(['{', '}']);
    members.iter().all(plain).then_some(members)
}

/// The finite number that `text` spells.
pub(crate) fn finite_number(text: &str) -> Option<f64> {
    text.trim().parse().ok().filter(|number: &f64| number.is_finite())
}

/// True when `mask` may hide `code`: as many characters, equal where `mask` has no `*`.
pub(crate) fn mask_fits(mask: &str, code: &str) -> bool {
    let mut code = code.chars();
    mask.chars().all(|m| code.next().is_some_and(|c| m == '*' || m == c)) && code.next().is_none()
}

/// Numbers between two ends; infinite ends are open.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NumberInterval {
    low: f64,
    high: f64,
    low_open: bool,
    high_open: bool,
}

impl NumberInterval {
    /// The numbers from `low` on up to `high`, which is not among them.
    pub fn half_open(low: f64, high: f64) -> Self {
        Self { low, high, low_open: false, high_open: true }
    }

    /// `None` unless some number may lie between the ends.
    fn new((low, low_open): (f64, bool), (high, high_open): (f64, bool)) -> Option<Self> {
        let low_open = low_open || low.is_infinite();
        let high_open = high_open || high.is_infinite();
        let is_empty = low > high || (low == high && (low_open || high_open));
        (!is_empty).then_some(Self { low, high, low_open, high_open })
    }

    fn from(low: f64, open: bool) -> Option<Self> {
        Self::new((low, open), (f64::INFINITY, true))
    }

    fn up_to(high: f64, open: bool) -> Option<Self> {
        Self::new((f64::NEG_INFINITY, true), (high, open))
    }

    /// Reads an interval in one of the common notations.
    pub fn read(text: &str) -> Option<Self> {
        let text = text.trim();
        in_brackets(text)
            .or_else(|| one_sided(text))
            .or_else(|| discretized(text))
            .or_else(|| between(text))
    }

    /// True when `number` lies in it.
    pub fn contains(&self, number: f64) -> bool {
        let above = if self.low_open { number > self.low } else { number >= self.low };
        above && if self.high_open { number < self.high } else { number <= self.high }
    }

    /// The least and the greatest number in it, among the whole ones or all; infinite where it
    /// has no end. Where no whole number lies in it, as if there were others.
    pub(crate) fn ends(&self, whole: bool) -> (f64, f64) {
        let any = (
            if self.low_open { self.low.next_up() } else { self.low },
            if self.high_open { self.high.next_down() } else { self.high },
        );
        // Infinite ends have no neighbors.
        let any = (
            if self.low.is_infinite() { self.low } else { any.0 },
            if self.high.is_infinite() { self.high } else { any.1 },
        );
        let (low, high) = (any.0.ceil(), any.1.floor());
        if whole && low <= high { (low, high) } else { any }
    }
}

/// `[20, 30[`, `[20,30)`, `(20;30]`, `[20-30)`: an end that is left out or infinite is none.
fn in_brackets(text: &str) -> Option<NumberInterval> {
    let low_open = match text.chars().next()? {
        '[' => false,
        ']' | '(' => true,
        _ => return None,
    };
    let high_open = match text.chars().next_back()? {
        ']' => false,
        '[' | ')' => true,
        _ => return None,
    };
    let inside = text.get(1..text.len() - 1)?;
    let parted = inside.split_once(';').or_else(|| inside.split_once(','));
    let ends = parted
        .and_then(|(low, high)| Some((end(low, f64::NEG_INFINITY)?, end(high, f64::INFINITY)?)));
    let (low, high) = ends.or_else(|| two_numbers(inside))?;
    NumberInterval::new((low, low_open), (high, high_open))
}

/// An end of an interval: a number, or `infinite` in words, in a sign, or left out.
fn end(text: &str, infinite: f64) -> Option<f64> {
    let text = text.trim().to_lowercase();
    let sign = if infinite < 0.0 { '-' } else { '+' };
    match text.strip_prefix(sign).unwrap_or(&text) {
        "" | "inf" | "infinity" | "∞" => Some(infinite),
        _ => end_number(&text),
    }
}

/// The number that `text` spells, perhaps with a decimal comma: never with one before three digits,
/// which may be thousands.
fn end_number(text: &str) -> Option<f64> {
    finite_number(text).or_else(|| {
        let (whole, fraction) = text.trim().split_once(',')?;
        let is_fraction = !fraction.is_empty() && fraction.bytes().all(|b| b.is_ascii_digit());
        let is_whole = whole.trim_start_matches('-').bytes().all(|b| b.is_ascii_digit());
        let may_be_thousands = fraction.len() == 3 && !matches!(whole, "0" | "-0");
        let is_number = is_fraction && is_whole && !may_be_thousands;
        is_number.then(|| finite_number(&format!("{whole}.{fraction}"))).flatten()
    })
}

/// `<20`, `<=20`, `>90`, `>=90`, `90+`.
fn one_sided(text: &str) -> Option<NumberInterval> {
    let after = |signs: [&str; 2]| {
        let rest = signs.into_iter().find_map(|sign| text.strip_prefix(sign))?;
        end_number(rest)
    };
    if let Some(high) = after(["<=", "≤"]) {
        return NumberInterval::up_to(high, false);
    }
    if let Some(low) = after([">=", "≥"]) {
        return NumberInterval::from(low, false);
    }
    if let Some(high) = text.strip_prefix('<').and_then(end_number) {
        return NumberInterval::up_to(high, true);
    }
    if let Some(low) = text.strip_prefix('>').and_then(end_number) {
        return NumberInterval::from(low, true);
    }
    NumberInterval::from(end_number(text.strip_suffix('+')?)?, false)
}

/// What [`super::Discretization`] writes outside of its intervals: `low-19`, `high-90`.
fn discretized(text: &str) -> Option<NumberInterval> {
    if let Some(low) = text.strip_prefix("high-").and_then(finite_number) {
        return NumberInterval::from(low, false);
    }
    let below = text.strip_prefix("low-").and_then(finite_number)?;
    // A whole one is the last whole number under the bound.
    NumberInterval::up_to(if below.fract() == 0.0 { below + 1.0 } else { below }, true)
}

/// `20-29`, `20 to 29`, `20–29`, `20..29`.
fn between(text: &str) -> Option<NumberInterval> {
    let (low, high) = two_numbers(text)?;
    NumberInterval::new((low, false), (high, false))
}

/// Two numbers and what divides them; a dash may also be the sign of a number.
fn two_numbers(text: &str) -> Option<(f64, f64)> {
    let parted =
        |at: usize, by: &str| Some((end_number(&text[..at])?, end_number(&text[at + by.len()..])?));
    let dividers = ["–", "—", " to ", "..", "-"];
    dividers.into_iter().find_map(|by| text.match_indices(by).find_map(|(at, _)| parted(at, by)))
}

impl fmt::Display for NumberInterval {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { low, high, .. } = *self;
        match (low.is_finite(), high.is_finite()) {
            (false, true) => write!(f, "<{}{high}", if self.high_open { "" } else { "=" }),
            (true, false) => write!(f, ">{}{low}", if self.low_open { "" } else { "=" }),
            _ => {
                let left = if self.low_open { ']' } else { '[' };
                let right = if self.high_open { '[' } else { ']' };
                write!(f, "{left}{low}, {high}{right}")
            }
        }
    }
}

/// Names that stand for groups of an attribute's values, as the nodes of a hierarchy do.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ValueGroups(HashMap<String, HashMap<String, Vec<String>>>);

impl ValueGroups {
    /// Says that `name` may stand for `value` of `attribute`.
    pub fn add(&mut self, attribute: &str, name: &str, value: &str) {
        let names = self.0.entry(attribute.to_owned()).or_default();
        names.entry(name.to_owned()).or_default().push(value.to_owned());
    }

    /// The groups of `attribute` by name; `None` when there are none.
    pub(crate) fn of(&self, attribute: &str) -> Option<&HashMap<String, Vec<String>>> {
        self.0.get(attribute)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn written(text: &str) -> String {
        CellMeaning::read(text).to_string()
    }

    #[test]
    fn every_common_notation_is_read_and_written_in_one() {
        let cases = [
            ("20-29", "[20, 29]"),
            ("20 - 29", "[20, 29]"),
            ("20 to 29", "[20, 29]"),
            ("20–29", "[20, 29]"),
            ("20..29", "[20, 29]"),
            ("[20, 30[", "[20, 30["),
            ("[20,30)", "[20, 30["),
            ("(20,30]", "]20, 30]"),
            ("]20; 30[", "]20, 30["),
            ("[20-25)", "[20, 25["),
            ("-10--5", "[-10, -5]"),
            ("-10 to 5.5", "[-10, 5.5]"),
            ("<20", "<20"),
            ("<= 20", "<=20"),
            ("≤20", "<=20"),
            ("90+", ">=90"),
            (">=90", ">=90"),
            ("≥90", ">=90"),
            (">90", ">90"),
            ("77,0-77,5", "[77, 77.5]"),
            ("[77,0; 77,5[", "[77, 77.5["),
            ("[77,0 - 77,5[", "[77, 77.5["),
            ("<0,125", "<0.125"),
            ("(-inf, 20]", "<=20"),
            ("[90, Inf)", ">=90"),
            ("[90,)", ">=90"),
            ("low-19", "<20"),
            ("low-19.5", "<19.5"),
            ("high-90", ">=90"),
            ("08***", "08***"),
            ("{b|a}", "{a|b}"),
            ("{a, b, a}", "{a|b}"),
            ("{a}", "a"),
            ("{40+|20-29}", "{>=40|[20, 29]}"),
            ("*", "*"),
        ];
        for (text, expected) in cases {
            assert_eq!(written(text), expected, "{text}");
            assert_eq!(written(expected), expected, "what is written is read back");
            assert_eq!(CellMeaning::read(expected), CellMeaning::read(text));
        }
    }

    #[test]
    fn what_is_no_interval_stands_for_itself() {
        let values = [
            "-5",
            "1e-5",
            "2023-03-29",
            "2019-05",
            "30-20",
            "1,250-2,500",
            "[77,0, 77,5]",
            "[30, 20]",
            "(20,20]",
            "a-b",
            "20-",
            "-",
            "<",
            "+",
            "occ25",
            "<a",
            "nan-inf",
            "inf",
            "[",
            "{",
            "{}",
            "{a|}",
            "{{a|b}}",
            "low-",
        ];
        for value in values {
            assert_eq!(CellMeaning::read(value), CellMeaning::Exact(value.into()));
        }
    }

    #[test]
    fn open_ends_mean_the_next_number_there_is() {
        let ends = |text: &str, whole| NumberInterval::read(text).expect("one").ends(whole);
        assert_eq!(ends("]20, 30[", true), (21.0, 29.0));
        assert_eq!(ends("]20, 30[", false), (20f64.next_up(), 30f64.next_down()));
        assert_eq!(ends("[19.5, 29.5]", true), (20.0, 29.0));
        assert_eq!(ends("<20", true), (f64::NEG_INFINITY, 19.0));
        assert_eq!(ends(">89", false), (89f64.next_up(), f64::INFINITY));
        assert_eq!(ends("[0.2, 0.8]", true), (0.2, 0.8));
    }

    #[test]
    fn a_mask_hides_one_character_with_each_star() {
        assert!(mask_fits("08***", "08440") && mask_fits("*8*", "x8y"));
        for code in ["0844", "084400", "09440", ""] {
            assert!(!mask_fits("08***", code), "{code}");
        }
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_back(
            low in -99.0..99.0, width in 0.1..50.0, whole: bool, opens: [bool; 2], ends in 0u8..3
        ) {
            let low: f64 = if whole { f64::trunc(low) } else { low };
            let interval = match ends {
                0 => NumberInterval::from(low, opens[0]),
                1 => NumberInterval::up_to(low, opens[0]),
                _ => NumberInterval::new((low, opens[0]), (low + width, opens[1])),
            };
            let interval = interval.expect("not empty");
            prop_assert_eq!(NumberInterval::read(&interval.to_string()), Some(interval));
            let (least, most) = interval.ends(false);
            prop_assert!(interval.contains(least.max(-1e9)) && interval.contains(most.min(1e9)));
            prop_assert!(!least.is_finite() || !interval.contains(least.next_down()));
            prop_assert!(!most.is_finite() || !interval.contains(most.next_up()));
        }

        #[test]
        fn no_text_makes_reading_panic(text in "\\PC{0,12}") {
            let meaning = CellMeaning::read(&text);
            prop_assert_eq!(CellMeaning::read(&meaning.to_string()), meaning);
        }
    }
}
