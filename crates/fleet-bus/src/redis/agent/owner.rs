//! The owner of an agent, as the agent knows it.

use minds_fleet_protocol::limits::OWNER_LIFETIME;
use minds_fleet_protocol::methods::Owner;
use minds_fleet_protocol::{Failure, OwnerChange, OwnerEvent};
use redis::Value;

use super::RedisAgent;
use crate::Served;
use crate::redis::client::parse_owner;
use crate::redis::link::read_strings;
use crate::redis::scripts::{Call, OwnerScript};

/// The state of the owner on the server.
pub(super) struct OwnerState {
    pub(super) owner: Option<Owner>,
    /// The connection of the owner; empty for a program that names none.
    pub(super) connection: String,
}

impl RedisAgent {
    /// Returns the script that reads the owner.
    pub(super) fn owner_script(&self) -> Call {
        let seconds = self.core.seconds(OWNER_LIFETIME);
        OwnerScript::Look.call(&self.core.keys, &self.info.id, seconds).arg("-")
    }

    /// Reads the owner, and reports it if it has changed.
    pub(super) fn read_owner(&mut self) -> Result<OwnerState, Failure> {
        let script = self.owner_script();
        let reply = self.with_link(|link, _| script.run(link))?;
        Ok(self.note_owner(&reply))
    }

    /// Notes the owner in the reply of the script, and reports it if it has changed.
    pub(super) fn note_owner(&mut self, reply: &Value) -> OwnerState {
        let parts = read_strings(reply);
        let part = |number: usize| parts.get(number).map(String::as_str).unwrap_or_default();
        let (owner, connection) = (parse_owner(part(1)), part(2).to_owned());
        let caller = owner.as_ref().map(|owner| owner.caller.clone());
        if caller != self.owner {
            let event = match (&self.owner, &caller) {
                (_, None) => OwnerEvent::Released,
                (None, Some(_)) => OwnerEvent::Claimed,
                (Some(_), Some(_)) => OwnerEvent::Takeover,
            };
            self.served.push_back(Served::Owner(OwnerChange { event, owner: caller.clone() }));
            self.owner = caller;
        }
        OwnerState { owner, connection }
    }
}
