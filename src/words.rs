//! Numbers and names as sentences and tables show them.

use std::borrow::Cow;

/// 0.9475 as 94.75%; a rate that this would print as 0 keeps its digits.
pub fn percent(rate: f64) -> String {
    let digits = if rate > 0.0 && rate < 5e-5 { 6 } else { 2 };
    format!("{:.digits$}%", 100.0 * rate)
}

/// 0.9325 as 93.3%: one digit, a half rounded up, for sentences.
pub fn short_percent(rate: f64) -> String {
    format!("{:.1}%", (1000.0 * rate + 1e-9).round() / 10.0)
}

/// A whole number as such, a sum of shares with two digits.
pub fn count(number: f64) -> String {
    let digits = if number.fract() == 0.0 { 0 } else { 2 };
    format!("{number:.digits$}")
}

/// 379 rather than 379.0, in JSON.
pub(crate) fn whole_where_possible<S: serde::Serializer>(
    value: &f64,
    to: S,
) -> std::result::Result<S::Ok, S::Error> {
    if value.fract() == 0.0 { to.serialize_u64(*value as u64) } else { to.serialize_f64(*value) }
}

/// A share of people as so many of 100, of 1,000 and so on, rounded.
///
/// ```
/// use unmask::words::{people, people_at_least, people_at_most};
/// assert_eq!(people(0.0042), "4 of 1,000 people");
/// assert_eq!(people_at_most(0.3554), "36 of 100 people");
/// assert_eq!(people_at_least(0.3554), "35 of 100 people");
/// assert_eq!(people_at_most(0.0), "nobody");
/// ```
pub fn people(rate: f64) -> String {
    so_many(rate, 0.95, f64::round)
}

/// The same, rounded up.
pub fn people_at_most(rate: f64) -> String {
    so_many(rate, 0.95, f64::ceil)
}

/// The same, rounded down.
pub fn people_at_least(rate: f64) -> String {
    so_many(rate, 1.0, f64::floor)
}

/// A share of the first number of people of which it is at least `fewest`.
fn so_many(rate: f64, fewest: f64, rounded: fn(f64) -> f64) -> String {
    if rate <= 0.0 {
        return "nobody".to_owned();
    }
    let bases = [(100.0, "100"), (1_000.0, "1,000"), (10_000.0, "10,000"), (1e6, "1,000,000")];
    // What rounding added or took must not become one person more or less.
    let nearly = |number: f64| {
        let whole = number.round();
        if (number - whole).abs() < 1e-6 { whole } else { number }
    };
    let fits = |(base, _): &&(f64, &str)| nearly(rate * base) >= fewest;
    let (base, name) = bases.iter().find(fits).unwrap_or(&bases[3]);
    format!("{} of {name} people", rounded(nearly(rate * base)).clamp(1.0, *base))
}

/// A difference of two rates in percentage points, with its sign.
pub fn points(difference: f64) -> String {
    let text = format!("{:+.2}", 100.0 * difference);
    if text == "-0.00" { "+0.00".to_owned() } else { text }
}

/// The ends of an interval of rates, or a dash.
pub fn interval(ends: Option<[f64; 2]>) -> String {
    let words = |[low, high]: [f64; 2]| format!("{} to {}", percent(low), percent(high));
    ends.map_or_else(|| "-".to_owned(), words)
}

/// The most characters of a name, or of what was typed, that an error shows.
const EXCERPT: usize = 60;

/// The most characters of a value of a file that an error shows.
const FEW: usize = 20;

/// The most characters of a place, and of what is wrong there, that an error shows.
const LONGEST_SENTENCE: usize = 2_000;

/// A name, or what was typed, as an error shows it: its first characters, on one line.
///
/// ```
/// use unmask::words::excerpt;
/// assert_eq!(excerpt("7\u{1b}[2J"), "7\\u001b[2J");
/// assert_eq!(excerpt(&"9".repeat(5_000_000)).chars().count(), 61);
/// ```
pub fn excerpt(value: &str) -> String {
    one_line(&first_characters(value, EXCERPT))
}

/// A value of a file as an error shows it: its first few characters, in quotes.
///
/// ```
/// assert_eq!(unmask::words::quoted("somebody's whole address"), "\"somebody's whole add…\"");
/// ```
pub fn quoted(value: &str) -> String {
    format!("{:?}", first_characters(value, FEW))
}

