//! A released column of cells that may stand for several values, against an original one of
//! known values.

use super::attributes::{DistancePair, PairKind, Standard, level_steps, unit_and_factor};
use super::axis::{Ranges, ValueAxis, axis_text};
use super::cells::{CellTable, Gap, ReleasedCell};
use super::exact::{ExactPair, Gauge, in_unit};
use super::{Standardization, SuppressedReading, ValueReading};
use crate::dataset::{Attribute, Categorical, Dataset, Numeric, Values};
use crate::error::{Error, Result};
use crate::statistics::standard_deviation;
use crate::words::quoted;

/// A file and a position in it.
type Column<'a> = (&'a Dataset, usize);

/// The distances of a column that must be read cell by cell; `None` where values can be compared
/// as they are.
pub(super) fn pair(
    files: [Column<'_>; 2],
    standardization: Standardization<'_>,
    reading: &ValueReading,
) -> Result<Option<DistancePair>> {
    let [original, released] = files.map(attribute);
    let unknown = |a: &Attribute| a.missing() + a.generalized() > 0;
    let differs =
        reading.suppressed != SuppressedReading::Study && (unknown(original) || unknown(released));
    match (&original.values, &released.values) {
        (Values::Numeric(a), Values::Numeric(b))
            if !differs && a.is_date() == b.is_date() && !is_named(released, reading) =>
        {
            Ok(None)
        }
        (Values::Numeric(known), _) => {
            numbers_as_cells(files, known, standardization, reading).map(Some)
        }
        (Values::Categorical(known), _) => {
            let ordered = keeps_order(known, released);
            let axis = ValueAxis::of_labels(known, ordered, reading.groups.of(&original.name));
            let labels = ReleasedLabels::new(released);
            let meanings = axis.meanings(&labels.texts);
            if released.is_numeric() {
                labels.check(&meanings, files, 0..labels.codes.len())?;
            }
            let same_kind = match &released.values {
                Values::Categorical(column) => column.is_ordinal() == ordered,
                Values::Numeric(_) => false,
            };
            if !differs && same_kind && labels.stand_for_themselves(&axis, &meanings) {
                return Ok(None);
            }
            let range = standardization == Standardization::Range;
            let steps = ordered.then(|| level_steps(known, range));
            Ok(Some(labels_as_cells(known, &labels, &axis, meanings, steps, reading)))
        }
    }
}

fn attribute<'a>((file, position): Column<'a>) -> &'a Attribute {
    &file.attributes()[position]
}

/// True for numbers all of which are names of groups too, such as 20 for the ages up to 24.
fn is_named(released: &Attribute, reading: &ValueReading) -> bool {
    let labels = || ReleasedLabels::new(released).texts;
    let groups = reading.groups.of(&released.name);
    groups.is_some_and(|groups| labels().iter().all(|label| groups.contains_key(label)))
}

