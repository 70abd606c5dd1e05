//! What became another since somebody looked.

use std::collections::BTreeMap;

use minds_document::{ContentHash, Snapshot};

use crate::prompts;
use crate::resources::Shelf;
use crate::server::Server;

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
    /// What each resource said.
    resources: BTreeMap<String, ContentHash>,
}

impl Seen {
    /// Looks at what `server` offers while its files are `snapshot`.
    pub(crate) fn new(server: &Server, snapshot: Snapshot) -> Self {
        let tools = server.tools().iter().map(|tool| tool.name).collect();
        let prompts = prompts::list(server).iter().map(|prompt| prompt.name).collect();
        let shelf = Shelf::of(server, &snapshot);
        let said = |uri: &str| shelf.read(uri).map(|content| content.text).unwrap_or_default();
        let uris = shelf.list().into_iter().map(|resource| resource.uri);
        let resources =
            uris.map(|uri| (ContentHash::of(said(&uri).as_bytes()), uri)).map(|(hash, uri)| (uri, hash));
        let resources = resources.collect();
        Self { snapshot, tools, prompts, resources }
    }

    /// Returns whether the files are still the same.
    pub(crate) fn is_of(&self, snapshot: &Snapshot) -> bool {
        self.snapshot == *snapshot
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
            resources: !self.resources.keys().eq(now.resources.keys()),
            updated: gone.chain(other.map(|(uri, _)| uri)).cloned().collect(),
        }
    }
}
