//! Reports as files: the flags of commands that write them.

use super::{Format, print};
use clap::Args;
use std::path::{Path, PathBuf};
use unmask::error::{Error, Result};
use unmask::files::{self, OutputFile};
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

    /// Fails on an extension that is not known, and on a file that may not be
    /// written; asked before long work starts.
    pub fn check(&self) -> Result<()> {
        for (i, path) in self.report.iter().enumerate() {
            kind(path)?;
            files::check_writable(path, self.force)?;
            if self.report[..i].contains(path) {
                let problem = "is given twice; name each report once";
                return Err(Error::parameter("report", path.display(), problem));
            }
        }
        Ok(())
    }

    /// Writes every report for `readers` and prints the document, or its record as JSON.
    pub fn write_and_print(
        &self,
        document: &Document,
        format: Format,
        readers: Readers,
    ) -> Result<()> {
        self.write(document, readers)?;
        match format {
            Format::Text => {
                print(text(document));
                self.written().into_iter().for_each(print);
            }
            Format::Json => print(format_args!("{:#}", document.record)),
        }
        Ok(())
    }

    /// A line that names what was written; none when nothing was.
    fn written(&self) -> Option<String> {
        let names: Vec<String> = self.report.iter().map(|p| p.display().to_string()).collect();
        (!names.is_empty()).then(|| format!("\nWritten: {}", listed(&names)))
    }

    fn write(&self, document: &Document, readers: Readers) -> Result<()> {
        let text = |path: &PathBuf| match kind(path)? {
            ReportFormat::Html => html(document),
            ReportFormat::Markdown => Ok(markdown(document)),
            ReportFormat::Json => Ok(format!("{:#}\n", document.record)),
        };
        let texts: Vec<String> = self.report.iter().map(text).collect::<Result<_>>()?;
        let private = readers == Readers::Owner;
        let outputs = self.report.iter().zip(&texts);
        let outputs =
            outputs.map(|(path, text)| OutputFile { path, bytes: text.as_bytes(), private });
        files::write_files(&outputs.collect::<Vec<_>>(), self.force)
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
