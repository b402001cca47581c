//! Lines of JSON that show when they were changed.

use crate::files::sha256;

/// What a line starts with, and what stands between its checksum and its content, and after it.
const PARTS: [&str; 3] = ["{\"sha256\":\"", "\",\"content\":", "}\n"];

/// Digits of a checksum.
const DIGITS: usize = 64;

/// Makes and opens lines `{"sha256":"<checksum>","content":<JSON>}`: SHA-256 of the journal's first content
/// and the line's own, byte for byte, one after the other. The first line has nothing before it.
#[derive(Debug, Clone, Default)]
pub(super) struct Seal(String);

impl Seal {
    /// Of the lines below a first one of this content.
    pub fn below(first: &str) -> Self {
        Self(first.to_owned())
    }

    /// The line that holds `content`, with its end.
    pub fn line(&self, content: &str) -> String {
        let [start, middle, end] = PARTS;
        format!("{start}{}{middle}{content}{end}", self.checksum(content))
    }

    /// What a line holds; none where anything of it was changed, or it belongs to another first line.
    pub fn open<'a>(&self, line: &'a [u8]) -> Option<&'a str> {
        let [start, middle, end] = PARTS;
        let text = std::str::from_utf8(line).ok()?;
        let (checksum, rest) = text.strip_prefix(start)?.split_at_checked(DIGITS)?;
        let content = rest.strip_prefix(middle)?.strip_suffix(end)?;
        (checksum == self.checksum(content)).then_some(content)
    }

    fn checksum(&self, content: &str) -> String {
        sha256([&self.0, content].concat().as_bytes())
    }
}
