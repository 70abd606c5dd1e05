//! Turns of agents: the time from the text of a model to the terminal, and what each step costs besides the model.

use std::fmt::Write as _;
use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use super::agents::WORKSPACE;
use minds_fleet_bus::{Bus as _, LocalBus, Start};
use minds_fleet_cli::Client;
use minds_fleet_protocol::methods::Cancel;
use minds_fleet_protocol::{AgentId, Caller, EventKind};
use serde_json::{Value, json};

/// The variable with the key of the provider.
const KEY: &str = "BENCH_MODEL_KEY";
/// The rates of the provider, in parts a second, with the number of parts and the maximum of 95 in 100, in milliseconds: below
/// and above the rate from which text is joined.
const RATES: [(u32, u32, f64); 2] = [(100, 500, 5.0), (1_000, 5_000, 60.0)];
/// The size of the context of the measured steps, in tokens of 4 bytes.
const CONTEXT: usize = 50_000;
/// The number of turns, and the number of calls of each.
const TURNS: usize = 20;
const CALLS: usize = 40;
/// The maximum time of a step, in milliseconds.
const STEP: f64 = 5.0;
/// The number of commands that are cancelled, and the maximum time of 95 in 100, in milliseconds.
const CANCELS: usize = 40;
const CANCEL: f64 = 100.0;

/// The number of inputs that fill the context: the argument of a command is bounded.
const INPUTS: usize = 4;

/// Measures turns, and prints each figure with its goal.
pub(super) fn run(program: &Path, folder: &Path) {
    let folder = folder.join("turns");
    let _ = fs::remove_dir_all(&folder);
    let fleet = Fleet::new(program, &folder);
    for (rate, count, goal) in RATES {
        let (median, late) = fleet.show_text(rate, count);
        println!(
            "text of a model to the output of `send --wait`, {count} parts, {rate} a second: median {median:.2} ms, 95 in 100 within {late:.2} ms (goal: at most {goal})"
        );
    }
    let (tokens, step) = fleet.perform_steps();
    println!(
        "a step of a turn with {tokens} tokens of context, mean of {} steps: {step:.2} ms (goal: at most {STEP})",
        TURNS * (CALLS + 1)
    );
    let (median, late) = fleet.cancel_commands();
    println!(
        "a hard cancel of a command, {CANCELS} times: median {median:.2} ms, 95 in 100 within {late:.2} ms (goal: at most {CANCEL})"
    );
}

struct Fleet {
    program: PathBuf,
    folder: PathBuf,
}

impl Fleet {
    fn new(program: &Path, folder: &Path) -> Self {
        let fleet = Self { program: program.to_owned(), folder: folder.to_owned() };
        fleet.write(".ateam/project.yaml", "name: bench\n");
        let window = 2 * CONTEXT;
        fleet.write(
            ".ateam/models.yaml",
            &format!(
                "models:\n  steps: {{provider: scripted, context_window_size: {window}, model_settings: {{script: .ateam/s.jsonl}}}}\n  text: {{provider: ours, context_window_size: 1000000, model_settings: {{model: large}}}}\n"
            ),
        );
        for (name, model) in [("steps", "steps"), ("text", "text")] {
            let agent = format!(".ateam/agents/{name}");
            fleet.write(
                &format!("{agent}/agent.yaml"),
                &format!(
                    "name: {name}\nmodel: {model}\nprompt: {{base: base.md}}\ntools: {{allow: [fs.stat, os.exec]}}\n"
                ),
            );
            fleet.write(&format!("{agent}/base.md"), "You answer.\n");
        }
        let mut script = format!("{}\n", json!({ "when": "remember", "text": "kept" })).repeat(INPUTS);
        for _ in 0..CANCELS {
            let call = json!({ "name": "os_exec", "args": { "cmd": "sleep 600" } });
            let _ = writeln!(script, "{}", json!({ "when": "sleep", "tool_calls": [call] }));
        }
        for _ in 0..TURNS {
            for _ in 0..CALLS {
                let call = json!({ "name": "fs_stat", "args": { "path": "." } });
                let _ = writeln!(script, "{}", json!({ "tool_calls": [call] }));
            }
            let _ = writeln!(script, "{}", json!({ "text": "done" }));
        }
        fleet.write(".ateam/s.jsonl", &script);
        fleet
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.folder.join(WORKSPACE).join(path);
        fs::create_dir_all(path.parent().expect("it is in a folder")).expect("the folder can be made");
        fs::write(path, text).expect("the file can be written");
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(&self.program);
        command.args(args).current_dir(self.folder.join(WORKSPACE)).stdin(Stdio::null());
        command.env("MINDS_HOME", self.folder.join("home")).env("MINDS_FLEET", "f").env(KEY, "key");
        command.env_remove("XDG_RUNTIME_DIR").env_remove("ATEAM_REDIS_URL");
        command
    }

