//! Lines of journals, written by hand.

use unmask::files::sha256;

/// A line below a first one of the content `first`; the first line itself is below nothing.
pub fn line(first: &str, content: &str) -> String {
    let checksum = sha256([first, content].concat().as_bytes());
    format!("{{\"sha256\":\"{checksum}\",\"content\":{content}}}\n")
}

/// What a line holds.
pub fn content(line: &str) -> &str {
    let (_, content) = line.split_once("\"content\":").expect("a line of a journal");
    content.trim_end().strip_suffix('}').expect("a line of a journal")
}
