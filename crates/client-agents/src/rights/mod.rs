//! Access lists as permissions of clients.
//!
//! A translation never allows a path that the lists deny, compared as the client compares names. Whatever a client does not
//! hold exactly is a [`Loss`].

mod claude_code;
mod codex;
mod copilot;
mod gemini;
mod opencode;

use minds_access_control::{Access, EntryList, ListKey, ListKind, Pattern, Policy, Segment};

pub(crate) use self::claude_code::reserved_rules as claude_code_reserved;
pub use self::claude_code::translate as translate_for_claude_code;
pub use self::codex::translate as translate_for_codex;
pub use self::copilot::translate as translate_for_copilot;
pub use self::gemini::translate as translate_for_gemini;
pub use self::opencode::translate as translate_for_opencode;

/// Which tools a member has for files.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Hands {
    /// Whether it has tools that read.
    pub reads: bool,
    /// Whether it has tools that write.
    pub writes: bool,
}

impl Hands {
    /// Returns whether a list can have an effect.
    pub fn has(self, access: Access) -> bool {
        match access {
            Access::Read => self.reads,
            Access::Write => self.writes,
        }
    }
}

/// Permissions for a client, and what they do not hold exactly.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Translation<T> {
    /// The permissions.
    pub permissions: T,
    /// What is lost.
    pub losses: Vec<Loss>,
}

/// An entry, or a list, that a client holds only in part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loss {
    /// The list.
    pub list: ListKey,
    /// The index of the entry; none for the whole list.
    pub entry: Option<usize>,
    /// How the rendered permission differs.
    pub kind: LossKind,
    /// Why, as a sentence without a full stop.
    pub reason: String,
}

/// How a rendered permission differs from its entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum LossKind {
    /// It allows less.
    Narrower,
    /// The client treats letter case in another way.
    LetterCase,
}

/// A list that a client cannot hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Obstacle {
    /// The list.
    pub list: ListKey,
    /// The index of the entry; none for the whole list.
    pub entry: Option<usize>,
    /// Why, as a sentence without a full stop.
    pub reason: String,
}

/// Returns the list that could not be read, if there is one that has an effect.
pub(crate) fn find_unreadable(policy: &Policy, hands: Hands) -> Option<Obstacle> {
    let reason = "a list that cannot be read denies everything";
    ListKey::all().filter(|key| hands.has(key.access)).find_map(|list| {
        let lists = policy.lists(list.access);
        let is_unreadable = match list.kind {
            ListKind::Deny => lists.deny.is_unreadable(),
            ListKind::DenyExtension => lists.deny_extensions.is_unreadable(),
            ListKind::Allow => lists.allow.is_unreadable(),
            ListKind::AllowExtension => lists.allow_extensions.is_unreadable(),
        };
        is_unreadable.then(|| Obstacle { list, entry: None, reason: reason.to_owned() })
    })
}

/// Returns the entries of a list of directories.
fn entries(policy: &Policy, access: Access, kind: ListKind) -> &[Pattern] {
    let lists = policy.lists(access);
    match kind {
        ListKind::Deny => lists.deny.entries(),
        ListKind::Allow => lists.allow.entries(),
        ListKind::DenyExtension | ListKind::AllowExtension => &[],
    }
}

/// Returns the extensions of a list that some file can have, with their indexes.
fn extensions(policy: &Policy, access: Access, kind: ListKind) -> Vec<(usize, &str)> {
    let lists = policy.lists(access);
    let list = match kind {
        ListKind::DenyExtension => &lists.deny_extensions,
        ListKind::AllowExtension => &lists.allow_extensions,
        ListKind::Deny | ListKind::Allow => &EntryList::Absent,
    };
    let usable = list.entries().iter().enumerate().filter(|(_, extension)| extension.can_match());
    usable.map(|(index, extension)| (index, extension.as_str())).collect()
}

/// Returns whether a list has entries, so that it limits something.
fn limits(policy: &Policy, access: Access, kind: ListKind) -> bool {
    let lists = policy.lists(access);
    match kind {
        ListKind::Deny => !lists.deny.entries().is_empty(),
        ListKind::Allow => !lists.allow.entries().is_empty(),
        ListKind::DenyExtension => !lists.deny_extensions.entries().is_empty(),
        ListKind::AllowExtension => !lists.allow_extensions.entries().is_empty(),
    }
}

/// Returns whether any list limits an operation.
pub fn has_limits(policy: &Policy, access: Access) -> bool {
    ListKind::ALL.into_iter().any(|kind| limits(policy, access, kind))
}

fn is_any(segment: &Segment<'_>) -> bool {
    matches!(segment, Segment::Any)
}

/// Returns the text of a segment; none for `**`.
fn name(segment: Segment<'_>) -> Option<&str> {
    match segment {
        Segment::Any => None,
        Segment::Glob(text) | Segment::Literal(text) => Some(text),
    }
}

/// Returns the ways to write a pattern without `**`, which stands for no segment or for some: in each, an element that is
/// none stands for at least one segment. With more than `max` of them, the ways would be too many.
fn expand(pattern: &Pattern, max: usize) -> Option<Vec<Vec<Option<&str>>>> {
    if pattern.segments().filter(is_any).count() > max {
        return None;
    }
    let mut ways: Vec<Vec<Option<&str>>> = vec![Vec::new()];
    for segment in pattern.segments() {
        if is_any(&segment) {
            let longer: Vec<_> = ways.iter().map(|way| way.iter().copied().chain([None]).collect()).collect();
            ways.extend(longer);
        } else {
            for way in &mut ways {
                way.push(name(segment));
            }
        }
    }
    Some(ways)
}

fn loss(access: Access, kind: ListKind, entry: Option<usize>, reason: &str) -> Loss {
    Loss { list: kind.key(access), entry, kind: LossKind::Narrower, reason: reason.to_owned() }
}
