//! The decoded files of all layers.

mod load;

use std::collections::{BTreeMap, BTreeSet};

use minds_diagnostics::{Parsed, SourceFile, Span};
use minds_document::{Document, Field, Node, Spanned};
use minds_vfs::{Location, MountId, Scope, Snapshot, WorkspacePath};

use crate::model::{Agent, Models, Project, PromptPath, Tools};
use crate::tools::{ToolLists, ToolName};

/// The decoded files of all layers, before they are merged.
#[derive(Debug, Default)]
pub struct FleetFamily {
    /// The layers, highest first.
    pub layers: Vec<Layer>,
    /// The text of each readable file, even if it could not be decoded.
    pub sources: Vec<SourceFile>,
    documents: Vec<Document>,
}

/// The files of one layer.
#[derive(Debug)]
pub struct Layer {
    /// The mount.
    pub mount: MountId,
    /// Whether it could not be opened, so that its content is unknown.
    pub is_closed: bool,
    /// `project.yaml`, if it exists.
    pub project: Option<FleetFile<Project>>,
    /// `models.yaml`, if it exists.
    pub models: Option<FleetFile<Models>>,
    /// The scripts of its models that exist, even if they cannot be read.
    pub scripts: BTreeSet<Location>,
    /// `tools.yaml`, if it exists.
    pub tools: Option<FleetFile<Tools>>,
    /// `defaults/agent`, if it exists.
    pub default_agent: Option<DefaultAgent>,
    /// The agents, by name.
    pub agents: BTreeMap<String, AgentEntry>,
    /// The ids of agents in the older form that are hidden by a directory.
    pub hidden: Vec<FleetFile<Spanned<String>>>,
    /// Agents in the older form with a duplicate id, which are ignored.
    pub repeated: Vec<FleetFile<RepeatedId>>,
    /// Whether all agents are known.
    pub has_all_agents: bool,
}

/// A file, as far as it is readable.
#[derive(Debug)]
pub struct FleetFile<T> {
    /// The location of the file.
    pub location: Location,
    /// The index of the tree; `None` if it is not reliable.
    document: Option<usize>,
    /// The content; `None` if it is not a mapping.
    pub content: Option<T>,
}

/// A duplicate id of two agents in a file.
#[derive(Debug)]
pub struct RepeatedId {
    /// The first occurrence.
    pub first: Spanned<String>,
    /// The second occurrence.
    pub again: Spanned<String>,
}

/// The content of `defaults/agent`.
#[derive(Debug)]
pub struct DefaultAgent {
    /// The file; `None` if it is unreadable.
    pub source: Option<SourceFile>,
    /// The name, without white space around it.
    pub name: String,
    /// The span of the name.
    pub span: Span,
}

/// An agent of a layer.
#[derive(Debug)]
pub struct AgentEntry {
    /// The directory; for an agent in the older form, where it would be.
    pub folder: Location,
    /// The file; `None` if it is missing or unreadable.
    pub file: Option<FleetFile<Agent>>,
    /// Whether the directory lacks the file.
    pub lacks_file: bool,
    /// Whether it is defined in the older form.
    pub is_legacy: bool,
    /// The readable prompt files of its directory, by location.
    pub prompts: BTreeMap<Location, SourceFile>,
    /// The locations of unreadable files in its directory, which were reported.
    pub unreadable: Vec<Location>,
}

/// Maps entries of lists of tools to their nodes.
#[derive(Clone, Debug)]
pub struct ToolEntries<'f> {
    family: &'f FleetFamily,
    /// The tree of each entry, by the address of the entry.
    documents: BTreeMap<usize, usize>,
}

/// The state of a prompt file.
#[derive(Clone, Copy, Debug)]
pub enum Prompt<'f> {
    /// A readable file.
    Text(&'f SourceFile),
    /// An unreadable file, which was reported.
    Unreadable,
    /// The file does not exist.
    Missing,
}

impl FleetFamily {
    /// Loads the layers of a snapshot. Missing files are treated as empty.
    pub fn load(snapshot: &Snapshot) -> Parsed<Self> {
        load::load(snapshot)
    }

    /// Returns the prompt files and scripts that are referred to and that the scope of their layer does not contain.
    pub fn named_scope(&self) -> Scope {
        let named = self.layers.iter().flat_map(|layer| layer.agents.values()).flat_map(|agent| {
            let paths = agent.prompt_paths().map(|path| agent.prompt_location(path));
            paths.filter(|place| matches!(agent.prompt_at(place), Prompt::Missing)).collect::<Vec<_>>()
        });
        let scripts = self.layers.iter().flat_map(|layer| {
            layer.script_locations().into_iter().filter(|place| !layer.scripts.contains(place))
        });
        Scope::of_files(named.chain(scripts))
    }

    /// Returns the tree of a file, if it is reliable.
    pub fn document<T>(&self, file: &FleetFile<T>) -> Option<&Document> {
        self.documents.get(file.document?)
    }

    /// Returns whether all agents of all layers are known.
    pub fn has_all_agents(&self) -> bool {
        self.layers.iter().all(|layer| layer.has_all_agents)
    }

