//! A document as Markdown. Charts are left out: the tables hold their data.

use super::document::{BlockContent, Document, DocumentBlock};
use crate::table::Table;

/// `document` as GitHub-flavored Markdown; all text is escaped.
pub fn markdown(document: &Document) -> String {
    let mut parts = vec![format!("# {}", escape(&document.title))];
    parts.push(format!("**{}**", escape(&document.verdict)));
    let below = document.consequences.iter().chain(&document.advice);
    parts.extend(below.map(|line| escape(line)));
    for section in &document.sections {
        parts.push(format!("## {}", escape(&section.title)));
        parts.extend(section.blocks.iter().filter_map(block));
    }
    parts.push("## Record".to_owned());
    parts.push(fenced("json", &format!("{:#}", document.record)));
    parts.join("\n\n") + "\n"
}

fn block(block: &DocumentBlock) -> Option<String> {
    Some(match &block.content {
        BlockContent::Text(text) => escape(text),
        BlockContent::Note(text) => format!("> {}", escape(text)),
        BlockContent::List(items) => {
            let line = |(i, item): (usize, &String)| format!("{}. {}", i + 1, escape(item));
            items.iter().enumerate().map(line).collect::<Vec<_>>().join("\n")
        }
        BlockContent::Facts(pairs) | BlockContent::Terms(pairs) => {
            let line =
                |(name, value): &(String, String)| format!("- {}: {}", escape(name), escape(value));
            pairs.iter().map(line).collect::<Vec<_>>().join("\n")
        }
        BlockContent::Code(code) => fenced("", code),
        BlockContent::Table { caption, table, .. } => {
            format!("{}:\n\n{}", escape(caption), rows(table))
        }
        BlockContent::Chart { .. } => return None,
    })
}

fn rows(table: &Table) -> String {
    let line = |cells: &[String]| {
        let cells: Vec<String> = cells.iter().map(|cell| escape(cell)).collect();
        format!("| {} |", cells.join(" | "))
    };
    let rule = |i: usize| if table.is_numeric(i) { "---:" } else { "---" };
    let rules: Vec<&str> = (0..table.header().len()).map(rule).collect();
    let mut lines = vec![line(table.header()), format!("| {} |", rules.join(" | "))];
    lines.extend(table.rows().iter().map(|row| line(row)));
    lines.join("\n")
}

/// A code block that its content cannot end.
fn fenced(language: &str, code: &str) -> String {
    let longest = code.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest.max(2) + 1);
    format!("{fence}{language}\n{code}\n{fence}")
}

/// `text` such that Markdown shows it as it is, on one line.
pub fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '\\' | '`' | '*' | '_' | '[' | ']' | '|' | '#' | '~' => {
                escaped.push('\\');
                escaped.push(c);
            }
            c if c.is_control() => escaped.push(' '),
            c => escaped.push(c),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_cannot_become_markup() {
        assert_eq!(escape("<b>|*a_\n`"), "&lt;b&gt;\\|\\*a\\_ \\`");
        assert_eq!(fenced("", "a```b"), "````\na```b\n````");
    }
}
