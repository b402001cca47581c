//! `unmask data`.

use super::{Format, print, print_json};
use clap::Args;
use serde_json::json;
use unmask::dataset::catalog::{ALL, BuiltIn};
use unmask::error::Result;
use unmask::table::Table;

/// Lists the built-in data sets, which can be named wherever a file is expected.
#[derive(Args)]
#[command(after_help = "Example:\n  unmask data")]
pub struct Data {
    /// How to print the list
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
}

impl Data {
    /// Prints the list.
    pub fn run(&self) -> Result<()> {
        match self.format {
            Format::Text => print(table()),
            Format::Json => print_json(&ALL.iter().map(entry).collect::<Vec<_>>()),
        }
    }
}

fn table() -> Table {
    let mut table = Table::new(["name", "records", "attributes", "what it is", "source"]);
    for b in ALL {
        table.row([
            b.name.to_owned(),
            b.records.to_string(),
            b.attributes.to_string(),
            b.about.to_owned(),
            b.source.to_owned(),
        ]);
    }
    table
}

fn entry(b: &BuiltIn) -> serde_json::Value {
    json!({
        "name": b.name,
        "records": b.records,
        "attributes": b.attributes,
        "about": b.about,
        "source": b.source,
        "sha256": b.sha256,
    })
}
