//! The gateway to the servers of `mcp.yaml`: calls, lists, reloads, starts and memory.

mod anchor;
mod calls;
mod client;
mod lists;
mod server;
mod starts;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use serde_json::{Map, Value, json};

pub use server::BenchServer;

use client::handshake;

const TEAM: &str = "\
member_defaults:
  provider: codex
  model: gpt-5.2
members:
  lead:
    toolsets: ['*']
";

/// Measures the gateway, and prints each figure with its goal. `before` is an older `minds`, whose start is compared.
pub(super) fn run(minds: &Path, folder: &Path, before: Option<&Path>) {
    let folder = folder.join("runtime");
    calls::run(minds, &folder);
    println!();
    lists::run(minds, &folder);
    println!();
    starts::run(minds, &folder, before);
}

/// A workspace whose `mcp.yaml` has servers of the benchmark.
struct Workspace {
    path: PathBuf,
}

impl Workspace {
    /// Creates a workspace without servers.
    fn new(path: &Path) -> Self {
        let _ = std::fs::remove_dir_all(path);
        for folder in [".minds", ".git"] {
            std::fs::create_dir_all(path.join(folder)).expect("the folder can be made");
        }
        std::fs::write(path.join(".minds/team.yaml"), TEAM).expect("the file can be written");
        Self { path: path.to_owned() }
    }

    /// Writes `mcp.yaml` with servers that are started with these arguments.
    fn write(&self, servers: &[(String, Vec<String>)]) {
        let entry = |(name, arguments): &(String, Vec<String>)| {
            let (program, arguments) = arguments.split_first().expect("there is a program");
            (name.clone(), json!({ "transport": "stdio", "command": program, "args": arguments }))
        };
        let servers: Map<String, Value> = servers.iter().map(entry).collect();
        let (file, new) = (self.path.join(".minds/mcp.yaml"), self.path.join(".minds/mcp.new"));
        // JSON is YAML. The file is replaced at once, as editors do.
        let content = json!({ "version": 1, "servers": servers }).to_string();
        std::fs::write(&new, content).expect("the file can be written");
        std::fs::rename(new, file).expect("the file can be replaced");
    }

    /// Returns the command `minds mcp` for the member that has all tools.
    fn serve(&self, minds: &Path, arguments: &[&str]) -> Command {
        let mut command = Command::new(minds);
        command.args(["mcp", "--member", "lead", "--root"]).arg(&self.path).args(arguments);
        command.env("MINDS_HOME", self.path.join(".git/home")).env_remove("MINDS_MCP_TOKEN");
        command
    }
}

/// Returns the command for a server of the benchmark.
fn server(arguments: &[&str]) -> Vec<String> {
    let program = std::env::current_exe().expect("the path of the program is known");
    let program = [program.display().to_string(), "bench-server".to_owned()];
    program.into_iter().chain(arguments.iter().map(|argument| (*argument).to_owned())).collect()
}

fn command(words: &[String]) -> Command {
    let (program, arguments) = words.split_first().expect("there is a program");
    let mut command = Command::new(program);
    command.args(arguments);
    command
}

/// Returns the parameters of a call.
fn call_params(tool: &str) -> String {
    format!("{{\"name\":\"{tool}\",\"arguments\":{{\"text\":\"hello\"}}}}")
}

/// Returns the given quantile of the times, in microseconds.
fn quantile(times: &mut [Duration], part: f64) -> f64 {
    times.sort_unstable();
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it is an index")]
    let index = (times.len() as f64 * part) as usize;
    times[index.min(times.len() - 1)].as_secs_f64() * 1e6
}

/// Returns the process ids below a process, with their arguments.
fn descendants(root: u32) -> Vec<(u32, Vec<String>)> {
    let mut found = Vec::new();
    let Ok(tasks) = std::fs::read_dir(format!("/proc/{root}/task")) else { return found };
    for task in tasks.flatten() {
        let children = std::fs::read_to_string(task.path().join("children")).unwrap_or_default();
        for pid in children.split_whitespace().filter_map(|pid| pid.parse().ok()) {
            let arguments = std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
            let text = |part: &[u8]| String::from_utf8_lossy(part).into_owned();
            found.push((pid, arguments.split(|byte| *byte == 0).map(text).collect()));
            found.extend(descendants(pid));
        }
    }
    found
}
