//! The program as a person uses it.

use crate::support::console::{examples, without_seconds};
use crate::support::{refusal, success, unmask_in};
use std::path::Path;
use tempfile::TempDir;

fn json(text: &str) -> serde_json::Value {
    serde_json::from_str(text).expect("one JSON object")
}

#[test]
fn protect_prints_one_summary_object() {
    let folder = TempDir::new().unwrap();
    let arguments = [
        "protect",
        "mdav",
        "census",
        "--k",
        "2,8,5",
        "--groups",
        "5,5,3",
        "--cluster-on",
        "raw",
        "--seed",
        "4",
        "--format",
        "json",
        "-o",
        "out.csv",
    ];
    let summary = json(&success(&unmask_in(folder.path(), &arguments)));
    assert_eq!(summary["method"], "mdav");
    assert_eq!(summary["parameters"]["k"], serde_json::json!([2, 8, 5]));
    assert_eq!(summary["parameters"]["cluster_on"], "raw");
    assert_eq!(summary["seed"], 4);
    assert_eq!(summary["records"], 1080);
    assert_eq!(summary["attributes"].as_array().unwrap().len(), 13);
    assert_eq!(summary["groups"][1]["smallest"], 8);
    assert!(summary["information_loss"]["il_percent"].as_f64().unwrap() > 0.0);
    let written = std::fs::read(folder.path().join("out.csv")).unwrap();
    assert_eq!(summary["sha256"], unmask::files::sha256(&written));
}

#[test]
fn utility_agrees_with_the_summary_of_protect() {
    let folder = TempDir::new().unwrap();
    let protect = ["protect", "mdav", "census", "--k", "3", "--format", "json", "-o", "out.csv"];
    let summary = json(&success(&unmask_in(folder.path(), &protect)));
    let measure = ["utility", "census", "out.csv", "--format", "json"];
    let utility = json(&success(&unmask_in(folder.path(), &measure)));
    assert_eq!(format!("{:.2}", utility["il_percent"].as_f64().unwrap()), "5.69");
    let difference = summary["information_loss"]["il_percent"].as_f64().unwrap()
        - utility["il_percent"].as_f64().unwrap();
    assert!(difference.abs() < 1e-9);
    assert_eq!(utility["attributes"].as_array().unwrap().len(), 13);
    let text = success(&unmask_in(folder.path(), &["utility", "census", "out.csv"]));
    assert!(text.contains("5.69%") && text.contains("share of the variation"), "{text}");
}

#[test]
fn a_file_compared_with_itself_loses_nothing() {
    let folder = TempDir::new().unwrap();
    let arguments = ["utility", "eia", "eia", "--format", "json"];
    let utility = json(&success(&unmask_in(folder.path(), &arguments)));
    for key in ["il_percent", "il1s_percent", "covariance_difference", "eigenvalue_difference"] {
        assert_eq!(utility[key], 0.0, "{key}");
    }
}

#[test]
fn a_diverse_release_is_diverse_when_measured() {
    let folder = TempDir::new().unwrap();
    for (diversity, measure) in [("distinct", "distinct_l"), ("entropy", "entropy_l")] {
        let protect = [
            "protect",
            "l-diverse-v-mdav",
            "census",
            "--l",
            "3",
            "--sensitive",
            "ERNVAL,AGI",
            "--levels",
            "8",
            "--diversity",
            diversity,
            "--format",
            "json",
            "--force",
            "-o",
            "out.csv",
        ];
        let summary = json(&success(&unmask_in(folder.path(), &protect)));
        assert_eq!(summary["attributes"].as_array().unwrap().len(), 11);
        let names: Vec<&str> =
            summary["attributes"].as_array().unwrap().iter().filter_map(|n| n.as_str()).collect();
        let quasi = names.join(",");
        let arguments = [
            "measure",
            "out.csv",
            "--quasi",
            &quasi,
            "--sensitive",
            "ERNVAL,AGI",
            "--levels",
            "8",
            "--format",
            "json",
        ];
        let found = json(&success(&unmask_in(folder.path(), &arguments)));
        assert!(found["k"].as_u64().unwrap() >= 3);
        for sensitive in found["sensitive"].as_array().unwrap() {
            assert!(sensitive[measure].as_f64().unwrap() >= 3.0, "{sensitive}");
        }
    }
}

