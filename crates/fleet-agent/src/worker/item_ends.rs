//! The end of the work on an item.

use minds_fleet_protocol::{EndReason, ItemEffects, QueueRecord, TaskEnd};

use super::Worker;
use super::turns::Work;
use crate::clock::timestamp;

impl Worker<'_> {
    /// Records the end of an item. An item that ends with the agent is parked if it has had effects, and begins again else.
    pub(super) fn finish(&mut self, work: &Work<'_>, reason: EndReason) {
        let (item, ts) = (work.item, timestamp());
        let is_ended = self.ending.is_some() && reason != EndReason::Done;
        let has_effects = || {
            let store = self.shared.store();
            !ItemEffects::of(&item.id, store.recent_history()).begun.is_empty()
        };
        let record = match is_ended {
            false => Some(QueueRecord::Done {
                done: item.id.clone(),
                ts,
                ok: reason == EndReason::Done,
                reason: Some(reason),
            }),
            true if has_effects() => {
                let reason = "the agent was stopped while it worked on the item".to_owned();
                Some(QueueRecord::Park { park: item.id.clone(), ts, reason })
            }
            true => None,
        };
        if let Some(record) = record {
            self.keep(|store| {
                store.append_queue(std::slice::from_ref(&record))?;
                store.sync_queue()
            });
            self.compact(ts);
        }
        self.end_item(work, reason);
    }

    /// Publishes the end of an item.
    pub(super) fn end_item(&self, work: &Work<'_>, reason: EndReason) {
        let (id, ok) = (work.item.id.clone(), reason == EndReason::Done);
        {
            let mut status = self.shared.status();
            status.current = None;
            status.confirmation = None;
            status.done.push(id.clone());
        }
        self.report(work, TaskEnd { id, ok, reason: Some(reason) });
    }

    /// Ends an item about which a person decides.
    pub(super) fn park(&mut self, work: &Work<'_>, reason: &str) {
        let (park, ts, reason) = (work.item.id.clone(), timestamp(), reason.to_owned());
        let record = QueueRecord::Park { park, ts, reason };
        self.keep(|store| {
            store.append_queue(std::slice::from_ref(&record))?;
            store.sync_queue()
        });
        self.end_item(work, EndReason::Error);
    }
}
