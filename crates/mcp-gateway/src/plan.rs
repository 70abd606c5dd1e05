//! What has to be done so that the running servers are those of `mcp.yaml`.

use std::collections::BTreeMap;

use crate::Fingerprint;

/// What the file wants of a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Goal {
    /// It runs in this configuration.
    Running(Fingerprint),
    /// Its entry cannot be used, so what worked before stays.
    Unchanged,
    /// It does not run.
    Stopped,
}

/// What a server is doing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Actual {
    /// The configuration that worked last.
    pub good: Option<Fingerprint>,
    /// The configuration that is being started, also while a failed start waits for the next one.
    pub starting: Option<Fingerprint>,
}

/// What has to be done for one server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// Nothing.
    Keep,
    /// The wanted configuration is started beside the one that works, and replaces it once it works.
    Start,
    /// A start is given up; the configuration that works stays.
    Abandon,
    /// Everything is stopped.
    Stop,
}

/// Returns the step of each server that is wanted or exists. Steps of different servers do not depend on each other.
pub fn plan<'i>(
    wanted: &BTreeMap<&'i str, Goal>,
    actual: &BTreeMap<&'i str, Actual>,
) -> BTreeMap<&'i str, Step> {
    let ids = wanted.keys().chain(actual.keys());
    ids.map(|id| {
        let wanted = wanted.get(id).copied().unwrap_or(Goal::Stopped);
        (*id, step(wanted, actual.get(id).copied()))
    })
    .collect()
}

fn step(wanted: Goal, actual: Option<Actual>) -> Step {
    let Actual { good, starting } = actual.unwrap_or_default();
    match wanted {
        Goal::Running(fingerprint) if starting == Some(fingerprint) => Step::Keep,
        Goal::Running(fingerprint) if good == Some(fingerprint) && starting.is_none() => Step::Keep,
        Goal::Running(fingerprint) if good == Some(fingerprint) => Step::Abandon,
        Goal::Running(_) => Step::Start,
        Goal::Unchanged if starting.is_some() && starting != good => Step::Abandon,
        Goal::Stopped if actual.is_some() => Step::Stop,
        Goal::Unchanged | Goal::Stopped => Step::Keep,
    }
}
