//! Attackers who know how a release was made.

use crate::support::methods::{all_methods, random_methods};
use crate::support::{refusal, success, unmask_in};
use rand::seq::SliceRandom;
use unmask::audit::Audit;
use unmask::dataset::{Dataset, ReadOptions};
use unmask::linkage::{Attack, Ceiling, Release, TieRule};
use unmask::protection::microaggregation::Mdav;
use unmask::protection::{
    MadeFile, Method, Noise, Protection, RankSwapping, Recipe, Supposition, SwapVariant,
};
use unmask::random::generator;

const SEVEN: [&str; 7] = ["AFNLWGT", "AGI", "EMCONTRB", "FEDTAX", "PTOTVAL", "STATETAX", "TAXINC"];

fn census(records: usize) -> Dataset {
    let census = Dataset::load("census", &ReadOptions::default()).expect("built in");
    census.select(&(0..records).collect::<Vec<_>>()).expect("rows")
}

fn recipe(method: Method) -> Recipe {
    let attributes = SEVEN.iter().map(|name| (*name).to_owned()).collect();
    Recipe { attributes, seed: Some(5), ..method.into() }
}

/// The first records of Census as `method` protects them, to whoever knows it.
fn known(method: Method, records: usize) -> Release {
    made_by(method, records).expect("protects")
}

/// The same; none where the method does not protect these.
fn made_by(method: Method, records: usize) -> Option<Release> {
    let (original, recipe) = (census(records), recipe(method));
    let made = Protection::from(recipe.clone()).apply(&original, &()).ok()?;
    let release = Release::by_row(original, made.protected.released).ok()?;
    Some(release.made_by(&recipe).expect("fits"))
}

fn json(output: &std::process::Output) -> serde_json::Value {
    serde_json::from_str(&success(output)).expect("JSON")
}

fn found(attack: &Attack, release: &Release) -> f64 {
    attack.link(release, &SEVEN, &()).expect("links").reidentified(TieRule::Share)
}

fn swapping(p: f64) -> Method {
    Method::RankSwapping(RankSwapping::new(p))
}

#[test]
fn who_knows_the_window_of_a_rank_swap_finds_twice_what_the_best_weights_reach() {
    // Best weights reach 616 at most, by a bound, and 153 (../results/bench/worst_case_map.md).
    for (p, alone, one_to_one) in [(10.0, 900.0, 970.0), (20.0, 263.0, 300.0)] {
        let release = known(swapping(p), 1080);
        let informed = found(&Attack::Informed, &release);
        let paired = found(&Attack::InformedOneToOne, &release);
        assert!(informed >= alone && paired >= one_to_one, "p = {p}: {informed}, {paired}");
    }
}

#[test]
fn who_knows_the_noise_finds_more_than_equal_weights() {
    let release = known(Method::Noise(Noise::new(50.0)), 400);
    let [equal, informed] = [Attack::Dbrl1, Attack::Informed].map(|a| found(&a, &release));
    assert!(informed >= 1.1 * equal, "{informed}, {equal}");
}

#[test]
fn the_true_record_is_a_candidate_under_every_method_that_says_how_likely_it_is() {
    let mut said = 0;
    for method in random_methods() {
        let (original, recipe) = (census(300), recipe(method.clone()));
        let made = Protection::from(recipe.clone()).apply(&original, &()).expect("protects");
        let (released, attacked) = (made.protected.released, recipe.attributes.clone());
        let made = MadeFile {
            original: &original,
            released: &released,
            protected: &recipe.attributes,
            attacked: &attacked,
        };
        let parts = recipe.likelihoods(made).expect("fits").expect("says");
        for i in 0..300 {
            let mut costs = vec![0.0; 300];
            parts.iter().for_each(|part| part.add_costs(i, &mut costs));
            assert!(costs[i].is_finite(), "{}: {i}", method.name());
        }
        said += 1;
    }
    assert_eq!(said, 5);
}

