//! Step 9: a pattern for every recipient, and their files.

use super::pattern::GeneralizationPattern;
use super::plan::{Cluster, Plan};
use crate::dataset::{Attribute, Dataset, Role, Values};
use crate::error::{Error, Result};
use crate::lattice::generalize;
use crate::random;
use rand::seq::SliceRandom;
use serde::{Deserialize, Serialize};
use std::collections::HashSet;

/// Who received which pattern.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Assignment {
    /// The recipient.
    pub recipient: String,
    /// The pattern.
    pub levels: GeneralizationPattern,
}

/// Which cluster to take, and in which order its patterns go out.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct ClusterChoice {
    /// The cluster, from 1; else by loss, else the least loss that serves all.
    pub cluster: Option<usize>,
    /// A loss of the cluster.
    pub loss: Option<f64>,
    /// Deals the patterns in a random order; else recipients get them in the plan's order.
    pub seed: Option<u64>,
}

/// Fails when a name cannot be a file name everywhere, or two could be the same file.
pub fn check_recipients(names: &[String]) -> Result<()> {
    let refuse = |name: &str, problem: &str| Err(Error::parameter("recipients", name, problem));
    if names.is_empty() {
        return refuse("none", "name at least one");
    }
    for (i, name) in names.iter().enumerate() {
        let plain = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | ' ' | '@' | '+');
        let ends = name.starts_with(['.', ' ']) || name.ends_with(['.', ' ']);
        if name.is_empty() || ends || name.len() > 100 || !name.chars().all(plain) {
            let problem = "but a recipient's name becomes a file name: up to 100 letters, digits \
                           and - _ @ + inside";
            return refuse(name, problem);
        }
        if names[..i].iter().any(|other| other.to_lowercase() == name.to_lowercase()) {
            return refuse(name, "is named twice (upper and lower case count as one)");
        }
    }
    Ok(())
}

/// Attributes that look like identifiers though no role says so: text that differs in every
/// record.
pub fn identifying_attributes(data: &Dataset) -> Vec<String> {
    let differs = |attribute: &&Attribute| match &attribute.values {
        Values::Numeric(_) => false,
        Values::Categorical(column) => {
            let codes: HashSet<Option<u32>> = (0..column.len()).map(|i| column.code(i)).collect();
            attribute.role == Role::Other && codes.len() == column.len() && column.len() > 1
        }
    };
    data.attributes().iter().filter(differs).map(|a| a.name.clone()).collect()
}

impl Plan {
    /// Gives every one of `recipients` a pattern, and keeps those given out before.
    ///
    /// Who has a pattern keeps it; newcomers get free ones of the same cluster, so that the
    /// list grows and stays safe. Returns the number of the cluster, from 1. Fails when the
    /// cluster has too few.
    pub fn assign(&mut self, recipients: &[String], choice: &ClusterChoice) -> Result<usize> {
        check_recipients(recipients)?;
        let fresh: Vec<&String> =
            recipients.iter().filter(|name| self.assignment(name).is_none()).collect();
        self.check_new(&fresh)?;
        let needed = self.assignments.len() + fresh.len();
        let index = self.choose_cluster(needed, choice)?;
        let cluster = &self.clusters[index];
        if cluster.recipients() < needed {
            return Err(self.too_few(cluster, needed));
        }
        let mut free: Vec<GeneralizationPattern> = cluster
            .chosen
            .iter()
            .map(|&i| self.solutions[i].levels.clone())
            .filter(|levels| self.assignments.iter().all(|a| a.levels != *levels))
            .collect();
        if let Some(seed) = choice.seed {
            free.shuffle(&mut random::generator(seed, 0));
        }
        let given = fresh.iter().zip(free);
        let new: Vec<Assignment> =
            given.map(|(name, levels)| Assignment { recipient: (*name).clone(), levels }).collect();
        self.assignments.extend(new);
        Ok(index + 1)
    }

    /// Fails where a new recipient's file could take the place of an earlier one's.
    fn check_new(&self, fresh: &[&String]) -> Result<()> {
        let lower = |name: &str| name.to_lowercase();
        let known = |name: &&&String| {
            self.assignments.iter().any(|a| lower(&a.recipient) == lower(name.as_str()))
        };
        match fresh.iter().find(known) {
            None => Ok(()),
            Some(name) => {
                let problem = "has a pattern already under another spelling (upper and lower case \
                               count as one); take that spelling";
                Err(Error::parameter("recipients", name, problem))
            }
        }
    }

    /// What `recipient` received.
    pub fn assignment(&self, recipient: &str) -> Option<&Assignment> {
        self.assignments.iter().find(|a| a.recipient == recipient)
    }

