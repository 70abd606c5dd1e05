//! Decoding of the keys of a mapping.

use minds_diagnostics::{Diagnostic, did_you_mean, find_misspelled};

use super::{Context, Decode, Field, Spanned};
use crate::key_filter::filter_bit;
use crate::{Entry, Format, Node, rules};

/// The maximum number of keys of a mapping that are compared for suggestions.
const MANY_KEYS: usize = 256;

/// The key by which YAML 1.1 merges the entries of another mapping.
const MERGE_KEY: &str = "<<";

/// The keys of a mapping while it is decoded: the decoder asks for each known key, and [`Fields::finish`] reports the
/// rest.
#[derive(Debug)]
pub struct Fields<'c, 'd> {
    cx: &'c mut Context,
    node: Node<'d>,
    entries: Vec<(Entry<'d>, bool)>,
    /// The filter bits of all keys of the mapping.
    filter: u64,
    known: Vec<&'static str>,
    /// The keys that are known, but not read.
    taken: Vec<&'static str>,
}

impl<'c, 'd> Fields<'c, 'd> {
    pub(super) fn new(cx: &'c mut Context, node: Node<'d>) -> Self {
        let mut entries = Vec::with_capacity(16);
        entries.extend(node.entries().map(|entry| (entry, false)));
        let filter = entries.iter().fold(0, |filter, (entry, _)| filter | filter_bit(entry.key));
        Self { cx, node, entries, filter, known: Vec::with_capacity(32), taken: Vec::new() }
    }

    /// Returns the context that collects findings.
    pub fn cx(&mut self) -> &mut Context {
        self.cx
    }

