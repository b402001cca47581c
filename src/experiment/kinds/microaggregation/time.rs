//! What the paper claims of time, held against what was measured.
//!
//! Times differ from run to run, so all of this goes to files of times.

use super::claims::{count, falls_with_k, verdict};
use super::{
    ComparedCell, ComparedMethod, METHODS, Measured, MicroaggregationExperiment, SEED, TIMINGS,
};
use crate::error::{Error, Result};
use crate::report::plots::{Chart, Mark, Series, panels};
use crate::statistics::{covariance, variance};
use crate::table::Table;
use std::time::Instant;

/// The largest file is measured whole and in these parts.
const PARTS: [usize; 4] = [8, 4, 2, 1];

/// An exponent above 2 by less is noise of the clock.
const NOISE: f64 = 0.2;

/// Factor within which two costs are similar.
const SIMILAR: f64 = 2.0;

/// Seconds against the number of records, method by method.
pub(super) struct Growth {
    file: String,
    k: usize,
    curves: [Vec<(usize, f64)>; 3],
}

impl Growth {
    /// Times the methods at the smallest k on every eighth, fourth and second record of
    /// the largest file, and on all: the least of several runs.
    pub fn measure(experiment: &MicroaggregationExperiment, quick: bool) -> Result<Self> {
        let size = |file: &usize| experiment.files[*file].data.records();
        let file = (0..experiment.files.len()).max_by_key(size).unwrap_or_default();
        let k = experiment.k.iter().copied().min().unwrap_or_default();
        let mut curves = [const { Vec::new() }; 3];
        for part in PARTS.into_iter().filter(|part| !quick || *part == PARTS[0]) {
            let of = &experiment.files[file];
            let rows: Vec<usize> = (0..of.data.records()).step_by(part).collect();
            let data = of.data.select(&rows)?;
            for (curve, method) in curves.iter_mut().zip(METHODS) {
                let method = experiment.method(ComparedCell { file, method, refined: false, k });
                let once = || {
                    let started = Instant::now();
                    method.protect(&data, &of.quasi, SEED, &())?;
                    Ok(started.elapsed().as_secs_f64())
                };
                let times: Result<Vec<f64>> = (0..TIMINGS).map(|_| once()).collect();
                match times {
                    Ok(times) => {
                        curve.push((rows.len(), times.into_iter().fold(f64::INFINITY, f64::min)));
                    }
                    // A part of the file may have too few levels, or a constant column.
                    Err(Error::Parameter { .. } | Error::Input { .. }) => {}
                    Err(error) => return Err(error),
                }
            }
        }
        Ok(Self { file: experiment.files[file].name.clone(), k, curves })
    }

    /// `timing-claims.md` and `timing-growth.svg`.
    pub fn files(&self, measured: &[Measured]) -> Result<Vec<(String, String)>> {
        let plain: Vec<&Measured> = measured.iter().filter(|m| !m.cell.refined).collect();
        let claims = [
            self.is_quadratic(),
            mdav_is_fastest(&plain),
            others_are_similar(&plain),
            falls_with_k("time", &plain, |m| Some(m.seconds)),
        ];
        let text = format!(
            "# Claims on time\n\n- {}\n\n## {} and parts of it, k = {}\n\n{}\n\
             ![seconds against records](timing-growth.svg)\n",
            claims.join("\n- "),
            self.file,
            self.k,
            self.grid().markdown(),
        );
        let files = [("timing-claims.md", text), ("timing-growth.svg", self.plot())];
        Ok(files.map(|(name, content)| (name.to_owned(), content)).into())
    }

    fn is_quadratic(&self) -> String {
        let claim = "all three are O(n²)";
        let exponents: Vec<f64> = self.curves.iter().filter_map(|c| exponent(c)).collect();
        if exponents.len() < METHODS.len() {
            return format!("{claim}: not measured");
        }
        let named = METHODS.iter().zip(&exponents);
        let named: Vec<String> = named.map(|(m, e)| format!("{e:.2} ({})", m.name())).collect();
        let numbers = format!(
            "time grows with n to the power of {}; up to 100,000 records: \
             results/bench/microaggregation.md",
            named.join(", ")
        );
        verdict(claim, exponents.iter().all(|e| *e <= 2.0 + NOISE), numbers)
    }

    fn grid(&self) -> Table {
        let rows = METHODS.iter().zip(&self.curves).flat_map(|(method, curve)| {
            let row = |(records, seconds): &(usize, f64)| {
                vec![method.name().to_owned(), records.to_string(), format!("{seconds:.5}")]
            };
            curve.iter().map(row)
        });
        Table::new(["method", "records", "seconds"]).with_rows(rows)
    }

    fn plot(&self) -> String {
        let line = |(method, curve): (&ComparedMethod, &Vec<(usize, f64)>)| {
            let points = curve.iter().map(|&(records, seconds)| (records as f64, seconds));
            (Series { name: method.name().into(), points: points.collect() }, Mark::Line)
        };
        let chart = Chart {
            title: format!("{}: time against records, k = {}", self.file, self.k),
            x_label: "records".into(),
            y_label: "seconds".into(),
            log_y: true,
            series: METHODS.iter().zip(&self.curves).map(line).collect(),
            ..Chart::default()
        };
        panels(&[chart])
    }
}

/// The power of n that the seconds grow with: the slope of the logarithms.
fn exponent(curve: &[(usize, f64)]) -> Option<f64> {
    let records: Vec<f64> = curve.iter().map(|(records, _)| (*records as f64).ln()).collect();
    let seconds: Vec<f64> = curve.iter().map(|(_, seconds)| seconds.ln()).collect();
    (curve.len() > 1).then(|| covariance(&records, &seconds) / variance(&records))
}

fn mdav_is_fastest(measured: &[&Measured]) -> String {
    let faster = |other| count(measured, ComparedMethod::Mdav, other, |m, o| m.seconds < o.seconds);
    let ((v_mdav, of), (l_diverse, _)) =
        (faster(ComparedMethod::VMdav), faster(ComparedMethod::LDiverse));
    let numbers =
        format!("faster than V-MDAV in {v_mdav} and than L-V-MDAV in {l_diverse} of {of} cells");
    verdict("MDAV is the fastest", v_mdav == of && l_diverse == of, numbers)
}

fn others_are_similar(measured: &[&Measured]) -> String {
    let (similar, of) = count(measured, ComparedMethod::LDiverse, ComparedMethod::VMdav, |l, v| {
        l.seconds.max(v.seconds) <= SIMILAR * l.seconds.min(v.seconds)
    });
    let numbers = format!("within a factor of {SIMILAR} in {similar} of {of} cells");
    verdict("L-V-MDAV and V-MDAV cost about the same", similar == of, numbers)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_exponent_of_a_square_is_two() {
        let curve: Vec<(usize, f64)> = [10, 20, 40].map(|n| (n, 3.0 * (n * n) as f64)).into();
        assert!((exponent(&curve).unwrap() - 2.0).abs() < 1e-12);
        assert_eq!(exponent(&curve[..1]), None);
    }
}