    fn choose_cluster(&self, needed: usize, choice: &ClusterChoice) -> Result<usize> {
        let asked = self.asked_cluster(choice)?;
        match (self.used_cluster()?, asked) {
            (Some(used), Some(asked)) if used != asked => {
                let problem = format!(
                    "but cluster {} has been given out already; make a new plan for another",
                    used + 1
                );
                Err(Error::parameter("cluster", asked + 1, problem))
            }
            (Some(one), _) | (None, Some(one)) => Ok(one),
            (None, None) => {
                let serves = |cluster: &Cluster| cluster.recipients() >= needed;
                self.clusters.iter().position(serves).ok_or_else(|| self.too_many(needed))
            }
        }
    }

    fn asked_cluster(&self, choice: &ClusterChoice) -> Result<Option<usize>> {
        if let Some(number) = choice.cluster {
            if !(1..=self.clusters.len()).contains(&number) {
                let problem = format!("but the plan has clusters 1 to {}", self.clusters.len());
                return Err(Error::parameter("cluster-index", number, problem));
            }
            return Ok(Some(number - 1));
        }
        let Some(loss) = choice.loss else { return Ok(None) };
        let holds = |c: &Cluster| c.least_loss - 1e-9 <= loss && loss <= c.greatest_loss + 1e-9;
        let found = self.clusters.iter().position(holds);
        found.map(Some).ok_or_else(|| {
            let losses: Vec<String> =
                self.clusters.iter().map(|c| c.least_loss.to_string()).collect();
            let problem = format!("but the clusters start at {}", losses.join(", "));
            Error::parameter("cluster-loss", loss, problem)
        })
    }

    /// The cluster that the patterns given out so far are of.
    fn used_cluster(&self) -> Result<Option<usize>> {
        let Some(first) = self.assignments.first() else { return Ok(None) };
        let has = |cluster: &Cluster, a: &Assignment| {
            cluster.chosen.iter().any(|&i| self.solutions[i].levels == a.levels)
        };
        let of_first = self.clusters.iter().position(|c| has(c, first));
        let found =
            of_first.filter(|&i| self.assignments.iter().all(|a| has(&self.clusters[i], a)));
        found.map(Some).ok_or_else(|| {
            let problem = "the patterns given out are not of one cluster; the plan was changed";
            Error::input("plan", problem)
        })
    }

    fn too_few(&self, cluster: &Cluster, needed: usize) -> Error {
        let problem = format!(
            "but this cluster (loss {}) serves {}, {} of them given out; {}",
            cluster.least_loss,
            cluster.recipients(),
            self.assignments.len(),
            self.remedy(needed),
        );
        Error::parameter("recipients", needed, problem)
    }

    fn too_many(&self, needed: usize) -> Error {
        let problem = format!(
            "but at most {} are possible in one cluster; {}",
            self.most_recipients(),
            self.remedy(needed),
        );
        Error::parameter("recipients", needed, problem)
    }

    /// Which bound to relax for `needed` recipients.
    fn remedy(&self, needed: usize) -> String {
        let (loss, patterns) = self.unbounded;
        let enough = |cluster: &&Cluster| cluster.recipients() >= needed;
        let fewer = if self.options.collusion > 1 { ", a lower `collusion`" } else { "" };
        match self.clusters.iter().find(enough) {
            Some(c) => format!("the cluster of loss {} serves {}", c.least_loss, c.recipients()),
            None if patterns >= needed && !self.options_hold(loss) => format!(
                "relax `min_loss` or `max_loss` to {loss}, where a cluster has {patterns} \
                 patterns{fewer}"
            ),
            None if self.solutions.len() >= needed => format!(
                "{} patterns are within the bounds: widen the clusters with `cluster` width:W or \
                 count:C{fewer}",
                self.solutions.len()
            ),
            None if self.anonymous >= needed => format!(
                "{} patterns are {}-anonymous: relax `min_loss` or `max_loss`, and `cluster` \
                 width:W{fewer}",
                self.anonymous, self.options.k
            ),
            None => format!(
                "only {} of {} patterns are {}-anonymous: lower `k`, or give hierarchies more \
                 levels",
                self.anonymous, self.upper_bound, self.options.k
            ),
        }
    }

    fn options_hold(&self, loss: f64) -> bool {
        (self.options.min_loss..=self.options.max_loss).contains(&loss)
    }

    /// `data` without what releases leave out.
    ///
    /// Fails when the data are not those of the plan.
    pub fn without_dropped(&self, data: &Dataset) -> Result<Dataset> {
        self.check_file(data)?;
        let mut kept = data.clone();
        let dropped: Vec<&String> =
            self.dropped.iter().filter(|name| data.position(name).is_ok()).collect();
        kept.set_role(&dropped, Role::Identifier)?;
        kept.without_role(Role::Identifier)
    }

    /// The file for one pattern, from what [`Plan::without_dropped`] gives.
    pub fn release(&self, kept: &Dataset, assignment: &Assignment) -> Result<Dataset> {
        generalize(kept, &self.hierarchies, &assignment.levels)
    }
}
