//! Limits are kept only where everything they speak of was looked at and bounded.

use crate::support::survey::{FIVE, dataset, released_as, survey, unhurried};
use std::time::Duration;
use unmask::audit::{Audit, AuditRecord};
use unmask::dataset::{Dataset, ReadOptions, Role};
use unmask::linkage::Release;
use unmask::protection::{Noise, ProtectionMethod};

const THREE: [&str; 3] = ["age", "sex", "region"];

/// The survey, released as it is, with `confidential` columns.
fn unchanged(confidential: &[&str]) -> Release {
    let mut file = dataset(&survey());
    file.set_role(confidential, Role::Confidential).unwrap();
    Release::by_row(file.clone(), file).unwrap()
}

#[test]
fn a_limit_of_certain_values_is_refused_where_none_would_be_looked_at() {
    let nothing_said = unchanged(&[]);
    let error = Audit::of(&nothing_said).attributes(THREE).max_certain(0.0).run(&()).unwrap_err();
    assert!(error.to_string().contains("name one with `confidential`"), "{error}");
    let attacked = unchanged(&["sex"]);
    let error = Audit::of(&attacked).attributes(THREE).max_certain(0.0).run(&()).unwrap_err();
    assert!(error.to_string().contains("attacked itself (sex)"), "{error}");
}

#[test]
fn a_limit_of_certain_values_is_told_whether_it_is_kept_or_not() {
    let release = unchanged(&["occupation"]);
    for (most, kept) in [(0.01, false), (1.0, true)] {
        let audit = Audit::of(&release).attributes(THREE).max_certain(most).time_limit(SHORT);
        let record = audit.run(&()).unwrap();
        assert_eq!(
            record.verdict.kept,
            Some(kept && record.coverage.direct_identifiers.is_empty())
        );
        let judged = record.certain_threshold.as_ref().expect("one was given");
        assert_eq!(judged.exceeded, !kept);
        assert_eq!(judged.attribute.as_deref(), Some("occupation"));
        assert!(judged.share > 0.1, "{judged:?}");
        #[cfg(feature = "report")]
        {
            let page = record.document().unwrap();
            let said = page.consequences.iter().find(|line| line.contains("certain confidential"));
            let word = if kept { "is kept" } else { "is exceeded" };
            assert!(said.is_some_and(|line| line.contains(word)), "{said:?}");
        }
    }
}

const SHORT: Duration = Duration::from_secs(10);

/// The survey in which every tenth record tells nothing about the five attributes, in the words of
/// `nothing`.
fn tenth_hidden(nothing: impl Fn(&str) -> String) -> AuditRecord {
    let (header, mut rows) = survey();
    for row in rows.iter_mut().step_by(10) {
        let known = header.iter().zip(row).filter(|(name, _)| FIVE.contains(&name.as_str()));
        known.for_each(|(name, cell)| *cell = nothing(name));
    }
    unhurried(&released_as(&(header, rows))).attributes(FIVE).run(&()).unwrap()
}

/// Every label of a column of the survey as a set.
fn all_of(column: &str) -> String {
    let (header, rows) = survey();
    let k = header.iter().position(|name| name == column).expect("a column");
    let mut cells: Vec<&str> = rows.iter().map(|row| row[k].as_str()).collect();
    cells.sort_unstable();
    cells.dedup();
    format!("{{{}}}", cells.join("|"))
}

#[test]
fn cells_that_stand_for_every_value_hide_nobody_else_whatever_their_notation() {
    let stars = tenth_hidden(|_| "*".to_owned());
    let spelled = tenth_hidden(|name| match name {
        "age" => "\"[0, 120]\"".to_owned(),
        "region" => "*****".to_owned(),
        name => all_of(name),
    });
    assert!(stars.verdict.rate > 0.85, "{:?}", stars.verdict);
    assert_eq!(spelled.verdict.expected, stars.verdict.expected);
    assert_eq!((stars.verdict.blank, spelled.verdict.blank), (300, 300));
}

