//! The queue of an agent and its file.

use minds_fleet_protocol::limits::COMPACTION_ITEMS;
use minds_fleet_protocol::{Failure, ItemId, Queue, QueueRecord, Timestamp};

use crate::failure::invalid;
use crate::folder::Folder;
use crate::line_file::{LineFile, to_lines};
use crate::skipped_lines::SkippedLines;

const NAME: &str = "queue.jsonl";

/// The queue and its file, which always agree.
#[derive(Debug)]
pub(crate) struct QueueFile {
    file: LineFile,
    queue: Queue,
    /// The item of each record that is appended, but not known to be on disk.
    unsynced: Vec<ItemId>,
    skipped: SkippedLines,
    /// The records since the last compaction that ended an item, at most.
    ended: usize,
}

impl QueueFile {
    /// Reads and repairs the file.
    pub(crate) fn open(folder: &Folder, warnings: &mut Vec<String>) -> Result<Self, Failure> {
        let bytes = folder.read(NAME)?.unwrap_or_default();
        let (mut queue, mut ended) = (Queue::default(), 0);
        let (skipped, repair) = SkippedLines::read(&bytes, |line| {
            let record = QueueRecord::parse(line).map_err(|error| error.to_string())?;
            ended += usize::from(is_end(&record));
            queue.apply(record).map_err(|error| error.to_string())
        });
        skipped.warn(NAME, warnings);
        let file = LineFile::open(folder, NAME, bytes.len() as u64, repair, warnings)?;
        Ok(Self { file, queue, unsynced: Vec::new(), skipped, ended })
    }

    /// Returns the queue.
    pub(crate) fn queue(&self) -> &Queue {
        &self.queue
    }

    /// Appends records and applies them: all, or none if this fails.
    pub(crate) fn append(&mut self, folder: &Folder, records: &[QueueRecord]) -> Result<(), Failure> {
        if records.is_empty() {
            return Ok(());
        }
        let lines = to_lines(records)?;
        for (at, record) in records.iter().enumerate() {
            if let Err(error) = self.queue.apply(record.clone()) {
                self.revert(records.iter().take(at).map(QueueRecord::item_id));
                return Err(invalid(error));
            }
        }
        if let Err(failure) = self.file.append(folder, &lines) {
            self.revert(records.iter().map(QueueRecord::item_id));
            return Err(failure);
        }
        self.unsynced.extend(records.iter().map(|record| record.item_id().clone()));
        self.ended += records.iter().filter(|record| is_end(record)).count();
        Ok(())
    }

    /// Makes all appended records durable. If this fails, those since the last success are taken back.
    pub(crate) fn sync(&mut self) -> Result<(), Failure> {
        if self.unsynced.is_empty() {
            return Ok(());
        }
        let synced = self.file.sync();
        let unsynced = std::mem::take(&mut self.unsynced);
        if synced.is_err() {
            self.revert(unsynced.iter());
        }
        synced
    }

    /// Replaces the file by what is still needed; returns whether that was necessary.
    pub(crate) fn compact(&mut self, folder: &Folder, now: Timestamp) -> Result<bool, Failure> {
        if self.ended < COMPACTION_ITEMS {
            return Ok(false);
        }
        let Some(records) = self.queue.plan_compaction(now) else { return Ok(false) };
        self.sync()?;
        let mut lines = self.skipped.bytes().to_vec();
        lines.extend(to_lines(&records)?);
        self.file.replace(folder, &lines)?;
        self.ended = records.iter().filter(|record| is_end(record)).count();
        let mut queue = Queue::default();
        for record in records {
            queue.apply(record).map_err(invalid)?;
        }
        self.queue = queue;
        Ok(true)
    }

    /// Takes back the last records, given in their order.
    fn revert<'r>(&mut self, items: impl DoubleEndedIterator<Item = &'r ItemId>) {
        for item in items.rev() {
            self.queue.revert(item);
        }
    }
}

/// Returns whether an item is done after the record.
fn is_end(record: &QueueRecord) -> bool {
    matches!(record, QueueRecord::Done { .. } | QueueRecord::Drop { .. })
}
