//! What `mcp.yaml` declares after an edit, and which tools there are then, by a plain model.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::super::place::Place;

/// The id of a server whose entry changes in no edit but for its prefix, which tells that an edit was read.
pub(super) const MARK: &str = "mark";
/// The ids of the other servers.
pub(super) const IDS: [&str; 5] = ["a", "b", "c", "d", "e"];
/// The maximum number of tools of a server.
pub(super) const MAX_TOOLS: usize = 3;

/// What happens to a server that is started.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// It works, with so many tools.
    Works(usize),
    /// It exits at a step.
    Fails(&'static str),
    /// It waits at a step forever.
    Hangs(&'static str),
    /// Its program does not exist.
    Missing,
    /// Its entry needs a variable that is not set.
    Unset,
    /// Its entry is disabled.
    Disabled,
}

/// The entry of a server. Its generation identifies its behavior, so an entry of another generation is another configuration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Entry {
    pub(super) id: &'static str,
    pub(super) generation: usize,
    pub(super) kind: Kind,
    pub(super) prefix: String,
}

impl Entry {
    /// Returns the name of the behavior.
    pub(super) fn behavior(&self) -> String {
        behavior(self.generation)
    }

    /// Writes the behavior, which never changes.
    pub(super) fn prepare(&self, place: &Place) {
        let behavior = match self.kind {
            Kind::Works(count) => json!({"tools": original_names(self.generation, count)}),
            Kind::Fails(step) => json!({"tools": [], "fails": step}),
            Kind::Hangs(step) => json!({"tools": [], "hangs": step}),
            Kind::Missing | Kind::Unset | Kind::Disabled => return,
        };
        place.behave(&self.behavior(), &behavior);
    }

    /// Returns the entry of the file.
    pub(super) fn to_json(&self, place: &Place) -> Value {
        let mut more = json!({});
        if !self.prefix.is_empty() {
            more["transform"] = json!([{"prefix": self.prefix}]);
        }
        match self.kind {
            Kind::Missing => more["command"] = format!("/nowhere/{}", self.behavior()).into(),
            Kind::Unset => {
                more["env"] = json!({"A": {"env": format!("MINDS_TEST_UNSET_{}", self.behavior())}});
            }
            Kind::Disabled => more["enabled"] = false.into(),
            _ => {}
        }
        place.entry(&self.behavior(), &more)
    }

    /// Returns what the problem of the server contains; none without a problem.
    fn problem(&self) -> Option<String> {
        match self.kind {
            Kind::Fails(step) => Some(format!("{} fails at {step}", self.behavior())),
            Kind::Missing | Kind::Unset => Some(format!("{}`", self.behavior())),
            Kind::Works(_) | Kind::Hangs(_) | Kind::Disabled => None,
        }
    }
}

fn behavior(generation: usize) -> String {
    format!("g{generation}")
}

fn original_names(generation: usize, count: usize) -> Vec<String> {
    (0..count).map(|number| format!("{}_t{number}", behavior(generation))).collect()
}

/// The configuration of a server that worked last.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Good {
    pub(super) generation: usize,
    pub(super) tools: usize,
    prefix: String,
    /// Counts the processes, which differ after a server was stopped.
    pub(super) start: usize,
}

impl Good {
    pub(super) fn behavior(&self) -> String {
        behavior(self.generation)
    }

    pub(super) fn names(&self) -> Vec<String> {
        let names = original_names(self.generation, self.tools);
        names.into_iter().map(|name| format!("{}{name}", self.prefix)).collect()
    }
}

/// The state of all servers.
#[derive(Clone, Debug, Default)]
pub(super) struct Model {
    /// The entries of the last file that could be read.
    entries: Vec<Entry>,
    pub(super) good: BTreeMap<&'static str, Good>,
    is_broken: bool,
    /// The number of processes that have started and worked.
    starts: usize,
}

impl Model {
    /// Reads a file that can be read.
    pub(super) fn read(&mut self, entries: &[Entry]) {
        self.is_broken = false;
        self.good.retain(|id, _| entries.iter().any(|entry| entry.id == *id && entry.kind != Kind::Disabled));
        for entry in entries {
            let known = self.good.get_mut(entry.id);
            match (entry.kind, known) {
                (Kind::Works(_), Some(good)) if good.generation == entry.generation => {
                    good.prefix.clone_from(&entry.prefix);
                }
                (Kind::Works(tools), _) => {
                    self.starts += 1;
                    let (generation, prefix, start) = (entry.generation, entry.prefix.clone(), self.starts);
                    self.good.insert(entry.id, Good { generation, tools, prefix, start });
                }
                _ => {}
            }
        }
        self.entries = entries.to_vec();
    }

    /// Finds a file that cannot be used.
    pub(super) fn find_broken(&mut self) {
        self.is_broken = true;
    }

    /// Finds that the file does not exist.
    pub(super) fn find_removed(&mut self) {
        self.read(&[]);
    }

    /// Finds that the process of a server ended by itself.
    pub(super) fn find_ended(&mut self, id: &str) {
        self.starts += 1;
        let start = self.starts;
        self.good.get_mut(id).expect("it ran").start = start;
    }

    /// Returns whether a server works in the configuration of the file.
    pub(super) fn is_current(&self, id: &str) -> bool {
        let good = self.good.get(id).map(|good| good.generation);
        self.entries.iter().any(|entry| {
            entry.id == id && Some(entry.generation) == good && matches!(entry.kind, Kind::Works(_))
        })
    }

    /// Returns the tools of a server.
    pub(super) fn tools_of(&self, id: &str) -> Vec<String> {
        self.good.get(id).map(Good::names).unwrap_or_default()
    }

    /// Returns the tools in the order of the file.
    pub(super) fn tools(&self) -> Vec<String> {
        self.entries.iter().flat_map(|entry| self.tools_of(entry.id)).collect()
    }

    /// Returns the ids of the problems, each with a part of its message.
    pub(super) fn problems(&self) -> BTreeMap<String, String> {
        let file = ("mcp/workspace_config_error".to_owned(), String::new());
        let servers =
            self.entries.iter().filter_map(|entry| Some((server_problem(entry.id), entry.problem()?)));
        self.is_broken.then_some(file).into_iter().chain(servers).collect()
    }

    /// Returns the ids of problems that there may be: a server that hangs fails in the end.
    pub(super) fn possible_problems(&self) -> Vec<String> {
        let hanging = self.entries.iter().filter(|entry| matches!(entry.kind, Kind::Hangs(_)));
        hanging.map(|entry| server_problem(entry.id)).collect()
    }

    /// Returns the generations that are being started, again and again.
    pub(super) fn starting(&self) -> Vec<String> {
        let starts = |entry: &&Entry| matches!(entry.kind, Kind::Fails(_) | Kind::Hangs(_));
        self.entries.iter().filter(starts).map(Entry::behavior).collect()
    }
}

fn server_problem(id: &str) -> String {
    format!("mcp/server/{id}/server_error")
}
