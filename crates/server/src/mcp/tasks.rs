//! Task packages as resources.

use std::collections::BTreeMap;

use minds_toolset::tasks::{Task, TextStamp, tasks, tasks_with_stamps, text};
use minds_vfs::ContentHash;

use crate::mcp::server::Server;
use crate::mcp::uri::{decode, encode};

/// The prefix of URIs.
const TASK: &str = "minds://task/";
/// The URI template for tasks.
pub(crate) const TEMPLATE: &str = "minds://task/{task}";

/// Returns the packages that the caller may read, each with its URI, which contains the name, or the path if names are
/// ambiguous.
pub(crate) fn list(server: &Server) -> Vec<(String, Task)> {
    with_addresses(tasks(&server.context, &server.caller), |task| task)
}

fn with_addresses<T>(found: Vec<T>, task: impl Fn(&T) -> &Task) -> Vec<(String, T)> {
    let mut count = BTreeMap::<String, usize>::new();
    for one in &found {
        *count.entry(task(one).name.clone()).or_default() += 1;
    }
    let address = |task: &Task| {
        let is_one = count.get(&task.name) == Some(&1);
        format!("{TASK}{}", encode(if is_one { &task.name } else { &task.path }))
    };
    found.into_iter().map(|one| (address(task(&one)), one)).collect()
}

/// Returns the name or the path of a task from its URI.
pub(crate) fn name(uri: &str) -> Option<String> {
    decode(uri.strip_prefix(TASK)?)
}

/// Returns the text of a task for agents; `None` for an unknown URI.
pub(crate) fn read(server: &Server, uri: &str) -> Option<String> {
    let (_, task) = list(server).into_iter().find(|(known, _)| known == uri)?;
    text(&server.context, &server.caller, &task)
}

/// The state of the tasks at a check, by URI.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tasks(BTreeMap<String, TaskState>);

#[derive(Clone, Debug)]
struct TaskState {
    stamp: TextStamp,
    /// The text; `None` until it had to be read.
    hash: Option<ContentHash>,
}

impl Tasks {
    /// Checks the packages, and only reads those that may have changed since `before`.
    pub(crate) fn refresh(server: &Server, before: Option<&Self>) -> Self {
        let found = tasks_with_stamps(&server.context, &server.caller);
        let seen = |uri: String, stamp: TextStamp| {
            let known = before.and_then(|before| before.0.get(&uri));
            let hash = match known {
                Some(known) if known.stamp == stamp => known.hash,
                // Only packages that were read before are compared.
                Some(_) => read(server, &uri).map(|text| ContentHash::of(text.as_bytes())),
                None => None,
            };
            (uri, TaskState { stamp, hash })
        };
        let found = with_addresses(found, |(task, _)| task).into_iter();
        Self(found.map(|(uri, (_, stamp))| seen(uri, stamp)).collect())
    }

    pub(crate) fn addresses(&self) -> impl Iterator<Item = &String> {
        self.0.keys()
    }

    /// Returns the URIs of tasks whose text has or may have changed in `now`, and of removed ones.
    pub(crate) fn find_updated(&self, now: &Self) -> Vec<String> {
        let is_other = |uri: &String, before: &TaskState| match now.0.get(uri) {
            None => true,
            Some(seen) => before.stamp != seen.stamp && (before.hash.is_none() || before.hash != seen.hash),
        };
        self.0.iter().filter(|(uri, before)| is_other(uri, before)).map(|(uri, _)| uri.clone()).collect()
    }
}
