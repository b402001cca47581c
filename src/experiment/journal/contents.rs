//! Reading a journal: what fits is kept, what does not is named.

use super::Held;
use super::header::Header;
use super::sealed::Seal;
use crate::experiment::record::CellRecord;
use crate::words::first_three;
use std::collections::{HashMap, HashSet};

/// What the bytes of a journal hold.
#[derive(Debug, Default)]
pub(super) struct Contents {
    pub held: Held,
    /// Bytes of its whole lines; what follows was torn.
    pub whole: usize,
}

/// A record and the number of its line.
type Numbered = (usize, CellRecord);

const REMEDY: &str = "go on with that one, or start anew with `fresh`";

impl Contents {
    /// Reads `bytes`, a journal of the specification `file`; says what is wrong where nothing in it
    /// can be told to belong to `header`.
    pub fn read(bytes: &[u8], header: &Header, file: &str) -> Result<Self, String> {
        let whole = bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
        let mut lines = bytes[..whole].split_inclusive(|byte| *byte == b'\n');
        let Some(first) = lines.next() else { return Ok(Self::default()) };
        let says_so = check_header(first, header, file)?;
        let (records, damaged) = sort_out(lines, &header.seal());
        if !says_so && records.is_empty() {
            let problem = "line 1 is damaged, so that nothing tells what the journal belongs to; \
                           start anew with `fresh`";
            return Err(problem.into());
        }
        let mut warnings = Vec::new();
        if !says_so {
            let kept = "the records that fit this experiment and program are kept";
            warnings.push(format!("{}: line 1 is damaged; {kept}", super::FILE_NAME));
        }
        warnings.extend(about_damaged(&damaged));
        let (records, different) = once(records);
        warnings.extend(different);
        Ok(Self { held: Held { records, warnings }, whole })
    }
}

/// Whether the first line says that the journal belongs to `header`; not when it is damaged. Fails
/// when it says something else.
fn check_header(line: &[u8], header: &Header, file: &str) -> Result<bool, String> {
    let Some(content) = Seal::default().open(line) else {
        return if has_no_checksum(line) { Err(before_checksums()) } else { Ok(false) };
    };
    match serde_json::from_str::<Header>(content) {
        Ok(found) if found == *header => Ok(true),
        Ok(found) => {
            let differences = found.differences(header, file).join(" and another ");
            Err(format!("was started with another {differences}; {REMEDY}"))
        }
        Err(_) => Err(format!("was started with another version of unmask; {REMEDY}")),
    }
}

/// Whether a line is the first of a journal as unmask wrote it before lines had checksums.
fn has_no_checksum(line: &[u8]) -> bool {
    let json = serde_json::from_slice::<serde_json::Map<String, serde_json::Value>>(line);
    json.is_ok_and(|header| header.contains_key("specification"))
}

fn before_checksums() -> String {
    let problem = "was started with a version of unmask that kept no checksums of what it had \
                   finished";
    format!("{problem}; {REMEDY}")
}

/// The records of the lines after the first, and the numbers of lines that are none.
fn sort_out<'a>(
    lines: impl Iterator<Item = &'a [u8]>,
    seal: &Seal,
) -> (Vec<Numbered>, Vec<String>) {
    let (mut records, mut damaged) = (Vec::new(), Vec::new());
    for (number, line) in (2..).zip(lines) {
        match seal.open(line).and_then(|content| serde_json::from_str(content).ok()) {
            Some(record) => records.push((number, record)),
            None => damaged.push(number.to_string()),
        }
    }
    (records, damaged)
}

fn about_damaged(numbers: &[String]) -> Option<String> {
    let what = match numbers {
        [] => return None,
        [number] => format!("line {number} is damaged; its job is run again"),
        _ => format!("lines {} are damaged; their jobs are run again", first_three(numbers)),
    };
    Some(format!("{}: {what}", super::FILE_NAME))
}

/// One record for each job. Where two lines disagree on what a job found, neither counts, and
/// they are named; times may differ.
fn once(records: Vec<Numbered>) -> (Vec<CellRecord>, Vec<String>) {
    let mut kept: Vec<Numbered> = Vec::new();
    let mut places: HashMap<(String, usize), usize> = HashMap::new();
    let (mut different, mut warnings) = (HashSet::new(), Vec::new());
    for (number, record) in records {
        let place = *places.entry((record.cell.clone(), record.run)).or_insert(kept.len());
        match kept.get(place) {
            None => kept.push((number, record)),
            Some((_, first)) if first.found == record.found => {}
            Some((line, first)) => {
                let job = format!("{} run {}", first.cell, first.run);
                let lines = format!("lines {line} and {number} are different records of {job}");
                warnings.push(format!("{}: {lines}; it is run again", super::FILE_NAME));
                different.insert(place);
            }
        }
    }
    let agreed = kept.into_iter().enumerate().filter(|(place, _)| !different.contains(place));
    (agreed.map(|(_, (_, record))| record).collect(), warnings)
}
