//! Reports as files: the flags of commands that write them.

use super::{Format, print};
use clap::Args;
use std::path::{Path, PathBuf};
use unmask::error::{Error, Result};
use unmask::files::{self, Batch};
use unmask::report::{Document, html, markdown, text};
use unmask::words::listed;

/// Where reports go.
#[derive(Args)]
pub struct ReportFiles {
    /// Write a report: a page (.html), Markdown (.md) or the record (.json); can be given
    /// several times
    #[arg(long, value_name = "FILE")]
    report: Vec<PathBuf>,

    /// Replace reports that exist
    #[arg(long)]
    force: bool,
}

/// Who may open a report.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Readers {
    Everyone,
    Owner,
}

#[derive(Clone, Copy)]
enum ReportFormat {
    Html,
    Markdown,
    Json,
}

impl ReportFiles {
    /// Whether files that exist are replaced.
    pub fn force(&self) -> bool {
        self.force
    }

    /// True when there is none.
    pub fn is_empty(&self) -> bool {
        self.report.is_empty()
    }

    /// Fails on an extension that is not known, and where reports or the `other` files of the
    /// command may not be written, `inputs` being read; asked before long work starts.
    pub fn check(&self, other: &[PathBuf], inputs: &[PathBuf]) -> Result<()> {
        for (i, path) in self.report.iter().enumerate() {
            kind(path)?;
            if self.report[..i].contains(path) {
                let problem = "is given twice; name each report once";
                return Err(Error::parameter("report", path.display(), problem));
            }
        }
        let outputs: Vec<&Path> = self.report.iter().chain(other).map(PathBuf::as_path).collect();
        files::check_outputs(&outputs, self.force, inputs)
    }

    /// Writes every report for `readers`, together with `outputs`, and prints the document, or its
    /// record as JSON.
    pub fn write_and_print(
        &self,
        outputs: Batch,
        document: &Document,
        format: Format,
        readers: Readers,
    ) -> Result<()> {
        self.write(outputs, document, readers)?;
        match format {
            Format::Text => {
                print(text(document))?;
                self.written().into_iter().try_for_each(print)
            }
            Format::Json => print(format_args!("{:#}", document.record)),
        }
    }

    /// A line that names what was written; none when nothing was.
    fn written(&self) -> Option<String> {
        let names: Vec<String> = self.report.iter().map(|p| p.display().to_string()).collect();
        (!names.is_empty()).then(|| format!("\nWritten: {}", listed(&names)))
    }

    fn write(&self, mut outputs: Batch, document: &Document, readers: Readers) -> Result<()> {
        let text = |path: &PathBuf| match kind(path)? {
            ReportFormat::Html => html(document),
            ReportFormat::Markdown => Ok(markdown(document)),
            ReportFormat::Json => Ok(format!("{:#}\n", document.record)),
        };
        for path in &self.report {
            let text = text(path)?;
            outputs.file(path, self.force, readers == Readers::Owner, |out| {
                out.write_all(text.as_bytes()).map_err(|e| Error::io(path, e))
            })?;
        }
        outputs.commit()
    }
}

fn kind(path: &Path) -> Result<ReportFormat> {
    let extension = path.extension().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
    match extension.as_str() {
        "html" => Ok(ReportFormat::Html),
        "md" => Ok(ReportFormat::Markdown),
        "json" => Ok(ReportFormat::Json),
        _ => {
            let problem = "but a report is .html, .md or .json; choose one by its extension";
            Err(Error::parameter("report", path.display(), problem))
        }
    }
}
