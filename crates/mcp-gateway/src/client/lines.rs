//! Reading lines of limited length from a pipe or a socket.

use std::io;

use tokio::net::unix::{OwnedReadHalf, pipe};

/// The number of bytes read at once.
const CHUNK: usize = 64 << 10;

/// What can be read without blocking.
pub(crate) trait Readable {
    /// Waits until there is something to read.
    fn readable(&self) -> impl Future<Output = io::Result<()>> + Send;

    /// Reads what there is.
    fn try_read(&self, space: &mut [u8]) -> io::Result<usize>;
}

impl Readable for pipe::Receiver {
    fn readable(&self) -> impl Future<Output = io::Result<()>> + Send {
        Self::readable(self)
    }

    fn try_read(&self, space: &mut [u8]) -> io::Result<usize> {
        Self::try_read(self, space)
    }
}

impl Readable for OwnedReadHalf {
    fn readable(&self) -> impl Future<Output = io::Result<()>> + Send {
        Self::readable(self)
    }

    fn try_read(&self, space: &mut [u8]) -> io::Result<usize> {
        Self::try_read(self, space)
    }
}

/// The lines of a pipe or socket. A read that is cancelled loses nothing.
pub(crate) struct Lines<R> {
    source: R,
    limit: usize,
    /// What was read is between `start` and `end`; the bytes before `searched` contain no line break.
    buffer: Vec<u8>,
    start: usize,
    searched: usize,
    end: usize,
    /// Whether the rest of a line is skipped.
    is_skipping: bool,
}

/// A line without its line break.
pub(crate) struct Line {
    pub(crate) bytes: Vec<u8>,
    /// Whether it is longer than the limit; the rest of it is skipped.
    pub(crate) is_cut: bool,
}

impl<R: Readable> Lines<R> {
    pub(crate) fn new(source: R, limit: usize) -> Self {
        Self { source, limit, buffer: Vec::new(), start: 0, searched: 0, end: 0, is_skipping: false }
    }

    /// Returns the next line; none at the end, or if nothing can be read.
    pub(crate) async fn next(&mut self) -> Option<Line> {
        loop {
            if let Some(line) = self.take() {
                return Some(line);
            }
            if !self.fill().await.is_ok_and(|count| count > 0) {
                let rest = self.buffer.get(self.start..self.end).unwrap_or_default().to_owned();
                (self.start, self.searched, self.end) = (0, 0, 0);
                self.buffer = Vec::new();
                let is_line = !rest.is_empty() && !self.is_skipping;
                return is_line.then_some(Line { bytes: rest, is_cut: false });
            }
        }
    }

    /// Takes a line out of the buffer.
    fn take(&mut self) -> Option<Line> {
        loop {
            let rest = self.buffer.get(self.searched..self.end).unwrap_or_default();
            let Some(end) = rest.iter().position(|byte| *byte == b'\n') else {
                self.searched = self.end;
                if self.is_skipping {
                    self.start = self.searched;
                } else if self.searched - self.start > self.limit {
                    self.is_skipping = true;
                    return Some(self.cut());
                }
                return None;
            };
            let line = self.start..self.searched + end;
            self.searched = line.end + 1;
            if std::mem::take(&mut self.is_skipping) {
                self.start = self.searched;
                continue;
            }
            let line = if line.len() > self.limit {
                self.cut()
            } else {
                let bytes = self.buffer.get(line).unwrap_or_default();
                Line { bytes: bytes.strip_suffix(b"\r").unwrap_or(bytes).to_owned(), is_cut: false }
            };
            self.start = self.searched;
            return Some(line);
        }
    }

    fn cut(&self) -> Line {
        let bytes = self.buffer.get(self.start..self.start + self.limit).unwrap_or_default();
        Line { bytes: bytes.to_owned(), is_cut: true }
    }

    /// Reads more bytes; zero at the end.
    async fn fill(&mut self) -> io::Result<usize> {
        self.buffer.copy_within(self.start..self.end, 0);
        self.searched -= self.start;
        self.end -= self.start;
        self.start = 0;
        if self.end == 0 && self.buffer.len() > CHUNK {
            self.buffer = Vec::new();
        }
        // Space is set to zero only once.
        if self.buffer.len() < self.end + CHUNK {
            self.buffer.resize(self.end + CHUNK, 0);
        }
        loop {
            self.source.readable().await?;
            let space = self.buffer.get_mut(self.end..).unwrap_or_default();
            match self.source.try_read(space) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                read => {
                    self.end += read.as_ref().map_or(0, |count| *count);
                    return read;
                }
            }
        }
    }
}
