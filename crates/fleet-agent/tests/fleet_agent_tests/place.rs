//! A workspace with one agent, and the process of the agent.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use minds_exec::SupervisorProgram;
use minds_fleet_agent::{ConfiguredAgent, FirstStart, OwnPrograms, RelayProgram, run};
use minds_fleet_bus::{Bus as _, LocalBus};
use minds_fleet_protocol::{AgentId, ErrorCode, Presence};
use minds_operations::{FleetOptions, open_fleet};
use serde_json::Value;
use tempfile::TempDir;

use crate::client::{Client, now};
use crate::tools::TestTools;

/// The variable with the folder of the place.
pub(crate) const FOLDER: &str = "MINDS_TEST_AGENT";
/// The variable that lets the process accept the files of the agent instead.
const ACCEPT: &str = "MINDS_TEST_ACCEPT";
/// The argument of the supervisor of programs.
pub(crate) const SUPERVISOR: &str = "is-supervisor";
/// The argument of the relay, before the folder.
pub(crate) const RELAY: &str = "is-relay";
/// The longest time for something that happens at once.
pub(crate) const TIME: Duration = Duration::from_mins(1);

/// A workspace with the agent `app/zeus`.
pub(crate) struct Place {
    folder: TempDir,
}

impl Place {
    /// Creates a workspace whose model answers with these lines.
    pub(crate) fn new(script: &[Value]) -> Self {
        Self::with_window(script, 100_000)
    }

    /// Creates a workspace whose model has a context window of this size, in tokens.
    pub(crate) fn with_window(script: &[Value], window: u64) -> Self {
        let place = Self { folder: tempfile::tempdir().unwrap() };
        place.write("ws/.ateam/project.yaml", "name: app\n");
        let models = format!(
            "models:\n  m: {{provider: scripted, context_window_size: {window}, model_settings: {{script: .ateam/script.jsonl}}}}\n"
        );
        place.write("ws/.ateam/models.yaml", &models);
        place.write("ws/.ateam/tools.yaml", "redact: ['hunter[0-9]+']\n");
        place.write(
            "ws/.ateam/agents/zeus/agent.yaml",
            "name: zeus\nmodel: m\nprompt: {base: system_base.md}\n",
        );
        place.write("ws/.ateam/agents/zeus/system_base.md", "You help.\n");
        place.set_script(script);
        place
    }

    pub(crate) fn set_script(&self, script: &[Value]) {
        let lines: Vec<String> = script.iter().map(Value::to_string).collect();
        self.write("ws/.ateam/script.jsonl", &(lines.join("\n") + "\n"));
    }

    pub(crate) fn path(&self, path: &str) -> PathBuf {
        self.folder.path().join(path)
    }

