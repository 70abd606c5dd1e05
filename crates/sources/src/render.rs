//! From what a source offers to what is installed: references in texts become names and paths.

use std::collections::BTreeMap;

use minds_diagnostics::Contents;
use minds_document::ContentHash;

use crate::dependencies::{Siblings, unresolved};
use crate::inventory::{Offered, SourceItems};
use crate::place::stored_at;
use crate::tokens::{Token, tokens};
use crate::{ItemContent, ItemFile, ItemKey, Refusal};

/// Fills in the references in the texts of the items of one source.
#[derive(Debug)]
pub struct Renderer<'i> {
    items: &'i [Offered],
    siblings: Siblings<'i>,
    home: String,
}

impl<'i> Renderer<'i> {
    /// Returns a renderer for the items of a source. `home` is the folder of this program as texts name it: with `~` where it
    /// lies in the home directory.
    pub fn new(source: &'i SourceItems, home: impl Into<String>) -> Self {
        Self { items: &source.items, siblings: Siblings::of(&source.items), home: home.into() }
    }

    /// Returns what is installed of an item: in each of its texts every reference to an item of its source is replaced by
    /// the name or path that is meant. Files that are not UTF-8 stay as they are. The same item gives the same content.
    ///
    /// # Errors
    ///
    /// Returns why the item has no content, or the first reference that means nothing.
    pub fn render(&self, offered: &Offered) -> Result<ItemContent, Refusal> {
        match offered.content.as_ref().map_err(Clone::clone)? {
            ItemContent::File(file) => Ok(ItemContent::File(self.file(offered, file)?)),
            ItemContent::Folder(files) => {
                let file =
                    |(path, file)| Ok((minds_paths::WorkspacePath::clone(path), self.file(offered, file)?));
                Ok(ItemContent::Folder(files.iter().map(file).collect::<Result<BTreeMap<_, _>, Refusal>>()?))
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

    fn file(&self, offered: &Offered, file: &ItemFile) -> Result<ItemFile, Refusal> {
        let Ok(text) = file.bytes.text() else { return Ok(file.clone()) };
        let mut rendered = String::new();
        let mut copied = 0;
        for (at, token) in tokens(text) {
            let Some(value) = self.value(offered, token) else {
                return Err(unresolved(&offered.key, text.get(at).unwrap_or_default()));
            };
            rendered.push_str(text.get(copied..at.start).unwrap_or_default());
            rendered.push_str(&value);
            copied = at.end;
        }
        if copied == 0 {
            return Ok(file.clone());
        }
        rendered.push_str(text.get(copied..).unwrap_or_default());
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

#[cfg(test)]
mod tests;
