//! Class keys: the codes of all quasi-identifiers side by side in one sortable number.

/// Where the code of one quasi-identifier lies in a key.
#[derive(Debug, Clone, Copy)]
pub(super) struct Field {
    /// Which word, the most significant first.
    word: usize,
    shift: u32,
    /// As many ones as the field has bits.
    mask: u64,
}

/// Fields for codes below each of `sizes`, the first most significant, and how many words
/// they take.
pub(super) fn fields(sizes: &[usize]) -> (Vec<Field>, usize) {
    let bits = |size: usize| (usize::BITS - size.saturating_sub(1).leading_zeros()).max(1);
    let (mut word, mut free) = (0, u64::BITS);
    let mut fields = Vec::with_capacity(sizes.len());
    for &size in sizes {
        let width = bits(size);
        if width > free {
            (word, free) = (word + 1, u64::BITS);
        }
        free -= width;
        fields.push(Field { word, shift: free, mask: u64::MAX >> (u64::BITS - width) });
    }
    (fields, word + 1)
}

/// Codes in a sortable whole.
pub(super) trait Key: Copy + Ord + Send + Sync {
    /// All codes 0.
    const ZERO: Self;
    /// The code in `field`.
    fn code(self, field: Field) -> u32;
    /// The key with another code in `field`.
    fn with(self, field: Field, code: u32) -> Self;
    /// The key with `field` and everything less significant set to 0.
    fn before(self, field: Field) -> Self;
}

impl Key for u64 {
    const ZERO: Self = 0;

    fn code(self, field: Field) -> u32 {
        (self >> field.shift & field.mask) as u32
    }

    fn with(self, field: Field, code: u32) -> Self {
        self & !(field.mask << field.shift) | u64::from(code) << field.shift
    }

    fn before(self, field: Field) -> Self {
        let ones = field.mask << field.shift;
        // Everything below the field is below its lowest bit.
        self & !(ones | ((1 << field.shift) - 1))
    }
}

/// More codes than 64 bits hold.
pub(super) type Wide<const WORDS: usize> = [u64; WORDS];

impl<const WORDS: usize> Key for Wide<WORDS> {
    const ZERO: Self = [0; WORDS];

    fn code(self, field: Field) -> u32 {
        self[field.word].code(field)
    }

    fn with(mut self, field: Field, code: u32) -> Self {
        self[field.word] = self[field.word].with(field, code);
        self
    }

    fn before(mut self, field: Field) -> Self {
        self[field.word] = self[field.word].before(field);
        self[field.word + 1..].fill(0);
        self
    }
}
