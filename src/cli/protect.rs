//! `unmask protect`.

pub(super) mod summary;

use super::generalize::{self, Generalize};
use super::reading::Reading;
use super::terminal::Terminal;
use super::{Format, print, print_json};
use clap::Args;
use std::path::PathBuf;
use summary::{GroupSummary, InformationLoss, Summary};
use unmask::anonymity::{Anonymity, AnonymityOptions, SensitiveMeasures};
use unmask::dataset::{Dataset, Role};
use unmask::error::{Error, Result};
use unmask::files;
use unmask::protection::{MethodChoice, MethodParameters, Partition, Protected, ProtectionMethod};

/// Protects a file: noise, rank swapping, microaggregation or generalization.
///
/// Identifiers and confidential attributes are left alone. The same input,
/// parameters and seed give the same bytes on any number of threads.
///
/// anti-unification replaces each record by a pattern that at least k records of its class
/// share (a class is a combination of confidential values), with `*` for indifferent
/// values, and discards the others. It needs labels (--discretize,
/// --categorical), leaves out attributes that are neither quasi-identifier,
/// confidential nor identifier, and writes beside OUT.csv: OUT-patterns.csv (the patterns
/// with the number of records they cover), OUT-discarded.csv (row numbers, the
/// first record being 1) and OUT-summary.json. Of the records that several patterns
/// cover, those patterns that would have less than k records get some; the
/// others go to the pattern with the most records.
#[derive(Args)]
#[command(after_help = "Examples:\n  \
    unmask protect census --method mdav --k 5 -o census-k5.csv\n  \
    unmask protect census --method mdav --k 2,8,5 --groups 5,5,3 --cluster-on raw -o release.csv\n  \
    unmask protect census --method v-mdav --k 3 --gamma 0.2 -o census-v3.csv\n  \
    unmask protect census --method l-diverse-v-mdav --l 3 --sensitive FEDTAX --levels 5 -o diverse.csv\n  \
    unmask protect census --method mdav --k 3 --refine -o census-k3.csv\n  \
    unmask protect census --method noise --p 16 --seed 7 -o noisy.parquet\n  \
    unmask protect survey.csv --method rank-swapping --p 5 --confidential income -o swapped.csv\n  \
    unmask protect adult-train --method anti-unification --k 5 --indifferent 2 --conditions \"<,>\" \
    --confidential salary --variant literal --attributes age,workclass,education,sex \
    --discretize age:5:20:90 -o patterns.csv")]
pub struct Protect {
    /// The file to protect (.csv or .parquet), or the name of a built-in data set
    input: String,

    /// How to protect
    #[arg(long, value_enum)]
    method: MethodChoice,

    /// The file to write, CSV or Parquet by its extension
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,

    /// Replace the output file when it exists
    #[arg(long)]
    force: bool,

    /// Attributes to protect [default: the quasi-identifiers, or all numeric ones
    /// that are neither identifier nor confidential; anti-unification: all of these]
    #[arg(long, value_name = "NAME,...", value_delimiter = ',')]
    attributes: Vec<String>,

    /// Seed of the random numbers
    #[arg(long, default_value_t = 1)]
    seed: u64,

    /// Leave the identifiers out of the release
    #[arg(long)]
    drop_identifiers: bool,

    /// How to print the summary
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,

    #[command(flatten)]
    parameters: MethodParameters,

    #[command(flatten)]
    files: Reading,
}

impl Protect {
    /// Reads, protects, writes, and prints the summary.
    pub fn run(&self) -> Result<()> {
        if self.method == MethodChoice::AntiUnification {
            return self.generalize();
        }
        files::check_writable(&self.output, self.force)?;
        let method = self.method.with(&self.parameters)?;
        let refinement = self.parameters.refinement()?;
        let mut original = self.files.load(&self.input)?;
        self.parameters.mark_sensitive(&mut original, ("--attributes", &self.attributes))?;
        let positions = self.positions(&original)?;
        let started = method.protect(&original, &positions, self.seed, &Terminal::new())?;
        let refined = refinement
            .map(|r| r.improve(&*method, &original, &started, self.seed, &Terminal::new()))
            .transpose()?;
        let protected = refined.as_ref().unwrap_or(&started);
        let bytes = self.bytes(&protected.released)?;
        let sha256 = files::sha256(&bytes);
        let mut summary = self.summary(&*method, &original, &positions, protected, sha256)?;
        if let Some(refinement) = refinement {
            refinement.describe(&mut summary.parameters);
            let before = InformationLoss::of(&original, &started, &positions)?;
            summary.information_loss_before_refine = Some(before);
        }
        // Last, so that a run that is refused writes nothing.
        files::write_file(&self.output, self.force, |out| {
            out.write_all(&bytes).map_err(|e| Error::io(&self.output, e))
        })?;
        match self.format {
            Format::Text => print(summary.text()),
            Format::Json => print_json(&summary)?,
        }
        Ok(())
    }

