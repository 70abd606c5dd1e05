//! The history of an agent and the file to which it is appended.

use std::collections::VecDeque;

use minds_fleet_protocol::{Failure, HistoryRecord};

use crate::StoreSettings;
use crate::failure::invalid;
use crate::folder::Folder;
use crate::history_end::HistoryEnd;
use crate::history_files::{NAME, remove_rotated, rotate};
use crate::line_file::{LineFile, to_lines};

/// The file to which the history is appended, and the lines that the context needs.
#[derive(Debug)]
pub(crate) struct HistoryFile {
    file: LineFile,
    next_seq: u64,
    /// The lines that are not part of a summary, each with its size in bytes.
    recent: VecDeque<(usize, HistoryRecord)>,
    recent_bytes: usize,
}

impl HistoryFile {
    /// Repairs the file whose end was read.
    pub(crate) fn open(
        folder: &Folder,
        end: HistoryEnd,
        summarized: u64,
        max_recent_bytes: usize,
        warnings: &mut Vec<String>,
    ) -> Result<Self, Failure> {
        if end.unreadable > 0 {
            let lines =
                if end.unreadable == 1 { "a line".to_owned() } else { format!("{} lines", end.unreadable) };
            warnings.push(format!("skipped {lines} at the end of `{NAME}`: not readable"));
        }
        let file = LineFile::open(folder, NAME, end.size, end.repair, warnings)?;
        let recent_bytes = end.records.iter().map(|(size, _)| size).sum();
        let mut history = Self { file, next_seq: end.next_seq, recent: end.records.into(), recent_bytes };
        history.forget(summarized, max_recent_bytes);
        Ok(history)
    }

    /// Returns the number of the next line.
    pub(crate) fn next_seq(&self) -> u64 {
        self.next_seq
    }

    /// Returns the last lines that are not part of a summary.
    pub(crate) fn recent(&self) -> impl DoubleEndedIterator<Item = &HistoryRecord> {
        self.recent.iter().map(|(_, record)| record)
    }

    /// Adds lines. They are on disk when this returns; if it fails, none is added.
    pub(crate) fn append(
        &mut self,
        folder: &Folder,
        records: &[HistoryRecord],
        settings: &StoreSettings,
    ) -> Result<(), Failure> {
        if !records.iter().zip(self.next_seq..).all(|(record, seq)| record.seq == seq) {
            return Err(invalid(format!("the numbers of the lines do not continue from {}", self.next_seq)));
        }
        if records.is_empty() {
            return Ok(());
        }
        if self.file.size() > settings.max_history_bytes {
            self.rotate(folder, settings.max_history_bytes)?;
        }
        let mut lines = Vec::new();
        let mut sizes = Vec::with_capacity(records.len());
        for record in records {
            let line = to_lines([record])?;
            sizes.push(line.len());
            lines.extend(line);
        }
        self.file.append(folder, &lines)?;
        self.file.sync()?;
        self.next_seq = self.next_seq.saturating_add(u64::try_from(records.len()).unwrap_or(u64::MAX));
        self.recent_bytes = self.recent_bytes.saturating_add(lines.len());
        self.recent.extend(sizes.into_iter().zip(records.iter().cloned()));
        self.forget(0, settings.max_recent_bytes);
        Ok(())
    }

    /// Removes the lines in front of the summarized ones, and the oldest ones above a size, from the memory.
    pub(crate) fn forget(&mut self, summarized: u64, max_recent_bytes: usize) {
        while let Some((size, record)) = self.recent.front() {
            let is_too_large = self.recent_bytes > max_recent_bytes && self.recent.len() > 1;
            if record.seq > summarized && !is_too_large {
                break;
            }
            self.recent_bytes = self.recent_bytes.saturating_sub(*size);
            self.recent.pop_front();
        }
    }

    /// Removes all lines, those of rotated files first. The numbers continue.
    pub(crate) fn clear(&mut self, folder: &Folder) -> Result<(), Failure> {
        remove_rotated(folder)?;
        self.file.replace(folder, b"")?;
        self.recent.clear();
        self.recent_bytes = 0;
        Ok(())
    }

    fn rotate(&mut self, folder: &Folder, max_bytes: u64) -> Result<(), Failure> {
        let size = self.file.size();
        self.file.close();
        let rotated = rotate(folder, size, max_bytes);
        if !folder.has(NAME)? {
            self.file.begin_empty();
        }
        rotated
    }
}
