//! Certificates: what an audit writes, `unmask verify` confirms, and so does a second checker
//! that shares no code with it; whatever is not so, both refuse.

use crate::support::{misuse, refusal, success, unmask_in};
use rand::seq::SliceRandom;
use std::path::Path;
use std::process::{Command, Output};
use tempfile::TempDir;
use unmask::dataset::catalog;
use unmask::random::generator;

const FOUR: &str = "AFNLWGT,AGI,EMCONTRB,FEDTAX";

/// The first `records` records of a built-in file.
fn head(name: &str, records: usize) -> String {
    let text = std::str::from_utf8(catalog::find(name).expect("built in").content).unwrap();
    text.lines().take(records + 1).map(|line| line.to_owned() + "\n").collect()
}

/// A folder with an original and a release that are audited and verified in it.
struct Case {
    folder: TempDir,
    attributes: &'static str,
}

impl Case {
    fn of(original: &str, released: &str, attributes: &'static str) -> Self {
        let case = Self { folder: TempDir::new().expect("a folder"), attributes };
        case.write("o.csv", original);
        case.write("r.csv", released);
        case
    }

    /// Some records of `name`, protected by `method` with its options.
    fn protected(name: &str, records: usize, method: &str, attributes: &'static str) -> Self {
        let case = Self { folder: TempDir::new().expect("a folder"), attributes };
        case.write("o.csv", head(name, records));
        let mut arguments: Vec<&str> = method.split(' ').collect();
        arguments.insert(1, "o.csv");
        let rest = ["--attributes", attributes, "--seed", "3", "-o", "r.csv"];
        case.unmask(&[&["protect"], arguments.as_slice(), &rest].concat());
        case
    }

    fn noisy() -> Self {
        Self::protected("census", 60, "noise --p 60", FOUR)
    }

    fn path(&self) -> &Path {
        self.folder.path()
    }

    fn read(&self, file: &str) -> String {
        std::fs::read_to_string(self.path().join(file)).expect("reads")
    }

    fn write(&self, file: &str, content: impl AsRef<[u8]>) {
        std::fs::write(self.path().join(file), content).expect("writes");
    }

    fn unmask(&self, arguments: &[&str]) -> String {
        success(&unmask_in(self.path(), arguments))
    }

    fn try_audit(&self, options: &[&str]) -> Output {
        let files = ["audit", "--original", "o.csv", "--released", "r.csv", "--rows-correspond"];
        let proof = ["--certificate", "proof.unmask", "--attributes", self.attributes];
        unmask_in(self.path(), &[&files, proof.as_slice(), options].concat())
    }

    fn audit(&self, options: &[&str]) -> String {
        success(&self.try_audit(&[options, &["--format", "json"]].concat()))
    }

    fn try_verify(&self, proof: &str, original: &str, released: &str) -> Output {
        let arguments = ["verify", proof, "--original", original, "--released", released];
        unmask_in(self.path(), &arguments)
    }

    /// What is proven.
    fn verify(&self) -> String {
        success(&self.try_verify("proof.unmask", "o.csv", "r.csv"))
    }

    /// The one line with which nothing is proven.
    fn refused(&self, proof: &str, original: &str, released: &str) -> String {
        refused(&self.try_verify(proof, original, released))
    }

    /// What the other checker says; none where there is no Python.
    fn python(&self, proof: &str) -> Option<Output> {
        let script = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/verify.py");
        let files = ["--original", "o.csv", "--released", "r.csv"];
        run_python(self.path(), &[&[script, proof], files.as_slice()].concat())
    }

    /// Confirms that both checkers say the same; returns it.
    fn verify_twice(&self) -> String {
        let said = self.verify();
        if let Some(output) = self.python("proof.unmask") {
            assert_eq!(success(&output), said);
        }
        said
    }

