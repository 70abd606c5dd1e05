//! Records of calls on their way to the process that writes them.

use std::sync::Mutex;
use std::time::Duration;

use minds_state::journal::AuditedCall;
use tokio::sync::Notify;
use tokio::time::sleep;

use crate::client::wire::lock;
use crate::link::connection::Shared;

/// The time in which records are gathered, so that not each of them wakes another process.
const GATHERING: Duration = Duration::from_millis(10);

/// Records that are not sent yet.
#[derive(Default)]
pub(in crate::link) struct Records {
    calls: Mutex<Vec<AuditedCall>>,
    added: Notify,
}

impl Records {
    pub(in crate::link) fn add(&self, call: AuditedCall) {
        let is_first = {
            let mut calls = lock(&self.calls);
            calls.push(call);
            calls.len() == 1
        };
        if is_first {
            self.added.notify_one();
        }
    }

    pub(in crate::link) fn take(&self) -> Vec<AuditedCall> {
        std::mem::take(&mut *lock(&self.calls))
    }

    /// Sends the records, some at a time.
    pub(super) async fn send_all(&self, link: &Shared) {
        loop {
            self.added.notified().await;
            sleep(GATHERING).await;
            link.send_records();
        }
    }
}
