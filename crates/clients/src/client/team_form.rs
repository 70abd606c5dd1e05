//! What a team has in the place of the tools and models of a client.

use super::values::{decode_strings, text};
use crate::tree::Item;

/// What a team has in the place of the tools and models of a client.
#[derive(Clone, Debug, Default)]
pub struct TeamForm {
    /// The provider to which the models belong that the client names without one.
    pub provider: Option<String>,
    /// What each tool, or each permission, lets an agent do. A tool without an entry has no counterpart in a team.
    pub abilities: Vec<(String, Vec<String>)>,
    /// Patterns of files that the client asks about before it reads them, unless its files decide otherwise.
    pub asks_to_read: Vec<String>,
}

impl TeamForm {
    /// Returns what a tool lets an agent do; none if it has no counterpart in a team.
    pub fn abilities_of(&self, tool: &str, ignores_case: bool) -> Option<&[String]> {
        let is_same = |known: &str| known == tool || (ignores_case && known.eq_ignore_ascii_case(tool));
        self.abilities.iter().find(|(known, _)| is_same(known)).map(|(_, names)| names.as_slice())
    }

    pub(super) fn decode(item: &Item) -> Result<Self, String> {
        let mut form = Self::default();
        for entry in item.entries() {
            match entry.key.as_str() {
                "provider" => form.provider = Some(text(&entry.item)?),
                "asks_to_read" => form.asks_to_read = decode_strings(&entry.item)?,
                "abilities" => {
                    for tool in entry.item.entries() {
                        form.abilities.push((tool.key.clone(), decode_strings(&tool.item)?));
                    }
                }
                key => return Err(format!("unknown key `{key}` of `team`")),
            }
        }
        Ok(form)
    }
}
