//! Lines over a socket that does not block.

use std::collections::VecDeque;
use std::io::{self, Read as _, Write as _};
use std::os::unix::net::UnixStream;

use minds_fleet_protocol::limits::MAX_MESSAGE_BYTES;
use minds_fs::Watched;

/// The bytes that are read at once.
const CHUNK: usize = 16 * 1024;
/// The most bytes that wait for a reader, 4 MiB; the connection to a slower one ends.
const MAX_WAITING_BYTES: usize = 4 << 20;

/// One end of a connection.
#[derive(Debug)]
pub(super) struct Connection {
    socket: UnixStream,
    /// What was read of the next line. At most one byte more than the largest message.
    partial: Vec<u8>,
    lines: VecDeque<Vec<u8>>,
    output: VecDeque<u8>,
    has_ended: bool,
}

impl Connection {
    /// Uses a socket that does not block.
    pub(super) fn new(socket: UnixStream) -> Self {
        Self {
            socket,
            partial: Vec::new(),
            lines: VecDeque::new(),
            output: VecDeque::new(),
            has_ended: false,
        }
    }

    /// Returns what to wait for.
    pub(super) fn watch(&self) -> Watched<'_> {
        Watched { for_output: !self.output.is_empty(), ..Watched::new(&self.socket) }
    }

    /// Returns whether the other end has closed the connection, or it failed. Lines that arrived before can still be taken.
    pub(super) fn has_ended(&self) -> bool {
        self.has_ended
    }

    /// Returns whether everything was written.
    pub(super) fn is_flushed(&self) -> bool {
        self.output.is_empty()
    }

    /// Sends a line, which ends with a line feed. What cannot be written now waits for [`Connection::flush`].
    pub(super) fn send(&mut self, line: &[u8]) {
        if self.output.len().saturating_add(line.len()) > MAX_WAITING_BYTES {
            self.has_ended = true;
        }
        self.output.extend(line);
        self.flush();
    }

    /// Writes what waits, as far as that is possible now.
    pub(super) fn flush(&mut self) {
        while !self.has_ended && !self.output.is_empty() {
            let (first, _) = self.output.as_slices();
            match self.socket.write(first) {
                Ok(count) => drop(self.output.drain(..count)),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return,
                // What arrived before is still read.
                Err(_) => self.output.clear(),
            }
        }
    }

    /// Returns the next line without its line feed; none until one has arrived. Of a line that is longer than the largest
    /// message, one byte more than that is returned.
    pub(super) fn take_line(&mut self) -> Option<Vec<u8>> {
        self.lines.pop_front()
    }

    /// Reads once, as far as that is possible now.
    pub(super) fn fill(&mut self) {
        let mut chunk = [0; CHUNK];
        while !self.has_ended {
            match self.socket.read(&mut chunk) {
                Ok(0) => self.has_ended = true,
                Ok(count) => return self.split(chunk.get(..count).unwrap_or_default()),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return,
                Err(_) => self.has_ended = true,
            }
        }
    }

    fn split(&mut self, bytes: &[u8]) {
        let mut parts = bytes.split(|byte| *byte == b'\n').peekable();
        while let Some(part) = parts.next() {
            let space = (MAX_MESSAGE_BYTES + 1).saturating_sub(self.partial.len());
            self.partial.extend_from_slice(part.get(..part.len().min(space)).unwrap_or_default());
            if parts.peek().is_some() {
                self.lines.push_back(std::mem::take(&mut self.partial));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pair() -> (Connection, UnixStream) {
        let (ours, theirs) = UnixStream::pair().unwrap();
        ours.set_nonblocking(true).unwrap();
        (Connection::new(ours), theirs)
    }

    #[test]
    fn lines_are_split_however_they_arrive() {
        let (mut connection, mut other) = pair();
        for byte in b"one\n\ntwo\nthree" {
            other.write_all(&[*byte]).unwrap();
            connection.fill();
        }
        let lines: Vec<_> = std::iter::from_fn(|| connection.take_line()).collect();
        assert_eq!(lines, [b"one".to_vec(), Vec::new(), b"two".to_vec()]);
        drop(other);
        connection.fill();
        assert!(connection.has_ended() && connection.take_line().is_none());
    }

    #[test]
    fn a_line_above_the_limit_is_cut_off_and_the_next_one_is_read() {
        let (mut connection, mut other) = pair();
        let writer = std::thread::spawn(move || {
            other.write_all(&vec![b'x'; MAX_MESSAGE_BYTES * 4]).unwrap();
            other.write_all(b"\nnext\n").unwrap();
            other
        });
        let mut lines = Vec::new();
        while lines.len() < 2 {
            minds_fs::wait_for(&[connection.watch()], std::time::Duration::from_secs(10)).unwrap();
            connection.fill();
            lines.extend(std::iter::from_fn(|| connection.take_line()));
        }
        writer.join().unwrap();
        assert_eq!((lines[0].len(), lines[1].as_slice()), (MAX_MESSAGE_BYTES + 1, b"next".as_slice()));
    }

    #[test]
    fn output_that_is_not_read_waits_and_is_bounded() {
        let (mut connection, _other) = pair();
        let line = vec![b'x'; 1 << 20];
        (0..4).for_each(|_| connection.send(&line));
        assert!(!connection.has_ended() && !connection.is_flushed());
        (0..2).for_each(|_| connection.send(&line));
        assert!(connection.has_ended());
    }
}
