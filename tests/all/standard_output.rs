//! What is printed arrives, or the exit code says that it did not.
#![cfg(target_os = "linux")]

use crate::fingerprints;
use std::fs::File;
use std::path::Path;
use std::process::{Command, Stdio};

/// Commands that print something, in the folder of the worked example.
const COMMANDS: [&str; 24] = [
    "--help",
    "--version",
    "protect --help",
    "protect --list",
    "protect mdav tiny.csv --k 3 -o out.csv --force",
    "protect mdav tiny.csv --k 3 -o out.csv --force --format json",
    "protect anti-unification labels.csv --k 2 --confidential class --indifferent 1 -o g.csv \
     --force",
    "utility tiny.csv tiny.csv",
    "utility tiny.csv tiny.csv --format json",
    "link --list",
    "link --original tiny.csv --released tiny.csv",
    "audit --original tiny.csv --released tiny.csv",
    "keys --original tiny.csv --released tiny.csv",
    "export-milp --original tiny.csv --released tiny.csv \
     -o model.lp --force",
    "measure patients.csv --quasi sex",
    "classify --train patients.csv --class sex --attributes disease",
    "lattice search patients.csv --hierarchies h --quasi sex --k 2",
    "lattice enumerate patients.csv --hierarchies h --quasi sex --k 2 -o nodes.csv --force",
    "fingerprint plan patients.csv --hierarchies h --k 2 -o new.toml --force",
    "fingerprint release plan.toml patients.csv --recipients a -o files --force",
    "fingerprint identify plan.toml files/a.csv",
    "experiment list study.toml",
    "data",
    "completions bash",
];

fn unmask(folder: &Path, command: &str) -> Command {
    let mut program = Command::new(env!("CARGO_BIN_EXE_unmask"));
    program.args(command.split_whitespace()).current_dir(folder).stderr(Stdio::piped());
    program
}

fn full() -> File {
    File::options().write(true).open("/dev/full").expect("Linux has it")
}

#[test]
fn output_that_cannot_be_written_is_an_error_and_a_reader_that_has_gone_is_none() {
    let folder = fingerprints::planned();
    let labels = "a,b,class\nu,v,x\nu,w,x\n";
    std::fs::write(folder.path().join("labels.csv"), labels).unwrap();
    let tiny = "x,y\n1,5\n2,9\n4,6\n7,1\n9,3\n11,2\n";
    std::fs::write(folder.path().join("tiny.csv"), tiny).unwrap();
    let study = "kind = \"information-loss\"\ntitle = \"T\"\ncitation = \"N\"\n\
                 [[file]]\ndata = \"tarragona\"\nk = [3]\npublished = [1]\n";
    std::fs::write(folder.path().join("study.toml"), study).unwrap();
    for command in COMMANDS {
        let output = unmask(folder.path(), command).stdout(full()).output().unwrap();
        let error = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{command}: {error}");
        assert!(error.contains("standard output: No space left"), "{command}: {error}");
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let output = unmask(folder.path(), command).stdout(writer).output().unwrap();
        let error = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success() && error.is_empty(), "{command}: {error}");
    }
}

#[test]
fn an_error_that_cannot_be_told_keeps_its_exit_code() {
    let folder = fingerprints::planned();
    for command in ["utility no-file census", "utility", "protect mdav census --k 3 -o no/out.csv"]
    {
        let status = unmask(folder.path(), command).stderr(full()).status().unwrap();
        assert_eq!(status.code(), Some(2), "{command}");
    }
}
