//! The audit as a document: what each section says.

mod exposure;
mod file;
mod keys;
mod ladder;
mod map;
mod solver;

use crate::audit::AuditRecord;
use crate::error::{Error, Result};
use crate::report::document::{Document, Tone};
use crate::words::{isolated, short_percent};

impl AuditRecord {
    /// The record in words, tables and charts.
    pub fn document(&self) -> Result<Document> {
        let mut sections = vec![
            self.ladder_section(),
            self.key_section(),
            self.exposure_section(),
            self.file_section(),
        ];
        sections.extend((self.releases.len() > 1).then(|| self.map_section()));
        sections.extend([self.solver_section(), self.reproduction_section()]);
        Ok(Document {
            title: self.title(),
            verdict: self.verdict.sentence(),
            tone: match &self.threshold {
                None => Tone::Open,
                Some(_) if self.exceeded() => Tone::Exceeded,
                Some(_) => Tone::Kept,
            },
            consequences: self.consequences(),
            advice: self.key_attributes.recommendations.first().cloned(),
            sections,
            record: serde_json::to_value(self).map_err(|e| Error::Internal(e.to_string()))?,
        })
    }

    fn title(&self) -> String {
        let file = self.releases.first().map_or("a release", |release| &release.file);
        format!("Disclosure audit of {}", isolated(file))
    }

    /// What follows from the verdict: internal, threshold, first advice.
    fn consequences(&self) -> Vec<String> {
        let mut lines = Vec::new();
        if self.internal {
            lines.push("Internal: this report shows values of records. Do not share it.".into());
        }
        if let Some(threshold) = &self.threshold {
            let word = if threshold.exceeded { "exceeded" } else { "kept" };
            lines.push(format!(
                "The threshold of {} is {word}: the {} is {}. The threshold comes from {}.",
                short_percent(threshold.max_risk),
                threshold.judged,
                short_percent(threshold.risk),
                threshold.source
            ));
            let others = self.releases.iter().skip(1).filter(|r| r.exceeded == Some(true));
            lines.extend(others.map(|r| {
                format!(
                    "{} exceeds the threshold too: at most {}.",
                    isolated(&r.file),
                    short_percent(r.verdict.upper_bound)
                )
            }));
        }
        lines
    }
}
