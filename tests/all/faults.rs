//! Writing that fails or is killed at any step: whole old files or whole new ones, and nothing
//! left over. Builds without debug assertions cannot be made to fail.
#![cfg(all(unix, debug_assertions))]

use crate::fingerprints;
use crate::support::{refusal, success, unmask_in};
use std::collections::BTreeMap;
use std::fs::DirEntry;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::sync::OnceLock;
use tempfile::TempDir;

/// Every file under a folder, by its name, with what is in it.
type Contents = BTreeMap<String, Vec<u8>>;

/// A command that writes, and the folder it is typed in.
struct Case {
    folder: fn() -> TempDir,
    command: &'static str,
    /// Files whose bytes differ from run to run: a whole one counts as `whole`.
    varying: &'static [&'static str],
}

const CASES: [Case; 5] = [
    Case {
        folder: with_old_release,
        command: "protect mdav in.csv --k 2 -o out.csv --force",
        varying: &[],
    },
    Case {
        folder: with_old_release,
        command: "protect anti-unification in.csv --k 2 --confidential class --attributes a,b \
                  --categorical a,b --indifferent 1 -o new.csv",
        varying: &[],
    },
    Case {
        folder: with_old_release,
        command: "audit --original in.csv --released released.csv --attributes a,b \
                  --report old.json --report new.md --certificate proof.unmask --force",
        varying: &["old.json", "new.md", "proof.unmask"],
    },
    Case { folder: fingerprints::planned, command: RELEASE, varying: &[] },
    Case { folder: with_old_deliveries, command: RELEASE_AGAIN, varying: &[] },
];

const RELEASE: &str = "fingerprint release plan.toml patients.csv --recipients a,b -o files";
const RELEASE_AGAIN: &str =
    "fingerprint release plan.toml patients.csv --recipients a,b -o files --force";

/// A file to protect, and files of an earlier release in the place of the new one.
fn with_old_release() -> TempDir {
    let folder = TempDir::new().unwrap();
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    write("in.csv", "a,b,class\n1,5,x\n2,5,x\n3,9,y\n4,9,y\n5,5,x\n6,2,y\n");
    write("released.csv", "a,b,class\n1.5,5,x\n2,6.5,x\n3,9.1,y\n4.2,7,y\n5,1.4,x\n6.3,2,y\n");
    for name in ["out.csv", "out.csv.recipe.toml", "old.json"] {
        write(name, "old");
    }
    folder
}

/// A plan, and a folder with files of another release.
fn with_old_deliveries() -> TempDir {
    let folder = fingerprints::planned();
    std::fs::create_dir(folder.path().join("files")).unwrap();
    for name in ["files/a.csv", "files/other.csv"] {
        std::fs::write(folder.path().join(name), "old").unwrap();
    }
    folder
}

fn faulty(folder: &Path, command: &str, fault: &str) -> Command {
    let mut program = Command::new(env!("CARGO_BIN_EXE_unmask"));
    program.args(command.split_whitespace()).current_dir(folder).env("UNMASK_FAULT", fault);
    program
}

fn contents(folder: &Path, case: &Case) -> Contents {
    let (mut all, mut folders) = (Contents::new(), vec![folder.to_owned()]);
    while let Some(next) = folders.pop() {
        for entry in std::fs::read_dir(next).unwrap() {
            let path = entry.unwrap().path();
            let name = path.strip_prefix(folder).unwrap().display().to_string();
            match path.is_dir() {
                true => folders.push(path),
                false => drop(all.insert(name, std::fs::read(path).unwrap())),
            }
        }
    }
    for name in case.varying {
        all.entry((*name).to_owned()).and_modify(|bytes| shorten(name, bytes));
    }
    all
}

/// A whole file as `whole`.
fn shorten(name: &str, bytes: &mut Vec<u8>) {
    let is_whole = match name.rsplit('.').next() {
        Some("json") => serde_json::from_slice::<serde_json::Value>(bytes).is_ok(),
        _ => bytes.ends_with(b"\n") || name.ends_with(".unmask"),
    };
    if is_whole && bytes != b"old" {
        *bytes = b"whole".to_vec();
    }
}