    /// Reads, generalizes, writes four files, and prints the summary.
    fn generalize(&self) -> Result<()> {
        let method = self.method.anti_unification(&self.parameters)?;
        let outputs = Generalize::new(&self.output, self.force, self.drop_identifiers)?;
        let original = self.files.load(&self.input)?;
        let positions = match self.attributes.is_empty() {
            true => generalize::default_positions(&original)?,
            false => self.named_positions(&original)?,
        };
        let found = method.generalize(&original, &positions, &Terminal::new())?;
        let summary = outputs.write(&method, &original, &positions, &found)?;
        match self.format {
            Format::Text => print(summary.text()),
            Format::Json => print_json(&summary)?,
        }
        Ok(())
    }

    /// The attributes to protect; a named identifier or confidential one is refused.
    fn positions(&self, original: &Dataset) -> Result<Vec<usize>> {
        match self.attributes.is_empty() {
            true => original.default_numeric_positions(),
            false => self.named_positions(original),
        }
    }

    fn named_positions(&self, original: &Dataset) -> Result<Vec<usize>> {
        let positions = original.positions(&self.attributes)?;
        for &position in &positions {
            let attribute = &original.attributes()[position];
            if matches!(attribute.role, Role::Identifier | Role::Confidential) {
                let problem = "is an identifier or confidential, and those are left alone; \
                               change its role or leave it out";
                return Err(Error::parameter("attributes", &attribute.name, problem));
            }
        }
        Ok(positions)
    }

    /// The release as it is written.
    fn bytes(&self, released: &Dataset) -> Result<Vec<u8>> {
        let written = match self.drop_identifiers {
            true => &released.without_role(Role::Identifier)?,
            false => released,
        };
        written.to_bytes(&self.output)
    }

    /// How diverse the sensitive attributes of a release are, where that is promised.
    fn measure_sensitive(
        &self,
        released: &Dataset,
        quasi: &[String],
    ) -> Result<Vec<SensitiveMeasures>> {
        if self.method != MethodChoice::LDiverseVMdav {
            return Ok(Vec::new());
        }
        let sensitive = match self.parameters.sensitive.as_slice() {
            [] => released.names_with(Role::Confidential),
            named => named.to_vec(),
        };
        let levels = self.parameters.sensitive_levels();
        let options = AnonymityOptions { levels, ..AnonymityOptions::default() };
        Ok(Anonymity::measure(released, quasi, &sensitive, &options)?.sensitive)
    }

    fn summary(
        &self,
        method: &dyn ProtectionMethod,
        original: &Dataset,
        positions: &[usize],
        protected: &Protected,
        sha256: String,
    ) -> Result<Summary> {
        let names = |positions: &[usize]| -> Vec<String> {
            positions.iter().map(|&i| original.attributes()[i].name.clone()).collect()
        };
        let group = |p: &Partition| GroupSummary {
            attributes: names(&p.attributes),
            k: p.k,
            count: p.groups.len(),
            smallest: p.smallest(),
            largest: p.largest(),
        };
        let is_open = |i: &usize| {
            let role = original.attributes()[*i].role;
            !positions.contains(i) && matches!(role, Role::Other | Role::QuasiIdentifier)
        };
        let unprotected: Vec<usize> = (0..original.attributes().len()).filter(is_open).collect();
        let sensitive = self.measure_sensitive(&protected.released, &names(positions))?;
        let is_numeric = |s: &SensitiveMeasures| {
            original.attributes().iter().any(|a| a.name == s.attribute && a.is_numeric())
        };
        Ok(Summary {
            method: method.name(),
            parameters: method.parameters(),
            seed: self.seed,
            records: original.records(),
            attributes: names(positions),
            unprotected: names(&unprotected),
            groups: protected.partitions.iter().map(group).collect(),
            lacks_levels: self.parameters.levels.is_none() && sensitive.iter().any(is_numeric),
            sensitive,
            information_loss: InformationLoss::of(original, protected, positions)?,
            information_loss_before_refine: None,
            output: self.output.display().to_string(),
            sha256,
        })
    }
}
