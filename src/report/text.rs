//! A document on the terminal: the verdict and compact tables.

use super::document::{BlockContent, Document, DocumentBlock};
use crate::words::{one_line, printable};
use std::fmt::Write;

/// Columns beside the first that fit a terminal; wider tables are folded.
const COLUMNS: usize = 7;

/// `document` as plain text, without what is only for a page.
pub fn text(document: &Document) -> String {
    let mut parts = vec![one_line(&document.verdict)];
    parts.extend(document.consequences.iter().map(|line| one_line(line)));
    for section in &document.sections {
        parts.extend(section.blocks.iter().filter(|b| b.terminal).filter_map(block));
    }
    parts.join("\n\n")
}

fn block(block: &DocumentBlock) -> Option<String> {
    Some(match &block.content {
        BlockContent::Text(text) | BlockContent::Note(text) => one_line(text),
        BlockContent::Code(code) => printable(code).into_owned(),
        BlockContent::List(items) => numbered(items),
        BlockContent::Facts(pairs) | BlockContent::Terms(pairs) => {
            let width = pairs.iter().map(|(name, _)| name.chars().count()).max().unwrap_or(0);
            let line = |(name, value): &(String, String)| {
                let (name, value) = (one_line(name), one_line(value));
                format!("{name:width$}  {value}")
            };
            pairs.iter().map(line).collect::<Vec<_>>().join("\n")
        }
        BlockContent::Table { table, .. } => {
            let wide = table.header().len() > COLUMNS + 3;
            let parts = if wide { table.folded(COLUMNS) } else { vec![table.clone()] };
            parts.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n\n")
        }
        BlockContent::Chart { .. } => return None,
    })
}

fn numbered(items: &[String]) -> String {
    let mut text = String::new();
    for (i, item) in items.iter().enumerate() {
        let end = if i + 1 == items.len() { "" } else { "\n" };
        // Writing to a string cannot fail.
        let _ = write!(text, "{}. {}{end}", i + 1, one_line(item));
    }
    text
}
