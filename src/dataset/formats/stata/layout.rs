//! Where what stands in a Stata file.

use super::super::bytes::{Bytes, until_zero};
use super::Kind;
use std::collections::HashMap;

/// What a Stata file says of its columns, and where their cells are.
pub(super) struct Layout<'a> {
    pub release: u8,
    pub big_endian: bool,
    pub records: u64,
    pub columns: Vec<Described<'a>>,
    /// Of columns: (column, name, text).
    pub characteristics: Vec<(&'a [u8], &'a [u8], &'a [u8])>,
    /// The cells, record after record.
    pub cells: &'a [u8],
    /// Texts that stand elsewhere, by the two numbers that a cell has.
    pub long_texts: HashMap<(u64, u64), &'a [u8]>,
    /// Labels of values, by the name of their list.
    pub labels: HashMap<&'a [u8], CodeLabels<'a>>,
}

/// What codes stand for.
type CodeLabels<'a> = Vec<(i32, &'a [u8])>;

/// What a Stata file says of a column.
pub(super) struct Described<'a> {
    pub kind: Kind,
    pub name: &'a [u8],
    pub format: &'a [u8],
    /// The name of the list of labels of its values.
    pub labels: &'a [u8],
}

/// Sizes that changed from one release to the next.
struct Sizes {
    name: usize,
    format: usize,
    label: usize,
}

/// Why there is no layout: the file is damaged, or of that release.
pub(super) enum Refused {
    Damaged,
    Release(String),
}

impl Layout<'_> {
    /// Bytes of a record.
    pub fn width(&self) -> usize {
        self.columns.iter().map(|column| column.kind.width()).sum()
    }
}

/// The layout of a file of any release from Stata 8 on. Cost: O(bytes that are not cells).
pub(super) fn layout(bytes: &[u8]) -> Result<Layout<'_>, Refused> {
    match bytes {
        [b'<', ..] => {
            let mut at = Bytes::new(bytes, false);
            let release = release(&mut at).ok_or(Refused::Damaged)?;
            match release {
                117..=119 => tagged(at, release).ok_or(Refused::Damaged),
                other => Err(Refused::Release(other.to_string())),
            }
        }
        [113..=115, ..] => plain(bytes).ok_or(Refused::Damaged),
        [older @ 102..=112, ..] => Err(Refused::Release(older.to_string())),
        _ => Err(Refused::Damaged),
    }
}

fn release(at: &mut Bytes<'_>) -> Option<u8> {
    at.expect(b"<stata_dta><header><release>")?;
    let digits = std::str::from_utf8(at.take(3)?).ok()?;
    at.expect(b"</release>")?;
    digits.parse().ok()
}

/// Files of Stata 13 and later, whose parts stand between tags.
fn tagged<'a>(mut at: Bytes<'a>, release: u8) -> Option<Layout<'a>> {
    at.expect(b"<byteorder>")?;
    at.big_endian = at.take(3)? == b"MSF";
    at.expect(b"</byteorder><K>")?;
    let columns = if release == 119 { at.length()? } else { usize::from(at.u16()?) };
    at.expect(b"</K><N>")?;
    let records = if release == 117 { u64::from(at.u32()?) } else { at.u64()? };
    at.expect(b"</N><label>")?;
    let label = if release == 117 { usize::from(at.u8()?) } else { usize::from(at.u16()?) };
    at.take(label)?;
    at.expect(b"</label><timestamp>")?;
    let stamp = usize::from(at.u8()?);
    at.take(stamp)?;
    at.expect(b"</timestamp></header><map>")?;
    at.take(14 * 8)?;
    at.expect(b"</map><variable_types>")?;
    let sizes = match release {
        117 => Sizes { name: 33, format: 49, label: 81 },
        _ => Sizes { name: 129, format: 57, label: 321 },
    };
    // Each column has a name below, so a file has more bytes than columns.
    let kinds: Vec<Kind> = numbered(&mut at, columns, |at| tagged_kind(at.u16()?))?;
    at.expect(b"</variable_types><varnames>")?;
    let names = texts(&mut at, columns, sizes.name)?;
    at.expect(b"</varnames><sortlist>")?;
    at.take(columns.checked_add(1)?.checked_mul(if release == 119 { 4 } else { 2 })?)?;
    at.expect(b"</sortlist><formats>")?;
    let formats = texts(&mut at, columns, sizes.format)?;
    at.expect(b"</formats><value_label_names>")?;
    let labels = texts(&mut at, columns, sizes.name)?;
    at.expect(b"</value_label_names><variable_labels>")?;
    at.take(columns.checked_mul(sizes.label)?)?;
    at.expect(b"</variable_labels><characteristics>")?;
    let mut characteristics = Vec::new();
    while at.expect(b"<ch>").is_some() {
        let length = at.length()?;
        characteristics.extend(characteristic(at.take(length)?, sizes.name));
        at.expect(b"</ch>")?;
    }
    at.expect(b"</characteristics><data>")?;
    let columns = described(kinds, names, formats, labels);
    let width: usize = columns.iter().map(|column| column.kind.width()).sum();
    let cells = at.take(usize::try_from(records).ok()?.checked_mul(width)?)?;
    at.expect(b"</data><strls>")?;
    let mut long_texts = HashMap::new();
    while at.expect(b"GSO").is_some() {
        let column = u64::from(at.u32()?);
        let record = if release == 117 { u64::from(at.u32()?) } else { at.u64()? };
        at.u8()?;
        let length = at.length()?;
        long_texts.insert((column, record), until_zero(at.take(length)?));
    }
    at.expect(b"</strls><value_labels>")?;
    let mut lists = HashMap::new();
    while at.expect(b"<lbl>").is_some() {
        let (name, list) = labels_of(&mut at, sizes.name)?;
        lists.insert(name, list);
        at.expect(b"</lbl>")?;
    }
    at.expect(b"</value_labels></stata_dta>")?;
    let big_endian = at.big_endian;
    Some(Layout {
        release,
        big_endian,
        records,
        columns,
        characteristics,
        cells,
        long_texts,
        labels: lists,
    })
}

