//! From the offered content of an item to the installed one: references in its text are replaced by names and
//! paths.

use std::cell::Cell;
use std::collections::BTreeMap;

use minds_diagnostics::Contents;
use minds_vfs::{ContentHash, WorkspacePath};

use crate::dependencies::{Siblings, unresolved_reference};
use crate::source_items::{OfferedItem, SourceItems};
use crate::tokens::{Token, tokens};
use crate::{ItemContent, ItemFile, ItemKey, ItemKind, ItemName, Refusal, RefusalKind};

/// The maximum size of an item in bytes after references are replaced: the same as before.
const MAX_ITEM_BYTES: usize = 64 << 20;
/// The maximum size in bytes of all text of a source in which references were replaced.
const MAX_SOURCE_BYTES: usize = 1 << 30;

/// Replaces the references in the text of the items of one source.
#[derive(Debug)]
pub struct Renderer<'i> {
    items: &'i [OfferedItem],
    siblings: Siblings<'i>,
    home: String,
    /// The number of bytes that may still be produced.
    remaining: Cell<usize>,
}

impl<'i> Renderer<'i> {
    /// Creates a renderer for the items of a source. `home` is the data directory as it occurs in text: with
    /// `~` if it is in the home directory.
    pub fn new(source: &'i SourceItems, home: impl Into<String>) -> Self {
        let (items, siblings) = (source.items.as_slice(), Siblings::of(&source.items));
        Self { items, siblings, home: home.into(), remaining: Cell::new(MAX_SOURCE_BYTES) }
    }

    /// Returns the content that is installed for an item: in its text, every reference to an item of its
    /// source is replaced by the name or path that it stands for. Files that are not UTF-8 do not change. The
    /// result is deterministic.
    ///
    /// A short reference can stand for a long path, so the output is limited too: 64 MiB for an item, and 1
    /// GiB for all text that this renderer produces.
    ///
    /// # Errors
    ///
    /// Fails if the item has no content, a reference cannot be resolved, or the result is too large.
    pub fn render(&self, offered: &OfferedItem) -> Result<ItemContent, Refusal> {
        match offered.content.as_ref().map_err(Clone::clone)? {
            ItemContent::File(file) => {
                Ok(ItemContent::File(self.render_file(offered, file, MAX_ITEM_BYTES)?))
            }
            ItemContent::Folder(files) => {
                let mut rendered = BTreeMap::new();
                let mut remaining = MAX_ITEM_BYTES;
                for (path, file) in files {
                    let file = self.render_file(offered, file, remaining)?;
                    remaining = remaining.saturating_sub(file.bytes.len());
                    rendered.insert(path.clone(), file);
                }
                Ok(ItemContent::Folder(rendered))
            }
        }
    }

    /// Returns the hash of the result of [`Renderer::render`].
    ///
    /// # Errors
    ///
    /// Fails as that does.
    pub fn hash(&self, offered: &OfferedItem) -> Result<ContentHash, Refusal> {
        match (offered.content.as_ref().map_err(Clone::clone)?, offered.hash) {
            // Most items have no references, so their content does not change.
            (content, Some(hash)) if references(content).next().is_none() => Ok(hash),
            _ => self.render(offered).map(|content| content.hash()),
        }
    }

    /// Replaces the references in a file, which may then have at most `most` bytes.
    fn render_file(&self, offered: &OfferedItem, file: &ItemFile, most: usize) -> Result<ItemFile, Refusal> {
        let Ok(text) = file.bytes.text() else { return Ok(file.clone()) };
        let most = most.min(self.remaining.get());
        let mut rendered = String::new();
        let mut copied = 0;
        for (at, token) in tokens(text) {
            let Some(value) = self.resolve(offered, token) else {
                return Err(unresolved_reference(&offered.key, text.get(at).unwrap_or_default()));
            };
            rendered.push_str(text.get(copied..at.start).unwrap_or_default());
            rendered.push_str(&value);
            copied = at.end;
            if rendered.len() > most {
                return Err(too_large(offered));
            }
        }
        if copied == 0 {
            return Ok(file.clone());
        }
        rendered.push_str(text.get(copied..).unwrap_or_default());
        if rendered.len() > most {
            return Err(too_large(offered));
        }
        self.remaining.set(self.remaining.get().saturating_sub(rendered.len()));
        Ok(ItemFile { bytes: Contents::from(rendered.as_str()), is_executable: file.is_executable })
    }

    fn resolve(&self, offered: &OfferedItem, token: Token<'_>) -> Option<String> {
        match token {
            Token::Own => Some(self.stored_path(&offered.key)),
            Token::Name(name) => {
                // All items with this name have the same installed name, whatever their kind.
                let at = self.siblings.with_name(name).first()?;
                self.items.get(*at).map(|named| named.key.name.to_string())
            }
            Token::Tool(name) => self
                .siblings
                .program(name)
                .map(|(tool, program)| format!("{}/{program}", self.stored_path(&tool.key))),
            Token::Path(kind, name) => {
                let at = self.siblings.find_unique(kind, name)?;
                self.items.get(at).map(|item| self.stored_path(&item.key))
            }
        }
    }

    fn stored_path(&self, key: &ItemKey) -> String {
        format!("{}/{}", self.home, store_path(key.kind, &key.name))
    }
}

/// Returns where an item is stored, relative to the data directory: `store/<kind>/<name>`.
pub fn store_path(kind: ItemKind, name: &ItemName) -> WorkspacePath {
    // A name is one segment, so this is a valid path.
    WorkspacePath::parse(&format!("store/{kind}/{name}")).unwrap_or_default()
}

/// Returns the tools whose programs the text of an item refers to, by their names in its source, possibly
/// repeated. Resolving such a reference needs the content of the tool; any other needs only its metadata.
pub fn referenced_tools(content: &ItemContent) -> impl Iterator<Item = &str> {
    references(content).filter_map(|token| if let Token::Tool(name) = token { Some(name) } else { None })
}

/// Returns the references in the text of an item.
fn references(content: &ItemContent) -> impl Iterator<Item = Token<'_>> {
    let texts = content.files().filter_map(|(_, file)| file.bytes.text().ok());
    texts.flat_map(tokens).map(|(_, token)| token)
}

fn too_large(offered: &OfferedItem) -> Refusal {
    let message = format!("{}: it is too large after its references are replaced", offered.key);
    Refusal::new(RefusalKind::BadContent, message)
}

#[cfg(test)]
mod tests;
