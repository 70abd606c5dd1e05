//! Calls that fail or kill on demand; only in builds with the feature `faults`.
//!
//! What is planned holds for one thread and one [`run`], so tests do not disturb each other. Calls are counted from 1.
//!
//! ```
//! use minds_system::faults::{self, Fault, Plan};
//!
//! // What does opening a directory ask of the system?
//! let open = || minds_system::Root::open(".".as_ref(), minds_paths::MountId::WORKSPACE);
//! let (opened, calls) = faults::run(Plan::none(), open);
//! assert!(opened.is_ok());
//! assert_eq!(calls, ["openat"]);
//!
//! // And what if the first call fails?
//! let no_access = 13;
//! let (opened, _) = faults::run(Plan::at(1, Fault::Fail(no_access)), open);
//! assert!(opened.is_err());
//! ```

use std::cell::RefCell;
use std::str::FromStr;
use std::time::Duration;

use rustix::io::Errno;
use rustix::process::{Signal, getpid, kill_process};

/// What happens at a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// The call is not made and fails with this number of an error.
    Fail(i32),
    /// This call and all behind it fail, as on a disk that stays full.
    FailFrom(i32),
    /// The process is killed before the call is made.
    KillBefore,
    /// The process is killed after the call was made.
    KillAfter,
}

/// At which call something happens, and what.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Plan {
    fault: Option<(u64, Fault)>,
    named: Option<(&'static str, i32)>,
    simulates_time: bool,
}

/// A text that is no plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "a plan is `none`, or a number and `fail=ERRNO`, `fail-from=ERRNO`, `kill-before` or `kill-after`, as in `7:kill-after`"
)]
pub struct PlanError(());

impl Plan {
    /// Returns the plan in which everything happens as always; the calls are recorded.
    pub const fn none() -> Self {
        Self { fault: None, named: None, simulates_time: false }
    }

    /// Returns a plan for the call with the number `at`, the first being 1.
    pub const fn at(at: u64, fault: Fault) -> Self {
        Self { fault: Some((at, fault)), named: None, simulates_time: false }
    }

    /// Returns a plan in which every call with this name fails with this number of an error, as in a kernel that has no
    /// such call.
    pub const fn named(name: &'static str, errno: i32) -> Self {
        Self { fault: None, named: Some((name, errno)), simulates_time: false }
    }

    /// Returns the same plan, in which time passes only by waiting, and that at once. Each wait is a call `pause`.
    #[must_use]
    pub const fn with_simulated_time(mut self) -> Self {
        self.simulates_time = true;
        self
    }
}

impl FromStr for Plan {
    type Err = PlanError;

    /// Reads a plan as it is given to a process that is to die of it: `7:kill-before`, `3:fail=28`, `none`.
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
    /// Taken out while it is called: what it does is not observed.
    observer: Option<Observer>,
    /// How much simulated time has passed.
    passed: Duration,
}

thread_local! {
    static RUN: RefCell<Option<Run>> = const { RefCell::new(None) };
}

/// Does something under a plan, and returns the names of the calls that it made.
pub fn run<T>(plan: Plan, action: impl FnOnce() -> T) -> (T, Vec<&'static str>) {
    start(plan, None, action)
}

/// The same, with `observer` being told the number and the name of each call before it is made.
///
/// An observer can change the files meanwhile, as another process would at the worst moment, or write down how far a
/// process came that will be killed.
pub fn run_observed<T>(
    plan: Plan,
    observer: impl FnMut(u64, &'static str) + 'static,
    action: impl FnOnce() -> T,
) -> (T, Vec<&'static str>) {
    start(plan, Some(Box::new(observer)), action)
}

fn start<T>(plan: Plan, observer: Option<Observer>, action: impl FnOnce() -> T) -> (T, Vec<&'static str>) {
    let outer = RUN.replace(Some(Run { plan, calls: Vec::new(), observer, passed: Duration::ZERO }));
    let result = action();
    let run = RUN.replace(outer);
    (result, run.map(|run| run.calls).unwrap_or_default())
}

/// What is to happen after a call.
pub(super) struct After {
    kill: bool,
}

impl After {
    pub(super) fn happen(self) {
        if self.kill {
            kill();
        }
    }
}

/// Counts a call, and does what is planned for it.
pub(super) fn before(name: &'static str) -> Result<After, Errno> {
    let noted = RUN.with_borrow_mut(|run| {
        let run = run.as_mut()?;
        run.calls.push(name);
        Some((run.calls.len() as u64, run.plan, run.observer.take()))
    });
    let Some((number, plan, observer)) = noted else { return Ok(After { kill: false }) };
    if let Some(mut observer) = observer {
        observer(number, name);
        RUN.with_borrow_mut(|run| {
            if let Some(run) = run.as_mut() {
                run.observer = Some(observer);
            }
        });
    }
    if let Some((_, errno)) = plan.named.filter(|(failing, _)| *failing == name) {
        return Err(Errno::from_raw_os_error(errno));
    }
    match plan.fault {
        Some((at, Fault::Fail(errno))) if at == number => Err(Errno::from_raw_os_error(errno)),
        Some((at, Fault::FailFrom(errno))) if at <= number => Err(Errno::from_raw_os_error(errno)),
        Some((at, Fault::KillBefore)) if at == number => {
            kill();
            Ok(After { kill: false })
        }
        Some((at, Fault::KillAfter)) if at == number => Ok(After { kill: true }),
        _ => Ok(After { kill: false }),
    }
}

/// Returns the simulated time; none where time passes by itself.
pub(super) fn simulated_now() -> Option<Duration> {
    RUN.with_borrow(|run| run.as_ref().filter(|run| run.plan.simulates_time).map(|run| run.passed))
}

/// Lets simulated time pass; returns whether time is simulated.
pub(super) fn simulate_pause(time: Duration) -> bool {
    if simulated_now().is_none() {
        return false;
    }
    // A wait cannot fail, whatever is planned for its number.
    let _ = before("pause");
    RUN.with_borrow_mut(|run| {
        if let Some(run) = run.as_mut() {
            run.passed = run.passed.saturating_add(time);
        }
    });
    true
}

/// Ends the process as a loss of power to it would: nothing is unwound or flushed.
fn kill() {
    let _ = kill_process(getpid(), Signal::KILL);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: Option<Plan>) {
        assert_eq!(text.parse().ok(), expected, "{text}");
    }

    #[test]
    fn plans_are_read_from_texts() {
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
