//! Conversations, for which servers keep their state.

use std::io;
use std::sync::Arc;

use minds_toolset::ToolSource;

use crate::mcp::hex::hex;
use crate::mcp::server::Server;

/// A conversation. Its connections to servers end with it.
#[derive(Debug)]
pub(crate) struct Conversation {
    id: String,
    source: Option<Arc<dyn ToolSource>>,
}

impl Conversation {
    /// Begins a conversation with a random id.
    ///
    /// # Errors
    ///
    /// Fails if the system has no source of randomness.
    pub(crate) fn new(server: &Server) -> io::Result<Self> {
        Ok(Self { id: hex(&minds_process::random::<16>()?), source: server.source().cloned() })
    }

    pub(crate) fn id(&self) -> &str {
        &self.id
    }
}

impl Drop for Conversation {
    fn drop(&mut self) {
        if let Some(source) = &self.source {
            source.end_conversation(&self.id);
        }
    }
}
