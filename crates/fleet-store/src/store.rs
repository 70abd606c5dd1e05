//! The files of an agent, as one value.

use std::collections::BTreeSet;
use std::path::Path;

use minds_fleet_protocol::methods::HistoryReadValue;
use minds_fleet_protocol::{
    CallRecord, ErrorCode, Failure, HistoryRecord, ItemId, ItemState, Now, Queue, QueueRecord, SummaryRecord,
    Timestamp,
};

use crate::agent_record::AgentRecord;
use crate::call_file::CallFile;
use crate::folder::Folder;
use crate::history_end::{HistoryEnd, Needed};
use crate::history_file::HistoryFile;
use crate::history_files;
use crate::item_ids::ItemIds;
use crate::queue_file::QueueFile;
use crate::recovery::restore_records;
use crate::summary_file::SummaryFile;
use crate::{Recovery, StoreSettings};

/// The files of an agent, of which this process is the only user.
///
/// A method that fails leaves the value and the files as they were, and gives `handler.error` with `detail.reason:
/// "storage"` if a file is the reason: nothing was acknowledged, and the same call may succeed later. After a failed
/// `fdatasync` it is unknown what is on disk. Then everything that was not confirmed is taken back, and the next call
/// cuts it off and brings the file to disk before it appends.
#[derive(Debug)]
pub struct AgentStore {
    folder: Folder,
    settings: StoreSettings,
    queue: QueueFile,
    ids: ItemIds,
    calls: CallFile,
    history: HistoryFile,
    summaries: SummaryFile,
    record: AgentRecord,
}

impl AgentStore {
    /// Opens the state folder, and creates it first if it does not exist: for this user only, and ignored by git.
    ///
    /// Torn ends are cut off. Lines that cannot be read are skipped with a warning, and stay in their files. An item that was
    /// running is parked if it had called a tool with an effect.
    ///
    /// # Errors
    ///
    /// Returns `duplicate.instance` if the files are in use, `config.invalid` if the folder or `agent.json` is not usable,
    /// and `handler.error` if a file cannot be read or repaired.
    pub fn open(folder: &Path, settings: StoreSettings, now: Now) -> Result<(Self, Recovery), Failure> {
        let folder = Folder::open(folder)?;
        let mut warnings = Vec::new();
        let mut queue = QueueFile::open(&folder, &mut warnings)?;
        let calls = CallFile::open(&folder, &mut warnings)?;
        let summaries = SummaryFile::open(&folder, &mut warnings)?;
        let record = AgentRecord::read(&folder)?;

        let with_state = |queue: &Queue, wanted| -> Vec<ItemId> {
            let items = queue.items().filter(|(_, state)| *state == wanted);
            items.map(|(item, _)| item.id.clone()).collect()
        };
        let running: BTreeSet<ItemId> = with_state(queue.queue(), ItemState::Running).into_iter().collect();
        let summarized = summaries.last_summarized();
        let max_recent_bytes = settings.max_recent_bytes;
        let end = HistoryEnd::read(&folder, &Needed { running: &running, summarized, max_recent_bytes })?;
        let mut ids = ItemIds::default();
        queue.queue().items().for_each(|(item, _)| ids.note(&item.id));
        end.records.iter().for_each(|(_, line)| ids.note(&line.qid));
        let parked = queue.queue().recover(|item| end.may_have_effects(item), now.time);
        queue.append(&folder, &parked)?;
        queue.sync()?;
        let history = HistoryFile::open(&folder, end, summarized, max_recent_bytes, &mut warnings)?;

        let count = |number: usize| u64::try_from(number).unwrap_or(u64::MAX);
        let recovery = Recovery {
            parked: with_state(queue.queue(), ItemState::Parked),
            resumed: with_state(queue.queue(), ItemState::Running).into_iter().next(),
            warnings,
            records: restore_records(&queue, &calls, now)?,
            summaries_loaded: count(summaries.summaries().len()),
            raw_turns_loaded: count(history.recent().count()),
        };
        Ok((Self { folder, settings, queue, ids, calls, history, summaries, record }, recovery))
    }

    /// Returns the queue. Records that are appended are applied, also if they are not durable yet.
    pub fn queue(&self) -> &Queue {
        self.queue.queue()
    }

    /// Returns a new id for an item: unique also within one millisecond, and after a clock that was set back.
    pub fn next_item_id(&mut self, now: Timestamp) -> ItemId {
        loop {
            let id = self.ids.next(now);
            if self.queue().state(&id).is_none() {
                return id;
            }
        }
    }

    /// Appends records to the queue and applies them: all, or none if this fails. They are durable after
    /// [`AgentStore::sync_queue`].
    ///
    /// # Errors
    ///
    /// Returns `args.invalid` if a record does not fit the queue, and `handler.error` if the file cannot be written.
    pub fn append_queue(&mut self, records: &[QueueRecord]) -> Result<(), Failure> {
        self.queue.append(&self.folder, records)
    }

    /// Makes all appended records durable, with one `fdatasync` for all of them. Without such records, it does nothing.
    ///
    /// # Errors
    ///
    /// Returns `handler.error` if the disk does not confirm it. Then all records since the last success are taken back from
    /// the queue and from the file, and none of them may be acknowledged.
    pub fn sync_queue(&mut self) -> Result<(), Failure> {
        self.queue.sync()
    }

