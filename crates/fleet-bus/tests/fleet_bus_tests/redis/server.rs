//! A server of its own for a test.

use std::net::TcpListener;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use minds_fleet_bus::{RedisBus, RedisSettings};
use minds_fleet_protocol::{AgentId, AgentInfo, Caller, Json, Now, Request, RequestId, Timestamp};
use tempfile::TempDir;

/// The programs that understand the commands, in the order in which they are used.
const PROGRAMS: [&str; 2] = ["redis-server", "valkey-server"];

/// A server on a socket in a temporary folder, which ends with the value.
pub(crate) struct Server {
    folder: TempDir,
    options: Vec<String>,
    child: Option<Child>,
    prefixes: AtomicU64,
}

impl Server {
    /// Starts a server without a password.
    pub(crate) fn start() -> Self {
        Self::start_with(&[])
    }

    /// Starts a server with further options. It keeps nothing on disk.
    pub(super) fn start_with(options: &[&str]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let options = options.iter().map(|&option| option.to_owned()).collect();
        let mut server = Self { folder, options, child: None, prefixes: AtomicU64::new(0) };
        server.restart();
        server
    }

    /// Starts the server again, after [`Server::kill`].
    pub(super) fn restart(&mut self) {
        let mut command = Command::new(program());
        command.args(["--port", "0", "--save", "", "--appendonly", "no", "--loglevel", "warning"]);
        command.arg("--dir").arg(self.folder.path()).arg("--unixsocket").arg(self.socket());
        let child = command.args(&self.options).stdin(Stdio::null()).stdout(Stdio::null()).spawn().unwrap();
        self.child = Some(child);
        while std::os::unix::net::UnixStream::connect(self.socket()).is_err() {
            let ended = self.child.as_mut().unwrap().try_wait().unwrap();
            assert!(ended.is_none(), "the server ended: {ended:?}");
            std::thread::yield_now();
        }
    }

    /// Ends the server at once.
    pub(super) fn kill(&mut self) {
        if let Some(mut child) = self.child.take() {
            child.kill().unwrap();
            child.wait().unwrap();
            let _ = std::fs::remove_file(self.socket());
        }
    }

    /// Sends a signal to the server.
    pub(super) fn signal(&self, name: &str) {
        let id = self.child.as_ref().unwrap().id().to_string();
        assert!(Command::new("kill").args(["-s", name, &id]).status().unwrap().success());
    }

    pub(super) fn socket(&self) -> PathBuf {
        self.folder.path().join("s")
    }

    /// Returns settings with the prefix `mcp:`.
    pub(super) fn settings(&self) -> RedisSettings {
        RedisSettings::new(format!("unix://{}", self.socket().display()))
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
        redis::Client::open(format!("unix://{}", self.socket().display())).unwrap().get_connection().unwrap()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.kill();
    }
}

/// Returns the first of the programs that exists.
fn program() -> PathBuf {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let found = PROGRAMS.iter().find_map(|name| {
        std::env::split_paths(&path).map(|folder| folder.join(name)).find(|program| program.is_file())
    });
    found.unwrap_or_else(|| {
        panic!("these tests need `redis-server` or `valkey-server`: run `cargo xtask setup`")
    })
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
