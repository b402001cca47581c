//! Utility on the terminal: a table, and what each number means in plain words.

use super::Utility;
use crate::table::Table;
use crate::words::listed;
use std::fmt;

impl fmt::Display for Utility {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{} records, {} attributes\n", self.records, self.attributes.len())?;
        writeln!(f, "{}\n", self.overall())?;
        write!(f, "{}", self.by_attribute())?;
        if self.complete_records < 2 {
            let complete = self.complete_records;
            write!(
                f,
                "\nCovariances need two complete records; complete in both files: {complete}"
            )?;
        }
        let left_out = [
            ("Left out because constant", &self.left_out),
            ("Left out, too few values left to compare", &self.nothing_left),
            ("Left out, no numbers", &self.labels_left_out),
        ];
        for (why, names) in left_out.iter().filter(|(_, names)| !names.is_empty()) {
            write!(f, "\n{why}: {}", listed(names))?;
        }
        Ok(())
    }
}

impl Utility {
    fn overall(&self) -> Table {
        let mut table = Table::new(["measure", "value", "what it means"]);
        let mut row = |name: &str, value: String, meaning: &str| {
            table.row([name.to_owned(), value, meaning.to_owned()]);
        };
        row(
            "information loss (SSE/SST)",
            format!("{:.2}%", self.il_percent),
            "share of the variation between records that is gone; 0% is the original",
        );
        row(
            "IL1s",
            format!("{:.2}%", self.il1s_percent),
            "how far a value moved on average, in units of √2 standard deviations",
        );
        row(
            "means",
            format!("{:.4}", self.mean_difference),
            "how far an attribute's mean moved, in standard deviations",
        );
        row(
            "variances",
            format!("{:.2}%", 100.0 * self.variance_difference),
            "how much an attribute's variance grew or shrank",
        );
        row(
            "covariances",
            shown(self.covariance_difference),
            "how far a covariance moved, in units of both standard deviations",
        );
        row(
            "correlations",
            shown(self.correlation_difference),
            "how far a correlation moved on its scale from -1 to 1",
        );
        row(
            "eigenvalues",
            shown(self.eigenvalue_difference),
            "how far the eigenvalues of the correlation matrix (they average 1) moved",
        );
        table
    }

    fn by_attribute(&self) -> Table {
        let mut table = Table::new([
            "attribute",
            "SSE/SST",
            "IL1s",
            "mean moved",
            "variance",
            "covariances",
            "correlations",
        ]);
        for a in &self.attributes {
            table.row([
                a.attribute.clone(),
                format!("{:.2}%", a.il_percent),
                format!("{:.2}%", a.il1s_percent),
                signed(a.mean_difference, 4),
                format!("{}%", signed(100.0 * a.variance_difference, 2)),
                shown(a.covariance_difference),
                shown(a.correlation_difference),
            ]);
        }
        table
    }
}

/// A difference, or a dash where there is none.
fn shown(difference: Option<f64>) -> String {
    difference.map_or_else(|| "-".into(), |difference| format!("{difference:.4}"))
}

/// `value` with its sign, but a zero without one.
fn signed(value: f64, digits: usize) -> String {
    let text = format!("{value:+.digits$}");
    match text.bytes().all(|b| !(b'1'..=b'9').contains(&b)) {
        true => text[1..].to_owned(),
        false => text,
    }
}
