//! What files are replaced, by what, and what never is.
#![cfg(unix)]

use crate::fingerprints;
use crate::support::{refusal, success, unmask_in};
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::Path;
use tempfile::TempDir;

fn run(folder: &Path, command: &str) -> std::process::Output {
    unmask_in(folder, &command.split_whitespace().collect::<Vec<_>>())
}

fn protect(folder: &Path, to: &str) -> std::process::Output {
    run(folder, &format!("protect mdav census --k 3 --no-recipe -o {to} --force"))
}

fn read(folder: &TempDir, name: &str) -> String {
    std::fs::read_to_string(folder.path().join(name)).unwrap()
}

fn set_mode(folder: &TempDir, name: &str, mode: u32) {
    let mode = std::fs::Permissions::from_mode(mode);
    std::fs::set_permissions(folder.path().join(name), mode).unwrap();
}

fn mode(folder: &TempDir, name: &str) -> u32 {
    std::fs::metadata(folder.path().join(name)).unwrap().mode() & 0o777
}

#[test]
fn only_regular_files_are_replaced() {
    let folder = TempDir::new().unwrap();
    let pipe = folder.path().join("pipe.csv");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let _socket = std::os::unix::net::UnixListener::bind(folder.path().join("socket.csv")).unwrap();
    symlink("/dev/null", folder.path().join("device.csv")).unwrap();
    for name in ["pipe.csv", "socket.csv", "device.csv"] {
        let before = std::fs::symlink_metadata(folder.path().join(name)).unwrap().ino();
        let error = refusal(&protect(folder.path(), name));
        assert!(error.contains(&format!("{name}: is a device, pipe or socket")), "{error}");
        let after = std::fs::symlink_metadata(folder.path().join(name)).unwrap().ino();
        assert_eq!(before, after, "{name}");
    }
    std::fs::create_dir(folder.path().join("folder.csv")).unwrap();
    assert!(refusal(&protect(folder.path(), "folder.csv")).contains("is a folder"));
}

#[test]
fn a_link_stays_and_the_file_it_leads_to_is_replaced() {
    let folder = TempDir::new().unwrap();
    std::fs::create_dir(folder.path().join("real")).unwrap();
    std::fs::write(folder.path().join("real/file.csv"), "old").unwrap();
    symlink("real/file.csv", folder.path().join("link.csv")).unwrap();
    symlink("link.csv", folder.path().join("second.csv")).unwrap();
    success(&protect(folder.path(), "second.csv"));
    assert!(
        folder.path().join("link.csv").is_symlink()
            && folder.path().join("second.csv").is_symlink()
    );
    assert!(read(&folder, "real/file.csv").starts_with("AFNLWGT"));
    symlink("nothing", folder.path().join("dangling.csv")).unwrap();
    for force in ["", "--force"] {
        let command = "protect mdav census --k 3 --no-recipe -o dangling.csv";
        let error = refusal(&run(folder.path(), &format!("{command} {force}")));
        assert!(error.contains("is a link that leads nowhere"), "{error}");
    }
    assert!(!folder.path().join("nothing").exists());
}

#[test]
fn another_name_of_a_replaced_file_keeps_the_old_content() {
    let folder = TempDir::new().unwrap();
    std::fs::write(folder.path().join("a.csv"), "old").unwrap();
    std::fs::hard_link(folder.path().join("a.csv"), folder.path().join("b.csv")).unwrap();
    success(&protect(folder.path(), "a.csv"));
    assert_eq!(read(&folder, "b.csv"), "old");
    assert!(read(&folder, "a.csv").starts_with("AFNLWGT"));
}

#[test]
fn a_replaced_file_keeps_its_mode_and_a_private_one_is_its_owners_alone() {
    let folder = TempDir::new().unwrap();
    for (kept, private) in [(0o600, 0o600), (0o640, 0o600), (0o444, 0o400), (0o666, 0o600)] {
        for name in ["out.csv", "out.csv.recipe.toml"] {
            std::fs::write(folder.path().join(name), "old").unwrap();
            set_mode(&folder, name, kept);
        }
        success(&run(folder.path(), "protect mdav census --k 3 -o out.csv --force"));
        assert_eq!(mode(&folder, "out.csv"), kept);
        assert_eq!(mode(&folder, "out.csv.recipe.toml"), private);
        std::fs::remove_file(folder.path().join("out.csv")).unwrap();
        std::fs::remove_file(folder.path().join("out.csv.recipe.toml")).unwrap();
    }
}

#[test]
fn a_replaced_file_keeps_its_owner_where_the_system_allows_it() {
    let folder = TempDir::new().unwrap();
    std::fs::write(folder.path().join("out.csv"), "old").unwrap();
    // Nobody but root may give a file away, and then there is nothing to keep.
    let _ = std::os::unix::fs::chown(folder.path().join("out.csv"), Some(12_345), Some(54_321));
    let owner = || {
        let found = std::fs::metadata(folder.path().join("out.csv")).unwrap();
        (found.uid(), found.gid())
    };
    let before = owner();
    success(&protect(folder.path(), "out.csv"));
    assert_eq!(owner(), before);
}

/// A folder with the worked example, a plan, a release and data, and what commands need to write.
fn with_inputs() -> TempDir {
    let folder = fingerprints::planned();
    std::fs::create_dir(folder.path().join("files")).unwrap();
    let copies = [("census.csv", "census"), ("rel.csv", "census"), ("t.csv", "tarragona")];
    for (name, data) in copies {
        let built_in = unmask::dataset::catalog::find(data).unwrap();
        std::fs::write(folder.path().join(name), built_in.content).unwrap();
    }
    let schema = "[attributes.sex]\nrole = \"quasi-identifier\"\n";
    std::fs::write(folder.path().join("schema.toml"), schema).unwrap();
    std::fs::write(folder.path().join("recipe.toml"), "method = \"noise\"\np = 7\n").unwrap();
    folder
}

