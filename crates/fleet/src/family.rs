//! The files of all layers, read.

mod load;

use std::collections::BTreeMap;

use minds_diagnostics::{Parsed, SourceFile, Span};
use minds_document::{Document, Field, Node, Scope, Snapshot, Spanned};
use minds_paths::{Location, MountId};

use crate::model::{Agent, Models, Project, PromptPath, Tools};
use crate::tools::{ToolLists, ToolName};

/// What the files of all layers say, before they are put together.
#[derive(Debug, Default)]
pub struct FleetFamily {
    /// The layers, the one with the last word first.
    pub layers: Vec<Layer>,
    /// The text of each file that could be read, even if it says nothing that could be understood.
    pub texts: Vec<SourceFile>,
    documents: Vec<Document>,
}

/// The files of one layer.
#[derive(Debug)]
pub struct Layer {
    /// Where the layer is.
    pub mount: MountId,
    /// Whether nothing is known about it, because it could not be looked into.
    pub is_closed: bool,
    /// `project.yaml`, if it is there.
    pub project: Option<FleetFile<Project>>,
    /// `models.yaml`, if it is there.
    pub models: Option<FleetFile<Models>>,
    /// `tools.yaml`, if it is there.
    pub tools: Option<FleetFile<Tools>>,
    /// `defaults/agent`, if it is there.
    pub default_agent: Option<DefaultAgent>,
    /// The agents, by name.
    pub agents: BTreeMap<String, AgentEntry>,
    /// Agents of the older form that are hidden by a directory: their ids.
    pub hidden: Vec<FleetFile<Spanned<String>>>,
    /// Agents of the older form that have the id of one before them, and are not read.
    pub repeated: Vec<FleetFile<RepeatedId>>,
    /// Whether there are no other agents than these.
    pub has_all_agents: bool,
}

/// A file as far as it could be read.
#[derive(Debug)]
pub struct FleetFile<T> {
    /// Where the file is.
    pub location: Location,
    /// The tree; none if there is no reliable one.
    document: Option<usize>,
    /// What it says; none if it is no mapping.
    pub content: Option<T>,
}

/// An id that two agents of one file have.
#[derive(Debug)]
pub struct RepeatedId {
    /// The id of the first of them.
    pub first: Spanned<String>,
    /// The id of the other one.
    pub again: Spanned<String>,
}

/// What `defaults/agent` says.
#[derive(Debug)]
pub struct DefaultAgent {
    /// The text; none if it could not be read.
    pub source: Option<SourceFile>,
    /// The name, without white space around it.
    pub name: String,
    /// Where the name stands.
    pub span: Span,
}

/// An agent of a layer.
#[derive(Debug)]
pub struct AgentEntry {
    /// The directory; of an agent of an older form where it would be.
    pub folder: Location,
    /// The file; none if the directory has none, or what it has could not be read.
    pub file: Option<FleetFile<Agent>>,
    /// Whether the directory lacks the file.
    pub lacks_file: bool,
    /// Whether it stands in the file of an older form.
    pub is_legacy: bool,
    /// The texts of its directory that could be read, by place.
    pub prompts: BTreeMap<Location, SourceFile>,
    /// The places of its directory at which something stands that could not be read, which was reported.
    pub unreadable: Vec<Location>,
}

/// Where the entries of lists of tools stand.
#[derive(Clone, Debug)]
pub struct ToolEntries<'f> {
    family: &'f FleetFamily,
    /// The tree of each entry, by where the entry lies in memory.
    documents: BTreeMap<usize, usize>,
}

/// What stands in the place of a prompt file.
#[derive(Clone, Copy, Debug)]
pub enum Prompt<'f> {
    /// A text.
    Text(&'f SourceFile),
    /// Something that could not be read, which was reported.
    Unreadable,
    /// Nothing.
    Missing,
}

impl FleetFamily {
    /// Reads the layers of a snapshot; files that are not there count as not written.
    pub fn load(snapshot: &Snapshot) -> Parsed<Self> {
        load::load(snapshot)
    }

    /// Returns the prompt files that agents name and that the scope of a layer does not hold, to be read beside it.
    pub fn named_scope(&self) -> Scope {
        let named = self.layers.iter().flat_map(|layer| layer.agents.values()).flat_map(|agent| {
            let paths = agent.prompt_paths().map(|path| agent.prompt_location(path));
            paths.filter(|place| matches!(agent.prompt_at(place), Prompt::Missing)).collect::<Vec<_>>()
        });
        Scope::of_files(named)
    }

    /// Returns the tree of a file, if there is a reliable one.
    pub fn document<T>(&self, file: &FleetFile<T>) -> Option<&Document> {
        self.documents.get(file.document?)
    }

    /// Returns whether all agents of all layers are known.
    pub fn has_all_agents(&self) -> bool {
        self.layers.iter().all(|layer| layer.has_all_agents)
    }

