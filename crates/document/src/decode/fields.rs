//! The keys of one mapping.

use minds_diagnostics::{Diagnostic, did_you_mean, misspelling};

use super::{Context, Decode, Field, Spanned};
use crate::mark::mark;
use crate::{Entry, Format, Node, rules};

/// The number of keys of a mapping that are looked at for suggestions.
const MANY_KEYS: usize = 256;

/// The key by which YAML 1.1 takes over the entries of another mapping.
const MERGE_KEY: &str = "<<";

/// The keys of a mapping while it is decoded: each key is asked for, and [`Fields::finish`] reports the others.
#[derive(Debug)]
pub struct Fields<'c, 'd> {
    cx: &'c mut Context,
    node: Node<'d>,
    entries: Vec<(Entry<'d>, bool)>,
    /// The marks of all keys that are there.
    marks: u64,
    known: Vec<&'static str>,
}

impl<'c, 'd> Fields<'c, 'd> {
    pub(super) fn new(cx: &'c mut Context, node: Node<'d>) -> Self {
        let mut entries = Vec::with_capacity(16);
        entries.extend(node.entries().map(|entry| (entry, false)));
        let marks = entries.iter().fold(0, |marks, (entry, _)| marks | mark(entry.key));
        Self { cx, node, entries, marks, known: Vec::with_capacity(32) }
    }

    /// Returns where problems go.
    pub fn cx(&mut self) -> &mut Context {
        self.cx
    }

