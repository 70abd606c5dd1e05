//! The names that a client knows.

use super::values::{boolean, decode_strings, text};
use crate::tree::Item;

/// Names that a client knows.
#[derive(Clone, Debug, Default)]
pub struct Names {
    /// The names.
    pub names: Vec<String>,
    /// Names that an earlier version had.
    pub retired: Vec<String>,
    /// What names of servers and users begin with.
    pub prefixes: Vec<String>,
    /// Words that make a name valid wherever they are in it.
    pub words: Vec<String>,
    /// A part that makes a name belong to another program, such as `/`.
    pub other_forms: Option<String>,
    /// Names of other clients, each with the name that means the same.
    pub translations: Vec<(String, String)>,
    /// Tools that change files or run programs.
    pub writing: Vec<String>,
    /// Tools that start other agents.
    pub delegating: Vec<String>,
    /// Whether other programs add names, so that only a name like a typo is wrong.
    pub is_open: bool,
    /// Whether letter case has no meaning.
    pub ignores_case: bool,
    /// What the client does at an unknown name; none if the client ignores it.
    pub on_unknown: Option<String>,
}

impl Names {
    pub(super) fn decode(item: &Item) -> Result<Self, String> {
        let mut names = Self::default();
        for entry in item.entries() {
            let item = &entry.item;
            match entry.key.as_str() {
                "names" => names.names = decode_strings(item)?,
                "retired" => names.retired = decode_strings(item)?,
                "prefixes" => names.prefixes = decode_strings(item)?,
                "words" => names.words = decode_strings(item)?,
                "writing" => names.writing = decode_strings(item)?,
                "delegating" => names.delegating = decode_strings(item)?,
                "translations" => {
                    for entry in item.entries() {
                        names.translations.push((entry.key.clone(), text(&entry.item)?));
                    }
                }
                "other_forms" => names.other_forms = Some(text(item)?),
                "is_open" => names.is_open = boolean(item)?,
                "ignores_case" => names.ignores_case = boolean(item)?,
                "on_unknown" => names.on_unknown = Some(text(item)?),
                key => return Err(format!("unknown key `{key}`")),
            }
        }
        Ok(names)
    }

    /// Returns the name that means the same as one of another client.
    pub fn translate(&self, name: &str) -> Option<&str> {
        self.translations.iter().find(|(other, _)| other == name).map(|(_, own)| own.as_str())
    }

    /// Returns whether a client accepts a name.
    pub fn accepts(&self, name: &str) -> bool {
        let folded = if self.ignores_case { name.to_ascii_lowercase() } else { name.to_owned() };
        let is_same = |known: &String| {
            if self.ignores_case { known.eq_ignore_ascii_case(name) } else { known == name }
        };
        self.names.iter().any(is_same)
            || self.prefixes.iter().any(|prefix| folded.starts_with(prefix.as_str()))
            || self.words.iter().any(|word| folded.contains(word.as_str()))
            || self.other_forms.as_ref().is_some_and(|part| name.contains(part.as_str()))
    }
}