#[test]
fn nobody_who_knows_the_method_passes_the_ceiling() {
    let mut tried = 0;
    for method in all_methods() {
        let name = method.name();
        let Some(release) = made_by(method.clone(), 150) else { continue };
        tried += 1;
        let ceiling = Ceiling::of(&release, &SEVEN).expect("measures");
        for attack in [
            Attack::Dbrl1,
            Attack::Dbrl2,
            Attack::Assignment,
            Attack::Informed,
            Attack::InformedOneToOne,
            Attack::MaximumKnowledge,
        ] {
            // Some say nothing about the method.
            let Ok(links) = attack.link(&release, &SEVEN, &()) else { continue };
            let found = links.reidentified(TieRule::Share);
            let certain = links.reidentified(TieRule::Miss);
            assert!(found <= ceiling.expected + 1e-9, "{name}: {attack:?} {found}");
            assert!(certain <= ceiling.expected + 1e-9, "{name}: {attack:?} {certain}");
        }
    }
    assert!(tried > 12, "{tried} methods");
}

#[test]
fn whoever_applies_a_method_without_draws_again_reaches_the_ceiling() {
    let release = known(Method::Mdav(Mdav::new(3)), 300);
    let ceiling = Ceiling::of(&release, &SEVEN).expect("measures");
    assert!((found(&Attack::MaximumKnowledge, &release) - ceiling.expected).abs() < 1e-9);
    assert!((ceiling.expected - 100.0).abs() < 1.0 && ceiling.certain == 0);
    let drawn = known(swapping(10.0), 300);
    let error = Attack::MaximumKnowledge.link(&drawn, &SEVEN, &()).expect_err("draws");
    assert!(error.to_string().contains("draws random numbers"), "{error}");
}

#[test]
fn the_order_of_rows_changes_no_count_of_who_knows_the_method() {
    for method in [swapping(8.0), Method::Noise(Noise::new(30.0))] {
        let (original, recipe) = (census(200), recipe(method));
        let made = Protection::from(recipe.clone()).apply(&original, &()).expect("protects");
        let released = made.protected.released;
        let mut order: Vec<usize> = (0..200).collect();
        order.shuffle(&mut generator(3, 0));
        let shuffled = |file: &Dataset| file.select(&order).expect("rows");
        let by_row = |original, released| {
            Release::by_row(original, released).expect("rows").made_by(&recipe).expect("fits")
        };
        let first = by_row(original.clone(), released.clone());
        let other = by_row(shuffled(&original), shuffled(&released));
        for attack in [Attack::Informed, Attack::InformedOneToOne] {
            assert_eq!(found(&attack, &first), found(&attack, &other), "{attack:?}");
        }
    }
}

#[test]
fn targets_are_found_among_all_records_with_what_the_whole_files_tell() {
    let release = known(swapping(10.0), 400);
    let all = Attack::Informed.link(&release, &SEVEN, &()).expect("links");
    let targets = release.targets(60, 9).expect("drawn");
    let some = Attack::Informed.link(&targets, &SEVEN, &()).expect("links");
    for (link, row) in some.0.iter().zip(targets.rows()) {
        assert_eq!(link, &all.0[*row as usize]);
    }
}

#[test]
fn ranks_are_lost_where_files_are_cut() {
    let sample = known(swapping(10.0), 400).sample(100, 1).expect("drawn");
    let error = Attack::Informed.link(&sample, &SEVEN, &()).expect_err("is refused").to_string();
    assert!(error.contains("ranks are lost"), "{error}");
    let unknown = Release::by_row(census(50), census(50)).expect("rows");
    let error = Attack::Informed.link(&unknown, &SEVEN, &()).expect_err("is refused").to_string();
    assert!(error.contains("give `recipe`"), "{error}");
}

