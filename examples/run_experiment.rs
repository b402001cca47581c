//! Runs an experiment that is declared in TOML; a second run goes on where this one stopped.
//!
//! `cargo run --example run_experiment`

use unmask::error::Result;
use unmask::experiment::{Experiment, RunOptions};

fn main() -> Result<()> {
    let experiment = Experiment::load("experiments/demo/noise.toml")?;
    for cell in experiment.cells() {
        println!("{}: {} {}", cell.name, cell.method, cell.parameters);
    }
    let options = RunOptions::default().quick(true).results("target/example-results");
    println!("{}", experiment.run(&options, &())?);
    Ok(())
}