    /// Returns the effective agents by name, each with its layer: for duplicate names, that of the highest layer.
    pub fn agents(&self) -> BTreeMap<&str, (&Layer, &AgentEntry)> {
        let mut agents = BTreeMap::new();
        for layer in &self.layers {
            for (name, agent) in &layer.agents {
                agents.entry(name.as_str()).or_insert((layer, agent));
            }
        }
        agents
    }

    /// Returns the nodes of all entries of lists of tools.
    pub fn tool_entries(&self) -> ToolEntries<'_> {
        let mut documents = BTreeMap::new();
        for (document, lists) in self.layers.iter().flat_map(Layer::tool_lists) {
            let lists = lists.and_then(Field::as_given).map(|lists| &lists.value);
            let both = lists.into_iter().flat_map(|lists| [lists.allow.as_given(), lists.deny.as_given()]);
            for entry in both.flatten().flat_map(|list| &list.value.items) {
                documents.extend(document.map(|document| (address(entry), document)));
            }
        }
        ToolEntries { family: self, documents }
    }

    /// Returns the root nodes of a file in all layers that have it, highest first.
    pub fn roots<'f, T: 'f>(
        &'f self,
        get: impl Fn(&'f Layer) -> Option<&'f FleetFile<T>>,
    ) -> impl Iterator<Item = Node<'f>> {
        self.layers.iter().filter_map(move |layer| Some(self.document(get(layer)?)?.root()))
    }
}

impl ToolEntries<'_> {
    /// Returns the node of an entry; `None` if it does not belong to the family.
    pub fn node_of(&self, entry: &Spanned<ToolName>) -> Option<Node<'_>> {
        let document = self.family.documents.get(*self.documents.get(&address(entry))?)?;
        Some(document.node(entry.node))
    }
}

/// Returns the address of an entry, which distinguishes equal entries. It does not affect the order of any output.
fn address(entry: &Spanned<ToolName>) -> usize {
    std::ptr::from_ref(entry).addr()
}

impl Layer {
    /// Returns the lists of tools of the layer, each with its tree.
    fn tool_lists(&self) -> impl Iterator<Item = (Option<usize>, Option<&Field<ToolLists>>)> {
        let project =
            self.tools.iter().map(|file| (file.document, file.content.as_ref().map(|tools| &tools.tools)));
        let agents = self.agents.values().filter_map(|agent| agent.file.as_ref());
        project.chain(agents.map(|file| (file.document, file.content.as_ref().map(|agent| &agent.tools))))
    }

    /// Returns the location of a script.
    pub fn script_location(&self, path: &WorkspacePath) -> Location {
        Location::new(self.mount.clone(), path.clone())
    }

    /// Returns the locations of the scripts of all models.
    fn script_locations(&self) -> Vec<Location> {
        let models = self.models.iter().filter_map(|file| file.content.as_ref());
        let fields = models.flat_map(|models| &models.models).filter_map(|model| model.fields.as_given());
        let scripts =
            fields.filter_map(|fields| fields.value.model_settings.as_given()?.value.script.as_given());
        scripts.map(|path| self.script_location(&path.value)).collect()
    }

    fn new(mount: MountId, is_closed: bool) -> Self {
        Self {
            mount,
            is_closed,
            project: None,
            models: None,
            scripts: BTreeSet::new(),
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

    /// Returns the content of the file, if it is readable.
    pub fn content(&self) -> Option<&Agent> {
        self.file.as_ref()?.content.as_ref()
    }

    /// Returns the location of a prompt file.
    pub fn prompt_location(&self, path: &PromptPath) -> Location {
        let below = path.path().segments().fold(self.folder.path.clone(), |folder, name| {
            // The names were already validated.
            folder.join(name).unwrap_or(folder)
        });
        Location::new(self.folder.mount.clone(), below)
    }

    /// Returns the state of a prompt file.
    pub fn prompt_at(&self, place: &Location) -> Prompt<'_> {
        match self.prompts.get(place) {
            Some(text) => Prompt::Text(text),
            None if self.unreadable.contains(place) => Prompt::Unreadable,
            None => Prompt::Missing,
        }
    }

    /// Returns the readable files of the prompt, the base first.
    pub fn named_prompts(&self) -> Vec<&SourceFile> {
        let mut files: Vec<&SourceFile> = Vec::new();
        for path in self.prompt_paths() {
            let Some(found) = self.prompts.get(&self.prompt_location(path)) else { continue };
            // The base and the overlay may be the same file.
            if files.iter().all(|known| known.name() != found.name()) {
                files.push(found);
            }
        }
        files
    }

    /// Returns the paths of the prompt files.
    fn prompt_paths(&self) -> impl Iterator<Item = &PromptPath> {
        let files = self.content().and_then(|agent| agent.prompt.as_given()).map(|files| &files.value);
        let files = files.into_iter().flat_map(|files| [files.base.as_given(), files.overlay.as_given()]);
        files.flatten().map(|path| &path.value)
    }
}
