//! Pairs of blocks that exclude each other in a box, as a matrix of bits.
//!
//! Two blocks that cannot both be satisfied in a box cannot in any part of it,
//! so a child starts from the pairs of its parent.

/// A square matrix of bits, kept symmetric by its users.
#[derive(Debug, Clone, Default)]
pub(crate) struct BitMatrix {
    words: usize,
    bits: Vec<u64>,
}

impl BitMatrix {
    pub fn new(size: usize) -> Self {
        let words = size.div_ceil(64);
        Self { words, bits: vec![0; size * words] }
    }

    pub fn row(&self, i: usize) -> &[u64] {
        &self.bits[i * self.words..(i + 1) * self.words]
    }

    /// Number of ones of a row.
    pub fn degree(&self, i: usize) -> u32 {
        self.row(i).iter().map(|w| w.count_ones()).sum()
    }

    /// Sets both halves.
    pub fn join(&mut self, i: usize, j: usize) {
        self.bits[i * self.words + j / 64] |= 1 << (j % 64);
        self.bits[j * self.words + i / 64] |= 1 << (i % 64);
    }

    /// Joins all members of a set with each other.
    pub fn join_all(&mut self, members: &[u64]) {
        for i in ones(members) {
            let row = &mut self.bits[i * self.words..(i + 1) * self.words];
            row.iter_mut().zip(members).for_each(|(r, m)| *r |= m);
        }
    }
}

/// Positions of the ones of a bitset.
pub(crate) fn ones(set: &[u64]) -> impl Iterator<Item = usize> + '_ {
    set.iter().enumerate().flat_map(|(w, word)| {
        let mut rest = *word;
        std::iter::from_fn(move || {
            let bit = rest.trailing_zeros();
            (rest != 0).then(|| {
                rest &= rest - 1;
                64 * w + bit as usize
            })
        })
    })
}

/// Exclusive pairs among some blocks of the problem.
#[derive(Debug, Clone, Default)]
pub(crate) struct Pairs {
    /// Numbers of the blocks in the root table, ascending.
    blocks: Vec<u32>,
    pub exclusive: BitMatrix,
}

impl Pairs {
    /// No pair known among these blocks.
    pub fn unknown(blocks: Vec<u32>) -> Self {
        let exclusive = BitMatrix::new(blocks.len());
        Self { blocks, exclusive }
    }

    /// The pairs of those of these blocks, ascending too, that are among `blocks`.
    pub fn among(&self, blocks: Vec<u32>) -> Self {
        let place = |b: &u32| self.blocks.binary_search(b).ok();
        let places: Vec<Option<usize>> = blocks.iter().map(place).collect();
        let mut now = vec![None; self.blocks.len()];
        for (i, before) in places.iter().enumerate() {
            before.iter().for_each(|before| now[*before] = Some(i));
        }
        let mut pairs = Self::unknown(blocks);
        for (i, before) in places.iter().enumerate() {
            let Some(before) = before else { continue };
            let partners = ones(self.exclusive.row(*before)).filter_map(|j| now[j]);
            partners.filter(|j| *j < i).for_each(|j| pairs.exclusive.join(i, j));
        }
        pairs
    }

    /// Memory it takes, in words of eight bytes.
    pub fn words(&self) -> usize {
        self.exclusive.bits.len() + self.blocks.len() / 2
    }
}
