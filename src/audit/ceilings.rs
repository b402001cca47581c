//! What no attacker passes, whatever he knows: by the attacked columns, and by all released ones.

use crate::error::Result;
use crate::linkage::{Ceiling, Release};
use crate::words::{count, percent};
use serde::Serialize;

/// The right guesses on average that nobody exceeds who looks at some columns of the release.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Ceilings {
    /// Who looks at the attacked attributes.
    pub attacked: Ceiling,
    /// Who looks at every released column, the key aside.
    pub all_columns: Ceiling,
}

impl Ceilings {
    /// Those of `release`, attacked by `attributes`; `key` names records and is no column to look
    /// at.
    pub(super) fn of(release: &Release, attributes: &[String], key: Option<&str>) -> Result<Self> {
        let mut columns = release.released().names();
        columns.retain(|name| Some(name.as_str()) != key);
        let attacked = Ceiling::of(release, attributes)?;
        let all_columns = Ceiling::of(release, &columns)?;
        Ok(Self { attacked, all_columns })
    }

    /// In words.
    pub fn sentences(&self) -> String {
        let share = |ceiling: &Ceiling| {
            let found = count(ceiling.expected);
            format!("{found} of {} people ({})", ceiling.of, percent(ceiling.rate))
        };
        let Self { attacked, all_columns } = self;
        if attacked.certain == attacked.of {
            let whose = "Ceiling: no two released records are equal on these attributes";
            return format!(
                "{whose}, so that nothing but the changes of their values hides anybody."
            );
        }
        let more = match all_columns.expected > attacked.expected {
            true => format!("; by all released columns at most {}", share(all_columns)),
            false => String::new(),
        };
        format!(
            "Ceiling: by these attributes, the order of rows aside, nobody finds more than {} on \
             average, whatever he knows, since released records that are equal cannot be told \
             apart{more}.",
            share(attacked)
        )
    }
}
