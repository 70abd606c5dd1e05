//! The lines of a file, from its end.

use minds_fleet_protocol::Failure;
use minds_fs::OpenFile;

use crate::failure::storage;

/// The bytes that are read first; a longer line doubles them.
const CHUNK: usize = 64 * 1024;

/// Reads the lines of a file from its end.
#[derive(Debug)]
pub(crate) struct ReverseLines {
    file: OpenFile,
    /// The offset of the buffer in the file.
    start: u64,
    buffer: Vec<u8>,
    /// Where the lines that were not returned yet end in the buffer.
    end: usize,
}

impl ReverseLines {
    /// Begins at the end of the file.
    pub(crate) fn new(file: OpenFile) -> Self {
        Self { start: file.size(), file, buffer: Vec::new(), end: 0 }
    }

    /// Returns the preceding line with its newline, and its offset; none at the beginning of the file. Only the last line of
    /// the file may have no newline.
    pub(crate) fn next_line(&mut self) -> Result<Option<(u64, &[u8])>, Failure> {
        let mut chunk = CHUNK;
        // The newline at the end belongs to the line.
        let mut searched = self.end.saturating_sub(1);
        loop {
            let found =
                self.buffer.get(..searched).unwrap_or_default().iter().rposition(|byte| *byte == b'\n');
            if found.is_some() || self.start == 0 {
                let line = found.map_or(0, |newline| newline + 1)..self.end;
                if line.is_empty() {
                    return Ok(None);
                }
                self.end = line.start;
                let offset = self.start.saturating_add(line.start as u64);
                return Ok(self.buffer.get(line).map(|line| (offset, line)));
            }
            let is_first = self.end == 0;
            let read = self.read_chunk(chunk)?;
            searched = if is_first { read.saturating_sub(1) } else { read };
            chunk = chunk.saturating_mul(2);
        }
    }

    /// Reads the bytes in front of the buffer; returns how many.
    fn read_chunk(&mut self, chunk: usize) -> Result<usize, Failure> {
        let length = usize::try_from(self.start).unwrap_or(usize::MAX).min(chunk);
        let start = self.start - length as u64;
        let mut buffer = self.file.read_at(start, length).map_err(storage)?;
        if buffer.len() < length {
            return Err(storage("a history file was truncated by another program"));
        }
        buffer.extend_from_slice(self.buffer.get(..self.end).unwrap_or_default());
        self.end = buffer.len();
        (self.buffer, self.start) = (buffer, start);
        Ok(length)
    }
}