/// `text` with an ellipsis in place of what is more than so many characters.
fn first_characters(text: &str, most: usize) -> Cow<'_, str> {
    match text.char_indices().nth(most) {
        None => text.into(),
        Some((end, _)) => format!("{}…", &text[..end]).into(),
    }
}

/// What an error says, however long the names and lists in it are; lines stay lines.
pub(crate) fn sentence(text: &str) -> String {
    printable(&first_characters(text, LONGEST_SENTENCE)).into_owned()
}

/// `text` such that a terminal shows it and does nothing else: control characters other than
/// line ends and tabs are spelled as in JSON, so that JSON stays the same value.
///
/// ```
/// assert_eq!(unmask::words::printable("a\u{1b}]0;b\u{9b}\n"), "a\\u001b]0;b\\u009b\n");
/// ```
pub fn printable(text: &str) -> Cow<'_, str> {
    spelled(text, |c| c.is_control() && c != '\n' && c != '\t')
}

/// The same on one line, as for a name or a cell of a table.
pub fn one_line(text: &str) -> String {
    spelled(text, char::is_control).into_owned()
}

/// Names one after the other, on one line.
pub fn listed<S: AsRef<str>>(names: &[S]) -> String {
    let names: Vec<&str> = names.iter().map(S::as_ref).collect();
    one_line(&names.join(", "))
}

/// `text` with the characters of one kind spelled out.
fn spelled(text: &str, is_spelled: impl Fn(char) -> bool) -> Cow<'_, str> {
    if !text.contains(&is_spelled) {
        return text.into();
    }
    let mut spelled = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            c if !is_spelled(c) => spelled.push(c),
            '\n' => spelled.push_str("\\n"),
            '\t' => spelled.push_str("\\t"),
            c => spelled.push_str(&format!("\\u{:04x}", u32::from(c))),
        }
    }
    spelled.into()
}

/// A name inside a sentence: one written from right to left keeps to itself.
pub fn isolated(name: &str) -> String {
    let right_to_left = |c: char| matches!(c, '\u{590}'..='\u{8ff}' | '\u{fb1d}'..='\u{fdff}' | '\u{fe70}'..='\u{feff}' | '\u{202a}'..='\u{202e}');
    match name.chars().any(right_to_left) {
        true => format!("\u{2068}{name}\u{2069}"),
        false => name.to_owned(),
    }
}

/// True for a name that a file can have, and that leads to no other folder.
///
/// ```
/// use unmask::words::is_file_name;
/// assert!(is_file_name("age in years"));
/// assert!(["", "..", "../x", "a/b", r"a\b", "a\0"].iter().all(|name| !is_file_name(name)));
/// ```
pub fn is_file_name(name: &str) -> bool {
    let leads_away = |c: char| matches!(c, '/' | '\\') || c.is_control();
    !matches!(name, "" | "." | "..") && name.len() <= 200 && !name.contains(leads_away)
}

/// At most three of `names` (all where they are four), and how many others there are.
pub fn first_three(names: &[String]) -> String {
    match names {
        [first, second, third, fourth] => format!("{first}, {second}, {third} and {fourth}"),
        [first, second, third, _, ..] => {
            format!("{first}, {second}, {third} and {} others", names.len() - 3)
        }
        _ => listed(names),
    }
}

/// A line that says which attributes a job could have been told to use; none when there are none.
pub fn unused_attributes(names: &[String]) -> Option<String> {
    let line = || format!("Not looked at: {}.", listed(names));
    (!names.is_empty()).then(line)
}

/// `words` as one line that a shell splits into the same words.
pub fn shell_line(words: impl IntoIterator<Item = String>) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./:,=+@%".contains(c);
    let quoted = |word: String| match !word.is_empty() && word.chars().all(plain) {
        true => word,
        false => format!("'{}'", word.replace('\'', r"'\''")),
    };
    words.into_iter().map(quoted).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_from_right_to_left_are_isolated() {
        assert_eq!(isolated("income"), "income");
        assert_eq!(isolated("دخل"), "\u{2068}دخل\u{2069}");
    }

    #[test]
    fn words_with_spaces_and_quotes_are_quoted() {
        let words = ["unmask", "a b", "it's", "", "--x=1,2"].map(String::from);
        assert_eq!(shell_line(words), r"unmask 'a b' 'it'\''s' '' --x=1,2");
    }
}
