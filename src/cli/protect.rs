//! `unmask protect`.

use super::bar::Bar;
use super::files::Files;
use super::generalize::{self, Generalize};
use super::{Format, print, print_json};
use clap::Args;
use serde::Serialize;
use std::path::PathBuf;
use unmask::dataset::{Dataset, Role, catalog, output};
use unmask::error::{Error, Result};
use unmask::protection::{MethodChoice, MethodParameters, Partition, Protected, ProtectionMethod};
use unmask::risk::{Anonymity, AnonymityOptions, SensitiveMeasures};
use unmask::utility::{Utility, labels_changed};

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
    files: Files,
}

/// What `--format json` prints; the text is made from the same record.
#[derive(Serialize)]
struct Summary {
    method: &'static str,
    parameters: serde_json::Value,
    seed: u64,
    records: usize,
    attributes: Vec<String>,
    /// Left as they are though nothing says that an attacker does not know them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    unprotected: Vec<String>,
    groups: Vec<GroupSummary>,
    /// Of the release, where the method promises diversity.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    sensitive: Vec<SensitiveMeasures>,
    /// Whether close sensitive numbers count as different, for want of levels.
    #[serde(skip)]
    lacks_levels: bool,
    information_loss: InformationLoss,
    #[serde(skip_serializing_if = "Option::is_none")]
    information_loss_before_refine: Option<InformationLoss>,
    output: String,
    sha256: String,
}

#[derive(Serialize)]
struct GroupSummary {
    attributes: Vec<String>,
    k: usize,
    count: usize,
    smallest: usize,
    largest: usize,
}

#[derive(Serialize)]
struct InformationLoss {
    /// On the numeric attributes, if there are any.
    il_percent: Option<f64>,
    il1s_percent: Option<f64>,
    /// Of the labels of the categorical attributes, if there are any.
    #[serde(skip_serializing_if = "Option::is_none")]
    labels_changed_percent: Option<f64>,
}

impl Protect {
    /// Reads, protects, writes, and prints the summary.
    pub fn run(&self) -> Result<()> {
        if self.method == MethodChoice::AntiUnification {
            return self.generalize();
        }
        output::check_writable(&self.output, self.force)?;
        let method = self.method.with(&self.parameters)?;
        let refinement = self.parameters.refinement()?;
        let mut original = self.files.load(&self.input)?;
        self.parameters.mark_sensitive(&mut original, ("--attributes", &self.attributes))?;
        let positions = self.positions(&original)?;
        let started = method.protect(&original, &positions, self.seed, &Bar::new())?;
        let refined = refinement
            .map(|r| r.improve(&*method, &original, &started, self.seed, &Bar::new()))
            .transpose()?;
        let protected = refined.as_ref().unwrap_or(&started);
        let bytes = self.bytes(&protected.released)?;
        let sha256 = catalog::sha256(&bytes);
        let mut summary = self.summary(&*method, &original, &positions, protected, sha256)?;
        if let Some(refinement) = refinement {
            refinement.describe(&mut summary.parameters);
            let before = InformationLoss::of(&original, &started, &positions)?;
            summary.information_loss_before_refine = Some(before);
        }
        // Last, so that a run that is refused writes nothing.
        output::write_file(&self.output, self.force, |out| {
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
        let found = method.generalize(&original, &positions, &Bar::new())?;
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

impl InformationLoss {
    fn of(original: &Dataset, protected: &Protected, positions: &[usize]) -> Result<Self> {
        let is_numeric = |&i: &usize| original.attributes()[i].is_numeric();
        let (numeric, labels): (Vec<usize>, Vec<usize>) =
            positions.iter().copied().partition(is_numeric);
        let name = |&i: &usize| original.attributes()[i].name.as_str();
        let names: Vec<&str> = numeric.iter().map(name).collect();
        let utility = match names.is_empty() {
            true => None,
            false => Some(Utility::measure(original, &protected.released, &names)?),
        };
        Ok(Self {
            il_percent: utility.as_ref().map(|u| u.il_percent),
            il1s_percent: utility.as_ref().map(|u| u.il1s_percent),
            labels_changed_percent: labels_changed(original, &protected.released, &labels),
        })
    }
}

impl InformationLoss {
    /// All of it in one line.
    fn text(&self) -> String {
        let numbers = self.il_percent.zip(self.il1s_percent);
        let numbers = numbers.map(|(il, il1s)| format!("{il:.2}% (SSE/SST), IL1s {il1s:.2}%"));
        let labels = self.labels_changed_percent.map(|c| format!("labels changed {c:.2}%"));
        numbers.into_iter().chain(labels).collect::<Vec<_>>().join(", ")
    }
}

impl Summary {
    fn text(&self) -> String {
        let mut lines = vec![
            format!("method            {} {}", self.method, parameters(&self.parameters)),
            format!("records           {}", self.records),
            format!("attributes        {}: {}", self.attributes.len(), self.attributes.join(", ")),
        ];
        if !self.unprotected.is_empty() {
            let (count, names) = (self.unprotected.len(), self.unprotected.join(", "));
            lines.push(format!("left as they are  {count}: {names}"));
        }
        lines.extend(self.groups.iter().map(|g| format!("groups            {}", self.describe(g))));
        lines.extend(self.sensitive.iter().map(|s| {
            let (distinct, entropy, certain) = (s.distinct_l, s.entropy_l, s.certain.classes);
            format!(
                "diversity         {}: at least {distinct} (entropy {entropy:.2}) in every class; certain \
                 in {} of {} classes",
                s.attribute, certain.disclosed, certain.of
            )
        }));
        if self.lacks_levels {
            let note =
                "every number counted as a level of its own; with --levels close ones are one";
            lines.push(format!("levels            {note}"));
        }
        let loss = &self.information_loss;
        if let (Some(il), Some(il1s)) = (loss.il_percent, loss.il1s_percent) {
            lines.push(format!(
                "information loss  {il:.2}% of the variation between records (SSE/SST), IL1s {il1s:.2}%"
            ));
        }
        if let Some(changed) = loss.labels_changed_percent {
            lines.push(format!("labels changed    {changed:.2}%"));
        }
        let before = self.information_loss_before_refine.as_ref();
        lines.extend(before.map(|loss| format!("before --refine   {}", loss.text())));
        lines.push(format!("written           {}", self.output));
        lines.push(format!("sha256            {}", self.sha256));
        lines.join("\n")
    }

    /// `216 of 5 records`, and on which attributes unless on all.
    fn describe(&self, group: &GroupSummary) -> String {
        let size = match group.smallest == group.largest {
            true => group.smallest.to_string(),
            false => format!("{} to {}", group.smallest, group.largest),
        };
        let on = match group.attributes == self.attributes {
            true => String::new(),
            false => format!(" on {}", group.attributes.join(", ")),
        };
        format!("{} of {size} records{on}", group.count)
    }
}

/// `{"k":[3],"groups":"all"}` as `k=3 groups=all`.
pub(super) fn parameters(json: &serde_json::Value) -> String {
    let plain = |value: &serde_json::Value| value.to_string().replace(['"', '[', ']'], "");
    let pairs = json.as_object().into_iter().flatten();
    pairs.map(|(name, value)| format!("{name}={}", plain(value))).collect::<Vec<_>>().join(" ")
}
