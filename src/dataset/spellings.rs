//! Cells that are written in another way than their value would be.

/// The texts of some records of a column, as they were read.
///
/// A file of ordinary numbers has none. Cost: the text and 16 bytes for each cell that has one.
#[derive(Debug, Clone, Default)]
pub(super) struct Spellings {
    text: String,
    /// Records, ascending, and where the text of each ends.
    ends: Vec<(usize, usize)>,
}

/// How a value is spelled makes no difference to what it is.
impl PartialEq for Spellings {
    fn eq(&self, _other: &Self) -> bool {
        true
    }
}

impl Spellings {
    /// Says how `record` is written, which comes after those that were said.
    pub fn push(&mut self, record: usize, text: &str) {
        self.text.push_str(text);
        self.ends.push((record, self.text.len()));
    }

    /// Adds those of the records that follow the first `records`.
    pub fn append(&mut self, records: usize, later: &Self) {
        later.iter().for_each(|(record, text)| self.push(records + record, text));
    }

    /// How `record` is written, where that is not as its value would be.
    pub fn get(&self, record: usize) -> Option<&str> {
        let place = self.ends.binary_search_by_key(&record, |(record, _)| *record).ok()?;
        Some(self.at(place))
    }

    /// Those of the records `rows`, in that order.
    pub fn select(&self, rows: &[usize]) -> Self {
        let mut selected = Self::default();
        if !self.ends.is_empty() {
            let texts = rows.iter().map(|row| self.get(*row)).enumerate();
            texts.for_each(|(i, text)| text.into_iter().for_each(|text| selected.push(i, text)));
        }
        selected
    }

    /// Those of the records that `stays` holds of.
    pub fn filtered(&self, stays: impl Fn(usize) -> bool) -> Self {
        let mut filtered = Self::default();
        let staying = self.iter().filter(|(record, _)| stays(*record));
        staying.for_each(|(record, text)| filtered.push(record, text));
        filtered
    }

    fn iter(&self) -> impl Iterator<Item = (usize, &str)> {
        (0..self.ends.len()).map(|place| (self.ends[place].0, self.at(place)))
    }

    fn at(&self, place: usize) -> &str {
        let start = place.checked_sub(1).map_or(0, |before| self.ends[before].1);
        &self.text[start..self.ends[place].1]
    }
}

/// True when `number`, read from `text`, is written as that text.
pub(super) fn is_canonical(text: &str, number: f64) -> bool {
    // What is written has no negative zero.
    is_short_decimal(text) || (number + 0.0).to_string() == text
}

/// True for decimals without leading and trailing zeros of at most 15 digits, which doubles tell
/// apart: the shortest text of such a number is the text itself.
fn is_short_decimal(text: &str) -> bool {
    let unsigned = text.strip_prefix('-').unwrap_or(text);
    let (whole, fraction) = unsigned.split_once('.').unwrap_or((unsigned, "1"));
    let digits = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
    let padded = whole.len() > 1 && whole.starts_with('0') || fraction.ends_with('0');
    text.len() <= 15 && digits(whole) && digits(fraction) && !padded && text != "-0"
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn spellings_of_selected_records_go_with_them() {
        let mut spellings = Spellings::default();
        spellings.push(1, "1e3");
        spellings.push(4, "0.10");
        let selected = spellings.select(&[4, 0, 1, 4]);
        let texts: Vec<Option<&str>> = (0..4).map(|i| selected.get(i)).collect();
        assert_eq!(texts, [Some("0.10"), None, Some("1e3"), Some("0.10")]);
        assert_eq!(spellings.filtered(|record| record > 1).get(1), None);
    }

    #[test]
    fn only_texts_that_a_number_would_not_have_are_kept() {
        for text in ["7", "-0.5", "120", "1234567.25", "123456789012345"] {
            assert!(is_canonical(text, text.parse().unwrap()), "{text}");
        }
        for text in ["1e3", "0.10", "+5", "-0.0", ".5", "5.", "00.5", "1E3", "120.0"] {
            assert!(!is_canonical(text, text.parse().unwrap()), "{text}");
        }
        assert!(!is_canonical("-0", -0.0) && is_canonical("0", -0.0));
    }

    proptest! {
        #[test]
        fn a_short_decimal_is_what_its_number_is_written_as(
            whole in 0u64..1_000_000_000, fraction in 0u32..100_000, negative: bool
        ) {
            let sign = if negative { "-" } else { "" };
            let text = format!("{sign}{whole}.{fraction}");
            let number: f64 = text.parse().unwrap();
            prop_assert!(!is_short_decimal(&text) || number.to_string() == text);
        }
    }
}
