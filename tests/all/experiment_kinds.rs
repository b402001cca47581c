//! What every kind of experiment can: stop and go on, run one cell, refuse unknown cells.

use crate::experiments::FINE;
use crate::microaggregation_experiment as microaggregation;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use tempfile::TempDir;
use unmask::experiment::{Experiment, ExperimentOutcome, RunOptions, journal};
use unmask::listener::Listener;

const INFORMATION_LOSS: &str = r#"
kind = "information-loss"
title = "A test"
citation = "Nobody"

[[file]]
data = "tarragona"
k = [3, 5, 10]
published = [1, 2, 3]
"#;

const FINGERPRINT: &str = r#"
kind = "fingerprint"
title = "A test"
data = "experiments/schrittwieser/table1.csv"
hierarchies = "experiments/schrittwieser/table1"
quasi = ["sex", "birthdate"]
metric = "samarati"
k = [1, 2]
collusion = [1, 2]
"#;

const GENERALIZATION: &str = r#"
kind = "generalization"
title = "A test"
citation = "Nobody"
data = "PATTERNS"
test = "PATTERNS"
attributes = ["a", "b", "c"]
confidential = "class"
indifferent = 1
k = [2, 3]
sample = 20

[original]
S1 = 80
uci = 80
DB = 80

[[model]]
conditions = ["<"]
patterns = [10, 10]
rest = [2, 2]
S1 = [70, 70]
uci = [70, 70]
DB = [70, 70]
"#;

/// Writes a file with three labels and a class that hangs on them.
fn write_labels(path: &Path) {
    let row = |i: usize| {
        let class = if (i * i) % 7 < 3 { "p" } else { "q" };
        format!("a{},b{},c{},{class}\n", i % 3, (i / 3) % 2, i % 5 % 2)
    };
    let rows: String = (0..40).map(row).collect();
    std::fs::write(path, format!("a,b,c,class\n{rows}")).unwrap();
}

/// A small specification of each kind, written into `folder`.
fn every_kind(folder: &Path) -> Vec<PathBuf> {
    let place = |name: &str| folder.join(name).display().to_string();
    write_labels(&folder.join("patterns.csv"));
    microaggregation::write_file(folder, "made.csv");
    let texts = [
        ("linkage", FINE.to_owned()),
        ("information-loss", INFORMATION_LOSS.to_owned()),
        ("fingerprint", FINGERPRINT.to_owned()),
        ("generalization", GENERALIZATION.replace("PATTERNS", &place("patterns.csv"))),
        (
            "microaggregation",
            microaggregation::EXPERIMENT.replace("experiments/made.csv", &place("made.csv")),
        ),
    ];
    let mut files = vec![PathBuf::from("experiments/schrittwieser/worked-example.toml")];
    for (kind, text) in texts {
        let file = folder.join(format!("{kind}.toml"));
        std::fs::write(&file, text).unwrap();
        files.push(file);
    }
    files
}

/// Interrupts after so many jobs.
struct StopAfter(AtomicUsize);

impl Listener for StopAfter {
    fn advance(&self, steps: u64, _total: u64) {
        self.0.fetch_sub(steps as usize, Ordering::SeqCst);
    }

    fn interrupted(&self) -> bool {
        self.0.load(Ordering::SeqCst) == 0
    }
}

/// The files of `folder` that follow from a specification alone.
fn lasting_files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let named = entries.map(|path| {
        (path.file_name().unwrap().to_string_lossy().into_owned(), std::fs::read(path).unwrap())
    });
    let lasts = |name: &String| !name.starts_with("timing") && name != "environment.toml";
    named.filter(|(name, _)| lasts(name)).collect()
}

fn run(
    experiment: &Experiment,
    options: &RunOptions,
    listener: &dyn Listener,
) -> ExperimentOutcome {
    experiment.run(options, listener).unwrap()
}

