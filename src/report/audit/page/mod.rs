//! The audit as a document: what each section says.

mod coverage;
mod exposure;
mod file;
mod keys;
mod ladder;
mod map;
mod solver;

use super::terms;
use crate::audit::{AuditRecord, Reproduction, RowsVerdict, Verdict};
use crate::error::{Error, Result};
use crate::learning::Count;
use crate::report::document::{Document, DocumentSection, Tone};
use crate::words::{count, isolated, short_percent};
use unmask_solvers::StopReason;

impl AuditRecord {
    /// The record in words, tables and charts.
    pub fn document(&self) -> Result<Document> {
        let mut sections = vec![
            self.ladder_section(),
            self.key_section(),
            self.exposure_section(),
            self.coverage_section(),
            self.file_section(),
        ];
        sections.extend((self.releases.len() > 1).then(|| self.map_section()));
        sections.extend([self.solver_section(), self.reproduction_section(), words_section()]);
        Ok(Document {
            title: self.title(),
            verdict: self.first_sentence(),
            tone: self.tone(),
            consequences: self.consequences(),
            advice: self.key_attributes.recommendations.first().cloned(),
            facts: self.facts(),
            sections,
            record: serde_json::to_value(self).map_err(|e| Error::Internal(e.to_string()))?,
        })
    }

    fn title(&self) -> String {
        let file = self.releases.first().map_or("a release", |release| &release.file);
        format!("Disclosure audit of {}", isolated(file))
    }

    fn tone(&self) -> Tone {
        match self.verdict.kept {
            _ if !self.coverage.direct_identifiers.is_empty() => Tone::Unprotected,
            None => Tone::Open,
            Some(_) if self.exceeded() => Tone::Exceeded,
            Some(_) => Tone::Kept,
        }
    }

    /// The verdict; where columns identify by themselves, that and nothing else.
    fn first_sentence(&self) -> String {
        let names: Vec<String> =
            self.coverage.direct_identifiers.iter().map(|d| isolated(&d.name)).collect();
        match names.as_slice() {
            [] if self.rows_are_in_doubt() => {
                let headline = lower_first(&self.verdict.headline());
                format!("If rows belong together, which these files do not tell: {headline}")
            }
            [] if self.correspondence.verdict == RowsVerdict::Doubtful => {
                let headline = lower_first(&self.verdict.headline());
                format!("If rows belong together, against what these files tell: {headline}")
            }
            [] => self.verdict.headline(),
            names => format!(
                "This file is not protected: it holds {}, by which people are found at once.",
                names.join(", ")
            ),
        }
    }

    /// True when it is taken on trust that rows belong together, and nobody insisted.
    fn rows_are_in_doubt(&self) -> bool {
        self.correspondence.verdict == RowsVerdict::TooFew && !self.rows_insisted
    }

    /// What the attackers find, where the first sentence does not say it, and what they know.
    fn found_sentence(&self) -> String {
        match self.coverage.direct_identifiers.is_empty() {
            true => self.verdict.context(),
            false => format!("Without that: {}", lower_first(&self.verdict.sentence())),
        }
    }

    /// What follows from the verdict: the strongest attacker, limits, warnings.
    fn consequences(&self) -> Vec<String> {
        let mut lines = Vec::new();
        if self.internal {
            lines.push("Internal: this report shows values of records. Do not share it.".into());
        }
        lines.push(self.found_sentence());
        lines.push(self.strongest_sentence());
        lines.extend(self.threshold_sentences());
        lines.extend(self.certain_sentence());
        lines.extend(self.verdict.warnings.iter().cloned());
        let others = self.releases.iter().skip(1);
        lines.extend(others.flat_map(|release| {
            let of = |warning: &String| format!("{}: {warning}", isolated(&release.file));
            release.verdict.warnings.iter().map(of).collect::<Vec<_>>()
        }));
        lines
    }

    fn strongest_sentence(&self) -> String {
        let verdict = &self.verdict;
        let scale = match verdict.scale.as_deref() {
            Some("own") => ", each file on its own scale",
            Some("original") => ", on the original's scale",
            _ => "",
        };
        let proof = match (verdict.proven, verdict.unbounded.is_empty()) {
            (true, _) => match verdict.count {
                Count::Expected => "Proven: no weights reach more".to_owned(),
                Count::Certain => "Proven: no weights find more for certain".to_owned(),
            },
            (false, true) => format!("Of weights: {}", self.weights_words()),
            (false, false) => format!(
                "No bound is proven for {}; of weights: {}",
                verdict.unbounded.join(", "),
                self.weights_words()
            ),
        };
        let attacker = match verdict.attack.as_str() {
            "worst case" => "the one with the best attribute weights",
            other => other,
        };
        format!("The strongest attacker is {attacker}{scale}: {}. {proof}.", self.found_words())
    }

