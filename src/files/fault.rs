//! Steps of writing that a test can make fail.

/// Stands before a step of writing, and fails where a test asks for it.
///
/// Builds with debug assertions read `UNMASK_FAULT` once: `fail:7` lets the seventh step of the
/// program fail, `break:7` that and every later one, `kill:7` ends it there as `kill -9` does, `wait:7` lets it stand there. The step
/// is told on standard error. Other builds have nothing of this.
#[cfg(not(debug_assertions))]
#[inline(always)]
pub(super) fn step(_name: &str) -> std::io::Result<()> {
    Ok(())
}

#[cfg(debug_assertions)]
pub(super) use asked::step;

#[cfg(debug_assertions)]
mod asked {
    use std::io::{self, Write};
    use std::sync::OnceLock;
    use std::sync::atomic::{AtomicU64, Ordering};
    use std::time::Duration;

    #[derive(Clone, Copy)]
    enum Fault {
        Fail,
        Break,
        Kill,
        Wait,
    }

    /// As without debug assertions, with what a test asks for.
    pub(in crate::files) fn step(name: &str) -> io::Result<()> {
        static ASKED: OnceLock<Option<(Fault, u64)>> = OnceLock::new();
        static STEPS: AtomicU64 = AtomicU64::new(0);
        let Some((fault, at)) = *ASKED.get_or_init(asked) else { return Ok(()) };
        let step = STEPS.fetch_add(1, Ordering::SeqCst) + 1;
        if step != at && !(step > at && matches!(fault, Fault::Break)) {
            return Ok(());
        }
        let _ = writeln!(io::stderr(), "fault: {name}");
        match fault {
            Fault::Fail | Fault::Break => Err(io::Error::other(format!("{name} was made to fail"))),
            Fault::Kill => {
                let id = std::process::id().to_string();
                let _ = std::process::Command::new("kill").args(["-KILL", &id]).status();
                std::process::abort()
            }
            Fault::Wait => loop {
                std::thread::sleep(Duration::from_secs(1));
            },
        }
    }

    fn asked() -> Option<(Fault, u64)> {
        let text = std::env::var("UNMASK_FAULT").ok()?;
        let (fault, at) = text.split_once(':')?;
        let fault = match fault {
            "fail" => Fault::Fail,
            "break" => Fault::Break,
            "kill" => Fault::Kill,
            "wait" => Fault::Wait,
            _ => return None,
        };
        Some((fault, at.parse().ok()?))
    }
}
