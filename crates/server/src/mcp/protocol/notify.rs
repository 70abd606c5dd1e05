//! Notifications of a session.

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

use rmcp::RoleServer;
use rmcp::model::ResourceUpdatedNotificationParam;
use rmcp::service::{Peer, ServiceError};

use crate::mcp::changes::Changes;

/// Notifies a session of the changes that concern it.
pub(super) async fn notify(
    peer: &Peer<RoleServer>,
    changes: &Changes,
    subscribed: &Mutex<BTreeSet<String>>,
) -> Result<(), ServiceError> {
    if changes.tools {
        peer.notify_tool_list_changed().await?;
    }
    if changes.prompts {
        peer.notify_prompt_list_changed().await?;
    }
    if changes.resources {
        peer.notify_resource_list_changed().await?;
    }
    let is_wanted =
        |uri: &&String| subscribed.lock().unwrap_or_else(PoisonError::into_inner).contains(uri.as_str());
    for uri in changes.updated.iter().filter(is_wanted) {
        peer.notify_resource_updated(ResourceUpdatedNotificationParam::new(uri.clone())).await?;
    }
    Ok(())
}
