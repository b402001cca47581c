//! `unmask verify`.

use super::correspondence::Renaming;
use super::reading::Reading;
use super::{Format, print, print_json, tell, told};
use clap::Args;
use std::fs::File;
use std::path::PathBuf;
use std::process::ExitCode;
use unmask::error::{Error, Result};
use unmask::files::FileDigest;
use unmask::learning::certificate::{Verified, verify};

/// Checks the certificate of an audit: that its proof holds for these files, without any search.
///
/// The inequalities are made anew from the files, and every step of the proof is confirmed in exact
/// arithmetic. Prints what is proven, a sentence for each attacker the audit was about. Files that
/// the audit read with options, such as a project, are read with the same ones.
///
/// Exit code 0 when all of it is proven; 1 in every other case, with the first thing that
/// is wrong.
#[derive(Args)]
#[command(after_help = "Examples:\n  \
    unmask protect noise census --p 16 -o noisy.csv\n  \
    unmask audit --original census --released noisy.csv --sample 200 --certificate proof.unmask\n  \
    unmask verify proof.unmask --original census --released noisy.csv")]
pub struct Verify {
    /// The certificate
    certificate: PathBuf,

    /// The attacker's file, or the name of a built-in data set
    #[arg(long, value_name = "FILE")]
    original: String,

    /// The released file
    #[arg(long, value_name = "FILE")]
    released: String,

    #[command(flatten)]
    files: Reading,

    /// How to print the result
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
}

impl Verify {
    /// Checks the certificate and says what it proves.
    pub fn run(&self) -> Result<ExitCode> {
        match self.verified() {
            Ok(verified) => self.show(&verified).map(|()| ExitCode::SUCCESS),
            Err(error) => {
                tell(&format!("error: {}", told(&error)));
                Ok(ExitCode::FAILURE)
            }
        }
    }

    fn verified(&self) -> Result<Vec<Verified>> {
        let io = |e| Error::io(&self.certificate, e);
        let certificate = File::open(&self.certificate).map_err(io)?;
        let original = self.files.load(&self.original)?;
        let released = self.files.load_release(&self.released, &original, &Renaming::new())?;
        let mut digests = vec![
            FileDigest::of("original", &self.original)?,
            FileDigest::of("released", &self.released)?,
        ];
        if let Some(project) = self.files.project_path(&self.original) {
            digests.push(FileDigest::of("project", &project.to_string_lossy())?);
        }
        verify(certificate, &original, &released, &digests)
    }

    fn show(&self, verified: &[Verified]) -> Result<()> {
        match self.format {
            Format::Json => print_json(&verified),
            Format::Text => verified.iter().try_for_each(|verified| print(verified.sentence())),
        }
    }
}
