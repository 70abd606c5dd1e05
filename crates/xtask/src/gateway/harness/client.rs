//! A client of `minds mcp` that has many calls at once, and counts the answers to each.

use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::process::{Child, ChildStdin, Command};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;

use serde_json::{Value, json};

use super::polling::{PATIENCE, eventually};

/// A running `minds mcp`, which is killed with this value.
pub(crate) struct Client {
    child: Child,
    stdin: Option<ChildStdin>,
    received: Arc<Received>,
    threads: Vec<JoinHandle<()>>,
    last: i64,
}

#[derive(Default)]
struct Received {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    answers: BTreeMap<i64, Vec<Value>>,
    notifications: Vec<Value>,
    stderr: String,
    has_ended: bool,
}

impl Received {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn take(&self, line: &str) {
        // The last line of a process that was killed may be incomplete.
        let Ok(message) = serde_json::from_str::<Value>(line) else { return };
        let mut state = self.lock();
        match message["id"].as_i64() {
            Some(id) if message.get("method").is_none() => state.answers.entry(id).or_default().push(message),
            _ => state.notifications.push(message),
        }
        drop(state);
        self.changed.notify_all();
    }
}

impl Client {
    /// Starts a server, and performs the handshake.
    ///
    /// # Errors
    ///
    /// Fails if it does not answer.
    pub(crate) fn start(mut command: Command) -> Result<Self, String> {
        let mut child = command.spawn().map_err(|error| error.to_string())?;
        let received = Arc::new(Received::default());
        let (stdout, stderr) = (child.stdout.take(), child.stderr.take());
        let (out, errors) = (Arc::clone(&received), Arc::clone(&received));
        let read_stdout = std::thread::spawn(move || {
            let lines = BufReader::new(stdout.expect("it is piped")).lines();
            lines.map_while(Result::ok).for_each(|line| out.take(&line));
            out.lock().has_ended = true;
            out.changed.notify_all();
        });
        let read_stderr = std::thread::spawn(move || {
            let mut text = String::new();
            let _ = stderr.expect("it is piped").read_to_string(&mut text);
            errors.lock().stderr = text;
        });
        let stdin = child.stdin.take();
        let threads = vec![read_stdout, read_stderr];
        let mut client = Self { child, stdin, received, threads, last: 0 };
        let info = json!({"name": "test", "version": "1"});
        client.ask(
            "initialize",
            &json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": info}),
        )?;
        client.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        Ok(client)
    }

    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    fn send(&mut self, message: &Value) {
        // A process that was killed reads nothing.
        let _ = self.stdin.as_mut().map(|stdin| writeln!(stdin, "{message}").and_then(|()| stdin.flush()));
    }

    /// Sends a request, and returns its id.
    pub(crate) fn request(&mut self, method: &str, params: &Value) -> i64 {
        self.last += 1;
        self.send(&json!({"jsonrpc": "2.0", "id": self.last, "method": method, "params": params}));
        self.last
    }

    /// Starts a call of a tool, and returns its id.
    pub(crate) fn call(&mut self, tool: &str, arguments: &Value) -> i64 {
        self.request("tools/call", &json!({"name": tool, "arguments": arguments}))
    }

    /// Returns how often a request was answered.
    pub(crate) fn count_answers(&self, id: i64) -> usize {
        self.received.lock().answers.get(&id).map_or(0, Vec::len)
    }

    /// Waits for the answer to a request.
    ///
    /// # Errors
    ///
    /// Fails if the server ends, or does not answer.
    pub(crate) fn answer(&self, id: i64) -> Result<Value, String> {
        self.read_answer(id, |answer| answer.clone())
    }

    fn read_answer(&self, id: i64, read: impl FnOnce(&mut Value) -> Value) -> Result<Value, String> {
        let waits = |state: &mut State| !state.answers.contains_key(&id) && !state.has_ended;
        let waited = self.received.changed.wait_timeout_while(self.received.lock(), PATIENCE, waits);
        let (mut state, _) = waited.unwrap_or_else(PoisonError::into_inner);
        let has_ended = state.has_ended;
        let missing = || format!("no answer to {id}; `minds mcp` has ended: {has_ended}");
        state.answers.get_mut(&id).and_then(|answers| answers.first_mut()).map(read).ok_or_else(missing)
    }

