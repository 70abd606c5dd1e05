//! Replaying jobs of agents: a scripted client calls the tools of `minds mcp`, and what it did is checked and counted.
//!
//! The test of the command includes this file as well, so it uses nothing but `serde_json` and the standard library.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::{Map, Value, json};

/// What was counted while a job was replayed.
#[derive(Debug)]
pub(crate) struct Replayed {
    /// The name of the job.
    pub(crate) name: String,
    /// The number of calls of tools, those for help included.
    pub(crate) calls: usize,
    /// The number of calls that only asked for help.
    pub(crate) help: usize,
    /// The bytes of the instructions that the session began with.
    pub(crate) instructions: usize,
    /// The bytes of the text of all answers, which is what a model reads.
    pub(crate) answers: usize,
    /// The bytes of all results as they are sent: the text, and the same as a document.
    pub(crate) results: usize,
}

impl Replayed {
    /// Returns the bytes that a model is given: the instructions and the answers.
    pub(crate) fn bytes(&self) -> usize {
        self.instructions + self.answers
    }
}

/// Replays all jobs of a document, each in a directory of its own in `folder`.
///
/// # Errors
///
/// Fails with the name of the first job whose result differs from the document.
pub(crate) fn replay(minds: &Path, folder: &Path, document: &Value) -> Result<Vec<Replayed>, String> {
    let jobs = document["jobs"].as_array().ok_or("the document has no `jobs`")?;
    jobs.iter()
        .enumerate()
        .map(|(index, job)| {
            let name = text(job, "name");
            let place = folder.join(index.to_string());
            replay_one(minds, &place, &document["files"], job).map_err(|reason| format!("{name}: {reason}"))
        })
        .collect()
}

/// Returns a table of what was counted, with a line for each job and one for the averages.
pub(crate) fn report(jobs: &[Replayed]) -> String {
    let mut table =
        "| job | calls | of these, help | bytes of instructions | bytes of answers | total | bytes sent |\n\
                     |---|--:|--:|--:|--:|--:|--:|\n"
            .to_owned();
    for job in jobs {
        // Writing to a string cannot fail.
        let _ = writeln!(
            table,
            "| {} | {} | {} | {} | {} | {} | {} |",
            job.name,
            job.calls,
            job.help,
            job.instructions,
            job.answers,
            job.bytes(),
            job.results
        );
    }
    let sum = |count: fn(&Replayed) -> usize| jobs.iter().map(count).sum::<usize>() / jobs.len().max(1);
    let calls: usize = jobs.iter().map(|job| job.calls).sum();
    let _ = writeln!(
        table,
        "| average of {} jobs, {calls} calls | {} | {} | {} | {} | {} | {} |",
        jobs.len(),
        sum(|job| job.calls),
        sum(|job| job.help),
        sum(|job| job.instructions),
        sum(|job| job.answers),
        sum(Replayed::bytes),
        sum(|job| job.results)
    );
    table
}

fn replay_one(minds: &Path, place: &Path, shared: &Value, job: &Value) -> Result<Replayed, String> {
    let workspace = prepare(place, shared, job)?;
    let mut session = Session::start(minds, place, &workspace, args_of(job))?;
    let mut replayed = Replayed {
        name: text(job, "name").to_owned(),
        calls: 0,
        help: 0,
        instructions: session.instructions().len(),
        answers: 0,
        results: 0,
    };
    let mut read = session.instructions().to_owned();
    let mut answers: Vec<Value> = Vec::new();
    for call in job["calls"].as_array().into_iter().flatten() {
        let (tool, arguments) = (text(call, "tool"), fill_arguments(&call["arguments"], &answers)?);
        let result = session.ask("tools/call", &json!({"name": tool, "arguments": arguments}))?;
        let answer = &result["structuredContent"];
        let expected = call["code"].as_str();
        if answer["code"].as_str() != expected {
            return Err(format!("`{tool}` {arguments} was answered with {answer}"));
        }
        for block in result["content"].as_array().into_iter().flatten() {
            replayed.answers += text(block, "text").len();
            read.push('\n');
            read.push_str(text(block, "text"));
        }
        replayed.results += result.to_string().len();
        replayed.calls += 1;
        replayed.help += usize::from(tool == "team_mgmt_manual");
        answers.push(answer.clone());
    }
    for needle in strings(&job["read"]) {
        if !read.contains(needle) {
            return Err(format!("neither the instructions nor an answer contain `{needle}`"));
        }
    }
    session.end()?;
    expect_outcome(&workspace, &json!({"files": job["then"], "absent": job["gone"]}))?;
    Ok(replayed)
}

/// Makes the workspace of a job in a directory, and returns its path.
pub(crate) fn prepare(place: &Path, shared: &Value, job: &Value) -> Result<PathBuf, String> {
    let workspace = place.join("workspace");
    // The search for a workspace ends at a repository.
    fs::create_dir_all(workspace.join(".git")).map_err(|error| error.to_string())?;
    let mut all = if job["empty"].as_bool() == Some(true) { BTreeMap::new() } else { files(shared) };
    all.extend(files(&job["files"]));
    for (path, content) in all {
        write(&workspace, &path, &content)?;
    }
    Ok(workspace)
}

/// Returns the arguments of `minds mcp` for a job.
pub(crate) fn args_of(job: &Value) -> impl Iterator<Item = &str> {
    strings(&job["args"])
}

