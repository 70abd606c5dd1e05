//! References to items, as users write them: `[source#][kind:]name`, where the name may be a pattern.

use std::collections::BTreeMap;

use minds_sources::{Identity, ItemKey, ItemKind, Refusal, RefusalKind};

use crate::{Inventory, Position, Registry};

/// A reference to items: `[source#][kind:]name`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reference {
    text: String,
    source: Option<String>,
    kind: Option<ItemKind>,
    name: String,
    is_pattern: bool,
}

/// The maximum length of a reference in bytes.
const MAX_BYTES: usize = 1_024;

/// The maximum number of names that are listed for an ambiguous reference.
const MAX_SHOWN: usize = 10;

impl Reference {
    /// Parses a reference. The source is an identity or the end of one after a `/`; the name is the one under
    /// which an item is installed, or a pattern with `*`, `?` and `[…]`, which match any character.
    ///
    /// # Errors
    ///
    /// Fails if a part is empty, the kind is unknown, or the text is longer than 1,024 bytes.
    pub fn parse(text: &str) -> Result<Self, Refusal> {
        let bad = |problem: &str| {
            Refusal::new(
                RefusalKind::BadReference,
                format!("`{text}` is not a reference to an item: {problem}"),
            )
        };
        if text.len() > MAX_BYTES {
            return Err(Refusal::new(RefusalKind::BadReference, "a reference is longer than 1024 bytes"));
        }
        let (source, rest) = match text.split_once('#') {
            Some((source, rest)) => (Some(source), rest),
            None => (None, text),
        };
        if source == Some("") {
            return Err(bad("the source in front of `#` is empty"));
        }
        let (kind, name) = match rest.split_once(':') {
            Some((kind, name)) => {
                let kind = ItemKind::find(kind)
                    .ok_or_else(|| bad("the kinds are `skill`, `agent`, `rule` and `tool`"))?;
                (Some(kind), name)
            }
            None => (None, rest),
        };
        if name.is_empty() {
            return Err(bad("it has no name"));
        }
        Ok(Self {
            text: text.to_owned(),
            source: source.map(str::to_owned),
            kind,
            name: name.to_owned(),
            is_pattern: name.contains(['*', '?', '[']),
        })
    }

    /// Returns the reference as written.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Returns whether its name is a pattern, which may match any number of items.
    pub const fn is_pattern(&self) -> bool {
        self.is_pattern
    }

    /// Returns whether the reference matches an item of `source` that is installed under `key`.
    pub fn matches(&self, source: &Identity, key: &ItemKey) -> bool {
        self.kind.is_none_or(|kind| kind == key.kind)
            && self.source.as_deref().is_none_or(|wanted| names_source(wanted, source))
            && if self.is_pattern {
                matches_pattern(&self.name, key.name.as_str())
            } else {
                self.name == key.name.as_str()
            }
    }

    /// Returns the matching items of `inventory`, in its order.
    ///
    /// # Errors
    ///
    /// Fails if no item matches, if several match and the reference is not a pattern, or if two matching
    /// items would be installed under the same name, because the choice between them would be arbitrary.
    pub fn select(&self, inventory: &Inventory) -> Result<Vec<Position>, Refusal> {
        let found: Vec<(Position, &Identity, &ItemKey)> = inventory
            .iter()
            .filter(|(_, source, offered)| self.matches(&source.identity, &offered.key))
            .map(|(at, source, offered)| (at, &source.identity, &offered.key))
            .collect();
        if found.is_empty() {
            let sources = inventory.sources().len();
            let hint = match sources {
                0 => "no source is registered; `minds source add REPO` adds one".to_owned(),
                1 => "one source is registered; `minds source search` lists what it offers".to_owned(),
                more => format!("{more} sources are registered; `minds source search` lists what they offer"),
            };
            let message = format!("no item matches `{}`: {hint}", self.text);
            return Err(Refusal::new(RefusalKind::NotFound, message));
        }
        if found.len() > 1 && !self.is_pattern {
            let names = found.iter().map(|(_, source, key)| format!("{source}#{key}"));
            return Err(ambiguous(&self.text, names));
        }
        let mut seen: BTreeMap<&ItemKey, &Identity> = BTreeMap::new();
        for (_, source, key) in &found {
            if let Some(first) = seen.insert(key, source) {
                let names = [format!("{first}#{key}"), format!("{source}#{key}")];
                return Err(ambiguous(&self.text, names.into_iter()));
            }
        }
        Ok(found.into_iter().map(|(at, ..)| at).collect())
    }
}

