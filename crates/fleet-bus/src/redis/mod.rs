//! A fleet on several machines, over one Redis server (6.2 or later) or one that understands the same commands.
//!
//! | key or channel | kind | content |
//! |---|---|---|
//! | `mcp:agents:ID` | string, 10 s | registry entry |
//! | `mcp:agent:lock:ID` | string, 10 s | `EPOCH:HOST:PID:16 digits` of the running process |
//! | `mcp:agent:epoch:ID` | integer | the last epoch |
//! | `mcp:agent:owner:ID` | string, 30 s | `CALLER:TIME` |
//! | `mcp:agent:session:ID`, `…:takeover:ID`, `…:takeover-wait:ID` | strings | the connection of the owner; a takeover that is not final (`scripts/owner.lua`) |
//! | `mcp:agent:bootstrap:ID:HASH` | string, its lifetime | `{"expires_at":TIME}` |
//! | `mcp:agent:grace:ID` | string | the reason of a planned restart |
//! | `mcp:tail:ID` | stream, field `f` | frames; as a channel, what the clients of an agent are notified of |
//! | `mcp:req:ID`, `mcp:res:ID:REQUEST` | channels | requests and responses |
//! | `mcp:owner:ID`, `mcp:owner:ID:CALLER` | channels | notices for the agent and for its clients |
//! | `mcp:registry` | channel | `{"event":"join"\|"update"\|"leave","id":ID,"ts":TIME}` |
//!
//! Every step that depends on a value is a script, so the server decides races. A connection lives as long as the process that
//! had the lock when it was made.

mod acl;
mod agent;
mod client;
mod follower;
mod keys;
mod link;
mod lock;
mod publisher;
mod reconnect;
mod registry;
mod routing;
mod scripts;
mod settings;
mod socket;

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use minds_fleet_protocol::{
    AgentId, AgentInfo, Bootstrap, BootstrapLifetime, Caller, ErrorCode, Failure, Now,
};
use redis::{Value, cmd};

pub use acl::{RedisRole, acl_rules};
pub use settings::RedisSettings;

use crate::tokens::random;
use crate::{Announced, BootstrapToken, Bus, ClientPort, Follower, Listed, Start};
use client::RedisClient;
use follower::RedisFollower;
use keys::Keys;
use link::{Batch, Link};
use registry::Registry;
use settings::Target;

/// A fleet on one Redis server. Clones are one fleet, and share what they have seen of the registry.
///
/// Every agent, publisher, client and follower has a connection of its own, which it makes again after it was lost.
#[derive(Clone)]
pub struct RedisBus {
    core: Arc<Core>,
    registry: Arc<Mutex<Registry>>,
}

/// What all parts of a fleet need.
struct Core {
    target: Target,
    keys: Keys,
    lifetime_percent: u32,
}

impl Core {
    fn open(&self, client: &str) -> Result<Link, Failure> {
        Link::open(&self.target, client)
    }

    /// Returns the seconds of a lifetime on the server.
    fn seconds(&self, lifetime: Duration) -> u64 {
        (lifetime.as_secs().saturating_mul(self.lifetime_percent.into()) / 100).max(1)
    }
}

impl RedisBus {
    /// Checks the settings. Nothing is connected yet.
    ///
    /// # Errors
    ///
    /// Returns `config.invalid` if the settings cannot be used, or would send a password to another machine without TLS.
    pub fn new(settings: &RedisSettings) -> Result<Self, Failure> {
        let target = Target::new(settings)?;
        let core = Core { target, keys: Keys(settings.prefix.clone()), lifetime_percent: 100 };
        Ok(Self { core: Arc::new(core), registry: Arc::default() })
    }

    /// Changes the lifetime of all keys, in percent of the usual one, for tests whose time is another than that of the server.
    #[must_use]
    pub fn with_lifetime_percent(self, lifetime_percent: u32) -> Self {
        let Core { target, keys, .. } = &*self.core;
        let core = Core { target: target.clone(), keys: keys.clone(), lifetime_percent };
        Self { core: Arc::new(core), ..self }
    }

    /// Sends one command over a connection of its own.
    fn call(&self, command: &redis::Cmd) -> Result<Value, Failure> {
        let mut batch = Batch::default();
        batch.add(command);
        let reply = self.core.open("minds-bus")?.call(&batch)?.pop();
        Ok(reply.unwrap_or_default())
    }
}

impl Bus for RedisBus {
    fn kind(&self) -> &'static str {
        "redis"
    }

    fn announce(&self, info: AgentInfo, now: Now) -> Result<Announced, Failure> {
        agent::announce(&self.core, info, now)
    }

    fn list(&self, now: Now) -> Result<Vec<Listed>, Failure> {
        self.registry.lock().unwrap_or_else(PoisonError::into_inner).list(&self.core, now)
    }

    fn connect(&self, agent: &AgentId, caller: &Caller, now: Now) -> Result<Box<dyn ClientPort>, Failure> {
        Ok(Box::new(RedisClient::connect(&self.core, agent, caller, now)?))
    }

    fn follow(&self, agent: &AgentId, start: Start) -> Result<Box<dyn Follower>, Failure> {
        Ok(Box::new(RedisFollower::new(&self.core, agent, start)?))
    }

    fn issue(
        &self,
        agent: &AgentId,
        lifetime: BootstrapLifetime,
        now: Now,
    ) -> Result<Option<BootstrapToken>, Failure> {
        let token = BootstrapToken::new(random()?);
        let invalid = || Failure::new(ErrorCode::HandlerError, "the time is not valid");
        let issued = Bootstrap::issue(agent.clone(), lifetime, now.time).ok_or_else(invalid)?;
        let record = serde_json::json!({ "expires_at": issued.expires_at() }).to_string();
        let seconds = self.core.seconds(lifetime.duration());
        let mut set = cmd("SET");
        set.arg(self.core.keys.bootstrap(agent, &token)).arg(record).arg("NX").arg("EX").arg(seconds);
        match self.call(&set)? {
            Value::Okay => Ok(Some(token)),
            _ => Err(Failure::new(ErrorCode::HandlerError, "a bootstrap token exists already")),
        }
    }

    fn revoke(&self, agent: &AgentId, _: Now) -> Result<Option<usize>, Failure> {
        let mut link = self.core.open("minds-bus")?;
        let names = registry::scan_names(&mut link, &self.core.keys.bootstraps(agent))?;
        let mut count = 0;
        for names in names.chunks(registry::STEP) {
            let reply = link.call(Batch::default().add(cmd("DEL").arg(names)))?.pop();
            // A token that an agent has redeemed meanwhile, or that has expired, is not counted.
            if let Some(Value::Int(removed)) = reply {
                count += usize::try_from(removed).unwrap_or_default();
            }
        }
        Ok(Some(count))
    }

    fn redeem(&self, agent: &AgentId, token: &BootstrapToken, _: Now) -> Result<(), Failure> {
        // The server alone decides whether the token has expired: the clocks of two machines differ.
        match self.call(cmd("GETDEL").arg(self.core.keys.bootstrap(agent, token)))? {
            Value::Nil => {
                let message = "the bootstrap token is used, expired, revoked, or of another agent";
                Err(Failure::new(ErrorCode::BootstrapInvalid, message))
            }
            _ => Ok(()),
        }
    }
}

fn not_found(agent: &AgentId) -> Failure {
    Failure::new(ErrorCode::AgentNotFound, format!("the agent `{agent}` does not run"))
}
