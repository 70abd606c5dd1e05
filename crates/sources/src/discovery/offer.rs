//! From a path to an item.

use minds_diagnostics::{Contents, SourceFile};
use minds_document::Field;
use minds_vfs::WorkspacePath;

use super::finder::Finder;
use super::partial_tree::{Entry, Listing, PartialTree, Text};
use super::{ItemPlace, SKILL_FILE, TOOL_FILE, rules};
use crate::front_matter::ItemFrontMatter;
use crate::{Hook, HookEvent, Item, ItemEntry, ItemKind, ItemName};

/// A path at which an item was found.
#[derive(Debug)]
pub(crate) struct Offer<'f> {
    pub(crate) kind: ItemKind,
    /// The path by which it was found.
    pub(crate) declared: WorkspacePath,
    /// Its real path.
    pub(crate) real: WorkspacePath,
    pub(crate) name: OfferName<'f>,
    /// Its entry in `mind.toml`.
    pub(crate) entry: Option<&'f ItemEntry>,
}

/// The origin of the name of an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OfferName<'f> {
    Given(&'f str),
    /// The `name` of the front matter; without one, this name.
    OfFrontMatter(&'f str),
}

impl Offer<'_> {
    /// Returns the item; `None` if it is not offered, or not all of it is known yet.
    pub(crate) fn complete(&self, finder: &mut Finder<'_>) -> Option<(Item, ItemPlace)> {
        let main_path = match self.kind {
            ItemKind::Skill => self.real.join(SKILL_FILE).ok()?,
            ItemKind::Tool => self.real.join(TOOL_FILE).ok()?,
            ItemKind::Agent | ItemKind::Rule => self.real.clone(),
        };
        let text = finder.tree.text(&main_path)?;
        let folder = if self.kind == ItemKind::Tool { Some(finder.tree.listing(&self.real)?) } else { None };
        let contents = match text {
            Text::Found(_, contents) => Some(contents),
            Text::Nothing => None,
            Text::Outside(target) => {
                let message = format!(
                    "`{main_path}` is a symbolic link to `{}`, outside of the source",
                    target.escape_debug()
                );
                finder.report(&rules::LINK_OUTSIDE, &self.declared, message, |found| {
                    found.help("put the file itself into the source")
                });
                return None;
            }
            Text::Closed(reason) => {
                let message = format!("`{main_path}` cannot be read: {reason}");
                finder.report_unreadable(&self.declared, message);
                return None;
            }
        };
        let front_matter =
            contents.as_ref().and_then(readable_text).map(ItemFrontMatter::read).unwrap_or_default();
        let name = match self.name {
            OfferName::OfFrontMatter(other) => front_matter.name.as_deref().unwrap_or(other),
            OfferName::Given(name) => name,
        };
        let name = match ItemName::parse(name) {
            Ok(name) => name,
            Err(error) => {
                let message = format!(
                    "`{}` cannot be the name of {}: {error}",
                    name.escape_debug(),
                    self.kind.with_article()
                );
                finder.report(&rules::UNSAFE_NAME, &self.declared, message, |found| {
                    found.help("rename it to offer it")
                });
                return None;
            }
        };
        let item = self.item(name, front_matter, folder);
        let main_file = contents.map(|contents| SourceFile::new(main_path.to_string(), contents));
        Some((item, ItemPlace { declared: self.declared.clone(), main_file }))
    }

    fn item(&self, name: ItemName, front_matter: ItemFrontMatter, folder: Option<&Listing>) -> Item {
        let is_tool = self.kind == ItemKind::Tool;
        let entry_value = |field: fn(&ItemEntry) -> &Field<String>| {
            self.entry.and_then(|entry| field(entry).as_given()).map(|text| text.value.clone())
        };
        let only_for_tools = |text: Option<String>| text.filter(|_| is_tool);
        let entrypoint = folder.filter(|folder| has_file(folder, name.as_str())).map(|_| name.to_string());
        let bin = self.entry.and_then(|entry| entry.bin.as_given()).map(|bin| bin.value.to_string());
        let mut hooks = self.entry.map(|entry| entry.to_declared_item().hooks).unwrap_or_default();
        // A key of the front matter of a tool applies where `mind.toml` does not set the same key, and runs
        // first.
        for (event, run, field) in [
            (HookEvent::Uninstall, front_matter.uninstall, entry_value(|entry| &entry.uninstall)),
            (HookEvent::Install, front_matter.install, entry_value(|entry| &entry.install)),
        ] {
            let run = only_for_tools(run).filter(|run| field.is_none() && !run.trim().is_empty());
            if let Some(run) = run {
                hooks.insert(0, Hook { run, name: None, is_optional: false, event });
            }
        }
        Item {
            kind: self.kind,
            path: self.real.clone(),
            description: entry_value(|entry| &entry.description).or(front_matter.description),
            requires: front_matter.requires,
            link: self.entry.and_then(|entry| entry.link.as_given()).map(|link| link.value.clone()),
            bin: only_for_tools(bin.or(front_matter.bin).or(entrypoint)),
            build: only_for_tools(entry_value(|entry| &entry.build).or(front_matter.build)),
            hooks,
            name,
        }
    }
}

/// Returns the text of a file of which possibly only the beginning was read; `None` if it is not valid UTF-8.
fn readable_text(contents: &Contents) -> Option<&str> {
    match contents.text() {
        Ok(text) => Some(text),
        // The read limit may have cut a character.
        Err(error) if error.error_len().is_none() => {
            contents.get(..error.valid_up_to()).and_then(|bytes| std::str::from_utf8(bytes).ok())
        }
        Err(_) => None,
    }
}

fn has_file(folder: &Listing, name: &str) -> bool {
    let Listing::Entries { named, .. } = folder else { return false };
    let at = named.binary_search_by(|(other, _)| other.as_str().cmp(name)).ok();
    at.and_then(|at| named.get(at)).is_some_and(|(_, entry)| *entry == Entry::File)
}

/// Returns whether a folder is a skill, that is, contains a `SKILL.md`; `None` if that is not known yet.
pub(crate) fn is_skill(tree: &PartialTree, folder: &WorkspacePath) -> Option<bool> {
    let Ok(file) = folder.join(SKILL_FILE) else { return Some(false) };
    Some(tree.text(&file)? != Text::Nothing)
}
