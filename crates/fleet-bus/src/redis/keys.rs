//! The names of keys and channels.

use minds_fleet_protocol::{AgentId, Caller, RequestId};

use crate::BootstrapToken;

/// The names of one fleet, which all begin with its prefix.
#[derive(Clone, Debug)]
pub(super) struct Keys(pub(super) String);

impl Keys {
    /// The registry entry of an agent.
    pub(super) fn entry(&self, id: &AgentId) -> String {
        format!("{}agents:{id}", self.0)
    }

    /// The pattern that matches all registry entries. A prefix has no characters with a meaning in patterns.
    pub(super) fn entries(&self) -> String {
        format!("{}agents:*", self.0)
    }

    /// Returns the agent of a registry entry.
    pub(super) fn agent_of(&self, entry: &str) -> Option<AgentId> {
        AgentId::parse(entry.strip_prefix(&self.0)?.strip_prefix("agents:")?).ok()
    }

    /// The lock of the running process.
    pub(super) fn lock(&self, id: &AgentId) -> String {
        format!("{}agent:lock:{id}", self.0)
    }

    /// The epoch of the last process.
    pub(super) fn epoch(&self, id: &AgentId) -> String {
        format!("{}agent:epoch:{id}", self.0)
    }

    /// The reason of a planned restart.
    pub(super) fn grace(&self, id: &AgentId) -> String {
        format!("{}agent:grace:{id}", self.0)
    }

    /// What the scripts about owners use: the owner, its connection, the client that takes over, the time until that is
    /// final, and the lock.
    pub(super) fn ownership(&self, id: &AgentId) -> [String; 5] {
        ["owner", "session", "takeover", "takeover-wait", "lock"]
            .map(|name| format!("{}agent:{name}:{id}", self.0))
    }

    /// A bootstrap token, of which only the hash is stored.
    pub(super) fn bootstrap(&self, id: &AgentId, token: &BootstrapToken) -> String {
        format!("{}agent:bootstrap:{id}:{}", self.0, sha256(token.as_str()))
    }

    /// The pattern that matches the bootstrap tokens of an agent. Ids have no characters with a meaning in patterns.
    pub(super) fn bootstraps(&self, id: &AgentId) -> String {
        format!("{}agent:bootstrap:{id}:*", self.0)
    }

    /// The frames of an agent; as a channel, what its clients are notified of.
    pub(super) fn tail(&self, id: &AgentId) -> String {
        format!("{}tail:{id}", self.0)
    }

    /// The requests to an agent.
    pub(super) fn requests(&self, id: &AgentId) -> String {
        format!("{}req:{id}", self.0)
    }

    /// The response to a request.
    pub(super) fn response(&self, id: &AgentId, request: &RequestId) -> String {
        format!("{}{request}", self.responses(id))
    }

    /// What the channels of all responses of an agent begin with.
    pub(super) fn responses(&self, id: &AgentId) -> String {
        format!("{}res:{id}:", self.0)
    }

    /// What notifies an agent of a change of its owner. The channels of its clients begin with it.
    pub(super) fn owner_changes(&self, id: &AgentId) -> String {
        format!("{}owner:{id}", self.0)
    }

    /// What notifies a client of takeovers.
    pub(super) fn takeovers(&self, id: &AgentId, client: &Caller) -> String {
        format!("{}owner:{id}:{client}", self.0)
    }

    /// The changes of the registry.
    pub(super) fn registry(&self) -> String {
        format!("{}registry", self.0)
    }
}

/// Returns the digits of the SHA-256 of a secret.
pub(super) fn sha256(secret: &str) -> String {
    minds_vfs::ContentHash::of(secret.as_bytes()).to_string().trim_start_matches("sha256:").to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_have_the_documented_form() {
        let keys = Keys("mcp:".to_owned());
        let id = AgentId::parse("shop/coder").unwrap();
        let client = Caller::parse("console:s-1").unwrap();
        let token = BootstrapToken::new([0; 32]);
        let digest = "60e05bd1b195af2f94112fa7197a5c88289058840ce7c6df9693756bc6250f55";
        assert_eq!(keys.entry(&id), "mcp:agents:shop/coder");
        assert_eq!(keys.agent_of("mcp:agents:shop/coder"), Some(id.clone()));
        assert_eq!(keys.agent_of("mcp:agents:coder"), None);
        assert_eq!(keys.lock(&id), "mcp:agent:lock:shop/coder");
        assert_eq!(keys.epoch(&id), "mcp:agent:epoch:shop/coder");
        assert_eq!(keys.grace(&id), "mcp:agent:grace:shop/coder");
        assert_eq!(keys.ownership(&id)[0], "mcp:agent:owner:shop/coder");
        assert_eq!(keys.ownership(&id)[4], keys.lock(&id));
        assert_eq!(keys.bootstrap(&id, &token), format!("mcp:agent:bootstrap:shop/coder:{digest}"));
        assert_eq!(keys.bootstraps(&id), "mcp:agent:bootstrap:shop/coder:*");
        assert_eq!(keys.tail(&id), "mcp:tail:shop/coder");
        assert_eq!(keys.requests(&id), "mcp:req:shop/coder");
        let request = RequestId::new(1);
        assert_eq!(keys.response(&id, &request), "mcp:res:shop/coder:r-0000000000000001");
        assert_eq!(keys.takeovers(&id, &client), "mcp:owner:shop/coder:console:s-1");
        assert_eq!(keys.registry(), "mcp:registry");
    }
}
