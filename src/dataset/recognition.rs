//! What the texts of a column may be: dates, and numbers as other countries write them.

use super::generalized::{CellMeaning, finite_number};
use super::notation::{
    COMMON_DATES, Decimal, Notation, SHORT_DATES, is_grouped_by_points, read_date,
};

/// What fits the cells of a column that has been read so far.
#[derive(Debug, Clone)]
pub(super) struct TextForms {
    /// One bit for each of [`COMMON_DATES`] that fits every text.
    dates: u16,
    /// The same of [`SHORT_DATES`].
    short_dates: u16,
    /// Texts that are numbers with a decimal comma.
    commas: u64,
    /// Texts that are numbers with a decimal point and marks between thousands.
    points: u64,
    /// Texts that are another number with a comma than with a point.
    ambiguous: u64,
    /// Plain numbers with a point that divides no thousands.
    plain_decimals: u64,
    /// Plain numbers with a point that may divide thousands.
    grouped: u64,
}

impl Default for TextForms {
    fn default() -> Self {
        Self {
            dates: (1 << COMMON_DATES.len()) - 1,
            short_dates: (1 << SHORT_DATES.len()) - 1,
            commas: 0,
            points: 0,
            ambiguous: 0,
            plain_decimals: 0,
            grouped: 0,
        }
    }
}

