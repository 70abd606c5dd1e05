//! The compiled access lists of a member.

use std::collections::BTreeMap;
use std::sync::Arc;

use minds_vfs::WorkspacePath;

use crate::automaton::{Automaton, Match};
use crate::extension::{self, Extension};
use crate::pattern::needs_exact_match;
use crate::{
    Access, DecidingEntry, Decision, EntryList, ListKind, Pattern, PatternError, Reason, ReservedArea,
};

/// The four lists that apply to one operation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Lists {
    /// Directories that must not be accessed.
    pub deny: EntryList<Pattern>,
    /// File extensions that must not be accessed.
    pub deny_extensions: EntryList<Extension>,
    /// Directories that may be accessed; the only ones if there is an entry.
    pub allow: EntryList<Pattern>,
    /// File extensions that may be accessed; the only ones if there is an entry.
    pub allow_extensions: EntryList<Extension>,
}

/// What a member may read and write: its compiled access lists.
///
/// A policy is an immutable value: it never accesses a file system, can be shared between threads, and always gives the
/// same answer to the same question.
#[derive(Clone, Debug)]
pub struct Policy {
    read: CompiledLists,
    write: CompiledLists,
}

/// The lists that apply to one operation, compiled.
#[derive(Clone, Debug)]
struct CompiledLists {
    lists: Arc<Lists>,
    automaton: Arc<Automaton>,
}

/// Compiles policies. Equal lists are compiled only once.
#[derive(Debug, Default)]
pub struct Compiler {
    automata: BTreeMap<String, Arc<Automaton>>,
}

/// Builds a policy entry by entry.
#[derive(Clone, Debug, Default)]
pub struct PolicyBuilder {
    read: Lists,
    write: Lists,
}

impl Policy {
    /// Compiles the lists of a member.
    pub fn new(read: Lists, write: Lists) -> Self {
        Self { read: CompiledLists::new(read), write: CompiledLists::new(write) }
    }

    /// Returns a builder without entries, which allows everything except the reserved areas.
    pub fn builder() -> PolicyBuilder {
        PolicyBuilder::default()
    }

    /// Decides whether `access` to `path` is allowed.
    ///
    /// The reasons of [`Reason`] are considered in their order, and the first that applies decides. The order of the entries
    /// within a list never affects the outcome, only which of them is returned as the deciding one.
    ///
    /// The time depends only on the length of the path and the number of entries.
    pub fn check<'a>(&'a self, access: Access, path: &'a WorkspacePath) -> Decision<'a> {
        Decision { policy: self, access, path, reason: self.reason(access, path) }
    }

    /// Returns an entry that could deny access to a path below `directory`, without knowing which paths exist; `None` if
    /// access to all of them is allowed as far as the lists decide, given that access to `directory` is.
    ///
    /// Reserved areas are not considered. An unreadable list denies everything, so its entry is returned.
    pub fn find_denial_below(&self, access: Access, directory: &WorkspacePath) -> Option<DecidingEntry<'_>> {
        let lists = self.lists(access);
        let entry = |list, index, text| DecidingEntry { list, index, text, is_by_folding: false };
        if let Some((list, text)) = lists.unreadable() {
            return Some(entry(list, None, text));
        }
        let folded = directory.to_folded();
        let reaches = |pattern: &Pattern| {
            pattern.reaches_below(directory) || pattern.folded_pattern().reaches_below(&folded)
        };
        let found = |list, index: usize| Some(entry(list, Some(index), lists.entry_text(list, index)));
        if let Some(index) = lists.deny.entries().iter().position(reaches) {
            return found(ListKind::Deny, index);
        }
        if !lists.deny_extensions.entries().is_empty() {
            return found(ListKind::DenyExtension, 0);
        }
        if !lists.allow.entries().is_empty()
            && !lists.allow.entries().iter().any(|pattern| pattern.matches(directory))
        {
            return found(ListKind::Allow, 0);
        }
        if lists.allow_extensions.entries().is_empty() { None } else { found(ListKind::AllowExtension, 0) }
    }

    /// Returns the lists that apply to an operation.
    pub fn lists(&self, access: Access) -> &Lists {
        &self.compiled_lists(access).lists
    }

    fn compiled_lists(&self, access: Access) -> &CompiledLists {
        match access {
            Access::Read => &self.read,
            Access::Write => &self.write,
        }
    }

    fn reason(&self, access: Access, path: &WorkspacePath) -> Reason {
        let compiled = self.compiled_lists(access);
        if ReservedArea::find(access, path).is_some() {
            return Reason::Reserved;
        }
        if compiled.lists.is_unreadable() {
            return Reason::InvalidPolicy;
        }
        let found = compiled.automaton.run(path);
        let is_denied_exactly = || {
            needs_exact_match(path) && compiled.lists.deny.entries().iter().any(|entry| entry.matches(path))
        };
        if found == Match::Denied || is_denied_exactly() {
            return Reason::Denied;
        }
        let (denied, allowed) =
            (compiled.lists.deny_extensions.entries(), compiled.lists.allow_extensions.entries());
        let extension = if denied.is_empty() && allowed.is_empty() { None } else { extension::of_path(path) };
        let is_in = |list: &[Extension]| {
            extension.as_ref().map(|extension| list.iter().any(|entry| entry.as_str() == extension))
        };
        if is_in(denied) == Some(true) {
            return Reason::ExtensionDenied;
        }
        let is_open = compiled.lists.allow.entries().is_empty();
        if !is_open && found != Match::Allowed {
            return Reason::NotInAllowList;
        }
        if !allowed.is_empty() && is_in(allowed) == Some(false) {
            return Reason::ExtensionNotAllowed;
        }
        if is_open { Reason::AllowedByDefault } else { Reason::Allowed }
    }
}

