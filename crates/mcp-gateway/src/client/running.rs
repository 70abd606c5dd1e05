//! Tasks that belong to a connection: requests that run, and the subscription to changes of the tools.

use std::sync::Arc;
use std::time::Duration;

use rmcp::RoleClient;
use rmcp::model::{CancelledNotification, CancelledNotificationParam, RequestId, SubscriptionFilterBuilder};
use rmcp::service::Peer;
use tokio::time::sleep;

use super::connection::Connection;
use super::request::Request;

/// The time after which an ended subscription is made again.
const SUBSCRIPTION_PAUSE: Duration = Duration::from_secs(30);

/// A request that is cancelled at the server if no task waits for it anymore.
pub(super) struct Running<'c> {
    pub(super) connection: &'c Connection,
    pub(super) request: Arc<Request>,
    pub(super) id: Option<RequestId>,
}

impl Drop for Running<'_> {
    fn drop(&mut self) {
        self.connection.wire.forget(&self.request);
        let Some(id) = self.id.take() else { return };
        let cancellation = CancelledNotification::new(CancelledNotificationParam::new(Some(id), None));
        let peer = self.connection.peer.clone();
        self.connection.runtime.spawn(async move {
            // The connection may have ended.
            let _ = peer.send_notification(cancellation.into()).await;
        });
    }
}

/// Follows changes of the tools of a server that tells them only to subscribers.
pub(super) async fn follow(peer: Peer<RoleClient>) {
    while !peer.is_transport_closed() {
        let filter = SubscriptionFilterBuilder::default().tools_list_changed().build();
        if let Ok(mut subscription) = peer.listen(filter).await {
            // The notifications themselves were handled when they arrived.
            while let Ok(Some(_)) = subscription.next().await {}
        }
        sleep(SUBSCRIPTION_PAUSE).await;
    }
}
