//! How badly a protected microdata file can still be re-identified.