    fn print(&self, args: &[&str]) -> String {
        let output = self.command(args).output().expect("the program starts");
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{args:?}: {errors}");
        String::from_utf8(output.stdout).expect("the output is text")
    }

    /// Starts an agent, and waits until it accepts inputs.
    fn start(&self, name: &str) -> Running {
        let socket = self.folder.join(format!("home/run/fleet/f/bench/{name}/sock"));
        // That of an agent that was killed.
        let _ = fs::remove_file(&socket);
        let mut command = self.command(&["agent", name]);
        let agent = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("the program starts");
        let agent = Running(agent);
        let start = Instant::now();
        while !socket.exists() {
            assert!(start.elapsed() < Duration::from_secs(30), "the agent does not start");
            sleep(Duration::from_millis(1));
        }
        agent
    }

    /// Returns the times from a part of an answer to its output, in milliseconds: the median, and that of 95 in 100.
    fn show_text(&self, rate: u32, count: u32) -> (f64, f64) {
        let listener = TcpListener::bind(("127.0.0.1", 0)).expect("a port is free");
        let port = listener.local_addr().expect("it has an address").port();
        self.write(
            ".minds/llm.yaml",
            &format!(
                "providers:\n  ours:\n    apiType: openai-compatible\n    baseUrl: http://127.0.0.1:{port}/v1\n    apiKeyEnvVar: {KEY}\n    models: {{large: {{}}}}\n"
            ),
        );
        let clock = Instant::now();
        let provider = std::thread::spawn(move || {
            let (stream, _) = listener.accept().expect("the agent connects");
            answer(&stream, clock, rate, count);
        });
        let agent = self.start("text");
        let mut command = self.command(&["send", "text", "--wait", "Tell me the time."]);
        let mut client = Running(command.stdout(Stdio::piped()).spawn().expect("the program starts"));
        let mut stdout = client.0.stdout.take().expect("it is a pipe");
        let (mut times, mut rest, mut chunk) = (Vec::new(), String::new(), vec![0; 1 << 16]);
        loop {
            let length = stdout.read(&mut chunk).expect("the output can be read");
            if length == 0 {
                break;
            }
            let now = clock.elapsed();
            rest.push_str(std::str::from_utf8(chunk.get(..length).unwrap_or_default()).expect("it is text"));
            while let Some((word, after)) = rest.split_once(' ') {
                times.extend(
                    word.trim().parse().ok().map(|sent| now.saturating_sub(Duration::from_nanos(sent))),
                );
                rest = after.to_owned();
            }
        }
        provider.join().expect("the provider ends");
        drop(agent);
        assert_eq!(times.len(), usize::try_from(count).unwrap_or(usize::MAX), "every part is printed");
        quantiles(times)
    }

