//! The process of a server of Redis.

use std::io::{Read as _, Write as _};
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

use tempfile::TempDir;

/// The programs that understand the commands, in the order in which they are used.
const PROGRAMS: [&str; 2] = ["redis-server", "valkey-server"];

/// A server on a socket in a temporary folder, which ends with the value. It keeps nothing on disk.
pub(crate) struct ServerProcess {
    folder: TempDir,
    options: Vec<String>,
    child: Option<Child>,
}

impl ServerProcess {
    /// Starts a server with further options.
    pub(crate) fn start_with(options: &[&str]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let options = options.iter().map(|&option| option.to_owned()).collect();
        let mut server = Self { folder, options, child: None };
        server.restart();
        server
    }

    /// Is a place for a server.
    pub(crate) fn none() -> Self {
        Self { folder: tempfile::tempdir().unwrap(), options: Vec::new(), child: None }
    }

    /// Starts the server again, after [`ServerProcess::kill`].
    pub(crate) fn restart(&mut self) {
        let mut command = Command::new(program());
        command.args(["--port", "0", "--save", "", "--appendonly", "no", "--loglevel", "warning"]);
        command.arg("--dir").arg(self.folder.path()).arg("--unixsocket").arg(self.socket());
        let child = command.args(&self.options).stdin(Stdio::null()).stdout(Stdio::null()).spawn().unwrap();
        self.child = Some(child);
        while UnixStream::connect(self.socket()).is_err() {
            let ended = self.child.as_mut().unwrap().try_wait().unwrap();
            assert!(ended.is_none(), "the server ended: {ended:?}");
            std::thread::yield_now();
        }
    }

    /// Ends the server at once.
    pub(crate) fn kill(&mut self) {
        if let Some(mut child) = self.child.take() {
            child.kill().unwrap();
            child.wait().unwrap();
            let _ = std::fs::remove_file(self.socket());
        }
    }

    /// Sends a signal to the server.
    pub(crate) fn signal(&self, name: &str) {
        let id = self.child.as_ref().unwrap().id().to_string();
        assert!(Command::new("kill").args(["-s", name, &id]).status().unwrap().success());
    }

    /// Performs a command without arguments that contain spaces, and waits for its reply.
    pub(crate) fn order(&self, command: &str) {
        let mut socket = UnixStream::connect(self.socket()).unwrap();
        write!(socket, "{command}\r\n").unwrap();
        let mut reply = [0];
        assert_eq!(socket.read(&mut reply).unwrap(), 1, "{command}");
        assert_ne!(reply[0], b'-', "{command}");
    }

    pub(crate) fn socket(&self) -> PathBuf {
        self.folder.path().join("s")
    }

    /// Returns the URL of the server.
    pub(crate) fn url(&self) -> String {
        format!("unix://{}", self.socket().display())
    }
}

impl Drop for ServerProcess {
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
