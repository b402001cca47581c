//! Which attributes are microaggregated together.

use crate::error::{Error, Result};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;
use std::str::FromStr;

/// How the attributes, in file order, are cut into consecutive blocks.
///
/// On the command line: `all`, one size (`2`: blocks of two, the last may be
/// smaller), or all sizes (`5,5,3`).
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum AttributeBlocks {
    /// One block of all attributes.
    #[default]
    All,
    /// Blocks of this many attributes; the rest is a smaller block.
    Of(usize),
    /// Blocks of these sizes, which add up to the number of attributes.
    Sizes(Vec<usize>),
}

impl AttributeBlocks {
    /// The `positions` of the attributes, block by block.
    pub fn cut(&self, positions: &[usize]) -> Result<Vec<Vec<usize>>> {
        match self {
            Self::All => Ok(vec![positions.to_vec()]),
            Self::Of(size) if *size >= 1 && *size <= positions.len() => {
                Ok(positions.chunks(*size).map(<[usize]>::to_vec).collect())
            }
            Self::Of(_) => {
                let problem = format!("but there are {} attributes to cut", positions.len());
                Err(Error::parameter("groups", self, problem))
            }
            Self::Sizes(sizes) => {
                let sum: usize = sizes.iter().sum();
                if sum != positions.len() || sizes.contains(&0) {
                    let problem = format!(
                        "which add up to {sum}, but there are {} attributes; every size is at least 1",
                        positions.len()
                    );
                    return Err(Error::parameter("groups", self, problem));
                }
                let mut rest = positions.iter().copied();
                Ok(sizes.iter().map(|size| rest.by_ref().take(*size).collect()).collect())
            }
        }
    }
}

impl FromStr for AttributeBlocks {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<Self, String> {
        if text == "all" {
            return Ok(Self::All);
        }
        let sizes: std::result::Result<Vec<usize>, _> =
            text.split(',').map(|part| part.trim().parse()).collect();
        match sizes.as_deref() {
            Ok([size]) => Ok(Self::Of(*size)),
            Ok(sizes) => Ok(Self::Sizes(sizes.to_vec())),
            Err(_) => {
                Err(format!("{text:?} is neither `all`, a size such as 2, nor sizes such as 5,5,3"))
            }
        }
    }
}

impl fmt::Display for AttributeBlocks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::All => f.write_str("all"),
            Self::Of(size) => write!(f, "{size}"),
            Self::Sizes(sizes) => f.write_str(&crate::protection::join(sizes)),
        }
    }
}

impl Serialize for AttributeBlocks {
    fn serialize<S: Serializer>(&self, to: S) -> std::result::Result<S::Ok, S::Error> {
        to.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for AttributeBlocks {
    fn deserialize<D: Deserializer<'de>>(from: D) -> std::result::Result<Self, D::Error> {
        let text = String::deserialize(from)?;
        text.parse().map_err(D::Error::custom)
    }
}