/// Refuses a reference that matches several things.
pub(crate) fn ambiguous(text: &str, names: impl Iterator<Item = String>) -> Refusal {
    let mut names: Vec<String> = names.take(MAX_SHOWN + 1).collect();
    if names.len() > MAX_SHOWN {
        names.truncate(MAX_SHOWN);
        names.push("…".to_owned());
    }
    Refusal::new(RefusalKind::Ambiguous, format!("`{text}` is ambiguous; matches: {}", names.join(", ")))
}

/// Returns whether `wanted` is an identity, or the end of one after a `/`.
fn names_source(wanted: &str, identity: &Identity) -> bool {
    match identity.as_str().strip_suffix(wanted) {
        Some(before) => before.is_empty() || before.ends_with('/'),
        None => false,
    }
}

/// Returns the sources of `registry` that `wanted` names: an identity, the end of one after a `/`, or a
/// pattern with `*`, `?` and `[…]` for either.
///
/// # Errors
///
/// Fails if no source matches, or if several match and `wanted` is not a pattern.
pub fn select_sources(wanted: &str, registry: &Registry) -> Result<Vec<Identity>, Refusal> {
    let is_pattern = wanted.contains(['*', '?', '[']);
    let matches = |identity: &Identity| {
        if !is_pattern {
            return names_source(wanted, identity);
        }
        let full = identity.as_str();
        let mut ends = full.match_indices('/').filter_map(|(at, _)| full.get(at + 1..));
        matches_pattern(wanted, full) || ends.any(|end| matches_pattern(wanted, end))
    };
    let identities = registry.sources.iter().map(|source| &source.identity);
    let found: Vec<Identity> = identities.filter(|identity| matches(identity)).cloned().collect();
    match found.as_slice() {
        [] => Err(Refusal::new(RefusalKind::NotFound, format!("no registered source matches `{wanted}`"))),
        [_, _, ..] if !is_pattern => {
            // A complete identity names that source, even if it is also the end of another identity.
            match found.iter().find(|identity| identity.as_str() == wanted) {
                Some(exact) => Ok(vec![exact.clone()]),
                None => Err(ambiguous(wanted, found.iter().map(ToString::to_string))),
            }
        }
        _ => Ok(found),
    }
}

/// Returns whether a pattern matches all of `text`: `*` any characters, `?` one, `[ab]`, `[a-z]` and `[!a]`
/// one of a class. A bracket that is not closed matches itself. Takes time at most proportional to the
/// product of both lengths. `globset` compares bytes, so its `?` and classes match only ASCII characters.
pub fn matches_pattern(pattern: &str, text: &str) -> bool {
    let pattern: Vec<char> = pattern.chars().collect();
    let text: Vec<char> = text.chars().collect();
    let (mut at, mut from) = (0, 0);
    // The position of the last star, and the number of characters that it matched.
    let mut star: Option<(usize, usize)> = None;
    while from < text.len() {
        let next = match pattern.get(at) {
            Some('*') => {
                star = Some((at, from));
                at += 1;
                continue;
            }
            Some(_) => match_part(&pattern, at, text.get(from).copied()),
            None => None,
        };
        match (next, star) {
            (Some(next), _) => {
                at = next;
                from += 1;
            }
            (None, Some((star_at, taken))) => {
                star = Some((star_at, taken + 1));
                at = star_at + 1;
                from = taken + 1;
            }
            (None, None) => return false,
        }
    }
    pattern.get(at..).is_some_and(|rest| rest.iter().all(|c| *c == '*'))
}

/// Returns where the pattern continues if the part at `at` matches `c`.
fn match_part(pattern: &[char], at: usize, c: Option<char>) -> Option<usize> {
    let c = c?;
    match pattern.get(at)? {
        '?' => Some(at + 1),
        '[' => match match_class(pattern, at, c) {
            Some((matches, next)) => matches.then_some(next),
            None => (c == '[').then_some(at + 1),
        },
        literal => (*literal == c).then_some(at + 1),
    }
}

/// Returns whether the class that begins at `at` matches `c`, and where it ends; `None` if it is not a class.
fn match_class(pattern: &[char], at: usize, c: char) -> Option<(bool, usize)> {
    let mut next = at + 1;
    let is_negated = matches!(pattern.get(next), Some('!' | '^'));
    next += usize::from(is_negated);
    let first = next;
    let mut has = false;
    loop {
        let low = *pattern.get(next)?;
        if low == ']' && next > first {
            return Some((has != is_negated, next + 1));
        }
        let high = match (pattern.get(next + 1), pattern.get(next + 2)) {
            (Some('-'), Some(high)) if *high != ']' => {
                next += 2;
                *high
            }
            _ => low,
        };
        has |= (low..=high).contains(&c);
        next += 1;
    }
}
