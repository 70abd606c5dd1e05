//! Recording how a model does the jobs: it is given the statement of a job and the tools, and its calls are counted.
//!
//! The repository does not contain a model. A model that is run beside it starts a job, makes calls and ends the job
//! with the steps below, each of which works on a directory that belongs to one job.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::replay::{Session, args_of, expect_outcome, prepare, text};

const JOB: &str = "job.json";
const CALLS: &str = "calls.jsonl";
const VERDICT: &str = "verdict.json";

/// Prepares the workspace of a job and returns what a model is given: the statement, the instructions and the tools.
///
/// # Errors
///
/// Fails if there is no such job, if the directory exists, or if the server cannot be started.
pub(super) fn start(
    minds: &Path,
    document: &Value,
    number: usize,
    directory: &Path,
) -> Result<String, String> {
    let job = document["jobs"].get(number).ok_or_else(|| format!("there is no job {number}"))?;
    if directory.exists() {
        return Err(format!("`{}` exists: a job starts in a new directory", directory.display()));
    }
    let workspace = prepare(directory, &document["files"], job)?;
    write(directory, JOB, &job.to_string())?;
    write(directory, CALLS, "")?;
    let mut session = Session::start(minds, directory, &workspace, args_of(job))?;
    let tools = session.ask("tools/list", &json!({}))?;
    let mut page = format!(
        "# Job\n\n{}\n\n# Instructions of the server\n\n{}\n",
        text(job, "task"),
        session.instructions()
    );
    page.push_str("\n# Tools\n");
    for tool in tools["tools"].as_array().into_iter().flatten() {
        let schema = &tool["inputSchema"];
        // Writing to a string cannot fail.
        let _ = write!(page, "\n## {}\n{}\n{schema}\n", text(tool, "name"), text(tool, "description"));
    }
    session.end()?;
    Ok(page)
}

/// Makes a call in the workspace of a job and returns the text of the answer.
///
/// # Errors
///
/// Fails if the directory holds no job that has been started and not ended, or if the server does not answer.
pub(super) fn call(minds: &Path, directory: &Path, tool: &str, arguments: &Value) -> Result<String, String> {
    let job = open_job(directory)?;
    let mut session = Session::start(minds, directory, &directory.join("workspace"), args_of(&job))?;
    let result = session.ask("tools/call", &json!({"name": tool, "arguments": arguments}))?;
    session.end()?;
    let blocks = result["content"].as_array().into_iter().flatten();
    let answer = blocks.map(|block| text(block, "text")).collect::<Vec<_>>().join("\n");
    let record = json!({
        "tool": tool,
        "arguments": arguments,
        "code": result["structuredContent"]["code"],
        "bytes": answer.len(),
        "answer": answer,
    });
    let mut calls = read(directory, CALLS)?;
    let _ = writeln!(calls, "{record}");
    write(directory, CALLS, &calls)?;
    Ok(answer)
}

/// Ends a job with the answer of the model, and returns whether the job is done.
///
/// # Errors
///
/// Fails if the directory holds no job that has been started and not ended.
pub(super) fn finish(minds: &Path, directory: &Path, answer: &str) -> Result<String, String> {
    let job = open_job(directory)?;
    let outcome = judge(minds, directory, &job, answer);
    let verdict = json!({"done": outcome.is_ok(), "reason": outcome.as_ref().err(), "answer": answer});
    write(directory, VERDICT, &verdict.to_string())?;
    Ok(match outcome {
        Ok(()) => "the job is done".to_owned(),
        Err(reason) => format!("the job is not done: {reason}"),
    })
}

