//! Fingerprints: the worked example of S. Schrittwieser et al., "An algorithm for
//! k-anonymity-based fingerprinting", and what must hold on any file.

use crate::support::{refusal, success, unmask_in};
use rand::RngExt;
use std::collections::HashMap;
use std::sync::OnceLock;
use tempfile::TempDir;
use unmask::dataset::{Attribute, Dataset, ReadOptions};
use unmask::fingerprint::{
    Assignment, ClusterChoice, Clustering, Delivery, GeneralizationPattern, Identification, Leak,
    Plan, PlanOptions, TellApart, Verdict, finest, is_below, robustness,
};
use unmask::lattice::{Criteria, Hierarchy, LatticeMetric, enumerate, generalize};
use unmask::random::generator;

/// Table 1.
const TABLE_1: &str = "name,sex,birthdate,disease\n\
    Bob,m,19.03.1970,chest pain\n\
    Dave,m,20.03.1970,short breath\n\
    Alice,f,18.04.1970,obesity\n\
    Eve,f,21.04.1970,short breath\n";

/// Figure 1.
const SEX: &str = "m,p\nf,p\n";
const BIRTHDATE: &str = "19.03.1970,03.1970,1970\n20.03.1970,03.1970,1970\n\
    18.04.1970,04.1970,1970\n21.04.1970,04.1970,1970\n";

/// Table 6; its birthdates differ from those of Table 1.
const TABLE_6: &str = "name,sex,birthdate,zip,disease\n\
    Bob,m,18.03.1970,1004,chest pain\n\
    Dave,m,19.03.1970,1015,short breath\n\
    Alice,f,20.04.1970,1004,obesity\n\
    Eve,f,21.04.1970,1015,short breath\n";
const BIRTHDATE_6: &str = "18.03.1970,03.1970,1970\n19.03.1970,03.1970,1970\n\
    20.04.1970,04.1970,1970\n21.04.1970,04.1970,1970\n";
const ZIP_6: &str = "1004,100X\n1015,101X\n";

fn csv(text: &str) -> Dataset {
    Dataset::from_csv("made.csv", text.as_bytes(), &ReadOptions::default()).unwrap()
}

fn hierarchy(attribute: &str, text: &str) -> Hierarchy {
    Hierarchy::parse_csv("made", attribute, text.as_bytes()).unwrap()
}

fn worked_example() -> (Dataset, [Hierarchy; 2], PlanOptions) {
    let hierarchies = [hierarchy("sex", SEX), hierarchy("birthdate", BIRTHDATE)];
    let mut options = PlanOptions::new(2, LatticeMetric::Samarati);
    (options.min_loss, options.max_loss) = (1.0, 2.0);
    (csv(TABLE_1), hierarchies, options)
}

fn given(recipient: &str, levels: &[usize]) -> Assignment {
    Assignment { recipient: recipient.into(), levels: levels.to_vec() }
}