#[test]
fn a_strength_that_is_not_told_is_estimated() {
    let suppose = |text: &str| text.parse::<Supposition>().expect("is read");
    let swapped = known(swapping(12.0), 500);
    let (release, told) = swapped.supposed(&suppose("rank-swapping")).expect("fits");
    let (name, p) = told.estimated.expect("was estimated");
    assert!(name == "p" && (8.0..=12.0 + 1e-9).contains(&p), "{p}");
    assert!(found(&Attack::Informed, &release) > 0.5 * found(&Attack::Informed, &swapped));
    let (_, told) = swapped.supposed(&suppose("rank-swapping --p 14..20")).expect("fits");
    assert_eq!(told.estimated.expect("in the range").1, 14.0);
    let noisy = known(Method::Noise(Noise::new(25.0)), 500);
    let (_, told) = noisy.supposed(&suppose("noise --noise uncorrelated")).expect("fits");
    let p = told.estimated.expect("was estimated").1;
    assert!((15.0..=35.0).contains(&p), "{p}");
    let symmetric = suppose("rank-swapping --p 10 --swap symmetric");
    let (release, told) = swapped.supposed(&symmetric).expect("fits");
    assert_eq!(
        (told.estimated, release.recipe().expect("known").method.name()),
        (None, "rank-swapping")
    );
    let method = release.recipe().expect("known").method.clone();
    let swap = SwapVariant::Symmetric;
    assert_eq!(method, Method::RankSwapping(RankSwapping { swap, ..RankSwapping::new(10.0) }));
}

#[test]
fn a_guess_that_is_no_method_is_refused_before_files_are_read() {
    for (text, part) in [
        ("", "which is no method"),
        ("smoke --p 3", "which is no method"),
        ("noise 3", "come options"),
        ("noise --p", "come options"),
        ("noise --p 9..3", "LOW..HIGH"),
        ("noise --strength 3", "strength"),
    ] {
        let error = text.parse::<Supposition>().expect_err(text).to_string();
        assert!(error.contains(part), "{text}: {error}");
    }
}

#[test]
fn an_audit_with_a_recipe_attacks_as_who_knows_the_method() {
    let folder = tempfile::tempdir().expect("a folder");
    let run = |arguments: &[&str]| unmask_in(folder.path(), arguments);
    let attributes = SEVEN.join(",");
    let protect = ["protect", "rank-swapping", "census", "--p", "10", "--seed", "4", "-o", "s.csv"];
    success(&run(&[&protect[..], &["--attributes", &attributes]].concat()));
    let pair = ["--original", "census", "--released", "s.csv", "--attributes", &attributes];
    let audit = [&["audit", "--format", "json", "--time-limit", "20s"], &pair[..]].concat();
    let with = json(&run(&[&audit[..], &["--recipe", "s.csv.recipe.toml"]].concat()));
    assert_eq!(with["verdict"]["attack"], "informed-one-to-one");
    assert!(with["verdict"]["rate"].as_f64().expect("a share") > 0.85, "{}", with["verdict"]);
    assert_eq!(with["ceiling"]["attacked"]["expected"], 1080);
    let supposed = json(&run(&[&audit[..], &["--suppose", "rank-swapping --p 5..20"]].concat()));
    assert!(supposed["verdict"]["rate"].as_f64().expect("a share") > 0.6);
    assert_eq!(supposed["supposed"]["estimated"][0], "p");
    let link = [&["link", "--attack", "informed"], &pair[..]].concat();
    let text = success(&run(&[&link[..], &["--suppose", "rank-swapping"]].concat()));
    assert!(text.contains("estimated from the release"), "{text}");
    assert!(refusal(&run(&link)).contains("--recipe"));
}

#[test]
fn without_a_recipe_an_audit_says_the_ceiling_and_names_no_informed_attacker() {
    let original = census(200);
    let made = Protection::from(recipe(Method::Mdav(Mdav::new(4)))).apply(&original, &());
    let released = made.expect("protects").protected.released;
    let release = Release::by_row(original, released).expect("rows");
    let record = Audit::of(&release).attributes(SEVEN).run(&()).expect("audits");
    assert!(record.attacks.iter().all(|row| !row.attack.contains("informed")));
    assert!((record.ceiling.attacked.expected - 50.0).abs() < 1.0);
    assert!(record.verdict.rate <= record.ceiling.attacked.rate + 1e-9);
}
