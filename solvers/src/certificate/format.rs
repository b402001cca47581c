//! The parts of a certificate and how they are written: see `docs/certificate.md`.

use super::CertificateError;
use super::number::{Edge, MOST_EXPONENT};
use num_bigint::BigUint;
use std::collections::HashMap;
use std::io::{Read, Write};

/// A row of a problem: that of a block, by its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RowName {
    /// The block.
    pub block: u32,
    /// What the row is called in its block.
    pub name: u32,
}

/// Rows that, each times its positive multiplier, sum to at most 0 all over a box: they cannot
/// all hold.
pub type Conflict = Vec<(RowName, BigUint)>;

/// What follows in a proof.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// Nothing: it is complete.
    End,
    /// The proof once more from the start: what came before is void, and the root boxes get the
    /// next numbers.
    StartAgain,
    /// The tree below the box of this number.
    Tree(u64),
}

/// What is said about one box.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Node {
    /// Rows that are nowhere above 0 in the box: their blocks are dead.
    pub deaths: Vec<RowName>,
    /// Conflicts in the box.
    pub conflicts: Vec<Conflict>,
    /// A fractional packing of the conflicts: a denominator and a numerator for each.
    pub shares: Option<(u64, Vec<u64>)>,
    /// Groups of blocks that exclude each other in pairs.
    pub groups: Vec<Vec<u32>>,
    /// Strips cut off the box, one after the other.
    pub cuts: Vec<Cut>,
    /// What becomes of the rest.
    pub end: End,
}

/// A strip of a box in which enough blocks are dead.
#[derive(Debug, Clone, PartialEq)]
pub struct Cut {
    /// The weight that the strip is bounded in.
    pub weight: u32,
    /// Whether the strip is at the upper end.
    pub upper: bool,
    /// Where it is cut off.
    pub at: Edge,
    /// Rows that are nowhere above 0 in the strip.
    pub deaths: Vec<RowName>,
}

/// What becomes of a box.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum End {
    /// Nothing more is said.
    #[default]
    Leaf,
    /// It gets the next number, under which it may be looked at later.
    Open,
    /// It follows once more.
    Again,
    /// The parts where a weight is at most, and at least, a number follow.
    Split {
        /// The weight.
        weight: u32,
        /// The number.
        at: Edge,
        /// Whether the part above follows first.
        upper_first: bool,
    },
    /// For each of these weights, as bits, the part where it is at its upper bound follows, the
    /// highest weight first; only rows without entries for other weights are used in them.
    Faces(u64),
    /// It is decided by cases.
    Cases(Case),
}

/// A case: of the blocks of its conflict, those not taken to hold are violated one at a time.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Case {
    /// Empty where the blocks that are violated by now are enough.
    pub conflict: Conflict,
    /// For each block the case that it is violated while those before it hold.
    pub branches: Vec<(u32, Case)>,
}

/// Cases within cases beyond this are refused.
const MOST_CASES: usize = 512;

/// Writes nodes; each row in full where it first occurs, later by its number.
pub struct Encoder<W> {
    to: W,
    rows: HashMap<RowName, u64>,
}

impl<W: Write> Encoder<W> {
    /// Writes to `to`.
    pub fn new(to: W) -> Self {
        Self { to, rows: HashMap::new() }
    }

    /// What was written to.
    pub fn into_inner(self) -> W {
        self.to
    }

    /// Writes a number, seven bits a byte, the lowest first; all but the last byte have the
    /// highest bit set.
    pub fn number(&mut self, mut value: u64) -> std::io::Result<()> {
        while value > 127 {
            self.to.write_all(&[value as u8 | 128])?;
            value >>= 7;
        }
        self.to.write_all(&[value as u8])
    }

    /// Writes what follows.
    pub fn step(&mut self, step: Step) -> std::io::Result<()> {
        self.number(match step {
            Step::End => 0,
            Step::StartAgain => 1,
            Step::Tree(number) => number + 2,
        })
    }

    /// Writes bytes as they are.
    pub fn bytes(&mut self, bytes: &[u8]) -> std::io::Result<()> {
        self.to.write_all(bytes)
    }

    fn large_number(&mut self, value: &BigUint) -> std::io::Result<()> {
        let digits = value.to_radix_le(128);
        let last = digits.len() - 1;
        let bytes: Vec<u8> =
            digits.iter().enumerate().map(|(i, d)| d | if i < last { 128 } else { 0 }).collect();
        self.to.write_all(&bytes)
    }

