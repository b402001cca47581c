//! A table of text cells as Markdown, CSV and LaTeX: what result files are made of.

/// A header and rows of as many cells.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Grid {
    header: Vec<String>,
    rows: Vec<Vec<String>>,
}

impl Grid {
    /// A table without rows.
    pub fn new<S: Into<String>>(header: impl IntoIterator<Item = S>) -> Self {
        Self { header: header.into_iter().map(Into::into).collect(), rows: Vec::new() }
    }

    /// Adds a row.
    pub fn row<S: Into<String>>(&mut self, cells: impl IntoIterator<Item = S>) {
        self.rows.push(cells.into_iter().map(Into::into).collect());
    }

    /// The table with these rows besides.
    pub fn with_rows(mut self, rows: impl IntoIterator<Item = Vec<String>>) -> Self {
        self.rows.extend(rows);
        self
    }

    /// As Markdown; an empty cell is shown as `-`.
    pub fn markdown(&self) -> String {
        let shown = |cell: &String| match cell.as_str() {
            "" => "-".to_owned(),
            text => text.replace('|', "\\|"),
        };
        let line = |cells: &[String]| {
            let cells: Vec<String> = cells.iter().map(shown).collect();
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
            format!("{} \\\\\n", cells.join(" & "))
        };
        let columns = "r".repeat(self.header.len().saturating_sub(1));
        let rows: String = self.rows.iter().map(|row| line(row)).collect();
        format!(
            "\\begin{{tabular}}{{l{columns}}}\n{}\\hline\n{rows}\\end{{tabular}}\n",
            line(&self.header)
        )
    }
}

fn quoted(field: &str) -> String {
    match field.contains([',', '"', '\n']) {
        true => format!("\"{}\"", field.replace('"', "\"\"")),
        false => field.to_owned(),
    }
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
        other => other.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn awkward() -> Grid {
        let mut grid = Grid::new(["a|b", "c"]);
        grid.row(["x,\"y\"", ""]);
        grid.row(["5 < 6 & 7_8", "100%"]);
        grid
    }

    #[test]
    fn a_cell_cannot_break_the_table_it_stands_in() {
        let markdown = "| a\\|b | c |\n|---|---|\n| x,\"y\" | - |\n| 5 < 6 & 7_8 | 100% |\n";
        assert_eq!(awkward().markdown(), markdown);
        assert_eq!(awkward().csv(), "a|b,c\n\"x,\"\"y\"\"\",\n5 < 6 & 7_8,100%\n");
        let tex = awkward().tex();
        assert!(tex.contains("5 $<$ 6 \\& 7\\_8 & 100\\% \\\\\n"), "{tex}");
    }
}
