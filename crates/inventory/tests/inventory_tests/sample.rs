//! Sources and data directories for tests.

use std::collections::BTreeMap;

use minds_diagnostics::Contents;
use minds_inventory::plan::{AgentHome, InstallRequest, InventoryContext, Occupant, Places, Plan, install};
use minds_inventory::{
    AbsolutePath, Alias, InstalledItems, Inventory, LobeMode, Placement, RegisteredSource, Registry,
};
use minds_sources::{
    Catalog, Identity, Item, ItemContent, ItemFile, ItemKey, ItemKind, Pin, Prefix, Remote, SourceItems,
};
use minds_vfs::WorkspacePath;

pub(crate) fn identity(name: &str) -> Identity {
    Identity::parse(name).unwrap()
}

pub(crate) fn key(text: &str) -> ItemKey {
    ItemKey::parse(text).unwrap()
}

pub(crate) fn path(text: &str) -> WorkspacePath {
    WorkspacePath::parse(text).unwrap()
}

pub(crate) fn at(text: &str) -> AbsolutePath {
    AbsolutePath::parse(text).unwrap()
}

fn file(text: &str) -> ItemFile {
    ItemFile { bytes: Contents::from(text), is_executable: false }
}

fn folder(files: &[(&str, &str)]) -> ItemContent {
    ItemContent::Folder(files.iter().map(|(at, text)| (path(at), file(text))).collect())
}

/// Returns an item; the words after its name are its requirements: `skill:a agent:b c`.
pub(crate) fn item(text: &str) -> Item {
    let mut words = text.split(' ');
    let key = key(words.next().unwrap());
    Item {
        kind: key.kind,
        path: path(&format!("{}/{}", key.kind.folder(), key.name)),
        name: key.name,
        description: Some(format!("about {text}")),
        requires: words.map(str::to_owned).collect(),
        link: None,
        bin: None,
        build: None,
        hooks: Vec::new(),
    }
}

/// Returns the content of an item with this text in its only or main file.
fn content(item: &Item, text: &str) -> ItemContent {
    match item.kind {
        ItemKind::Skill => folder(&[("SKILL.md", text)]),
        ItemKind::Tool => folder(&[(item.name.as_str(), text)]),
        ItemKind::Agent | ItemKind::Rule => ItemContent::File(file(text)),
    }
}

/// Returns the inventory of a source: items with their text.
pub(crate) fn source(name: &str, prefix: &str, items: &[(&str, &str)]) -> SourceItems {
    let items: Vec<(Item, &str)> = items.iter().map(|(words, text)| (item(words), *text)).collect();
    of_items(name, prefix, items)
}

pub(crate) fn of_items(name: &str, prefix: &str, items: Vec<(Item, &str)>) -> SourceItems {
    let contents: Vec<_> = items.iter().map(|(item, text)| Ok(content(item, text))).collect();
    let items = items.into_iter().map(|(item, _)| item).collect();
    let catalog = Catalog { items, ..Catalog::default() };
    SourceItems::new(identity(name), Prefix::parse(prefix).unwrap(), None, catalog, contents)
}

pub(crate) fn registered_source(name: &str) -> RegisteredSource {
    RegisteredSource {
        identity: identity(name),
        remote: Remote::Repository(format!("https://{name}")),
        commit: Some("1234567890".repeat(4)),
        tree: Some("abcdef0123".repeat(4)),
        description: None,
        alias: Alias::Declared,
        pin: Pin::DefaultBranch,
        roots: None,
        curator: None,
        hooks: Vec::new(),
        install_hooks: Vec::new(),
    }
}

/// A data directory with agent homes, and the files in them.
pub(crate) struct Sample {
    pub(crate) inventory: Inventory,
    pub(crate) registry: Registry,
    pub(crate) installed: InstalledItems,
    pub(crate) lobes: Vec<AgentHome>,
    pub(crate) home: AbsolutePath,
    pub(crate) user_home: AbsolutePath,
    pub(crate) disk: Places,
}

