//! The files of a tail: `tail/<first offset>.jsonl` in the state folder, with one frame per line.

use minds_fleet_protocol::{Failure, Frame};
use minds_fs::{FileErrorKind, OpenFile, Root};
use minds_vfs::WorkspacePath;

use crate::state_record::storage;

/// The folder of the segments.
const FOLDER: &str = "tail";
/// The most files in the folder that are examined.
const MAX_FILES: usize = 10_000;
/// The bytes that are read at once.
const CHUNK: usize = 256 * 1024;
/// The longest line that is read as a frame, in bytes: the text of a frame is limited, but not that of tool arguments.
const MAX_LINE_BYTES: usize = 64 << 20;

/// The segments in a state folder.
#[derive(Debug)]
pub(super) struct Segments<'r>(pub(super) &'r Root);

impl Segments<'_> {
    /// Creates the folder if it does not exist.
    pub(super) fn create_folder(&self) -> Result<(), Failure> {
        match self.0.no_follow().make_directory(&crate::state_record::path(FOLDER)?) {
            Err(error) if error.kind() != FileErrorKind::AlreadyExists => Err(storage(&error)),
            _ => Ok(()),
        }
    }

    /// Returns the path of a segment.
    pub(super) fn path(first: u64) -> Result<WorkspacePath, Failure> {
        crate::state_record::path(&format!("{FOLDER}/{first}.jsonl"))
    }

    /// Returns the first offsets of all segments, in their order.
    pub(super) fn list(&self) -> Result<Vec<u64>, Failure> {
        let listing = match self.0.no_follow().list(&crate::state_record::path(FOLDER)?, MAX_FILES) {
            Ok(listing) => listing,
            Err(error) if error.kind() == FileErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(storage(&error)),
        };
        let names = listing.entries.iter().filter_map(|entry| entry.real.file_name());
        let mut firsts: Vec<u64> =
            names.filter_map(|name| name.strip_suffix(".jsonl")?.parse().ok()).collect();
        firsts.sort_unstable();
        Ok(firsts)
    }

    /// Opens a segment for reading; none if it was removed.
    pub(super) fn open(&self, first: u64) -> Result<Option<SegmentReader>, Failure> {
        match self.0.no_follow().open(&Self::path(first)?) {
            Ok(file) => Ok(Some(SegmentReader { file, position: 0, buffer: Vec::new(), start: 0 })),
            Err(error) if error.kind() == FileErrorKind::NotFound => Ok(None),
            Err(error) => Err(storage(&error)),
        }
    }

    /// Removes a segment.
    pub(super) fn remove(&self, first: u64) -> Result<(), Failure> {
        self.0.no_follow().remove_file_unsynced(&Self::path(first)?).map_err(|error| storage(&error))
    }

    /// Returns what the last segment ends with.
    pub(super) fn end(&self) -> Result<SegmentEnd, Failure> {
        let Some(first) = self.list()?.last().copied() else { return Ok(SegmentEnd::default()) };
        let mut end = SegmentEnd { segment: Some(first), next: first, complete_bytes: 0, is_damaged: false };
        let Some(mut reader) = self.open(first)? else { return Ok(end) };
        while let Some(line) = reader.next_line()? {
            end.complete_bytes += line.len() as u64 + 1;
            match serde_json::from_slice::<Frame>(line) {
                Ok(frame) => (end.next, end.is_damaged) = (frame.offset.saturating_add(1), false),
                Err(_) => end.is_damaged = true,
            }
        }
        Ok(end)
    }
}

/// What the last segment ends with.
#[derive(Debug, Default)]
pub(super) struct SegmentEnd {
    /// The first offset of the segment; none if there is none.
    pub(super) segment: Option<u64>,
    /// The offset after the last frame.
    pub(super) next: u64,
    /// The size without a last line that is not complete.
    pub(super) complete_bytes: u64,
    /// Whether the last line is not a frame.
    pub(super) is_damaged: bool,
}

/// Reads the complete lines of a segment, to which frames may be appended.
#[derive(Debug)]
pub(super) struct SegmentReader {
    file: OpenFile,
    /// The offset in the file after the buffer.
    position: u64,
    buffer: Vec<u8>,
    /// Where the next line begins in the buffer.
    start: usize,
}

impl SegmentReader {
    /// Returns the next line without its line feed; none if no complete one exists yet.
    pub(super) fn next_line(&mut self) -> Result<Option<&[u8]>, Failure> {
        let mut searched = self.start;
        loop {
            let rest = self.buffer.get(searched..).unwrap_or_default();
            if let Some(length) = rest.iter().position(|byte| *byte == b'\n') {
                let line = self.start..searched + length;
                self.start = line.end + 1;
                return Ok(self.buffer.get(line));
            }
            self.buffer.drain(..self.start);
            (self.start, searched) = (0, self.buffer.len());
            if self.buffer.len() > MAX_LINE_BYTES {
                // Its end is searched like that of the next line, which is not a frame then.
                self.buffer.clear();
                searched = 0;
            }
            let read = self.file.read_at(self.position, CHUNK).map_err(|error| storage(&error))?;
            if read.is_empty() {
                return Ok(None);
            }
            self.position += read.len() as u64;
            self.buffer.extend_from_slice(&read);
        }
    }
}
