//! Several runs at once: each whole, none in place of another's, nobody accused for another.

use crate::fingerprints;
use crate::support::{success, unmask_in};
use std::io::Write;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::sync::Barrier;
use tempfile::TempDir;
use unmask::error::Error;
use unmask::files::{OutputFile, write_file, write_files};

fn started(folder: &Path, command: &str) -> Child {
    Command::new(env!("CARGO_BIN_EXE_unmask"))
        .args(command.split(' '))
        .current_dir(folder)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts")
}

/// Runs both commands at once.
fn at_once(folder: &Path, commands: [&str; 2]) -> [Output; 2] {
    commands.map(|command| started(folder, command)).map(|run| run.wait_with_output().unwrap())
}

#[test]
fn two_releases_of_one_plan_at_once_give_different_files_and_name_the_right_recipient() {
    for round in 0..12 {
        let folder = fingerprints::planned();
        let release = "fingerprint release plan.toml patients.csv --cluster-loss 2 --recipients";
        let [first, second] = ["graz -o a", "tokyo -o b"].map(|to| format!("{release} {to}"));
        at_once(folder.path(), [&first, &second]).iter().for_each(|run| drop(success(run)));
        let read = |name: &str| std::fs::read_to_string(folder.path().join(name)).unwrap();
        assert_ne!(read("a/graz.csv"), read("b/tokyo.csv"), "round {round}");
        for (file, name) in [("a/graz.csv", "graz"), ("b/tokyo.csv", "tokyo")] {
            let identify = ["fingerprint", "identify", "plan.toml", file];
            let found = success(&unmask_in(folder.path(), &identify));
            assert!(found.contains(&format!("\n{name}: exactly")), "round {round}: {found}");
        }
    }
}

/// Lets two threads do `job` at once, each with its letter.
fn by_two(job: &(dyn Fn(u8) -> bool + Sync)) -> [bool; 2] {
    let start = Barrier::new(2);
    std::thread::scope(|scope| {
        let job = |letter| {
            start.wait();
            job(letter)
        };
        let threads = [b'a', b'b'].map(|letter| scope.spawn(move || job(letter)));
        threads.map(|thread| thread.join().unwrap())
    })
}

#[test]
fn of_two_writers_of_one_file_one_wins_and_its_file_is_whole() {
    let folder = TempDir::new().unwrap();
    for round in 0..40 {
        let path = folder.path().join(round.to_string());
        for force in [false, true] {
            let wrote = by_two(&|letter| {
                let text = [letter; 50_000];
                let put =
                    |out: &mut dyn Write| out.write_all(&text).map_err(|e| Error::io(&path, e));
                write_file(&path, force, put).is_ok()
            });
            let bytes = std::fs::read(&path).unwrap();
            assert!(bytes.len() == 50_000 && bytes.iter().all(|b| *b == bytes[0]));
            let won = [b'a', b'b'].map(|letter| letter == bytes[0]);
            assert!(if force { wrote == [true; 2] } else { wrote == won }, "round {round}");
        }
    }
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 40, "nothing is left over");
}

#[test]
fn of_two_writers_of_several_files_all_are_of_one() {
    let folder = TempDir::new().unwrap();
    let paths = ["1", "2", "3"].map(|name| folder.path().join(name));
    for round in 0..40 {
        let wrote = by_two(&|letter| {
            let bytes = [letter; 10];
            let file = |path| OutputFile { path, bytes: &bytes, private: false };
            write_files(&paths.each_ref().map(|path| file(path.as_path())), round > 0).is_ok()
        });
        let all: Vec<u8> = paths.iter().flat_map(|path| std::fs::read(path).unwrap()).collect();
        assert!(all.len() == 30 && all.iter().all(|byte| *byte == all[0]), "round {round}");
        assert!(wrote == [true; 2] || round == 0 && wrote[0] != wrote[1], "round {round}");
    }
}
