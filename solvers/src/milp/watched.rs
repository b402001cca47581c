//! A MILP solver on a thread of its own, so that a call ends when it should.
//!
//! HiGHS asks whether to go on only between its steps, and one step, the presolve of a large
//! model or a search within its search, can take long. The thread that called therefore
//! listens: it hears the news of the run, passes them on, and where HiGHS does not end soon after
//! it was asked to, it answers with the best point and bound so far. The run it leaves behind
//! owns all it needs and ends at its next question.

use crate::milp::model::{MilpAnswer, MilpModel};
use crate::solver::Clock;
use crate::{Limits, SolverError, StopReason};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

/// How often the listener is asked.
const TICK: Duration = Duration::from_millis(20);

/// How long a run may take to end once it was asked to.
const PATIENCE: Duration = Duration::from_millis(1000);

/// What a run works on.
pub(crate) struct MilpTask {
    pub solver: &'static str,
    pub model: Arc<MilpModel>,
    /// A feasible point of the model.
    pub start: Vec<f64>,
    pub limits: Limits,
}

/// Solves the task and tells the watch how it stands.
pub(crate) type MilpRun = fn(&MilpTask, &RunWatch) -> Result<MilpAnswer, SolverError>;

/// What a run tells.
enum News {
    /// Objective of the best point, proven bound on it, nodes.
    State(f64, f64, u64),
    /// Better weights.
    Weights(Vec<f64>),
    Answer(Result<MilpAnswer, SolverError>),
}

/// The run's end of the line.
pub(crate) struct RunWatch {
    stop: Arc<AtomicBool>,
    news: Sender<News>,
}

impl RunWatch {
    /// True when the run should end.
    pub fn stops(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// The objective of the best point, its proven bound and the nodes so far.
    pub fn state(&self, best: f64, bound: f64, nodes: u64) {
        // Nobody listens to a run that was left behind.
        let _ = self.news.send(News::State(best, bound, nodes));
    }

    /// Weights better than all before.
    pub fn weights(&self, weights: &[f64]) {
        let _ = self.news.send(News::Weights(weights.to_vec()));
    }
}

/// Asks the run to stop when the caller leaves, by whatever way.
struct StopOnLeave(Arc<AtomicBool>);

impl Drop for StopOnLeave {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Runs the task; ends within [`PATIENCE`] of the reason to stop.
pub(crate) fn watched(
    task: MilpTask,
    run: MilpRun,
    clock: &Clock<'_>,
) -> Result<MilpAnswer, SolverError> {
    let (sender, news) = channel();
    let stop = StopOnLeave(Arc::default());
    let watch = RunWatch { stop: Arc::clone(&stop.0), news: sender };
    let (solver, model) = (task.solver, Arc::clone(&task.model));
    let known = MilpAnswer {
        solver,
        point: task.start.clone(),
        bound: 0.0,
        stop_reason: StopReason::Interrupted,
        nodes: 0,
    };
    let work = move || {
        let answer = run(&task, &watch);
        let _ = watch.news.send(News::Answer(answer));
    };
    std::thread::Builder::new()
        .spawn(work)
        .map_err(|e| SolverError::Threads { threads: 1, reason: e.to_string() })?;
    Audience { clock, model: &model, stop: &stop.0, known }.hear(&news)
}

/// The caller's end of the line, and what it knows so far.
struct Audience<'a> {
    clock: &'a Clock<'a>,
    model: &'a MilpModel,
    stop: &'a AtomicBool,
    known: MilpAnswer,
}

impl Audience<'_> {
    fn hear(mut self, news: &Receiver<News>) -> Result<MilpAnswer, SolverError> {
        let mut asked: Option<(Instant, StopReason)> = None;
        loop {
            match news.recv_timeout(TICK) {
                Ok(News::Answer(answer)) => return answer.map(|a| self.with_reason(a, asked)),
                Ok(News::State(best, bound, nodes)) => self.note(best, bound, nodes),
                Ok(News::Weights(weights)) => self.consider(&weights),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return Err(self.lost()),
            }
            if asked.is_none() {
                asked = self.clock.stop().map(|reason| (Instant::now(), reason));
                self.stop.store(asked.is_some(), Ordering::Relaxed);
            }
            if let Some((since, stop_reason)) = asked
                && since.elapsed() > PATIENCE
            {
                return Ok(MilpAnswer { stop_reason, ..self.known });
            }
        }
    }

    /// An interrupted run was asked to stop, for a reason that only the caller knows.
    fn with_reason(&self, answer: MilpAnswer, asked: Option<(Instant, StopReason)>) -> MilpAnswer {
        match (answer.stop_reason, asked) {
            (StopReason::Interrupted, Some((_, stop_reason))) => {
                MilpAnswer { stop_reason, ..answer }
            }
            _ => answer,
        }
    }

    fn note(&mut self, best: f64, bound: f64, nodes: u64) {
        if bound.is_finite() {
            self.known.bound = self.known.bound.max(bound);
        }
        self.known.nodes = nodes;
        let known = self.model.violated_gain(&self.known.point);
        let best = if best.is_finite() { self.model.least_violated_gain(best) } else { known };
        let bound = self.model.least_violated_gain(self.known.bound);
        self.clock.report(best.max(bound), bound, nodes);
    }

    fn consider(&mut self, weights: &[f64]) {
        let point = self.model.start_from(weights);
        if self.model.violated_gain(&point) < self.model.violated_gain(&self.known.point) {
            self.known.point = point;
        }
    }

    fn lost(&self) -> SolverError {
        SolverError::Backend {
            solver: self.known.solver,
            call: "run".into(),
            reason: "its thread ended without an answer".into(),
        }
    }
}
