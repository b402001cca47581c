//! Text in other encodings than UTF-8: found, told, and read as UTF-8.

use super::csv::line_ends;
use crate::error::{Error, Result};
use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::str::FromStr;

/// An encoding, by any name that the Encoding Standard gives it: `latin1`, `windows-1252`, `utf-16le`.
///
/// Latin-1 is read as windows-1252, which has letters where Latin-1 has control characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct TextEncoding(&'static Encoding);

impl TextEncoding {
    /// What Windows and older programs of western Europe write.
    #[cfg(feature = "formats")]
    pub(super) const WINDOWS_1252: Self = Self(encoding_rs::WINDOWS_1252);
    /// What programs of today write.
    #[cfg(feature = "formats")]
    pub(super) const UTF_8: Self = Self(UTF_8);

    /// The text that `bytes` are; `None` where they are none in this encoding.
    #[cfg(feature = "formats")]
    pub(super) fn text(self, bytes: &[u8]) -> Option<Cow<'_, str>> {
        self.0.decode_without_bom_handling_and_without_replacement(bytes)
    }

    /// The name that the Encoding Standard prefers, in lower case.
    pub fn name(self) -> String {
        self.0.name().to_ascii_lowercase()
    }
}

impl FromStr for TextEncoding {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<Self, String> {
        let label = if text.eq_ignore_ascii_case("utf-16") { "utf-16le" } else { text };
        Encoding::for_label(label.as_bytes()).map(Self).ok_or_else(|| {
            "no such encoding; common ones are utf-8, windows-1252, latin1, utf-16le, iso-8859-2, \
             windows-1250"
                .to_owned()
        })
    }
}

impl TryFrom<String> for TextEncoding {
    type Error = String;

    fn try_from(text: String) -> std::result::Result<Self, String> {
        text.parse()
    }
}

impl From<TextEncoding> for String {
    fn from(encoding: TextEncoding) -> Self {
        encoding.name()
    }
}

/// A file as UTF-8, and the encoding it was found in where nobody said it and it is another.
pub(super) struct Decoded<'a> {
    pub text: Cow<'a, [u8]>,
    pub found: Option<TextEncoding>,
}

/// `bytes` of `file` as UTF-8 without byte order mark, read in the encoding of that mark, in the one
/// that is `said`, or in one that fits. Releases are written in UTF-8 and read by what is said of their
/// originals: text that is UTF-8, and would be gibberish in the encoding `said`, is read as UTF-8.
///
/// Fails where bytes are not text in that encoding. Cost: O(length); text in UTF-8 is not copied,
/// and whether it is UTF-8 is left to whoever reads its cells where `said` is.
pub(super) fn decoded<'a>(
    file: &str,
    bytes: &'a [u8],
    said: Option<TextEncoding>,
) -> Result<Decoded<'a>> {
    let said = said.filter(|said| !is_utf8_instead(bytes, said.0));
    let (encoding, mark) = match (said, Encoding::for_bom(bytes)) {
        (_, Some((marked, mark))) => (marked, mark),
        (Some(said), None) => (said.0, 0),
        (None, None) => (likely(bytes), 0),
    };
    let is_told = said.is_none_or(|said| said.0 != encoding) && encoding != UTF_8;
    let found = is_told.then_some(TextEncoding(encoding));
    if encoding == UTF_8 {
        return Ok(Decoded { text: Cow::Borrowed(&bytes[mark..]), found });
    }
    match encoding.decode_without_bom_handling(&bytes[mark..]) {
        (text, false) => Ok(Decoded { text: Cow::Owned(text.into_owned().into_bytes()), found }),
        (text, true) => Err(undecodable(file, encoding, &text)),
    }
}

fn undecodable(file: &str, encoding: &'static Encoding, text: &str) -> Error {
    let before = text.split('\u{fffd}').next().unwrap_or_default();
    let line = 1 + line_ends(before.as_bytes());
    let problem = format!(
        "holds bytes that are no text in {}; say with `encoding` what it is in, or save it as UTF-8",
        encoding.name().to_ascii_lowercase()
    );
    Error::input(format!("{file}: line {line}"), problem)
}

