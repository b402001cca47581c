//! Sets of small numbers, as bits.

/// A set of positions below a fixed length.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Bits(Vec<u64>);

impl Bits {
    pub fn new(length: usize) -> Self {
        Self(vec![0; length.div_ceil(64)])
    }

    pub fn full(length: usize) -> Self {
        let mut bits = Self::new(length);
        (0..length).for_each(|i| bits.set(i));
        bits
    }

    pub fn get(&self, i: usize) -> bool {
        self.0[i / 64] >> (i % 64) & 1 == 1
    }

    pub fn set(&mut self, i: usize) {
        self.0[i / 64] |= 1 << (i % 64);
    }

    pub fn clear(&mut self, i: usize) {
        self.0[i / 64] &= !(1 << (i % 64));
    }

    pub fn count(&self) -> u32 {
        self.0.iter().map(|w| w.count_ones()).sum()
    }

    pub fn first(&self) -> Option<usize> {
        let word = self.0.iter().position(|w| *w != 0)?;
        Some(64 * word + self.0[word].trailing_zeros() as usize)
    }

    pub fn remove(&mut self, other: &Self) {
        self.0.iter_mut().zip(&other.0).for_each(|(a, b)| *a &= !b);
    }

    pub fn is_empty(&self) -> bool {
        self.0.iter().all(|w| *w == 0)
    }

    /// How many positions are in both sets.
    pub fn common(&self, other: &Self) -> u32 {
        self.0.iter().zip(&other.0).map(|(a, b)| (a & b).count_ones()).sum()
    }

    /// The positions, ascending.
    pub fn iter(&self) -> impl Iterator<Item = usize> + '_ {
        (0..64 * self.0.len()).filter(|&i| self.get(i))
    }
}