    fn edge(&mut self, edge: Edge) -> std::io::Result<()> {
        self.number(edge.mantissa)?;
        self.number((edge.exponent << 1 ^ edge.exponent >> 63) as u64)
    }

    fn row(&mut self, row: RowName) -> std::io::Result<()> {
        let next = self.rows.len() as u64 + 1;
        match *self.rows.entry(row).or_insert(next) {
            new if new == next => {
                self.number(0)?;
                self.number(row.block.into())?;
                self.number(row.name.into())
            }
            known => self.number(known),
        }
    }

    /// Writes rows with their number.
    pub fn rows(&mut self, rows: &[RowName]) -> std::io::Result<()> {
        self.number(rows.len() as u64)?;
        rows.iter().try_for_each(|row| self.row(*row))
    }

    fn conflict(&mut self, conflict: &Conflict) -> std::io::Result<()> {
        self.number(conflict.len() as u64)?;
        conflict.iter().try_for_each(|(row, multiplier)| {
            self.row(*row)?;
            self.large_number(multiplier)
        })
    }

    /// Writes a node.
    pub fn node(&mut self, node: &Node) -> std::io::Result<()> {
        let parts = [
            !node.deaths.is_empty(),
            !node.conflicts.is_empty(),
            node.shares.is_some(),
            !node.groups.is_empty(),
            !node.cuts.is_empty(),
        ];
        let end = match node.end {
            End::Leaf => 0,
            End::Open => 1,
            End::Again => 2,
            End::Split { .. } => 3,
            End::Faces(_) => 4,
            End::Cases(_) => 5,
        };
        let flags: u64 = parts.iter().enumerate().map(|(i, part)| u64::from(*part) << i).sum();
        self.number(flags * 8 + end)?;
        if parts[0] {
            self.rows(&node.deaths)?;
        }
        if parts[1] {
            self.number(node.conflicts.len() as u64)?;
            node.conflicts.iter().try_for_each(|conflict| self.conflict(conflict))?;
        }
        if let Some((denominator, shares)) = &node.shares {
            self.number(*denominator)?;
            shares.iter().try_for_each(|share| self.number(*share))?;
        }
        if parts[3] {
            self.number(node.groups.len() as u64)?;
            for group in &node.groups {
                self.number(group.len() as u64)?;
                group.iter().try_for_each(|block| self.number((*block).into()))?;
            }
        }
        if parts[4] {
            self.number(node.cuts.len() as u64)?;
            node.cuts.iter().try_for_each(|cut| self.cut(cut))?;
        }
        self.end(&node.end)
    }

    fn cut(&mut self, cut: &Cut) -> std::io::Result<()> {
        self.number(u64::from(cut.weight) * 2 + u64::from(cut.upper))?;
        self.edge(cut.at)?;
        self.rows(&cut.deaths)
    }

    fn end(&mut self, end: &End) -> std::io::Result<()> {
        match end {
            End::Leaf | End::Open | End::Again => Ok(()),
            End::Split { weight, at, upper_first } => {
                self.number(u64::from(*weight) * 2 + u64::from(*upper_first))?;
                self.edge(*at)
            }
            End::Faces(weights) => self.number(*weights),
            End::Cases(case) => self.case(case),
        }
    }

    fn case(&mut self, case: &Case) -> std::io::Result<()> {
        self.conflict(&case.conflict)?;
        self.number(case.branches.len() as u64)?;
        case.branches.iter().try_for_each(|(block, case)| {
            self.number((*block).into())?;
            self.case(case)
        })
    }
}

/// Reads what [`Encoder`] writes.
pub struct Decoder<R> {
    from: R,
    rows: Vec<RowName>,
}

type Decoded<T> = Result<T, CertificateError>;

impl<R: Read> Decoder<R> {
    /// Reads from `from`.
    pub fn new(from: R) -> Self {
        Self { from, rows: Vec::new() }
    }

    /// What was read from.
    pub fn into_inner(self) -> R {
        self.from
    }

    /// Reads that many bytes.
    pub fn bytes<const N: usize>(&mut self) -> Decoded<[u8; N]> {
        let mut bytes = [0; N];
        self.from.read_exact(&mut bytes)?;
        Ok(bytes)
    }

    /// Reads a number of at most 64 bits.
    pub fn number(&mut self) -> Decoded<u64> {
        let mut value = 0;
        for shift in (0..64).step_by(7) {
            let [byte] = self.bytes()?;
            if shift == 63 && byte > 1 {
                break;
            }
            value |= u64::from(byte & 127) << shift;
            if byte < 128 {
                return Ok(value);
            }
        }
        Err(CertificateError::Malformed("a number of more than 64 bits"))
    }

