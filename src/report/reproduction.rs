//! What is needed to make a report again.

use super::document::Section;
use crate::files::FileDigest;
use crate::table::Table;
use serde::Serialize;

/// How a report was made.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Reproduction {
    /// Version of unmask.
    pub version: &'static str,
    /// The command as it was typed.
    pub command: String,
    /// The seeds of everything random.
    pub seeds: serde_json::Value,
    /// The files that were read.
    pub files: Vec<FileDigest>,
    /// Every setting, defaults included.
    pub settings: serde_json::Value,
}

impl Reproduction {
    /// The section that tells how to make the report again.
    pub(super) fn section(&self) -> Section {
        let mut files = Table::new(["used as", "file", "SHA-256"]);
        for file in &self.files {
            files.row([file.role.to_owned(), file.file.clone(), file.sha256.clone()]);
        }
        let flat = |value: &serde_json::Value| -> Vec<(String, String)> {
            let pairs = value.as_object().into_iter().flatten();
            pairs.map(|(name, value)| (name.replace('_', " "), plain(value))).collect()
        };
        let mut settings = Table::new(["setting", "value"]);
        for (name, value) in flat(&self.seeds) {
            settings.row([format!("seed of the {name}"), value]);
        }
        flat(&self.settings).into_iter().for_each(|(name, value)| settings.row([name, value]));
        Section::new("reproduction", "How to make this report again")
            .page_text(format!("unmask {}, with this command:", self.version))
            .code(self.command.clone())
            .page_table("The files it read", files)
            .page_table("Seeds and settings, defaults included", settings)
    }
}

/// A JSON value without quotes and brackets.
fn plain(value: &serde_json::Value) -> String {
    match value {
        serde_json::Value::Null => "none".to_owned(),
        serde_json::Value::String(text) => text.clone(),
        serde_json::Value::Array(items) => items.iter().map(plain).collect::<Vec<_>>().join(", "),
        other => other.to_string(),
    }
}

/// `words` as one line that a shell splits into the same words.
pub fn shell_line(words: impl IntoIterator<Item = String>) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./:,=+@%".contains(c);
    let quoted = |word: String| match !word.is_empty() && word.chars().all(plain) {
        true => word,
        false => format!("'{}'", word.replace('\'', r"'\''")),
    };
    words.into_iter().map(quoted).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_with_spaces_and_quotes_are_quoted() {
        let words = ["unmask", "a b", "it's", "", "--x=1,2"].map(String::from);
        assert_eq!(shell_line(words), r"unmask 'a b' 'it'\''s' '' --x=1,2");
    }
}
