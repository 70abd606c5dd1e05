//! A fleet with one agent in folders of its own, and the programs that its processes find.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tempfile::TempDir;

use super::Programs;
use super::model::Model;
use crate::mcp::processes::with_variable;

/// The time for a command, and for what a check waits for; it only ends those that would wait forever.
const LIMIT: Duration = Duration::from_mins(1);
const TICK: Duration = Duration::from_millis(20);
/// The agent, and its id.
pub(super) const AGENT: &str = "zeus";
pub(super) const AGENT_ID: &str = "shop/zeus";
/// The variables of opencode that keep it from other machines: no update, no download, and a proxy that refuses.
const VARIABLES: [&str; 9] = [
    "HTTPS_PROXY",
    "HTTP_PROXY",
    "NO_PROXY",
    "OPENCODE_DISABLE_AUTOUPDATE",
    "OPENCODE_DISABLE_LSP_DOWNLOAD",
    "OPENCODE_DISABLE_MODELS_FETCH",
    "http_proxy",
    "https_proxy",
    // Packages are not found, and so not asked for again.
    "npm_config_registry",
];

/// What a fleet is about.
#[derive(Clone, Copy, Debug)]
pub(super) struct Setup<'s> {
    /// The value of `engine`.
    pub(super) engine: &'s str,
    /// Further lines of `agent.yaml`.
    pub(super) keys: &'s str,
    /// Whether opencode may write its folders because the agent says so.
    pub(super) writes_home: bool,
}

/// A fleet. Its processes are killed at the end.
pub(super) struct Place<'p> {
    programs: &'p Programs,
    pub(super) model: Model,
    folder: TempDir,
    /// The folder with the packages of the engine.
    packages: PathBuf,
}

/// How a command ended.
pub(super) struct Ran {
    pub(super) is_success: bool,
    pub(super) stdout: String,
    pub(super) stderr: String,
}

impl<'p> Place<'p> {
    pub(super) fn new(programs: &'p Programs, setup: Setup<'_>) -> Result<Self, String> {
        Self::with_packages(programs, programs.opencode.folder(), setup)
    }

    /// Creates a fleet whose engine is in another folder of packages.
    pub(super) fn with_packages(
        programs: &'p Programs,
        packages: &Path,
        setup: Setup<'_>,
    ) -> Result<Self, String> {
        let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
        let place = Self { programs, model: Model::start()?, folder, packages: packages.to_owned() };
        for folder in [place.workspace(), place.outside(), place.temporary()] {
            make(&folder)?;
        }
        for folder in opencode_folders() {
            make(&place.home().join(folder))?;
        }
        place.write_settings()?;
        place.write(".ateam/project.yaml", "name: shop\n")?;
        place.write(".ateam/agents/zeus/base.md", "You help.\n")?;
        place.write_agent(setup)?;
        Ok(place)
    }

    pub(super) fn workspace(&self) -> PathBuf {
        self.folder.path().join("work")
    }

    pub(super) fn home(&self) -> PathBuf {
        self.folder.path().join("home")
    }

