//! Output as text, line by line.

use std::time::Duration;

use minds_fleet_protocol::{LineFlusher, Utf8Carry};

use crate::Stream;

/// Makes text of the output of a command: complete lines at once, the beginning of a line after a delay.
#[derive(Clone, Debug)]
pub struct OutputLines {
    stdout: Text,
    stderr: Text,
}

#[derive(Clone, Debug)]
struct Text {
    carry: Utf8Carry,
    flusher: LineFlusher,
}

impl OutputLines {
    /// Makes one with the delay of `tuning.os_exec_partial_flush_ms`.
    pub fn new(delay: Duration) -> Self {
        let text = Text { carry: Utf8Carry::default(), flusher: LineFlusher::new(delay) };
        Self { stdout: text.clone(), stderr: text }
    }

    /// Adds output, and returns all complete lines of it as one string.
    pub fn push(&mut self, stream: Stream, bytes: &[u8], now: Duration) -> Option<String> {
        let text = match stream {
            Stream::Stdout => &mut self.stdout,
            Stream::Stderr => &mut self.stderr,
        };
        let added = text.carry.push(bytes);
        text.flusher.push(&added, now)
    }

    /// Returns the beginnings of lines that have waited long enough.
    pub fn poll(&mut self, now: Duration) -> Vec<(Stream, String)> {
        self.each(|text| text.flusher.poll(now))
    }

    /// Returns what remains, at the end of the command.
    pub fn finish(&mut self) -> Vec<(Stream, String)> {
        self.each(|text| {
            let rest = text.carry.finish();
            let before = text.flusher.finish().unwrap_or_default();
            Some(before + &rest).filter(|all| !all.is_empty())
        })
    }

    /// Returns when to call [`poll`](Self::poll); none if nothing waits.
    pub fn deadline(&self) -> Option<Duration> {
        [&self.stdout, &self.stderr].into_iter().filter_map(|text| text.flusher.deadline()).min()
    }

    fn each(&mut self, mut take: impl FnMut(&mut Text) -> Option<String>) -> Vec<(Stream, String)> {
        let streams = [(Stream::Stdout, &mut self.stdout), (Stream::Stderr, &mut self.stderr)];
        streams.into_iter().filter_map(|(stream, text)| Some((stream, take(text)?))).collect()
    }
}