fn names(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

/// What a leak of one pattern says.
fn identified(
    file: &Dataset,
    hierarchies: &[Hierarchy],
    assignments: &[Assignment],
) -> Identification {
    let quasi: Vec<String> = hierarchies.iter().map(|h| h.attribute().to_owned()).collect();
    let leak = Leak::read(file, hierarchies).unwrap();
    assert_eq!(leak.parts.len(), 1, "one pattern");
    leak.parts[0].identify(assignments, &quasi).unwrap()
}

#[test]
fn the_worked_example_gives_the_published_clusters() {
    let (data, hierarchies, options) = worked_example();
    let plan = Plan::make(&data, &hierarchies, &[], &options, &()).unwrap();
    assert_eq!((plan.upper_bound, plan.anonymous), (6, 4));
    let clusters: Vec<(f64, Vec<(GeneralizationPattern, usize)>)> = plan
        .clusters
        .iter()
        .map(|c| {
            let solutions = plan.solutions[c.range()].iter();
            (c.least_loss, solutions.map(|s| (s.levels.clone(), s.k)).collect())
        })
        .collect();
    let published =
        vec![(1.0, vec![(vec![0, 1], 2)]), (2.0, vec![(vec![1, 1], 2), (vec![0, 2], 2)])];
    assert_eq!(clusters, published);
    let serves: Vec<usize> = plan.clusters.iter().map(|c| c.recipients()).collect();
    assert_eq!(serves, [1, 2]);
}

#[test]
fn two_recipients_get_the_published_patterns_and_are_told_by_any_record() {
    let (data, hierarchies, options) = worked_example();
    let mut plan = Plan::make(&data, &hierarchies, &names(&["name"]), &options, &()).unwrap();
    let cluster = plan.assign(&names(&["first", "second"]), &ClusterChoice::default()).unwrap();
    assert_eq!(cluster, 2);
    assert_eq!(plan.assignments, [given("first", &[1, 1]), given("second", &[0, 2])]);
    let kept = plan.without_dropped(&data).unwrap();
    assert!(kept.position("name").is_err());
    for own in &plan.assignments {
        let release = plan.release(&kept, own).unwrap();
        for record in 0..4 {
            let leaked = release.select(&[record]).unwrap();
            let found = identified(&leaked, &hierarchies, &plan.assignments);
            assert_eq!(found.verdict, Verdict::Exact);
            assert_eq!(found.sources, [vec![own.recipient.clone()]]);
        }
    }
}

#[test]
fn the_collusion_of_table_6_needs_exactly_sets_one_and_two() {
    let hierarchies =
        [hierarchy("sex", SEX), hierarchy("birthdate", BIRTHDATE_6), hierarchy("zip", ZIP_6)];
    let assignments =
        [given("one", &[1, 2, 0]), given("two", &[1, 1, 1]), given("three", &[0, 2, 1])];
    let data = csv(TABLE_6);
    let set_1 = generalize(&data, &hierarchies, &assignments[0].levels).unwrap();
    assert_eq!(identified(&set_1, &hierarchies, &assignments).sources, [names(&["one"])]);
    let leaked = "birthdate,sex,zip,disease\n03.1970,p,1015,short breath\n";
    let mut options = ReadOptions::default();
    ["birthdate", "sex", "zip"].iter().for_each(|name| options.schema.set_nominal(name));
    let leaked = Dataset::from_csv("leaked.csv", leaked.as_bytes(), &options).unwrap();
    let found = identified(&leaked, &hierarchies, &assignments);
    assert_eq!(found.verdict, Verdict::Coalition);
    assert_eq!(found.sources, [names(&["one", "two"])]);
    assert!(found.complete);
}

#[test]
fn generalizing_further_does_not_hide_the_recipient_of_section_4() {
    // U1 received (a1, b2), U2 received (a2, b1); U2 publishes (a3, b1).
    let levels = |name: &str| {
        let rows: Vec<[String; 4]> =
            (0..8).map(|v: usize| [0, 1, 2, 3].map(|l| format!("{name}{l}:{}", v >> l))).collect();
        Hierarchy::new(name, rows).unwrap()
    };
    let hierarchies = [levels("a"), levels("b")];
    let assignments = [given("U1", &[1, 2]), given("U2", &[2, 1])];
    let leak = csv("a,b\na3:0,b1:0\n");
    let found = identified(&leak, &hierarchies, &assignments);
    assert_eq!((found.verdict, found.sources), (Verdict::Generalized, vec![names(&["U2"])]));
    let leak = csv("a,b\na2:0,b2:0\n");
    let found = identified(&leak, &hierarchies, &assignments);
    assert_eq!(found.verdict, Verdict::Ambiguous);
    let data = csv("a,b\na0:0,b0:0\na0:1,b0:1\na0:2,b0:2\na0:3,b0:3\n");
    let nodes = enumerate(&data, &hierarchies, &Criteria::k(1), &()).unwrap();
    let lattice = unmask::lattice::Lattice::new(&[4, 4]).unwrap();
    let escapes = robustness(&assignments, &lattice, &nodes, LatticeMetric::Samarati);
    assert_eq!(escapes[0].escape, Some(vec![2, 2]));
    assert_eq!((escapes[0].escape_loss, escapes[0].further_loss), (Some(4.0), Some(1.0)));
    assert_eq!(escapes[0].shared_with, names(&["U2"]));
}

#[test]
fn a_leak_finer_than_anyone_received_is_nobodys() {
    let (data, hierarchies, _) = worked_example();
    let assignments = [given("first", &[1, 1]), given("second", &[0, 2])];
    let found = identified(&data, &hierarchies, &assignments);
    assert_eq!(found.verdict, Verdict::Nobody);
    assert_eq!(found.finer, names(&["birthdate"]));
    assert!(found.sources.is_empty());
}

/// A random file with hierarchies that halve the values on each level.
///
/// When `ambiguous`, one name exists on levels 0 and 1.
struct Made {
    data: Dataset,
    hierarchies: Vec<Hierarchy>,
}

fn made(seed: u64, attributes: usize, ambiguous: bool) -> Made {
    let mut random = generator(seed, 0);
    let records = random.random_range(6..16usize);
    let (mut columns, mut hierarchies) = (Vec::new(), Vec::new());
    for a in 0..attributes {
        let levels = random.random_range(2..4usize);
        let values = 1usize << random.random_range(1..levels + 1);
        let name = |level: usize, value: usize| match value >> level {
            0 if ambiguous && level == 1 => "l0g0".to_owned(),
            group => format!("l{level}g{group}"),
        };
        let rows = (0..values).map(|v| (0..=levels).map(|l| name(l, v)).collect::<Vec<_>>());
        hierarchies.push(Hierarchy::new(&format!("x{a}"), rows).unwrap());
        let column = (0..records).map(|_| Some(name(0, random.random_range(0..values))));
        columns.push(Attribute::nominal(format!("x{a}"), column));
    }
    Made { data: Dataset::new("made.csv", columns).unwrap(), hierarchies }
}

/// All k-anonymous patterns in one cluster, so that some are above others.
fn one_cluster(k: usize) -> PlanOptions {
    let mut options = PlanOptions::new(k, LatticeMetric::Samarati);
    options.clustering = Clustering::Count(1);
    options
}

fn recipients(count: usize) -> Vec<String> {
    (0..count).map(|i| format!("r{i}")).collect()
}

/// Size of the smallest class of the file of `pattern`, counted record by record.
fn naive_k(made: &Made, pattern: &[usize]) -> usize {
    let file = generalize(&made.data, &made.hierarchies, pattern).unwrap();
    let bytes = file.to_bytes(std::path::Path::new("x.csv")).unwrap();
    let text = String::from_utf8(bytes).unwrap();
    let mut classes: HashMap<&str, usize> = HashMap::new();
    text.lines().skip(1).for_each(|line| *classes.entry(line).or_default() += 1);
    classes.into_values().min().unwrap()
}

/// Every set of 0..n with at least one and at most `most` members.
fn subsets(n: usize, most: usize) -> Vec<Vec<usize>> {
    let all = (1..1usize << n).map(|bits| (0..n).filter(|i| bits >> i & 1 == 1).collect());
    all.filter(|set: &Vec<usize>| set.len() <= most).collect()
}

/// Who a leak of `pattern` names, by trying every set of recipients.
fn naive_sources(pattern: &[usize], patterns: &[GeneralizationPattern]) -> Vec<Vec<usize>> {
    if let Some(exact) = patterns.iter().position(|p| p == pattern) {
        return vec![vec![exact]];
    }
    let able: Vec<Vec<usize>> = subsets(patterns.len(), patterns.len())
        .into_iter()
        .filter(|set| is_below(&finest(set.iter().map(|&i| &patterns[i])), pattern))
        .collect();
    let least = able.iter().map(Vec::len).min().unwrap_or(0);
    let mut smallest: Vec<Vec<usize>> = able.into_iter().filter(|s| s.len() == least).collect();
    smallest.sort();
    smallest
}

#[test]
fn every_release_is_told_from_any_single_record() {
    let mut ambiguous_served = 0;
    for seed in 0..30 {
        let ambiguous = seed % 2 == 1;
        let made = made(seed, 3, ambiguous);
        let options = one_cluster(2);
        let Ok(mut plan) = Plan::make(&made.data, &made.hierarchies, &[], &options, &()) else {
            continue;
        };
        let count = plan.most_recipients();
        assert_eq!(plan.clusters[0].at_most, count, "proven");
        assert!(ambiguous || count == plan.solutions.len(), "names that tell serve all");
        plan.assign(
            &recipients(count),
            &ClusterChoice { seed: Some(seed), ..ClusterChoice::default() },
        )
        .unwrap();
        for own in &plan.assignments {
            let release = plan.release(&made.data, own).unwrap();
            assert!(naive_k(&made, &own.levels) >= 2);
            for record in 0..release.records() {
                let leaked = release.select(&[record]).unwrap();
                let found = identified(&leaked, &made.hierarchies, &plan.assignments);
                assert_eq!(found.sources, [vec![own.recipient.clone()]], "seed {seed}");
                ambiguous_served += usize::from(ambiguous && count > 1);
            }
        }
    }
    assert!(ambiguous_served > 0, "some ambiguous hierarchies serve several recipients");
}

#[test]
fn whole_files_tell_more_recipients_apart_than_single_records() {
    let mut more = 0;
    for seed in 0..20 {
        let made = made(seed, 2, true);
        let plan = |tell_apart| {
            let options = PlanOptions { tell_apart, ..one_cluster(1) };
            Plan::make(&made.data, &made.hierarchies, &[], &options, &()).unwrap()
        };
        let by_record = plan(TellApart::Record).most_recipients();
        let mut by_file = plan(TellApart::File);
        assert!(by_record <= by_file.most_recipients());
        more += usize::from(by_record < by_file.most_recipients());
        by_file.assign(&recipients(by_file.most_recipients()), &ClusterChoice::default()).unwrap();
        for own in &by_file.assignments {
            let release = by_file.release(&made.data, own).unwrap();
            let found = identified(&release, &made.hierarchies, &by_file.assignments);
            assert_eq!(found.sources, [vec![own.recipient.clone()]], "seed {seed}");
        }
    }
    assert!(more > 0);
}

#[test]
fn random_coalitions_are_found_with_all_others_that_could_do_it() {
    for seed in 0..25 {
        let made = made(seed, 3, false);
        let mut random = generator(seed, 9);
        let pattern = |random: &mut rand_chacha::ChaCha8Rng| -> GeneralizationPattern {
            made.hierarchies.iter().map(|h| random.random_range(0..h.levels())).collect()
        };
        let mut patterns: Vec<GeneralizationPattern> =
            (0..5).map(|_| pattern(&mut random)).collect();
        patterns.sort();
        patterns.dedup();
        let assignments: Vec<Assignment> =
            patterns.iter().enumerate().map(|(i, p)| given(&format!("r{i}"), p)).collect();
        for coalition in subsets(patterns.len(), 3) {
            let joined = finest(coalition.iter().map(|&i| &patterns[i]));
            let leaked = generalize(&made.data, &made.hierarchies, &joined).unwrap();
            let found = identified(&leaked, &made.hierarchies, &assignments);
            let expected: Vec<Vec<String>> = naive_sources(&joined, &patterns)
                .iter()
                .map(|set| set.iter().map(|i| format!("r{i}")).collect())
                .collect();
            assert_eq!(found.sources, expected, "seed {seed}, {coalition:?}");
            assert!(found.sources.iter().all(|set| set.len() <= coalition.len()));
        }
    }
}

/// True when any coalition of up to `c` stays k-anonymous and names itself alone.
fn naively_safe(made: &Made, patterns: &[GeneralizationPattern], k: usize, c: usize) -> bool {
    subsets(patterns.len(), c).iter().all(|coalition| {
        let joined = finest(coalition.iter().map(|&i| &patterns[i]));
        naive_k(made, &joined) >= k && naive_sources(&joined, patterns) == [coalition.clone()]
    })
}

#[test]
fn safe_plans_withstand_every_coalition_and_serve_as_many_as_possible() {
    let mut largest = 0;
    for seed in 0..40 {
        let made = made(seed, 3, false);
        for c in 1..=3 {
            let options = PlanOptions { collusion: c, ..one_cluster(2) };
            let plan = Plan::make(&made.data, &made.hierarchies, &[], &options, &());
            let Ok(plan) = plan else { continue };
            let cluster = &plan.clusters[0];
            let all: Vec<GeneralizationPattern> =
                plan.solutions.iter().map(|s| s.levels.clone()).collect();
            let chosen: Vec<GeneralizationPattern> =
                cluster.chosen.iter().map(|&i| all[i].clone()).collect();
            if chosen.len() <= 8 {
                assert!(naively_safe(&made, &chosen, 2, c), "seed {seed}, c {c}: {chosen:?}");
            }
            assert_eq!(cluster.at_most, chosen.len(), "proven");
            if all.len() <= 9 {
                let best = subsets(all.len(), all.len())
                    .into_iter()
                    .filter(|set| set.len() > chosen.len())
                    .map(|set| {
                        set.iter().map(|&i| all[i].clone()).collect::<Vec<GeneralizationPattern>>()
                    })
                    .find(|family| naively_safe(&made, family, 2, c));
                assert_eq!(best, None, "seed {seed}, c {c}");
                largest = largest.max(if c > 1 { chosen.len() } else { 0 });
            }
            assert!(cluster.price >= -1e-9, "safety is not cheaper than its lack");
        }
    }
    assert!(largest >= 2, "some files have safe plans for several recipients");
}

#[test]
fn every_coalition_of_a_safe_release_is_named_from_its_joined_file() {
    let mut coalitions = 0;
    for seed in 0..6 {
        let ambiguous = seed % 3 == 2;
        let made = made(seed, 4, ambiguous);
        let options = PlanOptions { collusion: 2, effort: 200_000, ..one_cluster(1) };
        let mut plan = Plan::make(&made.data, &made.hierarchies, &[], &options, &()).unwrap();
        plan.assign(&recipients(plan.most_recipients()), &ClusterChoice::default()).unwrap();
        for coalition in subsets(plan.assignments.len().min(10), 2) {
            let joined = finest(coalition.iter().map(|&i| &plan.assignments[i].levels));
            let file = generalize(&made.data, &made.hierarchies, &joined).unwrap();
            let leaked = file.select(&[seed as usize % file.records()]).unwrap();
            let found = identified(&leaked, &made.hierarchies, &plan.assignments);
            let expected: Vec<String> =
                coalition.iter().map(|&i| plan.assignments[i].recipient.clone()).collect();
            assert_eq!(found.sources, [expected], "seed {seed}");
            coalitions += usize::from(coalition.len() > 1);
        }
    }
    assert!(coalitions > 20, "{coalitions}");
}

#[test]
fn the_escape_of_each_recipient_is_the_cheapest_of_all_nodes() {
    for seed in 0..15 {
        let made = made(seed, 2, false);
        let mut plan =
            Plan::make(&made.data, &made.hierarchies, &[], &one_cluster(1), &()).unwrap();
        let count = plan.most_recipients().min(5);
        plan.assign(
            &recipients(count),
            &ClusterChoice { seed: Some(seed), ..ClusterChoice::default() },
        )
        .unwrap();
        let (lattice, patterns) = (
            plan.lattice().unwrap(),
            plan.assignments
                .iter()
                .map(|a| a.levels.clone())
                .collect::<Vec<GeneralizationPattern>>(),
        );
        let nodes = enumerate(&made.data, &made.hierarchies, &Criteria::k(1), &()).unwrap();
        for metric in [LatticeMetric::Samarati, LatticeMetric::Precision, LatticeMetric::DmStar] {
            let escapes = robustness(&plan.assignments, &lattice, &nodes, metric);
            for (i, escape) in escapes.iter().enumerate() {
                let hidden = |node: &&unmask::lattice::NodeRecord| {
                    let sources = naive_sources(&node.levels, &patterns);
                    is_below(&patterns[i], &node.levels) && sources != [vec![i]]
                };
                let losses = nodes.iter().filter(hidden).map(|node| node.loss(metric));
                assert_eq!(escape.escape_loss, losses.reduce(f64::min), "seed {seed}");
            }
        }
    }
}

#[test]
fn records_of_two_releases_are_taken_back_one_by_one() {
    let (_, hierarchies, _) = worked_example();
    let assignments = [given("first", &[1, 1]), given("second", &[0, 2])];
    let mixed = csv("sex,birthdate\np,03.1970\nm,1970\nf,1970\n");
    let leak = Leak::read(&mixed, &hierarchies);
    // Read as numbers, the months are still found by their value.
    let leak = leak.unwrap();
    let quasi = names(&["sex", "birthdate"]);
    let found: Vec<(usize, Vec<Vec<String>>)> = leak
        .parts
        .iter()
        .map(|p| (p.records, p.identify(&assignments, &quasi).unwrap().sources))
        .collect();
    assert_eq!(found, [(2, vec![names(&["second"])]), (1, vec![names(&["first"])])]);
}

/// A folder with the worked example as files.
fn folder() -> TempDir {
    let folder = TempDir::new().unwrap();
    std::fs::create_dir(folder.path().join("h")).unwrap();
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    write("patients.csv", TABLE_1);
    write("h/sex.csv", SEX);
    write("h/birthdate.csv", BIRTHDATE);
    folder
}

/// A folder with the worked example and a plan for it, made once.
pub fn planned() -> TempDir {
    static PLANNED: OnceLock<String> = OnceLock::new();
    let folder = folder();
    let path = folder.path().join("plan.toml");
    let plan = PLANNED.get_or_init(|| {
        success(&unmask_in(folder.path(), &PLAN));
        std::fs::read_to_string(&path).unwrap()
    });
    std::fs::write(&path, plan).unwrap();
    #[cfg(unix)]
    std::fs::set_permissions(&path, std::os::unix::fs::PermissionsExt::from_mode(0o600)).unwrap();
    folder
}

const PLAN: [&str; 15] = [
    "fingerprint",
    "plan",
    "patients.csv",
    "--hierarchies",
    "h",
    "--k",
    "2",
    "--metric",
    "samarati",
    "--min-loss",
    "1",
    "--max-loss",
    "2",
    "-o",
    "plan.toml",
];

fn release<'a>(recipients: &'a str, output: &'a str) -> [&'a str; 8] {
    let plan = "plan.toml";
    ["fingerprint", "release", plan, "patients.csv", "--recipients", recipients, "-o", output]
}

