//! Detecting changes of what a server offers.

use std::collections::BTreeMap;

use minds_toolset::{GatewayProblems, OfferedTools};
use minds_vfs::{ContentHash, Snapshot};

use crate::mcp::prompts;
use crate::mcp::resources::ResourceView;
use crate::mcp::server::Server;
use crate::mcp::tasks::Tasks;

/// The changes that clients are notified of.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Changes {
    /// Whether the list of tools has changed.
    pub(crate) tools: bool,
    /// Whether the list of prompts has changed.
    pub(crate) prompts: bool,
    /// Whether the list of resources has changed.
    pub(crate) resources: bool,
    /// The URIs of changed or removed resources.
    pub(crate) updated: Vec<String>,
}

impl Changes {
    /// Returns whether nothing changed.
    pub(crate) fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// The state at a check.
#[derive(Debug)]
pub(crate) struct ServerState {
    snapshot: Snapshot,
    tools: OfferedTools,
    prompts: Vec<&'static str>,
    /// The contents of the resources that depend on the snapshot.
    resources: BTreeMap<String, ContentHash>,
    tasks: Tasks,
    problems: GatewayProblems,
}

impl ServerState {
    /// Returns the state of `server` for a snapshot of its files.
    pub(crate) fn new(server: &Server, snapshot: Snapshot, tasks: Tasks, problems: GatewayProblems) -> Self {
        let tools = server.tools();
        let prompts = prompts::list(server).iter().map(|prompt| prompt.name).collect();
        let view = ResourceView::of(server, &snapshot);
        let text_of = |uri: &str| view.read(uri).map(|content| content.text).unwrap_or_default();
        let uris = view.list_without_tasks().into_iter().map(|resource| resource.uri);
        let resources =
            uris.map(|uri| (ContentHash::of(text_of(&uri).as_bytes()), uri)).map(|(hash, uri)| (uri, hash));
        let resources = resources.collect();
        Self { snapshot, tools, prompts, resources, tasks, problems }
    }

    pub(crate) fn tasks(&self) -> &Tasks {
        &self.tasks
    }

    /// Returns the open problems of gateways.
    pub(crate) fn problems(&self) -> &GatewayProblems {
        &self.problems
    }

    /// Returns whether the files of the team, the tools of servers and the problems of gateways are unchanged.
    pub(crate) fn is_current(
        &self,
        snapshot: &Snapshot,
        server: &Server,
        problems: &GatewayProblems,
    ) -> bool {
        self.snapshot == *snapshot
            && server.source().is_none_or(|source| self.tools.are_selected_from(&source.tools()))
            && self.problems.list() == problems.list()
    }

    /// Replaces the tasks and the equal problems while the files of the team are unchanged, and returns the changes.
    pub(crate) fn replace_tasks(&mut self, tasks: Tasks, problems: GatewayProblems) -> Changes {
        let changes = Changes {
            resources: !self.tasks.addresses().eq(tasks.addresses()),
            updated: self.tasks.find_updated(&tasks),
            ..Changes::default()
        };
        self.tasks = tasks;
        self.problems = problems;
        changes
    }

    /// Returns the changes to `now`.
    pub(crate) fn to(&self, now: &Self) -> Changes {
        let removed = self.resources.keys().filter(|uri| !now.resources.contains_key(*uri));
        let other = now
            .resources
            .iter()
            .filter(|(uri, hash)| self.resources.get(*uri).is_some_and(|before| before != *hash));
        Changes {
            tools: self.tools != now.tools,
            prompts: self.prompts != now.prompts,
            resources: !self.resources.keys().eq(now.resources.keys())
                || !self.tasks.addresses().eq(now.tasks.addresses()),
            updated: removed
                .chain(other.map(|(uri, _)| uri))
                .cloned()
                .chain(self.tasks.find_updated(&now.tasks))
                .collect(),
        }
    }
}
