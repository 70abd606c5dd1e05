//! The MCP server compared with the reference server for files: startup time and read time.

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::mcp::Workspace;
use crate::mcp::node::Node;

const PEER: (&str, &str) = ("@modelcontextprotocol/server-filesystem", "2026.8.31");
/// The number of starts of each server.
const STARTS: usize = 21;
/// The number of timed reads, after some untimed ones.
const READS: usize = 3_000;
const WARMING: usize = 300;
/// The size of the file in bytes.
const SIZE: usize = 4096;

/// Compares both servers over pipes in alternating turns; prints one line if Node is not available.
pub(super) fn run(minds: &Path, folder: &Path) {
    let node = match Node::install(&folder.join("mcp"), &[PEER]) {
        Ok(node) => node,
        Err(reason) => {
            println!("the comparison with the reference server for files is skipped: {reason}");
            return;
        }
    };
    let workspace = Workspace::new(&folder.join("mcp-workspace"));
    let text = "0123456789abcde\n".repeat(SIZE / 16);
    let file = workspace.path().join("file.txt");
    std::fs::write(&file, &text).expect("the file can be written");
    let ours = || Peer::start(workspace.server(minds, &[]));
    let theirs = || {
        let mut server = node.command("mcp-server-filesystem");
        server.arg(workspace.path());
        Peer::start(server)
    };
    let (mut our_starts, mut their_starts) = (Vec::new(), Vec::new());
    for _ in 0..STARTS {
        our_starts.push(ours().1);
        their_starts.push(theirs().1);
    }
    let (mut our_server, mut their_server) = (ours().0, theirs().0);
    let (own, other) = (json!("file.txt"), json!(file));
    let (mut our_reads, mut their_reads) = (Vec::new(), Vec::new());
    for round in 0..WARMING + READS {
        let (one, two) =
            (our_server.read("read_file", &own, &text), their_server.read("read_text_file", &other, &text));
        if round >= WARMING {
            our_reads.push(one);
            their_reads.push(two);
        }
    }
    println!("MCP over pipes against {} {}, alternating turns", PEER.0, PEER.1);
    println!("                              minds    reference      ratio       goal");
    let line = |what: &str, ours: Duration, theirs: Duration, goal: f64| {
        let (ours, theirs) = (ours.as_secs_f64() * 1e6, theirs.as_secs_f64() * 1e6);
        println!("{what:22} {ours:>9.0} us {theirs:>9.0} us {:>8.3} x {goal:>8.3} x", ours / theirs);
    };
    line("start to initialized", at(&mut our_starts, 0.5), at(&mut their_starts, 0.5), 0.02);
    line("read 4 KiB, median", at(&mut our_reads, 0.5), at(&mut their_reads, 0.5), 0.25);
    line("read 4 KiB, 99 in 100", at(&mut our_reads, 0.99), at(&mut their_reads, 0.99), 0.1);
}

/// Returns the given quantile of the times.
fn at(times: &mut [Duration], part: f64) -> Duration {
    times.sort_unstable();
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it is an index")]
    let index = (times.len() as f64 * part) as usize;
    times[index.min(times.len() - 1)]
}

/// A server with one request at a time.
struct Peer {
    child: Child,
    requests: ChildStdin,
    replies: BufReader<ChildStdout>,
    asked: u64,
}

impl Peer {
    /// Starts a server and initializes it; returns how long that took.
    fn start(mut command: Command) -> (Self, Duration) {
        let start = Instant::now();
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().expect("the server starts");
        let requests = child.stdin.take().expect("it is piped");
        let replies = BufReader::new(child.stdout.take().expect("it is piped"));
        let mut peer = Self { child, requests, replies, asked: 0 };
        let client = json!({ "name": "bench", "version": "1" });
        peer.ask(
            "initialize",
            &json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client }),
        );
        let taken = start.elapsed();
        writeln!(peer.requests, "{}", json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }))
            .expect("the server reads");
        (peer, taken)
    }

    /// Reads a file through a tool; returns how long that took.
    fn read(&mut self, tool: &str, path: &Value, text: &str) -> Duration {
        let start = Instant::now();
        let reply = self.ask("tools/call", &json!({ "name": tool, "arguments": { "path": path } }));
        let taken = start.elapsed();
        let blocks = reply["result"]["content"].as_array().expect("there is content");
        assert!(blocks.iter().any(|block| block["text"] == text), "the file was read: {reply}");
        taken
    }

    fn ask(&mut self, method: &str, params: &Value) -> Value {
        self.asked += 1;
        let id = self.asked;
        let request = json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params });
        self.requests.write_all(format!("{request}\n").as_bytes()).expect("the server reads");
        loop {
            let mut line = String::new();
            let read = self.replies.read_line(&mut line).expect("the server writes text");
            assert!(read > 0, "the server has stopped");
            let message: Value = serde_json::from_str(&line).expect("the server writes JSON");
            if message["id"] == id && message.get("method").is_none() {
                return message;
            }
        }
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