impl Sample {
    pub(crate) fn new(sources: Vec<SourceItems>) -> Self {
        let registry =
            Registry { sources: sources.iter().map(|s| registered_source(s.identity.as_str())).collect() };
        Self {
            inventory: Inventory::new(sources),
            registry,
            installed: InstalledItems::default(),
            lobes: vec![AgentHome { path: at("/home/u/.claude"), mode: LobeMode::Link }],
            home: at("/home/u/.minds"),
            user_home: at("/home/u"),
            disk: Places::new(),
        }
    }

    pub(crate) fn context(&self) -> InventoryContext<'_> {
        InventoryContext {
            inventory: &self.inventory,
            registry: &self.registry,
            installed: &self.installed,
            lobes: &self.lobes,
            home: &self.home,
            user_home: Some(&self.user_home),
        }
    }

    /// Puts an occupant at a path.
    pub(crate) fn put(&mut self, place: &str, occupant: Occupant) {
        self.disk.insert(at(place), occupant);
    }

    /// Returns the occupants of paths.
    pub(crate) fn occupants(&self, places: impl IntoIterator<Item = AbsolutePath>) -> Places {
        let occupant = |place: AbsolutePath| {
            (place.clone(), self.disk.get(&place).cloned().unwrap_or(Occupant::Nothing))
        };
        places.into_iter().map(occupant).collect()
    }

    /// Returns a request to install everything.
    pub(crate) fn request(&self, is_forced: bool) -> InstallRequest {
        let mut request = InstallRequest::default();
        for source in self.inventory.sources() {
            request.append(InstallRequest::all_of_source(&self.context(), &source.identity, is_forced));
        }
        request
    }

    pub(crate) fn plan(&self, request: &InstallRequest) -> Plan {
        let places = self.occupants(request.places(&self.context()));
        install(&self.context(), request, &places)
    }

    /// Applies a plan to the disk of the sample. Fails if a path that it changes is not as the plan expects.
    pub(crate) fn apply(&mut self, plan: &Plan) {
        let clear = |disk: &mut Places, place: &AbsolutePath, found: &Occupant| {
            assert_eq!(disk.get(place).unwrap_or(&Occupant::Nothing), found, "{place}");
            disk.remove(place);
        };
        for step in &plan.removals {
            clear(&mut self.disk, &self.home.join(&step.store), &step.found);
            step.unlinks.iter().for_each(|unlink| clear(&mut self.disk, &unlink.at, &unlink.found));
            assert!(self.installed.items.remove(&step.record.key).is_some());
        }
        for step in &plan.installs {
            let store = self.home.join(&step.record.store_path());
            clear(&mut self.disk, &store, &step.found);
            self.disk.insert(store, Occupant::Content(step.content.hash()));
            step.unlinks.iter().for_each(|unlink| clear(&mut self.disk, &unlink.at, &unlink.found));
            for link in &step.links {
                clear(&mut self.disk, &link.at, &link.found);
                let new = match step.record.placed.get(&link.at).unwrap() {
                    Placement::Link => Occupant::Link(link.target.to_string()),
                    Placement::Copy(hash) => Occupant::Content(*hash),
                };
                self.disk.insert(link.at.clone(), new);
            }
            self.installed.items.insert(step.record.key.clone(), step.record.clone());
        }
    }

    /// Installs every offered item.
    pub(crate) fn install_all(&mut self) {
        let plan = self.plan(&self.request(false));
        assert_eq!(plan.refusals, []);
        self.apply(&plan);
    }

    /// Replaces the offered sources.
    pub(crate) fn offer(&mut self, sources: Vec<SourceItems>) {
        self.inventory = Inventory::new(sources);
    }

    pub(crate) fn disk_by_path(&self) -> BTreeMap<String, Occupant> {
        self.disk.iter().map(|(at, occupant)| (at.to_string(), occupant.clone())).collect()
    }
}
