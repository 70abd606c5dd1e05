//! What the tools of `mcp_admin` and commands do with a server.

use std::sync::Arc;

use minds_toolset::Refusal;

use super::refusal;
use super::slot::Slot;
use super::start::{Begin, Present};

impl Slot {
    /// Stops the server until it is restarted or its entry changes.
    pub(super) fn disable(self: &Arc<Self>) {
        {
            let mut state = self.state();
            let entry = state.entry.clone();
            state.disabled = entry;
        }
        self.stop();
        if let Some(server_set) = self.server_set.upgrade() {
            server_set.publish_soon();
        }
    }

    /// Starts the server in the configuration of the file, and waits for the first attempt.
    ///
    /// # Errors
    ///
    /// Refuses a server whose entry does not let it run, and one that does not start; what worked before stays.
    pub(super) async fn restart(self: &Arc<Self>) -> Result<(), Refusal> {
        let server = {
            let state = self.state();
            match state.entry.as_ref().map(|entry| &entry.server) {
                _ if state.collides => Err("its id is the name of a built-in toolset".to_owned()),
                Some(Err(error)) if state.is_built_in() => {
                    return Err(refusal::unavailable(&self.id, &error.to_string()));
                }
                Some(Ok(server)) if !server.is_enabled => Err("it has `enabled: false`".to_owned()),
                Some(Ok(server)) => Ok(server.clone()),
                Some(Err(error)) => Err(error.to_string()),
                None => Err("it does not exist".to_owned()),
            }
        };
        let server = server.map_err(|reason| refusal::invalid(&self.id, &reason))?;
        let mut outcomes = self.outcomes.subscribe();
        let number = self.start(Arc::new(server), Begin::Now, Present::Replaced);
        loop {
            // The sender lives as long as the server.
            let _ = outcomes.changed().await;
            let state = self.state();
            match &state.starting {
                Some(starting) if starting.number == number && starting.is_connecting => {}
                Some(starting) if starting.number == number => {
                    let reason = state.last_error.as_deref().unwrap_or("it does not start");
                    return Err(refusal::unavailable(&self.id, reason));
                }
                _ => return Ok(()),
            }
        }
    }
}
