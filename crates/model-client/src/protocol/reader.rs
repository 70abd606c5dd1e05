//! Reading a response.

use std::collections::VecDeque;

use super::draft::Draft;
use super::{Protocol, anthropic, gemini, openai};
use crate::calls::invalid;
use crate::event_stream::{EventStream, TooLarge};
use crate::limits::{MAX_EVENT_BYTES, MAX_RESPONSE_BYTES};
use crate::{ModelErrorKind, ModelEvent, ModelRequest};

/// Reads the body of a response with success: bytes go in, events come out. It keeps at most one event, 8 MiB.
///
/// ```
/// use std::collections::VecDeque;
///
/// use minds_model_client::{AnswerReader, ModelEvent, ModelRequest, Protocol};
///
/// let mut reader = AnswerReader::new(Protocol::OpenAi, &ModelRequest::default(), true);
/// let mut events = VecDeque::new();
/// reader.push(b"data: {\"choices\":[{\"delta\":{\"content\":\"Hi\"},\"finish_reason\":\"stop\"}]}\n\n", &mut events)?;
/// reader.push(b"data: [DONE]\n\n", &mut events)?;
/// assert_eq!(events, [ModelEvent::Text("Hi".to_owned()), ModelEvent::End]);
/// # Ok::<(), minds_model_client::ModelErrorKind>(())
/// ```
#[derive(Debug)]
pub struct AnswerReader {
    protocol: Protocol,
    form: Form,
    draft: Draft,
    bytes: usize,
    /// The number of the event, from 1.
    event: usize,
}

#[derive(Debug)]
enum Form {
    Events(EventStream),
    Document(Vec<u8>),
}

impl From<TooLarge> for ModelErrorKind {
    fn from(_: TooLarge) -> Self {
        invalid(format!("an event has more than {MAX_EVENT_BYTES} bytes"))
    }
}

impl AnswerReader {
    /// Returns the reader of the answer to a request, which is a stream of events or one JSON document.
    pub fn new(protocol: Protocol, request: &ModelRequest, is_stream: bool) -> Self {
        let form = if is_stream { Form::Events(EventStream::default()) } else { Form::Document(Vec::new()) };
        Self { protocol, form, draft: Draft::new(request), bytes: 0, event: 0 }
    }

    /// Reads bytes, and adds the events that they complete.
    ///
    /// # Errors
    ///
    /// Fails if the provider reports an error, if the answer is not one of the protocol, or if a limit is exceeded; the events
    /// before remain, and nothing may be read after it.
    pub fn push(&mut self, bytes: &[u8], out: &mut VecDeque<ModelEvent>) -> Result<(), ModelErrorKind> {
        if self.draft.is_ended() {
            return Ok(());
        }
        self.bytes = self.bytes.saturating_add(bytes.len());
        if self.bytes > MAX_RESPONSE_BYTES {
            return Err(invalid(format!("the response has more than {MAX_RESPONSE_BYTES} bytes")));
        }
        match &mut self.form {
            Form::Events(stream) => {
                let (protocol, draft, event) = (self.protocol, &mut self.draft, &mut self.event);
                stream.push(bytes, |data| {
                    *event += 1;
                    if draft.is_ended() { Ok(()) } else { read(protocol, data, *event, draft, out) }
                })
            }
            Form::Document(document) if document.len() + bytes.len() > MAX_EVENT_BYTES => {
                Err(TooLarge.into())
            }
            Form::Document(document) => {
                document.extend_from_slice(bytes);
                Ok(())
            }
        }
    }

    /// Reads the end of the response.
    ///
    /// # Errors
    ///
    /// Fails with [`ModelErrorKind::Connection`] if the answer is not complete, and as [`push`](Self::push) does.
    pub fn finish(mut self, out: &mut VecDeque<ModelEvent>) -> Result<(), ModelErrorKind> {
        if !self.draft.is_ended() {
            let (data, is_document) = match self.form {
                Form::Events(stream) => (stream.finish(), false),
                Form::Document(document) => (Some(document), true),
            };
            if let Some(data) = data {
                let read = read(self.protocol, &data, self.event + 1, &mut self.draft, out);
                // What is not readable was cut off.
                if !matches!(read, Err(ModelErrorKind::Invalid(_))) || is_document {
                    read?;
                }
            }
        }
        self.draft.end_of_response(out)
    }

    /// Returns whether the answer is complete, so that nothing that follows is read.
    pub fn is_ended(&self) -> bool {
        self.draft.is_ended()
    }
}

fn read(
    protocol: Protocol,
    data: &[u8],
    number: usize,
    draft: &mut Draft,
    out: &mut VecDeque<ModelEvent>,
) -> Result<(), ModelErrorKind> {
    let data = data.trim_ascii();
    if data.is_empty() {
        return Ok(());
    }
    let read = match protocol {
        Protocol::OpenAi | Protocol::OpenAiCompatible => openai::read(data, draft, out),
        Protocol::Anthropic => anthropic::read(data, draft, out),
        Protocol::Gemini => gemini::read(data, draft, out),
    };
    read.map_err(|error| match error {
        ReadError::Failure(kind) => kind,
        // The message of the library may contain a part of the response.
        ReadError::Json(error) => {
            invalid(format!("event {number} is not one of the protocol, at column {}", error.column()))
        }
    })
}

/// Why an event cannot be read.
#[derive(Debug)]
pub(super) enum ReadError {
    Json(serde_json::Error),
    Failure(ModelErrorKind),
}

impl From<serde_json::Error> for ReadError {
    fn from(error: serde_json::Error) -> Self {
        Self::Json(error)
    }
}

impl From<ModelErrorKind> for ReadError {
    fn from(kind: ModelErrorKind) -> Self {
        Self::Failure(kind)
    }
}
