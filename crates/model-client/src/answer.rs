//! What a model returns, while it writes.

use std::time::Duration;

use crate::{ModelError, ModelRequest, ToolCall};

/// A model of a provider.
pub trait Model: Send {
    /// Begins an answer, and does not wait for it.
    ///
    /// # Errors
    ///
    /// Fails if the request cannot be sent.
    fn begin(&mut self, request: &ModelRequest) -> Result<Box<dyn Answer>, ModelError>;
}

/// An answer while it is written. To drop it cancels the request.
pub trait Answer: Send {
    /// Returns what arrives next; none if nothing arrives within `wait`. After [`ModelEvent::End`] nothing arrives.
    ///
    /// # Errors
    ///
    /// Fails once, after which nothing arrives.
    fn next(&mut self, wait: Duration) -> Result<Option<ModelEvent>, ModelError>;
}

/// A part of an answer.
#[derive(Clone, Debug, PartialEq)]
pub enum ModelEvent {
    /// Text, not empty. A character is never split.
    Text(String),
    /// A complete tool call.
    Call(ToolCall),
    /// The number of tokens of the request and of the answer so far, as the provider counts them.
    Usage {
        /// Tokens of the request.
        input: u64,
        /// Tokens of the answer.
        output: u64,
    },
    /// The answer is complete.
    End,
}
