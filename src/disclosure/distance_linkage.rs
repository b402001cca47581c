//! What a release discloses of its original, record by record.

use crate::anonymity::Disclosed;
use crate::error::Result;
use crate::linkage::{Release, own_within_second_nearest};
use crate::listener::Listener;

/// Distance-linkage disclosure: how many released records have their own original
/// record in the set of the nearest or in the set of the second nearest ones.
///
/// Attacker: holds the original file, standardized like the release by its own
/// statistics ([`crate::linkage::Attack::Dbrl1`] distances, missing values as
/// there), and links from the release. Truth: the release's pairs. Ties: the
/// sets of the definition hold all records at their distance, so a tie counts.
/// Cost: as dbrl1. Source: definition 4 of Han J., Cen T., Yu H., "An improved
/// V-MDAV algorithm for l-diversity" (2008), after J. Domingo-Ferrer, J.M.
/// Mateo-Sanz, V. Torra, "Comparing SDC methods for microdata on the basis of
/// information loss and disclosure risk" (2001).
pub fn distance_linkage_disclosure<S: AsRef<str>>(
    release: &Release,
    names: &[S],
    listener: &dyn Listener,
) -> Result<Disclosed> {
    let disclosed = own_within_second_nearest(release, names, listener)?;
    Ok(Disclosed { disclosed, of: release.records() })
}
