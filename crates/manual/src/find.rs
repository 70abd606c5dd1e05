//! Finding the page for a list of names.

use std::collections::BTreeSet;
use std::fmt;

use minds_core::catalog::find_toolset;
use minds_diagnostics::{find_closest, find_nearest};

use crate::table::codes;
use crate::topics::{INDEX, Pages, Topic};

/// The maximum number of unknown names in a message, and of suggestions.
const MAX_NAMES: usize = 3;

/// The best page for some names, and what it does not cover.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PageMatch {
    /// The page.
    pub topic: Topic,
    /// Pages for the names that are not part of the path of this page.
    pub additional: Vec<Topic>,
    /// The names that are not part of any topic.
    pub unknown: UnknownTopic,
}

/// Names that are not part of any topic.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UnknownTopic {
    names: Vec<String>,
    nearest: Vec<&'static str>,
}

impl Pages {
    /// Returns the page for names in any order: the one whose path contains most of them; then the one with the fewest other
    /// parts, which is the nearest parent of a missing page; then the first.
    ///
    /// A name may begin with `!`, and may be a path with slashes or spaces. Blank names are ignored. Without names, the index
    /// is returned.
    ///
    /// # Errors
    ///
    /// Fails if no name is part of any topic.
    pub fn find<'a>(&self, asked: impl IntoIterator<Item = &'a str>) -> Result<PageMatch, UnknownTopic> {
        let topics = self.topics();
        let (mut known, mut unknown) = (BTreeSet::new(), BTreeSet::new());
        for name in asked.into_iter().flat_map(parts) {
            match topics.iter().flat_map(Topic::path).find(|part| **part == canonical(name)) {
                Some(part) => known.insert(*part),
                None => unknown.insert(name),
            };
        }
        let unknown = UnknownTopic::new(&unknown, &topics);
        if known.is_empty() && unknown.is_empty() {
            known.insert(INDEX);
        }
        let Some(topic) = best_match(&topics, &known) else { return Err(unknown) };
        let mut additional: Vec<Topic> = Vec::new();
        for name in known.iter().filter(|name| !topic.path().contains(name)) {
            additional.extend(
                best_match(&topics, &BTreeSet::from([*name])).filter(|other| !additional.contains(other)),
            );
        }
        Ok(PageMatch { topic, additional, unknown })
    }
}

/// Splits a path into names.
fn parts(text: &str) -> impl Iterator<Item = &str> {
    let parts = text.split(|c: char| c == '/' || c.is_whitespace());
    parts.map(|part| part.trim_start_matches('!')).filter(|part| !part.is_empty())
}

/// Returns the canonical name of a toolset, if the name is an alias.
fn canonical(name: &str) -> &str {
    find_toolset(name).map_or(name, |toolset| toolset.name)
}

fn best_match(topics: &[Topic], names: &BTreeSet<&str>) -> Option<Topic> {
    let candidates = topics.iter().filter(|topic| names.contains(topic.name()));
    let rank = |topic: &&Topic| {
        let matched = topic.path().iter().filter(|part| names.contains(*part)).count();
        (std::cmp::Reverse(matched), topic.path().len() - matched)
    };
    candidates.min_by_key(rank).cloned()
}

impl UnknownTopic {
    fn new(names: &BTreeSet<&str>, topics: &[Topic]) -> Self {
        let parts: BTreeSet<&str> = topics.iter().flat_map(Topic::path).copied().collect();
        let parts = || parts.iter().copied();
        let mut near: Vec<&str> = Vec::new();
        for name in names.iter().take(MAX_NAMES) {
            let found = find_nearest(name, parts(), MAX_NAMES);
            near.extend(if found.is_empty() { find_closest(name, parts(), MAX_NAMES) } else { found });
        }
        let mut seen = BTreeSet::new();
        near.retain(|name| seen.insert(*name));
        near.truncate(MAX_NAMES);
        Self { names: names.iter().map(|name| (*name).to_owned()).collect(), nearest: near }
    }

    /// Returns whether all names are known.
    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    /// Returns similar names of topics.
    pub fn nearest(&self) -> &[&'static str] {
        &self.nearest
    }

    /// Formats the names for messages.
    pub(crate) fn format_names(&self) -> String {
        codes(self.names.iter().map(String::as_str), MAX_NAMES)
    }

    /// Formats the similar names for messages.
    pub(crate) fn format_nearest(&self) -> String {
        let near: Vec<String> = self.nearest.iter().map(|name| format!("`{name}`")).collect();
        near.join(", ")
    }
}

impl fmt::Display for UnknownTopic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the manual has no topic {}; similar: {}", self.format_names(), self.format_nearest())
    }
}

impl std::error::Error for UnknownTopic {}