#[test]
fn v_mdav_takes_labels_as_well_as_numbers() {
    let folder = TempDir::new().unwrap();
    let protect = [
        "protect",
        "v-mdav",
        "adult-test",
        "--k",
        "3",
        "--gamma",
        "0.2",
        "--attributes",
        "age,education,sex",
        "--format",
        "json",
        "-o",
        "out.csv",
    ];
    let summary = json(&success(&unmask_in(folder.path(), &protect)));
    assert!(summary["groups"][0]["smallest"].as_u64().unwrap() >= 3);
    assert!(summary["information_loss"]["il_percent"].as_f64().unwrap() < 100.0);
    assert!(summary["information_loss"]["labels_changed_percent"].as_f64().unwrap() < 50.0);
    let arguments = ["measure", "out.csv", "--quasi", "age,education,sex", "--format", "json"];
    let found = json(&success(&unmask_in(folder.path(), &arguments)));
    assert!(found["k"].as_u64().unwrap() >= 3);
}

#[test]
fn every_command_has_help_with_an_example() {
    let folder = TempDir::new().unwrap();
    let help = success(&unmask_in(folder.path(), &["--help"]));
    let commands: Vec<&str> = help
        .lines()
        .skip_while(|line| *line != "Commands:")
        .skip(1)
        .take_while(|line| !line.is_empty())
        .filter_map(|line| line.strip_prefix("  ").filter(|rest| !rest.starts_with(' ')))
        .filter_map(|rest| rest.split_whitespace().next())
        .filter(|name| *name != "help")
        .collect();
    assert!(commands.contains(&"protect"), "{commands:?}");
    for command in commands {
        let help = success(&unmask_in(folder.path(), &[command, "--help"]));
        assert!(help.contains("Example"), "{command} --help has an example");
    }
}

#[test]
fn completions_and_man_pages_cover_every_command() {
    let folder = TempDir::new().unwrap();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = success(&unmask_in(folder.path(), &["completions", shell]));
        assert!(script.contains("rank-swapping") || script.contains("protect"), "{shell}");
    }
    success(&unmask_in(folder.path(), &["man", "--out", "man"]));
    for page in ["unmask.1", "unmask-protect.1", "unmask-utility.1", "unmask-data.1"] {
        let text = std::fs::read_to_string(folder.path().join("man").join(page)).unwrap();
        assert!(text.contains(".TH"), "{page}");
    }
}

#[test]
fn data_lists_the_built_in_files() {
    let folder = TempDir::new().unwrap();
    let list = success(&unmask_in(folder.path(), &["data"]));
    unmask::dataset::catalog::ALL.iter().for_each(|b| assert!(list.contains(b.name), "{}", b.name));
}

#[test]
fn the_worked_examples_of_the_readme_print_what_it_shows() {
    let folder = TempDir::new().unwrap();
    let examples = examples(include_str!("../../README.md"));
    assert!(!examples.is_empty());
    for (command, shown) in examples {
        let words: Vec<&str> = command.split_whitespace().collect();
        assert_eq!(words[0], "unmask", "{command}");
        let printed = success(&unmask_in(folder.path(), &words[1..]));
        assert_eq!(without_seconds(&printed), without_seconds(&shown), "{command}");
    }
}

#[test]
fn links_in_the_documents_lead_somewhere() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut links = 0;
    for document in [
        "README.md",
        "CONTRIBUTING.md",
        "docs/architecture.md",
        "docs/project.md",
        "docs/tutorial.md",
        "results/README.md",
    ] {
        let path = root.join(document);
        let text = std::fs::read_to_string(&path).unwrap();
        for target in text.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            let target = target.split('#').next().unwrap();
            let external = target.contains("://") || target.is_empty();
            assert!(
                external || path.parent().unwrap().join(target).exists(),
                "{document}: {target}"
            );
            links += 1;
        }
    }
    assert!(links > 20, "only {links} links");
}

#[test]
fn a_recipe_is_a_file_of_its_own_and_makes_the_same_release_again() {
    let folder = TempDir::new().unwrap();
    let protect = ["protect", "noise", "census", "--p", "7", "--seed", "3", "-o", "out.csv"];
    let error =
        refusal(&unmask_in(folder.path(), &[&protect[..], &["--recipe", "out.csv"]].concat()));
    assert!(error.contains("--recipe = out.csv") && error.contains(".toml"), "{error}");
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0, "a refusal writes nothing");
    success(&unmask_in(folder.path(), &[&protect[..], &["--recipe", "r.toml"]].concat()));
    let recipe = unmask::protection::Recipe::load(&folder.path().join("r.toml")).unwrap();
    assert_eq!(
        (recipe.method.name(), recipe.seed, recipe.attributes.len()),
        ("noise", Some(3), 13)
    );
    let census = unmask::dataset::Dataset::load("census", &Default::default()).unwrap();
    let again = unmask::protection::Protection::from(recipe).apply(&census, &()).unwrap();
    let bytes = again.protected.released.to_bytes(Path::new("out.csv")).unwrap();
    assert_eq!(bytes, std::fs::read(folder.path().join("out.csv")).unwrap());
}