/// Fails on a released label of the records `rows` that is no value of the original and does not
/// say which it stands for.
pub(crate) fn check_labels(
    files: [Column<'_>; 2],
    rows: &[u32],
    reading: &ValueReading,
) -> Result<()> {
    let [original, released] = files.map(attribute);
    let groups = reading.groups.of(&original.name);
    let axis = match (&original.values, &released.values) {
        (Values::Numeric(a), Values::Numeric(b)) if a.is_date() == b.is_date() => return Ok(()),
        (Values::Numeric(known), _) => ValueAxis::of_numbers(known, groups),
        (Values::Categorical(known), _) => ValueAxis::of_labels(known, false, groups),
    };
    let labels = ReleasedLabels::new(released);
    labels.check(&axis.meanings(&labels.texts), files, rows.iter().map(|&row| row as usize))
}

/// By released record: what its cell stands for, where the original has numbers and the release
/// generalized ones, or dates and years; `None` for a cell without value. None at all where some
/// label cannot be read, or both files have numbers, or dates.
pub(crate) fn generalized_numbers(files: [Column<'_>; 2]) -> Option<Vec<Option<Ranges>>> {
    let [original, released] = files.map(attribute);
    let Values::Numeric(known) = &original.values else { return None };
    if matches!(&released.values, Values::Numeric(column) if column.is_date() == known.is_date()) {
        return None;
    }
    let labels = ReleasedLabels::new(released);
    let meanings = ValueAxis::of_numbers(known, None).meanings(&labels.texts);
    labels.check(&meanings, files, 0..labels.codes.len()).ok()?;
    let meaning = |code: &Option<u32>| code.and_then(|code| meanings[code as usize].clone());
    Some(labels.codes.iter().map(meaning).collect())
}

/// By released record: true where its cell tells nothing about the value: it is suppressed or
/// missing, or stands for every value of the original.
pub(crate) fn tells_nothing(files: [Column<'_>; 2], reading: &ValueReading) -> Vec<bool> {
    let [original, released] = files.map(attribute);
    let groups = reading.groups.of(&original.name);
    let axis = match (&original.values, &released.values) {
        (Values::Numeric(known), Values::Numeric(column))
            if groups.is_none() && known.is_date() == column.is_date() =>
        {
            return column.iter().map(|value| value.is_none()).collect();
        }
        (Values::Numeric(known), _) => ValueAxis::of_numbers(known, groups),
        (Values::Categorical(known), _) => ValueAxis::of_labels(known, false, groups),
    };
    let labels = ReleasedLabels::new(released);
    let silent = labels.tell_nothing(&axis, &axis.meanings(&labels.texts));
    labels.codes.iter().map(|code| code.is_none_or(|code| silent[code as usize])).collect()
}

/// The labels of a released column; numbers as they would be written.
struct ReleasedLabels {
    texts: Vec<String>,
    /// By record; `None` where there is no label.
    codes: Vec<Option<u32>>,
    /// By record, where there is no label: true when it is suppressed.
    suppressed: Vec<bool>,
}

impl ReleasedLabels {
    fn new(attribute: &Attribute) -> Self {
        let written;
        let column = match &attribute.values {
            Values::Categorical(column) => column,
            Values::Numeric(column) => {
                let text = |value: Option<f64>| value.map(|value| axis_text(column, value));
                written = Categorical::nominal(column.iter().map(text));
                &written
            }
        };
        Self {
            texts: column.labels().to_vec(),
            codes: (0..column.len()).map(|i| column.code(i)).collect(),
            suppressed: (0..attribute.len()).map(|i| attribute.is_generalized(i)).collect(),
        }
    }

    /// True when every label is a value of the original, or one that nobody has.
    fn stand_for_themselves(&self, axis: &ValueAxis<'_>, meanings: &[Option<Ranges>]) -> bool {
        self.texts.iter().zip(meanings).all(|(text, ranges)| match ranges {
            Some(ranges) => axis.place(text).is_some_and(|place| *ranges == [(place, place)]),
            None => true,
        })
    }

    /// Fails on a label of the records `rows` that has no meaning.
    fn check(
        &self,
        meanings: &[Option<Ranges>],
        files: [Column<'_>; 2],
        rows: impl IntoIterator<Item = usize>,
    ) -> Result<()> {
        let mut codes = rows.into_iter().filter_map(|row| self.codes[row]);
        match codes.find(|&code| meanings[code as usize].is_none()) {
            Some(code) => Err(unreadable(files, &self.texts[code as usize])),
            None => Ok(()),
        }
    }

    /// By label: true where it stands for every value of the original without being one, so that
    /// it tells as little as a suppressed cell.
    fn tell_nothing(&self, axis: &ValueAxis<'_>, meanings: &[Option<Ranges>]) -> Vec<bool> {
        let everything = |(text, ranges): (&String, &Option<Ranges>)| match ranges {
            Some(ranges) => axis.place(text).is_none() && axis.is_everything(ranges),
            None => false,
        };
        self.texts.iter().zip(meanings).map(everything).collect()
    }

    /// The cells of a column in which the label with code c stands for `meanings[c]`, and the
    /// number of each record's cell. Labels that tell nothing are read as suppressed cells are.
    fn cells(
        &self,
        axis: &ValueAxis<'_>,
        meanings: &[Option<Ranges>],
        reading: SuppressedReading,
    ) -> (Vec<ReleasedCell>, Vec<f64>) {
        let silent = self.tell_nothing(axis, meanings);
        let known = meanings.iter().zip(silent).map(|(meaning, silent)| match reading {
            SuppressedReading::OwnValue if silent => ReleasedCell::apart(),
            _ => ReleasedCell::of(meaning.as_deref().unwrap_or_default()),
        });
        let cells = known.chain(without_value(reading)).collect();
        let count = self.texts.len();
        let number = |(code, suppressed): (&Option<u32>, &bool)| match code {
            Some(code) => f64::from(*code),
            None => (count + usize::from(!suppressed)) as f64,
        };
        (cells, self.codes.iter().zip(&self.suppressed).map(number).collect())
    }
}

/// A suppressed and a missing cell.
fn without_value(reading: SuppressedReading) -> [ReleasedCell; 2] {
    match reading {
        SuppressedReading::MatchesAll => [ReleasedCell::anything(), ReleasedCell::anything()],
        SuppressedReading::OwnValue => [ReleasedCell::apart(), ReleasedCell::apart()],
        SuppressedReading::Study => [ReleasedCell::anything(), ReleasedCell::apart()],
    }
}

/// True when levels of the original are levels in the release: it has no order of its own.
fn keeps_order(known: &Categorical, released: &Attribute) -> bool {
    let own_order = |column: &Categorical| column.is_ordinal() && column.labels() != known.labels();
    known.is_ordinal()
        && !matches!(&released.values, Values::Categorical(column) if own_order(column))
}

/// Labels or levels against cells.
fn labels_as_cells(
    known: &Categorical,
    labels: &ReleasedLabels,
    axis: &ValueAxis<'_>,
    meanings: Vec<Option<Ranges>>,
    steps: Option<f64>,
    reading: &ValueReading,
) -> DistancePair {
    let (scale, gap) = match steps {
        Some(steps) => (steps, Gap::Steps(1.0)),
        None => (1.0, Gap::Mismatch(1.0)),
    };
    let (cells, released) = labels.cells(axis, &meanings, reading.suppressed);
    let place = |i| known.get(i).and_then(|text| axis.place(text)).unwrap_or(f64::NAN);
    let places: Vec<f64> = (0..known.len()).map(place).collect();
    let original = places.iter().map(|place| place / scale).collect();
    let exact_gap = match gap {
        Gap::Steps(_) => Gap::Steps(scale),
        other => other,
    };
    let scaled = cells.iter().map(|cell| cell.mapped(|place| place / scale)).collect();
    let exact = CellTable { cells, gap: exact_gap, apart: scale };
    let table = CellTable { cells: scaled, gap, apart: 1.0 };
    cell_pair(original, released, table, (places, exact, 1.0 / scale))
}

/// Numbers against cells. Fails on a label that cannot be read.
fn numbers_as_cells(
    files: [Column<'_>; 2],
    known: &Numeric,
    standardization: Standardization<'_>,
    reading: &ValueReading,
) -> Result<DistancePair> {
    let released = attribute(files[1]);
    let labels = ReleasedLabels::new(released);
    let is_comparable =
        matches!(&released.values, Values::Numeric(column) if column.is_date() == known.is_date());
    let own_numbers = is_comparable && !is_named(released, reading);
    let groups = reading.groups.of(&released.name).filter(|_| !own_numbers);
    let axis = ValueAxis::of_numbers(known, groups);
    let meanings = axis.meanings(&labels.texts);
    labels.check(&meanings, files, 0..labels.codes.len())?;
    let (cells, numbers) = labels.cells(&axis, &meanings, reading.suppressed);
    if standardization == Standardization::Range {
        return ranged_cells(files, known, cells, numbers);
    }
    let standard = match &released.values {
        Values::Numeric(column) if own_numbers => {
            Standard::new(files, known, column, standardization)?
        }
        _ => {
            let differences = |own: &[u32]| {
                let gap = |(a, &j): (Option<f64>, &u32)| {
                    Some(cells[numbers[j as usize] as usize].signed_gap(a?))
                };
                let gaps: Vec<f64> = known.iter().zip(own).filter_map(gap).collect();
                standard_deviation(&gaps)
            };
            Standard::of_original(files[0], known, standardization, differences)?
        }
    };
    let z = |v: f64, file: usize| standard.score(standard.mapped(v, file));
    let (unit, factor) = standard.unit();
    let scaled =
        cells.iter().map(|cell| cell.mapped(|v| in_unit(standard.mapped(v, 1), unit))).collect();
    let values = known.iter().map(|v| v.map_or(f64::NAN, |v| in_unit(v, unit))).collect();
    let exact = CellTable { cells: scaled, gap: Gap::Squared, apart: standard.variance() };
    let cells: Vec<ReleasedCell> = cells.iter().map(|cell| cell.mapped(|v| z(v, 1))).collect();
    if cells.iter().any(|cell| cell.reaches_beyond(FARTHEST)) {
        let problem = "is too large to measure distances without overflow; rescale it";
        return Err(Error::input(place(files[1]), problem));
    }
    let original = known.iter().map(|v| v.map_or(f64::NAN, |v| z(v, 0))).collect();
    let apart = standard.spread() * standard.spread();
    let table = CellTable { cells, gap: Gap::Squared, apart };
    Ok(cell_pair(original, numbers, table, (values, exact, factor)))
}

/// The square of a coordinate above this overflows.
const FARTHEST: f64 = 1e150;

/// Numbers against cells, by the range of what is known in both files.
fn ranged_cells(
    files: [Column<'_>; 2],
    known: &Numeric,
    cells: Vec<ReleasedCell>,
    numbers: Vec<f64>,
) -> Result<DistancePair> {
    let used = numbers.iter().flat_map(|&number| cells[number as usize].ends());
    let ends = (f64::INFINITY, f64::NEG_INFINITY);
    let (low, high) = known
        .present()
        .chain(used.filter(|end| end.is_finite()))
        .fold(ends, |(low, high), v| (low.min(v), high.max(v)));
    let range = high - low;
    if !range.is_finite() {
        let problem = "is too large to measure distances without overflow; rescale it";
        return Err(Error::input(place(files[1]), problem));
    }
    let position = |v: f64| if range > 0.0 { (v - low) / range } else { 0.0 };
    let original = known.iter().map(|v| v.map_or(f64::NAN, position)).collect();
    let range = if range > 0.0 { range } else { 1.0 };
    let (unit, factor) = unit_and_factor(range);
    let values = known.iter().map(|v| v.map_or(f64::NAN, |v| in_unit(v, unit))).collect();
    let scaled = cells.iter().map(|cell| cell.mapped(|v| in_unit(v, unit))).collect();
    let whole = range * unit;
    let exact = CellTable { cells: scaled, gap: Gap::Steps(whole), apart: whole };
    let cells = cells.iter().map(|cell| cell.mapped(position)).collect();
    let table = CellTable { cells, gap: Gap::Steps(1.0), apart: 1.0 };
    Ok(cell_pair(original, numbers, table, (values, exact, factor)))
}

/// Values against numbers of cells; and the same as exactly defined, with the factor of the distance.
fn cell_pair(
    original: Vec<f64>,
    released: Vec<f64>,
    table: CellTable,
    (values, cells, factor): (Vec<f64>, CellTable, f64),
) -> DistancePair {
    let gauge = Gauge::Cells(cells);
    let (unit, map) = (1.0, (1.0, 0.0));
    let exact =
        ExactPair { original: values, released: released.clone(), gauge, factor, unit, map };
    DistancePair { original, released, kind: PairKind::Cells(table), exact }
}

fn place((file, position): Column<'_>) -> String {
    format!("{}: column {}", file.name(), file.attributes()[position].name)
}

fn unreadable(files: [Column<'_>; 2], label: &str) -> Error {
    let kind = match &attribute(files[0]).values {
        Values::Numeric(column) if column.is_date() => "which holds dates",
        Values::Numeric(_) => "which holds numbers",
        Values::Categorical(_) => "which holds labels",
    };
    let problem = format!(
        "{} is no value of {}, {kind}, and no generalized one that can be read \
         (20-29, [20, 30[, <20, 90+, {{a|b}}, 08***, *); give a folder that says what it stands \
         for with `hierarchies`, or leave the column out of `attributes`",
        quoted(label),
        files[0].0.name()
    );
    Error::input(place(files[1]), problem)
}
