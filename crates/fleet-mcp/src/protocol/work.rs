//! A call that runs on a thread for blocking work.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use minds_fleet_protocol::{ErrorCode, Failure};
use rmcp::model::ErrorData;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc};
use tokio::task::JoinHandle;
use tokio::time::timeout;

use crate::access::{FleetAccess, Watch};
use crate::answer::{ToolAnswer, failure_answer, perform};
use crate::call::FleetCall;

/// The maximum number of calls that wait for agents, so that other calls are answered meanwhile.
const MAX_WAITS: usize = 24;
/// The number of reports that are kept for a client that reads slowly.
const MAX_REPORTS: usize = 16;
/// The time after which a report is repeated, so that a client knows that the call is alive.
const REPORT_INTERVAL: Duration = Duration::from_secs(4);

/// Starts calls.
pub(super) struct Work {
    fleet: Arc<dyn FleetAccess>,
    waits: Arc<Semaphore>,
    closing: Closing,
}

/// Whether the server ends.
#[derive(Clone, Default)]
pub(super) struct Closing(Arc<AtomicBool>);

impl Closing {
    /// Ends the waits of all calls.
    pub(super) fn set(&self) {
        self.0.store(true, Ordering::SeqCst);
    }
}

/// A running call. If it is dropped, its wait ends soon, and the work of the agent goes on.
pub(super) struct RunningCall {
    thread: JoinHandle<ToolAnswer>,
    reports: mpsc::Receiver<String>,
    last_report: String,
    is_cancelled: Arc<AtomicBool>,
    _permit: Option<OwnedSemaphorePermit>,
}

/// What happens in a call.
pub(super) enum CallEvent {
    Report(String),
    End(Result<ToolAnswer, ErrorData>),
}

impl Work {
    pub(super) fn new(fleet: Arc<dyn FleetAccess>) -> Self {
        Self { fleet, waits: Arc::new(Semaphore::new(MAX_WAITS)), closing: Closing::default() }
    }

    /// Returns what ends the waits of all calls.
    pub(super) fn closing(&self) -> Closing {
        self.closing.clone()
    }

    /// Starts a call.
    ///
    /// # Errors
    ///
    /// Returns the answer to a call that cannot start, because too many calls wait.
    pub(super) fn start(&self, call: FleetCall) -> Result<RunningCall, ToolAnswer> {
        let permit = call.waiting_time().map(|_| Arc::clone(&self.waits).try_acquire_owned()).transpose();
        let permit = permit.map_err(|_| {
            let message = format!("{MAX_WAITS} calls wait for agents already: end one of them first");
            failure_answer(&Failure::new(ErrorCode::Busy, message))
        })?;
        let (sender, reports) = mpsc::channel(MAX_REPORTS);
        let is_cancelled = Arc::new(AtomicBool::new(false));
        let (cancelled, closing) = (Arc::clone(&is_cancelled), self.closing.clone());
        let watch = CallWatch { is_cancelled: cancelled, closing, reports: sender };
        let fleet = Arc::clone(&self.fleet);
        let thread = tokio::task::spawn_blocking(move || perform(fleet.as_ref(), &call, &watch));
        let last_report = "begins".to_owned();
        Ok(RunningCall { thread, reports, last_report, is_cancelled, _permit: permit })
    }
}

impl RunningCall {
    /// Waits for the next event. The last report is repeated while nothing happens.
    pub(super) async fn next(&mut self) -> CallEvent {
        let next = async {
            tokio::select! {
                biased;
                ended = &mut self.thread => {
                    CallEvent::End(ended.map_err(|_| ErrorData::internal_error("the call was not finished", None)))
                }
                Some(report) = self.reports.recv() => CallEvent::Report(report),
            }
        };
        let event = timeout(REPORT_INTERVAL, next).await;
        match event.unwrap_or_else(|_| CallEvent::Report(self.last_report.clone())) {
            CallEvent::Report(report) => {
                self.last_report.clone_from(&report);
                CallEvent::Report(report)
            }
            end @ CallEvent::End(_) => end,
        }
    }
}

impl Drop for RunningCall {
    fn drop(&mut self) {
        self.is_cancelled.store(true, Ordering::SeqCst);
    }
}

/// The client of one call.
struct CallWatch {
    is_cancelled: Arc<AtomicBool>,
    closing: Closing,
    reports: mpsc::Sender<String>,
}

impl Watch for CallWatch {
    fn is_cancelled(&self) -> bool {
        self.is_cancelled.load(Ordering::SeqCst) || self.closing.0.load(Ordering::SeqCst)
    }

    fn report(&self, message: &str) {
        // A client that reads slowly misses some.
        let _ = self.reports.try_send(minds_diagnostics::emit::printable(message).into_owned());
    }
}
