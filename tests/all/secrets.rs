//! What is kept from whoever gets a release or a report: seeds, identifiers, single records.

use crate::support::{refusal, success, unmask_in};
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::Path;
use tempfile::TempDir;
use unmask::files::sha256;
use unmask::protection::{Method, Noise, Protection, Recipe};

const NOISE: &str = "protect noise census --p 7";
const ROLES: &str = "--identifiers person_id,hh_id --confidential income,diagnosis";

fn run(folder: &TempDir, line: &str) -> String {
    success(&unmask_in(folder.path(), &line.split_whitespace().collect::<Vec<_>>()))
}

fn refused(folder: &TempDir, line: &str) -> String {
    refusal(&unmask_in(folder.path(), &line.split_whitespace().collect::<Vec<_>>()))
}

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

fn bytes(folder: &TempDir, name: &str) -> Vec<u8> {
    std::fs::read(folder.path().join(name)).unwrap()
}

fn names(list: &Value) -> Vec<&str> {
    list.as_array().unwrap().iter().filter_map(Value::as_str).collect()
}

#[cfg(unix)]
fn mode(path: &Path) -> u32 {
    use std::os::unix::fs::PermissionsExt;
    std::fs::metadata(path).unwrap().permissions().mode() & 0o777
}

#[test]
fn without_a_seed_every_release_is_another_and_with_one_the_same() {
    let folder = TempDir::new().unwrap();
    for (name, seed) in [("a", ""), ("b", ""), ("c", "--seed 5"), ("d", "--seed 5")] {
        run(&folder, &format!("{NOISE} {seed} -o {name}.csv"));
    }
    assert_ne!(bytes(&folder, "a.csv"), bytes(&folder, "b.csv"));
    assert_eq!(bytes(&folder, "c.csv"), bytes(&folder, "d.csv"));
}

#[test]
fn the_recipe_that_comes_back_holds_the_seed_that_was_drawn() {
    let census = unmask::dataset::Dataset::load("census", &Default::default()).unwrap();
    let noise = Protection::by(Method::Noise(Noise::new(7.0)));
    let made = noise.apply(&census, &()).unwrap();
    assert!(made.seed_is_drawn && made.recipe.seed.is_some());
    assert_eq!(made.summary(&census).unwrap().seed, None, "a drawn seed is told nobody");
    let again = Protection::from(made.recipe.clone()).apply(&census, &()).unwrap();
    assert_eq!(again.protected.released, made.protected.released);
    let other = noise.apply(&census, &()).unwrap();
    assert_ne!(other.recipe.seed, made.recipe.seed);
}

#[test]
fn a_drawn_seed_is_in_the_private_recipe_and_nowhere_else() {
    let folder = TempDir::new().unwrap();
    let text = run(&folder, &format!("{NOISE} -o text.csv"));
    let printed = run(&folder, &format!("{NOISE} -o out.csv --format json"));
    for (printed, name) in [(&text, "text.csv.recipe.toml"), (&printed, "out.csv.recipe.toml")] {
        let recipe = Recipe::load(&folder.path().join(name)).unwrap();
        assert!(!printed.contains(&recipe.seed.unwrap().to_string()), "{printed}");
        assert!(printed.contains(name), "{printed}");
        assert!(!printed.contains("undo noise"), "nobody else knows it: {printed}");
    }
    assert_eq!(json(&printed).get("seed"), None);
    let private = String::from_utf8(bytes(&folder, "out.csv.recipe.toml")).unwrap();
    let census = unmask::files::FileDigest::of("original", "census").unwrap();
    assert!(private.contains(&census.sha256), "{private}");
    assert!(private.contains(&sha256(&bytes(&folder, "out.csv"))), "{private}");
}

#[test]
fn a_seed_on_the_command_line_is_warned_of_where_the_method_draws() {
    let folder = TempDir::new().unwrap();
    let warned = |line: &str| {
        let text = run(&folder, &format!("protect {line} --seed 5 -o out.csv --force"));
        text.lines().filter(|line| line.contains("can undo noise and swapping")).count()
    };
    assert_eq!(warned("noise census --p 5"), 1);
    assert_eq!(warned("rank-swapping census --p 5"), 1);
    assert_eq!(warned("mdav census --k 3 --refine=20"), 1);
    assert_eq!(warned("mdav census --k 3"), 0, "it draws nothing");
}

