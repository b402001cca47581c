//! The cases of an SPSS file.

use super::super::DAMAGED;
use super::super::bytes::Bytes;
use super::dictionary::{Compression, Dictionary, SLOT, Variable};
use crate::dataset::allowance::too_large;
use std::io::Read;

/// All cases, eight bytes a slot.
pub(super) struct Cells {
    bytes: Vec<u8>,
    /// Bytes of a case.
    width: usize,
    /// How many cases there are.
    pub records: usize,
}

/// The cases in `rest`; the error is why there are none. They take `limit` bytes at most.
pub(super) fn cases(
    dictionary: &Dictionary<'_>,
    rest: Bytes<'_>,
    limit: u64,
) -> Result<Cells, String> {
    let bytes = match dictionary.compression {
        Compression::None => rest.rest().to_vec(),
        Compression::Bytes => unpacked(dictionary, rest, limit)?,
        Compression::Zlib => {
            let inflated = inflated(rest, limit)?;
            unpacked(dictionary, Bytes::new(&inflated, dictionary.big_endian), limit)?
        }
    };
    let width = dictionary.slots() * SLOT;
    let records = bytes.len() / width;
    match dictionary.records {
        Some(said) if said != records as u64 => {
            Err(format!("it has {records} cases, but says that it has {said}; get a fresh copy"))
        }
        _ if bytes.len() % width != 0 => Err(DAMAGED.to_owned()),
        _ => Ok(Cells { bytes, width, records }),
    }
}

/// What bytes stand for: each is a small number, or says what comes next.
fn unpacked(dictionary: &Dictionary<'_>, mut at: Bytes<'_>, limit: u64) -> Result<Vec<u8>, String> {
    let number = |value: f64| match dictionary.big_endian {
        true => value.to_be_bytes(),
        false => value.to_le_bytes(),
    };
    let mut bytes = Vec::new();
    while at.left() > 0 {
        // Eight codes, and after them what they announce. The last ones may be fewer.
        let codes = at.take(SLOT.min(at.left())).unwrap_or_default();
        for code in codes {
            match code {
                0 => {}
                252 => return Ok(bytes),
                253 => bytes.extend(at.take(SLOT).ok_or(DAMAGED)?),
                254 => bytes.extend([b' '; SLOT]),
                255 => bytes.extend(number(dictionary.system_missing)),
                small => bytes.extend(number(f64::from(*small) - dictionary.bias)),
            }
        }
        if bytes.len() as u64 > limit {
            return Err(too_large(&format!("more than {limit} bytes of cases")));
        }
    }
    Ok(bytes)
}

/// The blocks of a compressed file, one after the other.
fn inflated(mut at: Bytes<'_>, limit: u64) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::new();
    let start = at.position() as u64;
    let offsets = |at: &mut Bytes<'_>| Some((at.u64()?, at.u64()?, at.u64()?));
    let (header, trailer, length) = offsets(&mut at).ok_or(DAMAGED)?;
    let before = trailer.checked_sub(start + 3 * SLOT as u64).filter(|_| header == start);
    let before = before.and_then(|before| usize::try_from(before).ok()).ok_or(DAMAGED)?;
    let mut blocks = at.take(before).ok_or(DAMAGED)?;
    let about = usize::try_from(length).ok().and_then(|length| at.take(length)).ok_or(DAMAGED)?;
    let mut about = Bytes::new(about, at.big_endian);
    about.take(2 * SLOT + 4).ok_or(DAMAGED)?;
    for _ in 0..about.length().ok_or(DAMAGED)? {
        about.take(2 * SLOT).ok_or(DAMAGED)?;
        let (long, short) = (about.length().ok_or(DAMAGED)?, about.length().ok_or(DAMAGED)?);
        let block = blocks.split_off(..short).ok_or(DAMAGED)?;
        let before = bytes.len();
        let left = limit.saturating_sub(before as u64);
        let read = flate2::bufread::ZlibDecoder::new(block).take(left).read_to_end(&mut bytes);
        if read.is_err() || bytes.len() - before != long {
            return Err(DAMAGED.to_owned());
        }
    }
    Ok(bytes)
}

impl Cells {
    /// The numbers of the variable at `slot`.
    pub fn numbers(&self, slot: usize, big_endian: bool) -> impl Iterator<Item = f64> + '_ {
        self.bytes.chunks_exact(self.width).map(move |case| {
            let mut at = Bytes::new(&case[slot * SLOT..], big_endian);
            at.f64().unwrap_or(f64::NAN)
        })
    }

    /// The text of `variable` in `record`.
    pub fn text(&self, record: usize, variable: &Variable<'_>) -> Vec<u8> {
        let case = &self.bytes[record * self.width..(record + 1) * self.width];
        let mut text = Vec::with_capacity(variable.width);
        for part in variable.parts() {
            text.extend(&case[part]);
        }
        text
    }
}