    /// Rewrites the unpacked certificate by a line of Python about `data` as `mutated.unmask`.
    fn mutate(&self, change: &str) -> bool {
        let code = format!(
            "import gzip\ndata = bytearray(gzip.open('proof.unmask').read())\n\
             claim = data.index(b'\\n', data.index(b'\\n') + 1) + 1\n{change}\n\
             open('mutated.unmask', 'wb').write(gzip.compress(bytes(data)))"
        );
        let output = run_python(self.path(), &["-c", &code]);
        output.map(|output| success(&output)).is_some()
    }

    /// Confirms that both checkers refuse the mutated certificate; returns what they say.
    fn mutated_is_refused(&self) -> [String; 2] {
        let python = self.python("mutated.unmask").expect("there is Python");
        [self.refused("mutated.unmask", "o.csv", "r.csv"), refused(&python)]
    }
}

/// One line on standard error, nothing on standard output, exit code 1.
fn refused(output: &Output) -> String {
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(1), "stderr: {error}");
    assert_eq!(error.trim_end().lines().count(), 1, "one line: {error}");
    assert!(error.starts_with("error: ") && !error.contains("panicked"), "{error}");
    assert!(output.stdout.is_empty(), "a refusal prints nothing on standard output");
    error
}

/// Runs Python in `folder`; none where there is none, which is an error in CI.
fn run_python(folder: &Path, arguments: &[&str]) -> Option<Output> {
    match Command::new("python3").args(arguments).current_dir(folder).output() {
        Ok(output) => Some(output),
        Err(_) => {
            let is_ci = std::env::var_os("CI").is_some_and(|value| value == "true");
            assert!(!is_ci, "no python3, but CI=true");
            eprintln!("left out: there is no python3 to run docs/verify.py");
            None
        }
    }
}

/// `at most {found} of {records}`, and that it is reached.
fn proves(said: &str, most: &str, scale: &str) -> bool {
    let is_so = |line: &str| {
        line.starts_with("For all weights on ")
            && line.contains(scale)
            && line.contains(&format!("at most {most} "))
            && line.ends_with("the certificate's weights reach that.")
    };
    said.lines().any(is_so)
}

/// The worst case of an audit in JSON: found, upper bound.
fn worst_case(record: &str) -> (f64, f64) {
    let record: serde_json::Value = serde_json::from_str(record).expect("JSON");
    let found = |place: &str| record.pointer(place).and_then(serde_json::Value::as_f64);
    let missing = || panic!("no worst case in {record}");
    (
        found("/worst_case/expected").unwrap_or_else(missing),
        found("/worst_case/upper_bound").unwrap_or_else(missing),
    )
}

#[test]
fn noise_on_both_scales_is_proven_by_both_checkers() {
    let case = Case::noisy();
    let record = case.audit(&[]);
    let said = case.verify_twice();
    let (found, most) = worst_case(&record);
    assert_eq!((said.lines().count(), found), (2, most));
    assert!(said.contains(&format!("at most {found} of 60 records are nearer")), "{said}");
    assert!(said.contains("these 4 attributes (AFNLWGT, AGI, EMCONTRB, FEDTAX)"), "{said}");
    assert!(
        said.contains("each file in its own scale") && said.contains("in the original's scale")
    );
}

#[test]
fn values_as_they_are_and_certain_counts_are_proven_by_both_checkers() {
    let case = Case::noisy();
    case.audit(&["--standardize", "none", "--count", "certain"]);
    let said = case.verify_twice();
    assert!(said.contains("values as they are") && !said.contains("1/t"), "{said}");
}

#[test]
fn swapped_ranks_and_one_attribute_are_proven_by_both_checkers() {
    let case = Case::protected("census", 60, "rank-swapping --p 20", FOUR);
    case.audit(&[]);
    assert_eq!(case.verify_twice().lines().count(), 2);
    let case = Case { attributes: "AGI", ..case };
    case.audit(&["--force"]);
    assert!(case.verify_twice().contains("on the attribute AGI, "));
}

