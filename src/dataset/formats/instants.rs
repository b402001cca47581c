//! Times become dates where they are all at midnight, else ISO texts.

use crate::dataset::labels::Labels;
use crate::dataset::notation::date;
use crate::dataset::typed::TypedColumn;
use crate::dataset::{Attribute, DateFormat, Notation};
use crate::error::Result;

const DAY: f64 = 86_400.0;

/// The attribute of `seconds` since 1970-01-01.
pub(super) fn instants(typed: &TypedColumn<'_>, seconds: &[Option<f64>]) -> Result<Attribute> {
    let whole = seconds.iter().flatten().all(|second| second % DAY == 0.0);
    if whole {
        let days = seconds.iter().map(|second| second.map(|second| second / DAY)).collect();
        return typed.numbers(days, Notation::Date(DateFormat::iso()));
    }
    // What is no time of the years 1 to 9999 is an error as a date is.
    let days = seconds.iter().map(|second| second.map(|second| (second / DAY).floor())).collect();
    typed.numbers(days, Notation::Date(DateFormat::iso()))?;
    let mut labels = Labels::default();
    seconds.iter().for_each(|second| labels.push(second.map(instant_text).as_deref()));
    typed.texts(labels)
}

/// `second` since 1970-01-01 as ISO text, with milliseconds where there are some.
pub(super) fn instant_text(second: f64) -> String {
    let day = (second / DAY).floor();
    let milliseconds = ((second - day * DAY) * 1_000.0).round() as u64;
    let (seconds, milliseconds) = (milliseconds / 1_000, milliseconds % 1_000);
    let (hours, minutes, seconds) = (seconds / 3_600, seconds / 60 % 60, seconds % 60);
    let fraction = if milliseconds > 0 { format!(".{milliseconds:03}") } else { String::new() };
    format!("{}T{hours:02}:{minutes:02}:{seconds:02}{fraction}", date(day))
}

/// The seconds since 1970-01-01 that [`instant_text`] wrote as `text`.
pub(super) fn read_instant(text: &str) -> Option<f64> {
    let (day, time) = text.split_once('T')?;
    let mut fields = time.splitn(3, ':').map(|field| field.parse::<f64>().ok());
    let mut next = || fields.next()?;
    let (hours, minutes, seconds) = (next()?, next()?, next()?);
    let second = DateFormat::iso().read(day)? * DAY + hours * 3_600.0 + minutes * 60.0 + seconds;
    (instant_text(second) == text).then_some(second)
}
