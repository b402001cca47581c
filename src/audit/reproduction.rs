//! What is needed to make a record again.

use crate::files::FileDigest;
use serde::Serialize;
use serde_json::Value;

/// How a record was made.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Reproduction {
    /// Version of unmask.
    pub version: &'static str,
    /// The day of the audit, where the caller says it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub date: Option<String>,
    /// The command as it was typed; empty for a library call.
    pub command: String,
    /// The seeds of everything random.
    pub seeds: Value,
    /// The files that were read; empty for data in memory.
    pub files: Vec<FileDigest>,
    /// Every setting, defaults included.
    pub settings: Value,
}

/// The members of several objects as one.
pub(super) fn merged(objects: impl IntoIterator<Item = Value>) -> Value {
    let members = objects.into_iter().filter_map(|value| match value {
        Value::Object(members) => Some(members),
        _ => None,
    });
    Value::Object(members.flatten().collect())
}