    /// Returns the agents that count, by name, each with its layer: of several with one name that of the highest layer,
    /// whole.
    pub fn agents(&self) -> BTreeMap<&str, (&Layer, &AgentEntry)> {
        let mut agents = BTreeMap::new();
        for layer in &self.layers {
            for (name, agent) in &layer.agents {
                agents.entry(name.as_str()).or_insert((layer, agent));
            }
        }
        agents
    }

    /// Returns where the entries of all lists of tools stand.
    pub fn tool_entries(&self) -> ToolEntries<'_> {
        let mut documents = BTreeMap::new();
        for (document, lists) in self.layers.iter().flat_map(Layer::tool_lists) {
            let lists = lists.and_then(Field::given).map(|lists| &lists.value);
            let both = lists.into_iter().flat_map(|lists| [lists.allow.given(), lists.deny.given()]);
            for entry in both.flatten().flat_map(|list| &list.value.items) {
                documents.extend(document.map(|document| (address(entry), document)));
            }
        }
        ToolEntries { family: self, documents }
    }

    /// Returns the topmost nodes of a file in all layers that have it, the one with the last word first.
    pub fn roots<'f, T: 'f>(
        &'f self,
        get: impl Fn(&'f Layer) -> Option<&'f FleetFile<T>>,
    ) -> impl Iterator<Item = Node<'f>> {
        self.layers.iter().filter_map(move |layer| Some(self.document(get(layer)?)?.root()))
    }
}

impl ToolEntries<'_> {
    /// Returns the node of an entry; none if it is no entry of the family.
    pub fn node_of(&self, entry: &Spanned<ToolName>) -> Option<Node<'_>> {
        let document = self.family.documents.get(*self.documents.get(&address(entry))?)?;
        Some(document.node(entry.node))
    }
}

/// Returns where an entry lies in memory, by which it is told from equal ones. Nothing is ordered by it that is shown.
fn address(entry: &Spanned<ToolName>) -> usize {
    std::ptr::from_ref(entry).addr()
}

impl Layer {
    /// Returns what the files of the layer say about tools, with the tree of each.
    fn tool_lists(&self) -> impl Iterator<Item = (Option<usize>, Option<&Field<ToolLists>>)> {
        let project =
            self.tools.iter().map(|file| (file.document, file.content.as_ref().map(|tools| &tools.tools)));
        let agents = self.agents.values().filter_map(|agent| agent.file.as_ref());
        project.chain(agents.map(|file| (file.document, file.content.as_ref().map(|agent| &agent.tools))))
    }

    fn new(mount: MountId, is_closed: bool) -> Self {
        Self {
            mount,
            is_closed,
            project: None,
            models: None,
            tools: None,
            default_agent: None,
            agents: BTreeMap::new(),
            hidden: Vec::new(),
            repeated: Vec::new(),
            has_all_agents: !is_closed,
        }
    }
}

impl AgentEntry {
    fn new(folder: Location) -> Self {
        Self {
            folder,
            file: None,
            lacks_file: true,
            is_legacy: false,
            prompts: BTreeMap::new(),
            unreadable: Vec::new(),
        }
    }

    /// Returns what the file says, if there is something to speak about.
    pub fn content(&self) -> Option<&Agent> {
        self.file.as_ref()?.content.as_ref()
    }

    /// Returns the place of a prompt file.
    pub fn prompt_location(&self, path: &PromptPath) -> Location {
        let below = path.path().segments().fold(self.folder.path.clone(), |folder, name| {
            // The names were looked at already.
            folder.join(name).unwrap_or(folder)
        });
        Location::new(self.folder.mount.clone(), below)
    }

    /// Returns what stands at a place of the directory.
    pub fn prompt_at(&self, place: &Location) -> Prompt<'_> {
        match self.prompts.get(place) {
            Some(text) => Prompt::Text(text),
            None if self.unreadable.contains(place) => Prompt::Unreadable,
            None => Prompt::Missing,
        }
    }

    /// Returns the texts of the prompt that could be read, the base first.
    pub fn named_prompts(&self) -> Vec<&SourceFile> {
        let mut texts: Vec<&SourceFile> = Vec::new();
        for path in self.prompt_paths() {
            let Some(found) = self.prompts.get(&self.prompt_location(path)) else { continue };
            // One file may be both.
            if texts.iter().all(|known| known.name() != found.name()) {
                texts.push(found);
            }
        }
        texts
    }

    /// Returns the paths that the file names.
    fn prompt_paths(&self) -> impl Iterator<Item = &PromptPath> {
        let files = self.content().and_then(|agent| agent.prompt.given()).map(|files| &files.value);
        let files = files.into_iter().flat_map(|files| [files.base.given(), files.overlay.given()]);
        files.flatten().map(|path| &path.value)
    }
}