fn judge(minds: &Path, directory: &Path, job: &Value, answer: &str) -> Result<(), String> {
    let workspace = directory.join("workspace");
    expect_outcome(&workspace, &job["outcome"])?;
    let answer = answer.to_lowercase();
    for needle in job["outcome"]["answer"].as_array().into_iter().flatten().filter_map(Value::as_str) {
        if !answer.contains(&needle.to_lowercase()) {
            return Err(format!("the answer does not contain `{needle}`"));
        }
    }
    if job["outcome"]["valid"].as_bool() == Some(true) {
        let mut session = Session::start(minds, directory, &workspace, std::iter::empty())?;
        let result = session.ask("tools/call", &json!({"name": "team_mgmt_validate", "arguments": {}}))?;
        session.end()?;
        if result["structuredContent"]["valid"].as_bool() != Some(true) {
            return Err("the team is not valid".to_owned());
        }
    }
    Ok(())
}

/// Returns a table of the jobs that were recorded in the directories in `folder`, beside what the scripted client took,
/// and whether every job is done with few enough calls and bytes.
///
/// # Errors
///
/// Fails if a record cannot be read.
pub(super) fn report(folder: &Path, document: &Value) -> Result<(String, bool), String> {
    let mut directories: Vec<PathBuf> = fs::read_dir(folder)
        .map_err(|error| format!("`{}`: {error}", folder.display()))?
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.join(JOB).exists())
        .collect();
    directories.sort();
    let mut table =
        "| job | done | calls | scripted calls | bytes of answers |\n|---|---|--:|--:|--:|\n".to_owned();
    let (mut jobs, mut done, mut calls, mut shortest, mut bytes) = (0, 0, 0, 0, 0);
    for directory in &directories {
        let job = parse(&read(directory, JOB)?)?;
        let name = text(&job, "name");
        let records = read(directory, CALLS)?.lines().map(parse).collect::<Result<Vec<_>, _>>()?;
        let verdict = parse(&read(directory, VERDICT).unwrap_or_else(|_| "{}".to_owned()))?;
        let is_done = verdict["done"].as_bool() == Some(true);
        let scripted = document["jobs"].as_array().into_iter().flatten();
        let scripted =
            scripted.filter(|job| text(job, "name") == name).find_map(|job| job["calls"].as_array());
        let (scripted, read) = (scripted.map_or(0, Vec::len), records.iter().map(size).sum::<usize>());
        let outcome = if is_done { "yes" } else { verdict["reason"].as_str().unwrap_or("not ended") };
        let _ = writeln!(table, "| {name} | {outcome} | {} | {scripted} | {read} |", records.len());
        jobs += 1;
        done += usize::from(is_done);
        calls += records.len();
        shortest += scripted;
        bytes += read;
    }
    if jobs == 0 {
        return Err(format!("`{}` holds no recorded job", folder.display()));
    }
    let hundredths = calls * 100 / shortest.max(1);
    let _ = writeln!(
        table,
        "| {jobs} jobs, {}.{:02} times the scripted calls | {done} | {calls} | {shortest} | {} a job |",
        hundredths / 100,
        hundredths % 100,
        bytes / jobs
    );
    Ok((
        table,
        done == jobs && hundredths <= super::MAX_CALLS_IN_HUNDREDTHS && bytes / jobs <= super::MAX_AVERAGE,
    ))
}

fn size(record: &Value) -> usize {
    record["bytes"].as_u64().and_then(|bytes| usize::try_from(bytes).ok()).unwrap_or(0)
}

fn open_job(directory: &Path) -> Result<Value, String> {
    if directory.join(VERDICT).exists() {
        return Err(format!("the job in `{}` has ended", directory.display()));
    }
    parse(&read(directory, JOB)?)
}

fn parse(line: &str) -> Result<Value, String> {
    serde_json::from_str(line).map_err(|error| error.to_string())
}

fn read(directory: &Path, name: &str) -> Result<String, String> {
    let path = directory.join(name);
    fs::read_to_string(&path).map_err(|error| format!("`{}`: {error}", path.display()))
}

fn write(directory: &Path, name: &str, content: &str) -> Result<(), String> {
    let path = directory.join(name);
    fs::write(&path, content).map_err(|error| format!("`{}`: {error}", path.display()))
}
