//! Full-domain generalization: value hierarchies, the lattice they span, and what every node costs.
//!
//! A [`Hierarchy`] names the values of one quasi-identifier on each of its levels.
//! A node of the [`Lattice`] picks a level for every quasi-identifier;
//! [`generalize()`] makes the release of a node, [`enumerate()`] counts all of them,
//! and [`search()`] finds the best one that satisfies the [`Criteria`].
//!
//! ```
//! use unmask::dataset::{Dataset, ReadOptions};
//! use unmask::lattice::{Criteria, Hierarchy, enumerate};
//!
//! let text = b"sex,zip\nm,1004\nm,1015\nf,1004\nf,1015\n";
//! let data = Dataset::from_csv("example", text, &ReadOptions::default())?;
//! let sex = Hierarchy::new("sex", [["m", "person"], ["f", "person"]])?;
//! let zip = Hierarchy::new("zip", [["1004", "10**"], ["1015", "10**"]])?;
//! let nodes = enumerate(&data, &[sex, zip], &Criteria::k(2), &())?;
//! let k: Vec<usize> = nodes.iter().map(|node| node.k).collect();
//! assert_eq!(k, [1, 2, 2, 4]);
//! # Ok::<(), unmask::error::Error>(())
//! ```

mod class_sizes;
mod class_table;
mod coded_file;
mod criteria;
mod domain;
mod enumerate;
mod generalize;
mod hierarchy;
mod hierarchy_file;
mod key;
mod metric;
mod node;
mod nodes_table;
mod rules;
mod search;

pub use class_sizes::class_sizes;
pub use criteria::{Criteria, LeastDiversity};
pub(crate) use domain::number_bits;
pub use enumerate::{NodeRecord, enumerate};
pub use generalize::{generalize, release};
pub use hierarchy::Hierarchy;
pub(crate) use hierarchy::MISSING;
pub use hierarchy_file::{find_hierarchies, load_hierarchies};
pub use metric::LatticeMetric;
pub use node::Lattice;
pub use nodes_table::nodes_table;
pub use search::{Optimum, search};