#[test]
fn a_method_that_draws_nothing_has_no_seed() {
    let folder = TempDir::new().unwrap();
    run(&folder, "protect mdav census --k 3 -o out.csv");
    let recipe = Recipe::load(&folder.path().join("out.csv.recipe.toml")).unwrap();
    assert_eq!(recipe.seed, None);
}

#[cfg(unix)]
#[test]
fn the_recipe_and_internal_reports_are_for_their_owner_alone() {
    let folder = TempDir::new().unwrap();
    let recipe = folder.path().join("out.csv.recipe.toml");
    std::fs::write(&recipe, "an open file that is replaced").unwrap();
    run(&folder, &format!("{NOISE} -o out.csv --force"));
    assert_eq!(mode(&recipe), 0o600);
    assert_ne!(mode(&folder.path().join("out.csv")) & 0o044, 0, "a release is an ordinary file");
    let audit = "audit --original census --released out.csv --attributes AGI,FICA --sample 30";
    run(&folder, &format!("{audit} --internal --report in.html --report in.md --report in.json"));
    for name in ["in.html", "in.md", "in.json"] {
        assert_eq!(mode(&folder.path().join(name)), 0o600, "{name}");
    }
    run(&folder, &format!("{audit} --report shared.json"));
    assert_ne!(mode(&folder.path().join("shared.json")) & 0o044, 0);
}

#[test]
fn the_recipe_goes_where_it_is_told_or_nowhere_and_replaces_nothing() {
    let folder = TempDir::new().unwrap();
    let files = || {
        let entries = std::fs::read_dir(folder.path()).unwrap();
        entries.map(|e| e.unwrap().file_name().into_string().unwrap()).collect::<BTreeSet<_>>()
    };
    run(&folder, &format!("{NOISE} -o a.csv --no-recipe"));
    run(&folder, &format!("{NOISE} -o b.csv --recipe r.toml"));
    assert_eq!(files(), BTreeSet::from(["a.csv", "b.csv", "r.toml"].map(String::from)));
    std::fs::write(folder.path().join("c.csv.recipe.toml"), "kept").unwrap();
    let error = refused(&folder, &format!("{NOISE} -o c.csv"));
    assert!(error.contains("c.csv.recipe.toml") && error.contains("--force"), "{error}");
    assert!(!files().contains("c.csv"), "a refusal writes nothing");
    assert_eq!(bytes(&folder, "c.csv.recipe.toml"), b"kept");
    let error = refused(&folder, &format!("{NOISE} --seed {} -o d.csv", u64::MAX));
    assert!(error.contains("--seed") && !files().contains("d.csv"), "{error}");
}

#[test]
fn no_report_holds_the_seed_of_the_recipe_or_what_it_can_be_guessed_from() {
    let folder = TempDir::new().unwrap();
    let seed = "918273645";
    run(&folder, &format!("{NOISE} --seed {seed} -o out.csv"));
    let recipe = "out.csv.recipe.toml";
    assert!(String::from_utf8(bytes(&folder, recipe)).unwrap().contains(seed));
    let known = format!(
        "--original census --released out.csv --attributes AGI,FICA,TAXINC --sample 40 \
         --recipe {recipe}"
    );
    let reports = |name: &str| {
        ["html", "md", "json"].map(|format| format!("--report {name}.{format}")).join(" ")
    };
    let printed = [
        run(&folder, &format!("audit {known} {}", reports("audit"))),
        run(&folder, &format!("audit {known} --format json --internal {}", reports("internal"))),
        run(&folder, &format!("keys {known} {}", reports("keys"))),
        run(&folder, &format!("keys {known} --format json")),
    ];
    let record = json(&String::from_utf8(bytes(&folder, "audit.json")).unwrap());
    assert_eq!(record["key_attributes"]["protection"]["reproduced"], true, "the recipe was read");
    let checksum = sha256(&bytes(&folder, recipe));
    let written = ["audit", "internal", "keys"]
        .iter()
        .flat_map(|name| ["html", "md", "json"].map(|format| format!("{name}.{format}")))
        .map(|file| String::from_utf8(bytes(&folder, &file)).unwrap());
    for text in printed.into_iter().chain(written) {
        assert!(!text.contains(seed), "the seed");
        assert!(!text.contains(&checksum), "a checksum that tells when a seed is guessed");
    }
}

