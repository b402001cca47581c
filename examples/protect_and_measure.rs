//! Protects a file and measures what it lost and what it still shows.
//!
//! `cargo run --example protect_and_measure`

use unmask::anonymity::{Anonymity, AnonymityOptions};
use unmask::dataset::{Dataset, ReadOptions};
use unmask::error::Result;
use unmask::protection::microaggregation::Mdav;
use unmask::protection::{Method, Protection};
use unmask::utility::Utility;

fn main() -> Result<()> {
    let census = Dataset::load("census", &ReadOptions::default())?;
    let attributes = ["AGI", "FEDTAX", "PTOTVAL"];
    let mdav = Method::Mdav(Mdav::new(5));
    let file = Protection::by(mdav).attributes(attributes).apply(&census, &())?;
    let released = &file.protected.released;

    let utility = Utility::measure(&census, released, &attributes)?;
    let shown = Anonymity::measure(released, &attributes, &[], &AnonymityOptions::default())?;
    println!("{} groups", file.protected.partitions[0].groups.len());
    println!("information loss {:.2}%", utility.il_percent);
    println!("k = {}, {} unique records", shown.k, shown.uniques);
    println!("the recipe:\n{}", file.recipe.to_toml()?);
    Ok(())
}
