//! Numbers and texts in bytes.

/// A place in bytes, in either order of theirs. Every call gives `None` where they end.
#[derive(Clone)]
pub(super) struct Bytes<'a> {
    bytes: &'a [u8],
    at: usize,
    /// The highest byte of a number comes first.
    pub big_endian: bool,
}

impl<'a> Bytes<'a> {
    /// The first of `bytes`.
    pub fn new(bytes: &'a [u8], big_endian: bool) -> Self {
        Self { bytes, at: 0, big_endian }
    }

    /// How many were read.
    pub fn position(&self) -> usize {
        self.at
    }

    /// How many are left.
    pub fn left(&self) -> usize {
        self.bytes.len() - self.at
    }

    /// Those that are left.
    pub fn rest(&self) -> &'a [u8] {
        &self.bytes[self.at..]
    }

    /// The next `length`.
    pub fn take(&mut self, length: usize) -> Option<&'a [u8]> {
        let taken = self.rest().get(..length)?;
        self.at += length;
        Some(taken)
    }

    /// Passes `expected`; `None` when something else is there.
    pub fn expect(&mut self, expected: &[u8]) -> Option<()> {
        (self.rest().starts_with(expected)).then(|| self.at += expected.len())
    }

    fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        let mut array: [u8; N] = self.take(N)?.try_into().ok()?;
        if self.big_endian {
            array.reverse();
        }
        Some(array)
    }

    /// A number of one byte.
    pub fn u8(&mut self) -> Option<u8> {
        self.array().map(u8::from_le_bytes)
    }

    /// A number of two bytes.
    pub fn u16(&mut self) -> Option<u16> {
        self.array().map(u16::from_le_bytes)
    }

    /// A number of four bytes.
    pub fn u32(&mut self) -> Option<u32> {
        self.array().map(u32::from_le_bytes)
    }

    /// A number of four bytes with a sign.
    pub fn i32(&mut self) -> Option<i32> {
        self.array().map(i32::from_le_bytes)
    }

    /// A number of eight bytes.
    pub fn u64(&mut self) -> Option<u64> {
        self.array().map(u64::from_le_bytes)
    }

    /// A float of eight bytes.
    pub fn f64(&mut self) -> Option<f64> {
        self.array().map(f64::from_le_bytes)
    }

    /// A length of four bytes.
    pub fn length(&mut self) -> Option<usize> {
        self.u32().and_then(|length| usize::try_from(length).ok())
    }
}

/// `bytes` up to the first that is 0.
pub(super) fn until_zero(bytes: &[u8]) -> &[u8] {
    bytes.split(|byte| *byte == 0).next().unwrap_or_default()
}
