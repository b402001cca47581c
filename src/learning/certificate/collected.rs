//! What searches prove, collected for a file.

use super::recipe::Recipe;
use super::rows::CheckedRows;
use crate::error::{Error, Result};
use crate::files::{self, Batch, FileDigest};
use crate::learning::{Aggregation, Learner, PairRows, SolverChoice};
use crate::linkage::Release;
use std::io::Seek;
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};
use tempfile::SpooledTempFile;
use unmask_solvers::certificate::Claim;
use unmask_solvers::{BlockProblem, SolveOutcome};

/// The files that certificates are about, and how records belong together.
#[derive(Debug, Clone)]
pub struct CertifiedFiles {
    /// Original, released file and, if one was read, project.
    pub digests: Vec<FileDigest>,
    /// The column that says which records belong together; without one, rows correspond.
    pub key: Option<String>,
    /// Columns that have other names in the release, as RELEASED=ORIGINAL.
    pub rename: Vec<String>,
    /// Records of the released file.
    pub released_records: usize,
}

impl CertifiedFiles {
    /// True for a release whose files were cut to a sample.
    pub(super) fn is_cut(&self, whole: &Release) -> bool {
        whole.released().records() != self.released_records
    }
}

/// Certificates of the searches of a [`Learner`], until they are closed; then a file of them.
///
/// Searches write their proofs while they go on, to memory up to a few megabytes and to a temporary
/// file beyond.
#[derive(Debug)]
pub struct Certificates {
    files: CertifiedFiles,
    collected: Mutex<Collected>,
}

#[derive(Debug, Default)]
struct Collected {
    closed: bool,
    /// Claims with their proofs.
    parts: Vec<(Vec<u8>, SpooledTempFile)>,
}

/// Inequalities that a check looks at, at most: about a quarter of an hour on two cores.
const MOST_INEQUALITIES: usize = 1_000_000_000;

/// Proofs up to this size are kept in memory.
const KEPT: usize = 1 << 24;

/// The proof of a search under way.
pub(in crate::learning) struct Proof<'a> {
    certificates: &'a Certificates,
    pub written: SpooledTempFile,
}

impl Certificates {
    /// None yet.
    pub fn new(files: CertifiedFiles) -> Self {
        Self { files, collected: Mutex::default() }
    }

    /// Fails where a certificate could not be written of what this learner does.
    pub fn check(learner: &Learner<'_>) -> Result<()> {
        if learner.solver != SolverChoice::Exact {
            let problem = "but only the exact search writes certificates; take `solver` exact";
            return Err(Error::parameter("solver", format!("{:?}", learner.solver), problem));
        }
        if learner.aggregation != Aggregation::WeightedMean {
            let problem = "but ordered distances are rounded before they are ordered, and a \
                           certificate is about exact ones; take `aggregation` weighted-mean";
            return Err(Error::parameter("aggregation", "owa", problem));
        }
        Ok(())
    }

    /// Fails where nobody would wait for the check: it looks at each of so many inequalities.
    pub(in crate::learning) fn check_size(inequalities: usize) -> Result<()> {
        if inequalities <= MOST_INEQUALITIES {
            return Ok(());
        }
        let problem = format!(
            "but a check of the certificate would look at {inequalities} inequalities, each without \
             rounding, and those of up to {MOST_INEQUALITIES} take minutes; look for a `sample`"
        );
        Err(Error::parameter("certificate", "asked for", problem))
    }

    /// Lets searches that begin from now on write no certificates.
    pub fn close(&self) {
        self.lock().closed = true;
    }

    /// True as long as no search came to anything.
    pub fn is_empty(&self) -> bool {
        self.lock().parts.is_empty()
    }

    /// Writes the certificates to a file for its owner alone: they tell of single records.
    ///
    /// Fails when there is none: no search came to anything.
    pub fn write(&self, path: &Path, force: bool) -> Result<()> {
        files::check_writable(path, force)?;
        let mut outputs = Batch::new();
        self.add_to(&mut outputs, path, force)?;
        outputs.commit()
    }

    /// As [`Certificates::write`], among other files that are written together.
    pub fn add_to(&self, outputs: &mut Batch, path: &Path, force: bool) -> Result<()> {
        let mut collected = self.lock();
        if collected.parts.is_empty() {
            return Err(Error::Interrupted);
        }
        outputs.file(path, force, true, |out| {
            for (claim, proof) in &mut collected.parts {
                let copied = out.write_all(claim).and_then(|()| proof.rewind());
                let copied = copied.and_then(|()| std::io::copy(proof, out));
                copied.map_err(|e| Error::io(path, e))?;
            }
            Ok(())
        })
    }

    /// A proof to be written, unless they are closed.
    pub(in crate::learning) fn begin(&self) -> Option<Proof<'_>> {
        let written = SpooledTempFile::new(KEPT);
        (!self.lock().closed).then_some(Proof { certificates: self, written })
    }

    fn lock(&self) -> MutexGuard<'_, Collected> {
        self.collected.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Proof<'_> {
    /// Adds the certificate of what was found by it.
    pub fn add(
        self,
        rows: &PairRows<'_>,
        learner: &Learner<'_>,
        problem: &BlockProblem,
        outcome: &SolveOutcome,
    ) -> Result<()> {
        let recipe = Recipe::of(rows, &self.certificates.files, learner.standardization, &())?;
        let text = serde_json::to_string(&recipe).map_err(|e| Error::Internal(e.to_string()))?;
        let claim = Claim::of(outcome, problem, &CheckedRows::new(rows, &())?, &text);
        let mut bytes = Vec::new();
        claim.write(&mut bytes).map_err(|e| Error::Internal(e.to_string()))?;
        self.certificates.lock().parts.push((bytes, self.written));
        Ok(())
    }
}
