//! The one table: for the terminal, and as Markdown, CSV and LaTeX.
//!
//! Names and labels come from anybody's files: nothing in a cell can leave it, become markup, or
//! command a terminal.

use crate::words::one_line;
use comfy_table::presets::NOTHING;
use comfy_table::{Cell, CellAlignment};
use serde::{Deserialize, Serialize};
use std::fmt;

/// A table with a header; numbers are aligned right, text left.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Table {
    header: Vec<String>,
    rows: Vec<Vec<String>>,
}

impl Table {
    /// A table without rows.
    pub fn new<S: Into<String>>(header: impl IntoIterator<Item = S>) -> Self {
        Self { header: header.into_iter().map(Into::into).collect(), rows: Vec::new() }
    }

    /// Adds a row with as many cells as there are columns.
    pub fn row<S: Into<String>>(&mut self, cells: impl IntoIterator<Item = S>) {
        self.rows.push(cells.into_iter().map(Into::into).collect());
    }

    /// The table with these rows besides.
    pub fn with_rows(mut self, rows: impl IntoIterator<Item = Vec<String>>) -> Self {
        self.rows.extend(rows);
        self
    }

    /// The names of the columns.
    pub fn header(&self) -> &[String] {
        &self.header
    }

    /// The cells, row by row.
    pub fn rows(&self) -> &[Vec<String>] {
        &self.rows
    }

    /// True when every cell of the column starts like a number; a very long one is a
    /// checksum.
    pub fn is_numeric(&self, column: usize) -> bool {
        let number = |text: &String| {
            let digits = text.trim_start_matches(['+', '-', '<', '>', '=', ' ']);
            let first = digits.split_whitespace().next().unwrap_or_default();
            first.is_empty() || first.len() < 32 && first.starts_with(|c: char| c.is_ascii_digit())
        };
        self.rows.iter().filter_map(|row| row.get(column)).all(number)
    }

    /// Tables of the first column and at most `columns` others each, side by side
    /// they are this one.
    pub fn folded(&self, columns: usize) -> Vec<Self> {
        let others: Vec<usize> = (1..self.header.len()).collect();
        let part = |chosen: &[usize]| {
            let pick = |cells: &[String]| -> Vec<String> {
                std::iter::once(&0).chain(chosen).filter_map(|i| cells.get(*i).cloned()).collect()
            };
            Self { header: pick(&self.header), rows: self.rows.iter().map(|r| pick(r)).collect() }
        };
        match others.is_empty() {
            true => vec![self.clone()],
            false => others.chunks(columns.max(1)).map(part).collect(),
        }
    }

    /// As Markdown; an empty cell is shown as `-`.
    pub fn markdown(&self) -> String {
        let line = |cells: &[String]| {
            let cells: Vec<String> = cells.iter().map(|cell| markdown_escaped(cell)).collect();
            format!("| {} |\n", cells.join(" | "))
        };
        let rule = format!("|{}\n", "---|".repeat(self.header.len()));
        line(&self.header) + &rule + &self.rows.iter().map(|row| line(row)).collect::<String>()
    }

    /// As CSV; a field is quoted where it must be.
    pub fn csv(&self) -> String {
        let line = |cells: &Vec<String>| {
            let fields: Vec<String> = cells.iter().map(|cell| quoted(cell)).collect();
            fields.join(",") + "\n"
        };
        std::iter::once(&self.header).chain(&self.rows).map(line).collect()
    }

    /// As a LaTeX tabular, the first column to the left, the others to the right.
    pub fn tex(&self) -> String {
        let line = |cells: &[String]| {
            let cells: Vec<String> = cells.iter().map(|cell| tex_escaped(cell)).collect();
            let row = cells.join(" & ");
            // These would belong to the line break before.
            let guard = if row.starts_with(['[', '*']) { "{}" } else { "" };
            format!("{guard}{row} \\\\\n")
        };
        let columns = "r".repeat(self.header.len().saturating_sub(1));
        let rows: String = self.rows.iter().map(|row| line(row)).collect();
        format!(
            "\\begin{{tabular}}{{l{columns}}}\n{}\\hline\n{rows}\\end{{tabular}}\n",
            line(&self.header)
        )
    }

