//! What one file shows by itself: classes of equal records, k, l, t, and who is certain.
//!
//! [`Anonymity`] measures a file; [`homogeneity_attack`] counts the classes that give a
//! sensitive value away. What linkage with the original says is in [`crate::linkage`] and
//! [`crate::disclosure`].

mod classes;
mod closeness;
mod column;
mod diversity;
mod homogeneity;
mod measures;
mod sensitive;

pub use classes::{ClassSize, EquivalenceClasses};
pub(crate) use closeness::WholeFile;
pub(crate) use column::{ColumnShape, NEARLY_ALL_DIFFERENT, Telling, is_open};
pub use diversity::{Diversity, LevelCounts};
pub(crate) use diversity::{entropy_l, frequencies};
pub use homogeneity::{Disclosed, Homogeneity, homogeneity_attack};
pub use measures::{Anonymity, AnonymityOptions, SensitiveMeasures};
pub use sensitive::{LevelRule, Levels, SensitiveValues};
