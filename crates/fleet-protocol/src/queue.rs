//! The queue of an agent, from the records of its file.

use std::collections::BTreeMap;

use crate::limits::{COMPACTION_ITEMS, RECORD_LIFETIME};
use crate::methods::{QueueCounts, QueuedItem};
use crate::{Item, ItemEvent, ItemId, ItemState, QueueRecord, Timestamp};

/// The items of an agent, in the order in which they were added.
///
/// The value changes by records only, each of which is written first, so that the file and the value agree.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Queue {
    entries: Vec<Entry>,
    positions: BTreeMap<ItemId, usize>,
}

#[derive(Clone, Debug, PartialEq)]
struct Entry {
    item: Item,
    state: ItemState,
    attempt: u32,
    /// The records after the item, for the compaction.
    records: Vec<QueueRecord>,
}

/// A record that does not fit the queue; the queue is unchanged.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the record about the item `{item}` does not fit its state")]
pub struct QueueError {
    /// The item.
    pub item: ItemId,
}

impl Queue {
    /// Applies a record.
    ///
    /// # Errors
    ///
    /// Returns an error for an item that exists already, for an unknown one, and for a change that is not possible in
    /// its state.
    pub fn apply(&mut self, record: QueueRecord) -> Result<(), QueueError> {
        let error = || QueueError { item: record.item_id().clone() };
        let entry = self.positions.get(record.item_id()).and_then(|at| self.entries.get_mut(*at));
        let Some(entry) = entry else {
            let QueueRecord::Item(item) = record else { return Err(error()) };
            self.positions.insert(item.id.clone(), self.entries.len());
            self.entries.push(Entry { item, state: ItemState::Pending, attempt: 0, records: Vec::new() });
            return Ok(());
        };
        (entry.state, entry.attempt) = change(entry.state, entry.attempt, &record).ok_or_else(error)?;
        entry.records.push(record);
        Ok(())
    }

    /// Takes back the record about `item` that was applied last, because it could not be made durable.
    ///
    /// Several records are taken back in the reverse order. An item that is unknown, or was followed by another one, is
    /// left as it is.
    pub fn revert(&mut self, item: &ItemId) {
        let Some(at) = self.positions.get(item).copied() else { return };
        let is_last = at + 1 == self.entries.len();
        let Some(entry) = self.entries.get_mut(at) else { return };
        if entry.records.pop().is_some() {
            // Each of the remaining records was applied once, so that none of them is refused.
            let initial = (ItemState::Pending, 0);
            (entry.state, entry.attempt) = entry
                .records
                .iter()
                .fold(initial, |(state, attempt), record| change(state, attempt, record).unwrap_or(initial));
        } else if is_last {
            self.entries.pop();
            self.positions.remove(item);
        }
    }

    /// Returns the record to write for each item that was running when the agent ended, at the start of an agent.
    ///
    /// An item with effects is parked. The other ones get a `start` record when they begin again; until then they
    /// are [the next item](Queue::next).
    pub fn recover(&self, has_effects: impl Fn(&ItemId) -> bool, now: Timestamp) -> Vec<QueueRecord> {
        let running = self.entries.iter().filter(|entry| entry.state == ItemState::Running);
        let with_effects = running.map(|entry| &entry.item.id).filter(|id| has_effects(id));
        let reason = "the agent ended while it worked on the item".to_owned();
        with_effects
            .map(|id| QueueRecord::Park { park: id.clone(), ts: now, reason: reason.clone() })
            .collect()
    }

    /// Returns the item to work on next, and the number of the attempt: one that was interrupted by a crash, else the
    /// first pending one. An agent works on one item at a time, and calls this only while it works on none.
    pub fn next(&self) -> Option<(&Item, u32)> {
        let first = |state| self.entries.iter().find(|entry| entry.state == state);
        let entry = first(ItemState::Running).or_else(|| first(ItemState::Pending))?;
        Some((&entry.item, entry.attempt.saturating_add(1)))
    }

    /// Returns the state of an item.
    pub fn state(&self, id: &ItemId) -> Option<ItemState> {
        self.positions.get(id).and_then(|at| self.entries.get(*at)).map(|entry| entry.state)
    }

    /// Returns the numbers of items that wait.
    pub fn counts(&self) -> QueueCounts {
        let count = |state| {
            let number = self.entries.iter().filter(|entry| entry.state == state).count();
            u64::try_from(number).unwrap_or(u64::MAX)
        };
        QueueCounts { pending: count(ItemState::Pending), parked: count(ItemState::Parked) }
    }

    /// Returns all items with their states, for the records of requests and for `queue.list`.
    pub fn items(&self) -> impl Iterator<Item = (&Item, ItemState)> {
        self.entries.iter().map(|entry| (&entry.item, entry.state))
    }

    /// Returns the value of `queue.list`: the items that are not done.
    pub fn list(&self) -> Vec<QueuedItem> {
        let waiting = self.entries.iter().filter(|entry| entry.state != ItemState::Done);
        let to_item = |entry: &Entry| QueuedItem {
            qid: entry.item.id.clone(),
            ts: entry.item.ts,
            source: entry.item.source.clone(),
            state: entry.state,
            text: entry.item.text.clone(),
            attempt: entry.attempt,
        };
        waiting.map(to_item).collect()
    }

    /// Plans the compaction: the records that replace the file, atomically.
    ///
    /// Returns `None` below [`COMPACTION_ITEMS`] done items that can be removed. Items that are not done stay, and so
    /// do the ones younger than [`RECORD_LIFETIME`], because they are the record of their requests, and the newest one,
    /// after whose id the next one is made.
    pub fn plan_compaction(&self, now: Timestamp) -> Option<Vec<QueueRecord>> {
        let newest = self.entries.last().map(|entry| &entry.item.id);
        let is_kept = |entry: &&Entry| {
            let age = now.as_seconds() - entry.item.ts.as_seconds();
            let is_young = age < RECORD_LIFETIME.as_secs_f64();
            entry.state != ItemState::Done || is_young || newest == Some(&entry.item.id)
        };
        let kept: Vec<&Entry> = self.entries.iter().filter(is_kept).collect();
        if self.entries.len() - kept.len() < COMPACTION_ITEMS {
            return None;
        }
        let records = kept.into_iter().flat_map(|entry| {
            std::iter::once(QueueRecord::Item(entry.item.clone())).chain(entry.records.iter().cloned())
        });
        Some(records.collect())
    }
}

/// Returns the state and the attempt of an item after a record; `None` if the record does not fit.
fn change(state: ItemState, attempt: u32, record: &QueueRecord) -> Option<(ItemState, u32)> {
    let event = match record {
        QueueRecord::Item(_) => return None,
        // After a crash, an item without effects starts again without a record in between.
        QueueRecord::Start { attempt: next, .. } if state == ItemState::Running && *next > attempt => {
            return Some((ItemState::Running, *next));
        }
        QueueRecord::Start { .. } => ItemEvent::Start,
        QueueRecord::Done { .. } => ItemEvent::Finish,
        QueueRecord::Park { .. } => ItemEvent::RecoverWithEffects,
        QueueRecord::Retry { .. } => ItemEvent::Retry,
        QueueRecord::Drop { .. } if state == ItemState::Pending => ItemEvent::Clear,
        QueueRecord::Drop { .. } => ItemEvent::Drop,
    };
    let attempt = if let QueueRecord::Start { attempt, .. } = record { *attempt } else { attempt };
    state.apply(event).ok().map(|state| (state, attempt))
}
