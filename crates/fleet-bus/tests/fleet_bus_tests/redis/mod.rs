//! The laws on a real server, and what is special about it.

mod access;
mod faults;
mod owners;
#[allow(dead_code, reason = "the tests of the commands use all of it")]
mod process;
pub(crate) mod server;
mod tail;

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::time::Duration;

use minds_fleet_bus::conformance::{Fleet, Transport, check_all};
use minds_fleet_bus::{Bus, RedisBus, RedisSettings};
use minds_fleet_protocol::{AgentId, AgentInfo};

use crate::faulty::Faulty;
use crate::numbers::seeds;
use server::Server;

/// The number of seeds for each law. Every call is one or more replies of the server.
const SEEDS: u64 = 2;
/// How many seconds of the server are a second of a law. Time passes on the server while a law runs, and must not matter.
const FACTOR: u32 = 10_000;

/// One server, on which each run has a prefix of its own.
pub(crate) struct Redis<'s> {
    server: &'s Server,
    /// How many seconds of the server are a second of the run.
    factor: u32,
}

impl<'s> Redis<'s> {
    /// For laws, which move the clock.
    fn for_laws(server: &'s Server) -> Self {
        Self { server, factor: FACTOR }
    }

    /// For runs on the clock of the system.
    pub(crate) fn in_real_time(server: &'s Server) -> Self {
        Self { server, factor: 1 }
    }
}

struct RedisFleet {
    bus: RedisBus,
    prefix: String,
    admin: Mutex<redis::Connection>,
}

/// Shortens what the server forgets. What an agent or a client that still exists refreshes stays.
const ADVANCE: &str = r"
local prefix, time = ARGV[1], tonumber(ARGV[2])
for _, key in ipairs(redis.call('KEYS', prefix .. '*')) do
  local left = redis.call('PTTL', key)
  local name, id = string.match(string.sub(key, #prefix + 1), '^([%w:-]+):(.+)$')
  local is_kept = name == 'agent:lock'
  if name == 'agents' then is_kept = redis.call('EXISTS', prefix .. 'agent:lock:' .. id) == 1 end
  if name == 'agent:owner' or name == 'agent:session' then
    local session = redis.call('GET', prefix .. 'agent:session:' .. id)
    is_kept = session and string.sub(session, 1, 1) ~= '-'
  end
  if left >= 0 and not is_kept then
    if left <= time then redis.call('DEL', key) else redis.call('PEXPIRE', key, left - time) end
  end
end";

impl Transport for Redis<'_> {
    fn name(&self) -> String {
        "redis".to_owned()
    }

    fn open(&self, _: u64) -> Box<dyn Fleet> {
        let prefix = self.server.unique_prefix();
        let settings = RedisSettings { prefix: prefix.clone(), ..self.server.settings() };
        let bus = RedisBus::new(&settings).unwrap().with_lifetime_percent(self.factor * 100);
        Box::new(RedisFleet { bus, prefix, admin: self.server.admin().into() })
    }
}

impl Fleet for RedisFleet {
    fn bus(&self) -> &dyn Bus {
        &self.bus
    }

    fn info(&self, agent: &AgentId) -> AgentInfo {
        crate::memory::info(agent)
    }

    fn advance(&self, time: Duration) {
        let time = u64::try_from(time.as_millis()).unwrap() * u64::from(FACTOR);
        let script = redis::Script::new(ADVANCE);
        script.arg(&self.prefix).arg(time).invoke::<()>(&mut *self.admin.lock().unwrap()).unwrap();
    }
}

#[test]
fn redis_keeps_every_law() {
    let server = Server::start();
    expect_all(&Redis::for_laws(&server), SEEDS);
}

#[test]
fn redis_keeps_its_laws_while_messages_are_lost_and_agents_end() {
    let server = Server::start();
    expect_all(&Faulty(Redis::for_laws(&server)), SEEDS);
}

fn expect_all(transport: &dyn Transport, default: u64) {
    let failed = check_all(transport, seeds(default));
    let failed: BTreeMap<_, _> = failed.into_iter().map(|one| (one.law, (one.seed, one.violation))).collect();
    assert!(failed.is_empty(), "{failed:#?}");
}