#[test]
fn every_kind_goes_on_after_a_stop_and_gives_the_same_bytes() {
    let folder = TempDir::new().unwrap();
    for file in every_kind(folder.path()) {
        let experiment = Experiment::load(&file).unwrap();
        let options = |results: &str| RunOptions::default().results(folder.path().join(results));
        let whole = run(&experiment, &options("whole"), &());
        assert!(whole.complete && whole.folder.join("table.md").exists(), "{whole}");
        assert!(!whole.folder.join(journal::FILE_NAME).exists());
        for jobs in 0..whole.runs.min(4) {
            let cut = options(&format!("cut{jobs}")).threads(1);
            let stopped = run(&experiment, &cut, &StopAfter(jobs.into()));
            assert!(!stopped.complete && stopped.runs == jobs, "{jobs}: {stopped}");
            assert!(stopped.to_string().contains("nothing written before all are done"));
            assert!(stopped.folder.join(journal::FILE_NAME).exists());
            // Read anew, as another process would.
            let resumed = run(&Experiment::load(&file).unwrap(), &cut, &());
            assert!(resumed.complete && resumed.summary == whole.summary, "{resumed}");
            let (ours, theirs) = (lasting_files(&resumed.folder), lasting_files(&whole.folder));
            assert!(ours.len() > 2 && ours == theirs, "{} cut after {jobs}", file.display());
        }
    }
}

#[test]
fn one_cell_of_every_kind_is_run_alone() {
    let folder = TempDir::new().unwrap();
    for file in every_kind(folder.path()) {
        let experiment = Experiment::load(&file).unwrap();
        let cells = experiment.cells();
        let last = cells.last().unwrap();
        let options = RunOptions::default().results(folder.path()).only([&last.name]);
        let outcome = run(&experiment, &options, &());
        assert_eq!(outcome.runs, last.runs, "{outcome}");
        assert_eq!(outcome.complete, cells.len() == 1, "{outcome}");
        let rest = run(&experiment, &RunOptions::default().results(folder.path()), &());
        assert!(rest.complete && rest.folder.join("table.tex").exists(), "{rest}");
    }
}

#[test]
fn an_unknown_cell_of_any_kind_is_refused_and_the_cells_listed() {
    let folder = TempDir::new().unwrap();
    for file in every_kind(folder.path()) {
        let experiment = Experiment::load(&file).unwrap();
        let options = RunOptions::default().results(folder.path()).only(["nothing"]);
        let error = experiment.run(&options, &()).unwrap_err().to_string();
        let names: Vec<String> = experiment.cells().into_iter().map(|cell| cell.name).collect();
        let told = format!("only = nothing, which is no cell; the cells are {}", names.join(", "));
        assert_eq!(error, told);
    }
}

#[test]
fn every_kind_can_be_quick() {
    let folder = TempDir::new().unwrap();
    let files = every_kind(folder.path());
    let experiments = Experiment::load_all(&files).unwrap();
    let options = RunOptions::default().results(folder.path()).quick(true);
    let outcomes = unmask::experiment::run_all(&experiments, &options, &()).unwrap();
    assert_eq!(outcomes.len(), 6);
    for outcome in outcomes {
        assert!(outcome.complete, "{outcome}");
        assert!(outcome.folder.starts_with(folder.path().join("quick")), "{outcome}");
    }
}

#[test]
fn a_cell_that_is_declared_twice_is_refused_in_every_kind() {
    let folder = TempDir::new().unwrap();
    let twice = [
        INFORMATION_LOSS.replace("k = [3, 5, 10]", "k = [3, 5, 3]"),
        FINGERPRINT.replace("collusion = [1, 2]", "collusion = [2, 2]"),
    ];
    for text in twice {
        let file = folder.path().join("twice.toml");
        std::fs::write(&file, text).unwrap();
        let error = Experiment::load(&file).unwrap_err().to_string();
        assert!(error.contains("is declared twice"), "{error}");
    }
}

