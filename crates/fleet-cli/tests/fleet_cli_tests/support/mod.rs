//! A workspace with a fleet, in which the program runs.

pub(crate) mod fake_agent;
#[path = "../../../../mcp-gateway/tests/mcp_gateway_tests/gateway/server.rs"]
pub(crate) mod mcp_server;
pub(crate) mod provider;
#[path = "../../../../fleet-bus/tests/fleet_bus_tests/redis/process.rs"]
pub(crate) mod redis_server;
pub(crate) mod schemas;
#[path = "../../../../cli/tests/cli_tests/support/terminal.rs"]
pub(crate) mod terminal;
pub(crate) mod tool_agent;

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::Value;
use tempfile::TempDir;

/// The fleet id of all workspaces of the tests, which have different runtime folders.
pub(crate) const FLEET: &str = "tests";

/// A workspace, and a home for the files outside of it. Its agents are stopped at the end.
pub(crate) struct World {
    folder: TempDir,
    /// The URL of the server of Redis, if the fleet uses one.
    redis: Option<String>,
}

/// How a run of the program ended.
pub(crate) struct Ran {
    pub(crate) code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl World {
    /// Makes a workspace without a fleet.
    pub(crate) fn empty() -> Self {
        let world = Self { folder: tempfile::tempdir().unwrap(), redis: None };
        fs::create_dir_all(world.workspace()).unwrap();
        fs::create_dir_all(world.home()).unwrap();
        world
    }

    /// Makes a fleet with these agents, whose model answers with these lines.
    pub(crate) fn new(agents: &[&str], script: &[&str]) -> Self {
        let world = Self::empty();
        world.write(".ateam/project.yaml", "name: shop\n");
        let model =
            "{provider: scripted, context_window_size: 8000, model_settings: {script: .ateam/answers.jsonl}}";
        world.write(".ateam/models.yaml", &format!("models:\n  small: {model}\n"));
        world.write(".ateam/answers.jsonl", &format!("{}\n", script.join("\n")));
        for name in agents {
            let folder = format!(".ateam/agents/{name}");
            world.write(
                &format!("{folder}/agent.yaml"),
                &format!("name: {name}\nmodel: small\nprompt: {{base: system_base.md}}\n"),
            );
            world.write(&format!("{folder}/system_base.md"), "You answer.\n");
        }
        world
    }

    /// Makes a fleet like [`World::new`] that uses a server of Redis.
    pub(crate) fn on_redis(url: String, agents: &[&str], script: &[&str]) -> Self {
        let mut world = Self::new(agents, script);
        world.redis = Some(url);
        world
    }

    pub(crate) fn workspace(&self) -> PathBuf {
        self.folder.path().join("work")
    }

    pub(crate) fn home(&self) -> PathBuf {
        self.folder.path().join("home")
    }

    pub(crate) fn write(&self, path: &str, text: &str) {
        let path = self.workspace().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    /// Returns the program with these arguments, in the workspace.
    pub(crate) fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_minds-fleet"));
        command.args(args).current_dir(self.workspace()).stdin(Stdio::null());
        command.env("MINDS_HOME", self.home()).env("HOME", self.home()).env("MINDS_FLEET", FLEET);
        for name in ["XDG_RUNTIME_DIR", "ATEAM_REDIS_URL", "ATEAM_BOOTSTRAP_TOKEN", "ATEAM_DEBUG_TAIL"] {
            command.env_remove(name);
        }
        command.envs(self.redis.as_ref().map(|url| ("ATEAM_REDIS_URL", url)));
        command
    }

    /// Runs the program.
    pub(crate) fn run(&self, args: &[&str]) -> Ran {
        ran(&self.command(args).output().expect("the program starts"))
    }

    /// Runs the program with an input.
    pub(crate) fn run_with_input(&self, args: &[&str], input: &str) -> Ran {
        let mut command = self.command(args);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
        ran(&child.wait_with_output().unwrap())
    }

    /// Runs the program, which succeeds, and returns its output.
    #[track_caller]
    pub(crate) fn succeed(&self, args: &[&str]) -> String {
        let ran = self.run(args);
        assert_eq!(ran.code, 0, "{args:?}: {}{}", ran.stdout, ran.stderr);
        ran.stdout
    }

    /// Runs the program with `--json`, which ends with this code, and returns its document.
    #[track_caller]
    pub(crate) fn document(&self, args: &[&str], code: i32) -> Value {
        let ran = self.run(&[&["--json"], args].concat());
        assert_eq!(ran.code, code, "{args:?}: {}{}", ran.stdout, ran.stderr);
        assert_eq!(ran.stdout.lines().count(), 1, "{args:?}: {}", ran.stdout);
        let document: Value = serde_json::from_str(&ran.stdout).expect("stdout is one document");
        assert_eq!(document["version"], 1, "{args:?}");
        let verb = args.iter().find(|arg| !arg.starts_with('-')).copied().unwrap_or_default();
        schemas::assert_has_schema(verb, &document);
        document
    }
}

impl Drop for World {
    fn drop(&mut self) {
        let listed = self.run(&["ps", "--json"]).stdout;
        let _ = self.run(&["down"]);
        let listed: Value = serde_json::from_str(&listed).unwrap_or_default();
        let listed = listed["agents"].as_array().into_iter().flatten();
        let listed = listed.filter_map(|agent| u32::try_from(agent["pid"].as_u64()?).ok());
        // Agents whose server has ended are not listed any more.
        for pid in listed.chain(processes_below(self.folder.path())) {
            // Agents of the tests have the process id of the tests.
            if pid != std::process::id() {
                let mut kill = Command::new("kill");
                let _ = kill.args(["-KILL", &pid.to_string()]).stderr(Stdio::null()).status();
            }
        }
    }
}

/// Returns the processes that work in a folder or below it, where the system shows them.
fn processes_below(folder: &Path) -> Vec<u32> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    let works_below = |path: &Path| fs::read_link(path.join("cwd")).is_ok_and(|cwd| cwd.starts_with(folder));
    let found = entries.filter(|entry| works_below(&entry.path()));
    found.filter_map(|entry| entry.file_name().to_str()?.parse().ok()).collect()
}

/// Returns how a process ended.
pub(crate) fn ran(output: &Output) -> Ran {
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).expect("the program prints UTF-8");
    Ran {
        code: output.status.code().expect("it ends by itself"),
        stdout: text(&output.stdout),
        stderr: text(&output.stderr),
    }
}

/// Returns the names of the members of an object, in order.
pub(crate) fn members(value: &Value) -> Vec<&str> {
    value.as_object().expect("an object").keys().map(String::as_str).collect()
}

/// Returns whether a directory exists.
pub(crate) fn exists(path: &Path) -> bool {
    path.exists()
}
