//! From what a source offers to what is installed: references in texts become names and paths.

use std::cell::Cell;
use std::collections::BTreeMap;

use minds_diagnostics::Contents;
use minds_document::ContentHash;

use crate::dependencies::{Siblings, unresolved};
use crate::inventory::{Offered, SourceItems};
use crate::place::stored_at;
use crate::tokens::{Token, tokens};
use crate::{ItemContent, ItemFile, ItemKey, Refusal, RefusalKind};

/// How many bytes the files of an item may have once references are filled in: as many as before.
const MAX_ITEM_BYTES: usize = 64 << 20;
/// How many bytes all texts of a source may have in which references were filled in.
const MAX_SOURCE_BYTES: usize = 1 << 30;

/// Fills in the references in the texts of the items of one source.
#[derive(Debug)]
pub struct Renderer<'i> {
    items: &'i [Offered],
    siblings: Siblings<'i>,
    home: String,
    /// How many bytes may still be made.
    left: Cell<usize>,
}

impl<'i> Renderer<'i> {
    /// Returns a renderer for the items of a source. `home` is the folder of this program as texts name it: with `~` where it
    /// lies in the home directory.
    pub fn new(source: &'i SourceItems, home: impl Into<String>) -> Self {
        let (items, siblings) = (source.items.as_slice(), Siblings::of(&source.items));
        Self { items, siblings, home: home.into(), left: Cell::new(MAX_SOURCE_BYTES) }
    }

    /// Returns what is installed of an item: in each of its texts every reference to an item of its source is replaced by
    /// the name or path that is meant. Files that are not UTF-8 stay as they are. The same item gives the same content.
    ///
    /// A short reference can mean a long path, so what is made has limits too: 64 MiB for an item, and 1 GiB for all texts of
    /// the source that this renderer makes.
    ///
    /// # Errors
    ///
    /// Returns why the item has no content, or the first reference that means nothing, or that it becomes too large.
    pub fn render(&self, offered: &Offered) -> Result<ItemContent, Refusal> {
        match offered.content.as_ref().map_err(Clone::clone)? {
            ItemContent::File(file) => Ok(ItemContent::File(self.file(offered, file, MAX_ITEM_BYTES)?)),
            ItemContent::Folder(files) => {
                let mut rendered = BTreeMap::new();
                let mut left = MAX_ITEM_BYTES;
                for (path, file) in files {
                    let file = self.file(offered, file, left)?;
                    left = left.saturating_sub(file.bytes.len());
                    rendered.insert(path.clone(), file);
                }
                Ok(ItemContent::Folder(rendered))
            }
        }
    }

    /// Returns the hash of what [`Renderer::render`] returns.
    ///
    /// # Errors
    ///
    /// Fails as that does.
    pub fn hash(&self, offered: &Offered) -> Result<ContentHash, Refusal> {
        match (offered.content.as_ref().map_err(Clone::clone)?, offered.hash) {
            // Most items refer to no other, and are what they are offered as.
            (content, Some(hash)) if references(content).next().is_none() => Ok(hash),
            _ => self.render(offered).map(|content| content.hash()),
        }
    }

    /// Fills in the references in a file, which has at most `most` bytes then.
    fn file(&self, offered: &Offered, file: &ItemFile, most: usize) -> Result<ItemFile, Refusal> {
        let Ok(text) = file.bytes.text() else { return Ok(file.clone()) };
        let most = most.min(self.left.get());
        let mut rendered = String::new();
        let mut copied = 0;
        for (at, token) in tokens(text) {
            let Some(value) = self.value(offered, token) else {
                return Err(unresolved(&offered.key, text.get(at).unwrap_or_default()));
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
        self.left.set(self.left.get().saturating_sub(rendered.len()));
        Ok(ItemFile { bytes: Contents::from(rendered.as_str()), is_executable: file.is_executable })
    }

    fn value(&self, offered: &Offered, token: Token<'_>) -> Option<String> {
        match token {
            Token::Own => Some(self.stored(&offered.key)),
            Token::Name(name) => {
                // Whatever kinds there are, all are called the same.
                let at = self.siblings.named(name).first()?;
                self.items.get(*at).map(|named| named.key.name.to_string())
            }
            Token::Tool(name) => self
                .siblings
                .program(name)
                .map(|(tool, program)| format!("{}/{program}", self.stored(&tool.key))),
            Token::Path(kind, name) => {
                let at = self.siblings.only(kind, name)?;
                self.items.get(at).map(|meant| self.stored(&meant.key))
            }
        }
    }

    fn stored(&self, key: &ItemKey) -> String {
        format!("{}/{}", self.home, stored_at(key.kind, &key.name))
    }
}

/// Returns the tools whose programs the texts of an item refer to, by their names in its source; a name may be there often.
/// Filling in such a reference needs the content of the tool, where any other needs only what the source says of its items.
pub fn tools_named(content: &ItemContent) -> impl Iterator<Item = &str> {
    references(content).filter_map(|token| if let Token::Tool(name) = token { Some(name) } else { None })
}

/// Returns the references in the texts of an item.
fn references(content: &ItemContent) -> impl Iterator<Item = Token<'_>> {
    let texts = content.files().filter_map(|(_, file)| file.bytes.text().ok());
    texts.flat_map(tokens).map(|(_, token)| token)
}

fn too_large(offered: &Offered) -> Refusal {
    let message = format!("{}: it becomes too large once its references are filled in", offered.key);
    Refusal::new(RefusalKind::BadContent, message)
}

#[cfg(test)]
mod tests;