#[test]
fn further_attacks_get_a_column_and_a_section_each() {
    let folder = TempDir::new().unwrap();
    let written = |attacks: &str| {
        let text = FINE.replace("\"single\"]", &format!("\"single\"{attacks}]"));
        let published = "\n[published]\ncitation = \"here\"\n\n[published.cells]\n\
            \"Noise-2\" = { gower = 90 }\n";
        let published = if attacks.is_empty() { "" } else { published };
        let file = folder.path().join("attacks.toml");
        std::fs::write(&file, format!("{text}{published}")).unwrap();
        let options = RunOptions::default().results(folder.path()).fresh(true);
        let outcome = run(&Experiment::load(&file).unwrap(), &options, &());
        let read = |name: &str| std::fs::read_to_string(outcome.folder.join(name)).unwrap();
        (read("runs.csv"), read("table.md"), outcome)
    };
    let (few, _, _) = written("");
    let (runs, table, outcome) = written(", \"gower\", \"mahalanobis-cov0\"");
    let columns = |text: &str| -> Vec<Vec<String>> {
        text.lines().map(|line| line.split(',').map(String::from).collect()).collect()
    };
    let (few, many) = (columns(&few), columns(&runs));
    let place = many[0].iter().position(|name| name == "gower").unwrap();
    assert_eq!(many[0][place + 1], "mahalanobis_cov0");
    for (few, many) in few.iter().zip(&many) {
        let others = many[..place].iter().chain(&many[place + 2..]);
        assert!(others.eq(few), "the other columns are as without further attacks");
    }
    let counts = many[1..].iter().map(|run| run[place].parse::<usize>().unwrap());
    assert!(counts.clone().all(|count| count <= 40) && counts.sum::<usize>() > 0);
    assert!(table.contains("\n## gower (% re-identified)\n"), "{table}");
    assert!(table.contains("\n## mahalanobis-cov0 (% re-identified)\n"), "{table}");
    assert!(outcome.summary.iter().any(|line| line.starts_with("gower: ")), "{outcome}");
}

#[test]
fn short_experiments_give_the_committed_bytes() {
    let folder = TempDir::new().unwrap();
    for name in ["schrittwieser/worked-example", "mdav/information-loss"] {
        let experiment = Experiment::load(format!("experiments/{name}.toml")).unwrap();
        let outcome = run(&experiment, &RunOptions::default().results(folder.path()), &());
        let committed = Path::new("results").join(name);
        assert!(lasting_files(&outcome.folder) == lasting_files(&committed), "{name}");
    }
}

#[test]
fn an_experiment_takes_any_method_and_any_attack_of_the_registries() {
    let folder = TempDir::new().unwrap();
    let rows: String =
        (0..60).map(|i| format!("{},{},l{},m{}\n", i % 13, i % 7, i % 3, i % 4)).collect();
    std::fs::write(folder.path().join("mixed.csv"), format!("x,y,a,b\n{rows}")).unwrap();
    let attacks: Vec<String> = unmask::linkage::registry::ATTACKS
        .iter()
        .filter(|entry| {
            !["dbrl1", "single", "mahalanobis", "maximum-knowledge"].contains(&entry.name)
        })
        .map(|entry| format!("{:?}", entry.name))
        .collect();
    assert!(attacks.len() >= 10);
    let written = |file: &str, protection: &str, attributes: &str, attacks: &str| {
        let text = format!(
            "title = \"any\"\nattacks = [\"dbrl1\", \"worst-case\", {attacks}]\n\
             attack_parameters = {{ weights = [1, 2] }}\n[data]\nfile = {:?}\n\
             attributes = {attributes}\n[sample]\nrecords = 20\nruns = 1\nseed = 3\n\
             [[protection]]\nname = \"any\"\n{protection}\n",
            folder.path().join("mixed.csv").display().to_string()
        );
        let path = folder.path().join(file);
        std::fs::write(&path, text).unwrap();
        let experiment = Experiment::load(&path).unwrap();
        let options = RunOptions::default().results(folder.path()).fresh(true);
        let outcome = run(&experiment, &options, &());
        std::fs::read_to_string(outcome.folder.join("runs.csv")).unwrap()
    };
    let noise = "method = \"noise\"\np = 20";
    let runs = written("numbers.toml", noise, "[\"x\", \"y\"]", &attacks.join(", "));
    assert!(runs.starts_with("cell,") && runs.contains("mahalanobis_cov0"), "{runs}");
    assert!(runs.contains("weighted") && runs.contains("dld") && runs.contains("interval"));
    let few = "\"gower\", \"dld\"";
    let mdav = "method = \"mdav\"\nk = 3";
    written("mixed.toml", mdav, "[\"x\", \"a\", \"b\"]", few);
    let patterns = "method = \"anti-unification\"\nk = 2\nindifferent = 1";
    written("labels.toml", patterns, "[\"a\", \"b\"]", few);
}