fn census(attributes: usize, p: f64) -> Release {
    let census = Dataset::load("census", &ReadOptions::default()).unwrap();
    let names = &census.names()[..attributes];
    let census = census.select(&(0..400).collect::<Vec<_>>()).unwrap();
    let noisy = Noise::new(p).protect(&census, names, 1, &()).unwrap().released;
    Release::by_row(census, noisy).unwrap()
}

#[test]
fn who_had_no_time_is_named_and_keeps_no_limit() {
    let release = census(4, 40.0);
    let names = release.original().names();
    let audit = Audit::of(&release).attributes(&names[..4]).max_risk(1.0, "a test");
    let record = audit.time_limit(Duration::ZERO).run(&()).unwrap();
    let verdict = &record.verdict;
    for attack in ["assignment", "probabilistic"] {
        assert!(verdict.unbounded.iter().any(|name| name == attack), "{verdict:?}");
        assert!(verdict.warnings.iter().any(|warning| warning.contains(attack)), "{verdict:?}");
    }
    assert_eq!((verdict.bounded, verdict.upper_bound, verdict.kept), (false, 1.0, Some(false)));
    assert!(verdict.headline().contains("nothing proves"), "{}", verdict.headline());
}

/// Its proofs speak of weights above a floor and rows beyond a margin.
#[cfg(feature = "milp")]
#[test]
fn a_solver_that_leaves_weights_out_bounds_no_attacker() {
    use unmask::learning::SolverChoice;
    let release = census(2, 20.0);
    let names = release.original().names();
    let audit =
        Audit::of(&release).attributes(&names[..2]).sample(30).solver(SolverChoice::MilpHighs);
    let record = audit.max_risk(1.0, "a test").run(&()).unwrap();
    assert_ne!(record.worst_case.scope, unmask_solvers::ProofScope::default());
    assert_eq!((record.verdict.bounded, record.verdict.kept), (false, Some(false)));
    assert!(!record.verdict.proven, "{:?}", record.verdict);
}

#[test]
fn on_a_map_suppressed_people_make_no_release_safer() {
    let (header, rows) = survey();
    let mut few = rows.clone();
    few.truncate(600);
    let whole = dataset(&(header.clone(), rows));
    let by_key = |file| Release::by_key(whole.clone(), file, "person_id").unwrap();
    let (all, few) = (by_key(whole.clone()), by_key(dataset(&(header, few))));
    let audit = Audit::of(&all).attributes(THREE).key("person_id").max_risk(0.3, "a test");
    let record = audit.time_limit(SHORT * 2).compared_with("few", &few).run(&()).unwrap();
    let [all, few] = [&record.releases[0], &record.releases[1]];
    assert_eq!(few.verdict.suppressed, 2_400);
    assert!(few.verdict.rate < 0.2 && few.risk() > 0.3, "{:?}", few.verdict);
    assert!(few.risk() >= all.verdict.rate, "fewer people are easier to tell apart");
    assert_eq!(few.exceeded, Some(true));
    assert_eq!(few.verdict.threshold, Some(0.3));
    #[cfg(feature = "report")]
    {
        let lines = record.document().unwrap().consequences;
        assert!(
            lines.iter().any(|line| line.starts_with("few exceeds the limit too")),
            "{lines:?}"
        );
    }
}

#[test]
fn a_heuristic_that_reaches_its_bound_is_bounded_and_nothing_says_at_least_nobody() {
    use unmask::learning::{Count, SolverChoice};
    use unmask::protection::microaggregation::Mdav;
    let file = dataset(&survey());
    let names = ["age", "weight"].map(String::from);
    let grouped = Mdav::new(5).protect(&file, &names, 1, &()).unwrap().released;
    let release = Release::by_row(file, grouped).unwrap();
    let audit = Audit::of(&release).attributes(names).count(Count::Certain);
    let record = audit.solver(SolverChoice::Heuristic).time_limit(SHORT).run(&()).unwrap();
    let said = record.verdict.sentence();
    assert!(record.verdict.rate > 0.0 || !said.contains("At least nobody"), "{said}");
}
