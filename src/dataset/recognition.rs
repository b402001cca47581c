//! What the texts of a column may be: dates, and numbers as other countries write them.

use super::notation::{COMMON_DATES, Decimal, Notation, is_grouped_by_points, read_date};

/// What fits the cells of a column that has been read so far.
#[derive(Debug, Clone)]
pub(super) struct TextForms {
    /// One bit for each of [`COMMON_DATES`] that fits every text.
    dates: u16,
    /// Texts that are numbers with a decimal comma.
    commas: u64,
    /// Texts that are numbers with a decimal point and marks between thousands.
    points: u64,
    /// Texts that are another number with a comma than with a point.
    ambiguous: u64,
    /// Plain numbers with a point that divides no thousands.
    plain_decimals: u64,
}

impl Default for TextForms {
    fn default() -> Self {
        let dates = (1 << COMMON_DATES.len()) - 1;
        Self { dates, commas: 0, points: 0, ambiguous: 0, plain_decimals: 0 }
    }
}

/// What a column of texts is, if it is no column of labels.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Recognized {
    /// Numbers or dates in this notation.
    As(Notation),
    /// Dates that more than one format fits.
    AmbiguousDates(Vec<&'static str>),
    /// Numbers, all of which have three digits after one comma.
    AmbiguousNumbers,
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
            self.dates = 0;
            return;
        }
        for (i, format) in COMMON_DATES.iter().enumerate() {
            if self.dates >> i & 1 == 1 && read_date(format, text).is_none() {
                self.dates &= !(1 << i);
            }
        }
        let [comma, point] = [Decimal::Comma, Decimal::Point].map(|decimal| decimal.read(text));
        self.commas += u64::from(comma.is_some());
        self.points += u64::from(point.is_some());
        self.ambiguous += u64::from(comma.is_some() && point.is_some() && comma != point);
    }

    /// Takes note of a plain number.
    pub fn see_number(&mut self, number: f64, text: &str) {
        if number.fract() != 0.0 && !is_grouped_by_points(text) {
            self.plain_decimals += 1;
        }
    }

    /// Takes note of what later cells are.
    pub fn merge(&mut self, later: &Self) {
        self.dates &= later.dates;
        self.commas += later.commas;
        self.points += later.points;
        self.ambiguous += later.ambiguous;
        self.plain_decimals += later.plain_decimals;
    }

    /// What the column is; `said` is how decimals are written where somebody says so.
    pub fn recognized(&self, count: CellCounts, said: Option<Decimal>) -> Recognized {
        if count.texts == 0 {
            return match said {
                Some(Decimal::Comma) if self.plain_decimals == 0 && count.codes == 0 => {
                    Recognized::As(Notation::Decimal(Decimal::Comma))
                }
                _ => Recognized::Nothing,
            };
        }
        let fits = self.fitting_dates();
        match fits.as_slice() {
            _ if count.numbers + count.codes > 0 => {}
            [] => {}
            [one] => return Recognized::As(Notation::Date(one.parse().expect("a known format"))),
            _ => return Recognized::AmbiguousDates(fits),
        }
        self.numbers(count, said)
    }

    /// The formats that fit every text.
    pub fn fitting_dates(&self) -> Vec<&'static str> {
        let bits = COMMON_DATES.iter().enumerate().filter(|(i, _)| self.dates >> i & 1 == 1);
        bits.map(|(_, format)| *format).collect()
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
        ] {
            assert_eq!(recognized(&cells, None), expected, "{cells:?}");
        }
        let comma = recognized(&["1,234"], Some(Decimal::Comma));
        assert_eq!(comma, decimal(Decimal::Comma));
        assert_eq!(recognized(&["1.234"], Some(Decimal::Comma)), decimal(Decimal::Comma));
        assert_eq!(recognized(&["1.2"], Some(Decimal::Comma)), Recognized::Nothing);
    }
}
