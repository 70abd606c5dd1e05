//! The files of all layers, read.

use std::collections::BTreeMap;

use minds_diagnostics::{Parsed, Problems, SourceFile, Span};
use minds_document::{
    Context, Decode, Document, Field, Format, Node, Scope, Snapshot, SnapshotEntry, Spanned,
};
use minds_paths::{Location, MountId};

use crate::decode::{LegacyAgent, LegacyAgents};
use crate::model::{Agent, Models, Project, PromptPath, Tools};
use crate::stack::{
    AGENT_FILE, AGENTS_FOLDER, DEFAULT_AGENT_FILE, FOLDER, LEGACY_AGENTS_FILE, MODELS_FILE, PROJECT_FILE,
    TOOLS_FILE, in_agent, layers, location,
};
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
        let mut load =
            Load { snapshot, cx: Context::new(), problems: Problems::new(), family: Self::default() };
        for mount in layers(snapshot) {
            let layer = load.layer(mount);
            load.family.layers.push(layer);
        }
        load.problems.append(load.cx.into_problems());
        Parsed { value: load.family, problems: load.problems }
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

struct Load<'s> {
    snapshot: &'s Snapshot,
    cx: Context,
    problems: Problems,
    family: FleetFamily,
}

impl Load<'_> {
    fn layer(&mut self, mount: MountId) -> Layer {
        if self.is_closed(&mount, FOLDER) {
            return Layer::new(mount, true);
        }
        let agents_closed = self.is_closed(&mount, AGENTS_FOLDER);
        let mut layer = Layer::new(mount, false);
        layer.has_all_agents = !agents_closed;
        let mount = layer.mount.clone();
        let mount = &mount;
        layer.project = self.file(mount, PROJECT_FILE);
        layer.models = self.file(mount, MODELS_FILE);
        layer.tools = self.file(mount, TOOLS_FILE);
        layer.default_agent = self.default_agent(mount);
        self.folders(&mut layer);
        if let Some(file) = self.file::<LegacyAgents>(mount, LEGACY_AGENTS_FILE) {
            legacy(&mut layer, file);
        }
        layer
    }

    /// Returns whether a directory is there and cannot be looked into, and reports it.
    fn is_closed(&mut self, mount: &MountId, path: &str) -> bool {
        let place = location(mount, path);
        place.is_some_and(|place| match self.snapshot.get(&place) {
            // What stands in the place of a directory is none.
            Some(SnapshotEntry::Link { .. } | SnapshotEntry::File { .. } | SnapshotEntry::Special) => {
                let not = "it is no directory".to_owned();
                let mut closed = Snapshot::new();
                closed.insert(place.clone(), SnapshotEntry::Unreadable { reason: not });
                closed.is_closed(&place, &mut self.problems)
            }
            _ => self.snapshot.is_closed(&place, &mut self.problems),
        })
    }

    /// Reads a file, if it is there.
    fn file<T: Decode>(&mut self, mount: &MountId, path: &str) -> Option<FleetFile<T>> {
        self.file_at(location(mount, path)?)
    }

    fn file_at<T: Decode>(&mut self, location: Location) -> Option<FleetFile<T>> {
        self.snapshot.get(&location)?;
        let mut file = FleetFile { location, document: None, content: None };
        let Some(source) = self.snapshot.source(&file.location, &mut self.problems) else {
            return Some(file);
        };
        self.family.texts.push(source.clone());
        if let Some(document) = Format::Yaml.parse(&source).take(&mut self.problems) {
            file.content = T::decode(document.root(), &mut self.cx);
            file.document = Some(self.family.documents.len());
            self.family.documents.push(document);
        }
        Some(file)
    }

    fn default_agent(&mut self, mount: &MountId) -> Option<DefaultAgent> {
        let location = location(mount, DEFAULT_AGENT_FILE)?;
        self.snapshot.get(&location)?;
        let none = DefaultAgent { source: None, name: String::new(), span: Span::default() };
        let Some(source) = self.text(&location) else { return Some(none) };
        let text = source.text().unwrap_or_default();
        let name = text.trim().to_owned();
        let start = u32::try_from(text.len() - text.trim_start().len()).unwrap_or(u32::MAX);
        let length = u32::try_from(name.len()).unwrap_or_default();
        Some(DefaultAgent {
            span: Span::new(start, start.saturating_add(length)),
            name,
            source: Some(source),
        })
    }

    /// Reads a file that is no tree.
    fn text(&mut self, location: &Location) -> Option<SourceFile> {
        let source = self.snapshot.source(location, &mut self.problems)?;
        let read = crate::prompt_file::readable(&source, &mut self.problems);
        read.then(|| {
            self.family.texts.push(source.clone());
            source
        })
    }

    /// Reads the directories of agents.
    fn folders(&mut self, layer: &mut Layer) {
        let snapshot = self.snapshot;
        let all = snapshot.iter().filter(|(location, _)| location.mount == layer.mount);
        for (place, entry) in all {
            let Some((name, rest)) = in_agent(&place.path) else { continue };
            if rest.is_empty() {
                match entry {
                    // A file beside the directories is nobody's.
                    SnapshotEntry::File { .. } | SnapshotEntry::Special => {}
                    SnapshotEntry::Directory => {
                        let agent = AgentEntry::new(place.clone());
                        layer.agents.entry(name.to_owned()).or_insert(agent);
                    }
                    SnapshotEntry::Link { .. } | SnapshotEntry::Unreadable { .. } => {
                        let _ = snapshot.source(place, &mut self.problems);
                        layer.has_all_agents = false;
                    }
                }
                continue;
            }
            let Some(folder) = location(&layer.mount, &format!("{AGENTS_FOLDER}/{name}")) else { continue };
            let agent = layer.agents.entry(name.to_owned()).or_insert_with(|| AgentEntry::new(folder));
            if rest == AGENT_FILE {
                agent.file = self.file_at(place.clone());
                agent.lacks_file = false;
            } else if !matches!(entry, SnapshotEntry::Directory) {
                match self.text(place) {
                    Some(source) => {
                        agent.prompts.insert(place.clone(), source);
                    }
                    None => agent.unreadable.push(place.clone()),
                }
            }
        }
    }
}

/// Adds the agents of the older form that have no directory.
fn legacy(layer: &mut Layer, file: FleetFile<LegacyAgents>) {
    let Some(read) = file.content else {
        layer.has_all_agents = false;
        return;
    };
    layer.has_all_agents &= read.is_complete;
    for LegacyAgent { id, agent } in read.agents {
        let Some(folder) = location(&layer.mount, &format!("{AGENTS_FOLDER}/{}", id.value)) else { continue };
        let entry = layer.agents.entry(id.value.clone()).or_insert_with(|| AgentEntry::new(folder));
        let place = file.location.clone();
        if entry.lacks_file {
            entry.file = Some(FleetFile { location: place, document: file.document, content: Some(agent) });
            (entry.lacks_file, entry.is_legacy) = (false, true);
        } else {
            layer.hidden.push(FleetFile { location: place, document: file.document, content: Some(id) });
        }
    }
}
