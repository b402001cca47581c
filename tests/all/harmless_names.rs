//! Names, titles and labels come from anybody's files: they stay text, and stay in their folder.

use crate::support::{refusal, success, unmask_in};
use std::path::Path;
use std::process::Command;
use tempfile::TempDir;
use unmask::error::Error;
use unmask::experiment::{Experiment, RunOptions};
use unmask::lattice::{Hierarchy, load_hierarchies};

const ESCAPE: char = '\u{1b}';

fn folder_with(files: &[(&str, &str)]) -> TempDir {
    let folder = TempDir::new().unwrap();
    for (name, text) in files {
        std::fs::write(folder.path().join(name), text).unwrap();
    }
    folder
}

fn assert_harmless(text: &str) {
    let commands = |c: char| c.is_control() && c != '\n' && c != '\t';
    assert!(!text.contains(commands), "{text:?}");
}

#[test]
fn a_cell_of_five_megabytes_is_not_echoed() {
    let cell = "z".repeat(5_000_000);
    let folder = folder_with(&[("in.csv", &format!("a,b\n1,2\n3,{cell}\n5,6\n7,8\n"))]);
    let error = refusal(&unmask_in(folder.path(), &["utility", "in.csv", "in.csv"]));
    assert!(error.len() < 500 && error.contains("\"zzz"), "{} bytes", error.len());
    for part in ["line 3", "column b", "categorical"] {
        assert!(error.contains(part), "{error}");
    }
}

#[test]
fn errors_show_control_characters_of_files_as_text() {
    let name = format!("a{ESCAPE}[31m\u{9b}2J\rb");
    let folder = folder_with(&[
        ("in.csv", &format!("\"{name}\",\"{name}\"\n1,2\n")),
        ("cell.csv", &format!("a,b\n1,2\n3,{ESCAPE}]0;x\u{7}\n4,5\n")),
        (&format!("x{ESCAPE}[2J.csv"), "a\n"),
    ]);
    let file = format!("x{ESCAPE}[2J.csv");
    for input in ["in.csv", "cell.csv", &file, &format!("no{ESCAPE}such.csv")] {
        let error = refusal(&unmask_in(folder.path(), &["utility", input, input]));
        assert_harmless(&error);
        assert!(error.contains("\\u001b") || error.contains("\\u{1b}"), "{error}");
    }
}

#[test]
fn tables_and_sentences_show_control_characters_of_names_as_text() {
    let name = format!("in{ESCAPE}[31mcome\nerror: x");
    let rows: String = (0..40).map(|i| format!("{},{},{}\n", i * 7 % 11, i * 5 % 13, i)).collect();
    let folder = folder_with(&[("in.csv", &format!("\"{name}\",y\u{9b},z\n{rows}"))]);
    let commands = [
        "utility in.csv in.csv",
        "link --original in.csv --released in.csv",
        "link --original in.csv --released in.csv --format json",
        "audit --original in.csv --released in.csv",
        "keys --original in.csv --released in.csv --format json",
        "protect mdav in.csv --k 3 -o out.csv",
        "measure out.csv",
    ];
    for command in commands {
        let text = success(&unmask_in(folder.path(), &command.split(' ').collect::<Vec<_>>()));
        assert_harmless(&text);
        assert!(!text.lines().any(|line| line.starts_with("error: x")), "{command}: {text}");
        if command.contains("json") {
            let value: serde_json::Value = serde_json::from_str(&text).unwrap();
            assert!(value.to_string().contains("y\u{9b}"), "JSON holds the name itself: {text}");
        }
    }
}

#[test]
fn column_names_do_not_lead_out_of_the_folder_of_hierarchies() {
    let folder = folder_with(&[("in.csv", "../x,a/b,..\n1,2,3\n"), ("x.csv", "1;*\n")]);
    let inside = folder.path().join("h");
    std::fs::create_dir(&inside).unwrap();
    let file = folder.path().join("in.csv").display().to_string();
    let data = unmask::dataset::Dataset::load(&file, &Default::default()).unwrap();
    for name in ["../x", "a/b", ".."] {
        let error = load_hierarchies(&inside, &data, &[name]).unwrap_err();
        assert!(matches!(error, Error::Parameter { .. }), "{error}");
        assert!(error.to_string().contains("rename the column"), "{error}");
    }
    for name in ["/etc/passwd", "a\0b", "..", "a\\b"] {
        assert!(Hierarchy::load(&inside, &data, name).is_err(), "{name:?}");
    }
}

/// A specification with `title` and one protection called `name`.
fn specification(title: &str, name: &str) -> String {
    let quoted = |text: &str| serde_json::to_string(text).unwrap();
    let (title, name) = (quoted(title), quoted(name));
    format!(
        "title = {title}\nattacks = [\"dbrl1\"]\n[data]\nfile = \"census\"\n\
         attributes = [\"AGI\", \"FICA\"]\n[sample]\nrecords = 20\nruns = 1\nseed = 1\n\
         [[protection]]\nname = {name}\nmethod = \"noise\"\np = [10]\n"
    )
}