/// For every command that writes: a command line with OUT for its output, and the inputs it has.
const WRITERS: [(&str, &[&str]); 12] = [
    ("protect mdav census.csv --k 3 -o OUT --force", &["census.csv"]),
    (
        "protect mdav patients.csv --project schema.toml --k 2 -o x.csv --recipe OUT --force",
        &["schema.toml"],
    ),
    ("protect anti-unification patients.csv --k 2 -o OUT --force", &["patients.csv"]),
    (
        "link --original census.csv --released rel.csv --links OUT --force",
        &["census.csv", "rel.csv"],
    ),
    (
        "audit --original census.csv --released rel.csv --certificate OUT --force",
        &["census.csv", "rel.csv"],
    ),
    (
        "audit --original t.csv --released t.csv --recipe recipe.toml --certificate OUT --force",
        &["recipe.toml"],
    ),
    ("export-milp --original t.csv --released t.csv --sample 5 -o OUT --force", &["t.csv"]),
    (
        "classify --train t.csv --test rel.csv --class x --tree-out OUT --force",
        &["t.csv", "rel.csv"],
    ),
    (
        "lattice enumerate patients.csv --hierarchies h --quasi sex --k 2 -o OUT --force",
        &["patients.csv", "h/sex.csv"],
    ),
    (
        "lattice search patients.csv --hierarchies h --quasi sex --k 2 -o OUT --force",
        &["patients.csv", "h/sex.csv"],
    ),
    (
        "fingerprint plan patients.csv --hierarchies h --k 2 -o OUT --force",
        &["patients.csv", "h/birthdate.csv"],
    ),
    (
        "fingerprint release plan.toml patients.csv --recipients a -o files --list OUT --force",
        &["patients.csv"],
    ),
];

#[test]
fn no_command_writes_over_what_it_reads() {
    let folder = with_inputs();
    for (command, inputs) in WRITERS {
        for input in inputs {
            let before = read(&folder, input);
            std::fs::hard_link(folder.path().join(input), folder.path().join("hard")).unwrap();
            symlink(input, folder.path().join("soft")).unwrap();
            for name in [input, "hard", "soft"] {
                // A recipe is known by its extension.
                if command.contains("--recipe OUT") && name != *input {
                    continue;
                }
                let error = refusal(&run(folder.path(), &command.replace("OUT", name)));
                assert!(error.contains("is read by this command as"), "{command} {name}: {error}");
            }
            assert_eq!(read(&folder, input), before, "{command}");
            std::fs::remove_file(folder.path().join("hard")).unwrap();
            std::fs::remove_file(folder.path().join("soft")).unwrap();
        }
    }
}

#[test]
fn reports_and_deliveries_do_not_replace_what_is_read() {
    let folder = with_inputs();
    let link = |from: &str, to: &str| symlink(from, folder.path().join(to)).unwrap();
    link("census.csv", "census.json");
    for command in ["audit", "keys"] {
        let files = "--original census.csv --released rel.csv --report census.json --force";
        let error = refusal(&run(folder.path(), &format!("{command} {files}")));
        assert!(error.contains("is read by this command as census.csv"), "{error}");
    }
    link("../patients.csv", "files/a.csv");
    let release = "fingerprint release plan.toml patients.csv --recipients a -o files --force";
    let error = refusal(&run(folder.path(), release));
    assert!(error.contains("files/a.csv: is read by this command as patients.csv"), "{error}");
}

#[test]
fn results_do_not_replace_the_data_of_their_experiment() {
    let folder = with_inputs();
    let results = folder.path().join("results/study/table");
    std::fs::create_dir_all(&results).unwrap();
    std::fs::create_dir(folder.path().join("study")).unwrap();
    std::fs::rename(folder.path().join("t.csv"), results.join("table.md")).unwrap();
    let study = "kind = \"information-loss\"\ntitle = \"T\"\ncitation = \"N\"\n[[file]]\n\
                 data = \"results/study/table/table.md\"\nk = [3]\npublished = [1]\n";
    std::fs::write(folder.path().join("study/table.toml"), study).unwrap();
    let before = read(&folder, "results/study/table/table.md");
    let error = refusal(&run(folder.path(), "experiment run study/table.toml"));
    assert!(error.contains("is read by this command as"), "{error}");
    assert_eq!(read(&folder, "results/study/table/table.md"), before);
}

#[test]
fn two_outputs_in_one_place_are_refused() {
    let folder = with_inputs();
    std::fs::write(folder.path().join("r.json"), "old").unwrap();
    symlink("r.json", folder.path().join("s.json")).unwrap();
    let audit = "audit --original t.csv --released t.csv --sample 5 --report r.json";
    for other in
        ["--report s.json", "--certificate r.json", "--certificate ./r.json", "--report ./r.json"]
    {
        let error = refusal(&run(folder.path(), &format!("{audit} {other} --force")));
        assert!(error.contains("two outputs") || error.contains("given twice"), "{other}: {error}");
    }
    let nodes = "lattice enumerate patients.csv --hierarchies h --quasi sex --k 2 -o n.csv";
    assert!(
        refusal(&run(folder.path(), &format!("{nodes} --drawing ./n.csv"))).contains("two outputs")
    );
    let recipe = "protect mdav t.csv --k 3 -o ./o.toml --recipe o.toml";
    // No release is a .toml file, and no recipe anything else.
    assert!(refusal(&run(folder.path(), recipe)).contains("files are written as"));
    assert_eq!(read(&folder, "r.json"), "old");
}
