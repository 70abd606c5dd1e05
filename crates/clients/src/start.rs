//! What a client reads at the start of a session: a function of its data and of the files of a workspace.

use std::collections::BTreeSet;

use minds_diagnostics::SourceFile;
use minds_vfs::WorkspacePath;

use crate::client::{Client, First, StartFiles, StartSource};
use crate::family::{ClientFile, ClientsFamily};
use crate::imports::imports;
use crate::kind::Kind;
use crate::pattern::matches;
use crate::tree::{Item, Value};

/// How many files in a row are imported.
const MAX_IMPORT_DEPTH: usize = 5;

/// A file that a client reads at the start of a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StartFile {
    /// What it is.
    pub source: StartSource,
    /// The path in the workspace.
    pub path: WorkspacePath,
    /// The file that imports it.
    pub imported_by: Option<WorkspacePath>,
    /// The number of bytes that are read; none if the file cannot be read.
    pub bytes: Option<usize>,
}

/// A file that a file of a client names and that need not be one itself.
#[derive(Clone, Debug)]
pub enum NamedFile {
    /// It does not exist.
    Missing,
    /// It exists and cannot be read.
    Unreadable,
    /// Its content.
    Text(SourceFile),
}

/// Returns what a client reads at the start of a session in a directory of the workspace, in the order of its data.
///
/// `read` returns the files that instructions import and that are not files of clients. Each file is returned once; one that
/// does not exist is left out.
pub fn find_start_files(
    client: &Client,
    directory: &WorkspacePath,
    family: &ClientsFamily,
    read: &dyn Fn(&WorkspacePath) -> NamedFile,
) -> Vec<StartFile> {
    let mut start = Start { client, family, read, seen: BTreeSet::new(), found: Vec::new() };
    for files in &client.start {
        for path in select(files, directory, family, read) {
            start.add(files, &path);
        }
    }
    start.apply_limit();
    start.found
}

/// The files of one client while they are collected.
struct Start<'s> {
    client: &'s Client,
    family: &'s ClientsFamily,
    read: &'s dyn Fn(&WorkspacePath) -> NamedFile,
    seen: BTreeSet<WorkspacePath>,
    found: Vec<StartFile>,
}

impl Start<'_> {
    fn add(&mut self, files: &StartFiles, path: &WorkspacePath) {
        let file = find(self.family, path);
        if !files.only_if.is_empty() && !file.is_some_and(|file| applies(file, &files.only_if)) {
            return;
        }
        if files.source == StartSource::Instructions {
            self.add_text(path, None, 0);
        } else if !file.is_some_and(ClientFile::is_page) && self.seen.insert(path.clone()) {
            let bytes = file.map(description_bytes);
            self.found.push(StartFile { source: files.source, path: path.clone(), imported_by: None, bytes });
        }
    }

    /// Adds a file that is read whole, and then what it imports.
    fn add_text(&mut self, path: &WorkspacePath, imported_by: Option<&WorkspacePath>, depth: usize) {
        if !self.seen.insert(path.clone()) {
            return;
        }
        let source = match find(self.family, path) {
            Some(file) => Some(file.source.clone()),
            None if self.family.unreadable().any(|file| file == path) => None,
            None => match (self.read)(path) {
                NamedFile::Missing => return,
                NamedFile::Unreadable => None,
                NamedFile::Text(source) => Some(source),
            },
        };
        let bytes = source.as_ref().map(|source| source.bytes().len());
        let (imported_by, source_kind) = (imported_by.cloned(), StartSource::Instructions);
        self.found.push(StartFile { source: source_kind, path: path.clone(), imported_by, bytes });
        let has_imports = self.client.kind(Kind::Instructions).is_some_and(|known| known.imports);
        if let Some(source) = source.filter(|_| has_imports && depth < MAX_IMPORT_DEPTH) {
            for import in imports(path, &source) {
                self.add_text(&import.target, Some(path), depth + 1);
            }
        }
    }

    /// Shortens instructions of which only a part is read: what is beyond the limit of the client is not.
    fn apply_limit(&mut self) {
        let Some(mut left) = read_limit(self.client, self.family) else { return };
        for file in self.found.iter_mut().filter(|file| file.source == StartSource::Instructions) {
            if let Some(bytes) = &mut file.bytes {
                *bytes = (*bytes).min(left);
                left -= *bytes;
            }
        }
    }
}

/// Returns the MCP servers in the files of a client at the top of the workspace, each with its file.
pub fn find_start_servers<'f>(
    client: &Client,
    family: &'f ClientsFamily,
) -> Vec<(&'f str, &'f WorkspacePath)> {
    let Some(form) = &client.mcp else { return Vec::new() };
    let keys: Vec<&str> = form.path.iter().map(String::as_str).collect();
    let has_servers = |file: &&ClientFile| {
        let of_client = file.client.id == client.id && matches!(file.kind, Kind::Mcp | Kind::Settings);
        of_client && is_at_top(&file.path)
    };
    let mut servers = Vec::new();
    for file in family.files.iter().filter(has_servers) {
        let found = file.content.data.as_ref().and_then(|data| data.at(&keys)).map(Item::entries);
        servers.extend(found.into_iter().flatten().map(|entry| (entry.key.as_str(), &file.path)));
    }
    servers
}

