//! The laws on a real server, and what is special about it.

mod access;
mod faults;
mod owners;
mod server;
mod tail;

use std::collections::BTreeMap;
use std::time::Duration;

use minds_fleet_bus::conformance::{Fleet, Transport, check_all};
use minds_fleet_bus::{Bus, RedisBus, RedisSettings};
use minds_fleet_protocol::{AgentId, AgentInfo};

use server::Server;

/// The number of seeds for each law. Every call is one or more replies of the server.
const SEEDS: u64 = 2;
/// How many seconds of the server are a second of a law. Time passes on the server while a law runs, and must not matter.
const FACTOR: u32 = 10_000;

/// One server, on which each run has a prefix of its own.
struct Redis<'s>(&'s Server);

struct RedisFleet {
    bus: RedisBus,
    prefix: String,
    admin: std::cell::RefCell<redis::Connection>,
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
        let prefix = self.0.unique_prefix();
        let settings = RedisSettings { prefix: prefix.clone(), ..self.0.settings() };
        let bus = RedisBus::new(&settings).unwrap().with_lifetime_percent(FACTOR * 100);
        Box::new(RedisFleet { bus, prefix, admin: self.0.admin().into() })
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
        script.arg(&self.prefix).arg(time).invoke::<()>(&mut *self.admin.borrow_mut()).unwrap();
    }
}

#[test]
fn redis_keeps_every_law() {
    let server = Server::start();
    let failed = check_all(&Redis(&server), SEEDS);
    let failed: BTreeMap<_, _> = failed.into_iter().map(|one| (one.law, (one.seed, one.violation))).collect();
    assert!(failed.is_empty(), "{failed:#?}");
}
