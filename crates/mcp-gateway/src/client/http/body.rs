//! Bodies of limited size.

use std::pin::Pin;
use std::task::{Context, Poll};

use http_body_util::{BodyExt as _, Limited};
use hyper::body::{Body, Bytes, Frame, Incoming, SizeHint};

use super::super::MAX_MESSAGE_BYTES;
use super::error::{Failure, failure, too_large, unreachable};

/// Why a body cannot be read.
#[derive(Debug, thiserror::Error)]
pub(super) enum BodyError {
    /// The connection failed.
    #[error(transparent)]
    Connection(#[from] hyper::Error),
    /// An event is too large.
    #[error("{}", too_large())]
    TooLarge,
}

/// Reads a body that is one message.
pub(super) async fn read(body: Incoming) -> Result<String, Failure> {
    let limited = Limited::new(body, MAX_MESSAGE_BYTES);
    let bytes = limited.collect().await.map_err(|error| match error.downcast::<hyper::Error>() {
        Ok(error) => unreachable(&*error),
        Err(_) => failure(too_large()),
    })?;
    String::from_utf8(bytes.to_bytes().into()).map_err(|_| failure("the server answered with invalid UTF-8"))
}

/// A body of events, each of limited size.
pub(super) struct EventBody {
    body: Incoming,
    /// The bytes since the last blank line.
    event: usize,
    /// The bytes since the last line break.
    line: usize,
    /// Whether the last byte was a carriage return, which may be half of a line break.
    is_return: bool,
}

impl EventBody {
    pub(super) fn new(body: Incoming) -> Self {
        Self { body, event: 0, line: 0, is_return: false }
    }

    /// Counts bytes; false if an event is too large.
    fn count(&mut self, bytes: &[u8]) -> bool {
        for byte in bytes {
            let is_second_half = *byte == b'\n' && self.is_return;
            self.is_return = *byte == b'\r';
            match byte {
                _ if is_second_half => {}
                b'\n' | b'\r' if self.line == 0 => self.event = 0,
                b'\n' | b'\r' => self.line = 0,
                _ => {
                    self.line += 1;
                    self.event += 1;
                }
            }
        }
        self.event <= MAX_MESSAGE_BYTES
    }
}

impl Body for EventBody {
    type Data = Bytes;
    type Error = BodyError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BodyError>>> {
        let frame = std::task::ready!(Pin::new(&mut self.body).poll_frame(context));
        Poll::Ready(frame.map(|frame| {
            let frame = frame?;
            let fits = frame.data_ref().is_none_or(|bytes| self.count(bytes));
            if fits { Ok(frame) } else { Err(BodyError::TooLarge) }
        }))
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
