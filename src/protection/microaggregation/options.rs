//! The options that several microaggregations share, each written once.

/// Declares the options of a microaggregation as a plain struct.
///
/// A bare `k`, `gamma`, `groups`, `cluster_on`, `optimal`, `missing` or `refine` stands for the
/// public field of that name that other methods have too, with its description, command-line option
/// and TOML key; any other field is written as in every struct.
macro_rules! options {
    ($(#[$about:meta])* pub struct $method:ident { $($fields:tt)* }) => {
        options! { @collect [$(#[$about])*] $method {} $($fields)* }
    };
    (@collect $about:tt $method:ident { $($done:tt)* } k, $($rest:tt)*) => {
        options! { @collect $about $method {
            $($done)*
            /// Smallest group size: one for all groups of attributes, or one each
            #[cfg_attr(
                feature = "cli",
                arg(long, value_name = "K,...", value_delimiter = ',', required = true)
            )]
            #[serde(deserialize_with = "crate::protection::one_or_many::deserialize")]
            pub k: Vec<usize>,
        } $($rest)* }
    };
    (@collect $about:tt $method:ident { $($done:tt)* } gamma, $($rest:tt)*) => {
        options! { @collect $about $method {
            $($done)*
            /// Gain factor: a group takes its nearest record while that is nearer to it than GAMMA
            /// times to any other; 0 for groups of k
            #[cfg_attr(feature = "cli", arg(
                long,
                value_name = "GAMMA",
                default_value_t = $crate::protection::microaggregation::DEFAULT_GAMMA,
                allow_negative_numbers = true
            ))]
            #[serde(default = "crate::protection::microaggregation::default_gamma")]
            pub gamma: f64,
        } $($rest)* }
    };
    (@collect $about:tt $method:ident { $($done:tt)* } groups, $($rest:tt)*) => {
        options! { @collect $about $method {
            $($done)*
            /// Attributes grouped together: `all`, a size (2), or sizes (5,5,3)
            #[cfg_attr(feature = "cli", arg(long, value_name = "GROUPS", default_value_t))]
            #[serde(default)]
            pub groups: $crate::protection::microaggregation::AttributeBlocks,
        } $($rest)* }
    };
    (@collect $about:tt $method:ident { $($done:tt)* } cluster_on, $($rest:tt)*) => {
        options! { @collect $about $method {
            $($done)*
            /// Similarity of z-scores or of raw values
            #[cfg_attr(
                feature = "cli",
                arg(long, value_enum, value_name = "SCALE", default_value_t)
            )]
            #[serde(default)]
            pub cluster_on: $crate::distance::Scale,
        } $($rest)* }
    };
    (@collect $about:tt $method:ident { $($done:tt)* } optimal, $($rest:tt)*) => {
        options! { @collect $about $method {
            $($done)*
            /// The optimal partition, by dynamic programming, in place of groups of exactly k
            #[cfg_attr(feature = "cli", arg(long))]
            #[serde(default)]
            pub optimal: bool,
        } $($rest)* }
    };
    (@collect $about:tt $method:ident { $($done:tt)* } missing, $($rest:tt)*) => {
        options! { @collect $about $method {
            $($done)*
            /// What becomes of missing values
            #[cfg_attr(
                feature = "cli",
                arg(long, value_enum, value_name = "POLICY", default_value_t)
            )]
            #[serde(
                default,
                skip_serializing_if = "crate::protection::microaggregation::Missing::is_default"
            )]
            pub missing: $crate::protection::microaggregation::Missing,
        } $($rest)* }
    };
    (@collect $about:tt $method:ident { $($done:tt)* } refine, $($rest:tt)*) => {
        options! { @collect $about $method {
            $($done)*
            /// Lower the loss of the groups by a seeded local search, with so many moves in each
            /// of two searches [default: 20000000]; of mixed attributes the squared errors of
            /// numbers and labels together fall
            #[cfg_attr(feature = "cli", arg(
                long,
                value_name = "MOVES",
                num_args = 0..=1,
                require_equals = true,
                default_missing_value = "20000000"
            ))]
            #[serde(default, skip_serializing_if = "Option::is_none")]
            pub refine: Option<u64>,
        } $($rest)* }
    };
    (@collect $about:tt $method:ident { $($done:tt)* }
        $(#[$of_field:meta])* pub $field:ident: $kind:ty, $($rest:tt)*
    ) => {
        options! { @collect $about $method {
            $($done)*
            $(#[$of_field])*
            pub $field: $kind,
        } $($rest)* }
    };
    (@collect [$($about:tt)*] $method:ident { $($fields:tt)* }) => {
        $($about)*
        #[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
        #[cfg_attr(feature = "cli", derive(clap::Args))]
        #[serde(deny_unknown_fields)]
        pub struct $method { $($fields)* }
    };
}

pub(super) use options;