fn with<'a>(arguments: &[&'a str], more: &[&'a str]) -> Vec<&'a str> {
    arguments.iter().chain(more).copied().collect()
}

#[cfg(unix)]
fn mode(path: &std::path::Path) -> u32 {
    use std::os::unix::fs::PermissionsExt;
    std::fs::metadata(path).unwrap().permissions().mode() & 0o777
}

#[test]
fn plan_release_and_identify_work_together() {
    let folder = folder();
    let run = |arguments: &[&str]| success(&unmask_in(folder.path(), arguments));
    let plan: serde_json::Value =
        serde_json::from_str(&run(&with(&PLAN, &["--format", "json"]))).unwrap();
    assert_eq!((&plan["upper_bound"], &plan["most_recipients"]), (&6.into(), &2.into()));
    assert_eq!(plan["solutions"].as_array().unwrap().len(), 3);
    run(&release("graz,tokyo", "files"));
    let text = |name: &str| std::fs::read_to_string(folder.path().join(name)).unwrap();
    let graz = "sex,birthdate,disease\np,03.1970,chest pain\np,03.1970,short breath\n\
                p,04.1970,obesity\np,04.1970,short breath\n";
    assert_eq!(text("files/graz.csv"), graz);
    let tokyo = "sex,birthdate,disease\nm,1970,chest pain\nm,1970,short breath\n\
                 f,1970,obesity\nf,1970,short breath\n";
    assert_eq!(text("files/tokyo.csv"), tokyo);
    #[cfg(unix)]
    for private in ["plan.toml", "plan.patterns.toml"] {
        assert_eq!(mode(&folder.path().join(private)), 0o600, "{private}");
    }
    for list in ["plan.toml", "plan.patterns.toml"] {
        for name in ["graz", "tokyo"] {
            let file = format!("files/{name}.csv");
            let found = run(&["fingerprint", "identify", list, &file]);
            assert!(found.contains(&format!("\n{name}: exactly")), "{found}");
        }
    }
    std::fs::write(folder.path().join("leak.csv"), "sex,birthdate\nm,03.1970\n").unwrap();
    let arguments = ["fingerprint", "identify", "plan.toml", "leak.csv", "--format", "json"];
    let found: serde_json::Value = serde_json::from_str(&run(&arguments)).unwrap();
    assert_eq!(found["parts"][0]["verdict"], "coalition");
    assert_eq!(found["parts"][0]["sources"], serde_json::json!([["graz", "tokyo"]]));
    std::fs::write(folder.path().join("leak.csv"), "birthdate,sex\n19.03.1970,m\n").unwrap();
    assert!(run(&arguments[..4]).contains("nobody"));
}

#[test]
fn the_same_release_again_gives_the_same_bytes_and_newcomers_get_free_patterns() {
    let folder = folder();
    let run = |arguments: &[&str]| success(&unmask_in(folder.path(), arguments));
    run(&PLAN);
    run(&with(&release("graz", "one"), &["--cluster-loss", "2", "--seed", "5"]));
    run(&release("graz,tokyo", "two"));
    let bytes = |name: &str| std::fs::read(folder.path().join(name)).unwrap();
    assert_eq!(bytes("one/graz.csv"), bytes("two/graz.csv"));
    assert_ne!(bytes("two/graz.csv"), bytes("two/tokyo.csv"));
    let error = refusal(&unmask_in(folder.path(), &release("wien", "three")));
    assert!(error.contains("serves 2, 2 of them given out"), "{error}");
    assert!(!folder.path().join("three").exists());
}

#[test]
fn a_release_can_ask_for_safety_that_the_plan_did_not_have() {
    let folder = folder();
    success(&unmask_in(folder.path(), &PLAN));
    let safe = with(&release("graz,tokyo", "files"), &["--collusion", "2"]);
    let report = success(&unmask_in(folder.path(), &safe));
    assert!(report.contains("up to 2 recipients together"), "{report}");
    let plan = std::fs::read_to_string(folder.path().join("plan.toml")).unwrap();
    assert!(plan.contains("\ncollusion = 2\n"), "{plan}");
    let other = with(&release("graz", "more"), &["--collusion", "3"]);
    assert!(refusal(&unmask_in(folder.path(), &other)).contains("have been given out"));
}

#[test]
fn what_cannot_be_planned_is_refused_with_the_nearest_that_can() {
    let folder = folder();
    let refused = |more: &[&str]| {
        let arguments = with(&["fingerprint", "plan", "patients.csv", "--hierarchies", "h"], more);
        let error = refusal(&unmask_in(folder.path(), &with(&arguments, &["-o", "no.toml"])));
        assert!(!folder.path().join("no.toml").exists());
        error
    };
    let bounds = refused(&["--k", "2", "--min-loss", "1.2", "--max-loss", "1.5"]);
    assert!(bounds.contains("below them 1") && bounds.contains("above them 2"), "{bounds}");
    assert!(refused(&["--k", "5"]).contains("the largest k is 4"));
    assert!(refused(&["--k", "0"]).contains("k is at least 1"));
    assert!(refused(&["--k", "2", "--min-loss", "3", "--max-loss", "1"]).contains("ascend"));
    assert!(refused(&["--k", "2", "--collusion", "0"]).contains("coalitions of 1 to"));
    assert!(refused(&["--k", "2", "--drop", "sex"]).contains("quasi-identifier"));
    std::fs::write(folder.path().join("h/sex.csv"), "m,p\n").unwrap();
    assert!(refused(&["--k", "2"]).contains("\"f\""));
}

#[test]
fn what_cannot_be_released_is_refused_and_nothing_is_written() {
    let folder = folder();
    success(&unmask_in(folder.path(), &PLAN));
    let before = std::fs::read(folder.path().join("plan.toml")).unwrap();
    let refused = |arguments: &[&str]| {
        let error = refusal(&unmask_in(folder.path(), arguments));
        assert!(!folder.path().join("files").exists());
        assert_eq!(std::fs::read(folder.path().join("plan.toml")).unwrap(), before);
        error
    };
    let many = refused(&release("a,b,c", "files"));
    assert!(many.contains("at most 2") && many.contains("--cluster width"), "{many}");
    for bad in ["../a", "a,A", "a,a", ".a", "a/b"] {
        assert!(refused(&release(bad, "files")).contains("recipients"), "{bad}");
    }
    refused(&with(&release("a", "files"), &["--cluster-index", "3"]));
    refused(&with(&release("a", "files"), &["--cluster-loss", "7"]));
    let early = refusal(&unmask_in(
        folder.path(),
        &["fingerprint", "identify", "plan.toml", "patients.csv"],
    ));
    assert!(early.contains("release it first"), "{early}");
    let changed = TABLE_1.replace("obesity", "cough");
    std::fs::write(folder.path().join("patients.csv"), changed).unwrap();
    let other = refused(&release("a,b", "files"));
    assert!(other.contains("not the records") && !other.contains("cough"), "{other}");
    let left: Vec<_> = std::fs::read_dir(folder.path())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name.contains(".part"))
        .collect();
    assert!(left.is_empty(), "{left:?}");
}