fn told(output: &Output) -> bool {
    String::from_utf8_lossy(&output.stderr).contains("fault: ")
}

/// What is there before and after a run without a fault.
fn before_and_after(case: &Case) -> (Contents, Contents) {
    let folder = (case.folder)();
    let old = contents(folder.path(), case);
    success(&unmask_in(folder.path(), &case.command.split_whitespace().collect::<Vec<_>>()));
    let new = contents(folder.path(), case);
    assert_ne!(old, new);
    (old, new)
}

fn fails_at_every_step(case: &Case) {
    let (old, new) = before_and_after(case);
    for n in 1.. {
        let folder = (case.folder)();
        let output = faulty(folder.path(), case.command, &format!("fail:{n}")).output().unwrap();
        let left = contents(folder.path(), case);
        let error = String::from_utf8_lossy(&output.stderr);
        match output.status.code() {
            Some(0) => assert!(left == new, "step {n}: {:?} {error}", left.keys()),
            Some(2) => assert!(left == old, "step {n}: {:?} {error}", left.keys()),
            other => panic!("step {n}: {other:?} {error}"),
        }
        if !told(&output) {
            assert!(n > 10 && output.status.success(), "{n} steps");
            return;
        }
    }
}

#[test]
fn a_release_that_fails_at_any_step_leaves_everything_as_it_was() {
    fails_at_every_step(&CASES[0]);
}

#[test]
fn four_files_that_fail_at_any_step_are_all_there_or_none() {
    fails_at_every_step(&CASES[1]);
}

#[test]
fn reports_and_certificate_that_fail_at_any_step_are_all_there_or_none() {
    fails_at_every_step(&CASES[2]);
}

#[test]
fn fingerprints_that_fail_at_any_step_are_delivered_and_recorded_or_neither() {
    fails_at_every_step(&CASES[3]);
    fails_at_every_step(&CASES[4]);
}

/// After `kill -9` at every step (`kill`), or a disk that fails from there on so that nothing can
/// be put back either (`break`), and another command that writes there: what `is_fine` says.
fn ended_by(fault: &str, case: &Case, is_fine: &dyn Fn(&Contents, &Contents, &Contents) -> bool) {
    let (old, new) = before_and_after(case);
    let mut seen_new = false;
    for n in 1.. {
        let folder = (case.folder)();
        let output = faulty(folder.path(), case.command, &format!("{fault}:{n}")).output().unwrap();
        if !told(&output) {
            assert!(n > 10 && seen_new && output.status.success(), "{n} steps");
            return;
        }
        for place in [".", "files"].iter().filter(|place| folder.path().join(place).is_dir()) {
            let other = format!("{place}/other-output.csv");
            let other_input = folder.path().join("other.csv");
            std::fs::write(&other_input, "x\n1\n2\n3\n").unwrap();
            let another = ["protect", "mdav", "other.csv", "--k", "3", "--no-recipe", "-o", &other];
            success(&unmask_in(folder.path(), &another));
            std::fs::remove_file(other_input).unwrap();
            std::fs::remove_file(folder.path().join(other)).unwrap();
        }
        let left = contents(folder.path(), case);
        seen_new |= left == new;
        assert!(is_fine(&left, &old, &new), "{fault} at step {n}: {:?}", left.keys());
    }
}

#[test]
fn files_of_a_run_that_is_cut_short_are_all_old_or_all_new_after_the_next_run_there() {
    let is_whole = |left: &Contents, old: &Contents, new: &Contents| left == old || left == new;
    CASES[..3].iter().for_each(|case| ended_by("kill", case, &is_whole));
    ended_by("break", &CASES[0], &is_whole);
}

#[test]
fn nothing_of_a_release_that_is_cut_short_appears_that_the_plan_does_not_know() {
    let is_recorded_first = |left: &Contents, old: &Contents, new: &Contents| {
        let mut recorded = old.clone();
        recorded.insert("plan.toml".into(), new["plan.toml"].clone());
        // List and deliveries lie in different folders.
        let mut listed = recorded.clone();
        listed.insert("plan.patterns.toml".into(), new["plan.patterns.toml"].clone());
        [old, new, &recorded, &listed].contains(&left)
    };
    CASES[3..].iter().for_each(|case| ended_by("kill", case, &is_recorded_first));
    ended_by("break", &CASES[4], &is_recorded_first);
}

