//! The proof of a certificate, written while the search goes on.

use super::dive::DiveReport;
use super::trace::Trace;
use crate::certificate::{Encoder, End, Node, Step};
use crate::{BlockProblem, SolverError};
use flate2::Compression;
use flate2::write::GzEncoder;
use std::io::Write;

/// Where the proof is written to; nowhere without a certificate.
#[derive(Default)]
pub(crate) struct Record<'a> {
    proof: Option<Encoder<GzEncoder<Box<dyn Write + Send + 'a>>>>,
    /// Number of the next open box.
    next: u64,
}

fn failed(error: std::io::Error) -> SolverError {
    SolverError::Certificate { reason: error.to_string() }
}

impl<'a> Record<'a> {
    /// A proof that is written to `to`.
    pub fn to(to: &'a mut (dyn Write + Send)) -> Self {
        Self {
            proof: Some(Encoder::new(GzEncoder::new(Box::new(to), Compression::best()))),
            next: 0,
        }
    }

    pub fn is_kept(&self) -> bool {
        self.proof.is_some()
    }

    /// Writes what is known of the root boxes; returns their numbers from then on.
    pub fn roots(
        &mut self,
        problem: &BlockProblem,
        deaths: &[Vec<u32>],
    ) -> Result<Vec<u64>, SolverError> {
        let first = self.next;
        self.next += deaths.len() as u64;
        let mut numbers = Vec::with_capacity(deaths.len());
        for (number, deaths) in (first..).zip(deaths) {
            let mut trace = Trace::new(problem, self.is_kept());
            trace.begin(deaths);
            trace.end(End::Open);
            self.write(number, &trace.nodes)?;
            numbers.push(self.next);
            self.next += 1;
        }
        Ok(numbers)
    }

    /// Writes that the proof starts again, and dives into the root boxes.
    pub fn start_again(
        &mut self,
        problem: &BlockProblem,
        deaths: &[Vec<u32>],
        reports: &mut [DiveReport],
    ) -> Result<(), SolverError> {
        if let Some(proof) = &mut self.proof {
            proof.step(Step::StartAgain).map_err(failed)?;
        }
        let numbers = self.roots(problem, deaths)?;
        for (report, number) in reports.iter_mut().zip(numbers) {
            report.number = number;
            self.dive(report)?;
        }
        Ok(())
    }

    /// Writes the tree of a dive and numbers the boxes that it leaves open.
    pub fn dive(&mut self, report: &mut DiveReport) -> Result<(), SolverError> {
        self.write(report.number, &std::mem::take(&mut report.trace))?;
        for open in report.open.iter_mut().rev() {
            open.number = self.next;
            self.next += 1;
        }
        Ok(())
    }

    fn write(&mut self, number: u64, nodes: &[Node]) -> Result<(), SolverError> {
        let Some(proof) = &mut self.proof else { return Ok(()) };
        let written = proof.step(Step::Tree(number));
        written.and_then(|()| nodes.iter().try_for_each(|node| proof.node(node))).map_err(failed)
    }

    /// Writes the end of the proof.
    pub fn finish(&mut self) -> Result<(), SolverError> {
        let Some(mut proof) = self.proof.take() else { return Ok(()) };
        proof.step(Step::End).map_err(failed)?;
        proof.into_inner().finish().map(|_| ()).map_err(failed)
    }
}
