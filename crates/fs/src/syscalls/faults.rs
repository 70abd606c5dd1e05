//! System calls that fail or kill the process on demand; only in builds with the feature `faults`.
//!
//! A plan applies to one thread and one [`run`], so tests do not affect each other. Calls are counted from 1.
//!
//! ```
//! use minds_fs::faults::{self, Fault, Plan};
//!
//! // Which system calls does opening a directory make?
//! let open = || minds_fs::Root::open(".".as_ref(), minds_vfs::MountId::WORKSPACE);
//! let (opened, calls) = faults::run(Plan::none(), open);
//! assert!(opened.is_ok());
//! assert_eq!(calls, ["openat"]);
//!
//! // Let the first call fail.
//! let no_access = 13;
//! let (opened, _) = faults::run(Plan::at(1, Fault::Fail(no_access)), open);
//! assert!(opened.is_err());
//! ```

use std::cell::RefCell;
use std::str::FromStr;
use std::time::Duration;

use rustix::io::Errno;
use rustix::process::{Signal, getpid, kill_process};

/// The effect of a fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// The call is not made, and fails with this error number.
    Fail(i32),
    /// This call and all following calls fail, as on a full disk.
    FailFrom(i32),
    /// The process is killed before the call.
    KillBefore,
    /// The process is killed after the call.
    KillAfter,
}

/// A call number and the fault injected there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Plan {
    fault: Option<(u64, Fault)>,
    failing_call: Option<(&'static str, i32)>,
    simulates_time: bool,
}

/// A string that is not a valid plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "a plan is `none`, or a number and `fail=ERRNO`, `fail-from=ERRNO`, `kill-before` or `kill-after`, as in `7:kill-after`"
)]
pub struct PlanError(());

impl Plan {
    /// Returns the plan without faults; calls are recorded.
    pub const fn none() -> Self {
        Self { fault: None, failing_call: None, simulates_time: false }
    }

    /// Returns a plan with a fault at call number `at`, counted from 1.
    pub const fn at(at: u64, fault: Fault) -> Self {
        Self { fault: Some((at, fault)), failing_call: None, simulates_time: false }
    }

    /// Returns a plan in which every call with this name fails with this error number, as on a kernel that
    /// does not support the call.
    pub const fn fail_every(name: &'static str, errno: i32) -> Self {
        Self { fault: None, failing_call: Some((name, errno)), simulates_time: false }
    }

    /// Returns the same plan with simulated time: time passes only through waits, which return immediately.
    /// Each wait is counted as a call `pause`.
    #[must_use]
    pub const fn with_simulated_time(mut self) -> Self {
        self.simulates_time = true;
        self
    }
}

impl FromStr for Plan {
    type Err = PlanError;

    /// Parses a plan as it is passed to a child process: `7:kill-before`, `3:fail=28`, `none`.
    fn from_str(text: &str) -> Result<Self, PlanError> {
        if text == "none" {
            return Ok(Self::none());
        }
        let (at, fault) = text.split_once(':').ok_or(PlanError(()))?;
        let errno = |text: &str| text.parse().map_err(|_| PlanError(()));
        let fault = match fault.split_once('=') {
            None if fault == "kill-before" => Fault::KillBefore,
            None if fault == "kill-after" => Fault::KillAfter,
            Some(("fail", number)) => Fault::Fail(errno(number)?),
            Some(("fail-from", number)) => Fault::FailFrom(errno(number)?),
            _ => return Err(PlanError(())),
        };
        Ok(Self::at(at.parse().map_err(|_| PlanError(()))?, fault))
    }
}

