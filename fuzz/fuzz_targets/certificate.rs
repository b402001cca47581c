//! Certificates, which are packed here: none panics the checker, and none says that more is found
//! than can be.
#![no_main]

use flate2::Compression;
use flate2::read::GzEncoder;
use libfuzzer_sys::fuzz_target;
use std::io::Read;
use std::sync::OnceLock;
use unmask::dataset::Dataset;
use unmask::files::FileDigest;
use unmask::learning::certificate::verify;
use unmask_fuzz::{certified, enter_folder};

static FILES: OnceLock<(Dataset, Dataset, Vec<FileDigest>)> = OnceLock::new();

fuzz_target!(
    init: {
        enter_folder();
        FILES.get_or_init(|| certified(&std::env::current_dir().expect("it was entered")));
    },
    |input: &[u8]| {
        let (original, released, digests) = FILES.get().expect("it was made at the start");
        let mut packed = Vec::new();
        let packing = GzEncoder::new(input, Compression::none()).read_to_end(&mut packed);
        packing.expect("memory takes it");
        for proven in verify(&packed[..], original, released, digests).into_iter().flatten() {
            assert!(proven.found <= proven.upper_bound);
        }
    }
);
