//! Streams of events.

use std::future::poll_fn;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use futures_core::Stream;
use hyper::body::Incoming;
use rmcp::model::ServerJsonRpcMessage;
use rmcp::transport::streamable_http_client::SseError;
use sse_stream::{Sse, SseStream};

use super::super::wire::Wire;
use super::body::{BodyError, EventBody};

/// The events of a response, as the library of the protocol is to read them.
pub(super) struct EventStream {
    events: Pin<Box<SseStream<EventBody>>>,
    wire: Arc<Wire>,
}

impl EventStream {
    pub(super) fn new(body: Incoming, wire: &Arc<Wire>) -> Self {
        Self { events: Box::pin(SseStream::new(EventBody::new(body))), wire: Arc::clone(wire) }
    }

    /// Reads until the first response; none if the stream ends before.
    pub(super) async fn first_response(mut self) -> Option<ServerJsonRpcMessage> {
        loop {
            let event = poll_fn(|context| Pin::new(&mut self).poll_next(context)).await?.ok()?;
            let message = event.data.and_then(|text| serde_json::from_str(&text).ok());
            if let Some(message @ (ServerJsonRpcMessage::Response(_) | ServerJsonRpcMessage::Error(_))) =
                message
            {
                return Some(message);
            }
        }
    }
}

impl Stream for EventStream {
    type Item = Result<Sse, SseError>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let event = std::task::ready!(self.events.as_mut().poll_next(context));
        Poll::Ready(event.map(|event| {
            let mut event = event.inspect_err(|error| self.wire.note(explain(error)))?;
            let is_message = matches!(event.event.as_deref(), None | Some("" | "message"));
            if let Some(text) = event.data.take_if(|text| is_message && !text.trim().is_empty()) {
                event.data = self.wire.read(&text).into_text(&text);
            }
            Ok(event)
        }))
    }
}

fn explain(error: &SseError) -> String {
    match error {
        SseError::Body(error) if matches!(error.downcast_ref(), Some(BodyError::TooLarge)) => {
            error.to_string()
        }
        SseError::Body(_) => "the connection to the server was interrupted".to_owned(),
        _ => "the server sent a stream that is not one of events".to_owned(),
    }
}