#[test]
fn an_occupied_folder_and_an_existing_plan_need_force() {
    let folder = folder();
    success(&unmask_in(folder.path(), &PLAN));
    assert!(refusal(&unmask_in(folder.path(), &PLAN)).contains("--force"));
    std::fs::create_dir(folder.path().join("files")).unwrap();
    std::fs::write(folder.path().join("files/other.txt"), "mine").unwrap();
    let arguments = release("a,b", "files");
    assert!(refusal(&unmask_in(folder.path(), &arguments)).contains("--force"));
    success(&unmask_in(folder.path(), &with(&arguments, &["--force"])));
    let other = std::fs::read_to_string(folder.path().join("files/other.txt")).unwrap();
    assert_eq!(other, "mine");
    assert!(folder.path().join("files/a.csv").exists());
}

#[test]
fn only_files_for_their_recipients_are_in_the_folder_that_is_handed_out() {
    let folder = planned();
    let run = |arguments: &[&str]| unmask_in(folder.path(), arguments);
    let printed = success(&run(&release("a,b", "files")));
    assert!(printed.contains("who received what: plan.patterns.toml"), "{printed}");
    let names = std::fs::read_dir(folder.path().join("files")).unwrap();
    let mut names: Vec<_> = names.map(|n| n.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    assert_eq!(names, ["a.csv", "b.csv"]);
    success(&run(&with(&release("a", "more"), &["--list", "list.toml"])));
    let found = run(&["fingerprint", "identify", "list.toml", "files/b.csv"]);
    assert!(success(&found).contains("\nb: exactly"));
    let inside = with(&release("a", "files"), &["--force", "--list", "files/list.toml"]);
    assert!(refusal(&run(&inside)).contains("files/list.toml: says who received what"));
    let around = with(&release("a", "."), &["--force"]);
    assert!(refusal(&run(&around)).contains("plan.toml: says who received what"));
    let same = with(&release("a", "third"), &["--list", "./plan.toml"]);
    assert!(refusal(&run(&same)).contains("that is the plan"));
    assert!(!folder.path().join("third").exists());
}

#[test]
fn nobody_who_received_something_is_forgotten() {
    let folder = planned();
    let run = |arguments: &[&str]| unmask_in(folder.path(), arguments);
    std::fs::copy(folder.path().join("plan.toml"), folder.path().join("other.toml")).unwrap();
    success(&run(&release("a", "files")));
    let error = refusal(&run(&with(&PLAN, &["--force"])));
    assert!(error.contains("plan.toml: says who received what"), "{error}");
    let mut other = release("b", "others");
    other[2] = "other.toml";
    let error = refusal(&run(&with(&other, &["--list", "plan.patterns.toml"])));
    assert!(
        error.contains("plan.patterns.toml: says who received what of another plan"),
        "{error}"
    );
    assert!(!folder.path().join("others").exists());
}

#[test]
fn a_plan_that_changed_since_it_was_read_is_not_replaced() {
    let folder = planned();
    let path = folder.path().join("plan.toml");
    let (mut plan, held) = Plan::hold(&path, || ()).unwrap();
    plan.assign(&names(&["a"]), &ClusterChoice::default()).unwrap();
    let changed = std::fs::read_to_string(&path).unwrap() + "# changed by hand\n";
    std::fs::write(&path, &changed).unwrap();
    let (files, list) = (folder.path().join("files"), folder.path().join("list.toml"));
    let delivery = Delivery { folder: &files, list: &list, force: false };
    let error = delivery.deliver(&held, &plan, &csv(TABLE_1), &names(&["a"])).unwrap_err();
    assert!(error.to_string().contains("was changed while it was worked on"), "{error}");
    assert_eq!(std::fs::read_to_string(&path).unwrap(), changed);
    assert!(!files.exists() && !list.exists());
}

#[cfg(unix)]
#[test]
fn a_plan_or_list_that_others_can_read_is_warned_of() {
    use std::os::unix::fs::PermissionsExt;
    let folder = planned();
    success(&unmask_in(folder.path(), &release("a,b", "files")));
    let identify = |list: &str| {
        let arguments = ["fingerprint", "identify", list, "files/a.csv", "--format", "json"];
        let output = unmask_in(folder.path(), &arguments);
        let json: serde_json::Value = serde_json::from_str(&success(&output)).unwrap();
        (json["warnings"][0].as_str().map(str::to_owned), output.stderr)
    };
    for list in ["plan.toml", "plan.patterns.toml"] {
        assert_eq!(identify(list), (None, Vec::new()));
        let open = std::fs::Permissions::from_mode(0o640);
        std::fs::set_permissions(folder.path().join(list), open).unwrap();
        let (warning, error) = identify(list);
        let warning = warning.unwrap();
        assert!(warning.contains("others can read it (mode 640)"), "{warning}");
        assert_eq!(String::from_utf8(error).unwrap(), format!("warning: {warning}\n"));
    }
    let again = unmask_in(folder.path(), &release("a", "more"));
    assert!(String::from_utf8_lossy(&again.stderr).contains("warning: plan.toml: others can read"));
    assert_eq!(mode(&folder.path().join("plan.toml")), 0o600, "it is written anew");
}

#[test]
fn a_leak_that_is_not_of_the_plan_is_refused_without_its_values() {
    let folder = folder();
    success(&unmask_in(folder.path(), &PLAN));
    success(&unmask_in(folder.path(), &release("a,b", "files")));
    let refused = |text: &str| {
        std::fs::write(folder.path().join("leak.csv"), text).unwrap();
        refusal(&unmask_in(folder.path(), &["fingerprint", "identify", "plan.toml", "leak.csv"]))
    };
    let unknown = refused("sex,birthdate\np,1970\nsecret,1970\n");
    assert!(unknown.contains("column sex, record 2") && !unknown.contains("secret"), "{unknown}");
    assert!(refused("disease\ncough\n").contains("none of the quasi-identifiers"));
    std::fs::write(folder.path().join("plan.toml"), "k = 2\n").unwrap();
    assert!(refused("sex\np\n").contains("not a fingerprint plan"));
}

#[test]
fn a_plan_is_read_as_it_was_written() {
    let (data, hierarchies, options) = worked_example();
    let options = PlanOptions { collusion: 2, max_loss: f64::INFINITY, ..options };
    let mut plan = Plan::make(&data, &hierarchies, &[], &options, &()).unwrap();
    plan.assign(&names(&["a", "b"]), &ClusterChoice::default()).unwrap();
    let text = plan.to_toml().unwrap();
    let mut read = Plan::from_toml(&text, "plan.toml").unwrap();
    read.hierarchies.clone_from(&plan.hierarchies);
    assert_eq!(read, plan);
    let broken = text.replace("levels = [1, 1]", "levels = [1, 7]");
    assert!(Plan::from_toml(&broken, "plan.toml").is_err());
}

#[test]
fn a_plan_in_which_two_recipients_would_have_one_file_is_refused() {
    let (data, hierarchies, options) = worked_example();
    let mut plan = Plan::make(&data, &hierarchies, &[], &options, &()).unwrap();
    plan.assign(&names(&["graz", "tokyo"]), &ClusterChoice::default()).unwrap();
    let read = |plan: &Plan| Plan::from_toml(&plan.to_toml().unwrap(), "plan.toml").map(drop);
    read(&plan).unwrap();
    let changed = |change: fn(&mut Plan)| {
        let mut plan = plan.clone();
        change(&mut plan);
        read(&plan).unwrap_err().to_string()
    };
    let said = changed(|plan| plan.assignments[1].levels = plan.assignments[0].levels.clone());
    assert!(said.contains("assigned patterns stand twice"), "{said}");
    let said = changed(|plan| plan.assignments[1].recipient = "Graz".into());
    assert!(said.contains("recipients stand twice"), "{said}");
    let said = changed(|plan| {
        let chosen = &mut plan.clusters[0].chosen;
        chosen.push(chosen[0]);
    });
    assert!(said.contains("stand twice"), "{said}");
    let error = plan.assign(&names(&["Graz"]), &ClusterChoice::default()).unwrap_err();
    assert!(error.to_string().contains("another spelling"), "{error}");
}
