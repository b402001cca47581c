//! Fingerprints: every recipient gets another k-anonymous generalization of one file, so that a
//! leaked record tells where it comes from.
//!
//! S. Schrittwieser, P. Kieseberg, I. Echizen, S. Wohlgemuth, N. Sonehara, E. Weippl, "An
//! algorithm for k-anonymity-based fingerprinting" (2011). A *pattern* is a level for each
//! quasi-identifier. A [`Plan`] has all k-anonymous patterns within bounds of the information
//! loss, clustered by loss; [`Plan::assign`] gives each recipient a pattern of one cluster; a
//! [`Leak`] is taken back to the recipients whose files can have made it.
//!
//! Recipients who put their files together know the finest level of each quasi-identifier that
//! one of them has. The paper leaves open how to keep such a file k-anonymous; here
//! ([`collusion`]) patterns are chosen so that it is, and so that it still names them.

mod bits;
mod cluster;
pub mod collusion;
mod delivery;
mod held;
mod identify;
mod largest_family;
mod leak;
mod levels;
mod pattern;
mod plan;
mod plan_file;
mod release;
mod robustness;
mod set_cover;

pub use cluster::Clustering;
pub use delivery::Delivery;
pub use held::HeldPlan;
pub use identify::{Identification, Verdict};
pub use leak::{Leak, LeakPart};
pub use levels::TellApart;
pub use pattern::{GeneralizationPattern, finest, is_below};
pub use plan::{AnonymousPattern, Cluster, DEFAULT_EFFORT, Plan, PlanOptions, PlannedFile};
pub use release::{Assignment, ClusterChoice, check_recipients, identifying_attributes};
pub use robustness::{Escape, robustness};
