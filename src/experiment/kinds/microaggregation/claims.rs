//! What the paper claims, held against what was measured.

use super::worst_case::{RecordsFound, WorstCases};
use super::{ComparedMethod, Measured, MicroaggregationExperiment};
use crate::error::Result;
use crate::statistics;

/// A line for each claim: holds or does not hold, with numbers.
pub(super) fn claims(
    experiment: &MicroaggregationExperiment,
    measured: &[Measured],
) -> Result<Vec<String>> {
    let plain: Vec<&Measured> = measured.iter().filter(|m| !m.cell.refined).collect();
    let mut lines = vec![v_mdav_loses_less(&plain), l_diverse_loses_most(&plain)];
    lines.push(disclosure_falls(&plain));
    lines.push(disclosure_hardly_differs(&plain));
    lines.push("claims on time, such as that all are O(n²): timing-claims.md".into());
    lines.extend(worst_cases(experiment, measured));
    lines.extend(homogeneity(experiment, &plain)?);
    lines.extend(refinement(measured));
    Ok(lines)
}

/// A claim, whether it holds, and the numbers that say so.
pub(super) fn verdict(claim: &str, holds: bool, numbers: String) -> String {
    format!("{claim}: {}; {numbers}", if holds { "holds" } else { "does not hold" })
}

/// The cells of another method at the same file and k.
fn beside<'m>(
    measured: &[&'m Measured],
    one: &Measured,
    method: ComparedMethod,
) -> Option<&'m Measured> {
    let same = |m: &&&Measured| {
        (m.cell.file, m.cell.k, m.cell.refined) == (one.cell.file, one.cell.k, one.cell.refined)
    };
    measured.iter().filter(same).find(|m| m.cell.method == method).copied()
}

/// How many cells of `method` pass `test` beside the cell of `other`.
pub(super) fn count(
    measured: &[&Measured],
    method: ComparedMethod,
    other: ComparedMethod,
    test: impl Fn(&Measured, &Measured) -> bool,
) -> (usize, usize) {
    let cells = measured.iter().filter(|m| m.cell.method == method);
    let pairs: Vec<bool> =
        cells.filter_map(|m| beside(measured, m, other).map(|o| test(m, o))).collect();
    (pairs.iter().filter(|passed| **passed).count(), pairs.len())
}

fn v_mdav_loses_less(measured: &[&Measured]) -> String {
    let (below, of) = count(measured, ComparedMethod::VMdav, ComparedMethod::Mdav, |v, m| {
        v.found.loss < m.found.loss
    });
    let numbers = format!("below in {below} of {of} cells");
    verdict("V-MDAV loses less than MDAV in most cases", 2 * below > of, numbers)
}

fn l_diverse_loses_most(measured: &[&Measured]) -> String {
    let above = |other| {
        count(measured, ComparedMethod::LDiverse, other, |l, o| l.found.loss > o.found.loss)
    };
    let ((mdav, of), (v_mdav, _)) = (above(ComparedMethod::Mdav), above(ComparedMethod::VMdav));
    let numbers = format!("above MDAV in {mdav} and above V-MDAV in {v_mdav} of {of} cells");
    verdict("L-V-MDAV loses most", mdav == of && v_mdav == of, numbers)
}

fn disclosure_falls(measured: &[&Measured]) -> String {
    falls_with_k("DLD", measured, |m| m.found.disclosed)
}

/// Whether `value` is lower at the largest k than at the smallest, for each file and method.
pub(super) fn falls_with_k(
    what: &str,
    measured: &[&Measured],
    value: fn(&Measured) -> Option<f64>,
) -> String {
    let same = |a: &&Measured, b: &&Measured| {
        (a.cell.file, a.cell.method, a.cell.refined) == (b.cell.file, b.cell.method, b.cell.refined)
    };
    let (mut falls, mut of) = (0, 0);
    for curve in measured.chunk_by(same) {
        let values: Vec<f64> = curve.iter().filter_map(|m| value(m)).collect();
        if let [first, .., last] = values.as_slice() {
            falls += usize::from(last < first);
            of += 1;
        }
    }
    let numbers = format!("lower at the largest k than at the smallest on {falls} of {of} curves");
    verdict(&format!("{what} falls with k"), falls == of, numbers)
}

/// Percentage points that count as hardly any difference.
const HARDLY: f64 = 5.0;

fn disclosure_hardly_differs(measured: &[&Measured]) -> String {
    let apart = |other: ComparedMethod| -> Vec<f64> {
        let cells = measured.iter().filter(|m| m.cell.method == ComparedMethod::Mdav);
        let rates = cells
            .filter_map(|m| m.found.disclosed.zip(beside(measured, m, other)?.found.disclosed));
        rates.map(|(mdav, other)| (mdav - other).abs()).collect()
    };
    let most = |rates: &[f64]| rates.iter().copied().fold(0.0, f64::max);
    let within = |rates: &[f64]| rates.iter().filter(|r| **r <= HARDLY).count();
    let (variable, diverse) = (apart(ComparedMethod::VMdav), apart(ComparedMethod::LDiverse));
    let numbers = format!(
        "within {HARDLY} percentage points of MDAV are V-MDAV in {} of {} cells (at most {:.1} apart) and \
         L-V-MDAV in {} of {} (at most {:.1})",
        within(&variable),
        variable.len(),
        most(&variable),
        within(&diverse),
        diverse.len(),
        most(&diverse),
    );
    let holds = within(&variable) == variable.len() && within(&diverse) == diverse.len();
    verdict("DLD hardly differs between methods", holds, numbers)
}

