//! Checking certificates against the files they are about.

use super::recipe::Recipe;
use super::rows::CheckedRows;
use crate::dataset::Dataset;
use crate::distance::SuppressedReading;
use crate::error::{Error, Result};
use crate::files::FileDigest;
use crate::learning::Count;
use crate::linkage::Release;
use crate::words::listed;
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
    /// Released records that they are looked for in, where both files were cut.
    pub cut: Option<usize>,
    /// The column that says which records belong together; without one, rows correspond.
    pub key: Option<String>,
    /// Columns that have other names in the release, as RELEASED=ORIGINAL.
    pub rename: Vec<String>,
    /// What a suppressed or missing cell is, where there are some.
    pub reading: Option<SuppressedReading>,
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
    while let Some(next) = certificates.read_next().map_err(refused)? {
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
        verified.push(Verified::new(recipe, &release, proven)?);
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
    fn new(recipe: Recipe, release: &Release, proven: Proven) -> Result<Self> {
        let claim = proven.claim;
        let in_records = |gain: u64| gain as f64 / recipe.unit as f64;
        let attributes: Vec<String> = recipe.attributes.into_iter().map(|a| a.name).collect();
        let read = release.readings(&attributes)?.len() > 1;
        Ok(Self {
            chosen: recipe.sample.is_some() || recipe.targets.is_some(),
            cut: recipe.sample.map(|sample| sample.len()),
            key: recipe.key,
            rename: recipe.rename,
            reading: read.then_some(recipe.reading),
            attributes,
            scale: recipe.scale,
            count: recipe.count,
            records: release.records(),
            found: in_records(claim.found),
            upper_bound: in_records(claim.total_gain - claim.bound),
            weights: claim.weights,
            nodes: proven.nodes,
        })
    }

    /// What is proven, in one sentence.
    pub fn sentence(&self) -> String {
        let attributes = match self.attributes.as_slice() {
            [one] => format!("the attribute {one}"),
            several => format!("these {} attributes ({})", several.len(), listed(several)),
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
            (false, _) => "records".to_owned(),
            (true, None) => "chosen records".to_owned(),
            (true, Some(all)) if all == self.records => {
                "chosen records, both files cut to them,".to_owned()
            }
            (true, Some(all)) => format!("chosen records, both files cut to {all},"),
        };
        let own = match &self.key {
            Some(key) => format!("of the same {key}"),
            None => "in the same row".to_owned(),
        };
        let renamed = match self.rename.is_empty() {
            true => String::new(),
            false => format!(", columns renamed {:?}", self.rename),
        };
        let read = match self.reading {
            None => "",
            Some(SuppressedReading::MatchesAll) => ", a suppressed cell being any value",
            Some(SuppressedReading::OwnValue) => ", a suppressed cell being a value of its own",
            Some(SuppressedReading::Study) => ", suppressed cells as published studies have them",
        };
        let reached = match self.found == self.upper_bound {
            true => "the certificate's weights reach that".to_owned(),
            false => format!("the certificate's weights reach {}", rounded_down(self.found)),
        };
        format!(
            "For all weights on {attributes}, {scale}{renamed}{read}, at most {} of {} {chosen} are \
             nearer to their own released record (the one {own}) than to every other one{shared}; \
             {reached}.",
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dataset::Attribute;
    use unmask_solvers::certificate::Claim;

    /// A proof without steps.
    const END: [u8; 21] =
        [31, 139, 8, 0, 0, 0, 0, 0, 0, 255, 99, 0, 0, 141, 239, 2, 210, 1, 0, 0, 0];

    /// Two columns of numbers.
    fn file(columns: [[f64; 3]; 2]) -> Dataset {
        let attributes = ["a", "b"].into_iter().zip(columns);
        let attributes = attributes.map(|(name, c)| Attribute::numeric(name, c.to_vec()).unwrap());
        Dataset::new("a file", attributes.collect()).unwrap()
    }

    /// What is proven by a claim of `records` records that satisfy all, with `changes` of a recipe
    /// about files of these checksums.
    fn verified(changes: &str, records: u64, files: &[FileDigest]) -> Result<Vec<Verified>> {
        let original = file([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]);
        let compared =
            |name| format!(r#"{{"name":"{name}","kind":"numbers","map":[1,0],"factor":1}}"#);
        let defaults = [
            ("files", "[]".to_owned()),
            ("key", "null".to_owned()),
            ("rename", "[]".to_owned()),
            ("sample", "null".to_owned()),
            ("targets", "null".to_owned()),
            ("attributes", format!("[{}]", compared("a"))),
            ("scale", r#""none""#.to_owned()),
            ("reading", r#""study""#.to_owned()),
            ("count", r#""certain""#.to_owned()),
            ("unit", "1".to_owned()),
        ];
        let kept = defaults.iter().filter(|(name, _)| !changes.contains(name));
        let mut fields: Vec<String> =
            kept.map(|(name, json)| format!(r#""{name}":{json}"#)).collect();
        fields.extend((!changes.is_empty()).then(|| changes.to_owned()));
        let claim = Claim {
            recipe: format!("{{{}}}", fields.join(",")),
            blocks: records,
            total_gain: records,
            weights: vec![1.0],
            found: records,
            ..Claim::default()
        };
        let mut bytes = Vec::new();
        claim.write(&mut bytes).unwrap();
        bytes.extend(END);
        verify(&bytes[..], &original, &original, files)
    }

    #[test]
    fn a_sentence_says_which_records_belong_together_and_what_was_left_out() {
        let sentence = |changes, records| verified(changes, records, &[]).unwrap()[0].sentence();
        let all = sentence("", 3);
        assert!(all.contains("at most 3 of 3 records are nearer"), "{all}");
        assert!(all.contains("(the one in the same row)"), "{all}");
        let keyed = sentence(r#""key":"b""#, 3);
        assert!(keyed.contains("(the one of the same b)"), "{keyed}");
        let cut = sentence(r#""sample":[0,2],"targets":[2]"#, 1);
        assert!(cut.contains("1 of 1 chosen records, both files cut to 2,"), "{cut}");
        let renamed = sentence(r#""rename":["b=c"]"#, 3);
        assert!(renamed.contains(r#"columns renamed ["b=c"]"#), "{renamed}");
    }

    #[test]
    fn records_that_are_named_twice_prove_nothing() {
        for changes in [r#""sample":[0,0,2]"#, r#""targets":[1,1,1]"#, r#""targets":[2,1,0]"#] {
            assert!(verified(changes, 3, &[]).is_err(), "{changes}");
        }
    }

    #[test]
    fn a_certificate_that_names_no_files_proves_nothing_about_some() {
        let given = FileDigest { role: "released", file: "a file".into(), sha256: "x".into() };
        let refused = verified("", 3, &[given]).unwrap_err().to_string();
        assert!(refused.contains("names no released file"), "{refused}");
    }
}
