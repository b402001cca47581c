//! The time of a whole audit, and who gets how much of it.

use std::time::{Duration, Instant};

/// A job's time, from its start.
#[derive(Debug, Clone, Copy)]
pub(super) struct JobClock {
    started: Instant,
    limit: Option<Duration>,
}

impl JobClock {
    /// Starts now; `None` is no limit.
    pub fn start(limit: Option<Duration>) -> Self {
        Self { started: Instant::now(), limit }
    }

    /// When the first `share` of the time is over.
    pub fn end_of(&self, share: f64) -> Option<Instant> {
        self.limit.map(|limit| self.started + limit.mul_f64(share))
    }

    /// A `part` of the time that is left until the first `share` of all is over.
    pub fn part_until(&self, share: f64, part: f64) -> Option<Duration> {
        let left = |end: Instant| end.saturating_duration_since(Instant::now()).mul_f64(part);
        self.end_of(share).map(left)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::listener::{Listener, Until};

    #[test]
    fn time_is_shared_and_its_end_interrupts() {
        let clock = JobClock::start(Some(Duration::from_secs(100)));
        let half = clock.part_until(0.5, 0.5).unwrap();
        assert!(half <= Duration::from_secs(25) && half > Duration::from_secs(24));
        assert!(Until::after(&(), Some(Duration::ZERO)).interrupted());
        assert!(!Until::new(&(), clock.end_of(1.0)).interrupted());
        assert!(JobClock::start(None).part_until(0.5, 0.5).is_none());
        assert!(!Until::after(&(), None).interrupted());
    }
}
