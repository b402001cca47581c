//! What was looked at, and what was not.

use crate::audit::{AuditRecord, CertainValues, NotAttacked};
use crate::dataset::Role;
use crate::report::document::DocumentSection;
use crate::table::Table;
use crate::words::{isolated, percent};

impl AuditRecord {
    pub(super) fn coverage_section(&self) -> DocumentSection {
        let coverage = &self.coverage;
        let attacked = coverage.attacked.iter().map(|a| isolated(a)).collect::<Vec<_>>().join(", ");
        let mut section = DocumentSection::new("coverage", "What was looked at, and what was not")
            .page_text(format!(
                "Attackers were given {attacked}, and nothing else of the release."
            ));
        if !coverage.not_attacked.is_empty() {
            section = section
                .table("Columns that no attacker was given", not_attacked(&coverage.not_attacked));
        }
        if !self.certain_values.is_empty() {
            section = section
                .page_text(
                    "Who finds a person's class learns a confidential value for certain where all \
                     of its members share it.",
                )
                .table("Confidential values that are certain", certain(&self.certain_values));
        }
        let left_out =
            self.left_out.iter().map(|l| format!("Not tried: {}: {}.", l.attack, l.reason));
        section.notes(left_out)
    }
}

fn not_attacked(columns: &[NotAttacked]) -> Table {
    let mut table = Table::new(["column", "role", "unchanged", "distinct values"]);
    for column in columns {
        let unchanged = match column.unchanged {
            Some(true) => "yes",
            Some(false) => "no",
            None => "not in the original",
        };
        let role = role(column.role);
        table.row([
            column.name.clone(),
            role.into(),
            unchanged.into(),
            percent(column.unique_share),
        ]);
    }
    table
}

fn certain(values: &[CertainValues]) -> Table {
    let mut table = Table::new(["attribute", "people", "of", "share"]);
    for value in values {
        let numbers = [value.certain.to_string(), value.of.to_string(), percent(value.share)];
        let [certain, of, share] = numbers;
        table.row([value.attribute.clone(), certain, of, share]);
    }
    table
}

fn role(role: Role) -> &'static str {
    match role {
        Role::Identifier => "identifier",
        Role::QuasiIdentifier => "quasi-identifier",
        Role::Confidential => "confidential",
        Role::Weight => "weight",
        Role::Household => "household",
        Role::Other => "none said",
    }
}
