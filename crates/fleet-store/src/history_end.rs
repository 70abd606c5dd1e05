//! The end of the history, which is all that a start has to read.

use std::collections::BTreeSet;

use minds_fleet_protocol::{Failure, HistoryRecord, ItemEffects, ItemId, Lines, Repair};

use crate::folder::Folder;
use crate::history_files::{list_rotated, name_of};
use crate::reverse_lines::ReverseLines;

/// What is needed of the end of the history.
#[derive(Debug)]
pub(crate) struct Needed<'n> {
    /// The items that were running: all their lines are needed.
    pub(crate) running: &'n BTreeSet<ItemId>,
    /// The last line that is part of a summary: the lines after it are needed.
    pub(crate) summarized: u64,
    /// The maximum size of the lines after it, in bytes.
    pub(crate) max_recent_bytes: usize,
}

/// The last lines of the history.
#[derive(Debug)]
pub(crate) struct HistoryEnd {
    /// The lines in their order, each with its size in bytes. There may be more than needed.
    pub(crate) records: Vec<(usize, HistoryRecord)>,
    /// The number of the next line.
    pub(crate) next_seq: u64,
    /// The size of the file to which lines are appended, in bytes.
    pub(crate) size: u64,
    /// The repair of that file.
    pub(crate) repair: Repair,
    /// The number of lines that cannot be read.
    pub(crate) unreadable: usize,
    /// Whether one of them may belong to a running item.
    is_doubtful: bool,
}

impl HistoryEnd {
    /// Reads the files from their end until nothing more is needed.
    ///
    /// An agent works on one item at a time, so the lines of a running item are the last ones. If there are several, the
    /// files were edited, and all of them are read.
    pub(crate) fn read(folder: &Folder, needed: &Needed<'_>) -> Result<Self, Failure> {
        let mut end = Self {
            records: Vec::new(),
            next_seq: needed.summarized.saturating_add(1),
            size: 0,
            repair: Repair::None,
            unreadable: 0,
            is_doubtful: false,
        };
        let (mut has_running, mut has_recent) = (needed.running.is_empty(), false);
        let mut recent_bytes = 0_usize;
        'files: for number in std::iter::once(0).chain(list_rotated(folder)?) {
            let Some(file) = folder.open_file(&name_of(number))? else { continue };
            if number == 0 {
                end.size = file.size();
            }
            let mut lines = ReverseLines::new(file);
            while let Some((offset, line)) = lines.next_line()? {
                let Some(record) = end.use_line(number, offset, line, !has_running) else { continue };
                recent_bytes = recent_bytes.saturating_add(line.len());
                has_recent |= record.seq <= needed.summarized || recent_bytes > needed.max_recent_bytes;
                has_running |= needed.running.len() == 1 && !needed.running.contains(&record.qid);
                end.records.push((line.len(), record));
                if has_recent && has_running {
                    break 'files;
                }
            }
        }
        end.records.reverse();
        Ok(end)
    }

    /// Returns whether a running item may have called a tool that has an effect.
    pub(crate) fn may_have_effects(&self, item: &ItemId) -> bool {
        let records = self.records.iter().map(|(_, record)| record);
        self.is_doubtful || !ItemEffects::of(item, records).begun.is_empty()
    }

    /// Returns the record of a line, or notes what is wrong with it.
    fn use_line(
        &mut self,
        number: u32,
        offset: u64,
        line: &[u8],
        may_be_running: bool,
    ) -> Option<HistoryRecord> {
        let is_last = number == 0 && !line.ends_with(b"\n");
        let record = serde_json::from_slice::<HistoryRecord>(line).ok();
        if let Some(record) = record {
            if is_last {
                self.repair = Repair::AppendNewline;
            }
            if self.records.is_empty() {
                // Each line after it that is not readable had a number too.
                let skipped = u64::try_from(self.unreadable).unwrap_or(u64::MAX);
                let next = record.seq.saturating_add(1).saturating_add(skipped);
                self.next_seq = self.next_seq.max(next);
            }
            return Some(record);
        }
        let read = Lines::read(line);
        if is_last && let Repair::Truncate(_) = read.repair {
            self.repair = Repair::Truncate(usize::try_from(offset).unwrap_or(usize::MAX));
            return None;
        }
        if is_last {
            self.repair = read.repair;
        }
        if !(read.lines.is_empty() && read.unreadable.is_empty()) {
            self.unreadable += 1;
            self.is_doubtful |= may_be_running;
        }
        None
    }
}
