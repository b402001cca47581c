//! The committed files are what pandas, pyarrow and pyreadstat write, and those read what we write.
//!
//! Needs Python and its package index, so it is asked for: `make test-formats`.

use std::path::{Path, PathBuf};
use std::process::Command;
use tempfile::TempDir;
use unmask::dataset::{Dataset, ReadOptions};

/// Runs a program; gives what it printed.
fn run(program: &Path, arguments: &[&Path]) -> String {
    let output = Command::new(program).args(arguments).output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{}: {text}{errors}", program.display());
    text
}

/// The Python of a fresh environment that has the packages.
fn python(environment: &Path, scripts: &Path) -> PathBuf {
    run(Path::new("python3"), &[Path::new("-m"), Path::new("venv"), environment]);
    let folder = if cfg!(windows) { "Scripts" } else { "bin" };
    let python = environment.join(folder).join("python");
    let requirements = scripts.join("requirements.txt");
    let install = ["-m", "pip", "install", "--quiet", "--requirement"].map(Path::new);
    run(&python, &[&install[..], &[&requirements]].concat());
    python
}

fn load(folder: &Path, file: &str) -> Dataset {
    Dataset::load(folder.join(file).to_str().unwrap(), &ReadOptions::default()).unwrap()
}

#[test]
#[ignore = "installs Python packages: make test-formats"]
fn the_committed_files_are_what_other_programs_write_and_they_read_what_we_write() {
    let scripts = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/formats");
    let (files, folder) = (scripts.join("files"), TempDir::new().unwrap());
    let python = python(&folder.path().join("environment"), &scripts);
    let made = folder.path().join("made");
    run(&python, &[&scripts.join("make.py"), &made]);
    for entry in std::fs::read_dir(&files).unwrap() {
        let file = entry.unwrap().file_name().into_string().unwrap();
        // Files hold the time at which they were made, so what is read of them is compared.
        assert_eq!(load(&made, &file).attributes(), load(&files, &file).attributes(), "{file}");
    }
    let count = |folder: &Path| std::fs::read_dir(folder).unwrap().count();
    assert_eq!(count(&made), count(&files));

    let written = folder.path().join("written");
    std::fs::create_dir(&written).unwrap();
    let records = load(&files, "records.parquet");
    for file in ["tsv", "csv.gz", "parquet", "arrow"] {
        records.save(&written.join(format!("released.{file}")), false).unwrap();
    }
    load(&files, "records.dta").save(&written.join("released.dta"), false).unwrap();
    for file in ["types.parquet", "types.arrow"] {
        load(&files, file).save(&written.join(file), false).unwrap();
    }
    let said = run(&python, &[&scripts.join("check.py"), &written, &files]);
    assert_eq!(said.trim(), "all formats agree");
}
