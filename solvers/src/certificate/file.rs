//! The file: what is claimed, and then the proof.

use super::format::{Decoder, Encoder, RowName};
use super::number::Row;
use super::{CertificateError, RowSource};
use crate::{BlockProblem, SolveOutcome};
use flate2::Compression;
use flate2::bufread::MultiGzDecoder;
use flate2::write::GzEncoder;
use std::io::{BufRead, BufReader, Read, Write};

/// First line of every certificate.
const TITLE: &str = "unmask certificate 1";

/// The longest recipe that is read.
const MOST_BYTES: u64 = 1 << 24;

/// What a certificate says, without the proof.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Claim {
    /// How the rows are made: one line of text, for whoever makes them.
    pub recipe: String,
    /// Number of blocks.
    pub blocks: u64,
    /// Sum of the gains of all blocks.
    pub total_gain: u64,
    /// Least gain of the blocks that any weights violate.
    pub bound: u64,
    /// Weights, at least 0 and not all 0.
    pub weights: Vec<f64>,
    /// Gain of the blocks that these weights satisfy.
    pub found: u64,
    /// Rows without an entry above 0: no weights satisfy their blocks.
    pub dead: Vec<RowName>,
}

impl Claim {
    /// What a solver found and proved of a problem that has these rows, or the most binding of
    /// them; `recipe` is one line.
    pub fn of(
        outcome: &SolveOutcome,
        problem: &BlockProblem,
        rows: &dyn RowSource,
        recipe: &str,
    ) -> Self {
        let fails = |b: usize, name: &u32| {
            rows.row(b, *name).is_some_and(|row| Row::new(&row).never_holds())
        };
        let dead = (0..problem.blocks()).filter(|b| problem.is_dead(*b)).filter_map(|b| {
            let name = rows.names(b).into_iter().find(|name| fails(b, name))?;
            Some(RowName { block: b as u32, name })
        });
        Self {
            recipe: recipe.to_owned(),
            blocks: rows.blocks() as u64,
            total_gain: outcome.total_gain(),
            bound: outcome.bound(),
            weights: outcome.weights().to_vec(),
            found: outcome.satisfied_gain(),
            dead: dead.collect(),
        }
    }

    /// Writes the claim as the first part of a file, which the proof follows.
    pub fn write(&self, to: impl Write) -> std::io::Result<()> {
        let mut zip = GzEncoder::new(to, Compression::best());
        writeln!(zip, "{TITLE}\n{}", self.recipe)?;
        let mut to = Encoder::new(zip);
        let numbers = [self.weights.len() as u64, self.blocks, self.total_gain, self.bound];
        numbers.into_iter().try_for_each(|number| to.number(number))?;
        self.weights.iter().try_for_each(|weight| to.bytes(&weight.to_le_bytes()))?;
        to.number(self.found)?;
        to.rows(&self.dead)?;
        to.into_inner().finish()?.flush()
    }

    fn read(from: &mut impl BufRead) -> Result<Self, CertificateError> {
        let recipe = read_lines(from)?;
        let mut from = Decoder::new(from);
        let [weights, blocks, total_gain, bound] =
            [from.number()?, from.number()?, from.number()?, from.number()?];
        if weights > 64 {
            return Err(CertificateError::Malformed("more than 64 weights"));
        }
        let weight = |_| Ok(f64::from_le_bytes(from.bytes()?));
        let weights = (0..weights).map(weight).collect::<Result<_, CertificateError>>()?;
        let (found, dead) = (from.number()?, from.rows()?);
        Ok(Self { recipe, blocks, total_gain, bound, weights, found, dead })
    }

    /// Fails unless it is about the problem that has these rows.
    pub(super) fn check_problem(&self, rows: &dyn RowSource) -> Result<(), CertificateError> {
        let gain = (0..rows.blocks()).map(|b| rows.gain(b)).sum();
        let facts = [
            ("weights", self.weights.len() as u64, rows.weights() as u64),
            ("blocks", self.blocks, rows.blocks() as u64),
            ("as gain of all blocks", self.total_gain, gain),
        ];
        let other = facts.into_iter().find(|(_, certificate, files)| certificate != files);
        other.map_or(Ok(()), |(what, certificate, files)| {
            Err(CertificateError::Other { what, certificate, files })
        })
    }
}

fn read_lines(from: &mut impl BufRead) -> Result<String, CertificateError> {
    let mut lines = [String::new(), String::new()];
    for line in &mut lines {
        from.by_ref().take(MOST_BYTES).read_line(line)?;
    }
    let [title, recipe] = lines.each_ref().map(|line| line.strip_suffix('\n'));
    match (title, recipe) {
        (Some(TITLE), Some(recipe)) => Ok(recipe.to_owned()),
        _ => Err(CertificateError::Malformed("it does not begin as a certificate does")),
    }
}

/// A file may unpack to so many times its size, and [`ALWAYS`] bytes: proofs come to a few times.
const MOST_TIMES: u64 = 64;

/// What any file may unpack to.
const ALWAYS: u64 = 1 << 20;

/// Reads what is zipped; fails where a small file unpacks without end, since each box and each row in
/// it takes memory.
pub struct Unzip<R: Read> {
    from: MultiGzDecoder<BufReader<Counted<R>>>,
    unpacked: u64,
}

/// Counts the bytes that are read.
struct Counted<R> {
    from: R,
    bytes: u64,
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, to: &mut [u8]) -> std::io::Result<usize> {
        let read = self.from.read(to)?;
        self.bytes += read as u64;
        Ok(read)
    }
}

impl<R: Read> Read for Unzip<R> {
    fn read(&mut self, to: &mut [u8]) -> std::io::Result<usize> {
        let read = self.from.read(to)?;
        self.unpacked += read as u64;
        let packed = self.from.get_ref().get_ref().bytes;
        match self.unpacked > ALWAYS + MOST_TIMES * packed {
            true => Err(std::io::Error::other("it unpacks to far more than its size")),
            false => Ok(read),
        }
    }
}

type Unzipped<R> = BufReader<Unzip<R>>;

/// The certificates of a file, one after the other.
pub struct Certificates<R: Read> {
    from: Unzipped<R>,
}

/// A certificate, opened: the claim, and the proof as it is read.
pub struct Certificate<'a, R: Read> {
    /// What it says.
    pub claim: Claim,
    /// What proves it.
    pub proof: Decoder<&'a mut Unzipped<R>>,
}

impl<R: Read> Certificates<R> {
    /// The certificates of a file.
    pub fn open(from: R) -> Self {
        let from = MultiGzDecoder::new(BufReader::new(Counted { from, bytes: 0 }));
        Self { from: BufReader::new(Unzip { from, unpacked: 0 }) }
    }

    /// The next one, after the proof of the one before is read; none at the end of the file.
    pub fn read_next(&mut self) -> Result<Option<Certificate<'_, R>>, CertificateError> {
        if self.from.fill_buf()?.is_empty() {
            return Ok(None);
        }
        let claim = Claim::read(&mut self.from)?;
        Ok(Some(Certificate { claim, proof: Decoder::new(&mut self.from) }))
    }
}