    /// Returns the names in the home directory.
    pub(super) fn home_names(&self) -> Vec<String> {
        let entries = std::fs::read_dir(self.home()).into_iter().flatten();
        entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok()).collect()
    }

    /// Returns a folder that no sandbox gives.
    pub(super) fn outside(&self) -> PathBuf {
        self.folder.path().join("outside")
    }

    fn temporary(&self) -> PathBuf {
        self.folder.path().join("tmp")
    }

    /// Writes a file of the workspace.
    pub(super) fn write(&self, path: &str, text: &str) -> Result<(), String> {
        write(&self.workspace().join(path), text)
    }

    /// Writes the settings of opencode: its only model is the scripted one.
    fn write_settings(&self) -> Result<(), String> {
        let model = json!({ "name": "scripted", "tool_call": true, "limit": { "context": 100_000_000, "output": 1_000 } });
        let provider = json!({
            "npm": "@ai-sdk/openai-compatible",
            "name": "scripted",
            "options": { "baseURL": format!("http://{}/v1", self.model.address()), "apiKey": "none" },
            "models": { "scripted": model },
        });
        let settings = json!({
            "provider": { "scripted": provider },
            "enabled_providers": ["scripted"],
            "model": "scripted/scripted",
            "small_model": "scripted/scripted",
            "share": "disabled",
            "autoupdate": false,
            "snapshot": false,
            "lsp": false,
            "formatter": false,
        });
        write(&self.home().join(".config/opencode/opencode.json"), &settings.to_string())
    }

    pub(super) fn write_agent(&self, setup: Setup<'_>) -> Result<(), String> {
        let read = json!([self.packages]);
        let folders: Vec<PathBuf> = opencode_folders().map(|folder| self.home().join(folder)).collect();
        let write = json!(if setup.writes_home { folders } else { Vec::new() });
        let (engine, keys) = (setup.engine, setup.keys);
        let file = format!(
            "name: zeus\nengine: {engine}\nprompt: {{base: base.md}}\n\
             exec: {{read: {read}, write: {write}, env: {env}}}\n{keys}",
            env = json!(VARIABLES)
        );
        self.write(".ateam/agents/zeus/agent.yaml", &file)
    }

    /// Returns a program of the packages with the environment of the place, in the workspace.
    pub(super) fn program(&self, program: &Path) -> Command {
        let proxy = format!("http://{}", self.model.address());
        let path = std::env::var("PATH").unwrap_or_default();
        let bin = self.packages.join("node_modules/.bin");
        let mut command = Command::new(program);
        command
            .env_clear()
            .env("PATH", format!("{}:{path}", bin.display()))
            .env("HOME", self.home())
            .env("MINDS_HOME", self.folder.path().join("data"))
            .env("MINDS_FLEET", "check")
            .env("TMPDIR", self.temporary())
            .env("LANG", "C.UTF-8")
            .env("TERM", "dumb")
            .current_dir(self.workspace())
            .stdin(Stdio::null());
        for name in VARIABLES {
            let value = match name {
                "NO_PROXY" => "127.0.0.1,localhost",
                name if name.starts_with("OPENCODE") => "1",
                _ => &proxy,
            };
            command.env(name, value);
        }
        command
    }

    /// Runs `minds-fleet`.
    pub(super) fn run(&self, args: &[&str]) -> Result<Ran, String> {
        let mut command = self.program(&self.programs.fleet);
        command.args(args);
        run(command)
    }

    /// Runs `minds-fleet`, which must succeed.
    pub(super) fn succeed(&self, args: &[&str]) -> Result<String, String> {
        let ran = self.run(args)?;
        let failed = || format!("minds-fleet {} fails: {}{}", args.join(" "), ran.stdout, ran.stderr);
        if ran.is_success { Ok(ran.stdout) } else { Err(failed()) }
    }

    /// Runs `minds-fleet --json`, and returns its document.
    pub(super) fn document(&self, args: &[&str]) -> Result<Value, String> {
        let ran = self.run(&[&["--json"], args].concat())?;
        serde_json::from_str(&ran.stdout)
            .map_err(|error| format!("minds-fleet {}: {error}: {}{}", args.join(" "), ran.stdout, ran.stderr))
    }

    /// Runs a command of `minds-fleet` on a terminal at which a person says yes.
    pub(super) fn confirm(&self, args: &[&str]) -> Result<Ran, String> {
        let line = format!("'{}' {}", self.programs.fleet.display(), args.join(" "));
        let mut command = self.program(Path::new("sh"));
        command.args(["-c", r#"echo y | script --quiet --return --command "$1" /dev/null"#, "sh", &line]);
        run(command)
    }

    pub(super) fn start(&self) -> Result<(), String> {
        self.succeed(&["up", AGENT, "--accept"]).map(drop)
    }

    /// Lets the agent work on a prompt until its end, and returns the answer and the reason of the end.
    pub(super) fn send(&self, prompt: &str) -> Result<(String, String), String> {
        let document = self.document(&["send", AGENT, "--wait", "--timeout", "50", prompt])?;
        let (text, reason) = (document["text"].as_str(), document["reason"].as_str());
        let (Some(text), Some(reason)) = (text, reason) else {
            return Err(format!("`{prompt}` is not performed: {document}\n{}", self.describe()));
        };
        Ok((text.to_owned(), reason.to_owned()))
    }

    /// Lets the agent work on a prompt, which must end in order, and returns the answer.
    pub(super) fn perform(&self, prompt: &str) -> Result<String, String> {
        let (text, reason) = self.send(prompt)?;
        if reason == "done" {
            Ok(text)
        } else {
            Err(format!("`{prompt}` ends with {reason}\n{}", self.describe()))
        }
    }

    /// Gives the agent a prompt, and waits until the model has begun to answer with some text.
    pub(super) fn begin(&self, prompt: &str, text: &str) -> Result<String, String> {
        let document = self.document(&["send", AGENT, prompt])?;
        let item = document["qid"].as_str().ok_or_else(|| format!("not queued: {document}"))?.to_owned();
        // The parts of the text are joined there.
        let has_begun = || self.run(&["tail", AGENT]).is_ok_and(|ran| ran.stdout.contains(text));
        self.wait(&format!("the text `{text}`"), || has_begun().then_some(()))?;
        Ok(item)
    }

    /// Returns the frames of the agent, one in each line.
    pub(super) fn frames(&self) -> String {
        self.run(&["tail", AGENT, "--json"]).map(|ran| ran.stdout).unwrap_or_default()
    }

    /// Returns the state of an item; none if it is done.
    pub(super) fn item_state(&self, item: &str) -> Result<Option<String>, String> {
        let queue = self.document(&["queue", AGENT])?;
        let items = queue["items"].as_array().ok_or_else(|| format!("no queue: {queue}"))?;
        let found = items.iter().find(|known| known["qid"] == item);
        Ok(found.and_then(|item| item["state"].as_str()).map(str::to_owned))
    }

    /// Returns the process of the agent.
    pub(super) fn pid(&self) -> Result<u32, String> {
        let listed = self.document(&["ps"])?;
        let pid = listed["agents"][0]["pid"].as_u64().and_then(|pid| pid.try_into().ok());
        pid.ok_or_else(|| format!("the agent is not listed: {listed}"))
    }

    /// Returns the processes of opencode and what it started.
    pub(super) fn engines(&self) -> Vec<u32> {
        let mut pids = with_variable("HOME", &self.home());
        pids.retain(|pid| {
            let command = std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
            !String::from_utf8_lossy(&command).contains(AGENT_ID)
        });
        pids
    }

    /// Waits until something is found.
    pub(super) fn wait<T>(&self, what: &str, mut find: impl FnMut() -> Option<T>) -> Result<T, String> {
        let end = Instant::now() + LIMIT;
        while Instant::now() < end {
            if let Some(found) = find() {
                return Ok(found);
            }
            std::thread::sleep(TICK);
        }
        Err(format!("{what}: not within {LIMIT:?}\n{}", self.describe()))
    }

    /// Returns the last frames, to show if something is wrong.
    pub(super) fn describe(&self) -> String {
        let frames = self.run(&["tail", AGENT]).map(|ran| ran.stdout).unwrap_or_default();
        let lines: Vec<&str> = frames.lines().collect();
        lines.get(lines.len().saturating_sub(25)..).unwrap_or_default().join("\n")
    }

    /// Runs a session with the client library of the protocol, and returns what happened. `agent` is the program that it starts.
    pub(super) fn session(&self, agent: &Command, request: &Value) -> Result<Value, String> {
        let mut request = request.clone();
        request["command"] = json!(agent.get_program().to_string_lossy());
        request["args"] = agent.get_args().map(|arg| arg.to_string_lossy().into_owned()).collect();
        request["cwd"] = json!(self.workspace());
        let mut command = self.program(Path::new("node"));
        command.arg(&self.programs.client).arg(request.to_string());
        let ran = run(command)?;
        let found: Value = serde_json::from_str(&ran.stdout)
            .map_err(|error| format!("the client: {error}: {}{}", ran.stdout, ran.stderr))?;
        if found["error"].is_null() { Ok(found) } else { Err(format!("the client: {found}\n{}", ran.stderr)) }
    }

    /// Returns the command that serves the agent to a client of the protocol.
    pub(super) fn server(&self) -> Command {
        let mut command = Command::new(&self.programs.fleet);
        command.args(["acp", AGENT]);
        command
    }

    /// Ends the agent in order; fails if a process is left.
    pub(super) fn stop(&self) -> Result<(), String> {
        self.succeed(&["down", AGENT])?;
        self.wait("the end of all processes", || with_variable("HOME", &self.home()).is_empty().then_some(()))
    }
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        for pid in with_variable("HOME", &self.home()) {
            kill(pid);
        }
    }
}

