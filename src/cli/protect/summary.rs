//! What `unmask protect` says of a release.

use serde::Serialize;
use unmask::anonymity::SensitiveMeasures;
use unmask::dataset::Dataset;
use unmask::error::Result;
use unmask::protection::Protected;
use unmask::utility::{Utility, labels_changed};

/// What `--format json` prints; the text is made from the same record.
#[derive(Serialize)]
pub(super) struct Summary {
    pub method: &'static str,
    pub parameters: serde_json::Value,
    pub seed: u64,
    pub records: usize,
    pub attributes: Vec<String>,
    /// Left as they are though nothing says that an attacker does not know them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unprotected: Vec<String>,
    pub groups: Vec<GroupSummary>,
    /// Of the release, where the method promises diversity.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub sensitive: Vec<SensitiveMeasures>,
    /// Whether close sensitive numbers count as different, for want of levels.
    #[serde(skip)]
    pub lacks_levels: bool,
    pub information_loss: InformationLoss,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub information_loss_before_refine: Option<InformationLoss>,
    pub output: String,
    pub sha256: String,
}

#[derive(Serialize)]
pub(super) struct GroupSummary {
    pub attributes: Vec<String>,
    pub k: usize,
    pub count: usize,
    pub smallest: usize,
    pub largest: usize,
}

#[derive(Serialize)]
pub(super) struct InformationLoss {
    /// On the numeric attributes, if there are any.
    pub il_percent: Option<f64>,
    pub il1s_percent: Option<f64>,
    /// Of the labels of the categorical attributes, if there are any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub labels_changed_percent: Option<f64>,
}

impl InformationLoss {
    /// What `protected` lost on the attributes at `positions`.
    pub fn of(original: &Dataset, protected: &Protected, positions: &[usize]) -> Result<Self> {
        let is_numeric = |&i: &usize| original.attributes()[i].is_numeric();
        let (numeric, labels): (Vec<usize>, Vec<usize>) =
            positions.iter().copied().partition(is_numeric);
        let name = |&i: &usize| original.attributes()[i].name.as_str();
        let names: Vec<&str> = numeric.iter().map(name).collect();
        let utility = match names.is_empty() {
            true => None,
            false => Some(Utility::measure(original, &protected.released, &names)?),
        };
        Ok(Self {
            il_percent: utility.as_ref().map(|u| u.il_percent),
            il1s_percent: utility.as_ref().map(|u| u.il1s_percent),
            labels_changed_percent: labels_changed(original, &protected.released, &labels),
        })
    }

    /// All of it in one line.
    fn text(&self) -> String {
        let numbers = self.il_percent.zip(self.il1s_percent);
        let numbers = numbers.map(|(il, il1s)| format!("{il:.2}% (SSE/SST), IL1s {il1s:.2}%"));
        let labels = self.labels_changed_percent.map(|c| format!("labels changed {c:.2}%"));
        numbers.into_iter().chain(labels).collect::<Vec<_>>().join(", ")
    }
}

impl Summary {
    /// A line for each thing.
    pub fn text(&self) -> String {
        let mut lines = vec![
            format!("method            {} {}", self.method, parameters(&self.parameters)),
            format!("records           {}", self.records),
            format!("attributes        {}: {}", self.attributes.len(), self.attributes.join(", ")),
        ];
        if !self.unprotected.is_empty() {
            let (count, names) = (self.unprotected.len(), self.unprotected.join(", "));
            lines.push(format!("left as they are  {count}: {names}"));
        }
        lines.extend(self.groups.iter().map(|g| format!("groups            {}", self.describe(g))));
        lines.extend(self.sensitive.iter().map(|s| {
            let (distinct, entropy, certain) = (s.distinct_l, s.entropy_l, s.certain.classes);
            format!(
                "diversity         {}: at least {distinct} (entropy {entropy:.2}) in every class; certain \
                 in {} of {} classes",
                s.attribute, certain.disclosed, certain.of
            )
        }));
        if self.lacks_levels {
            let note =
                "every number counted as a level of its own; with --levels close ones are one";
            lines.push(format!("levels            {note}"));
        }
        let loss = &self.information_loss;
        if let (Some(il), Some(il1s)) = (loss.il_percent, loss.il1s_percent) {
            lines.push(format!(
                "information loss  {il:.2}% of the variation between records (SSE/SST), IL1s {il1s:.2}%"
            ));
        }
        if let Some(changed) = loss.labels_changed_percent {
            lines.push(format!("labels changed    {changed:.2}%"));
        }
        let before = self.information_loss_before_refine.as_ref();
        lines.extend(before.map(|loss| format!("before --refine   {}", loss.text())));
        lines.push(format!("written           {}", self.output));
        lines.push(format!("sha256            {}", self.sha256));
        lines.join("\n")
    }

    /// `216 of 5 records`, and on which attributes unless on all.
    fn describe(&self, group: &GroupSummary) -> String {
        let size = match group.smallest == group.largest {
            true => group.smallest.to_string(),
            false => format!("{} to {}", group.smallest, group.largest),
        };
        let on = match group.attributes == self.attributes {
            true => String::new(),
            false => format!(" on {}", group.attributes.join(", ")),
        };
        format!("{} of {size} records{on}", group.count)
    }
}

/// `{"k":[3],"groups":"all"}` as `k=3 groups=all`.
pub(in crate::cli) fn parameters(json: &serde_json::Value) -> String {
    let plain = |value: &serde_json::Value| value.to_string().replace(['"', '[', ']'], "");
    let pairs = json.as_object().into_iter().flatten();
    pairs.map(|(name, value)| format!("{name}={}", plain(value))).collect::<Vec<_>>().join(" ")
}
