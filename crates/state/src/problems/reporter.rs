//! Gateways that report problems, and which of them still run.

use std::collections::BTreeSet;

use minds_fs::{Lock, Root, Sharing};
use minds_vfs::{PathError, WorkspacePath};

use super::gateway::{GatewayProblem, GatewaySet, reconcile_gateways, reporting_gateways};
use super::id::encode_segment;
use super::record::Record;
use super::store::{ProblemsError, Published, update};

/// Publishes the problems of one running gateway of a workspace.
///
/// The gateway counts as running until this value is dropped or its process ends, however that happens. What an ended
/// gateway left open is resolved when another one publishes, or when the problems are read.
#[derive(Debug)]
pub struct GatewayReporter {
    state: Root,
    gateway: String,
    /// Held while the gateway runs. The system releases it at the end of the process.
    _running: Lock,
}

impl GatewayReporter {
    /// Starts reporting for a gateway. `gateway` identifies it among all gateways of the workspace that run or have run,
    /// such as by the id and the start time of its process; `state` is the state folder of the workspace.
    ///
    /// # Errors
    ///
    /// Fails if the state folder cannot be written, or a gateway with this identity runs.
    pub fn start(state: Root, gateway: &str) -> Result<Self, ProblemsError> {
        let running = state.no_follow().place(&running_path(gateway)?)?.try_lock(Sharing::Exclusive)?;
        let gateway = gateway.to_owned();
        match running {
            Some(running) => Ok(Self { state, gateway, _running: running }),
            None => Err(ProblemsError::GatewayRuns { gateway }),
        }
    }

    /// Publishes the complete set of open problems of the gateway. `now` is the time in milliseconds since 1970.
    ///
    /// New problems are added, and those that are gone are resolved unless another running gateway reports them too. A
    /// problem with the same id keeps the time at which it was first seen. Nothing is written if nothing changed.
    ///
    /// # Errors
    ///
    /// Fails if the list of problems cannot be read or written; it is unchanged then. A damaged list is renamed first.
    pub fn publish(&self, now: u64, problems: &[GatewayProblem]) -> Result<Published, ProblemsError> {
        let set = GatewaySet::new(&self.gateway, problems);
        update(&self.state, now, |known, now| {
            let ended = ended_gateways(&self.state, &known);
            reconcile_gateways(known, &ended, Some(set), now)
        })
    }

    /// Resolves the open problems of the gateway, because it ends.
    ///
    /// # Errors
    ///
    /// Fails as [`GatewayReporter::publish`] does; the problems are resolved later then.
    pub fn end(self, now: u64) -> Result<Published, ProblemsError> {
        self.publish(now, &[])
    }
}

/// Returns the gateways with open problems that do not run any more.
pub(super) fn ended_gateways(state: &Root, known: &[Record]) -> BTreeSet<String> {
    reporting_gateways(known).into_iter().filter(|gateway| !is_running(state, gateway)).collect()
}

/// Returns whether a gateway runs. Does not wait.
pub(super) fn is_running(state: &Root, gateway: &str) -> bool {
    let Ok(path) = running_path(gateway) else { return false };
    let lock = state.no_follow().place(&path).and_then(|place| place.try_lock(Sharing::Shared));
    // If it cannot be determined, the problems stay open.
    lock.map_or(true, |lock| lock.is_none())
}

/// Returns the path of the lock that a gateway holds while it runs.
fn running_path(gateway: &str) -> Result<WorkspacePath, PathError> {
    WorkspacePath::parse(&format!("gateway-{}", encode_segment(gateway)))
}