#[test]
fn after_a_killed_release_nobody_gets_what_another_may_have() {
    let release = |who: &str, to: &str| {
        let release = "fingerprint release plan.toml patients.csv --cluster-loss 2";
        format!("{release} --recipients {who} -o {to}")
    };
    for n in 1.. {
        let folder = fingerprints::planned();
        let first = release("graz", "first");
        let output = faulty(folder.path(), &first, &format!("kill:{n}")).output().unwrap();
        let run = |command: &str| {
            success(&unmask_in(folder.path(), &command.split_whitespace().collect::<Vec<_>>()))
        };
        run(&release("tokyo", "second"));
        run(&release("graz", "third"));
        let read = |name: &str| std::fs::read_to_string(folder.path().join(name)).ok();
        assert_ne!(read("second/tokyo.csv"), read("third/graz.csv"), "step {n}");
        let delivered = read("first/graz.csv");
        assert!(delivered.is_none() || delivered == read("third/graz.csv"), "step {n}");
        for (file, name) in [("second/tokyo.csv", "tokyo"), ("third/graz.csv", "graz")] {
            let found = run(&format!("fingerprint identify plan.toml {file}"));
            assert!(found.contains(&format!("\n{name}: exactly")), "step {n}: {found}");
        }
        if !told(&output) {
            return;
        }
    }
}

/// An experiment whose results are of fewer cells than it has now; they are made once.
fn with_old_results() -> TempDir {
    static OLD: OnceLock<Vec<(String, Vec<u8>)>> = OnceLock::new();
    let folder = TempDir::new().unwrap();
    let results = folder.path().join("results/study/table");
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    std::fs::create_dir(folder.path().join("study")).unwrap();
    let rows: String = (0..30).map(|i| format!("{},{}\n", i * i % 17, i * 7 % 23)).collect();
    write("data.csv", &format!("x,y\n{rows}"));
    let old = OLD.get_or_init(|| {
        write("study/table.toml", &information_loss("[3]", "[1]"));
        success(&unmask_in(folder.path(), &EXPERIMENT.split(' ').collect::<Vec<_>>()));
        let files = std::fs::read_dir(&results).unwrap().map(|file| file.unwrap());
        let name = |file: &DirEntry| file.file_name().into_string().unwrap();
        files.map(|file| (name(&file), std::fs::read(file.path()).unwrap())).collect()
    });
    std::fs::create_dir_all(&results).unwrap();
    old.iter().for_each(|(name, bytes)| std::fs::write(results.join(name), bytes).unwrap());
    write("study/table.toml", &information_loss("[3, 5]", "[1, 2]"));
    folder
}

fn information_loss(k: &str, published: &str) -> String {
    format!(
        "kind = \"information-loss\"\ntitle = \"A test\"\ncitation = \"Nobody\"\n\
         [[file]]\ndata = \"data.csv\"\nk = {k}\npublished = {published}\n"
    )
}

const EXPERIMENT: &str = "experiment run study/table.toml";

#[test]
fn results_that_fail_or_are_killed_at_any_step_are_all_old_or_all_new() {
    let varying = &["results/study/table/environment.toml", "results/study/table/timing.csv"];
    let case = Case { folder: with_old_results, command: EXPERIMENT, varying };
    let (old, new) = before_and_after(&case);
    let again: Vec<&str> = EXPERIMENT.split(' ').collect();
    let journal = format!("results/study/table/{}", unmask::experiment::journal::FILE_NAME);
    for n in 1.. {
        let mut is_done = true;
        for fault in ["fail", "kill"] {
            let folder = with_old_results();
            let run = faulty(folder.path(), EXPERIMENT, &format!("{fault}:{n}")).output().unwrap();
            is_done &= !told(&run);
            if fault == "fail" {
                let mut left = contents(folder.path(), &case);
                left.remove(&journal);
                let expected = if run.status.success() { &new } else { &old };
                assert!(left == *expected, "step {n}: {:?}", left.keys());
            }
            success(&unmask_in(folder.path(), &again));
            let left = contents(folder.path(), &case);
            assert!(left == new, "{fault} at step {n}: {:?}", left.keys());
        }
        if is_done {
            assert!(n > 10, "{n} steps");
            return;
        }
    }
}

