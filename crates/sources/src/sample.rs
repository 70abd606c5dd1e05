//! Sources for tests.

use minds_diagnostics::Contents;
use minds_vfs::WorkspacePath;

use crate::{Catalog, Identity, Item, ItemContent, ItemFile, ItemKey, ItemKind, Prefix, SourceItems};

fn identity(name: &str) -> Identity {
    Identity::parse(name).unwrap()
}

fn key(text: &str) -> ItemKey {
    ItemKey::parse(text).unwrap()
}

fn path(text: &str) -> WorkspacePath {
    WorkspacePath::parse(text).unwrap()
}

pub(crate) fn file(text: &str) -> ItemFile {
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
