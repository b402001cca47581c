//! `unmask measure`.

use super::correspondence::renaming;
use super::limits::Judged;
use super::reading::Reading;
use super::{Format, print, print_json};
use clap::Args;
use std::process::ExitCode;
use unmask::anonymity::{Anonymity, AnonymityOptions, LevelRule, Levels};
use unmask::dataset::{Attribute, Role};
use unmask::error::Result;
use unmask::words::unused_attributes;

/// Measures one file: k-anonymity, l-diversity, t-closeness, unique records, homogeneity attack.
///
/// Records with the same quasi-identifiers (--quasi, or a project; else all attributes that
/// are neither identifier, confidential nor sensitive) form a class;
/// a missing value equals other missing values only. l and t are those of the
/// worst class; certain are the classes whose records all have the same sensitive
/// value, which a homogeneity attack learns. A generalized value (a `*` cell) matches
/// every value: the class of a row is then its covered set, all rows that agree with it
/// wherever neither is generalized, and k the size of the smallest one, not a count of
/// equal rows. Where a project sets min_k, min_l (of different values) or max_t, exit code 3
/// says that one is not kept.
#[derive(Args)]
#[command(after_help = "Example:\n  \
    unmask measure adult-train --quasi age,sex,race --sensitive salary")]
pub struct Measure {
    /// The file to measure, or the name of a built-in data set
    input: String,

    /// Attributes an attacker wants to learn [default: the confidential ones]
    #[arg(long, value_name = "NAME,...", value_delimiter = ',')]
    sensitive: Vec<String>,

    /// The c of recursive (c, l)-diversity
    #[arg(long, value_name = "C", default_value_t = 3.0)]
    c: f64,

    /// Cut the range of numeric sensitive attributes into N levels [default: every
    /// number is a value of its own]
    #[arg(long, value_name = "N")]
    levels: Option<u32>,

    /// Where levels are cut
    #[arg(long, value_enum, value_name = "RULE", default_value_t, requires = "levels")]
    level_rule: LevelRule,

    /// Columns that have other names in the file than in what is said about it
    #[arg(long, value_name = "RELEASED=ORIGINAL,...", value_delimiter = ',')]
    rename: Vec<String>,

    /// How to print the result
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,

    #[command(flatten)]
    files: Reading,
}

/// What `--format json` prints.
#[derive(serde::Serialize)]
struct Measured {
    #[serde(flatten)]
    anonymity: Anonymity,
    /// Neither identifier nor confidential, and not counted as known to an attacker.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    attributes_left_out: Vec<String>,
    #[serde(flatten)]
    judged: Judged,
}

impl Measure {
    /// Measures and prints; exit code 3 where a limit of the project is not kept.
    pub fn run(&self) -> Result<ExitCode> {
        let file = self.files.load_renamed(&self.input, &renaming(&self.rename)?)?;
        let sensitive = match self.sensitive.as_slice() {
            [] => file.names_with(Role::Confidential),
            names => names.to_vec(),
        };
        let usable =
            |a: &Attribute| a.role == Role::QuasiIdentifier || !sensitive.contains(&a.name);
        let mut quasi = file.default_attributes(usable)?;
        quasi.left_out.retain(|name| !sensitive.contains(name));
        let levels = self.levels.map(|count| Levels { count, rule: self.level_rule });
        let options = AnonymityOptions { c: self.c, levels };
        let anonymity = Anonymity::measure(&file, &quasi.names, &sensitive, &options)?;
        let (limits, project) = self.files.limits(&self.input)?;
        let judged = Judged { limits: limits.of_anonymity(&anonymity), project };
        let code = judged.exit_code();
        match self.format {
            Format::Text => {
                unused_attributes(&quasi.left_out).into_iter().try_for_each(print)?;
                print(format!("{anonymity}{judged}"))?;
            }
            Format::Json => {
                print_json(&Measured { anonymity, attributes_left_out: quasi.left_out, judged })?;
            }
        }
        Ok(code)
    }
}