    /// How many the strongest attacker finds, in what was counted first.
    fn found_words(&self) -> String {
        let Verdict { expected, certain, of, rate, .. } = &self.verdict;
        let (share, guessed) = (short_percent(*rate), count(*expected));
        match self.verdict.count {
            Count::Expected => format!(
                "{guessed} of {of} people are found on average ({share}), {certain} for certain"
            ),
            Count::Certain => format!(
                "{certain} of {of} people are found for certain ({share}); guesses, which were not \
                 maximized, bring it to {guessed} on average"
            ),
        }
    }

    /// What the best weights reach, and what is proven about all weights.
    fn weights_words(&self) -> String {
        let scales = &self.worst_case.scales;
        let reached = short_percent(self.worst_case.file.rate);
        if scales.iter().any(|s| s.stop_reason == StopReason::Heuristic) {
            return format!("the best found reach {reached}, and nothing is proven about others");
        }
        let most = scales.iter().map(|s| s.file.upper_bound_rate).fold(0.0, f64::max);
        let sure = match scales.iter().any(|s| s.file.sampled) {
            true => ", as far as a sample tells",
            false => ", proven",
        };
        let whose =
            if self.verdict.bounded { "none reach" } else { "of what was bounded none reach" };
        format!("the best reach {reached}, and {whose} more than {}{sure}", short_percent(most))
    }

    fn threshold_sentences(&self) -> Vec<String> {
        let Some(threshold) = &self.threshold else { return Vec::new() };
        let reached = self.verdict.among_released(threshold.found);
        let word = match (threshold.exceeded, self.coverage.direct_identifiers.is_empty()) {
            (true, _) if reached <= threshold.max_risk => "is not shown to be kept",
            (true, _) => "is exceeded",
            (false, true) if self.rows_are_in_doubt() => "is not shown to be kept",
            (false, true) if self.coverage.is_open() => {
                "is not kept while the release holds columns that the original lacks"
            }
            (false, true) if !self.verdict.unbounded.is_empty() => "is kept by all that was found",
            (false, true) => "is kept",
            (false, false) => "is not kept while the release holds what identifies by itself",
        };
        let [found, most] = [threshold.found, threshold.upper_bound]
            .map(|share| short_percent(self.verdict.among_released(share)));
        let ends = match (self.verdict.unbounded.is_empty(), self.verdict.bounded) {
            (true, _) => format!("found {found}, at most {most}"),
            (false, true) => format!("found {found}; no bound covers every attacker"),
            (false, false) => {
                let open = self.verdict.unbounded.join(", ");
                format!(
                    "found {found}; not bounded: {open}; more time may help, or judge by what is found, --gate found"
                )
            }
        };
        let mut lines = vec![format!(
            "The limit of {} {word}: the {} is {} ({ends}). The limit comes from {}.",
            short_percent(threshold.max_risk),
            threshold.judged,
            short_percent(threshold.risk),
            threshold.source
        )];
        let others = self.releases.iter().skip(1).filter(|r| r.exceeded == Some(true));
        lines.extend(others.map(|r| {
            let most = short_percent(r.risk());
            if !r.direct_identifiers.is_empty() {
                let names: Vec<String> = r.direct_identifiers.iter().map(|n| isolated(n)).collect();
                return format!(
                    "{} is not protected: it holds {}.",
                    isolated(&r.file),
                    names.join(", ")
                );
            }
            match r.verdict.unbounded.is_empty() && r.risk() > threshold.max_risk {
                true => format!("{} exceeds the limit too: at most {most}.", isolated(&r.file)),
                false => format!("{} is not shown to keep the limit either.", isolated(&r.file)),
            }
        }));
        lines
    }

    /// Whether the limit of certain confidential values is kept.
    fn certain_sentence(&self) -> Option<String> {
        let limit = self.certain_threshold.as_ref()?;
        let word = if limit.exceeded { "is exceeded" } else { "is kept" };
        let found = match &limit.attribute {
            Some(name) => format!(
                "{} is certain for {} of the people",
                isolated(name),
                short_percent(limit.share)
            ),
            None => "none is certain".to_owned(),
        };
        let most = short_percent(limit.max_certain);
        Some(format!("The limit of {most} for certain confidential values {word}: {found}."))
    }

    /// When, with what and on what: the small print of the first screen.
    fn facts(&self) -> Vec<(String, String)> {
        let Reproduction { date, version, files, .. } = &self.reproduction;
        let mut facts = Vec::new();
        facts.extend(date.clone().map(|date| ("Date".to_owned(), date)));
        facts.push(("Program".into(), format!("unmask {version}")));
        facts.push(("Attacked".into(), self.attributes.join(", ")));
        facts.extend(files.iter().map(|file| {
            let hash: String = file.sha256.chars().take(12).collect();
            (file.role.to_owned(), format!("{} (SHA-256 {hash}…)", file.file))
        }));
        facts
    }
}

/// `sentence` as the second part of another.
fn lower_first(sentence: &str) -> String {
    let mut letters = sentence.chars();
    letters.next().map_or_else(String::new, |first| first.to_lowercase().chain(letters).collect())
}

fn words_section() -> DocumentSection {
    DocumentSection::new("words", "What the words mean").terms(terms::attacks())
}
