//! Tokens for the first start of an agent, on a real server.

use std::process::{Child, Command, Stdio};

use tempfile::TempDir;

use crate::support::World;

/// The programs that understand the commands, in the order in which they are used.
const PROGRAMS: [&str; 2] = ["redis-server", "valkey-server"];

/// A server on a socket in a temporary folder, which ends with the value.
struct Server {
    folder: TempDir,
    child: Child,
}

impl Server {
    fn start() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let started = PROGRAMS.iter().find_map(|program| {
            let mut command = Command::new(program);
            command.args(["--port", "0", "--save", "", "--appendonly", "no", "--loglevel", "warning"]);
            command.arg("--dir").arg(folder.path()).arg("--unixsocket").arg(folder.path().join("s"));
            command.stdin(Stdio::null()).stdout(Stdio::null()).spawn().ok()
        });
        let child =
            started.expect("this test needs `redis-server` or `valkey-server`: run `cargo xtask setup`");
        let mut server = Self { folder, child };
        while std::os::unix::net::UnixStream::connect(server.folder.path().join("s")).is_err() {
            let ended = server.child.try_wait().unwrap();
            assert!(ended.is_none(), "the server ended: {ended:?}");
            std::thread::yield_now();
        }
        server
    }

    fn url(&self) -> String {
        format!("unix://{}", self.folder.path().join("s").display())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Returns arguments with the option for a server.
fn with<'a>(url: &'a str, args: &[&'a str]) -> Vec<&'a str> {
    [args, &["--redis", url]].concat()
}

#[test]
fn a_token_has_a_lifetime_and_can_be_revoked() {
    let server = Server::start();
    let world = World::new(&["hera", "zeus"], &[]);
    let url = server.url();
    let issue = |agent: &'static str, more: &[&'static str]| {
        let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap().as_secs_f64();
        let document = world.document(&with(&url, &[&["token", agent], more].concat()), 0);
        assert_eq!(document["token"].as_str().unwrap().len(), 64);
        document["expires_at"].as_f64().unwrap() - now
    };
    let lifetime = issue("zeus", &[]);
    assert!(lifetime >= 300.0, "{lifetime}");
    let lifetime = issue("zeus", &["--ttl", "3600"]);
    assert!(lifetime >= 3600.0, "{lifetime}");
    issue("hera", &["--ttl", "3600"]);
    let revoked = world.document(&with(&url, &["token", "zeus", "--revoke"]), 0);
    assert_eq!((&revoked["id"], &revoked["revoked"]), (&"shop/zeus".into(), &2.into()));
    assert_eq!(world.succeed(&with(&url, &["token", "zeus", "--revoke"])), "shop/zeus: revoked 0 tokens\n");
    let revoked = world.document(&with(&url, &["token", "hera", "--revoke"]), 0);
    assert_eq!(revoked["revoked"], 1, "the token of another agent is still valid");
}

#[test]
fn lifetimes_have_limits() {
    let world = World::new(&["zeus"], &[]);
    for args in [
        &["token", "zeus", "--ttl", "0"] as &[&str],
        &["token", "zeus", "--ttl", "3601"],
        &["token", "zeus", "--ttl", "1.5"],
        &["token", "zeus", "--ttl", "-1"],
        &["token", "zeus", "--ttl", "60", "--revoke"],
    ] {
        assert_eq!(world.document(args, 2)["error"]["kind"], "usage", "{args:?}");
    }
    for args in [&["token", "zeus", "--ttl", "60"] as &[&str], &["token", "zeus", "--revoke"]] {
        assert_eq!(
            world.document(args, 1)["error"]["kind"],
            "refused",
            "not needed on one machine: {args:?}"
        );
    }
}
