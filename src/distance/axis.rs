//! The values of an original column on an axis, where what a released cell stands for is a few
//! ranges.

use crate::dataset::{
    Categorical, CellMeaning, DateFormat, Notation, NumberInterval, Numeric, date_ranges,
    finite_number, mask_fits,
};
use std::collections::{HashMap, HashSet};

/// Ranges with both ends included, ascending and apart.
pub(super) type Ranges = Vec<(f64, f64)>;

/// Names and what each stands for.
pub(super) type Groups = HashMap<String, Vec<String>>;

/// The values of an original column: numbers where they are, labels at 0, 1, ...
pub(super) struct ValueAxis<'a> {
    kind: AxisKind,
    groups: Option<&'a Groups>,
    /// The text of each value with its place, by text.
    texts: Vec<(String, f64)>,
    /// The texts of values that some record has.
    used: HashSet<String>,
}

enum AxisKind {
    /// `whole` when no number has a fraction.
    Numbers { whole: bool },
    /// Days, from the first to the last of the original.
    Dates { format: DateFormat, span: (f64, f64) },
    /// The labels that spell a number, with their places.
    Labels { numbers: Vec<(f64, f64)> },
}

impl<'a> ValueAxis<'a> {
    /// The axis of numbers.
    pub fn of_numbers(column: &Numeric, groups: Option<&'a Groups>) -> Self {
        let mut values: Vec<f64> = column.present().map(|v| v + 0.0).collect();
        values.sort_unstable_by(f64::total_cmp);
        values.dedup();
        let whole = values.iter().all(|v| v.fract() == 0.0);
        let notation = &column.form().notation;
        let mut texts: Vec<(String, f64)> =
            values.iter().map(|v| (axis_text(column, *v), *v)).collect();
        texts.sort_unstable_by(|a, b| a.0.cmp(&b.0));
        let used = texts.iter().map(|(text, _)| text.clone()).collect();
        let kind = match notation {
            Notation::Date(format) => AxisKind::Dates {
                format: format.clone(),
                span: [values.first(), values.last()].map(|day| *day.unwrap_or(&0.0)).into(),
            },
            Notation::Plain | Notation::Decimal(_) => AxisKind::Numbers { whole },
        };
        Self { kind, groups, texts, used }
    }

    /// Labels in the order of their texts, so that codes that begin alike lie together; levels
    /// in their own order where `ordinal`.
    pub fn of_labels(column: &Categorical, ordinal: bool, groups: Option<&'a Groups>) -> Self {
        let mut texts: Vec<(String, f64)> =
            column.labels().iter().zip(0u32..).map(|(t, c)| (t.clone(), f64::from(c))).collect();
        texts.sort_unstable_by(|a, b| a.0.cmp(&b.0));
        if !ordinal {
            texts.iter_mut().zip(0u32..).for_each(|((_, place), i)| *place = f64::from(i));
        }
        let number = |(text, place): &(String, f64)| Some((finite_number(text)?, *place));
        let numbers = texts.iter().filter_map(number).collect();
        let codes: HashSet<u32> = (0..column.len()).filter_map(|i| column.code(i)).collect();
        let used = codes.into_iter().map(|code| column.labels()[code as usize].clone()).collect();
        Self { kind: AxisKind::Labels { numbers }, groups, texts, used }
    }

    /// The place of the value that `text` is.
    pub fn place(&self, text: &str) -> Option<f64> {
        let found = self.texts.binary_search_by(|(other, _)| other.as_str().cmp(text)).ok()?;
        Some(self.texts[found].1)
    }

    /// What each of the released `labels` stands for; `None` for one that is no value of the
    /// original and in no notation that says which it stands for.
    ///
    /// A label that is a value of the original is that value. Where the column also holds others,
    /// or lacks values of the original, the name of a group that it is too may mean the group.
    pub fn meanings<S: AsRef<str>>(&self, labels: &[S]) -> Vec<Option<Ranges>> {
        let plain = labels.iter().all(|label| self.place(label.as_ref()).is_some())
            && (self.groups.is_none() || self.has_all_values(labels));
        let mut found: Vec<Option<Ranges>> = labels
            .iter()
            .map(|label| match plain {
                true => self.place(label.as_ref()).map(|place| vec![(place, place)]),
                false => self.read(label.as_ref()),
            })
            .collect();
        self.add_shorter_codes(labels, &mut found);
        found
    }

