//! What a member may do.

use std::collections::BTreeMap;
use std::sync::Arc;

use minds_paths::WorkspacePath;

use crate::automaton::{Automaton, Match};
use crate::extension::{self, Extension};
use crate::pattern::needs_exact_match;
use crate::{Access, Decision, EntryList, ListKind, Pattern, PatternError, Reason, Reserved};

/// The four lists about one access.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Lists {
    /// What must not be touched.
    pub deny: EntryList<Pattern>,
    /// Extensions of files that must not be touched.
    pub deny_extensions: EntryList<Extension>,
    /// What may be touched; nothing else, if there is an entry.
    pub allow: EntryList<Pattern>,
    /// Extensions of files that may be touched; no others, if there is an entry.
    pub allow_extensions: EntryList<Extension>,
}

/// What a member may read and write: its lists, compiled.
///
/// It is a value: comparing, asking and sharing it between threads touches no file system, and the same question always
/// has the same answer.
#[derive(Clone, Debug)]
pub struct Policy {
    read: Side,
    write: Side,
}

/// What concerns one access.
#[derive(Clone, Debug)]
struct Side {
    lists: Arc<Lists>,
    automaton: Arc<Automaton>,
}

/// Compiles policies. Lists that say the same are compiled once, however many members have them.
#[derive(Debug, Default)]
pub struct Compiler {
    automata: BTreeMap<String, Arc<Automaton>>,
}

/// Lists that are being written down, for programs and tests.
#[derive(Clone, Debug, Default)]
pub struct PolicyBuilder {
    read: Lists,
    write: Lists,
}

impl Policy {
    /// Returns the policy of a member with these lists.
    pub fn new(read: Lists, write: Lists) -> Self {
        Self { read: Side::new(read), write: Side::new(write) }
    }

    /// Returns an empty policy to be added to. One that nothing is added to allows all but the reserved areas.
    pub fn builder() -> PolicyBuilder {
        PolicyBuilder::default()
    }

    /// Decides whether `access` to `path` is allowed.
    ///
    /// The reasons of [`Reason`] are considered in their order, and the first that applies decides. The order in which
    /// entries stand in their lists never matters to the outcome, only to which of them is named.
    ///
    /// Takes time in the length of the path and the number of entries, whatever both are.
    pub fn check<'a>(&'a self, access: Access, path: &'a WorkspacePath) -> Decision<'a> {
        Decision { policy: self, access, path, reason: self.reason(access, path) }
    }

    /// Returns the lists about an access.
    pub fn lists(&self, access: Access) -> &Lists {
        &self.side(access).lists
    }

    fn side(&self, access: Access) -> &Side {
        match access {
            Access::Read => &self.read,
            Access::Write => &self.write,
        }
    }

    fn reason(&self, access: Access, path: &WorkspacePath) -> Reason {
        let side = self.side(access);
        if Reserved::find(access, path).is_some() {
            return Reason::Reserved;
        }
        if side.lists.is_unreadable() {
            return Reason::InvalidPolicy;
        }
        let found = side.automaton.run(path);
        let is_denied_as_written =
            || needs_exact_match(path) && side.lists.deny.entries().iter().any(|entry| entry.matches(path));
        if found == Match::Denied || is_denied_as_written() {
            return Reason::Denied;
        }
        let (denied, allowed) = (side.lists.deny_extensions.entries(), side.lists.allow_extensions.entries());
        let extension = if denied.is_empty() && allowed.is_empty() { None } else { extension::of(path) };
        let is_in = |list: &[Extension]| {
            extension.as_ref().map(|extension| list.iter().any(|entry| entry.as_str() == extension))
        };
        if is_in(denied) == Some(true) {
            return Reason::ExtensionDenied;
        }
        let is_open = side.lists.allow.entries().is_empty();
        if !is_open && found != Match::Allowed {
            return Reason::NotInAllowList;
        }
        if !allowed.is_empty() && is_in(allowed) == Some(false) {
            return Reason::ExtensionNotAllowed;
        }
        if is_open { Reason::AllowedByDefault } else { Reason::Allowed }
    }
}

impl Side {
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

    /// Returns the first list that is unreadable, with its first entry that is.
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

    /// Returns the first entry of a list that covers `path` as it is written, else the first pattern of a deny list that
    /// covers it by folding: its place, how it was written, and whether it takes folding.
    pub(crate) fn first_covering(&self, kind: ListKind, path: &WorkspacePath) -> Option<(usize, &str, bool)> {
        let pattern =
            |list: &'_ EntryList<Pattern>| list.entries().iter().position(|entry| entry.matches(path));
        let extension = |list: &'_ EntryList<Extension>| {
            let extension = extension::of(path)?;
            list.entries().iter().position(|entry| entry.as_str() == extension)
        };
        let (index, is_by_folding) = match kind {
            ListKind::Deny => {
                let folded = || self.deny.entries().iter().position(|entry| entry.matches_folded(path));
                let as_written = pattern(&self.deny);
                (as_written.or_else(folded)?, as_written.is_none())
            }
            ListKind::DenyExtension => (extension(&self.deny_extensions)?, false),
            ListKind::Allow => (pattern(&self.allow)?, false),
            ListKind::AllowExtension => (extension(&self.allow_extensions)?, false),
        };
        Some((index, self.written(kind, index)?, is_by_folding))
    }

    /// Returns how the entry at a place of a list was written.
    pub fn written(&self, kind: ListKind, index: usize) -> Option<&str> {
        match kind {
            ListKind::Deny => self.deny.entries().get(index).map(Pattern::written),
            ListKind::DenyExtension => self.deny_extensions.entries().get(index).map(Extension::written),
            ListKind::Allow => self.allow.entries().get(index).map(Pattern::written),
            ListKind::AllowExtension => self.allow_extensions.entries().get(index).map(Extension::written),
        }
    }
}

impl Compiler {
    /// Returns the policy of a member with these lists.
    pub fn compile(&mut self, read: Lists, write: Lists) -> Policy {
        Policy { read: self.side(read), write: self.side(write) }
    }

    /// Returns how many pairs of lists were compiled so far.
    pub fn compiled(&self) -> usize {
        self.automata.len()
    }

    fn side(&mut self, lists: Lists) -> Side {
        let (deny, allow) = (lists.deny.entries(), lists.allow.entries());
        let automaton = self.automata.entry(key(deny, allow));
        let automaton = automaton.or_insert_with(|| Arc::new(Automaton::new(deny, allow)));
        Side { automaton: Arc::clone(automaton), lists: Arc::new(lists) }
    }
}

/// Returns a text that is the same for lists that mean the same. No pattern has a control character.
fn key(deny: &[Pattern], allow: &[Pattern]) -> String {
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
    /// Returns why the pattern cannot be read.
    pub fn allow(mut self, access: Access, pattern: &str) -> Result<Self, PatternError> {
        add(&mut self.lists(access).allow, Pattern::parse(pattern)?);
        Ok(self)
    }

    /// Adds a pattern to a deny list.
    ///
    /// # Errors
    ///
    /// Returns why the pattern cannot be read.
    pub fn deny(mut self, access: Access, pattern: &str) -> Result<Self, PatternError> {
        add(&mut self.lists(access).deny, Pattern::parse(pattern)?);
        Ok(self)
    }

    /// Returns the policy.
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
        // What cannot be read stays so.
        EntryList::Unreadable { .. } => {}
    }
}