/// The folders below the home directory that opencode makes at its first start.
fn opencode_folders() -> impl Iterator<Item = &'static str> {
    [".config/opencode", ".local/share/opencode", ".local/state/opencode", ".cache/opencode"].into_iter()
}

/// Kills a process.
pub(super) fn kill(pid: u32) {
    // It may have ended meanwhile.
    let _ = Command::new("kill").args(["-KILL", &pid.to_string()]).stderr(Stdio::null()).status();
}

/// Runs a program until its end.
fn run(mut command: Command) -> Result<Ran, String> {
    let shown = command.get_program().display().to_string();
    let mut child = command
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|error| format!("{shown}: {error}"))?;
    let stdout = child.stdout.take().map(read_all);
    let stderr = child.stderr.take().map(read_all);
    let end = Instant::now() + LIMIT;
    let status = loop {
        match child.try_wait().map_err(|error| error.to_string())? {
            Some(status) => break Some(status),
            None if Instant::now() > end => break None,
            None => std::thread::sleep(TICK),
        }
    };
    if status.is_none() {
        let _ = child.kill();
        let _ = child.wait();
    }
    let [stdout, stderr] =
        [stdout, stderr].map(|thread| thread.and_then(|thread| thread.join().ok()).unwrap_or_default());
    let Some(status) = status else { return Err(format!("{shown} does not end: {stdout}{stderr}")) };
    Ok(Ran { is_success: status.success(), stdout, stderr })
}

fn read_all(mut pipe: impl std::io::Read + Send + 'static) -> std::thread::JoinHandle<String> {
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        let _ = pipe.read_to_end(&mut bytes);
        String::from_utf8_lossy(&bytes).into_owned()
    })
}

fn make(folder: &Path) -> Result<(), String> {
    std::fs::create_dir_all(folder).map_err(|error| format!("{}: {error}", folder.display()))
}

fn write(path: &Path, text: &str) -> Result<(), String> {
    make(path.parent().unwrap_or(path))?;
    std::fs::write(path, text).map_err(|error| format!("{}: {error}", path.display()))
}