    /// True for what stands for every value that some record of the original has.
    pub fn is_everything(&self, ranges: &Ranges) -> bool {
        let holds = |place: f64| {
            let after = ranges.partition_point(|range| range.1 < place);
            ranges.get(after).is_some_and(|range| range.0 <= place)
        };
        self.texts.iter().all(|(text, place)| holds(*place) || !self.used.contains(text))
    }

    fn has_all_values<S: AsRef<str>>(&self, labels: &[S]) -> bool {
        let labels: HashSet<&str> = labels.iter().map(S::as_ref).collect();
        self.used.iter().all(|text| labels.contains(text.as_str()))
    }

    fn read(&self, label: &str) -> Option<Ranges> {
        match self.place(label) {
            Some(place) => {
                let grouped = self.group(label).unwrap_or_default();
                Some(self.joined(grouped.into_iter().chain([(place, place)])))
            }
            None => self
                .group(label)
                .or_else(|| self.days(label))
                .or_else(|| self.ranges(&CellMeaning::read(label))),
        }
    }

    fn ranges(&self, meaning: &CellMeaning) -> Option<Ranges> {
        match meaning {
            CellMeaning::Exact(text) => self.group(text).or_else(|| self.number(text)),
            CellMeaning::Interval(interval) => self.interval(interval),
            CellMeaning::OneOf(meanings) => self.one_of(meanings),
            CellMeaning::Masked(mask) => self.masked(mask),
            CellMeaning::Suppressed => Some(vec![(f64::NEG_INFINITY, f64::INFINITY)]),
        }
    }

    /// The days that `text` stands for, among dates.
    ///
    /// Four digits may be a year or a number of days: they are a year where the years of the
    /// original are not further from it than from each other.
    fn days(&self, text: &str) -> Option<Ranges> {
        let AxisKind::Dates { format, span: (first, last) } = &self.kind else { return None };
        let (low, high) = date_ranges::read(text, format)?;
        let reach = last - first + date_ranges::YEAR;
        let near = low <= last + reach && high >= first - reach;
        let digits = text.bytes().all(|b| b.is_ascii_digit());
        (near || !digits).then(|| vec![(low, high)])
    }

    /// The values of the group called `name`.
    fn group(&self, name: &str) -> Option<Ranges> {
        let members = self.groups?.get(name)?;
        let place = |member: &String| match &self.kind {
            AxisKind::Numbers { .. } => finite_number(member),
            AxisKind::Dates { format, .. } => {
                format.read(member).or_else(|| DateFormat::iso().read(member))
            }
            AxisKind::Labels { .. } => self.place(member),
        };
        self.some(members.iter().filter_map(place).map(|place| (place, place)))
    }

    /// The number that `text` spells, or the labels that spell it.
    fn number(&self, text: &str) -> Option<Ranges> {
        if let Some(place) = self.place(text) {
            return Some(vec![(place, place)]);
        }
        match &self.kind {
            AxisKind::Numbers { .. } => finite_number(text).map(|number| vec![(number, number)]),
            AxisKind::Dates { .. } => self.days(text),
            AxisKind::Labels { .. } => {
                let number = finite_number(text)?;
                self.labels_that(|label| label == number)
            }
        }
    }

    fn interval(&self, interval: &NumberInterval) -> Option<Ranges> {
        match &self.kind {
            AxisKind::Numbers { whole } => Some(vec![interval.ends(*whole)]),
            // Its ends are no dates.
            AxisKind::Dates { .. } => None,
            AxisKind::Labels { .. } => self.labels_that(|label| interval.contains(label)),
        }
    }

    /// The labels that spell a number which `holds`.
    fn labels_that(&self, holds: impl Fn(f64) -> bool) -> Option<Ranges> {
        let AxisKind::Labels { numbers } = &self.kind else { return None };
        let held = numbers.iter().filter(|(number, _)| holds(*number));
        self.some(held.map(|(_, place)| (*place, *place)))
    }

    /// Numbers must all be readable; a label that is unknown is nobody's.
    fn one_of(&self, meanings: &[CellMeaning]) -> Option<Ranges> {
        let parts: Vec<Option<Ranges>> = meanings.iter().map(|m| self.ranges(m)).collect();
        let numbers = !matches!(self.kind, AxisKind::Labels { .. });
        if numbers && parts.iter().any(Option::is_none) {
            return None;
        }
        self.some(parts.into_iter().flatten().flatten())
    }