/// Files of Stata 8 to 12.
fn plain(bytes: &[u8]) -> Option<Layout<'_>> {
    let mut at = Bytes::new(bytes, false);
    let release = at.u8()?;
    at.big_endian = at.u8()? == 1;
    at.take(2)?;
    let columns = usize::from(at.u16()?);
    let records = u64::from(at.u32()?);
    at.take(81 + 18)?;
    let kinds: Vec<Kind> = numbered(&mut at, columns, |at| plain_kind(at.u8()?))?;
    let names = texts(&mut at, columns, 33)?;
    at.take(2 * (columns + 1))?;
    let formats = texts(&mut at, columns, if release == 113 { 12 } else { 49 })?;
    let labels = texts(&mut at, columns, 33)?;
    at.take(81 * columns)?;
    let mut characteristics = Vec::new();
    loop {
        let kind = at.u8()?;
        let length = at.length()?;
        match (kind, length) {
            (0, 0) => break,
            _ => characteristics.extend(characteristic(at.take(length)?, 33)),
        }
    }
    let columns = described(kinds, names, formats, labels);
    let width: usize = columns.iter().map(|column| column.kind.width()).sum();
    let cells = at.take(usize::try_from(records).ok()?.checked_mul(width)?)?;
    let mut lists = HashMap::new();
    while at.left() > 0 {
        let (name, list) = labels_of(&mut at, 33)?;
        lists.insert(name, list);
    }
    let (big_endian, long_texts) = (at.big_endian, HashMap::new());
    Some(Layout {
        release,
        big_endian,
        records,
        columns,
        characteristics,
        cells,
        long_texts,
        labels: lists,
    })
}

fn tagged_kind(code: u16) -> Option<Kind> {
    match code {
        1..=2045 => Some(Kind::Text(usize::from(code))),
        32_768 => Some(Kind::LongText),
        65_526 => Some(Kind::Double),
        65_527 => Some(Kind::Float),
        65_528 => Some(Kind::Long),
        65_529 => Some(Kind::Int),
        65_530 => Some(Kind::Byte),
        _ => None,
    }
}

fn plain_kind(code: u8) -> Option<Kind> {
    match code {
        251 => Some(Kind::Byte),
        252 => Some(Kind::Int),
        253 => Some(Kind::Long),
        254 => Some(Kind::Float),
        255 => Some(Kind::Double),
        1..=244 => Some(Kind::Text(usize::from(code))),
        _ => None,
    }
}

fn numbered<'a, T>(
    at: &mut Bytes<'a>,
    count: usize,
    one: impl Fn(&mut Bytes<'a>) -> Option<T>,
) -> Option<Vec<T>> {
    // Every one takes a byte at least.
    (count <= at.left()).then(|| (0..count).map(|_| one(at)).collect())?
}

/// So many texts, each of which ends with a 0 and has room for `size` bytes.
fn texts<'a>(at: &mut Bytes<'a>, count: usize, size: usize) -> Option<Vec<&'a [u8]>> {
    let all = at.take(count.checked_mul(size)?)?;
    Some(all.chunks_exact(size).map(until_zero).collect())
}

fn described<'a>(
    kinds: Vec<Kind>,
    names: Vec<&'a [u8]>,
    formats: Vec<&'a [u8]>,
    labels: Vec<&'a [u8]>,
) -> Vec<Described<'a>> {
    let all = kinds.into_iter().zip(names).zip(formats).zip(labels);
    all.map(|(((kind, name), format), labels)| Described { kind, name, format, labels }).collect()
}

/// Column, name and text of a characteristic.
fn characteristic(bytes: &[u8], name: usize) -> Option<(&[u8], &[u8], &[u8])> {
    let mut at = Bytes::new(bytes, false);
    let (column, own) = (at.take(name)?, at.take(name)?);
    Some((until_zero(column), until_zero(own), until_zero(at.rest())))
}

/// The name of a list of labels, and the list.
fn labels_of<'a>(at: &mut Bytes<'a>, name: usize) -> Option<(&'a [u8], CodeLabels<'a>)> {
    let length = at.length()?;
    let name = until_zero(at.take(name)?);
    at.take(3)?;
    let mut list = Bytes::new(at.take(length)?, at.big_endian);
    let count = list.length()?;
    let texts = list.length()?;
    let starts = numbered(&mut list, count, Bytes::length)?;
    let values = numbered(&mut list, count, Bytes::i32)?;
    let texts = list.take(texts)?;
    let label = |(value, start): (i32, usize)| Some((value, until_zero(texts.get(start..)?)));
    let labels = values.into_iter().zip(starts).map(label).collect::<Option<_>>()?;
    Some((name, labels))
}