/// Checks a workspace against an expected outcome: `files` with their whole contents, `contains` and `lacks` with
/// strings that files contain or do not contain, and `absent` with paths that do not exist.
///
/// # Errors
///
/// Fails with the first expectation that is not met.
pub(crate) fn expect_outcome(workspace: &Path, outcome: &Value) -> Result<(), String> {
    let read =
        |path: &str| fs::read_to_string(workspace.join(path)).map_err(|error| format!("`{path}`: {error}"));
    for (path, content) in files(&outcome["files"]) {
        let found = read(&path)?;
        if found != content {
            return Err(format!("`{path}` is {found:?} instead of {content:?}"));
        }
    }
    for (key, expected) in [("contains", true), ("lacks", false)] {
        for (path, needles) in outcome[key].as_object().into_iter().flatten() {
            let found = read(path)?;
            for needle in strings(needles) {
                if found.contains(needle) != expected {
                    let verb = if expected { "does not contain" } else { "contains" };
                    return Err(format!("`{path}` {verb} {needle:?}: {found:?}"));
                }
            }
        }
    }
    for path in strings(&outcome["absent"]) {
        if workspace.join(path).exists() {
            return Err(format!("`{path}` exists"));
        }
    }
    Ok(())
}

fn strings(value: &Value) -> impl Iterator<Item = &str> {
    value.as_array().into_iter().flatten().filter_map(Value::as_str)
}

/// Returns arguments with each value `$FIELD` replaced by that field of the last answer that has it, as a client copies the
/// id of a planned change or a hash.
fn fill_arguments(arguments: &Value, answers: &[Value]) -> Result<Value, String> {
    let fill = |value: &Value| match value.as_str().and_then(|text| text.strip_prefix('$')) {
        None => Ok(value.clone()),
        Some(field) => {
            let found = answers.iter().rev().find_map(|answer| answer.get(field));
            found.cloned().ok_or_else(|| format!("no answer has `{field}`"))
        }
    };
    let empty = Map::new();
    let given = arguments.as_object().unwrap_or(&empty);
    given
        .iter()
        .map(|(name, value)| Ok((name.clone(), fill(value)?)))
        .collect::<Result<Map<_, _>, String>>()
        .map(Value::Object)
}

fn files(value: &Value) -> BTreeMap<String, String> {
    let files = value.as_object().into_iter().flatten();
    files.filter_map(|(path, content)| Some((path.clone(), content.as_str()?.to_owned()))).collect()
}

pub(crate) fn text<'v>(value: &'v Value, name: &str) -> &'v str {
    value.get(name).and_then(Value::as_str).unwrap_or_default()
}

fn write(workspace: &Path, path: &str, content: &str) -> Result<(), String> {
    let path = workspace.join(path);
    let above = path.parent().unwrap_or(workspace);
    fs::create_dir_all(above).and_then(|()| fs::write(&path, content)).map_err(|error| error.to_string())
}

/// A server over pipes.
pub(crate) struct Session {
    child: Child,
    stdin: Option<ChildStdin>,
    stdout: BufReader<ChildStdout>,
    asked: u64,
    instructions: String,
}

impl Session {
    pub(crate) fn start<'a>(
        minds: &Path,
        place: &Path,
        workspace: &Path,
        args: impl Iterator<Item = &'a str>,
    ) -> Result<Self, String> {
        let mut command = Command::new(minds);
        command.arg("mcp").args(args).current_dir(workspace).env("MINDS_HOME", place.join("home"));
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().map_err(|error| error.to_string())?;
        let stdin = child.stdin.take();
        let stdout = BufReader::new(child.stdout.take().ok_or("the server has no output")?);
        let mut session = Self { child, stdin, stdout, asked: 0, instructions: String::new() };
        let client = json!({"name": "jobs", "version": "1"});
        let hello = json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client});
        let hello = session.ask("initialize", &hello)?;
        text(&hello, "instructions").clone_into(&mut session.instructions);
        session.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}))?;
        Ok(session)
    }

    /// Returns the instructions of the server.
    pub(crate) fn instructions(&self) -> &str {
        &self.instructions
    }

    fn send(&mut self, message: &Value) -> Result<(), String> {
        let stdin = self.stdin.as_mut().ok_or("the session has ended")?;
        stdin
            .write_all(format!("{message}\n").as_bytes())
            .and_then(|()| stdin.flush())
            .map_err(|error| error.to_string())
    }

    /// Returns the result of a request.
    pub(crate) fn ask(&mut self, method: &str, params: &Value) -> Result<Value, String> {
        self.asked += 1;
        let id = self.asked;
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}))?;
        loop {
            let mut line = String::new();
            let length = self.stdout.read_line(&mut line).map_err(|error| error.to_string())?;
            if length == 0 {
                return Err(format!("the server ended before it answered `{method}`"));
            }
            let mut message: Value = serde_json::from_str(&line).map_err(|error| error.to_string())?;
            // Notifications come in between.
            if message["id"] != id || message.get("method").is_some() {
                continue;
            }
            if let Some(error) = message.get("error") {
                return Err(format!("`{method}` was answered with {error}"));
            }
            return Ok(message["result"].take());
        }
    }

    pub(crate) fn end(mut self) -> Result<(), String> {
        self.stdin = None;
        let status = self.child.wait().map_err(|error| error.to_string())?;
        if status.success() { Ok(()) } else { Err(format!("the server ended with {status}")) }
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        // Of a session that ended this does nothing.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