    /// Returns the entry of `key`, if the mapping has it, and takes `key` for known.
    pub fn entry(&mut self, key: &'static str) -> Option<Entry<'d>> {
        self.known.push(key);
        // Most keys that are asked for are not there.
        if self.marks & mark(key) == 0 {
            return None;
        }
        let (entry, taken) = self.entries.iter_mut().find(|(entry, _)| entry.key == key)?;
        *taken = true;
        Some(*entry)
    }

    /// Decodes the value of `key`, if the mapping has it.
    pub fn optional<T: Decode>(&mut self, key: &'static str) -> Field<T> {
        self.optional_with(key, T::decode)
    }

    /// Decodes the value of `key` with `decode`, if the mapping has it.
    pub fn optional_with<T>(
        &mut self,
        key: &'static str,
        decode: impl FnOnce(Node<'d>, &mut Context) -> Option<T>,
    ) -> Field<T> {
        match self.entry(key) {
            None => Field::Absent,
            Some(entry) => match decode(entry.value, self.cx) {
                Some(value) => Field::Given(Spanned::new(value, entry.value)),
                None => Field::Unreadable(Spanned::new((), entry.value)),
            },
        }
    }

    /// Decodes the value of `key`; reports it if the mapping does not have it.
    pub fn required<T: Decode>(&mut self, key: &'static str) -> Field<T> {
        self.required_with(key, T::decode)
    }

    /// Decodes the value of `key` with `decode`; reports it if the mapping does not have it.
    pub fn required_with<T>(
        &mut self,
        key: &'static str,
        decode: impl FnOnce(Node<'d>, &mut Context) -> Option<T>,
    ) -> Field<T> {
        let field = self.optional_with(key, decode);
        if field.is_absent() {
            self.cx.missing_keys(self.node, &[key], None);
        }
        field
    }

    /// Decodes a key that has two spellings; reports it if both are there, and then prefers `key`.
    pub fn optional_in_two_spellings<T: Decode>(
        &mut self,
        key: &'static str,
        other: &'static str,
    ) -> Field<T> {
        let (preferred, alternative) = (self.entry(key), self.entry(other));
        if let (Some(preferred), Some(alternative)) = (preferred, alternative) {
            let (first, second) = if preferred.key_node.span() < alternative.key_node.span() {
                (preferred, alternative)
            } else {
                (alternative, preferred)
            };
            self.cx.report(second.key_node, &rules::CONFLICTING_KEYS, || {
                Diagnostic::new(&rules::CONFLICTING_KEYS, format!("`{key}` and `{other}` are the same key"))
                    .primary(second.key_node.label().message("given again"))
                    .secondary(first.key_node.label().message("first given here"))
                    .help(format!("keep only `{key}`"))
            });
        }
        // The value of the spelling that loses is checked as well: mending the conflict must reveal nothing new.
        let other = self.optional(other);
        let field = self.optional(key);
        if field.is_absent() { other } else { field }
    }

    /// Reports every key that nobody asked for. Keys that begin with `x-` belong to the user and are never read.
    ///
    /// Returns which keys were probably meant by them.
    pub fn finish(self) -> Meant {
        self.finish_with(|_| None)
    }

    /// Reports every key that nobody asked for; `hint` may know better than the nearest known key what was meant.
    pub fn finish_with(self, hint: impl Fn(&Entry<'d>) -> Option<String>) -> Meant {
        let Self { cx, entries, known, .. } = self;
        let mut meant = Meant::default();
        let mut unknown =
            entries.iter().filter(|(entry, taken)| !taken && !entry.key.starts_with("x-")).peekable();
        if unknown.peek().is_none() {
            return meant;
        }
        // A key that is there already was not meant by another one.
        let is_free = |name: &&str| entries.iter().take(MANY_KEYS).all(|(entry, _)| entry.key != *name);
        let free: Vec<&'static str> = known.iter().copied().filter(is_free).collect();
        for (at, (entry, _)) in unknown.enumerate() {
            if at < MANY_KEYS
                && let Some(name) = misspelling(entry.key, free.iter().copied())
                && let Some(name) = free.iter().find(|free| **free == name)
            {
                meant.0.push((name, Spanned::new((), entry.key_node)));
            }
            cx.report(entry.key_node, &rules::UNKNOWN_KEY, || {
                let found = unknown_key(entry);
                if is_merge_key(entry) {
                    return found;
                }
                let help = hint(entry).or_else(|| did_you_mean(entry.key, free.iter().copied()));
                found.help(
                    help.or_else(|| list(&known)).unwrap_or_else(|| {
                        "remove the key, or begin it with `x-` if it is your own".to_owned()
                    }),
                )
            });
        }
        meant
    }
}

fn is_merge_key(entry: &Entry<'_>) -> bool {
    entry.key == MERGE_KEY && entry.key_node.document().format() == Format::Yaml
}

fn unknown_key(entry: &Entry<'_>) -> Diagnostic {
    let found = Diagnostic::new(&rules::UNKNOWN_KEY, format!("unknown key `{}`", entry.key))
        .primary(entry.key_node.label());
    if is_merge_key(entry) {
        return found
            .note("merge keys are not part of YAML 1.2 and are not expanded")
            .help("write the keys out");
    }
    found
}

impl Context {
    /// Returns whether `entry` has a merge key, and reports it: where any name is a key, it is still none.
    pub fn is_merge_key(&mut self, entry: &Entry<'_>) -> bool {
        let is_merge_key = is_merge_key(entry);
        if is_merge_key {
            self.report(entry.key_node, &rules::UNKNOWN_KEY, || unknown_key(entry));
        }
        is_merge_key
    }
}

/// Known keys that unknown ones are probably misspellings of.
///
/// What is missing because it is misspelt is not absent: nothing may be derived from its absence.
#[derive(Debug, Default)]
#[must_use]
pub struct Meant(Vec<(&'static str, Spanned<()>)>);

impl Meant {
    /// Returns whether `key` was probably meant by an unknown key.
    pub fn has(&self, key: &str) -> bool {
        self.0.iter().any(|(name, _)| *name == key)
    }

    /// Makes `field` unreadable if it is absent and `key` was probably meant by an unknown key.
    pub fn mark<T>(&self, key: &str, field: &mut Field<T>) {
        if field.is_absent()
            && let Some((_, place)) = self.0.iter().find(|(name, _)| *name == key)
        {
            *field = Field::Unreadable(*place);
        }
    }
}

/// Returns the known keys, where they are few enough to be read.
fn list(known: &[&str]) -> Option<String> {
    let mut names: Vec<&str> = known.to_vec();
    names.sort_unstable();
    names.dedup();
    let quoted: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    match quoted.as_slice() {
        [only] => Some(format!("the only known key here is {only}")),
        many if (2..=12).contains(&many.len()) => Some(format!("known keys here are {}", many.join(", "))),
        _ => None,
    }
}
