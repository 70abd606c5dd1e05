//! The answers to requests that changed something but the queue, and their file.

use minds_fleet_protocol::limits::{COMPACTION_ITEMS, RECORD_LIFETIME};
use minds_fleet_protocol::{CallRecord, Failure, Timestamp};

use crate::folder::Folder;
use crate::line_file::{LineFile, to_lines};
use crate::skipped_lines::SkippedLines;

const NAME: &str = "calls.jsonl";

/// The answers that are remembered.
#[derive(Debug)]
pub(crate) struct CallFile {
    file: LineFile,
    calls: Vec<CallRecord>,
    skipped: SkippedLines,
}

impl CallFile {
    /// Reads and repairs the file.
    pub(crate) fn open(folder: &Folder, warnings: &mut Vec<String>) -> Result<Self, Failure> {
        let bytes = folder.read(NAME)?.unwrap_or_default();
        let mut calls = Vec::new();
        let (skipped, repair) = SkippedLines::read(&bytes, |line| {
            let record: CallRecord = serde_json::from_str(line).map_err(|error| error.to_string())?;
            record.answer().ok_or("it has neither a value nor an error")?;
            calls.push(record);
            Ok(())
        });
        skipped.warn(NAME, warnings);
        let file = LineFile::open(folder, NAME, bytes.len() as u64, repair, warnings)?;
        Ok(Self { file, calls, skipped })
    }

    /// Returns the answers that are younger than their lifetime.
    pub(crate) fn iter(&self, now: Timestamp) -> impl Iterator<Item = &CallRecord> {
        self.calls.iter().filter(move |call| is_young(call, now))
    }

    /// Adds an answer. It is on disk when this returns.
    pub(crate) fn append(&mut self, folder: &Folder, record: CallRecord) -> Result<(), Failure> {
        self.file.append(folder, &to_lines([&record])?)?;
        self.file.sync()?;
        self.calls.push(record);
        Ok(())
    }

    /// Replaces the file by the answers that are remembered; returns whether that was necessary.
    pub(crate) fn compact(&mut self, folder: &Folder, now: Timestamp) -> Result<bool, Failure> {
        let young = self.iter(now).count();
        if self.calls.len() - young < COMPACTION_ITEMS {
            return Ok(false);
        }
        let mut lines = self.skipped.bytes().to_vec();
        lines.extend(to_lines(self.iter(now))?);
        self.file.replace(folder, &lines)?;
        self.calls.retain(|call| is_young(call, now));
        Ok(true)
    }
}

fn is_young(call: &CallRecord, now: Timestamp) -> bool {
    now.as_seconds() - call.ts.as_seconds() < RECORD_LIFETIME.as_secs_f64()
}
