//! The plan as a TOML file. It is private: after a release it says who received what.

use super::cluster::Clustering;
use super::levels::TellApart;
use super::pattern::GeneralizationPattern;
use super::plan::{AnonymousPattern, Cluster, Plan, PlanOptions, PlannedFile};
use super::release::Assignment;
use crate::error::{Error, Result};
use crate::files::{self, Lock};
use crate::lattice::{Hierarchy, LatticeMetric};
use serde::{Deserialize, Serialize};
use std::collections::HashSet;
use std::path::Path;

/// The layout this version writes and reads.
const VERSION: u32 = 1;

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct PlanFile {
    fingerprint_plan: u32,
    k: usize,
    metric: LatticeMetric,
    min_loss: f64,
    max_loss: f64,
    cluster: Clustering,
    collusion: usize,
    tell_apart: TellApart,
    effort: u64,
    upper_bound: usize,
    anonymous: usize,
    largest_cluster_loss: f64,
    largest_cluster_patterns: usize,
    dropped: Vec<String>,
    file: PlannedFile,
    #[serde(default)]
    assignments: Vec<Assignment>,
    clusters: Vec<Cluster>,
    hierarchies: Vec<HierarchyFile>,
    solutions: Vec<AnonymousPattern>,
}

/// A hierarchy as rows: the value, then its name on level 1, 2, ...
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct HierarchyFile {
    attribute: String,
    rows: Vec<Vec<String>>,
}

impl Plan {
    /// The plan as TOML.
    pub fn to_toml(&self) -> Result<String> {
        let options = &self.options;
        let hierarchy =
            |h: &Hierarchy| HierarchyFile { attribute: h.attribute().to_owned(), rows: h.rows() };
        let file = PlanFile {
            fingerprint_plan: VERSION,
            k: options.k,
            metric: options.metric,
            min_loss: options.min_loss,
            max_loss: options.max_loss,
            cluster: options.clustering,
            collusion: options.collusion,
            tell_apart: options.tell_apart,
            effort: options.effort,
            upper_bound: self.upper_bound,
            anonymous: self.anonymous,
            largest_cluster_loss: self.unbounded.0,
            largest_cluster_patterns: self.unbounded.1,
            dropped: self.dropped.clone(),
            file: self.file.clone(),
            assignments: self.assignments.clone(),
            clusters: self.clusters.clone(),
            hierarchies: self.hierarchies.iter().map(hierarchy).collect(),
            solutions: self.solutions.clone(),
        };
        toml::to_string(&file).map_err(|e| Error::Internal(e.to_string()))
    }

    /// Writes the plan in one step, readable by its owner alone.
    ///
    /// Fails, even with `force`, where it would replace a plan that says who received what: what
    /// is handed out next could be what another has.
    pub fn save(&self, path: &Path, force: bool) -> Result<()> {
        let text = self.to_toml()?;
        let _lock = match force && path.is_file() {
            true => Some(self.hold_replaced(path)?),
            false => None,
        };
        files::write_private_file(path, force, |out| {
            out.write_all(text.as_bytes()).map_err(|e| Error::io(path, e))
        })
    }

    /// Locks the file that this plan is to replace; fails when somebody would be forgotten.
    fn hold_replaced(&self, path: &Path) -> Result<Lock> {
        let lock = files::lock_file(path, || ())?;
        if Self::load(path).is_ok_and(|earlier| !self.knows_all_of(&earlier)) {
            let problem = "says who received what, which a new plan would forget; keep it, and \
                           choose another name";
            return Err(Error::input(path.display().to_string(), problem));
        }
        Ok(lock)
    }

    /// Reads a plan, or the pattern list of a release.
    pub fn load(path: &Path) -> Result<Self> {
        let text = std::fs::read_to_string(path).map_err(|e| Error::io(path, e))?;
        Self::from_toml(&text, &path.display().to_string())
    }

    /// The plan in `text`, called `place` in errors.
    ///
    /// Fails on anything a plan cannot be, so that a file changed by hand is not trusted.
    pub fn from_toml(text: &str, place: &str) -> Result<Self> {
        let refuse = |problem: String| Error::input(place, problem);
        let file: PlanFile = toml::from_str(text).map_err(|e| {
            let first = e.message().lines().next().unwrap_or("unreadable").to_owned();
            refuse(format!("not a fingerprint plan: {first}"))
        })?;
        if file.fingerprint_plan != VERSION {
            let problem = format!("plan of version {}, not {VERSION}", file.fingerprint_plan);
            return Err(refuse(problem));
        }
        let hierarchies = file.hierarchies.iter().map(|h| Hierarchy::new(&h.attribute, &h.rows));
        let plan = Self {
            options: PlanOptions {
                k: file.k,
                metric: file.metric,
                min_loss: file.min_loss,
                max_loss: file.max_loss,
                clustering: file.cluster,
                collusion: file.collusion,
                tell_apart: file.tell_apart,
                effort: file.effort,
            },
            upper_bound: file.upper_bound,
            anonymous: file.anonymous,
            unbounded: (file.largest_cluster_loss, file.largest_cluster_patterns),
            file: file.file,
            dropped: file.dropped,
            hierarchies: hierarchies.collect::<Result<_>>()?,
            solutions: file.solutions,
            clusters: file.clusters,
            assignments: file.assignments,
        };
        plan.check().map_err(refuse)?;
        Ok(plan)
    }

    /// Every pattern is a node, every cluster has its solutions.
    fn check(&self) -> std::result::Result<(), String> {
        let lattice = self.lattice().map_err(|e| e.to_string())?;
        let solutions = self.solutions.iter().map(|s| &s.levels);
        let given = self.assignments.iter().map(|a| &a.levels);
        if let Some(levels) = solutions.chain(given).find(|l| lattice.index(l).is_none()) {
            return Err(format!("{levels:?} is not a level for each hierarchy"));
        }
        let known = |i: &usize| *i < self.solutions.len();
        let whole = |c: &Cluster| {
            let end = c.first.checked_add(c.patterns);
            end.is_some_and(|end| end <= self.solutions.len()) && c.chosen.iter().all(known)
        };
        if !self.clusters.iter().all(whole) {
            return Err("a cluster names solutions that are not there".into());
        }
        self.check_tells_apart()
    }

    /// Nothing stands twice that would let two recipients have the same file.
    fn check_tells_apart(&self) -> std::result::Result<(), String> {
        let levels = |pattern: &GeneralizationPattern| format!("{pattern:?}");
        let recipients = self.assignments.iter().map(|a| a.recipient.to_lowercase());
        let mut chosen = self.clusters.iter().map(|c| c.chosen.iter().map(usize::to_string));
        let twice = [
            ("solutions", repeats(self.solutions.iter().map(|s| levels(&s.levels)))),
            ("assigned patterns", repeats(self.assignments.iter().map(|a| levels(&a.levels)))),
            ("recipients", repeats(recipients)),
            ("chosen solutions of a cluster", chosen.any(repeats)),
        ];
        match twice.into_iter().find(|(_, twice)| *twice) {
            Some((what, _)) => Err(format!("{what} stand twice")),
            None => Ok(()),
        }
    }
}

/// True when a name occurs twice.
fn repeats(mut names: impl Iterator<Item = String>) -> bool {
    let mut seen = HashSet::new();
    !names.all(|name| seen.insert(name))
}
