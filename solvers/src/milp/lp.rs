//! Writes the model in CPLEX LP format: the model as a person would write it.
//!
//! Names as in the MPS format; one pass over the blocks.

use crate::milp::{BlockSource, MilpParameters};
use crate::{SolverError, WeightDomain};
use std::io::Write;

/// Writes the model of `source` to `out`.
pub fn write_lp(
    source: &dyn BlockSource,
    parameters: &MilpParameters,
    out: &mut dyn Write,
) -> Result<(), SolverError> {
    parameters.check(WeightDomain::simplex(source.dimension())?)?;
    writeln!(
        out,
        "\\ K<b> = 1 when block b is violated, p<k> are the weights.\nMinimize\n violated:"
    )?;
    let binaries: Vec<String> = (0..source.blocks()).map(|b| format!("K{b}")).collect();
    // An objective may not be empty.
    let objective = match binaries.is_empty() {
        true => vec!["0 p0".to_owned()],
        false => (0..source.blocks()).map(|b| cost(source.gain(b), &binaries[b])).collect(),
    };
    write_wrapped(&objective, " + ", out)?;
    writeln!(out, "Subject To")?;
    let weights: Vec<String> = (0..source.dimension()).map(|k| format!("p{k}")).collect();
    writeln!(out, " sum: {} = 1", weights.join(" + "))?;
    for b in 0..source.blocks() {
        let rows = source.rows(b);
        for (i, row) in rows.chunks_exact(source.dimension()).enumerate() {
            let m = parameters.big_m(row);
            writeln!(out, " r{b}_{i}:{} + {m:e} K{b} >= {:e}", terms(row), parameters.margin)?;
        }
    }
    for b in (0..source.blocks()).filter(|b| source.is_dead(*b)) {
        // A row, not a bound: declaring a binary resets its bounds in some readers.
        writeln!(out, " dead{b}: K{b} = 1")?;
    }
    write_bounds(source, parameters, out)?;
    if !binaries.is_empty() {
        writeln!(out, "Binaries")?;
        write_wrapped(&binaries, " ", out)?;
    }
    writeln!(out, "End")?;
    Ok(())
}

/// A binary times the gain of its block.
fn cost(gain: u64, binary: &str) -> String {
    match gain {
        1 => binary.to_owned(),
        gain => format!("{gain} {binary}"),
    }
}

fn terms(row: &[f64]) -> String {
    let nonzero = row.iter().enumerate().filter(|(_, x)| **x != 0.0);
    let term = |(k, x): (usize, &f64)| {
        let sign = if *x < 0.0 { '-' } else { '+' };
        format!(" {sign} {:e} p{k}", x.abs())
    };
    nonzero.map(term).collect()
}

fn write_bounds(
    source: &dyn BlockSource,
    parameters: &MilpParameters,
    out: &mut dyn Write,
) -> Result<(), SolverError> {
    writeln!(out, "Bounds")?;
    for k in 0..source.dimension() {
        writeln!(out, " {:e} <= p{k} <= 1", parameters.weight_floor)?;
    }
    Ok(())
}

/// Ten items per line: the format limits the length of a line.
fn write_wrapped(
    items: &[String],
    separator: &str,
    out: &mut dyn Write,
) -> Result<(), SolverError> {
    for (i, chunk) in items.chunks(10).enumerate() {
        let lead = if i == 0 { " " } else { separator };
        writeln!(out, " {lead}{}", chunk.join(separator))?;
    }
    Ok(())
}
