//! Work done with the widest vector instructions of the machine it runs on.

pub use pulp::Arch;

/// What makes a closure one that can be called only once; see [`vectorized!`](crate::vectorized).
#[derive(Debug)]
pub struct Once;

/// Evaluates an expression with the widest vector instructions of this machine.
///
/// Only what is compiled into this place uses them: the functions it calls must be
/// `#[inline(always)]`, and its loops loops, for the closures of an iterator may stay
/// functions of their own. The result is the same to the last bit on every machine as
/// long as the expression fixes the order of its sums.
///
/// The expression becomes a closure that owns an [`Once`](crate::vector::Once). One that
/// could be called again would be called through a wrapper that the compiler makes and
/// need not inline, and would then work without vector instructions.
///
/// ```
/// use unmask_solvers::vectorized;
///
/// let mut squares = [1.0, 2.0, 3.0, 4.0];
/// vectorized!(for x in &mut squares {
///     *x *= *x;
/// });
/// assert_eq!(squares, [1.0, 4.0, 9.0, 16.0]);
/// ```
#[macro_export]
macro_rules! vectorized {
    ($work:expr) => {{
        let once = $crate::vector::Once;
        $crate::vector::Arch::new().dispatch(
            #[inline(always)]
            || {
                let _once = once;
                $work
            },
        )
    }};
}