#[test]
fn twins_count_what_guessing_among_them_gains() {
    let case = Case::protected("census", 62, "mdav --k 4", FOUR);
    let record = case.audit(&["--standardize", "original"]);
    let (found, _) = worst_case(&record);
    let said = case.verify_twice();
    assert!(said.contains("counts 1/t"), "{said}");
    assert!(found.fract() > 0.0, "62 records are no multiple of 4: {found}");
    let shown = (found * 1000.0).ceil() / 1000.0;
    assert!(proves(&said, &format!("{shown} of 62 records"), "in the original's scale"), "{said}");
    case.audit(&["--count", "certain", "--force"]);
    assert!(proves(&case.verify_twice(), "0 of 62 records", "own"), "each has twins");
}

#[test]
fn samples_are_proven_for_those_that_are_looked_for() {
    let case = Case::noisy();
    case.audit(&["--sample", "20"]);
    let whole = case.verify_twice();
    assert!(whole.contains(" of 20 chosen records are nearer"), "{whole}");
    case.audit(&["--sample", "20", "--haystack", "sample", "--force"]);
    let cut = case.verify_twice();
    assert!(cut.contains(" of 20 chosen records, both files cut to them, are nearer"), "{cut}");
}

#[test]
fn keys_pair_shuffled_rows_and_names_may_differ() {
    let plain = Case::noisy();
    plain.audit(&[]);
    let said = plain.verify_twice();
    let with_key = |text: &str, first: &str| -> Vec<String> {
        let mut lines: Vec<String> =
            text.lines().zip(0..).map(|(line, i)| format!("{i},{line}\n")).collect();
        lines[0] = lines[0].replacen("0,", first, 1);
        lines
    };
    let original = with_key(&plain.read("o.csv"), "id,");
    let mut released = with_key(&plain.read("r.csv").replacen("AGI", "gross", 1), "person,");
    released[1..].shuffle(&mut generator(5, 0));
    let case = Case::of(&original.concat(), &released.concat(), FOUR);
    let named = ["--key", "id", "--rename", "person=id,gross=AGI"];
    case.audit(&named);
    let renamed = r#", columns renamed ["person=id", "gross=AGI"]"#;
    let keyed = said.replace("in the same row", "of the same id");
    let found = case.verify_twice();
    assert_eq!(found.replace(renamed, ""), keyed, "shuffled, the release is the same");
    assert!(found.contains(renamed), "{found}");
    // Without some originals and some released records.
    let case = Case::of(&original[..50].concat(), &released[..51].concat(), FOUR);
    case.audit(&[&named, ["--sample", "12"].as_slice()].concat());
    assert!(case.verify_twice().contains(" of 12 chosen records"));
}

const LABELS: &str = "age,sex,region,education,occupation";

#[test]
fn labels_are_proven_by_both_checkers() {
    // Labels go on to the next record, where they are labels as well.
    let original = head("survey", 70);
    let mut rows: Vec<Vec<String>> =
        original.lines().map(|l| l.split(',').map(str::to_owned).collect()).collect();
    for i in (1..rows.len() - 1).step_by(3) {
        let (above, below) = rows.split_at_mut(i + 1);
        above[i][6..8].swap_with_slice(&mut below[0][6..8]);
        above[i][2] = format!("{}", 20 + i);
    }
    let released: String = rows.iter().map(|row| row.join(",") + "\n").collect();
    let case = Case::of(&original, &released, LABELS);
    case.audit(&[]);
    let said = case.verify_twice();
    assert!(
        said.contains("these 5 attributes (age, sex, region, education, occupation)"),
        "{said}"
    );
    assert!(said.contains(" of 70 records"), "{said}");
}

