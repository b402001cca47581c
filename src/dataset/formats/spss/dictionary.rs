//! What an SPSS file says of its variables.

use super::super::bytes::Bytes;
use std::collections::HashMap;

/// The variables of a file, and how its cases are stored.
pub(super) struct Dictionary<'a> {
    pub big_endian: bool,
    pub compression: Compression,
    /// How many cases there are, where the file says so.
    pub records: Option<u64>,
    /// What is taken from the numbers of compressed cases.
    pub bias: f64,
    pub system_missing: f64,
    pub variables: Vec<Variable<'a>>,
    /// Eight bytes each, of which a case consists.
    slots: usize,
    pub code_page: Option<i32>,
    pub encoding: Option<&'a str>,
}

/// How cases are stored.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Compression {
    None,
    /// A byte for each small number.
    Bytes,
    /// The same, compressed once more.
    Zlib,
}

/// A variable.
pub(super) struct Variable<'a> {
    pub name: &'a [u8],
    /// Bytes of a text, 0 for numbers.
    pub width: usize,
    /// The first of its slots.
    pub slot: usize,
    /// The kind of its print format.
    pub format: u8,
    pub missing: Vec<Missing<'a>>,
    /// Values as they are stored, and what they stand for.
    pub labels: Vec<(&'a [u8], &'a [u8])>,
    short_name: &'a [u8],
}

/// What a variable declares missing.
pub(super) enum Missing<'a> {
    Range(f64, f64),
    Number(f64),
    Text(&'a [u8]),
}

impl Dictionary<'_> {
    /// Eight bytes each, of which a case consists.
    pub fn slots(&self) -> usize {
        self.slots
    }
}

/// Bytes of a slot.
pub(super) const SLOT: usize = 8;
/// Bytes that a part of a very long text has room for, and holds.
const PART: (usize, usize) = (256, 255);
/// Bytes by which very long texts are cut into parts.
const CUT: usize = 252;

/// The dictionary of a file, and the bytes after it. `None` where it is damaged.
pub(super) fn dictionary(bytes: &[u8]) -> Option<(Dictionary<'_>, Bytes<'_>)> {
    let mut at = Bytes::new(bytes, false);
    let mark = at.take(4)?;
    if mark != b"$FL2" && mark != b"$FL3" {
        return None;
    }
    at.take(60)?;
    let layout = at.take(4)?;
    at.big_endian = layout == [0, 0, 0, 2] || layout == [0, 0, 0, 3];
    at.i32()?;
    let compression = match at.i32()? {
        0 => Compression::None,
        1 => Compression::Bytes,
        2 => Compression::Zlib,
        _ => return None,
    };
    at.i32()?;
    let records = u64::try_from(at.i32()?).ok();
    let bias = at.f64()?;
    at.take(9 + 8 + 64 + 3)?;
    let mut found = Dictionary {
        big_endian: at.big_endian,
        compression,
        records,
        bias,
        system_missing: -f64::MAX,
        variables: Vec::new(),
        slots: 0,
        code_page: None,
        encoding: None,
    };
    let mut extensions = Vec::new();
    loop {
        match at.i32()? {
            2 => found.add_variable(&mut at)?,
            3 => found.add_labels(&mut at)?,
            6 => {
                let lines = at.length()?;
                at.take(lines.checked_mul(80)?)?;
            }
            7 => {
                let (kind, size, count) = (at.i32()?, at.length()?, at.length()?);
                extensions.push((kind, at.take(size.checked_mul(count)?)?));
            }
            999 => {
                at.i32()?;
                break;
            }
            _ => return None,
        }
    }
    // Names and long texts first: others speak of them.
    extensions.sort_by_key(|(kind, _)| match kind {
        14 => 0,
        13 => 2,
        _ => 1,
    });
    for (kind, content) in extensions {
        found.extend(kind, Bytes::new(content, at.big_endian))?;
    }
    (!found.variables.is_empty() && found.has_room()).then_some((found, at))
}

impl<'a> Dictionary<'a> {
    fn add_variable(&mut self, at: &mut Bytes<'a>) -> Option<()> {
        let width = at.i32()?;
        let (has_label, missing, print, _write) = (at.i32()?, at.i32()?, at.i32()?, at.i32()?);
        let name = at.take(8)?.trim_ascii_end();
        if has_label == 1 {
            let length = at.length()?;
            at.take(length.checked_next_multiple_of(4)?)?;
        }
        let values: Vec<&[u8]> =
            (0..missing.unsigned_abs().min(4)).map(|_| at.take(SLOT)).collect::<Option<_>>()?;
        let slot = self.slots;
        self.slots += 1;
        // What goes on with a text.
        let Ok(width) = usize::try_from(width) else { return Some(()) };
        if width > PART.1 {
            return None;
        }
        let number = |bytes: &[u8]| Bytes::new(bytes, self.big_endian).f64();
        let missing = match (missing, width, values.as_slice()) {
            (0, ..) => Vec::new(),
            (1..=3, 0, values) => {
                values.iter().map(|v| number(v).map(Missing::Number)).collect::<Option<_>>()?
            }
            (1..=3, _, values) => values.iter().map(|value| Missing::Text(value)).collect(),
            (-2, 0, [low, high]) => vec![Missing::Range(number(low)?, number(high)?)],
            (-3, 0, [low, high, other]) => {
                vec![Missing::Range(number(low)?, number(high)?), Missing::Number(number(other)?)]
            }
            _ => return None,
        };
        let format = (print >> 16) as u8;
        let (labels, short_name) = (Vec::new(), name);
        self.variables.push(Variable { name, width, slot, format, missing, labels, short_name });
        Some(())
    }