    pub(crate) fn write(&self, path: &str, text: &str) {
        let path = self.path(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    /// Returns the lines of a file in the state folder of the agent.
    pub(crate) fn lines(&self, name: &str) -> Vec<Value> {
        let path = self.path("ws/.ateam/agents/zeus/state").join(name);
        let text = std::fs::read_to_string(path).unwrap_or_default();
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    /// Returns the effects that tools have had.
    pub(crate) fn effects(&self) -> Vec<String> {
        let text = std::fs::read_to_string(self.path("effects")).unwrap_or_default();
        text.lines().map(str::to_owned).collect()
    }

    pub(crate) fn bus(&self) -> LocalBus {
        bus(self.folder.path())
    }

    pub(crate) fn command(&self) -> Command {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.args(["--exact", "agent", "--nocapture", "--quiet"]).env(FOLDER, self.folder.path());
        // The folder of the accepted policy.
        command.env("MINDS_HOME", self.path("home"));
        command.env("MINDS_TEST_SECRET", "swordfish");
        // The programs of a test come first.
        let path = std::env::var("PATH").unwrap_or_default();
        command.env("PATH", format!("{}:{path}", self.path("bin").display()));
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    /// Starts the agent, and waits until it answers.
    pub(crate) fn start(&self) -> Agent {
        let process = self.command().spawn().unwrap();
        let mut agent = Agent { process };
        eventually("the agent runs", || {
            let has_ended = agent.process.try_wait().unwrap().is_some();
            assert!(!has_ended, "the agent has ended: {:?}", agent.read_stderr());
            let listed = self.bus().list(now()).unwrap();
            listed.first().filter(|one| one.presence == Presence::Alive)?;
            Client::connect(&self.bus()).ok()?.status().ok()
        });
        agent
    }

    /// Accepts what the files of the agent permit, as a person would.
    pub(crate) fn accept(&self) {
        let output = self.command().env(ACCEPT, "1").output().unwrap();
        assert!(output.status.success(), "{output:?}");
    }

    /// Connects a client that owns the agent.
    pub(crate) fn owner(&self) -> Client {
        let mut client = Client::connect(&self.bus()).unwrap();
        client.claim();
        client
    }
}

pub(crate) fn id() -> AgentId {
    AgentId::parse("app/zeus").unwrap()
}

fn bus(folder: &Path) -> LocalBus {
    let runtime = folder.join("run");
    LocalBus::at(runtime, "test").unwrap()
}

fn own_programs() -> OwnPrograms {
    let program = std::env::current_exe().unwrap();
    let args = |name: &str, skip: &[&str]| {
        let words = ["--exact", name, "--nocapture", "--quiet", "--skip"].into_iter();
        words.chain(skip.iter().copied()).map(Into::into).collect()
    };
    OwnPrograms {
        supervisor: SupervisorProgram { program: program.clone(), args: args("supervisor", &[SUPERVISOR]) },
        relay: RelayProgram { program, args: args("relay", &[RELAY, "--skip"]) },
    }
}

/// Runs the agent of a place, and exits.
pub(crate) fn run_agent(folder: &Path) -> ! {
    let configured = ConfiguredAgent {
        base: folder.join("ws"),
        name: "zeus".to_owned(),
        project: None,
        is_of_compose_root: false,
        cwd: None,
        model: None,
        programs: own_programs(),
    };
    if std::env::var_os(ACCEPT).is_some() {
        let fleet = open_fleet(&configured.base, &FleetOptions::default()).unwrap();
        configured.review(&fleet).unwrap().accept().unwrap();
        std::process::exit(0);
    }
    let tools = TestTools { effects: folder.join("effects") };
    let code = match run(&bus(folder), &configured, Box::new(tools), FirstStart::default()) {
        Ok(()) => 0,
        Err(failure) => {
            eprintln!("{}", failure.message);
            i32::from(failure.code().map_or(1, ErrorCode::exit_code))
        }
    };
    std::process::exit(code)
}

/// A running agent, which is killed with this value.
pub(crate) struct Agent {
    process: Child,
}

impl Agent {
    pub(crate) fn kill(&mut self) {
        self.process.kill().unwrap();
        self.wait();
    }

    pub(crate) fn wait(&mut self) {
        self.process.wait().unwrap();
    }

    pub(crate) fn id(&self) -> u32 {
        self.process.id()
    }

    pub(crate) fn signal(&self, name: &str) {
        let id = self.process.id().to_string();
        assert!(Command::new("kill").args([&format!("-{name}"), &id]).status().unwrap().success());
    }

    /// Waits for the end, and returns the exit code and what it wrote to stderr.
    pub(crate) fn end(mut self) -> (Option<i32>, String) {
        eventually("the end of the agent", || self.process.try_wait().unwrap().map(|_| ()));
        (self.process.wait().unwrap().code(), self.read_stderr())
    }

    fn read_stderr(&mut self) -> String {
        let mut stderr = String::new();
        std::io::Read::read_to_string(&mut self.process.stderr.take().unwrap(), &mut stderr).unwrap();
        stderr
    }
}

impl Drop for Agent {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Waits until a condition holds, and returns its value.
#[track_caller]
pub(crate) fn eventually<T>(what: &str, mut find: impl FnMut() -> Option<T>) -> T {
    let start = Instant::now();
    loop {
        if let Some(found) = find() {
            return found;
        }
        assert!(start.elapsed() < TIME, "{what}: it took too long");
        std::thread::yield_now();
    }
}
