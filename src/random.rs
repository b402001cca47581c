//! Random generators that depend on a seed and a place, never on the order of threads.

use crate::error::{Error, Result};
use rand::rngs::SysRng;
use rand::{SeedableRng, TryRng};
use rand_chacha::ChaCha8Rng;

/// The generator of `seed` for stream `stream`: different streams are independent.
///
/// Work that is split (attributes, chunks of records, runs of an experiment)
/// gives each part a stream of its own, so the result is the same bytes on any
/// number of threads.
pub fn generator(seed: u64, stream: u64) -> ChaCha8Rng {
    let mut generator = ChaCha8Rng::seed_from_u64(seed);
    generator.set_stream(stream);
    generator
}

/// A seed from the system's source of randomness, of 63 bits: TOML holds no greater number.
pub fn drawn_seed() -> Result<u64> {
    let drawn = SysRng.try_next_u64();
    let failed = |e| Error::Internal(format!("the system gives no random numbers: {e}"));
    drawn.map(|bits| bits >> 1).map_err(failed)
}