/// True for UTF-8 that is said to be in the encoding `said`: letters beyond ASCII hardly ever make
/// UTF-8 by chance, and UTF-16 has zeros.
fn is_utf8_instead(bytes: &[u8], said: &'static Encoding) -> bool {
    let may_be =
        said != UTF_8 && (said.is_ascii_compatible() || [UTF_16LE, UTF_16BE].contains(&said));
    may_be && likely(bytes) == UTF_8
}

/// How many bytes tell the encoding.
const SAMPLE: usize = 1 << 16;

/// The encoding that text without byte order mark is in: UTF-8 where it may be, UTF-16 where every
/// other byte of its beginning is 0, else what its letters speak for.
fn likely(bytes: &[u8]) -> &'static Encoding {
    let beginning = &bytes[..bytes.len().min(SAMPLE)];
    let zeros = |odd: usize| beginning.iter().skip(odd).step_by(2).filter(|b| **b == 0).count();
    let (even, odd, half) = (zeros(0), zeros(1), beginning.len() / 2);
    if half > 0 && 5 * odd >= 4 * half && even == 0 {
        return UTF_16LE;
    }
    if half > 0 && 5 * even >= 4 * half && odd == 0 {
        return UTF_16BE;
    }
    if std::str::from_utf8(bytes).is_ok() || is_damaged_utf8(bytes) {
        return UTF_8;
    }
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Deny);
    // Letters beyond ASCII may be rare: all of the file is looked at.
    detector.feed(bytes, true);
    detector.guess(None, Utf8Detection::Deny)
}

/// True where most of what is beyond ASCII is UTF-8: whoever reads the cells refuses the rest.
fn is_damaged_utf8(bytes: &[u8]) -> bool {
    let mut damaged = 0;
    let mut letters = 0;
    for chunk in bytes.utf8_chunks() {
        damaged += chunk.invalid().len();
        letters += chunk.valid().chars().filter(|c| !c.is_ascii()).count();
    }
    letters > damaged
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(bytes: &[u8]) -> (String, Option<String>) {
        let decoded = decoded("f", bytes, None).unwrap();
        let text = String::from_utf8(decoded.text.into_owned()).unwrap();
        (text, decoded.found.map(TextEncoding::name))
    }

    #[test]
    fn text_is_found_in_its_encoding() {
        let text = "name,city\nMüller,Köln\nGarcía,Málaga\n";
        let utf16 = |to: fn(u16) -> [u8; 2], mark: bool| {
            let units = mark.then_some(0xfeff).into_iter().chain(text.encode_utf16());
            units.flat_map(to).collect::<Vec<u8>>()
        };
        let windows: Vec<u8> = text.chars().map(|c| c as u8).collect();
        let found = |name: &str| (text.to_owned(), Some(name.to_owned()));
        assert_eq!(read(text.as_bytes()), (text.to_owned(), None));
        assert_eq!(read(format!("\u{feff}{text}").as_bytes()), (text.to_owned(), None));
        assert_eq!(read(&windows), found("windows-1252"));
        for mark in [true, false] {
            assert_eq!(read(&utf16(u16::to_le_bytes, mark)), found("utf-16le"));
            assert_eq!(read(&utf16(u16::to_be_bytes, mark)), found("utf-16be"));
        }
    }

    #[test]
    fn one_damaged_letter_does_not_make_another_encoding_of_a_file() {
        let mut bytes = "name\nMüller\nGarcía\nKöln\n".as_bytes().to_vec();
        bytes.extend(b"\xff\n");
        assert_eq!(decoded("f", &bytes, None).unwrap().found, None);
    }

    #[test]
    fn bytes_that_are_no_text_in_the_encoding_said_are_refused_with_their_line() {
        let utf16: TextEncoding = "utf-16le".parse().unwrap();
        let Err(error) = decoded("f.csv", b"a\0\n\0\x00\xd8b\0", Some(utf16)) else {
            panic!("is refused")
        };
        assert!(error.to_string().contains("line 2"), "{error}");
        assert!("klingon".parse::<TextEncoding>().is_err());
    }
}
