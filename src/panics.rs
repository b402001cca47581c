//! Panics of other people's code, turned into values.

use std::cell::Cell;
use std::panic::{self, AssertUnwindSafe};
use std::sync::Once;

thread_local! {
    /// True while a panic of this thread is going to be caught, and is to say nothing.
    static CAUGHT: Cell<bool> = const { Cell::new(false) };
}

/// What `job` gives, `None` when it panics: nothing is printed then. For calls on this thread into
/// libraries that panic where a file is damaged; what `job` changes must not be used afterwards.
pub(crate) fn caught<T>(job: impl FnOnce() -> T) -> Option<T> {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let others = panic::take_hook();
        panic::set_hook(Box::new(move |panic| {
            if !CAUGHT.try_with(Cell::get).unwrap_or(false) {
                others(panic);
            }
        }));
    });
    let before = CAUGHT.replace(true);
    let outcome = panic::catch_unwind(AssertUnwindSafe(job));
    CAUGHT.set(before);
    outcome.ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_becomes_none_and_the_next_call_is_fine() {
        assert_eq!(caught(|| [0u8; 2][std::hint::black_box(2)]), None);
        assert_eq!(caught(|| 7), Some(7));
    }
}
