//! Replies that the thread with the answer of a server writes itself.
//!
//! Giving an answer to the thread of the session takes longer than writing it. The session is informed afterwards, and its own
//! reply is left out; see [`Lines::is_answered`].

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};

use serde::Serialize;
use serde_json::{Map, Value};

use super::foreign_result;
use super::output::{Lines, MAX_DIRECT};

/// The reply to one request of a client with plain results.
pub(super) struct DirectReply {
    lines: Lines,
    id: Value,
    /// Whether the session has the request; before, it could be refused.
    is_accepted: AtomicBool,
    /// Whether the session has something to send first, such as progress.
    is_preceded: AtomicBool,
}

#[derive(Serialize)]
struct Reply<'m> {
    jsonrpc: &'static str,
    id: &'m Value,
    result: &'m Map<String, Value>,
}

impl DirectReply {
    pub(super) fn new(lines: Lines, id: Value) -> Self {
        Self { lines, id, is_accepted: AtomicBool::new(false), is_preceded: AtomicBool::new(false) }
    }

    /// Records that the session has the request.
    pub(super) fn accept(&self) {
        self.is_accepted.store(true, Ordering::SeqCst);
    }

    /// Records that the session sends something about the request, so it sends the reply too.
    pub(super) fn follow(&self) {
        self.is_preceded.store(true, Ordering::SeqCst);
    }

    /// Forgets that the reply was written, because the session sends none.
    pub(super) fn forget(&self) {
        self.lines.is_answered(&self.id.to_string());
    }

    /// Writes a result.
    ///
    /// # Errors
    ///
    /// Returns the result if the session has to send it: it is long, follows something else, or stdout is not ready.
    pub(super) fn write(&self, result: Map<String, Value>) -> Result<(), Map<String, Value>> {
        if !self.is_accepted.load(Ordering::SeqCst) || self.is_preceded.load(Ordering::SeqCst) {
            return Err(result);
        }
        let result = foreign_result::for_older(result);
        let mut line = Short(Vec::with_capacity(256));
        let reply = Reply { jsonrpc: "2.0", id: &self.id, result: &result };
        let is_short = serde_json::to_writer(&mut line, &reply).is_ok()
            && io::Write::write_all(&mut line, b"\n").is_ok();
        if is_short && self.lines.try_answer(&self.id.to_string(), &line.0) { Ok(()) } else { Err(result) }
    }
}

/// A line that the system writes at once.
struct Short(Vec<u8>);

impl io::Write for Short {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.0.len() + bytes.len() > MAX_DIRECT {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        self.0.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn result(text: &str) -> Map<String, Value> {
        Map::from_iter([("text".to_owned(), text.into())])
    }

    /// Nothing is written here.
    #[test]
    fn the_session_sends_what_is_not_accepted_or_follows_something_or_is_long() {
        let reply = DirectReply::new(Lines::default(), 1.into());
        assert_eq!(reply.write(result("early")), Err(result("early")));
        reply.accept();
        let long = "x".repeat(MAX_DIRECT);
        assert_eq!(reply.write(result(&long)), Err(result(&long)));
        reply.follow();
        assert_eq!(reply.write(result("late")), Err(result("late")));
    }
}
