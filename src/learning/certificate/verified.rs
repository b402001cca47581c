//! Checking certificates against the files they are about.

use super::recipe::Recipe;
use super::rows::CheckedRows;
use crate::dataset::Dataset;
use crate::error::{Error, Result};
use crate::files::FileDigest;
use crate::learning::Count;
use serde::Serialize;
use std::io::{ErrorKind, Read};
use unmask_solvers::certificate::{self, CertificateError, Proven};

/// What a certificate proves about its files.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Verified {
    /// What is compared.
    pub attributes: Vec<String>,
    /// The scale of numbers.
    pub scale: String,
    /// What is counted.
    pub count: Count,
    /// Records that are looked for.
    pub records: usize,
    /// True when these are some of all.
    pub chosen: bool,
    /// True when both files were cut to them.
    pub cut: bool,
    /// What the weights of the certificate reach.
    pub found: f64,
    /// What no weights exceed.
    pub upper_bound: f64,
    /// Those weights.
    pub weights: Vec<f64>,
    /// Steps of the proof.
    pub nodes: u64,
}

/// Confirms every certificate of a file, in exact arithmetic, about these files.
///
/// The inequalities are made anew from the data. Fails on the first thing that is not so: another
/// file, a claim about other records, a step that does not hold.
///
/// Cost: each inequality once, and each that the proof rests on as often as it does. Memory: the
/// boxes that the search had open at a time.
pub fn verify(
    from: impl Read,
    original: &Dataset,
    released: &Dataset,
    files: &[FileDigest],
) -> Result<Vec<Verified>> {
    let mut certificates = certificate::Certificates::open(from);
    let mut verified = Vec::new();
    while let Some(next) = certificates.next().map_err(refused)? {
        let recipe: Recipe = serde_json::from_str(&next.claim.recipe).map_err(|e| {
            Error::input("the certificate", format!("its recipe is malformed: {e}"))
        })?;
        recipe.check_files(files)?;
        let release = recipe.release(original.clone(), released.clone())?;
        let rows = recipe.rows(&release)?;
        let unit = rows.gains(&())?.per_record();
        if unit != recipe.unit {
            let problem = format!("its unit of gains is {}, these files give {unit}", recipe.unit);
            return Err(Error::input("the certificate", problem));
        }
        let proven = next.verify(&CheckedRows::new(&rows, &())?).map_err(refused)?;
        verified.push(Verified::new(recipe, release.records(), proven, unit));
    }
    match verified.is_empty() {
        true => Err(refused(CertificateError::Malformed("there is no certificate in it"))),
        false => Ok(verified),
    }
}

fn refused(error: CertificateError) -> Error {
    if let CertificateError::Read(cause) = &error
        && cause.kind() == ErrorKind::UnexpectedEof
    {
        return Error::input("the certificate", "proves nothing: it ends too early");
    }
    Error::input("the certificate", format!("proves nothing: {error}"))
}

impl Verified {
    fn new(recipe: Recipe, records: usize, proven: Proven, unit: u64) -> Self {
        let claim = proven.claim;
        let in_records = |gain: u64| gain as f64 / unit as f64;
        Self {
            chosen: recipe.sample.is_some() || recipe.targets.is_some(),
            cut: recipe.sample.is_some(),
            attributes: recipe.attributes.into_iter().map(|a| a.name).collect(),
            scale: recipe.scale,
            count: recipe.count,
            records,
            found: in_records(claim.found),
            upper_bound: in_records(claim.total_gain - claim.bound),
            weights: claim.weights,
            nodes: proven.nodes,
        }
    }

    /// What is proven, in one sentence.
    pub fn sentence(&self) -> String {
        let attributes = match self.attributes.as_slice() {
            [one] => format!("the attribute {one}"),
            several => format!("these {} attributes ({})", several.len(), several.join(", ")),
        };
        let scale = match self.scale.as_str() {
            "own" => "each file in its own scale",
            "original" => "in the original's scale",
            _ => "values as they are",
        };
        let shared = match self.count {
            Count::Certain => "",
            Count::Expected => " (one whose own is alike to t - 1 others counts 1/t)",
        };
        let chosen = match (self.chosen, self.cut) {
            (false, _) => "records",
            (true, false) => "chosen records",
            (true, true) => "chosen records, both files cut to them,",
        };
        let reached = match self.found == self.upper_bound {
            true => "the certificate's weights reach that".to_owned(),
            false => format!("the certificate's weights reach {}", rounded_down(self.found)),
        };
        format!(
            "For all weights on {attributes}, {scale}, at most {} of {} {chosen} are nearer to \
             their own released record than to every other one{shared}; {reached}.",
            rounded_up(self.upper_bound),
            self.records
        )
    }
}

/// Digits after the point that a sentence shows.
const SHOWN: f64 = 1000.0;

fn rounded_up(records: f64) -> f64 {
    rounded(records, f64::ceil)
}

fn rounded_down(records: f64) -> f64 {
    rounded(records, f64::floor)
}

/// What needs no rounding stays as it is: 0.035 times 1000 is above 35 in doubles.
fn rounded(records: f64, to_whole: fn(f64) -> f64) -> f64 {
    match (records * SHOWN).round() / SHOWN {
        nearest if nearest == records => nearest,
        _ => to_whole(records * SHOWN) / SHOWN,
    }
}
