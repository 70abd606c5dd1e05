//! The summaries of the history and their file.

use minds_fleet_protocol::limits::MAX_SUMMARIES;
use minds_fleet_protocol::{Failure, SummaryRecord, trim_summaries};

use crate::folder::Folder;
use crate::line_file::{LineFile, to_lines};
use crate::skipped_lines::SkippedLines;

const NAME: &str = "summary.jsonl";

/// The last summaries.
#[derive(Debug)]
pub(crate) struct SummaryFile {
    file: LineFile,
    summaries: Vec<SummaryRecord>,
    skipped: SkippedLines,
}

impl SummaryFile {
    /// Reads and repairs the file.
    pub(crate) fn open(folder: &Folder, warnings: &mut Vec<String>) -> Result<Self, Failure> {
        let bytes = folder.read(NAME)?.unwrap_or_default();
        let mut summaries = Vec::new();
        let (skipped, repair) = SkippedLines::read(&bytes, |line| {
            summaries.push(serde_json::from_str(line).map_err(|error| error.to_string())?);
            Ok(())
        });
        skipped.warn(NAME, warnings);
        let file = LineFile::open(folder, NAME, bytes.len() as u64, repair, warnings)?;
        let summaries = trim_summaries(&summaries).to_vec();
        Ok(Self { file, summaries, skipped })
    }

    /// Returns the summaries in their order.
    pub(crate) fn summaries(&self) -> &[SummaryRecord] {
        &self.summaries
    }

    /// Returns the last line of the history that is part of a summary; 0 if there is none.
    pub(crate) fn last_summarized(&self) -> u64 {
        self.summaries.iter().map(|summary| summary.window.1).max().unwrap_or(0)
    }

    /// Adds a summary, and removes those that are not kept. It is on disk when this returns.
    pub(crate) fn append(&mut self, folder: &Folder, record: SummaryRecord) -> Result<(), Failure> {
        if self.summaries.len() < MAX_SUMMARIES {
            self.file.append(folder, &to_lines([&record])?)?;
            self.file.sync()?;
            self.summaries.push(record);
            return Ok(());
        }
        let mut summaries = self.summaries.clone();
        summaries.push(record);
        self.replace(folder, trim_summaries(&summaries).to_vec())
    }

    /// Removes all summaries.
    pub(crate) fn clear(&mut self, folder: &Folder) -> Result<(), Failure> {
        self.skipped = SkippedLines::default();
        self.replace(folder, Vec::new())
    }

    fn replace(&mut self, folder: &Folder, summaries: Vec<SummaryRecord>) -> Result<(), Failure> {
        let mut lines = self.skipped.bytes().to_vec();
        lines.extend(to_lines(&summaries)?);
        self.file.replace(folder, &lines)?;
        self.summaries = summaries;
        Ok(())
    }
}
