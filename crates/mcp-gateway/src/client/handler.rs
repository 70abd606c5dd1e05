//! What this side answers to requests of the server.

use std::sync::Arc;

use rmcp::model::{
    ClientCapabilities, ClientConfig, ClientResult, CustomResult, ElicitationCapability, ErrorCode,
    ErrorData, Implementation, ProtocolVersion, ServerNotification, ServerRequest,
};
use rmcp::service::{InboundStreamOrigin, NotificationContext, RequestContext};
use rmcp::{RoleClient, Service};
use serde_json::{Map, Value};

use super::request::answer_with;
use super::wire::{ELICITATION, Wire, number};

/// Answers pings and questions. Everything else was not offered to the server, and is refused.
pub(super) struct Handler {
    wire: Arc<Wire>,
    /// The revision of the handshake.
    revision: ProtocolVersion,
}

impl Handler {
    pub(super) fn new(wire: &Arc<Wire>, revision: ProtocolVersion) -> Self {
        Self { wire: Arc::clone(wire), revision }
    }

    async fn ask(&self, question: Option<Value>, context: &RequestContext<RoleClient>) -> Map<String, Value> {
        let call = match context.extensions.get::<InboundStreamOrigin>() {
            Some(InboundStreamOrigin::OutboundRequest(id)) => self.wire.call_of_question(number(id)),
            _ => self.wire.call_of_question(None),
        };
        let (Some(call), Some(Value::Object(question))) = (call, question) else {
            return answer_with("decline");
        };
        tokio::select! {
            reply = call.ask(question) => reply,
            () = context.ct.cancelled() => answer_with("cancel"),
            () = self.wire.closing.wait() => answer_with("cancel"),
        }
    }
}

impl Service<RoleClient> for Handler {
    async fn handle_request(
        &self,
        request: ServerRequest,
        context: RequestContext<RoleClient>,
    ) -> Result<ClientResult, ErrorData> {
        match request {
            ServerRequest::PingRequest(_) => Ok(ClientResult::empty(())),
            ServerRequest::CustomRequest(request) if request.method == ELICITATION => {
                let reply = self.ask(request.params, &context).await;
                Ok(ClientResult::CustomResult(CustomResult::new(Value::Object(reply))))
            }
            _ => Err(ErrorData::new(
                ErrorCode::METHOD_NOT_FOUND,
                "this client does not offer the method",
                None,
            )),
        }
    }

    async fn handle_notification(
        &self,
        _: ServerNotification,
        _: NotificationContext<RoleClient>,
    ) -> Result<(), ErrorData> {
        Ok(())
    }

    fn get_info(&self) -> ClientConfig {
        let capabilities = client_capabilities();
        let client = Implementation::new("minds", env!("CARGO_PKG_VERSION"));
        let mut config = ClientConfig::new(capabilities, client);
        config.protocol_version = self.revision.clone();
        config
    }
}

/// Returns what every client of the gateway can do, as servers see it.
pub(super) fn client_capabilities() -> ClientCapabilities {
    let mut capabilities = ClientCapabilities::default();
    capabilities.elicitation = Some(ElicitationCapability::new());
    capabilities
}