type Observer = Box<dyn FnMut(u64, &'static str)>;

struct Run {
    plan: Plan,
    calls: Vec<&'static str>,
    /// Taken out while it is called, so that its own calls are not observed.
    observer: Option<Observer>,
    /// The simulated time that has elapsed.
    elapsed: Duration,
}

thread_local! {
    static RUN: RefCell<Option<Run>> = const { RefCell::new(None) };
}

/// Runs `action` under a plan, and returns the names of the system calls that it made.
pub fn run<T>(plan: Plan, action: impl FnOnce() -> T) -> (T, Vec<&'static str>) {
    start(plan, None, action)
}

/// Like [`run`]; `observer` is called with the number and the name of each call before it is made.
///
/// An observer can change files to simulate another process at the worst possible time, or record the
/// progress of a process that will be killed.
pub fn run_observed<T>(
    plan: Plan,
    observer: impl FnMut(u64, &'static str) + 'static,
    action: impl FnOnce() -> T,
) -> (T, Vec<&'static str>) {
    start(plan, Some(Box::new(observer)), action)
}

fn start<T>(plan: Plan, observer: Option<Observer>, action: impl FnOnce() -> T) -> (T, Vec<&'static str>) {
    let outer = RUN.replace(Some(Run { plan, calls: Vec::new(), observer, elapsed: Duration::ZERO }));
    let result = action();
    let run = RUN.replace(outer);
    (result, run.map(|run| run.calls).unwrap_or_default())
}

/// The effect to apply after a call.
pub(super) struct AfterCall {
    kill: bool,
}

impl AfterCall {
    pub(super) fn apply(self) {
        if self.kill {
            kill();
        }
    }
}

/// Counts a call, and applies the fault planned for it.
pub(super) fn before(name: &'static str) -> Result<AfterCall, Errno> {
    let recorded = RUN.with_borrow_mut(|run| {
        let run = run.as_mut()?;
        run.calls.push(name);
        Some((run.calls.len() as u64, run.plan, run.observer.take()))
    });
    let Some((number, plan, observer)) = recorded else { return Ok(AfterCall { kill: false }) };
    if let Some(mut observer) = observer {
        observer(number, name);
        RUN.with_borrow_mut(|run| {
            if let Some(run) = run.as_mut() {
                run.observer = Some(observer);
            }
        });
    }
    if let Some((_, errno)) = plan.failing_call.filter(|(failing, _)| *failing == name) {
        return Err(Errno::from_raw_os_error(errno));
    }
    match plan.fault {
        Some((at, Fault::Fail(errno))) if at == number => Err(Errno::from_raw_os_error(errno)),
        Some((at, Fault::FailFrom(errno))) if at <= number => Err(Errno::from_raw_os_error(errno)),
        Some((at, Fault::KillBefore)) if at == number => {
            kill();
            Ok(AfterCall { kill: false })
        }
        Some((at, Fault::KillAfter)) if at == number => Ok(AfterCall { kill: true }),
        _ => Ok(AfterCall { kill: false }),
    }
}

/// Returns the simulated time; none if time is not simulated.
pub(super) fn simulated_now() -> Option<Duration> {
    RUN.with_borrow(|run| run.as_ref().filter(|run| run.plan.simulates_time).map(|run| run.elapsed))
}

/// Advances the simulated time; returns whether time is simulated.
pub(super) fn simulate_pause(time: Duration) -> bool {
    if simulated_now().is_none() {
        return false;
    }
    // A wait cannot fail, even if a fault is planned for its number.
    let _ = before("pause");
    RUN.with_borrow_mut(|run| {
        if let Some(run) = run.as_mut() {
            run.elapsed = run.elapsed.saturating_add(time);
        }
    });
    true
}

/// Ends the process like a power failure: nothing is unwound or flushed.
fn kill() {
    let _ = kill_process(getpid(), Signal::KILL);
}

/// The environment variable with which tests fail or kill at every call.
pub const EVERY_CALL: &str = "MINDS_TEST_EVERY_CALL";

/// Returns the numbers of the calls at which a test fails or kills: every `step`-th one of `calls` calls, beginning with
/// the first, or all of them where the environment has [`EVERY_CALL`]. A prime number as `step` meets calls of all kinds,
/// because steps of an operation repeat in even numbers.
pub fn calls_to_test(calls: usize, step: usize) -> impl Iterator<Item = usize> {
    let step = if std::env::var_os(EVERY_CALL).is_some() { 1 } else { step };
    (1..=calls).step_by(step)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: Option<Plan>) {
        assert_eq!(text.parse().ok(), expected, "{text}");
    }

    #[test]
    fn plans_are_parsed_from_strings() {
        check("none", Some(Plan::none()));
        check("7:kill-before", Some(Plan::at(7, Fault::KillBefore)));
        check("1:kill-after", Some(Plan::at(1, Fault::KillAfter)));
        check("3:fail=28", Some(Plan::at(3, Fault::Fail(28))));
        check("3:fail-from=5", Some(Plan::at(3, Fault::FailFrom(5))));
        for text in ["", "7", "x:kill-before", "7:kill", "7:fail=", "7:fail=x", "-1:kill-after"] {
            check(text, None);
        }
    }
}
