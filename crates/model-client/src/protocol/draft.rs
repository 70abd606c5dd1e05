//! An answer while its events arrive.

use std::collections::VecDeque;

use crate::calls::{CallPart, Calls, invalid};
use crate::error_code::ProviderError;
use crate::limits::MAX_TEXT_BYTES;
use crate::{ModelErrorKind, ModelEvent, ModelRequest};

/// An answer while its events arrive.
#[derive(Debug)]
pub(super) struct Draft {
    calls: Calls,
    text_bytes: usize,
    usage: (u64, u64),
    /// Whether the provider has ended the answer, and why if it is not complete.
    stop: Option<Result<(), &'static str>>,
    is_ended: bool,
}

impl Draft {
    pub(super) fn new(request: &ModelRequest) -> Self {
        Self { calls: Calls::new(request), text_bytes: 0, usage: (0, 0), stop: None, is_ended: false }
    }

    /// Returns whether the answer is complete. What follows is not read.
    pub(super) fn is_ended(&self) -> bool {
        self.is_ended
    }

    pub(super) fn add_text(
        &mut self,
        text: impl Into<String>,
        out: &mut VecDeque<ModelEvent>,
    ) -> Result<(), ModelErrorKind> {
        let text = text.into();
        self.text_bytes += text.len();
        if self.text_bytes > MAX_TEXT_BYTES {
            return Err(invalid(format!("the answer has more than {MAX_TEXT_BYTES} bytes of text")));
        }
        if !text.is_empty() {
            out.push_back(ModelEvent::Text(text));
        }
        Ok(())
    }

    pub(super) fn add_call(&mut self, part: CallPart<'_>) -> Result<(), ModelErrorKind> {
        self.calls.add(part)
    }

    pub(super) fn add_complete_call(&mut self, call: CallPart<'_>) -> Result<(), ModelErrorKind> {
        self.calls.add_complete(call)
    }

    /// Notes the tokens of the request and of the answer so far, as far as the provider wrote them.
    pub(super) fn set_usage(
        &mut self,
        input: Option<u64>,
        output: Option<u64>,
        out: &mut VecDeque<ModelEvent>,
    ) {
        let usage = (input.unwrap_or(self.usage.0), output.unwrap_or(self.usage.1));
        if usage != self.usage {
            self.usage = usage;
            out.push_back(ModelEvent::Usage { input: usage.0, output: usage.1 });
        }
    }

    /// Notes that the provider has ended the answer, and why if it is not complete.
    pub(super) fn stop(&mut self, stop: Result<(), &'static str>) {
        self.stop.get_or_insert(stop);
    }

    /// Ends the answer at its end marker.
    pub(super) fn end(&mut self, out: &mut VecDeque<ModelEvent>) -> Result<(), ModelErrorKind> {
        self.is_ended = true;
        if let Some(Err(reason)) = self.stop {
            return Err(ModelErrorKind::Stopped(reason));
        }
        out.extend(self.calls.take().into_iter().map(ModelEvent::Call));
        out.push_back(ModelEvent::End);
        Ok(())
    }

    /// Ends the answer at the end of the response. Some providers leave out the end marker after the reason.
    pub(super) fn end_of_response(&mut self, out: &mut VecDeque<ModelEvent>) -> Result<(), ModelErrorKind> {
        match (self.is_ended, self.stop) {
            (true, _) => Ok(()),
            (false, Some(_)) => self.end(out),
            (false, None) => Err(ModelErrorKind::Connection),
        }
    }
}

/// Returns the failure for an error in a response that began as a success.
pub(super) fn failure(error: ProviderError) -> ModelErrorKind {
    match error.status {
        Some(status) => ModelErrorKind::Status { status, retry_after: None, code: error.code },
        None => invalid("the provider reported an error"),
    }
}

/// Returns one of the known reasons for which an answer is not complete.
pub(super) fn find_reason(reason: &str, known: &'static [&'static str]) -> Result<(), &'static str> {
    known.iter().find(|one| **one == reason).map_or(Ok(()), |one| Err(*one))
}