    fn alignment(&self, column: usize) -> CellAlignment {
        match self.is_numeric(column) {
            true => CellAlignment::Right,
            false => CellAlignment::Left,
        }
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut table = comfy_table::Table::new();
        table.load_style(NOTHING);
        let alignments: Vec<CellAlignment> =
            (0..self.header.len()).map(|i| self.alignment(i)).collect();
        let aligned = |cells: &[String]| -> Vec<Cell> {
            let cell = |(text, alignment): (&String, &CellAlignment)| {
                Cell::new(one_line(text)).set_alignment(*alignment)
            };
            cells.iter().zip(&alignments).map(cell).collect()
        };
        table.add_row(aligned(&self.header));
        self.rows.iter().for_each(|row| {
            table.add_row(aligned(row));
        });
        // Every cell is padded with one space; at the margin it only indents.
        let lines: Vec<String> = table
            .lines()
            .map(|line| line.strip_prefix(' ').unwrap_or(&line).trim_end().to_owned())
            .collect();
        f.write_str(&lines.join("\n"))
    }
}

fn quoted(field: &str) -> String {
    match field.contains([',', '"', '\n', '\r']) {
        true => format!("\"{}\"", field.replace('"', "\"\"")),
        false => field.to_owned(),
    }
}

/// An empty cell is shown as a dash; what would become code, a link, a tag or another cell or row is
/// escaped.
fn markdown_escaped(cell: &str) -> String {
    let mut escaped = String::with_capacity(cell.len());
    let mut rest = cell.chars().peekable();
    while let Some(character) = rest.next() {
        let next = rest.peek().copied().unwrap_or(' ');
        match character {
            '|' | '\\' | '`' | '[' => escaped.extend(['\\', character]),
            '<' if next.is_alphabetic() || "/!?".contains(next) => escaped.push_str("&lt;"),
            control if control.is_control() => escaped.push(' '),
            other => escaped.push(other),
        }
    }
    if cell.is_empty() { "-".to_owned() } else { escaped }
}

/// An empty cell is shown as a dash; what LaTeX reads as a command is escaped.
fn tex_escaped(cell: &str) -> String {
    match cell {
        "" => "-".to_owned(),
        text => text.chars().map(tex_character).collect(),
    }
}

fn tex_character(character: char) -> String {
    match character {
        '_' | '%' | '&' | '#' | '$' | '{' | '}' => format!("\\{character}"),
        '<' | '>' => format!("${character}$"),
        '\\' => "\\textbackslash{}".into(),
        '~' => "\\textasciitilde{}".into(),
        '^' => "\\textasciicircum{}".into(),
        control if control.is_control() => ' '.into(),
        other => other.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn awkward() -> Table {
        let mut table = Table::new(["a|b", "c"]);
        table.row(["x,\"y\"", ""]);
        table.row(["5 < 6 & 7_8", "100%"]);
        table
    }

    #[test]
    fn a_cell_cannot_break_the_table_it_stands_in() {
        let markdown = "| a\\|b | c |\n|---|---|\n| x,\"y\" | - |\n| 5 < 6 & 7_8 | 100% |\n";
        assert_eq!(awkward().markdown(), markdown);
        assert_eq!(awkward().csv(), "a|b,c\n\"x,\"\"y\"\"\",\n5 < 6 & 7_8,100%\n");
        let tex = awkward().tex();
        assert!(tex.contains("5 $<$ 6 \\& 7\\_8 & 100\\% \\\\\n"), "{tex}");
    }

    #[test]
    fn labels_stay_text_in_every_format() {
        let mut table = Table::new(["name\u{1b}[31m", "b"]);
        table.row(["[20, 30[", "`x` <img src=a> ![i](http://a) a\\|b\nnext\rrow"]);
        let markdown = table.markdown();
        assert_eq!(markdown.lines().count(), 3, "{markdown}");
        let row = "| \\[20, 30\\[ | \\`x\\` &lt;img src=a> !\\[i](http://a) a\\\\\\|b next row |";
        assert!(markdown.contains(row), "{markdown}");
        let tex = table.tex();
        assert!(tex.contains("\n{}[20, 30[ & "), "{tex}");
        let terminal = table.to_string();
        assert_eq!(terminal.lines().count(), 2, "{terminal}");
        for text in [markdown, tex, terminal] {
            assert!(text.chars().all(|c| c == '\n' || !c.is_control()), "{text:?}");
        }
        assert!(table.csv().contains("\nnext\rrow\""), "the value is in quotes: {}", table.csv());
    }
}