    /// Records the answer to a request that changed something but the queue. It is durable when this returns.
    ///
    /// # Errors
    ///
    /// Returns `handler.error` if the file cannot be written.
    pub fn record_call(&mut self, record: CallRecord) -> Result<(), Failure> {
        self.calls.append(&self.folder, record)
    }

    /// Replaces the files of the queue and the answers by what is still needed, atomically, if each has 100 records that are
    /// not; returns whether it was necessary. To be called from time to time.
    ///
    /// # Errors
    ///
    /// Returns `handler.error` if a file cannot be replaced.
    pub fn compact(&mut self, now: Timestamp) -> Result<bool, Failure> {
        let queue = self.queue.compact(&self.folder, now)?;
        Ok(self.calls.compact(&self.folder, now)? || queue)
    }

    /// Returns the number of the next line of the history. The first one is 1.
    pub fn next_seq(&self) -> u64 {
        self.history.next_seq()
    }

    /// Appends lines to the history. They are durable when this returns, and so are all records of the queue that were
    /// appended before: an item whose effects are on disk has its `start` record on disk.
    ///
    /// # Errors
    ///
    /// Returns `args.invalid` if the numbers do not continue those of the history, and `handler.error` if a file cannot be
    /// written.
    pub fn append_history(&mut self, records: &[HistoryRecord]) -> Result<(), Failure> {
        self.queue.sync()?;
        self.history.append(&self.folder, records, &self.settings)
    }

    /// Returns the lines of the history after the last summarized one, in their order. Of more than
    /// [`StoreSettings::max_recent_bytes`], the oldest are left out.
    pub fn recent_history(&self) -> impl DoubleEndedIterator<Item = &HistoryRecord> {
        self.history.recent()
    }

    /// Returns the last `n` lines in front of the line `before`, or of the end, for `history.read`. Rotated files are read
    /// too. There are fewer lines if more do not fit into a message.
    ///
    /// # Errors
    ///
    /// Returns `handler.error` if a file cannot be read.
    pub fn read_history(&self, n: usize, before: Option<u64>) -> Result<HistoryReadValue, Failure> {
        history_files::read(&self.folder, n, before)
    }

    /// Removes the summaries and the history, with the rotated files. The numbers of the lines continue.
    ///
    /// # Errors
    ///
    /// Returns `busy` while an item is running, whose effects only the history has, and `handler.error` if a file cannot be
    /// written. Then a part may be removed, and the same call removes the rest.
    pub fn clear_history(&mut self) -> Result<(), Failure> {
        if self.queue().items().any(|(_, state)| state == ItemState::Running) {
            let message = "the history of an item that is running cannot be removed";
            return Err(Failure::new(ErrorCode::Busy, message));
        }
        // A summary of lines that do not exist would hide new lines with their numbers.
        self.summaries.clear(&self.folder)?;
        self.history.clear(&self.folder)
    }

    /// Removes the rotated history files whose last line is older than [`StoreSettings::retention_days`]; returns how many.
    ///
    /// # Errors
    ///
    /// Returns `handler.error` if a file cannot be read or removed.
    pub fn remove_expired(&mut self, now: Timestamp) -> Result<usize, Failure> {
        match self.settings.retention_days {
            None | Some(0) => Ok(0),
            Some(days) => history_files::remove_expired(&self.folder, days, now),
        }
    }

    /// Returns the summaries in their order, at most 200.
    pub fn summaries(&self) -> &[SummaryRecord] {
        self.summaries.summaries()
    }

    /// Adds a summary, and removes the oldest one of more than 200. It is durable when this returns. The lines that it
    /// replaces are no longer among those of [`AgentStore::recent_history`].
    ///
    /// # Errors
    ///
    /// Returns `handler.error` if the file cannot be written.
    pub fn append_summary(&mut self, record: SummaryRecord) -> Result<(), Failure> {
        self.summaries.append(&self.folder, record)?;
        self.history.forget(self.summaries.last_summarized(), self.settings.max_recent_bytes);
        Ok(())
    }

    /// Returns whether the agent has redeemed a bootstrap token.
    pub fn is_enrolled(&self) -> bool {
        self.record.is_enrolled
    }

    /// Notes whether the agent has redeemed a bootstrap token. It is durable when this returns.
    ///
    /// # Errors
    ///
    /// Returns `handler.error` if `agent.json` cannot be replaced, and `config.invalid` if it is not readable.
    pub fn set_enrolled(&mut self, is_enrolled: bool) -> Result<(), Failure> {
        self.set_record(AgentRecord { is_enrolled, ..self.record.clone() })
    }

    /// Returns the session of an ACP engine that the next process can load.
    pub fn acp_session(&self) -> Option<&str> {
        self.record.acp_session.as_deref()
    }

    /// Notes the session of an ACP engine. It is durable when this returns.
    ///
    /// # Errors
    ///
    /// Returns `handler.error` if `agent.json` cannot be replaced, and `config.invalid` if it is not readable.
    pub fn set_acp_session(&mut self, session: Option<&str>) -> Result<(), Failure> {
        let acp_session = session.map(ToOwned::to_owned);
        self.set_record(AgentRecord { acp_session, ..self.record.clone() })
    }

    fn set_record(&mut self, record: AgentRecord) -> Result<(), Failure> {
        if record != self.record {
            record.write(&self.folder)?;
            self.record = record;
        }
        Ok(())
    }
}