    /// Returns the entry of `key`, if the mapping has it, and records `key` as known.
    pub fn entry(&mut self, key: &'static str) -> Option<Entry<'d>> {
        self.known.push(key);
        // Most known keys are absent.
        if self.filter & filter_bit(key) == 0 {
            return None;
        }
        if self.taken.contains(&key) {
            return None;
        }
        let (entry, taken) = self.entries.iter_mut().find(|(entry, _)| entry.key == key)?;
        *taken = true;
        Some(*entry)
    }

    /// Returns the entry of `key`, as [`entry`](Self::entry) does, and keeps it from being read.
    pub fn take_entry(&mut self, key: &'static str) -> Option<Entry<'d>> {
        let entry = self.entry(key);
        self.taken.push(key);
        entry
    }

    /// Decodes the value of `key`, if the mapping has it.
    pub fn read<T: Decode>(&mut self, key: &'static str) -> Field<T> {
        self.read_with(key, T::decode)
    }

    /// Decodes the value of `key` with `decode`, if the mapping has it.
    pub fn read_with<T>(
        &mut self,
        key: &'static str,
        decode: impl FnOnce(Node<'d>, &mut Context) -> Option<T>,
    ) -> Field<T> {
        self.read_unless(key, |_| false, decode)
    }

    /// Decodes the value of `key` with `decode`, if the mapping has it. A value for which `is_absent` returns true means
    /// the same as no key.
    pub fn read_unless<T>(
        &mut self,
        key: &'static str,
        is_absent: impl FnOnce(Node<'d>) -> bool,
        decode: impl FnOnce(Node<'d>, &mut Context) -> Option<T>,
    ) -> Field<T> {
        match self.entry(key) {
            None => Field::Absent,
            Some(entry) if is_absent(entry.value) => Field::Absent,
            Some(entry) => match decode(entry.value, self.cx) {
                Some(value) => Field::Given(Spanned::new(value, entry.value)),
                None => Field::Unreadable(Spanned::new((), entry.value)),
            },
        }
    }

    /// Decodes the value of `key`; reports the key if it is missing.
    pub fn require<T: Decode>(&mut self, key: &'static str) -> Field<T> {
        self.require_with(key, T::decode)
    }

    /// Decodes the value of `key` with `decode`; reports the key if it is missing.
    pub fn require_with<T>(
        &mut self,
        key: &'static str,
        decode: impl FnOnce(Node<'d>, &mut Context) -> Option<T>,
    ) -> Field<T> {
        let field = self.read_with(key, decode);
        if field.is_absent() {
            self.cx.missing_keys(self.node, &[key], None);
        }
        field
    }

    /// Decodes a key that has two spellings; reports it if both are present, and then prefers `key`.
    pub fn read_either<T: Decode>(&mut self, key: &'static str, other: &'static str) -> Field<T> {
        let (preferred, alternative) = (self.entry(key), self.entry(other));
        if let (Some(preferred), Some(alternative)) = (preferred, alternative) {
            let (first, second) = if preferred.key_node.span() < alternative.key_node.span() {
                (preferred, alternative)
            } else {
                (alternative, preferred)
            };
            self.cx.report(second.key_node, &rules::CONFLICTING_KEYS, || {
                Diagnostic::new(&rules::CONFLICTING_KEYS, format!("`{key}` and `{other}` are the same key"))
                    .primary(second.key_node.label().message("second spelling"))
                    .secondary(first.key_node.label().message("first spelling"))
                    .help(format!("keep only `{key}`"))
            });
        }
        // The other value is checked, too: resolving the conflict must not reveal new findings.
        let other = self.read(other);
        let field = self.read(key);
        if field.is_absent() { other } else { field }
    }

    /// Reports every key that the decoder did not ask for. Keys that begin with `x-` belong to the user and are never
    /// read.
    ///
    /// Returns the known keys that are probably misspelled.
    pub fn finish(self) -> MisspelledKeys {
        self.finish_with(|_| None)
    }

    /// Like [`finish`](Self::finish); `hint` can return a better help for an unknown key than the nearest known key.
    pub fn finish_with(self, hint: impl Fn(&Entry<'d>) -> Option<String>) -> MisspelledKeys {
        let Self { cx, entries, known, .. } = self;
        let mut misspelled = MisspelledKeys::default();
        let mut unknown =
            entries.iter().filter(|(entry, taken)| !taken && !entry.key.starts_with("x-")).peekable();
        if unknown.peek().is_none() {
            return misspelled;
        }
        // A key that is present is not the correction of another one.
        let is_free = |name: &&str| entries.iter().take(MANY_KEYS).all(|(entry, _)| entry.key != *name);
        let free: Vec<&'static str> = known.iter().copied().filter(is_free).collect();
        for (at, (entry, _)) in unknown.enumerate() {
            if at < MANY_KEYS
                && let Some(name) = find_misspelled(entry.key, free.iter().copied())
                && let Some(name) = free.iter().find(|free| **free == name)
            {
                misspelled.0.push((name, Spanned::new((), entry.key_node)));
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
        misspelled
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
    /// Returns whether `entry` has a merge key, and reports it: even where any name is a valid key, this one is not.
    pub fn is_merge_key(&mut self, entry: &Entry<'_>) -> bool {
        let is_merge_key = is_merge_key(entry);
        if is_merge_key {
            self.report(entry.key_node, &rules::UNKNOWN_KEY, || unknown_key(entry));
        }
        is_merge_key
    }
}

/// The known keys that unknown keys are probably misspellings of.
///
/// A misspelled key is not absent: nothing may be derived from its absence.
#[derive(Debug, Default)]
#[must_use]
pub struct MisspelledKeys(Vec<(&'static str, Spanned<()>)>);

impl MisspelledKeys {
    /// Returns whether no unknown key is probably misspelled.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the place of the unknown key that is probably a misspelling of `key`.
    pub fn place(&self, key: &str) -> Option<Spanned<()>> {
        self.0.iter().find(|(name, _)| *name == key).map(|(_, place)| *place)
    }

    /// Returns whether an unknown key is probably a misspelling of `key`.
    pub fn contains(&self, key: &str) -> bool {
        self.0.iter().any(|(name, _)| *name == key)
    }

    /// Makes `field` unreadable if it is absent and an unknown key is probably a misspelling of `key`.
    pub fn mark_unreadable<T>(&self, key: &str, field: &mut Field<T>) {
        field.mark_unreadable(|| self.place(key));
    }
}

/// Returns the help that lists the known keys, if they are few.
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
