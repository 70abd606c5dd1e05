//! A server of its own for a test, and what is sent to it.

use std::net::TcpListener;
use std::ops::{Deref, DerefMut};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use minds_fleet_bus::{RedisBus, RedisSettings};
use minds_fleet_protocol::{AgentId, AgentInfo, Caller, Json, Now, Request, RequestId, Timestamp};

use super::process::ServerProcess;

/// A server on a socket in a temporary folder, which ends with the value.
pub(crate) struct Server {
    process: ServerProcess,
    prefixes: AtomicU64,
}

impl Deref for Server {
    type Target = ServerProcess;

    fn deref(&self) -> &ServerProcess {
        &self.process
    }
}

impl DerefMut for Server {
    fn deref_mut(&mut self) -> &mut ServerProcess {
        &mut self.process
    }
}

impl Server {
    /// Starts a server without a password.
    pub(crate) fn start() -> Self {
        Self::start_with(&[])
    }

    /// Starts a server with further options.
    pub(super) fn start_with(options: &[&str]) -> Self {
        Self { process: ServerProcess::start_with(options), prefixes: AtomicU64::new(0) }
    }

    /// Returns settings with the prefix `mcp:`.
    pub(super) fn settings(&self) -> RedisSettings {
        RedisSettings::new(self.url())
    }

    pub(super) fn bus(&self) -> RedisBus {
        RedisBus::new(&self.settings()).unwrap()
    }

    /// Returns a prefix that no other run has.
    pub(super) fn unique_prefix(&self) -> String {
        format!("r{}:", self.prefixes.fetch_add(1, Ordering::Relaxed))
    }

    /// Returns a connection that may do everything.
    pub(super) fn admin(&self) -> redis::Connection {
        redis::Client::open(self.url()).unwrap().get_connection().unwrap()
    }
}

/// Returns a port of the loopback interface that nothing uses.
pub(super) fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

pub(super) fn id() -> AgentId {
    AgentId::parse("shop/coder").unwrap()
}

pub(super) fn info() -> AgentInfo {
    crate::memory::info(&id())
}

pub(super) fn caller(number: u64) -> Caller {
    Caller::parse(&format!("console:s-{number:016x}")).unwrap()
}

/// Returns a time after the start of a test.
pub(super) fn at(milliseconds: u64) -> Now {
    let clock = Duration::from_millis(milliseconds);
    Now { clock, time: Timestamp::from_seconds(1_790_000_000.0 + clock.as_secs_f64()).unwrap() }
}

pub(super) fn ask(client: u64, number: u64, now: Now) -> Request {
    Request {
        req_id: RequestId::new(number),
        method: "status".to_owned(),
        params: Json::parse("{}").unwrap(),
        ts: now.time,
        caller: caller(client),
        timeout: None,
    }
}

/// Repeats an act with a clock that moves a little each time, until it returns something.
#[track_caller]
pub(super) fn eventually<T>(start: u64, act: impl FnMut(Now) -> Option<T>) -> (u64, T) {
    repeat((start..start + 200_000).step_by(100), act)
}

/// Repeats an act without moving the clock, until it returns something.
#[track_caller]
pub(super) fn soon<T>(act: impl FnMut(Now) -> Option<T>) -> T {
    repeat(std::iter::repeat_n(0, 1_000_000), act).1
}

#[track_caller]
fn repeat<T>(times: impl Iterator<Item = u64>, mut act: impl FnMut(Now) -> Option<T>) -> (u64, T) {
    for time in times {
        if let Some(found) = act(at(time)) {
            return (time, found);
        }
    }
    panic!("it does not happen");
}