#[test]
fn generalized_values_are_proven_and_the_other_checker_leaves_them() {
    let original = head("survey", 60);
    let coarse = |(i, line): (usize, &str)| {
        let mut cells: Vec<String> = line.split(',').map(str::to_owned).collect();
        if let (true, Ok(age)) = (i % 2 == 0, cells[2].parse::<u32>()) {
            cells[2] = format!("{}-{}", age / 10 * 10, age / 10 * 10 + 9);
        }
        if i % 7 == 3 {
            cells[6] = "*".into();
        }
        cells.join(",") + "\n"
    };
    let released: String = original.lines().enumerate().map(coarse).collect();
    let case = Case::of(&original, &released, LABELS);
    case.audit(&[]);
    let said = case.verify();
    assert_eq!(said.lines().count(), 4, "two scales, two readings of suppressed cells: {said}");
    if let Some(output) = case.python("proof.unmask") {
        let error = refused(&output);
        assert!(error.contains("this script") && error.contains("`unmask verify`"), "{error}");
    }
}

#[test]
fn an_interval_is_certified_as_one() {
    let case = Case::protected("census", 200, "noise --p 80", "AFNLWGT,AGI,EMCONTRB,FEDTAX,TAXINC");
    let record = case.audit(&["--nodes", "20", "--standardize", "own"]);
    let (found, most) = worst_case(&record);
    assert!(found < most, "nothing is open: {found} and {most}");
    let said = case.verify_twice();
    let interval = format!("at most {most} of 200 records");
    assert!(said.contains(&interval), "{interval}: {said}");
    assert!(said.ends_with(&format!("the certificate's weights reach {found}.\n")), "{said}");
}

#[test]
fn options_of_reading_are_those_of_the_audit() {
    let case = Case::noisy();
    case.write("r.csv", case.read("o.csv"));
    case.audit(&["--categorical", "AGI"]);
    let error = case.refused("proof.unmask", "o.csv", "r.csv");
    assert!(error.contains("compares AGI as labels") && error.contains("options"), "{error}");
    let files = ["verify", "proof.unmask", "--original", "o.csv", "--released", "r.csv"];
    case.unmask(&[&files, ["--categorical", "AGI"].as_slice()].concat());
}

#[test]
fn other_files_are_refused() {
    let case = Case::noisy();
    case.audit(&["--standardize", "own"]);
    for (original, released, role) in
        [("o.csv", "o.csv", "released"), ("r.csv", "r.csv", "original")]
    {
        let error = case.refused("proof.unmask", original, released);
        assert!(error.contains("checksum") && error.contains(role), "{error}");
    }
    let released = case.read("r.csv");
    let digit = released.rfind(|c: char| ('1'..='8').contains(&c)).expect("a digit");
    let mut changed = released.into_bytes();
    changed[digit] += 1;
    case.write("changed.csv", changed);
    assert!(case.refused("proof.unmask", "o.csv", "changed.csv").contains("checksum"));
    assert!(case.refused("proof.unmask", "o.csv", "none.csv").contains("none.csv"));
    assert!(case.refused("none.unmask", "o.csv", "r.csv").contains("none.unmask"));
}

#[test]
fn broken_certificates_are_refused_in_one_line() {
    let case = Case::noisy();
    case.audit(&["--standardize", "own"]);
    let whole = std::fs::read(case.path().join("proof.unmask")).expect("reads");
    let mut broken: Vec<(String, Vec<u8>)> = vec![
        ("empty".into(), Vec::new()),
        ("text".into(), b"unmask certificate 1\n{}\n".to_vec()),
        ("twice half".into(), [&whole[..whole.len() / 2], &whole].concat()),
        ("with more".into(), [&whole, b"more".as_slice()].concat()),
    ];
    broken.extend((1..8).map(|i| (format!("{i}/8"), whole[..whole.len() * i / 8].to_vec())));
    // Bytes 4 to 9 of a gzip member are its time and the like.
    broken.extend((0..12).map(|i| {
        let (mut flipped, place) = (whole.clone(), 10 + i * (whole.len() - 11) / 12);
        flipped[place] ^= 1 << (i % 8);
        (format!("byte {place}"), flipped)
    }));
    for (what, bytes) in broken {
        case.write("broken.unmask", bytes);
        let error = case.refused("broken.unmask", "o.csv", "r.csv");
        assert!(error.contains("certificate"), "{what}: {error}");
    }
    if let Some(output) = case.python("broken.unmask") {
        refused(&output);
    }
}

