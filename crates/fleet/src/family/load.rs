//! Loading the files of layers.

use std::collections::{BTreeMap, BTreeSet};

use minds_diagnostics::{Parsed, Problems, SourceFile, Span};
use minds_document::{Context, Decode, Format, Spanned};
use minds_vfs::{Location, MountId, Snapshot, SnapshotEntry};

use super::{AgentEntry, DefaultAgent, FleetFamily, FleetFile, Layer, RepeatedId};
use crate::decode::{LegacyAgent, LegacyAgents};
use crate::rules::invalid_name;
use crate::stack::{
    AGENT_FILE, AGENTS_FOLDER, DEFAULT_AGENT_FILE, FOLDER, LEGACY_AGENTS_FILE, MODELS_FILE, PROJECT_FILE,
    TOOLS_FILE, in_agent, layers, location,
};

/// Loads the layers of a snapshot.
pub(super) fn load(snapshot: &Snapshot) -> Parsed<FleetFamily> {
    let family = FleetFamily::default();
    let mut load = Load { snapshot, cx: Context::new(), problems: Problems::new(), family };
    for mount in layers(snapshot) {
        let layer = load.layer(mount);
        load.family.layers.push(layer);
    }
    load.problems.append(load.cx.into_problems());
    Parsed { value: load.family, problems: load.problems }
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
        layer.scripts = self.scripts(&layer);
        layer.tools = self.file(mount, TOOLS_FILE);
        layer.default_agent = self.default_agent(mount);
        self.report_invalid_names(mount);
        self.folders(&mut layer);
        if let Some(file) = self.file::<LegacyAgents>(mount, LEGACY_AGENTS_FILE) {
            legacy(&mut layer, file);
        }
        layer
    }

    /// Returns whether a directory exists but cannot be opened, and reports it.
    fn is_closed(&mut self, mount: &MountId, path: &str) -> bool {
        let place = location(mount, path);
        place.is_some_and(|place| match self.snapshot.get(&place) {
            // The path exists but is not a directory.
            Some(
                SnapshotEntry::Link { .. }
                | SnapshotEntry::File { .. }
                | SnapshotEntry::Special
                | SnapshotEntry::HardLinked,
            ) => {
                let reason = "it is not a directory".to_owned();
                let mut closed = Snapshot::new();
                closed.insert(place.clone(), SnapshotEntry::Unreadable { reason });
                closed.is_closed(&place, &mut self.problems)
            }
            _ => self.snapshot.is_closed(&place, &mut self.problems),
        })
    }

    /// Returns the scripts of models that exist, and reports those that cannot be read.
    fn scripts(&mut self, layer: &Layer) -> BTreeSet<Location> {
        let mut scripts = BTreeSet::new();
        for place in layer.script_locations() {
            let exists = match self.snapshot.get(&place) {
                None | Some(SnapshotEntry::Directory | SnapshotEntry::Special) => false,
                Some(SnapshotEntry::File { .. } | SnapshotEntry::Unread | SnapshotEntry::TooLarge { .. }) => {
                    true
                }
                Some(_) => {
                    let _ = self.snapshot.source(&place, &mut self.problems);
                    true
                }
            };
            if exists {
                scripts.insert(place);
            }
        }
        scripts
    }

    /// Loads a file, if it exists.
    fn file<T: Decode>(&mut self, mount: &MountId, path: &str) -> Option<FleetFile<T>> {
        self.file_at(location(mount, path)?)
    }

    fn file_at<T: Decode>(&mut self, location: Location) -> Option<FleetFile<T>> {
        self.snapshot.get(&location)?;
        let mut file = FleetFile { location, document: None, content: None };
        let Some(source) = self.snapshot.source(&file.location, &mut self.problems) else {
            return Some(file);
        };
        self.family.sources.push(source.clone());
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
        // A byte order mark is not part of the name.
        let bare = text.strip_prefix('\u{feff}').unwrap_or(text);
        let name = bare.trim().to_owned();
        let start = u32::try_from(text.len() - bare.trim_start().len()).unwrap_or(u32::MAX);
        let length = u32::try_from(name.len()).unwrap_or_default();
        Some(DefaultAgent {
            span: Span::new(start, start.saturating_add(length)),
            name,
            source: Some(source),
        })
    }

    /// Loads a plain text file.
    fn text(&mut self, location: &Location) -> Option<SourceFile> {
        let source = self.snapshot.source(location, &mut self.problems)?;
        let read = crate::prompt_file::readable(&source, &mut self.problems);
        read.then(|| {
            self.family.sources.push(source.clone());
            source
        })
    }

    /// Reports agent directories whose names cannot be part of a path.
    fn report_invalid_names(&mut self, mount: &MountId) {
        let Some(folder) = location(mount, AGENTS_FOLDER) else { return };
        for (_, name) in self.snapshot.invalid_names().filter(|(directory, _)| **directory == folder) {
            invalid_name::report_directory(&folder, name, &mut self.problems);
        }
    }

    /// Reads the directories of agents.
    fn folders(&mut self, layer: &mut Layer) {
        let snapshot = self.snapshot;
        let all = snapshot.iter().filter(|(location, _)| location.mount == layer.mount);
        for (place, entry) in all {
            let Some((name, rest)) = in_agent(&place.path) else { continue };
            if rest.is_empty() {
                match entry {
                    // Files next to the directories are ignored.
                    SnapshotEntry::File { .. }
                    | SnapshotEntry::Special
                    | SnapshotEntry::HardLinked
                    | SnapshotEntry::Unread
                    | SnapshotEntry::TooLarge { .. } => {}
                    SnapshotEntry::Directory => {
                        let agent = AgentEntry::new(place.clone());
                        layer.agents.entry(name.to_owned()).or_insert(agent);
                    }
                    SnapshotEntry::Link { .. }
                    | SnapshotEntry::Outside { .. }
                    | SnapshotEntry::Untrusted { .. }
                    | SnapshotEntry::Unreadable { .. } => {
                        let _ = snapshot.source(place, &mut self.problems);
                        // It is not nothing: agents of this name in lower layers are hidden by it.
                        let agent = AgentEntry { lacks_file: false, ..AgentEntry::new(place.clone()) };
                        layer.agents.entry(name.to_owned()).or_insert(agent);
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
    let mut ids: BTreeMap<String, Spanned<String>> = BTreeMap::new();
    for LegacyAgent { id, agent } in read.agents {
        // A duplicate id in the file is reported as such, even if a directory hides the agent.
        if let Some(first) = ids.get(&id.value) {
            let content = Some(RepeatedId { first: first.clone(), again: id });
            layer.repeated.push(FleetFile {
                location: file.location.clone(),
                document: file.document,
                content,
            });
            continue;
        }
        ids.insert(id.value.clone(), id.clone());
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
