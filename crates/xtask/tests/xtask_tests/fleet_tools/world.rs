//! A workspace with a team and a fleet, and both programs in a folder of their own.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use tempfile::TempDir;

use super::client::Client;

/// The team: one member has the toolset, one has all toolsets of `*`, one has one tool of it, one has nothing.
const TEAM: &str = "{lead: {toolsets: [ws_read, fleet]}, coder: {toolsets: ['*']}, reader: {tools: [fleet_list]}, stranger: {}}";
/// An answer that takes long, because its characters are written one by one.
const SLOW_TEXT: &str = "0123456789012345678901234567890123456789";
/// The time for anything that is waited for. It only ends tests that would wait forever.
const PATIENCE: Duration = Duration::from_mins(1);

/// A folder with everything. The agents are stopped at the end.
pub(super) struct World {
    folder: TempDir,
}

impl World {
    /// Makes a workspace without a fleet.
    pub(super) fn empty() -> Self {
        let world = Self { folder: tempfile::tempdir().unwrap() };
        for name in ["bin", "spare", "home", "ws/.git", "ws/.minds"] {
            fs::create_dir_all(world.path(name)).unwrap();
        }
        world.team(TEAM);
        // By these names, the program of this package is the other ones.
        let program = Path::new(env!("CARGO_BIN_EXE_xtask"));
        for name in ["minds", "minds-fleet"] {
            let target = world.path("bin").join(name);
            if fs::hard_link(program, &target).is_err() {
                fs::copy(program, &target).unwrap();
            }
        }
        world
    }

    /// Makes a workspace with an agent, whose model answers from a script.
    pub(super) fn with_fleet() -> Self {
        let world = Self::empty();
        world.add_fleet();
        world
    }

    /// Adds the fleet.
    pub(super) fn add_fleet(&self) {
        let slow = format!(r#"{{"when":"slow","text":"{SLOW_TEXT}","chunk":1,"delay_ms":500}}"#);
        let answers = [
            r#"{"when":"one","text":"The first answer"}"#,
            r#"{"when":"two","text":"The second answer"}"#,
            slow.as_str(),
        ];
        self.write("ws/.ateam/answers.jsonl", &format!("{}\n", answers.join("\n")));
        let model =
            "{provider: scripted, context_window_size: 8000, model_settings: {script: .ateam/answers.jsonl}}";
        self.write("ws/.ateam/project.yaml", "name: shop\n");
        self.write("ws/.ateam/models.yaml", &format!("models:\n  small: {model}\n"));
        let agent = "name: zeus\nmodel: small\nprompt: {base: system_base.md}\n";
        self.write("ws/.ateam/agents/zeus/agent.yaml", agent);
        self.write("ws/.ateam/agents/zeus/system_base.md", "You answer.\n");
    }

    /// Takes the program of the fleet away.
    pub(super) fn uninstall(&self) {
        fs::rename(self.path("bin/minds-fleet"), self.path("spare/minds-fleet")).unwrap();
    }

    /// Brings the program of the fleet back.
    pub(super) fn install(&self) {
        fs::rename(self.path("spare/minds-fleet"), self.path("bin/minds-fleet")).unwrap();
    }

    pub(super) fn path(&self, path: &str) -> PathBuf {
        self.folder.path().join(path)
    }

    /// Writes a file at once, so that no reader sees a part of it.
    pub(super) fn write(&self, path: &str, text: &str) {
        let path = self.path(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        let new = path.with_extension("new");
        fs::write(&new, text).unwrap();
        fs::rename(new, path).unwrap();
    }

    /// Writes `team.yaml` with these members.
    pub(super) fn team(&self, members: &str) {
        let team = format!("member_defaults: {{provider: codex, model: gpt-5.2}}\nmembers: {members}\n");
        self.write("ws/.minds/team.yaml", &team);
    }

    fn command(&self, program: &str, args: &[&str]) -> Command {
        let mut command = Command::new(self.path("bin").join(program));
        command.args(args).current_dir(self.path("ws"));
        command.env("PATH", "/usr/bin:/bin").env("USER", "alice").env("HOME", self.path("home"));
        command.env("MINDS_HOME", self.path("home/minds")).env("MINDS_FLEET", "tests");
        for name in ["XDG_RUNTIME_DIR", "ATEAM_REDIS_URL", "ATEAM_BOOTSTRAP_TOKEN", "MINDS_MCP_TOKEN"] {
            command.env_remove(name);
        }
        command
    }

    /// Runs a program, and returns its exit code and stdout.
    pub(super) fn run(&self, program: &str, args: &[&str]) -> (i32, String, String) {
        let output = self.command(program, args).output().unwrap();
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
    }

    /// Runs a program, which succeeds, and returns its stdout.
    #[track_caller]
    pub(super) fn succeed(&self, program: &str, args: &[&str]) -> String {
        let (code, stdout, stderr) = self.run(program, args);
        assert_eq!(code, 0, "{program} {args:?}: {stdout}{stderr}");
        stdout
    }

    /// Starts a server without a handshake.
    pub(super) fn open(&self, args: &[&str]) -> Client {
        Client::open(self.command("minds", args))
    }

    /// Starts a server, and makes the handshake.
    pub(super) fn client(&self, args: &[&str]) -> Client {
        let mut client = self.open(args);
        client.greet();
        client
    }

    /// Returns the queue and the history of the agent.
    pub(super) fn inputs(&self) -> String {
        let mut text = String::new();
        let mut folders = vec![self.path("ws/.ateam/agents/zeus/state")];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
                match entry.path() {
                    path if path.is_dir() => folders.push(path),
                    path => text.push_str(&fs::read_to_string(path).unwrap_or_default()),
                }
            }
        }
        text
    }

    /// Returns the number of processes that serve the toolset.
    pub(super) fn count_servers(&self) -> usize {
        let start = format!("{}\0mcp\0", self.path("bin/minds-fleet").display());
        let entries = fs::read_dir("/proc").unwrap().flatten();
        let lines = entries.filter_map(|entry| fs::read_to_string(entry.path().join("cmdline")).ok());
        lines.filter(|line| line.starts_with(&start)).count()
    }

    /// Waits until this number of processes serves the toolset.
    #[track_caller]
    pub(super) fn wait_for_servers(&self, count: usize) {
        self.eventually("processes", || (self.count_servers() == count).then_some(()));
    }

    /// Waits until `find` finds something.
    #[track_caller]
    #[expect(clippy::unused_self, reason = "it waits for something of this place")]
    pub(super) fn eventually<T>(&self, what: &str, mut find: impl FnMut() -> Option<T>) -> T {
        let end = Instant::now() + PATIENCE;
        loop {
            if let Some(found) = find() {
                return found;
            }
            assert!(Instant::now() < end, "{what}: waited in vain");
            std::thread::yield_now();
        }
    }
}

impl Drop for World {
    fn drop(&mut self) {
        if self.path("bin/minds-fleet").exists() {
            let _ = self.run("minds-fleet", &["down"]);
        }
    }
}
