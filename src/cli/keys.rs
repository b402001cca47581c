//! `unmask keys`.

use super::Format;
use super::learning::Learning;
use super::made_by::MadeBy;
use super::release::ReleaseFiles;
use super::report_files::ReportFiles;
use super::reproduction::reproduction;
use clap::Args;
use serde_json::json;
use unmask::error::{Error, Result};
use unmask::learning::{Aggregation, Bounds, WeightRange};
use unmask::linkage::{Attack, Release, TieRule};
use unmask::report::KeysRecord;
use unmask::report::keys::{Change, ReleaseKeys, Strength};

/// Tells which attributes carry the risk: their weights in the worst case, and each alone.
///
/// An attribute with a high weight tells records apart, so it has a greater
/// disclosure risk. Tables are laid out as Tables 5, 6 and 8 of Abril,
/// Navarro-Arribas and Torra (2012): weights and single attributes for the first
/// released file, weights side by side for all of them. How much each attribute
/// was changed is measured; --recipe adds the parameter the first file was made with.
#[derive(Args)]
#[command(after_help = "Examples:\n  \
    unmask protect noise census --p 1,2,3,4,5,6,7,8,9,10,11,12,13 -o release.csv\n  \
    unmask keys --original census --released release.csv --sample 400 \
    --attributes AFNLWGT,AGI,EMCONTRB,FEDTAX,PTOTVAL,STATETAX,TAXINC --report keys.html\n  \
    unmask keys --original census --released a.csv --released b.csv --sample 200 --format json")]
pub struct KeysCommand {
    #[command(flatten)]
    release: ReleaseFiles,

    #[command(flatten)]
    learning: Learning,

    #[command(flatten)]
    reports: ReportFiles,

    /// How to print the result
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,

    #[command(flatten)]
    made_by: MadeBy,
}

impl KeysCommand {
    /// Solves each release, writes the reports and prints the record.
    pub fn run(&self, threads: usize) -> Result<()> {
        self.reports.check()?;
        self.made_by.check(self.release.key.as_deref())?;
        if self.learning.distance.aggregation == Aggregation::Owa {
            let problem = "but ordered weights belong to distances, not to attributes; \
                           `unmask audit` has them";
            return Err(Error::parameter("aggregation", "owa", problem));
        }
        self.reports.write_and_print(&self.record(threads)?.document()?, self.format)
    }

    fn record(&self, threads: usize) -> Result<KeysRecord> {
        let own = json!({ "sample": self.release.sample, "tie_rule": TieRule::Miss });
        let reproduction = reproduction(&self.release, &self.learning, &self.made_by, own)?;
        let (mut attributes, mut records) = (Vec::new(), 0);
        let mut releases = Vec::new();
        for (i, file) in self.release.released.iter().enumerate() {
            let whole = self.release.load_released(file)?;
            if i == 0 {
                attributes = self.release.attributes(&whole)?;
            }
            let release = match self.release.sample {
                Some(size) => whole.sample(size, self.release.seed)?,
                None => whole.clone(),
            };
            records = release.records();
            let strength = if i == 0 { self.strength(&whole, &attributes)? } else { None };
            let found = self.keys(file, &whole, &release, &attributes, threads)?;
            releases.push(ReleaseKeys { strength, ..found });
        }
        let standardization = self.learning.distance.standardize.name().to_owned();
        Ok(KeysRecord { records, attributes, standardization, releases, reproduction })
    }

    fn strength(&self, whole: &Release, attributes: &[String]) -> Result<Option<Strength>> {
        let known = self.made_by.known(whole)?;
        Ok(known.map(|known| {
            let (parameter, values) = known.strengths(attributes);
            Strength { parameter: parameter.to_owned(), values }
        }))
    }

    fn keys(
        &self,
        file: &str,
        whole: &Release,
        release: &Release,
        attributes: &[String],
        threads: usize,
    ) -> Result<ReleaseKeys> {
        let found = self.learning.solve(release, attributes, threads)?;
        let rate = |attack: Attack| -> Result<f64> {
            Ok(attack.link(release, attributes, &())?.rate(TieRule::Miss))
        };
        let single = |name: &String| rate(Attack::Single { attribute: name.clone() });
        Ok(ReleaseKeys {
            file: file.to_owned(),
            strength: None,
            changes: Change::measure(whole, attributes)?,
            weights: WeightRange::of(&found, attributes.to_vec()),
            single_rates: attributes.iter().map(single).collect::<Result<_>>()?,
            dbrl1_rate: rate(Attack::Dbrl1)?,
            worst_case: Bounds::of(&found),
        })
    }
}
