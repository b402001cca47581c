//! Projects, and files that are read by them.
#![no_main]

use libfuzzer_sys::fuzz_target;
use unmask::dataset::Dataset;
use unmask::project::Project;
use unmask_fuzz::{PEOPLE, written_and_read};

fuzz_target!(|text: &str| {
    let Ok(project) = Project::from_toml(text, "t.toml") else { return };
    let mut options = project.read_options();
    options.schema.of_release = true;
    if let Ok(file) = Dataset::from_csv("t.csv", PEOPLE.as_bytes(), &options) {
        written_and_read(&file, &options, "t.csv");
    }
});