#[test]
fn claims_and_recipes_that_are_not_so_are_refused_by_both_checkers() {
    let case = Case::noisy();
    case.audit(&["--standardize", "own", "--sample", "20"]);
    // The claim begins with the numbers of weights and blocks, the gain of all, and the bound.
    let changes = [
        "data[claim + 3] += 1",
        "data[claim + 2] -= 1",
        "data[claim + 1] += 1",
        "data[claim + 4 + 8 * 4] -= 1",
        "data[claim + 4 + 6] ^= 255",
        "data[-2:] = b''",
        "data[-1] = 1",
        "data = data + data",
        "data = data.replace(b'\"scale\":\"own\"', b'\"scale\":\"original\"')",
        "data = data.replace(b'\"map\":[0', b'\"map\":[1')",
        "data = data.replace(b'\"kind\":\"numbers\"', b'\"kind\":\"labels\"', 1)",
        "data = data.replace(b'\"unit\":1', b'\"unit\":2')",
        "import re; data = re.sub(rb'\"targets\":.(\\d+),\\d+', rb'\"targets\":[\\1,\\1', bytes(data))",
    ];
    for change in changes {
        if !case.mutate(change) {
            return;
        }
        let whole = std::fs::read(case.path().join("proof.unmask")).expect("reads");
        assert_ne!(std::fs::read(case.path().join("mutated.unmask")).expect("reads"), whole);
        if change == "data = data + data" {
            // The same twice is no mistake.
            assert_eq!(success(&case.python("mutated.unmask").expect("Python")).lines().count(), 2);
            continue;
        }
        case.mutated_is_refused();
    }
    assert!(case.mutate("data[claim + 3] += 1"));
    let errors = case.mutated_is_refused();
    assert!(errors.iter().all(|error| error.contains("fails at node")), "{errors:?}");
}

#[test]
fn generated_rows_are_proven_as_all_rows_are() {
    let case = Case::noisy();
    case.audit(&[]);
    let said = case.verify_twice();
    case.audit(&["--rows", "generated", "--force"]);
    assert_eq!(case.verify_twice(), said);
}

#[test]
fn certificates_are_private_and_replace_nothing() {
    let case = Case::noisy();
    case.audit(&["--standardize", "own"]);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let file = std::fs::metadata(case.path().join("proof.unmask")).expect("is there");
        assert_eq!(file.permissions().mode() & 0o777, 0o600);
    }
    case.write("proof.unmask", "something");
    let error = refusal(&case.try_audit(&["--standardize", "own"]));
    assert!(error.contains("proof.unmask") && error.contains("--force"), "{error}");
    assert_eq!(case.read("proof.unmask"), "something");
    case.audit(&["--standardize", "own", "--force"]);
    case.verify();
}

#[test]
fn what_cannot_be_certified_is_refused_with_a_remedy() {
    let case = Case::noisy();
    case.write("left-out.csv", "record\n");
    for (options, remedy) in [
        (["--solver", "heuristic"], "--solver exact"),
        (["--solver", "milp-highs"], "--solver exact"),
        (["--aggregation", "owa"], "weighted-mean"),
        (["--discarded", "left-out.csv"], "--key"),
    ] {
        let error = refusal(&case.try_audit(&options));
        assert!(error.contains(remedy), "{options:?}: {error}");
        assert!(!case.path().join("proof.unmask").exists());
    }
    misuse(&unmask_in(case.path(), &["verify", "proof.unmask", "--original", "o.csv"]));
}