impl CompiledLists {
    fn new(lists: Lists) -> Self {
        let automaton = Automaton::new(lists.deny.entries(), lists.allow.entries());
        Self { lists: Arc::new(lists), automaton: Arc::new(automaton) }
    }
}

impl Lists {
    /// Returns whether one of the lists is unreadable.
    pub fn is_unreadable(&self) -> bool {
        self.unreadable().is_some()
    }

    /// Returns the first unreadable list, with its first invalid entry.
    pub(crate) fn unreadable(&self) -> Option<(ListKind, Option<&str>)> {
        fn find<T>(kind: ListKind, list: &EntryList<T>) -> Option<(ListKind, Option<&str>)> {
            match list {
                EntryList::Unreadable { entry } => Some((kind, entry.as_deref())),
                EntryList::Absent | EntryList::Given(_) => None,
            }
        }
        find(ListKind::Deny, &self.deny)
            .or_else(|| find(ListKind::DenyExtension, &self.deny_extensions))
            .or_else(|| find(ListKind::Allow, &self.allow))
            .or_else(|| find(ListKind::AllowExtension, &self.allow_extensions))
    }

    /// Returns the first entry of a list that matches `path` exactly, else the first pattern of a deny list that matches it
    /// after folding: its index, its text, and whether folding was needed.
    pub(crate) fn first_covering(&self, kind: ListKind, path: &WorkspacePath) -> Option<(usize, &str, bool)> {
        let pattern =
            |list: &'_ EntryList<Pattern>| list.entries().iter().position(|entry| entry.matches(path));
        let extension = |list: &'_ EntryList<Extension>| {
            let extension = extension::of_path(path)?;
            list.entries().iter().position(|entry| entry.as_str() == extension)
        };
        let (index, is_by_folding) = match kind {
            ListKind::Deny => {
                let folded = || self.deny.entries().iter().position(|entry| entry.matches_folded(path));
                let exact = pattern(&self.deny);
                (exact.or_else(folded)?, exact.is_none())
            }
            ListKind::DenyExtension => (extension(&self.deny_extensions)?, false),
            ListKind::Allow => (pattern(&self.allow)?, false),
            ListKind::AllowExtension => (extension(&self.allow_extensions)?, false),
        };
        Some((index, self.entry_text(kind, index)?, is_by_folding))
    }

    /// Returns the entry at an index of a list as written.
    pub fn entry_text(&self, kind: ListKind, index: usize) -> Option<&str> {
        match kind {
            ListKind::Deny => self.deny.entries().get(index).map(Pattern::as_written),
            ListKind::DenyExtension => self.deny_extensions.entries().get(index).map(Extension::as_written),
            ListKind::Allow => self.allow.entries().get(index).map(Pattern::as_written),
            ListKind::AllowExtension => self.allow_extensions.entries().get(index).map(Extension::as_written),
        }
    }
}

impl Compiler {
    /// Compiles the lists of a member.
    pub fn compile(&mut self, read: Lists, write: Lists) -> Policy {
        Policy { read: self.compiled_lists(read), write: self.compiled_lists(write) }
    }

    /// Returns the number of distinct pairs of lists compiled so far.
    pub fn compiled_count(&self) -> usize {
        self.automata.len()
    }

    fn compiled_lists(&mut self, lists: Lists) -> CompiledLists {
        let (deny, allow) = (lists.deny.entries(), lists.allow.entries());
        let automaton = self.automata.entry(cache_key(deny, allow));
        let automaton = automaton.or_insert_with(|| Arc::new(Automaton::new(deny, allow)));
        CompiledLists { automaton: Arc::clone(automaton), lists: Arc::new(lists) }
    }
}

/// Returns a string that is equal for equivalent lists. Patterns contain no control characters, so these can separate them.
fn cache_key(deny: &[Pattern], allow: &[Pattern]) -> String {
    let mut key = String::new();
    for (patterns, end) in [(deny, "\0"), (allow, "")] {
        for pattern in patterns {
            pattern.write_to(&mut key);
            key.push('\n');
        }
        key.push_str(end);
    }
    key
}

impl PolicyBuilder {
    /// Adds a pattern to an allow list.
    ///
    /// # Errors
    ///
    /// Returns an error if the pattern is invalid.
    pub fn allow(mut self, access: Access, pattern: &str) -> Result<Self, PatternError> {
        add(&mut self.lists(access).allow, Pattern::parse(pattern)?);
        Ok(self)
    }

    /// Adds a pattern to a deny list.
    ///
    /// # Errors
    ///
    /// Returns an error if the pattern is invalid.
    pub fn deny(mut self, access: Access, pattern: &str) -> Result<Self, PatternError> {
        add(&mut self.lists(access).deny, Pattern::parse(pattern)?);
        Ok(self)
    }

    /// Compiles the policy.
    pub fn build(self) -> Policy {
        Policy::new(self.read, self.write)
    }

    fn lists(&mut self, access: Access) -> &mut Lists {
        match access {
            Access::Read => &mut self.read,
            Access::Write => &mut self.write,
        }
    }
}

fn add<T>(list: &mut EntryList<T>, entry: T) {
    match list {
        EntryList::Given(entries) => entries.push(entry),
        EntryList::Absent => *list = EntryList::Given(vec![entry]),
        // An unreadable list stays unreadable.
        EntryList::Unreadable { .. } => {}
    }
}
