//! What `unmask protect` says of a release.

use serde::Serialize;
use std::fmt::Display;
use unmask::protection::{GroupSummary, LossSummary, MissingCells, ProtectionSummary};
use unmask::words::{listed, one_line};

/// What `--format json` prints; the text is made from the same record.
#[derive(Serialize)]
pub(super) struct Written {
    #[serde(flatten)]
    pub summary: ProtectionSummary,
    pub output: String,
    pub sha256: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recipe: Option<String>,
}

/// All of a loss in one line.
fn loss_text(loss: &LossSummary) -> String {
    let numbers = loss.il_percent.zip(loss.il1s_percent);
    let numbers = numbers.map(|(il, il1s)| format!("{il:.2}% (SSE/SST), IL1s {il1s:.2}%"));
    let labels = loss.labels_changed_percent.map(|c| format!("labels changed {c:.2}%"));
    numbers.into_iter().chain(labels).collect::<Vec<_>>().join(", ")
}

impl Written {
    /// A line for each thing.
    pub fn text(&self) -> String {
        let summary = &self.summary;
        let attributes = &summary.attributes;
        let method = format!("{} {}", summary.method, parameters(&summary.parameters));
        let mut lines = vec![line("method", method), line("records", summary.records)];
        lines.extend(columns("attributes", attributes));
        lines.extend(columns("confidential", &summary.confidential));
        lines.extend(columns("left as they are", &summary.left_as_they_are));
        lines.extend(columns("dropped", &summary.dropped));
        lines.extend(summary.groups.iter().map(|g| line("groups", described(g, attributes))));
        lines.extend(summary.sensitive.iter().map(|s| {
            let (distinct, entropy, certain) = (s.distinct_l, s.entropy_l, s.certain.classes);
            format!(
                "diversity         {}: at least {distinct} (entropy {entropy:.2}) in every class; certain \
                 in {} of {} classes",
                s.attribute, certain.disclosed, certain.of
            )
        }));
        if summary.lacks_levels {
            let note =
                "every number counted as a level of its own; with --levels close ones are one";
            lines.push(format!("levels            {note}"));
        }
        lines.extend(summary.missing_cells.as_ref().map(missing_line));
        let loss = &summary.information_loss;
        if let (Some(il), Some(il1s)) = (loss.il_percent, loss.il1s_percent) {
            lines.push(format!(
                "information loss  {il:.2}% of the variation between records (SSE/SST), IL1s {il1s:.2}%"
            ));
        }
        if let Some(changed) = loss.labels_changed_percent {
            lines.push(format!("labels changed    {changed:.2}%"));
        }
        let before = summary.information_loss_before_refine.as_ref();
        lines.extend(before.map(|loss| format!("before --refine   {}", loss_text(loss))));
        lines.push(line("written", &self.output));
        lines.push(line("sha256", &self.sha256));
        lines.extend(self.recipe.as_deref().map(recipe_line));
        lines.extend(summary.warnings.iter().map(|warning| line("warning", warning)));
        lines.join("\n")
    }
}

/// What became of cells without a value.
fn missing_line(cells: &MissingCells) -> String {
    let MissingCells { of, left, imputed, suppressed } = *cells;
    let mut said = vec![format!("{left} of {of} stay missing")];
    if imputed > 0 {
        said.push(format!("{imputed} got the centroid of their group"));
    }
    if suppressed > 0 {
        let share = 100.0 * suppressed as f64 / of as f64;
        said.push(format!(
            "{suppressed} more ({share:.2}%) were made missing, so that groups agree on what is missing"
        ));
    }
    line("missing cells", said.join("; "))
}

/// A name, and what there is to say about it.
pub(super) fn line(name: &str, said: impl Display) -> String {
    format!("{name:<18}{}", one_line(&said.to_string()))
}

/// Where the private file of a release lies.
pub(super) fn recipe_line(path: &str) -> String {
    line("private recipe", format!("{path}: for `unmask audit --recipe`; do not publish it"))
}

/// How many columns there are of a kind, and which; nothing when there is none.
fn columns(kind: &str, names: &[String]) -> Option<String> {
    let said = || format!("{}: {}", names.len(), listed(names));
    (!names.is_empty()).then(|| line(kind, said()))
}

/// `216 of 5 records`, and on which attributes unless on all.
fn described(group: &GroupSummary, all: &[String]) -> String {
    let size = match group.smallest == group.largest {
        true => group.smallest.to_string(),
        false => format!("{} to {}", group.smallest, group.largest),
    };
    let on = match group.attributes == all {
        true => String::new(),
        false => format!(" on {}", listed(&group.attributes)),
    };
    format!("{} of {size} records{on}", group.count)
}

/// `{"k":[3],"groups":"all"}` as `k=3 groups=all`.
pub(super) fn parameters(json: &serde_json::Value) -> String {
    let plain = |value: &serde_json::Value| value.to_string().replace(['"', '[', ']'], "");
    let pairs = json.as_object().into_iter().flatten();
    pairs.map(|(name, value)| format!("{name}={}", plain(value))).collect::<Vec<_>>().join(" ")
}