    /// Returns the result of a request.
    ///
    /// # Errors
    ///
    /// Fails if the server ends, does not answer, or refuses the request.
    pub(crate) fn ask(&mut self, method: &str, params: &Value) -> Result<Value, String> {
        let id = self.request(method, params);
        // Only that there was an answer is kept: ten thousand lists of tools would fill the memory.
        let mut answer = self.read_answer(id, Value::take)?;
        match answer.get("error") {
            None => Ok(answer["result"].take()),
            Some(error) => Err(format!("{method}: {error}")),
        }
    }

    /// Calls a tool, and returns the structured content of its result.
    ///
    /// # Errors
    ///
    /// Fails if the server ends, does not answer, or refuses the request, or if the result is an error.
    pub(crate) fn result_of(&mut self, tool: &str, arguments: &Value) -> Result<Value, String> {
        let mut result = self.ask("tools/call", &json!({"name": tool, "arguments": arguments}))?;
        if result["isError"] == true {
            return Err(format!("{tool}: {result}"));
        }
        Ok(result["structuredContent"].take())
    }

    /// Returns the names of the tools of servers.
    ///
    /// # Errors
    ///
    /// Fails if the server ends, or does not answer.
    pub(crate) fn tools(&mut self) -> Result<Vec<String>, String> {
        let (mut names, mut params) = (Vec::new(), json!({}));
        loop {
            let page = self.ask("tools/list", &params)?;
            let tools = page["tools"].as_array().ok_or("a page without tools")?;
            let foreign = tools.iter().filter(|tool| tool["_meta"]["minds/server"].is_string());
            names.extend(foreign.filter_map(|tool| tool["name"].as_str().map(str::to_owned)));
            match page.get("nextCursor") {
                Some(cursor) => params = json!({"cursor": cursor}),
                None => return Ok(names),
            }
        }
    }

    /// Waits until the tools are these.
    ///
    /// # Errors
    ///
    /// Fails with those that there are instead.
    pub(crate) fn wait_for_tools(&mut self, names: &[&str]) -> Result<(), String> {
        let mut last = Vec::new();
        let found = eventually("tools", || {
            last = self.tools().ok()?;
            (last == names).then_some(())
        });
        found.map_err(|error| format!("{error}: {names:?} are expected, not {last:?}"))
    }

    /// Returns the open problems of MCP servers: their ids and messages.
    ///
    /// # Errors
    ///
    /// Fails if the server ends, or does not answer.
    pub(crate) fn problems(&mut self) -> Result<BTreeMap<String, String>, String> {
        let read = self.ask("resources/read", &json!({"uri": "minds://problems"}))?;
        let text = read["contents"][0]["text"].as_str().unwrap_or_default();
        let document: Value = serde_json::from_str(text).map_err(|error| format!("{error}: {text}"))?;
        let problems = document["gateway_problems"].as_array().ok_or("the problems cannot be read")?;
        let text = |problem: &Value, key: &str| problem[key].as_str().unwrap_or_default().to_owned();
        Ok(problems.iter().map(|problem| (text(problem, "id"), text(problem, "message"))).collect())
    }

    /// Closes stdin.
    pub(crate) fn close(&mut self) {
        self.stdin = None;
    }

    /// Waits for the end of the process.
    ///
    /// # Errors
    ///
    /// Fails if it does not end.
    pub(crate) fn wait(&mut self) -> Result<(), String> {
        eventually("the end of `minds mcp`", || {
            self.child.try_wait().expect("it was not waited for elsewhere").map(drop)
        })
    }

    /// Waits until everything that the process wrote was received, and returns how often each request was answered, and what
    /// was written on stderr. The process has ended.
    pub(crate) fn finish(mut self) -> (BTreeMap<i64, usize>, String) {
        for thread in self.threads.drain(..) {
            thread.join().expect("no reader panics");
        }
        let state = self.received.lock();
        (state.answers.iter().map(|(id, answers)| (*id, answers.len())).collect(), state.stderr.clone())
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        // A failing test must not leave a process.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
