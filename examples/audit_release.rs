//! Audits a release: how badly it can be re-identified in the worst case.
//!
//! `cargo run --example audit_release`

use unmask::audit::Audit;
use unmask::dataset::{Dataset, ReadOptions};
use unmask::error::Result;
use unmask::linkage::Release;
use unmask::protection::{Method, Noise, Protection};

fn main() -> Result<()> {
    let census = Dataset::load("census", &ReadOptions::default())?;
    let noise = Method::Noise(Noise::new(16.0));
    let noisy = Protection::by(noise).seed(7).apply(&census, &())?.protected.released;

    let release = Release::by_row(census, noisy)?;
    let record = Audit::of(&release)
        .attributes(["AGI", "FEDTAX", "PTOTVAL", "STATETAX"])
        .sample(200)
        .max_risk(0.2, "our release policy")
        .run(&())?;
    println!("{}", record.verdict.sentence());
    for attack in &record.attacks {
        println!("{:<18}{:>6.1}%", attack.attack, 100.0 * attack.rate);
    }
    println!("above the limit: {}", record.exceeded());
    Ok(())
}