    /// Labels of values, and the variables they belong to.
    fn add_labels(&mut self, at: &mut Bytes<'a>) -> Option<()> {
        let count = at.length()?;
        let mut labels = Vec::new();
        for _ in 0..count {
            let value = at.take(SLOT)?;
            let length = usize::from(at.u8()?);
            let padded = (length + 1).next_multiple_of(SLOT) - 1;
            labels.push((value, &at.take(padded)?[..length]));
        }
        if at.i32()? != 4 {
            return None;
        }
        let variables = at.length()?;
        for _ in 0..variables {
            let slot = at.length()?.checked_sub(1)?;
            let place = self.variables.binary_search_by_key(&slot, |v| v.slot).ok()?;
            self.variables[place].labels = labels.clone();
        }
        Some(())
    }

    fn extend(&mut self, kind: i32, mut at: Bytes<'a>) -> Option<()> {
        match kind {
            3 => {
                at.take(7 * 4)?;
                self.code_page = Some(at.i32()?);
            }
            4 => self.system_missing = at.f64()?,
            13 => {
                let names: HashMap<&[u8], &[u8]> = pairs(at.rest()).collect();
                for variable in &mut self.variables {
                    variable.name =
                        names.get(variable.short_name).copied().unwrap_or(variable.name);
                }
            }
            14 => self.join_parts(&pairs(at.rest()).collect::<Vec<_>>())?,
            20 => self.encoding = std::str::from_utf8(at.rest()).ok(),
            21 => self.add_long_labels(&mut at)?,
            22 => self.add_long_missing(&mut at)?,
            _ => {}
        }
        Some(())
    }

    /// Parts of very long texts become one variable.
    fn join_parts(&mut self, widths: &[(&[u8], &[u8])]) -> Option<()> {
        for (name, width) in widths {
            let digits = std::str::from_utf8(width).ok()?.trim_matches(['\0', ' ']);
            let width: usize = digits.parse().ok()?;
            let place = self.variables.iter().position(|v| v.short_name == *name)?;
            let parts = width.div_ceil(CUT).max(1);
            // Every part is a variable of the file.
            let others = self.variables.get(place + 1..place.checked_add(parts)?)?;
            if others.iter().any(|part| part.width == 0) {
                return None;
            }
            self.variables.drain(place + 1..place + parts);
            self.variables[place].width = width;
        }
        Some(())
    }

    /// Labels of texts of more than eight bytes.
    fn add_long_labels(&mut self, at: &mut Bytes<'a>) -> Option<()> {
        while at.left() > 0 {
            let name = text(at)?;
            at.i32()?;
            let count = at.length()?;
            let mut labels = Vec::new();
            for _ in 0..count {
                labels.push((text(at)?, text(at)?));
            }
            if let Some(variable) = self.named(name) {
                variable.labels = labels;
            }
        }
        Some(())
    }

    /// Missing values of texts of more than eight bytes.
    fn add_long_missing(&mut self, at: &mut Bytes<'a>) -> Option<()> {
        while at.left() > 0 {
            let name = text(at)?;
            let count = at.u8()?;
            let length = at.length()?;
            let missing: Vec<Missing<'_>> =
                (0..count).map(|_| at.take(length).map(Missing::Text)).collect::<Option<_>>()?;
            if let Some(variable) = self.named(name) {
                variable.missing = missing;
            }
        }
        Some(())
    }

    /// True when every variable ends before the next begins.
    fn has_room(&self) -> bool {
        let starts = self.variables.iter().skip(1).map(|next| next.slot).chain([self.slots]);
        let end = |variable: &Variable<'_>| variable.parts().last().map_or(0, |part| part.end);
        self.variables.iter().zip(starts).all(|(variable, next)| end(variable) <= next * SLOT)
    }

    fn named(&mut self, name: &[u8]) -> Option<&mut Variable<'a>> {
        self.variables.iter_mut().find(|v| v.short_name == name || v.name == name)
    }
}

impl Variable<'_> {
    /// Where the bytes of a text are within a case.
    pub fn parts(&self) -> impl Iterator<Item = std::ops::Range<usize>> + '_ {
        let start = self.slot * SLOT;
        let parts = if self.width > PART.1 { self.width.div_ceil(CUT) } else { 1 };
        (0..parts).map(move |part| {
            let first = start + part * PART.0;
            let length = match part + 1 == parts {
                true => self.width - part * if parts > 1 { CUT } else { 0 },
                false => PART.1,
            };
            first..first + length
        })
    }
}

/// A text with its length before it.
fn text<'a>(at: &mut Bytes<'a>) -> Option<&'a [u8]> {
    let length = at.length()?;
    at.take(length)
}

/// `NAME=text` between tabs.
fn pairs(bytes: &[u8]) -> impl Iterator<Item = (&[u8], &[u8])> {
    bytes.split(|byte| *byte == b'\t').filter_map(|pair| {
        let middle = pair.iter().position(|byte| *byte == b'=')?;
        let name = pair[..middle].strip_prefix(b"\0").unwrap_or(&pair[..middle]);
        Some((name, &pair[middle + 1..]))
    })
}
