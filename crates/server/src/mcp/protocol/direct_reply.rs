//! Replies that the thread with the answer of a server writes itself.

use std::io;

use serde::Serialize;
use serde_json::{Map, Value};

use super::foreign_result;
use super::output::{Lines, MAX_DIRECT};

#[derive(Serialize)]
struct Reply<'m> {
    jsonrpc: &'static str,
    id: &'m Value,
    result: &'m Map<String, Value>,
}

/// Writes the reply to a request of a client with plain results, if that does not wait.
///
/// # Errors
///
/// Returns the result if it is long, or stdout is not ready.
pub(super) fn write(lines: &Lines, id: &Value, result: Map<String, Value>) -> Result<(), Map<String, Value>> {
    let result = foreign_result::for_older(result);
    let mut line = Short(Vec::with_capacity(256));
    let reply = Reply { jsonrpc: "2.0", id, result: &result };
    let is_short =
        serde_json::to_writer(&mut line, &reply).is_ok() && io::Write::write_all(&mut line, b"\n").is_ok();
    if is_short && lines.try_write(&line.0) { Ok(()) } else { Err(result) }
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