#[test]
fn a_recipe_without_its_seed_gives_an_estimate_that_says_so() {
    let folder = TempDir::new().unwrap();
    run(&folder, &format!("{NOISE} --seed 1 -o out.csv"));
    std::fs::write(folder.path().join("r.toml"), "method = \"noise\"\np = 7\n").unwrap();
    let text = run(
        &folder,
        "audit --original census --released out.csv --attributes AGI,FICA --sample 30 \
         --recipe r.toml --report r.json",
    );
    assert!(text.contains("lacks the seed"), "{text}");
    let record = json(&String::from_utf8(bytes(&folder, "r.json")).unwrap());
    assert_eq!(record["key_attributes"]["protection"]["reproduced"], false);
}

#[test]
fn identifiers_are_dropped_and_every_column_is_accounted_for() {
    let folder = TempDir::new().unwrap();
    let line = format!("protect noise survey --p 5 {ROLES} -o out.csv --format json");
    let summary = json(&run(&folder, &line));
    assert_eq!(names(&summary["dropped"]), ["person_id", "hh_id"]);
    assert_eq!(names(&summary["attributes"]), ["age", "admission", "weight"]);
    let left = ["sex", "region", "education", "occupation"];
    assert_eq!(names(&summary["left_as_they_are"]), left);
    assert_eq!(names(&summary["confidential"]), ["income", "diagnosis"]);
    let released = String::from_utf8(bytes(&folder, "out.csv")).unwrap();
    let header = "age,sex,region,admission,education,occupation,income,weight,diagnosis\n";
    assert!(released.starts_with(header), "{}", released.lines().next().unwrap());
    let text = run(&folder, &format!("protect noise survey --p 5 {ROLES} -o text.csv"));
    assert!(text.contains("dropped           2: person_id, hh_id"), "{text}");
    assert!(text.contains("left as they are  4: sex, region"), "{text}");
    // A release that lacks them is read with the same roles.
    run(&folder, &format!("utility survey out.csv {ROLES}"));
}

#[test]
fn identifiers_that_are_kept_and_columns_that_look_like_them_are_warned_of() {
    let folder = TempDir::new().unwrap();
    let warnings = |more: &str| {
        let line = format!("protect noise survey --p 5 --format json -o out.csv --force {more}");
        let summary = json(&run(&folder, &line));
        names(&summary["warnings"]).join("\n")
    };
    let kept = warnings(&format!("{ROLES} --keep-identifiers"));
    assert!(kept.contains("person_id is an identifier and was kept"), "{kept}");
    let found = warnings("--attributes age");
    assert!(found.contains("person_id looks like an identifier"), "{found}");
    assert!(found.contains("income is left as it is"), "{found}");
    assert!(!found.contains("hh_id") && !found.contains("weight"), "{found}");
    assert_eq!(warnings(ROLES), "");
}

#[test]
fn five_commands_take_the_same_attributes_when_none_are_named() {
    let folder = TempDir::new().unwrap();
    let roles = [(ROLES, 7), ("--quasi age,sex,region --confidential diagnosis", 3)];
    for (roles, count) in roles {
        let protect = format!("protect mdav survey --k 5 {roles} -o out.csv --force --format json");
        let protected = json(&run(&folder, &protect));
        let expected = names(&protected["attributes"]);
        assert_eq!(expected.len(), count);
        let files = format!("--original survey --released out.csv {roles} --format json");
        let audited = json(&run(&folder, &format!("audit {files} --sample 20")));
        assert_eq!(names(&audited["attributes"]), expected);
        let linked = json(&run(&folder, &format!("link {files} --sample 20 --attack dbrl1")));
        assert_eq!(names(&linked["attributes"]), expected);
        let measured = json(&run(&folder, &format!("measure survey {roles} --format json")));
        assert_eq!(names(&measured["quasi_identifiers"]), expected);
        let utility = json(&run(&folder, &format!("utility survey out.csv {roles} --format json")));
        let numbers = utility["attributes"].as_array().unwrap().iter();
        let numbers = numbers.filter_map(|a| a["attribute"].as_str());
        let all: BTreeSet<&str> = numbers.chain(names(&utility["labels_left_out"])).collect();
        assert_eq!(all, expected.into_iter().collect());
    }
}