/// What learned weights find beside equal ones; nothing where it was not asked.
fn worst_cases(experiment: &MicroaggregationExperiment, measured: &[Measured]) -> Vec<String> {
    if measured.iter().all(|m| m.found.worst_case.class.no_more == 0) {
        return Vec::new();
    }
    let of = experiment.worst_case.records;
    let has_refined = experiment.refine_iterations.is_some();
    let mean = |(method, refined): (ComparedMethod, bool), count: &dyn Fn(&WorstCases) -> f64| {
        let of_it = |m: &&Measured| (m.cell.method, m.cell.refined) == (method, refined);
        let cells = measured.iter().filter(of_it);
        let counts: Vec<f64> = cells.map(|m| count(&m.found.worst_case)).collect();
        100.0 * statistics::mean(&counts) / of as f64
    };
    let line = |found: fn(&WorstCases) -> RecordsFound| {
        let one = |method: ComparedMethod| {
            let learned = |refined| mean((method, refined), &|cases| found(cases).learned as f64);
            let equal = mean((method, false), &|cases| found(cases).equal_weights as f64);
            let refined = match has_refined {
                true => format!(", refined groups {:.1}%", learned(true)),
                false => String::new(),
            };
            let (learned, name) = (learned(false), method.name());
            format!("{learned:.1}% with {name} (equal weights {equal:.1}%{refined})")
        };
        let proven = measured.iter().filter(|m| found(&m.found.worst_case).is_proven()).count();
        let means = super::METHODS.map(one).join(", ");
        format!("{means}; proven in {proven} of {} cells", measured.len())
    };
    let guessed = super::METHODS.map(|method| {
        format!("{:.1}% with {}", mean((method, false), &|cases| cases.guessed), method.name())
    });
    vec![
        format!(
            "worst case in a sample of {of} records of both files: learned weights re-identify on average {}",
            line(|cases| cases.record)
        ),
        format!(
            "worst case in the whole release, whose records all have twins: of the same {of} records \
             learned weights find the class of {}; guessing within it re-identifies {} on average",
            line(|cases| cases.class),
            guessed.join(", ")
        ),
    ]
}

fn homogeneity(
    experiment: &MicroaggregationExperiment,
    measured: &[&Measured],
) -> Result<Vec<String>> {
    let mut lines = Vec::new();
    for (number, file) in experiment.files.iter().enumerate() {
        let before = experiment.homogeneity(file, &file.data)?;
        let largest = |method: ComparedMethod| {
            let cells =
                measured.iter().filter(|m| (m.cell.file, m.cell.method) == (number, method));
            100.0 * cells.map(|m| m.found.homogeneity.classes.rate()).fold(0.0, f64::max)
        };
        lines.push(format!(
            "homogeneity attack on {}: the sensitive level is certain in {:.1}% of the classes of the \
             original, and in at most {:.1}% (MDAV), {:.1}% (V-MDAV), {:.1}% (L-V-MDAV) of a release",
            file.name,
            100.0 * before.classes.rate(),
            largest(ComparedMethod::Mdav),
            largest(ComparedMethod::VMdav),
            largest(ComparedMethod::LDiverse),
        ));
    }
    Ok(lines)
}

/// What the local search saves, method by method, and what diversity then costs.
fn refinement(measured: &[Measured]) -> Vec<String> {
    if !measured.iter().any(|m| m.cell.refined) {
        return Vec::new();
    }
    // The mean ratio of the losses of a method and of another at the same file and k.
    let ratio = |of: (ComparedMethod, bool), to: (ComparedMethod, bool)| {
        let at = |m: &&Measured, what| (m.cell.method, m.cell.refined) == what;
        let cells = measured.iter().filter(|m| at(m, of));
        let ratios = cells.filter_map(|one| {
            let place = (one.cell.file, one.cell.k);
            let same = |m: &&Measured| at(m, to) && (m.cell.file, m.cell.k) == place;
            measured.iter().find(same).map(|other| one.found.loss / other.found.loss)
        });
        statistics::mean(&ratios.collect::<Vec<f64>>())
    };
    let saved = |method| 100.0 * (1.0 - ratio((method, true), (method, false)));
    let [mdav, v_mdav, l_diverse] = super::METHODS.map(saved);
    vec![
        format!(
            "refining the groups lowers the loss by {mdav:.1}% (MDAV), {v_mdav:.1}% (V-MDAV) and \
             {l_diverse:.1}% (L-V-MDAV) of itself on average"
        ),
        format!(
            "L-V-MDAV loses on average {:.1} times what MDAV does, refined {:.1} times",
            ratio((ComparedMethod::LDiverse, false), (ComparedMethod::Mdav, false)),
            ratio((ComparedMethod::LDiverse, true), (ComparedMethod::Mdav, false)),
        ),
    ]
}