    /// Reads what follows.
    pub fn step(&mut self) -> Decoded<Step> {
        Ok(match self.number()? {
            0 => Step::End,
            1 => Step::StartAgain,
            number => Step::Tree(number - 2),
        })
    }

    /// Reads a number of at most 32 bits.
    fn small_number(&mut self) -> Decoded<u32> {
        let large = |_| CertificateError::Malformed("a number of more than 32 bits");
        u32::try_from(self.number()?).map_err(large)
    }

    fn large_number(&mut self) -> Decoded<BigUint> {
        let mut digits = Vec::new();
        loop {
            let [byte] = self.bytes()?;
            digits.push(byte & 127);
            if byte < 128 {
                return Ok(BigUint::from_radix_le(&digits, 128).unwrap_or_default());
            }
            if digits.len() as i64 > MOST_EXPONENT {
                return Err(CertificateError::Malformed("a multiplier without end"));
            }
        }
    }

    fn edge(&mut self) -> Decoded<Edge> {
        let (mantissa, code) = (self.number()?, self.number()?);
        let exponent = (code >> 1) as i64 ^ -((code & 1) as i64);
        match exponent.unsigned_abs() > MOST_EXPONENT.unsigned_abs() {
            true => Err(CertificateError::Malformed("a bound beyond all measure")),
            false => Ok(Edge { mantissa, exponent }),
        }
    }

    fn row(&mut self) -> Decoded<RowName> {
        let number = self.number()?;
        if number == 0 {
            let row = RowName { block: self.small_number()?, name: self.small_number()? };
            self.rows.push(row);
            return Ok(row);
        }
        let unknown = CertificateError::Malformed("a row that did not occur before");
        self.rows.get(number as usize - 1).copied().ok_or(unknown)
    }

    fn list<T>(&mut self, item: impl Fn(&mut Self) -> Decoded<T>) -> Decoded<Vec<T>> {
        let count = self.number()?;
        (0..count).map(|_| item(self)).collect()
    }

    /// Reads rows with their number.
    pub fn rows(&mut self) -> Decoded<Vec<RowName>> {
        self.list(Self::row)
    }

    fn conflict(&mut self) -> Decoded<Conflict> {
        self.list(|from| Ok((from.row()?, from.large_number()?)))
    }

    /// Reads a node.
    pub fn node(&mut self) -> Decoded<Node> {
        let code = self.number()?;
        let has = |part: u64| code >> (3 + part) & 1 == 1;
        let mut node = Node::default();
        if code >> 8 != 0 {
            return Err(CertificateError::Malformed("a node of an unknown kind"));
        }
        if has(0) {
            node.deaths = self.rows()?;
        }
        if has(1) {
            node.conflicts = self.list(Self::conflict)?;
        }
        if has(2) {
            let denominator = self.number()?;
            let shares = node.conflicts.iter().map(|_| self.number()).collect::<Decoded<_>>()?;
            node.shares = Some((denominator, shares));
        }
        if has(3) {
            node.groups = self.list(|from| from.list(Self::small_number))?;
        }
        if has(4) {
            node.cuts = self.list(Self::cut)?;
        }
        node.end = self.end(code & 7)?;
        Ok(node)
    }

    fn cut(&mut self) -> Decoded<Cut> {
        let code = self.small_number()?;
        let (at, deaths) = (self.edge()?, self.rows()?);
        Ok(Cut { weight: code >> 1, upper: code & 1 == 1, at, deaths })
    }

    fn end(&mut self, kind: u64) -> Decoded<End> {
        Ok(match kind {
            0 => End::Leaf,
            1 => End::Open,
            2 => End::Again,
            3 => {
                let code = self.small_number()?;
                End::Split { weight: code >> 1, at: self.edge()?, upper_first: code & 1 == 1 }
            }
            4 => End::Faces(self.number()?),
            5 => End::Cases(self.case(0)?),
            _ => return Err(CertificateError::Malformed("a box with an unknown end")),
        })
    }

    fn case(&mut self, depth: usize) -> Decoded<Case> {
        if depth > MOST_CASES {
            return Err(CertificateError::Malformed("cases within cases without end"));
        }
        let conflict = self.conflict()?;
        let branches = self.list(|from| Ok((from.small_number()?, from.case(depth + 1)?)))?;
        Ok(Case { conflict, branches })
    }
}
