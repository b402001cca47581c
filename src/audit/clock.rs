//! The time of a whole audit, and who gets how much of it.

use std::time::{Duration, Instant};

/// A job's time, from its start.
#[derive(Debug, Clone, Copy)]
pub(super) struct JobClock {
    started: Instant,
    limit: Option<Duration>,
    /// What was over when work began.
    before: Duration,
}

impl JobClock {
    /// Starts now; `None` is no limit.
    pub fn start(limit: Option<Duration>) -> Self {
        Self::since(Instant::now(), limit)
    }

    /// Started at `started`; what was done since then, reading files for instance, counts.
    pub fn since(started: Instant, limit: Option<Duration>) -> Self {
        Self { started, limit, before: started.elapsed() }
    }

    /// What to say where more than half of the time was over before work began.
    pub fn late_start(&self) -> Option<String> {
        let limit = self.limit.filter(|limit| self.before > limit.mul_f64(0.5))?;
        Some(format!(
            "Reading the files took {:.1} s of {:.1} s: little time was left for attacks. Give more \
             time.",
            self.before.as_secs_f64(),
            limit.as_secs_f64()
        ))
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

    #[test]
    fn what_was_done_before_counts_and_is_said_where_it_was_much() {
        let Some(started) = Instant::now().checked_sub(Duration::from_secs(6)) else { return };
        let late = JobClock::since(started, Some(Duration::from_secs(5)));
        assert_eq!(late.part_until(1.0, 1.0), Some(Duration::ZERO));
        let said = late.late_start().unwrap();
        assert!(said.starts_with("Reading the files took 6.0 s of 5.0 s: "), "{said}");
        assert_eq!(JobClock::since(started, Some(Duration::from_secs(60))).late_start(), None);
        assert_eq!(JobClock::since(started, None).late_start(), None);
    }
}
