//! Reading input line by line as it arrives.

use std::io::{self, BufRead as _, BufReader, Read, StdinLock};
use std::path::Path;

use crate::SystemError;

/// The size of the read buffer in bytes.
const CHUNK: usize = 64 * 1024;

/// The lines of an input stream, which need not fit into memory.
#[derive(Debug)]
pub struct Lines<R> {
    input: BufReader<R>,
    line: Vec<u8>,
    limit: usize,
}

/// A line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Line<'l> {
    /// Its bytes, without the line break.
    Bytes(&'l [u8]),
    /// A line longer than the limit; its content was skipped.
    TooLong,
}

/// Returns the lines of stdin, each of at most `limit` bytes.
pub fn standard_input_lines(limit: usize) -> Lines<StdinLock<'static>> {
    Lines::new(io::stdin().lock(), limit)
}

impl<R: Read> Lines<R> {
    /// Returns the lines of `input`, each of at most `limit` bytes.
    pub fn new(input: R, limit: usize) -> Self {
        Self { input: BufReader::with_capacity(CHUNK, input), line: Vec::new(), limit }
    }

    /// Returns whether the next line is buffered completely, so that reading it does not block.
    pub fn is_ready(&self) -> bool {
        self.input.buffer().contains(&b'\n')
    }

    /// Returns the next line, which ends with a line feed or the end of the input; none after the last line.
    ///
    /// # Errors
    ///
    /// Fails if the input cannot be read.
    pub fn next_line(&mut self) -> Result<Option<Line<'_>>, SystemError> {
        self.line.clear();
        let (mut is_too_long, mut has_input) = (false, false);
        loop {
            let available = match self.input.fill_buf() {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(SystemError::new("read", Path::new("stdin"), error)),
                Ok(available) => available,
            };
            if available.is_empty() {
                break;
            }
            has_input = true;
            let end = available.iter().position(|byte| *byte == b'\n');
            let part = available.get(..end.unwrap_or(available.len())).unwrap_or_default();
            is_too_long |= self.line.len() + part.len() > self.limit;
            if is_too_long {
                self.line.clear();
            } else {
                self.line.extend_from_slice(part);
            }
            let used = part.len() + usize::from(end.is_some());
            self.input.consume(used);
            if end.is_some() {
                break;
            }
        }
        Ok(match (has_input, is_too_long) {
            (false, _) => None,
            (true, true) => Some(Line::TooLong),
            (true, false) => Some(Line::Bytes(&self.line)),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A reader that returns a few bytes at a time, like a slow connection.
    struct SlowReader<'b>(&'b [u8], usize);

    impl Read for SlowReader<'_> {
        fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
            let length = self.1.min(self.0.len()).min(into.len());
            let (now, later) = self.0.split_at(length);
            into[..length].copy_from_slice(now);
            self.0 = later;
            Ok(length)
        }
    }

    #[track_caller]
    fn check(text: &str, expected: &[Option<&str>]) {
        for step in 1..=text.len().max(1) {
            let mut lines = Lines::new(SlowReader(text.as_bytes(), step), 4);
            let mut found = Vec::new();
            while let Some(line) = lines.next_line().unwrap() {
                found.push(match line {
                    Line::Bytes(bytes) => Some(String::from_utf8(bytes.to_vec()).unwrap()),
                    Line::TooLong => None,
                });
            }
            let found: Vec<Option<&str>> = found.iter().map(Option::as_deref).collect();
            assert_eq!(found, expected, "{text:?} by {step}");
        }
    }

    #[test]
    fn each_line_is_returned_once_regardless_of_chunking() {
        check("", &[]);
        check("\n", &[Some("")]);
        check("a\nbc\n", &[Some("a"), Some("bc")]);
        check("a\n\nb", &[Some("a"), Some(""), Some("b")]);
        check("a\r\nb", &[Some("a\r"), Some("b")]);
    }

    #[test]
    fn an_overlong_line_is_skipped_to_its_end() {
        check("abcd\nabcde\nx\n", &[Some("abcd"), None, Some("x")]);
        check("abcdefghijkl", &[None]);
        check("x\nabcdefgh\n\n", &[Some("x"), None, Some("")]);
    }

    #[test]
    fn a_line_is_ready_once_its_end_has_arrived() {
        let mut lines = Lines::new(SlowReader(b"a\nb\nc", 5), 4);
        assert!(!lines.is_ready());
        lines.next_line().unwrap();
        assert!(lines.is_ready());
        lines.next_line().unwrap();
        assert!(!lines.is_ready());
    }
}