    /// The codes that `mask` fits; those that begin like it where no code is as long.
    fn masked(&self, mask: &str) -> Option<Ranges> {
        let length = mask.chars().count();
        let beginning = mask.split('*').next().unwrap_or_default();
        let as_long = |text: &str| text.chars().count() == length;
        let places = match self.texts.iter().any(|(text, _)| as_long(text)) {
            true => self.beginning_with(beginning, |text| mask_fits(mask, text)),
            false if hides_the_end(mask) => self.beginning_with(beginning, |_| true),
            false => Vec::new(),
        };
        self.some(places).or_else(|| self.masked_number(mask))
    }

    /// `25***` as the numbers from 25000 to 25999, where none of the original is among them.
    fn masked_number(&self, mask: &str) -> Option<Ranges> {
        let AxisKind::Numbers { .. } = self.kind else { return None };
        let [low, high] = ["0", "9"].map(|digit| finite_number(&mask.replace('*', digit)));
        (hides_the_end(mask) && !mask.starts_with('*')).then_some(vec![(low?, high?)])
    }

    /// The places of the values that begin with `start` and `fit`.
    fn beginning_with(&self, start: &str, fit: impl Fn(&str) -> bool) -> Ranges {
        let first = self.texts.partition_point(|(text, _)| text.as_str() < start);
        let begin = self.texts[first..].iter().take_while(|(text, _)| text.starts_with(start));
        begin.filter(|(text, _)| fit(text)).map(|(_, place)| (*place, *place)).collect()
    }

    /// A code that no cell stands for may have been cut to a fixed length: it goes to the masks
    /// that begin as it does.
    fn add_shorter_codes<S: AsRef<str>>(&self, labels: &[S], found: &mut [Option<Ranges>]) {
        let is_mask =
            |label: &S| matches!(CellMeaning::read(label.as_ref()), CellMeaning::Masked(_));
        if !labels.iter().any(is_mask) {
            return;
        }
        let all = self.joined(found.iter().flatten().flatten().copied());
        let covered = |place: f64| {
            let after = all.partition_point(|range| range.1 < place);
            all.get(after).is_some_and(|range| range.0 <= place)
        };
        let left: Vec<&(String, f64)> = self.texts.iter().filter(|t| !covered(t.1)).collect();
        for (label, ranges) in labels.iter().zip(found) {
            if left.is_empty() || !is_mask(label) || !hides_the_end(label.as_ref()) {
                continue;
            }
            let start = label.as_ref().trim_end_matches('*');
            let first = left.partition_point(|(text, _)| text.as_str() < start);
            let begin = left[first..].iter().take_while(|(text, _)| text.starts_with(start));
            let more = begin.map(|(_, place)| (*place, *place));
            *ranges = self.some(ranges.take().unwrap_or_default().into_iter().chain(more));
        }
    }

    /// `ranges` joined; `None` when there are none.
    fn some(&self, ranges: impl IntoIterator<Item = (f64, f64)>) -> Option<Ranges> {
        Some(self.joined(ranges)).filter(|joined| !joined.is_empty())
    }

    /// `ranges` in order, neighbors as one where nothing can lie between them.
    fn joined(&self, ranges: impl IntoIterator<Item = (f64, f64)>) -> Ranges {
        let step = match self.kind {
            AxisKind::Numbers { whole: false } => 0.0,
            _ => 1.0,
        };
        let mut ranges: Ranges = ranges.into_iter().collect();
        ranges.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
        let mut joined: Ranges = Vec::new();
        for (low, high) in ranges {
            match joined.last_mut() {
                Some(last) if low <= last.1 + step => last.1 = last.1.max(high),
                _ => joined.push((low, high)),
            }
        }
        joined
    }
}

/// How the number of a column is called on an axis: days as dates, others without regard to decimal
/// commas, which differ between files.
pub(super) fn axis_text(column: &Numeric, value: f64) -> String {
    match column.is_date() {
        true => column.form().notation.text(value),
        false => value.to_string(),
    }
}

/// True for a mask such as `08***`.
fn hides_the_end(mask: &str) -> bool {
    !mask.trim_end_matches('*').contains('*')
}
