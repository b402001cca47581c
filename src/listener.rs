//! How long work tells how far it is, and is told to stop: one trait for both.
//!
//! The program draws bars and hears Ctrl-C; a library caller passes `&()` and need not care.

pub use unmask_solvers::{Interrupt, Listener, SearchState};
