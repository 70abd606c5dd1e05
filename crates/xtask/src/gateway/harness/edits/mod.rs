//! Random edits of `mcp.yaml` while servers run, compared with a plain model.

mod change;
mod model;

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use serde_json::json;

use super::client::Client;
use super::place::Place;
use super::polling::eventually;
use super::processes::{Process, Role, signal};
use crate::random::Random;
pub(crate) use change::Change;
use change::Editor;
use model::{Good, IDS, MARK, Model};

/// The number of edits after which the processes are counted.
const COUNTED: usize = 20;

/// What was observed.
#[derive(Debug, Default)]
pub(crate) struct Observed {
    /// How often each change was made.
    pub(crate) changes: BTreeMap<Change, usize>,
    /// The lists of tools that were compared with the model.
    pub(crate) lists: usize,
    /// The calls of tools, whose servers were compared with those before.
    pub(crate) calls: usize,
    /// The processes of servers that started and worked.
    pub(crate) starts: usize,
    /// The time from the end of `minds mcp` to the end of all processes.
    pub(crate) end: Duration,
}

/// Makes edits, and compares tools, problems and processes with the model after each.
///
/// # Errors
///
/// Fails with the edit after which something was different.
pub(crate) fn edit(place: &Place, count: usize, random: &mut Random) -> Result<Observed, String> {
    let toolsets: Vec<&str> = IDS.into_iter().chain([MARK, "team-mgmt"]).collect();
    place.team(&json!({"coder": {"toolsets": toolsets}}));
    let (mut model, mut editor) = (Model::default(), Editor::new(place));
    editor.begin(&mut model);
    let client = Client::start(place.command(&["mcp", "--member", "coder"]))?;
    let mut run = Run { place, client, processes: BTreeMap::new(), observed: Observed::default() };
    run.settle(&model, &model)?;
    for number in 1..=count {
        let before = model.clone();
        let (change, ended) = editor.edit(&mut model, random);
        *run.observed.changes.entry(change).or_default() += 1;
        let mut settle = || {
            if let Some(id) = ended {
                run.end_server(&before.good[id])?;
            }
            run.settle(&before, &model)?;
            if number % COUNTED == 0 { run.count(&model) } else { Ok(()) }
        };
        settle().map_err(|error| format!("after edit {number}, {change:?}: {error}\n{model:?}"))?;
    }
    run.count(&model)?;
    run.client.close();
    run.client.wait()?;
    let begin = Instant::now();
    place.wait_for_end()?;
    run.observed.end = begin.elapsed();
    Ok(run.observed)
}

struct Run<'p> {
    place: &'p Place,
    client: Client,
    /// The processes by the numbers of their starts in the model.
    processes: BTreeMap<usize, u64>,
    observed: Observed,
}

impl Run<'_> {
    /// Kills the process of a server, and waits until it was started again.
    fn end_server(&self, good: &Good) -> Result<(), String> {
        let ended = self.processes[&good.start];
        signal("KILL", i64::try_from(ended).unwrap_or_default());
        eventually("another process of a server", || {
            let processes = self.place.processes();
            let is_other = |one: &&Process| one.is_of(&good.behavior()) && u64::from(one.id) != ended;
            processes.iter().find(is_other).map(drop)
        })
    }

    /// Waits until the state is that of the model. Until then, each server has its tools before or after the edit.
    fn settle(&mut self, before: &Model, after: &Model) -> Result<(), String> {
        let expected = after.tools();
        eventually("the tools of the model", || {
            let tools = match self.client.tools() {
                Ok(tools) => tools,
                Err(error) => return Some(Err(error)),
            };
            self.observed.lists += 1;
            if tools == expected {
                return Some(Ok(()));
            }
            compare(&tools, before, after).err().map(Err)
        })
        .map_err(|error| format!("{error}: {expected:?}"))??;
        self.wait_for_problems(after)?;
        self.call_all(after)?;
        // What was settled stays so.
        let tools = self.client.tools()?;
        if tools == expected { Ok(()) } else { Err(format!("the tools are {tools:?}, not {expected:?}")) }
    }

    fn wait_for_problems(&mut self, model: &Model) -> Result<(), String> {
        let (expected, possible) = (model.problems(), model.possible_problems());
        let mut last = Ok(BTreeMap::new());
        eventually("the problems of the model", || {
            last = self.client.problems();
            let mut found = last.clone().ok()?;
            found.retain(|id, _| !possible.contains(id));
            let is_same = found.len() == expected.len()
                && expected.iter().all(|(id, part)| found.get(id).is_some_and(|text| text.contains(part)));
            is_same.then_some(())
        })
        .map_err(|error| format!("{error}: {expected:?}, not {last:?}"))
    }

    /// Calls each server, and compares its process with that before.
    fn call_all(&mut self, model: &Model) -> Result<(), String> {
        for (id, good) in &model.good {
            let result = self.client.result_of(&good.names()[0], &json!({}))?;
            self.observed.calls += 1;
            let process = result["pid"].as_u64().ok_or("a result without a process")?;
            let known = self.processes.entry(good.start).or_insert_with(|| {
                self.observed.starts += 1;
                process
            });
            if *known != process {
                return Err(format!("the server `{id}` was restarted: {process} instead of {known}"));
            }
        }
        Ok(())
    }

    /// Counts the processes: one of each server that works, and those that are being started.
    fn count(&self, model: &Model) -> Result<(), String> {
        let mut expected: Vec<String> = model.good.values().map(Good::behavior).collect();
        expected.sort();
        let starting = model.starting();
        let mut last = Vec::new();
        eventually("the processes of the model", || {
            let processes = self.place.processes();
            last = processes.iter().filter_map(|one| one.behavior_name().map(str::to_owned)).collect();
            last.retain(|name| !starting.contains(name));
            last.sort();
            let gateway = processes.iter().filter(|one| one.role != Role::Server).count();
            (last == expected && gateway == 3).then_some(())
        })
        .map_err(|error| format!("{error}: {expected:?}, not {last:?}"))
    }
}

/// Checks that each server has its tools before or after an edit.
fn compare(tools: &[String], before: &Model, after: &Model) -> Result<(), String> {
    for id in IDS.into_iter().chain([MARK]) {
        let (old, new) = (before.tools_of(id), after.tools_of(id));
        let has_all = |names: &[String]| names.iter().all(|name| tools.contains(name));
        if !has_all(&old) && !has_all(&new) {
            return Err(format!("the server `{id}` has neither {old:?} nor {new:?} of {tools:?}"));
        }
    }
    Ok(())
}