#[test]
fn the_readme_has_a_line_for_every_method() {
    let readme = include_str!("../../README.md");
    for (name, _) in unmask::protection::Method::LIST {
        assert!(readme.contains(&format!("\n| `{name}` |")), "{name}");
    }
}

#[test]
fn l_diverse_v_mdav_is_refined_and_stays_diverse() {
    let folder = TempDir::new().unwrap();
    let command = "protect l-diverse-v-mdav census --l 3 --sensitive ERNVAL --levels 5 \
                   --refine=20000 --format json -o out.csv";
    let arguments: Vec<&str> = command.split_whitespace().collect();
    let summary = json(&success(&unmask_in(folder.path(), &arguments)));
    let loss = |key: &str| summary[key]["il_percent"].as_f64().unwrap();
    assert!(loss("information_loss") < loss("information_loss_before_refine"));
    let quasi: Vec<&str> =
        summary["attributes"].as_array().unwrap().iter().map(|a| a.as_str().unwrap()).collect();
    let quasi = quasi.join(",");
    let arguments = [
        "measure",
        "out.csv",
        "--quasi",
        &quasi,
        "--sensitive",
        "ERNVAL",
        "--levels",
        "5",
        "--format",
        "json",
    ];
    let found = json(&success(&unmask_in(folder.path(), &arguments)));
    assert_eq!(found["sensitive"], summary["sensitive"], "the summary says what is measured");
    assert_eq!(found["sensitive"][0]["certain"]["classes"]["disclosed"], 0);
    assert_eq!(found["sensitive"], summary["sensitive"], "the summary says what is measured");
    assert_eq!(found["sensitive"][0]["certain"]["classes"]["disclosed"], 0);
    assert!(found["k"].as_u64().unwrap() >= 3);
    let text = found.to_string();
    assert!(found["sensitive"][0]["distinct_l"].as_u64().is_some_and(|l| l >= 3), "{text}");
}

#[test]
fn a_diverse_release_of_numbers_without_levels_says_so() {
    let folder = TempDir::new().unwrap();
    let text = |levels: &str| {
        let command = format!(
            "protect l-diverse-v-mdav census --l 2 --sensitive ERNVAL{levels} --force -o out.csv"
        );
        let arguments: Vec<&str> = command.split_whitespace().collect();
        success(&unmask_in(folder.path(), &arguments))
    };
    let (with, without) = (text(" --levels 5"), text(""));
    for line in [&with, &without] {
        assert!(line.contains("diversity         ERNVAL: at least 2 "), "{line}");
    }
    assert!(!with.contains("--levels"), "{with}");
    assert!(without.contains("every number counted as a level of its own"), "{without}");
}

#[test]
fn errors_name_parameters_as_flags_and_keys_of_a_specification_as_keys() {
    let folder = TempDir::new().unwrap();
    let refused =
        |command: &str| refusal(&unmask_in(folder.path(), &command.split(' ').collect::<Vec<_>>()));
    let text = "kind = \"information-loss\"\ntitle = \"t\"\nmax_risk = 1\nsample = 4\n";
    std::fs::write(folder.path().join("t.toml"), text).unwrap();
    let files = "audit --original census --released census";
    let error = refused(&format!("{files} --max-risk 2"));
    assert!(error.contains("--max-risk = 2, but a share is a number"), "{error}");
    std::fs::write(folder.path().join("mistake.csv"), "a,b\n1,2\n2,3\nx,4\n").unwrap();
    let error = refused("measure mistake.csv --quasi a");
    assert!(error.contains("add it to --missing"), "the flag of `missing`: {error}");
    let error = unmask_in(folder.path(), &["experiment", "check", "t.toml"]);
    let error = String::from_utf8_lossy(&error.stderr).into_owned();
    assert!(error.contains("max_risk = 1") && !error.contains("--max-risk"), "{error}");
}
