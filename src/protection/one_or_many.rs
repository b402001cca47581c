//! Parameters that are one number for all attributes, or one for each.

use serde::{Deserialize, Deserializer};

#[derive(Deserialize)]
#[serde(untagged, expecting = "a number, or a list of numbers")]
enum OneOrMany<T> {
    One(T),
    Many(Vec<T>),
}

/// Reads `5` as `[5]`, and a list as it is.
pub(super) fn deserialize<'de, D, T>(from: D) -> Result<Vec<T>, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de>,
{
    Ok(match OneOrMany::deserialize(from)? {
        OneOrMany::One(one) => vec![one],
        OneOrMany::Many(many) => many,
    })
}
