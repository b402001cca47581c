//! Plain text tables for the terminal, the one place that draws them.

use comfy_table::presets::NOTHING;
use comfy_table::{Cell, CellAlignment};
use std::fmt;

/// A table with a header; numbers are aligned right, text left.
#[derive(Debug)]
pub struct Table {
    header: Vec<String>,
    rows: Vec<Vec<String>>,
}

impl Table {
    /// An empty table.
    pub fn new<const N: usize>(header: [&str; N]) -> Self {
        Self::with_header(header.map(str::to_owned).to_vec())
    }

    /// An empty table with as many columns as the data ask for.
    pub fn with_header(header: Vec<String>) -> Self {
        Self { header, rows: Vec::new() }
    }

    /// Adds a row.
    pub fn row<const N: usize>(&mut self, cells: [String; N]) {
        self.push(cells.to_vec());
    }

    /// Adds a row of as many cells as the header has.
    pub fn push(&mut self, cells: Vec<String>) {
        self.rows.push(cells);
    }

    /// A column is right-aligned when every cell starts like a number.
    fn alignment(&self, column: usize) -> CellAlignment {
        let number = |text: &String| {
            let digits = text.trim_start_matches(['+', '-', '<', '>', '=', ' ']);
            digits.is_empty() || digits.starts_with(|c: char| c.is_ascii_digit())
        };
        match self.rows.iter().filter_map(|row| row.get(column)).all(number) {
            true => CellAlignment::Right,
            false => CellAlignment::Left,
        }
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut table = comfy_table::Table::new();
        table.load_style(NOTHING);
        let aligned = |cells: &[String]| -> Vec<Cell> {
            let cell =
                |(i, text): (usize, &String)| Cell::new(text).set_alignment(self.alignment(i));
            cells.iter().enumerate().map(cell).collect()
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
