//! Tables of text: the one place that draws them for the terminal.

use comfy_table::presets::NOTHING;
use comfy_table::{Cell, CellAlignment};
use std::fmt;

/// A table with a header; numbers are aligned right, text left.
#[derive(Debug, Clone, PartialEq)]
pub struct Table {
    header: Vec<String>,
    rows: Vec<Vec<String>>,
}

impl Table {
    /// An empty table.
    pub fn new<const N: usize>(header: [&str; N]) -> Self {
        Self::with_header(header.map(str::to_owned).to_vec())
    }

    /// An empty table with as many columns as the header has.
    pub fn with_header(header: Vec<String>) -> Self {
        Self { header, rows: Vec::new() }
    }

    /// Adds a row.
    pub fn row<const N: usize>(&mut self, cells: [String; N]) {
        self.push(cells.to_vec());
    }

    /// Adds a row with as many cells as there are columns.
    pub fn push(&mut self, cells: Vec<String>) {
        self.rows.push(cells);
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
                Cell::new(text).set_alignment(*alignment)
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
