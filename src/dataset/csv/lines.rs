//! Bytes and lines: where records begin and end, and parts that are read side by side.

/// A run of whole lines and where it starts in the file.
pub(super) struct Chunk<'a> {
    pub(super) bytes: &'a [u8],
    pub(super) first_line: u64,
}

/// Lines without a record, which the parser passes over before one.
pub(super) struct Skipped {
    /// Where the record begins.
    pub(super) end: usize,
    pub(super) blank_lines: u64,
}

/// Line ends as an editor counts them: `\n`, `\r\n`, and `\r` alone.
pub(in crate::dataset) fn line_ends(bytes: &[u8]) -> u64 {
    let count = |byte: u8| bytes.iter().filter(|b| **b == byte).count();
    let (feeds, returns) = (count(b'\n'), count(b'\r'));
    let both = if returns == 0 { 0 } else { bytes.windows(2).filter(|w| w == b"\r\n").count() };
    (feeds + returns - both) as u64
}

impl Skipped {
    /// What is skipped from `start` on, where a record was looked for.
    pub(super) fn at(bytes: &[u8], start: usize) -> Self {
        let is_line_end = |byte: &&u8| matches!(byte, b'\n' | b'\r');
        let length = bytes[start..].iter().take_while(is_line_end).count();
        let ends = &bytes[start..start + length];
        let is_lone = |i: &usize| ends[*i] == b'\n' || ends.get(i + 1) != Some(&b'\n');
        // The first of them may belong to the record before.
        let tail = u64::from(bytes[..start].ends_with(b"\r") && ends.starts_with(b"\n"));
        Self { end: start + length, blank_lines: (0..length).filter(is_lone).count() as u64 - tail }
    }
}

/// True when `record` ends before a quote that it opens is closed. Cost: O(length).
pub(super) fn ends_inside_quotes(record: &[u8], delimiter: u8, quote: u8) -> bool {
    let (mut inside, mut at_start) = (false, true);
    let mut bytes = record.iter().peekable();
    while let Some(byte) = bytes.next() {
        if inside {
            // Two quotes are one that is part of the text.
            let closes = *byte == quote && bytes.next_if(|next| **next == quote).is_none();
            inside = !closes;
        } else {
            inside = at_start && *byte == quote;
            at_start = *byte == delimiter || matches!(byte, b'\n' | b'\r');
        }
    }
    inside
}

/// The most frequent of comma, semicolon, tab and bar in the first line that is not blank.
pub(super) fn detect_delimiter(bytes: &[u8]) -> u8 {
    let line = first_line(bytes);
    let count = |d: u8| line.iter().filter(|b| **b == d).count();
    let candidates = [b'|', b'\t', b';', b','];
    candidates.into_iter().max_by_key(|d| count(*d)).unwrap_or(b',')
}

/// The first line that is not blank.
pub(super) fn first_line(bytes: &[u8]) -> &[u8] {
    let mut lines = bytes.split(|b| matches!(b, b'\n' | b'\r'));
    lines.find(|line| !line.is_empty()).unwrap_or_default()
}

/// Cuts `bytes` at line ends for parallel reading; one chunk when quotes may hide line ends.
pub(super) fn chunks(bytes: &[u8], first_line: u64, quote: u8) -> Vec<Chunk<'_>> {
    const TARGET: usize = 1 << 20;
    if bytes.len() < 2 * TARGET || bytes.contains(&quote) {
        return vec![Chunk { bytes, first_line }];
    }
    let (mut rest, mut line, mut cut) = (bytes, first_line, Vec::new());
    while !rest.is_empty() {
        let after_target = rest.get(TARGET..).unwrap_or_default();
        let end =
            after_target.iter().position(|b| *b == b'\n').map_or(rest.len(), |e| TARGET + e + 1);
        let (chunk, tail) = rest.split_at(end);
        cut.push(Chunk { bytes: chunk, first_line: line });
        line += line_ends(chunk);
        rest = tail;
    }
    cut
}