/// What a column of texts is, if it is no column of labels.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Recognized {
    /// Numbers or dates in this notation.
    As(Notation),
    /// Dates that more than one format fits.
    AmbiguousDates(Vec<&'static str>),
    /// Dates with years of two digits, in each of these formats.
    ShortYears(Vec<&'static str>),
    /// Numbers, all of which have three digits after one comma.
    AmbiguousNumbers,
    /// The same with a point.
    AmbiguousPoints,
    /// So many texts would be numbers in this notation, but not all.
    Mostly(Decimal, u64),
    /// Labels.
    Nothing,
}

/// How many cells of a column are what.
#[derive(Debug, Clone, Copy)]
pub(super) struct CellCounts {
    pub numbers: u64,
    pub codes: u64,
    pub texts: u64,
}

impl TextForms {
    /// Takes note of a text that is no plain number. Cost: a look at the first character, for most
    /// labels.
    pub fn see_text(&mut self, text: &str) {
        let begins_as_number = |b: u8| b.is_ascii_digit() || matches!(b, b'-' | b'+' | b',' | b'.');
        if !text.bytes().next().is_some_and(begins_as_number) {
            (self.dates, self.short_dates) = (0, 0);
            return;
        }
        keep_fitting(&mut self.dates, &COMMON_DATES, text);
        keep_fitting(&mut self.short_dates, &SHORT_DATES, text);
        let [comma, point] = [Decimal::Comma, Decimal::Point].map(|decimal| decimal.read(text));
        self.commas += u64::from(comma.is_some());
        self.points += u64::from(point.is_some());
        self.ambiguous += u64::from(comma.is_some() && point.is_some() && comma != point);
    }

    /// Takes note of a plain number.
    pub fn see_number(&mut self, number: f64, text: &str) {
        if is_grouped_by_points(text) {
            self.grouped += 1;
        } else if number.fract() != 0.0 || text.contains('.') {
            self.plain_decimals += 1;
        }
    }

    /// How decimals are written, where the column can be read in one way only.
    pub fn shows(&self, count: CellCounts) -> Option<Decimal> {
        let all = |fitting: u64| count.texts > 0 && fitting == count.texts && count.codes == 0;
        match (all(self.commas), all(self.points), self.plain_decimals > 0) {
            (true, false, false) => Some(Decimal::Comma),
            (false, true, _) => Some(Decimal::Point),
            (false, false, true) if count.texts + count.codes == 0 => Some(Decimal::Point),
            _ => None,
        }
    }

    /// Takes note of what later cells are.
    pub fn merge(&mut self, later: &Self) {
        self.dates &= later.dates;
        self.short_dates &= later.short_dates;
        self.commas += later.commas;
        self.points += later.points;
        self.ambiguous += later.ambiguous;
        self.plain_decimals += later.plain_decimals;
        self.grouped += later.grouped;
    }

    /// What the column is; `said` is how decimals are written where somebody says so.
    pub fn recognized(&self, count: CellCounts, said: Option<Decimal>) -> Recognized {
        if count.texts == 0 {
            return match said {
                Some(Decimal::Comma) if self.plain_decimals == 0 && count.codes == 0 => {
                    Recognized::As(Notation::Decimal(Decimal::Comma))
                }
                None if self.grouped > 0 && self.plain_decimals == 0 && count.codes == 0 => {
                    Recognized::AmbiguousPoints
                }
                _ => Recognized::Nothing,
            };
        }
        let fits = fitting(self.dates, &COMMON_DATES);
        let short = fitting(self.short_dates, &SHORT_DATES);
        match fits.as_slice() {
            _ if count.numbers + count.codes > 0 => {}
            [] if !short.is_empty() => return Recognized::ShortYears(short),
            [] => {}
            [one] => return Recognized::As(Notation::Date(one.parse().expect("a known format"))),
            _ => return Recognized::AmbiguousDates(fits),
        }
        self.numbers(count, said)
    }

    fn numbers(&self, count: CellCounts, said: Option<Decimal>) -> Recognized {
        let all = |fitting: u64| fitting == count.texts && count.codes == 0;
        let comma = all(self.commas) && self.plain_decimals == 0;
        let point = all(self.points);
        match (comma, point, said) {
            (true, _, Some(Decimal::Comma)) | (true, false, None) => {
                Recognized::As(Notation::Decimal(Decimal::Comma))
            }
            (_, true, Some(Decimal::Point)) | (false, true, None) => {
                Recognized::As(Notation::Decimal(Decimal::Point))
            }
            (true, true, None) if self.ambiguous == 0 => {
                Recognized::As(Notation::Decimal(Decimal::Point))
            }
            (true, true, None) => Recognized::AmbiguousNumbers,
            _ => self.mostly(count),
        }
    }

    fn mostly(&self, count: CellCounts) -> Recognized {
        let cells = count.numbers + count.codes + count.texts;
        let (decimal, fitting) = match self.commas >= self.points {
            true => (Decimal::Comma, self.commas),
            false => (Decimal::Point, self.points),
        };
        match fitting > 0 && 2 * (fitting + count.numbers) > cells {
            true => Recognized::Mostly(decimal, fitting),
            false => Recognized::Nothing,
        }
    }
}

/// True where every point in the numbers of `labels` may divide thousands, and one does.
pub(super) fn may_be_thousands(labels: &[String]) -> bool {
    let has_numbers = |label: &&String| {
        let meaning = CellMeaning::read(label);
        matches!(meaning, CellMeaning::Interval(_)) || finite_number(label).is_some()
    };
    let is_part = |c: char| c.is_ascii_digit() || matches!(c, '.' | ',');
    let numbers = labels
        .iter()
        .filter(has_numbers)
        .flat_map(|label| label.split(move |c| !is_part(c)).map(|part| part.trim_end_matches(',')));
    let mut pointed = numbers.filter(|number| number.contains('.')).peekable();
    pointed.peek().is_some() && pointed.all(is_grouped_by_points)
}

/// Takes out of the formats `bits` those that do not fit `text`.
fn keep_fitting(bits: &mut u16, formats: &[&str], text: &str) {
    for (i, format) in formats.iter().enumerate() {
        if *bits >> i & 1 == 1 && read_date(format, text).is_none() {
            *bits &= !(1 << i);
        }
    }
}

/// Those of the `formats` whose bit is set.
fn fitting(bits: u16, formats: &[&'static str]) -> Vec<&'static str> {
    let set = formats.iter().enumerate().filter(|(i, _)| bits >> i & 1 == 1);
    set.map(|(_, format)| *format).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn recognized(cells: &[&str], said: Option<Decimal>) -> Recognized {
        let mut forms = TextForms::default();
        let mut count = CellCounts { numbers: 0, codes: 0, texts: 0 };
        for cell in cells {
            match cell.parse() {
                Ok(number) => {
                    forms.see_number(number, cell);
                    count.numbers += 1;
                }
                Err(_) => {
                    forms.see_text(cell);
                    count.texts += 1;
                }
            }
        }
        forms.recognized(count, said)
    }

    #[test]
    fn columns_are_recognized_by_all_of_their_cells() {
        let decimal = |decimal| Recognized::As(Notation::Decimal(decimal));
        let date = |format: &str| Recognized::As(Notation::Date(format.parse().unwrap()));
        for (cells, expected) in [
            (vec!["1,5", "2", "1.234"], decimal(Decimal::Comma)),
            (vec!["1,5", "2.5"], Recognized::Mostly(Decimal::Comma, 1)),
            (vec!["1,234.5", "7.25"], decimal(Decimal::Point)),
            (vec!["1 234", "12"], decimal(Decimal::Point)),
            (vec!["1,234", "2,345"], Recognized::AmbiguousNumbers),
            (vec!["1,5", "2,5", "x"], Recognized::Mostly(Decimal::Comma, 2)),
            (vec!["a", "b", "1,5"], Recognized::Nothing),
            (vec!["2023-03-29", "2023-12-01"], date("%Y-%m-%d")),
            (vec!["29.3.2023", "1.12.2023"], date("%d.%m.%Y")),
            (vec!["13/1/2023", "1/12/2023"], date("%d/%m/%Y")),
            (vec!["1/13/2023", "1/12/2023"], date("%m/%d/%Y")),
            (vec!["1/2/2023"], Recognized::AmbiguousDates(vec!["%d/%m/%Y", "%m/%d/%Y"])),
            (vec!["2023-03-29", "unknown"], Recognized::Nothing),
            (vec!["2023-03-29", "7"], Recognized::Nothing),
            (vec!["20-29", "30-39"], Recognized::Nothing),
            (vec!["5.000", "530"], Recognized::AmbiguousPoints),
            (vec!["5.000", "0.812"], Recognized::Nothing),
            (vec!["5.000", "5.10"], Recognized::Nothing),
            (vec!["0,812", "62,001"], decimal(Decimal::Comma)),
            (vec!["24.07.03"], Recognized::ShortYears(vec!["%d.%m.%y", "%y.%m.%d"])),
            (vec!["24.07.33"], Recognized::ShortYears(vec!["%d.%m.%y"])),
        ] {
            assert_eq!(recognized(&cells, None), expected, "{cells:?}");
        }
        let comma = recognized(&["1,234"], Some(Decimal::Comma));
        assert_eq!(comma, decimal(Decimal::Comma));
        assert_eq!(recognized(&["1.234"], Some(Decimal::Comma)), decimal(Decimal::Comma));
        assert_eq!(recognized(&["1.2"], Some(Decimal::Comma)), Recognized::Nothing);
        assert_eq!(recognized(&["1.234"], Some(Decimal::Point)), Recognized::Nothing);
    }
}
