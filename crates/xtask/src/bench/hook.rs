//! The answer to a hook event, compared with an empty program.

use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::json;

use super::teams::Team;

const ROUNDS: usize = 1_000;
const MEMBERS: usize = 20;
/// The maximum time of one answer, which the user waits for before each tool call.
const MAX_TIME: Duration = Duration::from_millis(5);

/// Measures `minds hook` and an empty program in alternating runs, each call with one event on stdin.
pub(super) fn run(minds: &Path, empty: &Path, folder: &Path) {
    let (workspace, _) = Team::EqualLists.write(MEMBERS, folder);
    println!("hooks, team of {MEMBERS}, {ROUNDS} alternating runs");
    let file = json!({ "file_path": "src/part-1/a.rs", "content": "x".repeat(4096) });
    let command =
        json!({ "command": "cd src && grep -rn x part-1 | head -n 5 && cat part-1/a.rs > part-1/b.rs" });
    for (title, member, tool, input) in [
        ("one member, a file", "member-1", "Write", &file),
        ("all members, a file", "", "Write", &file),
        ("all members, a command", "", "Bash", &command),
    ] {
        let event = json!({
            "hook_event_name": "PreToolUse", "cwd": workspace, "agent_type": member, "tool_name": tool, "tool_input": input,
        });
        let event = event.to_string();
        let time = |program: &Path, args: &[&str]| {
            let mut command = Command::new(program);
            command.args(args).current_dir(&workspace).stdout(Stdio::null()).stderr(Stdio::null());
            command.stdin(Stdio::piped());
            let start = Instant::now();
            let mut child = command.spawn().expect("the program starts");
            // The empty program ends without reading.
            let _ = child.stdin.take().expect("it is piped").write_all(event.as_bytes());
            child.wait().expect("the program ends");
            start.elapsed()
        };
        let (mut ours, mut base): (Vec<Duration>, Vec<Duration>) =
            (0..ROUNDS).map(|_| (time(minds, &["hook", "claude-code"]), time(empty, &[]))).unzip();
        ours.sort_unstable();
        base.sort_unstable();
        let (median, slowest) = (ours[ROUNDS / 2], ours[ROUNDS * 99 / 100]);
        let ratio = median.as_secs_f64() / base[ROUNDS / 2].as_secs_f64();
        let is_late = if slowest > MAX_TIME { ", too slow" } else { "" };
        println!(
            "{title:24} {:6.2} ms  {ratio:5.2} x empty  99% within {:.2} ms{is_late}",
            median.as_secs_f64() * 1e3,
            slowest.as_secs_f64() * 1e3,
        );
    }
}