    /// Returns the times from a hard cancel of a command to the answer, in milliseconds: the median, and that of 95 in 100.
    fn cancel_commands(&self) -> (f64, f64) {
        let agent = self.start("steps");
        let bus = LocalBus::at(self.folder.join("home/run"), "f").expect("the name is valid");
        let id = AgentId::parse("bench/steps").expect("the id is valid");
        let caller = Caller::parse("cli:s-0123456789abcdef").expect("the name is valid");
        // It registers after it has made its socket.
        let start = Instant::now();
        let mut client = loop {
            match Client::connect(&bus, &id, &caller, None) {
                Ok(client) => break client,
                Err(failure) => assert!(start.elapsed() < Duration::from_secs(30), "{failure:?}"),
            }
            sleep(Duration::from_millis(1));
        };
        let mut frames = bus.follow(&id, Start::End).expect("the agent has frames");
        let mut times = Vec::with_capacity(CANCELS);
        for _ in 0..CANCELS {
            self.print(&["send", "steps", "sleep"]);
            let mut has_begun = false;
            while !has_begun {
                let read = frames.read(Duration::from_secs(1)).expect("the frames can be read");
                has_begun = read.iter().any(|frame| matches!(frame.event.kind, EventKind::ToolCall(_)));
            }
            client.claim(false).expect("the agent has no owner");
            let start = Instant::now();
            client.call(&Cancel { hard: true }).expect("the command is cancelled");
            times.push(start.elapsed());
            client.release().expect("the agent is owned");
        }
        drop(agent);
        quantiles(times)
    }

    /// Returns the number of tokens of the context, and the mean time of a step, in milliseconds.
    fn perform_steps(&self) -> (u64, f64) {
        let agent = self.start("steps");
        for _ in 0..INPUTS {
            let words = "word ".repeat(CONTEXT * 4 / 5 / INPUTS);
            self.print(&["send", "steps", "--wait", &format!("remember {words}")]);
        }
        for number in 0..TURNS {
            self.print(&["send", "steps", "--wait", &format!("work {number}")]);
        }
        let frames = self.print(&["tail", "steps", "--json"]);
        drop(agent);
        let (mut total, mut begun, mut tokens) = (0.0, None, 0);
        for frame in frames.lines().map(|line| serde_json::from_str::<Value>(line).expect("a frame is JSON"))
        {
            let time = frame["ts"].as_f64().or_else(|| frame["event"]["ts"].as_f64());
            match frame["event"]["type"].as_str() {
                Some("task.start") => begun = time,
                Some("task.end") => {
                    total += time.zip(begun).map_or(0.0, |(end, start)| end - start);
                }
                Some("state") => {
                    tokens = frame["event"]["tokens_in_ctx"].as_u64().unwrap_or(tokens);
                }
                _ => {}
            }
        }
        (tokens, total * 1e3 / (TURNS * (CALLS + 1)) as f64)
    }
}

/// Returns the median, and the time of 95 in 100, in milliseconds.
fn quantiles(mut times: Vec<Duration>) -> (f64, f64) {
    times.sort_unstable();
    let at = |part: usize| times.get(times.len() * part / 100).map_or(0.0, |time| time.as_secs_f64() * 1e3);
    (at(50), at(95))
}

struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Answers a request with parts, each of which is the time at which it is sent, in nanoseconds.
fn answer(stream: &TcpStream, clock: Instant, rate: u32, count: u32) {
    stream.set_nodelay(true).expect("it is a socket");
    let mut reader = BufReader::new(stream);
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        assert!(reader.read_line(&mut head).expect("the request can be read") > 0, "the request is complete");
    }
    let length = head.lines().find_map(|line| line.strip_prefix("content-length: ")?.parse().ok());
    reader.read_exact(&mut vec![0; length.unwrap_or(0)]).expect("the request has a body");
    let mut writer = stream;
    let mut send = |text: &str| writer.write_all(text.as_bytes()).expect("the agent reads");
    send("HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n");
    let begin = Instant::now();
    for number in 0..count {
        sleep((Duration::from_secs(number.into()) / rate).saturating_sub(begin.elapsed()));
        let text = format!("{} ", clock.elapsed().as_nanos());
        send(&event(&json!({ "choices": [{ "index": 0, "delta": { "content": text } }] })));
    }
    send(&event(&json!({ "choices": [{ "delta": {}, "finish_reason": "stop" }] })));
    send("e\r\ndata: [DONE]\n\n\r\n0\r\n\r\n");
}

/// Returns an event as a chunk.
fn event(value: &Value) -> String {
    let text = format!("data: {value}\n\n");
    format!("{:x}\r\n{text}\r\n", text.len())
}
