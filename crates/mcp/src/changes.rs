//! What became another since somebody looked.

use std::collections::BTreeMap;

use minds_document::{ContentHash, Snapshot};

use crate::prompts;
use crate::resources::Shelf;
use crate::server::Server;
use crate::tasks::Tasks;

/// What a client may want to ask for again.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Changes {
    /// The caller has other tools.
    pub(crate) tools: bool,
    /// There are other prompts.
    pub(crate) prompts: bool,
    /// There are other resources.
    pub(crate) resources: bool,
    /// These resources say something else, or are not there any more.
    pub(crate) updated: Vec<String>,
}

impl Changes {
    /// Returns whether nothing changed.
    pub(crate) fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// What was there at a look.
#[derive(Debug)]
pub(crate) struct Seen {
    snapshot: Snapshot,
    tools: Vec<&'static str>,
    prompts: Vec<&'static str>,
    /// What each resource said that is made of the snapshot.
    resources: BTreeMap<String, ContentHash>,
    tasks: Tasks,
}

impl Seen {
    /// Looks at what `server` offers while its files are `snapshot`.
    pub(crate) fn new(server: &Server, snapshot: Snapshot, tasks: Tasks) -> Self {
        let tools = server.tools().iter().map(|tool| tool.name).collect();
        let prompts = prompts::list(server).iter().map(|prompt| prompt.name).collect();
        let shelf = Shelf::of(server, &snapshot);
        let said = |uri: &str| shelf.read(uri).map(|content| content.text).unwrap_or_default();
        let uris = shelf.list_without_tasks().into_iter().map(|resource| resource.uri);
        let resources =
            uris.map(|uri| (ContentHash::of(said(&uri).as_bytes()), uri)).map(|(hash, uri)| (uri, hash));
        let resources = resources.collect();
        Self { snapshot, tools, prompts, resources, tasks }
    }

    /// Returns the tasks that were there.
    pub(crate) fn tasks(&self) -> &Tasks {
        &self.tasks
    }

    /// Returns whether the files of the team are still the same.
    pub(crate) fn is_of(&self, snapshot: &Snapshot) -> bool {
        self.snapshot == *snapshot
    }

    /// Remembers other tasks, while the files of the team are the same, and returns what changed by that.
    pub(crate) fn turn_to(&mut self, tasks: Tasks) -> Changes {
        let changes = Changes {
            resources: !self.tasks.addresses().eq(tasks.addresses()),
            updated: self.tasks.updated(&tasks),
            ..Changes::default()
        };
        self.tasks = tasks;
        changes
    }

    /// Returns what is another in `now`.
    pub(crate) fn to(&self, now: &Self) -> Changes {
        let gone = self.resources.keys().filter(|uri| !now.resources.contains_key(*uri));
        let other = now
            .resources
            .iter()
            .filter(|(uri, hash)| self.resources.get(*uri).is_some_and(|before| before != *hash));
        Changes {
            tools: self.tools != now.tools,
            prompts: self.prompts != now.prompts,
            resources: !self.resources.keys().eq(now.resources.keys())
                || !self.tasks.addresses().eq(now.tasks.addresses()),
            updated: gone
                .chain(other.map(|(uri, _)| uri))
                .cloned()
                .chain(self.tasks.updated(&now.tasks))
                .collect(),
        }
    }
}
