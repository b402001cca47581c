//! Writes the model in free MPS format, which every MILP solver reads.
//!
//! Variables `p<k>` are weights, `K<b>` is 1 when block `b` is violated; row
//! `r<b>_<i>` is inequality `i` of block `b`. MPS lists coefficients by column,
//! so each block is asked for once per weight and twice more.

use crate::milp::{BlockSource, MilpParameters};
use crate::{SolverError, WeightDomain};
use std::io::Write;

/// Writes the model of `source` to `out`.
pub fn write_mps(
    source: &dyn BlockSource,
    parameters: &MilpParameters,
    out: &mut dyn Write,
) -> Result<(), SolverError> {
    parameters.check(WeightDomain::simplex(source.dimension())?)?;
    writeln!(out, "NAME unmask\nROWS\n N violated\n E sum")?;
    for b in 0..source.blocks() {
        let rows = source.rows(b).len() / source.dimension();
        for i in 0..rows {
            writeln!(out, " G r{b}_{i}")?;
        }
    }
    writeln!(out, "COLUMNS")?;
    for k in 0..source.dimension() {
        write_weight(source, k, out)?;
    }
    write_binaries(source, parameters, out)?;
    write_right_hand_sides(source, parameters, out)?;
    write_bounds(source, parameters, out)
}

fn write_weight(
    source: &dyn BlockSource,
    k: usize,
    out: &mut dyn Write,
) -> Result<(), SolverError> {
    writeln!(out, " p{k} sum 1")?;
    for b in 0..source.blocks() {
        let rows = source.rows(b);
        for (i, row) in rows.chunks_exact(source.dimension()).enumerate() {
            if row[k] != 0.0 {
                writeln!(out, " p{k} r{b}_{i} {:e}", row[k])?;
            }
        }
    }
    Ok(())
}

fn write_binaries(
    source: &dyn BlockSource,
    parameters: &MilpParameters,
    out: &mut dyn Write,
) -> Result<(), SolverError> {
    writeln!(out, " MARKER 'MARKER' 'INTORG'")?;
    for b in 0..source.blocks() {
        writeln!(out, " K{b} violated {}", source.gain(b))?;
        let rows = source.rows(b);
        for (i, row) in rows.chunks_exact(source.dimension()).enumerate() {
            writeln!(out, " K{b} r{b}_{i} {:e}", parameters.big_m(row))?;
        }
    }
    writeln!(out, " MARKER 'MARKER' 'INTEND'")?;
    Ok(())
}

fn write_right_hand_sides(
    source: &dyn BlockSource,
    parameters: &MilpParameters,
    out: &mut dyn Write,
) -> Result<(), SolverError> {
    writeln!(out, "RHS\n RHS sum 1")?;
    for b in 0..source.blocks() {
        let rows = source.rows(b).len() / source.dimension();
        for i in 0..rows {
            writeln!(out, " RHS r{b}_{i} {:e}", parameters.margin)?;
        }
    }
    Ok(())
}

fn write_bounds(
    source: &dyn BlockSource,
    parameters: &MilpParameters,
    out: &mut dyn Write,
) -> Result<(), SolverError> {
    writeln!(out, "BOUNDS")?;
    for k in 0..source.dimension() {
        writeln!(out, " LO BND p{k} {:e}\n UP BND p{k} 1", parameters.weight_floor)?;
    }
    for b in 0..source.blocks() {
        let kind = if source.is_dead(b) { "FX" } else { "UP" };
        writeln!(out, " {kind} BND K{b} 1")?;
    }
    writeln!(out, "ENDATA")?;
    Ok(())
}
