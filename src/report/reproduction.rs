//! What is needed to make a report again.

use super::document::DocumentSection;
use crate::audit::Reproduction;
use crate::table::Table;

impl Reproduction {
    /// The section that tells how to make the report again.
    pub(super) fn section(&self) -> DocumentSection {
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
        DocumentSection::new("reproduction", "How to make this report again")
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
