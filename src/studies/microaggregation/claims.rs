//! What the paper claims, held against what was measured.

use super::{Comparison, Measured, Method};
use crate::error::Result;

/// A line for each claim: holds or does not hold, with numbers.
pub(super) fn claims(study: &Comparison, measured: &[Measured]) -> Result<Vec<String>> {
    let plain: Vec<&Measured> = measured.iter().filter(|m| !m.cell.refined).collect();
    let mut lines = vec![v_mdav_loses_less(&plain), l_diverse_loses_most(&plain)];
    lines.push(disclosure_falls(study, &plain));
    lines.push(disclosure_hardly_differs(&plain));
    lines.push(
        "all three are O(n²): measured on files of growing size, see results/bench/microaggregation.md"
            .into(),
    );
    lines.extend(homogeneity(study, &plain)?);
    lines.extend(refinement(measured));
    Ok(lines)
}

fn verdict(claim: &str, holds: bool, numbers: String) -> String {
    format!("{claim}: {}; {numbers}", if holds { "holds" } else { "does not hold" })
}

/// The cells of another method at the same file and k.
fn beside<'m>(measured: &[&'m Measured], one: &Measured, method: Method) -> Option<&'m Measured> {
    let same = |m: &&&Measured| {
        (m.cell.file, m.cell.k, m.cell.refined) == (one.cell.file, one.cell.k, one.cell.refined)
    };
    measured.iter().filter(same).find(|m| m.cell.method == method).copied()
}

/// How many cells of `method` pass `test` beside the cell of `other`.
fn count(
    measured: &[&Measured],
    method: Method,
    other: Method,
    test: impl Fn(&Measured, &Measured) -> bool,
) -> (usize, usize) {
    let cells = measured.iter().filter(|m| m.cell.method == method);
    let pairs: Vec<bool> =
        cells.filter_map(|m| beside(measured, m, other).map(|o| test(m, o))).collect();
    (pairs.iter().filter(|passed| **passed).count(), pairs.len())
}

fn v_mdav_loses_less(measured: &[&Measured]) -> String {
    let (below, of) = count(measured, Method::VMdav, Method::Mdav, |v, m| v.loss < m.loss);
    let numbers = format!("below in {below} of {of} cells");
    verdict("V-MDAV loses less than MDAV in most cases", 2 * below > of, numbers)
}

fn l_diverse_loses_most(measured: &[&Measured]) -> String {
    let above = |other| count(measured, Method::LDiverse, other, |l, o| l.loss > o.loss);
    let ((mdav, of), (v_mdav, _)) = (above(Method::Mdav), above(Method::VMdav));
    let numbers = format!("above MDAV in {mdav} and above V-MDAV in {v_mdav} of {of} cells");
    verdict("L-V-MDAV loses most", mdav == of && v_mdav == of, numbers)
}

fn disclosure_falls(study: &Comparison, measured: &[&Measured]) -> String {
    let (mut falls, mut of) = (0, 0);
    for (file, method) in (0..study.files.len()).flat_map(|f| super::METHODS.map(|m| (f, m))) {
        let curve = measured.iter().filter(|m| (m.cell.file, m.cell.method) == (file, method));
        let curve: Vec<f64> = curve.map(|m| m.disclosed).collect();
        if let [first, .., last] = curve.as_slice() {
            falls += usize::from(last < first);
            of += 1;
        }
    }
    let numbers = format!("lower at the largest k than at the smallest on {falls} of {of} curves");
    verdict("DLD falls with k", falls == of, numbers)
}

/// Percentage points that count as hardly any difference.
const HARDLY: f64 = 5.0;

fn disclosure_hardly_differs(measured: &[&Measured]) -> String {
    let mut spreads: Vec<f64> = Vec::new();
    for one in measured.iter().filter(|m| m.cell.method == Method::Mdav) {
        let all = super::METHODS.map(|method| beside(measured, one, method));
        let rates = || all.iter().flatten().map(|m| m.disclosed);
        spreads.push(rates().fold(0.0, f64::max) - rates().fold(f64::INFINITY, f64::min));
    }
    let within = spreads.iter().filter(|s| **s <= HARDLY).count();
    let most = spreads.iter().copied().fold(0.0, f64::max);
    let numbers = format!(
        "the methods are within {HARDLY} percentage points in {within} of {} cells, at most {most:.1} apart",
        spreads.len()
    );
    verdict("DLD hardly differs between methods", within == spreads.len(), numbers)
}

fn homogeneity(study: &Comparison, measured: &[&Measured]) -> Result<Vec<String>> {
    let mut lines = Vec::new();
    for (number, file) in study.files.iter().enumerate() {
        let before = study.homogeneity(file, &file.data)?;
        let largest = |method: Method| {
            let cells =
                measured.iter().filter(|m| (m.cell.file, m.cell.method) == (number, method));
            100.0 * cells.map(|m| m.homogeneity.classes.rate()).fold(0.0, f64::max)
        };
        lines.push(format!(
            "homogeneity attack on {}: the sensitive level is certain in {:.1}% of the classes of the \
             original, and in at most {:.1}% (MDAV), {:.1}% (V-MDAV), {:.1}% (L-V-MDAV) of a release",
            file.data.name(),
            100.0 * before.classes.rate(),
            largest(Method::Mdav),
            largest(Method::VMdav),
            largest(Method::LDiverse),
        ));
    }
    Ok(lines)
}

/// What the local search saves, method by method.
fn refinement(measured: &[Measured]) -> Option<String> {
    let refined: Vec<&Measured> = measured.iter().filter(|m| m.cell.refined).collect();
    let plain: Vec<&Measured> = measured.iter().filter(|m| !m.cell.refined).collect();
    let share = |method: Method| {
        let pairs = refined.iter().filter(|m| m.cell.method == method).filter_map(|after| {
            let same = |m: &&&Measured| {
                (m.cell.file, m.cell.method, m.cell.k) == (after.cell.file, method, after.cell.k)
            };
            plain.iter().find(same).map(|before| after.loss / before.loss)
        });
        let ratios: Vec<f64> = pairs.collect();
        100.0 * (1.0 - ratios.iter().sum::<f64>() / ratios.len().max(1) as f64)
    };
    (!refined.is_empty()).then(|| {
        let [mdav, v_mdav, l_diverse] = super::METHODS.map(share);
        format!(
            "refining the groups lowers the loss by {mdav:.1}% (MDAV), {v_mdav:.1}% (V-MDAV) and \
             {l_diverse:.1}% (L-V-MDAV) of itself on average"
        )
    })
}
