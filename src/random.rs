//! Random generators that depend on a seed and a place, never on the order of threads.

use rand::SeedableRng;
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