/// Returns whether a file is at the top of the workspace, or in the directory of a client there.
fn is_at_top(path: &WorkspacePath) -> bool {
    path.parent().is_some_and(|parent| {
        parent.is_root() || (parent.as_str().starts_with('.') && !parent.as_str().contains('/'))
    })
}

/// Returns how many bytes of instructions a client reads; none if it reads all of them.
pub(crate) fn read_limit(client: &Client, family: &ClientsFamily) -> Option<usize> {
    let known = client.kind(Kind::Instructions).filter(|known| known.over_max_is_loss)?;
    let data = known.max_bytes.and_then(|max| usize::try_from(max).ok());
    configured_limit(family).or(data)
}

/// Returns the limit that the settings of Codex at the top of the workspace set.
pub(crate) fn configured_limit(family: &ClientsFamily) -> Option<usize> {
    let settings =
        family.of("codex", Kind::Settings).find(|file| file.path.as_str() == ".codex/config.toml")?;
    match settings.get("project_doc_max_bytes")?.value {
        Value::Integer(value) => usize::try_from(value).ok(),
        _ => None,
    }
}

/// Returns the number of bytes of the name and the description of an agent or a skill.
fn description_bytes(file: &ClientFile) -> usize {
    let text = |key| file.get(key).and_then(Item::text).map_or(0, str::len);
    let name = if file.known.is_named_by_file { file.stem().len() } else { text("name") };
    name + text("description")
}

/// Returns whether a key of the front matter has one of the values that follow it.
fn applies(file: &ClientFile, only_if: &[String]) -> bool {
    let Some((key, values)) = only_if.split_first() else { return true };
    let is_value = |item: &Item| match &item.value {
        Value::Bool(value) => values.contains(&value.to_string()),
        Value::String(text) => text.split(',').any(|part| values.iter().any(|value| value == part.trim())),
        _ => false,
    };
    file.get(key).is_some_and(|item| is_value(item) || item.items().iter().any(is_value))
}

/// Returns the paths of the files that exist, or that a setting names.
fn select(
    files: &StartFiles,
    directory: &WorkspacePath,
    family: &ClientsFamily,
    read: &dyn Fn(&WorkspacePath) -> NamedFile,
) -> Vec<WorkspacePath> {
    let set = files.setting.as_ref().map(|setting| (setting.replaces, named_by_setting(setting, family)));
    let (replaces, set) = set.unwrap_or_default();
    let paths: Vec<String> = match set {
        set if replaces && !set.is_empty() => set,
        set => files.paths.iter().cloned().chain(set).collect(),
    };
    let directories: Vec<WorkspacePath> =
        if files.is_in_parents { from_top(directory) } else { vec![WorkspacePath::root()] };
    let mut selected = Vec::new();
    if files.first == First::All {
        let of_path = |path: &String| -> Vec<WorkspacePath> {
            directories.iter().flat_map(|directory| existing(path, directory, family, read)).collect()
        };
        return paths.iter().map(of_path).find(|found| !found.is_empty()).unwrap_or_default();
    }
    for directory in &directories {
        let mut found = paths.iter().map(|path| existing(path, directory, family, read));
        if files.first == First::Directory {
            selected.extend(found.find(|found| !found.is_empty()).unwrap_or_default());
        } else {
            selected.extend(found.flatten());
        }
    }
    selected
}

/// Returns the paths that a settings file at the top of the workspace gives.
fn named_by_setting(setting: &crate::StartSetting, family: &ClientsFamily) -> Vec<String> {
    let keys: Vec<&str> = setting.keys.iter().map(String::as_str).collect();
    let is_file = |file: &&ClientFile| setting.files.iter().any(|path| path == file.path.as_str());
    let values = family.files.iter().filter(is_file).filter_map(|file| file.content.data.as_ref()?.at(&keys));
    values
        .flat_map(|item| std::iter::once(item).chain(item.items()))
        .filter_map(|item| item.text().map(str::to_owned))
        .collect()
}

/// Returns the files that a path or pattern below a directory matches. Only files of clients match a pattern.
fn existing(
    path: &str,
    directory: &WorkspacePath,
    family: &ClientsFamily,
    read: &dyn Fn(&WorkspacePath) -> NamedFile,
) -> Vec<WorkspacePath> {
    let pattern = if directory.is_root() { path.to_owned() } else { format!("{directory}/{path}") };
    if path.contains('*') {
        let of_family = family.files.iter().map(|file| &file.path).chain(family.unreadable());
        return of_family.filter(|file| matches(&pattern, file.as_str())).cloned().collect();
    }
    let is_file = |path: &WorkspacePath| {
        family.has(path)
            || family.unreadable().any(|file| file == path)
            || !matches!(read(path), NamedFile::Missing)
    };
    WorkspacePath::normalize(&pattern).ok().filter(is_file).into_iter().collect()
}

/// Returns a directory after its parents, from the top of the workspace.
fn from_top(directory: &WorkspacePath) -> Vec<WorkspacePath> {
    let mut directories = vec![directory.clone()];
    let mut current = directory.clone();
    while let Some(parent) = current.parent() {
        directories.push(parent.clone());
        current = parent;
    }
    directories.reverse();
    directories
}

fn find<'f>(family: &'f ClientsFamily, path: &WorkspacePath) -> Option<&'f ClientFile> {
    let at = family.files.binary_search_by(|file| file.path.cmp(path)).ok()?;
    family.files.get(at)
}
