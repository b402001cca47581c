//! Numbers and texts that stand for labels.

use crate::dataset::labels::Labels;
use crate::dataset::typed::TypedColumn;
use crate::dataset::{Attribute, Notation, ReadingNotes};
use crate::error::Result;
use crate::words::{isolated, quoted};
use std::collections::{HashMap, HashSet};
use std::hash::Hash;

/// What the codes of a column stand for.
pub(super) type CodeLabels<C> = Vec<(C, String)>;

/// The attribute of `values`, which are labels where `labels` names every one of them.
pub(super) fn numbers(
    typed: &TypedColumn<'_>,
    values: Vec<Option<f64>>,
    labels: &CodeLabels<f64>,
    notes: &mut ReadingNotes,
) -> Result<Attribute> {
    if typed.kind().is_some_and(|kind| !kind.is_label()) {
        return typed.numbers(values, Notation::Plain);
    }
    // Equal numbers have equal bits but for the sign of 0.
    let key = |value: f64| (value + 0.0).to_bits();
    let keys = values.iter().map(|value| value.map(key));
    let keyed: Vec<(u64, &str)> = labels.iter().map(|(v, l)| (key(*v), l.as_str())).collect();
    match labelled(typed, keys, &keyed, notes) {
        Some(labels) => typed.texts(labels),
        None => typed.numbers(values, Notation::Plain),
    }
}

/// The attribute of `values`, which are other labels where `labels` names every one of them.
pub(super) fn texts<'t>(
    typed: &TypedColumn<'_>,
    values: &[Option<&'t str>],
    labels: &'t CodeLabels<String>,
    notes: &mut ReadingNotes,
) -> Result<Attribute> {
    let keyed: Vec<(&str, &str)> = labels.iter().map(|(v, l)| (v.as_str(), l.as_str())).collect();
    let keys = values.iter().map(|value| value.and_then(|value| typed.present(value)));
    match labelled(typed, keys.clone(), &keyed, notes) {
        Some(labels) => typed.texts(labels),
        None => {
            let mut raw = Labels::default();
            keys.for_each(|value| raw.push(value));
            typed.texts(raw)
        }
    }
}

/// The labels of all `codes`; none where the file has no labels or only some, which is told.
fn labelled<C: Copy + Eq + Hash>(
    typed: &TypedColumn<'_>,
    codes: impl Iterator<Item = Option<C>> + Clone,
    labels: &[(C, &str)],
    notes: &mut ReadingNotes,
) -> Option<Labels> {
    let used: HashSet<C> = codes.clone().flatten().collect();
    let by_code: HashMap<C, &str> = labels.iter().copied().collect();
    let labelled = used.iter().filter_map(|code| by_code.get(code));
    let distinct: HashSet<&&str> = labelled.clone().collect();
    let count = labelled.count();
    if count == 0 {
        return None;
    }
    let problem = match (count < used.len(), distinct.len() < count) {
        (true, _) => format!("{count} of its {} values have labels", used.len()),
        (_, true) => "some of its values have the same label".to_owned(),
        (false, false) => {
            let mut texts = Labels::default();
            codes.for_each(|code| {
                texts.push(code.and_then(|code| typed.present(by_code.get(&code)?)));
            });
            return Some(texts);
        }
    };
    let example = labels.iter().find(|(code, _)| used.contains(code)).map(|(_, label)| *label);
    notes.warn(format!(
        "{}: {problem} ({}); read by its values, so name those that stand for a missing one with \
         `missing_tokens`",
        isolated(typed.name),
        quoted(example.unwrap_or_default()),
    ));
    None
}