/// Everything below `folder`.
fn files_below(folder: &Path) -> Vec<std::path::PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let below = entries.flat_map(|entry| match entry.path() {
        path if path.is_dir() => files_below(&path),
        path => vec![path],
    });
    below.collect()
}

#[test]
fn titles_and_names_of_an_experiment_cannot_become_markup() {
    let title = "A_*b*\n<img src=x> `c` \\input{d} \u{1b}[2J";
    let name = "no|ise\n`x` <script> \\input{y} [z](http://w)";
    let text = specification(title, name);
    let folder = TempDir::new().unwrap();
    let experiment = Experiment::parse("demo/t.toml", &text).unwrap();
    let options = RunOptions::default().results(folder.path());
    experiment.run(&options, &()).unwrap();
    let read =
        |file: &str| std::fs::read_to_string(folder.path().join("demo/t").join(file)).unwrap();
    let (markdown, tex) = (read("table.md"), read("table.tex"));
    assert_harmless(&markdown);
    assert_harmless(&tex);
    let heading = "# A\\_\\*b\\* &lt;img src=x&gt; \\`c\\` \\\\input{d}";
    assert!(markdown.starts_with(heading), "{markdown}");
    for markup in ["<script", "<img", " `x`", " [z]("] {
        assert!(!markdown.contains(markup), "{markup}: {markdown}");
    }
    let uncommented = |line: &&str| !line.starts_with('%');
    assert!(tex.lines().filter(uncommented).all(|line| !line.contains("\\input")), "{tex}");
    assert!(tex.lines().next().unwrap().starts_with("% A_*b*\\n<img"), "{tex}");
}

#[test]
fn results_stay_in_their_folder_whatever_a_specification_is_called() {
    let text = specification("t", "n");
    for file in ["demo/...toml", "demo/..toml", "...toml"] {
        let error = Experiment::parse(file, &text).unwrap_err().to_string();
        assert!(error.contains("no folder can have it"), "{file}: {error}");
    }
    let folder = TempDir::new().unwrap();
    let results = folder.path().join("results");
    for file in ["demo/../t.toml", "../t.toml", "a/b/c.toml"] {
        let experiment = Experiment::parse(file, &text).unwrap();
        experiment.run(&RunOptions::default().results(&results), &()).unwrap();
    }
    let outside = |path: &std::path::PathBuf| !path.starts_with(&results);
    assert!(!files_below(folder.path()).iter().any(outside));
}

#[cfg(unix)]
#[test]
fn results_go_to_a_folder_whose_name_is_no_text() {
    use std::os::unix::ffi::OsStrExt;
    let folder = folder_with(&[("t.toml", &specification("t", "n"))]);
    let results = std::ffi::OsStr::from_bytes(b"r\xff\xfe");
    let output = Command::new(env!("CARGO_BIN_EXE_unmask"))
        .args(["experiment", "run", "t.toml", "--results"])
        .arg(results)
        .current_dir(folder.path())
        .output()
        .unwrap();
    success(&output);
    let written = files_below(&folder.path().join(results));
    assert!(written.iter().any(|path| path.ends_with("table.md")), "{written:?}");
}

#[test]
fn more_threads_than_any_machine_has_are_refused() {
    let folder = TempDir::new().unwrap();
    let run = |threads: &str| unmask_in(folder.path(), &["data", "--threads", threads]);
    let error = refusal(&run("65536"));
    for part in ["--threads = 65536", "1024", "0 takes"] {
        assert!(error.contains(part), "{error}");
    }
    success(&run("3"));
}

#[test]
fn two_hundred_attributes_are_refused_before_anything_is_computed() {
    let header: Vec<String> = (0..200).map(|j| format!("c{j}")).collect();
    let row = |i: usize| {
        let cells: Vec<String> = (0..200).map(|j| (i * (j + 7) % 1009).to_string()).collect();
        cells.join(",") + "\n"
    };
    let text = header.join(",") + "\n" + &(0..1_000).map(row).collect::<String>();
    let folder = folder_with(&[("o.csv", &text)]);
    for command in ["audit", "keys"] {
        let started = std::time::Instant::now();
        let arguments = [command, "--original", "o.csv", "--released", "o.csv"];
        let error = refusal(&unmask_in(folder.path(), &arguments));
        for part in ["200 attributes", "at most 64", "--attributes"] {
            assert!(error.contains(part), "{error}");
        }
        assert!(started.elapsed().as_secs() < 10, "{command}: {:?}", started.elapsed());
    }
}