/// A run that stands still at a step; dropped, it is killed.
struct Standing(Child);

impl Drop for Standing {
    fn drop(&mut self) {
        // One that has ended is none the worse for it.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn standing(folder: &Path, command: &str, step: usize) -> Standing {
    let mut run = faulty(folder, command, &format!("wait:{step}"));
    let run = run.stderr(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap();
    let (mut run, mut line) = (Standing(run), String::new());
    BufReader::new(run.0.stderr.take().unwrap()).read_line(&mut line).unwrap();
    assert_eq!(line, "fault: write\n");
    run
}

fn hidden(folder: &Path) -> usize {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name());
    entries.filter(|name| name.to_string_lossy().starts_with(".unmask-")).count()
}

#[test]
fn what_a_killed_run_left_is_removed_and_what_a_living_one_writes_is_not() {
    let folder = TempDir::new().unwrap();
    let command = |to: &str| format!("protect mdav tarragona --k 3 -o {to} --no-recipe");
    // Each where it writes; the second looks at what the first has begun.
    let living = standing(folder.path(), &command("a.csv"), 4);
    let killed = standing(folder.path(), &command("b.csv"), 8);
    assert_eq!(hidden(folder.path()), 2);
    drop(killed);
    success(&unmask_in(folder.path(), &command("c.csv").split(' ').collect::<Vec<_>>()));
    assert_eq!(hidden(folder.path()), 1, "the living one's");
    drop(living);
    let again =
        refusal(&unmask_in(folder.path(), &command("c.csv").split(' ').collect::<Vec<_>>()));
    assert!(again.contains("--force"), "{again}");
    assert_eq!(hidden(folder.path()), 0);
}

#[test]
fn what_another_machine_left_is_removed_after_a_day() {
    let folder = TempDir::new().unwrap();
    let old = std::time::SystemTime::now() - std::time::Duration::from_secs(25 * 60 * 60);
    for (name, age) in [(".unmask-01234567-aB3xYz.part", None), (".unmask-aB3xYz.part", Some(old))]
    {
        std::fs::create_dir(folder.path().join(name)).unwrap();
        std::fs::write(folder.path().join(name).join("0"), "unfinished").unwrap();
        let made = std::fs::File::open(folder.path().join(name)).unwrap();
        age.into_iter().for_each(|age| made.set_modified(age).unwrap());
    }
    success(&unmask_in(
        folder.path(),
        &["protect", "mdav", "tarragona", "--k", "3", "-o", "out.csv"],
    ));
    assert_eq!(hidden(folder.path()), 1, "the young one's");
}

#[test]
fn a_planted_record_moves_nothing_out_of_its_folder() {
    let outside = TempDir::new().unwrap();
    let folder = outside.path().join("inside");
    let hidden = folder.join(".unmask-aB3xYz.part");
    std::fs::create_dir_all(&hidden).unwrap();
    std::fs::write(outside.path().join("precious"), "mine").unwrap();
    std::fs::write(hidden.join("0"), "theirs").unwrap();
    let moves = serde_json::json!([{
        "from": { "Unix": b"0" }, "to": { "Unix": b"../precious" }, "replace": true
    }]);
    std::fs::write(hidden.join("moves.json"), moves.to_string()).unwrap();
    let old = std::time::SystemTime::now() - std::time::Duration::from_secs(25 * 60 * 60);
    std::fs::File::open(&hidden).unwrap().set_modified(old).unwrap();
    success(&unmask_in(&folder, &["protect", "mdav", "tarragona", "--k", "3", "-o", "out.csv"]));
    assert!(!hidden.exists());
    assert_eq!(std::fs::read_to_string(outside.path().join("precious")).unwrap(), "mine");
}
