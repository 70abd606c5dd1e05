//! The operations on a path.

use std::error::Error;
use std::fmt::Write as _;

use minds_fs::{Kind, Metadata, Root, Sharing, View};
use minds_vfs::{
    Change, ChangeSet, DirectoryScope, Expected, FileMode, HARD_LINKED, Location, MountId, Scope,
    SnapshotEntry, WorkspacePath,
};

/// An operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Verb {
    Read,
    Metadata,
    List,
    Walk,
    Create,
    Replace,
    Append,
    MakeDirectory,
    MoveFrom,
    MoveTo,
    RemoveFile,
    RemoveDirectory,
    Lock,
    SnapshotFile,
    SnapshotBelow,
    ApplyOne,
    ApplySeveral,
}

/// All operations, with their names in tables.
pub(super) const VERBS: [(Verb, &str); 17] = [
    (Verb::Read, "read"),
    (Verb::Metadata, "metadata"),
    (Verb::List, "list"),
    (Verb::Walk, "walk"),
    (Verb::Create, "create"),
    (Verb::Replace, "replace"),
    (Verb::Append, "append"),
    (Verb::MakeDirectory, "make"),
    (Verb::MoveFrom, "move"),
    (Verb::MoveTo, "move to"),
    (Verb::RemoveFile, "remove"),
    (Verb::RemoveDirectory, "unmake"),
    (Verb::Lock, "lock"),
    (Verb::SnapshotFile, "snapshot"),
    (Verb::SnapshotBelow, "below"),
    (Verb::ApplyOne, "apply"),
    (Verb::ApplySeveral, "several"),
];

/// How links are treated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mode {
    NoFollow,
    Resolving,
}

impl Mode {
    pub(super) fn view(self, root: &Root) -> View<'_> {
        match self {
            Self::NoFollow => root.no_follow(),
            Self::Resolving => root.resolving(),
        }
    }

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::NoFollow => "no-follow",
            Self::Resolving => "resolving",
        }
    }
}

impl Verb {
    /// Returns the modes of the operation. Snapshots and change sets have only one.
    pub(super) fn modes(self) -> &'static [Mode] {
        match self {
            Self::SnapshotFile | Self::SnapshotBelow | Self::ApplyOne | Self::ApplySeveral => {
                &[Mode::Resolving]
            }
            _ => &[Mode::NoFollow, Mode::Resolving],
        }
    }

    /// Returns whether it changes nothing.
    pub(super) fn is_read_only(self) -> bool {
        matches!(
            self,
            Self::Read | Self::Metadata | Self::List | Self::Walk | Self::SnapshotFile | Self::SnapshotBelow
        )
    }
}

/// The result of an operation.
#[derive(Default)]
pub(super) struct VerbResult {
    /// All disclosed text: contents and names.
    pub(super) disclosed: String,
    /// The disclosed size of a regular file with one name.
    pub(super) size: Option<u64>,
    /// The disclosed real paths.
    pub(super) real: Vec<String>,
    /// The real paths of changed entries.
    pub(super) changed: Vec<String>,
    /// The moved entry, and its target.
    pub(super) moved: Option<(String, String)>,
}

/// The new content of written files.
pub(super) const NEW_CONTENT: &[u8] = b"written";
/// The source and target of a move.
pub(super) const LOOSE: &str = "file";
pub(super) const MOVED: &str = "moved-here";
/// The other path that a change set with several changes modifies.
pub(super) const BESIDES: [&str; 2] = ["inner", "link-here"];

const MODE: FileMode = FileMode::Regular;
const MAX_ENTRIES: usize = 10_000;

fn path(text: &str) -> WorkspacePath {
    WorkspacePath::parse(text).expect("the path is valid")
}

/// Runs the operation. `judge` is called with the real path before anything is read or changed; `variant`
/// distinguishes change sets. An error is returned as a message with all causes.
pub(super) fn act(
    verb: Verb,
    root: &Root,
    mode: Mode,
    at: &WorkspacePath,
    variant: usize,
    judge: &dyn Fn(&WorkspacePath) -> bool,
) -> Result<VerbResult, String> {
    let view = mode.view(root);
    let allowed = |real: &WorkspacePath| if judge(real) { Ok(()) } else { Err("judged".to_owned()) };
    let mut done = VerbResult::default();
    match verb {
        Verb::Read => {
            let file = view.open(at).map_err(to_message)?;
            allowed(file.real())?;
            let file = file.read(1 << 20).map_err(to_message)?;
            done.disclosed = String::from_utf8_lossy(&file.bytes).into_owned();
            done.real.push(file.real.to_string());
        }
        Verb::Metadata => {
            let Metadata { kind, size, links, real, .. } = view.metadata(at).map_err(to_message)?;
            done.size = (kind == Kind::File && links == 1).then_some(size);
            done.real.push(real.to_string());
        }
        Verb::List | Verb::Walk => {
            let listed =
                if verb == Verb::List { view.list(at, MAX_ENTRIES) } else { view.walk(at, MAX_ENTRIES) };
            let listing = listed.map_err(to_message)?;
            for entry in &listing.entries {
                let _ = writeln!(done.disclosed, "{}", entry.real);
            }
            done.real.push(listing.real.to_string());
        }
        Verb::Replace | Verb::Append => {
            let place = view.place(at).map_err(to_message)?;
            allowed(place.real())?;
            done.changed.push(place.real().to_string());
            if verb == Verb::Replace {
                place.replace(NEW_CONTENT, MODE, Expected::Any).map_err(to_message)?;
            } else {
                place.append(NEW_CONTENT, MODE).map_err(to_message)?;
            }
        }
        Verb::Lock => {
            let place = view.place(at).map_err(to_message)?;
            done.changed.push(place.real().to_string());
            drop(place.lock(Sharing::Exclusive).map_err(to_message)?);
        }
        Verb::Create | Verb::MakeDirectory | Verb::RemoveFile | Verb::RemoveDirectory => {
            let place = view.entry(at).map_err(to_message)?;
            allowed(place.real())?;
            done.changed.push(place.real().to_string());
            let changed = match verb {
                Verb::Create => place.create(NEW_CONTENT, MODE),
                Verb::MakeDirectory => place.make_directory(),
                Verb::RemoveFile => place.remove_file(Expected::Any),
                _ => place.remove_directory(),
            };
            changed.map_err(to_message)?;
        }
        Verb::MoveFrom | Verb::MoveTo => {
            let (loose, moved) = (path(LOOSE), path(MOVED));
            let (from, to) = if verb == Verb::MoveFrom { (at, &moved) } else { (&loose, at) };
            let (from, to) = (view.entry(from).map_err(to_message)?, view.entry(to).map_err(to_message)?);
            allowed(from.real())?;
            allowed(to.real())?;
            from.rename(&to).map_err(to_message)?;
            done.moved = Some((from.real().to_string(), to.real().to_string()));
        }
        Verb::SnapshotFile | Verb::SnapshotBelow => snapshot(verb, root, at, &mut done)?,
        Verb::ApplyOne | Verb::ApplySeveral => apply(verb, root, at, variant, &mut done)?,
    }
    Ok(done)
}

fn snapshot(verb: Verb, root: &Root, at: &WorkspacePath, done: &mut VerbResult) -> Result<(), String> {
    let location = Location::new(MountId::WORKSPACE, at.clone());
    let scope = if verb == Verb::SnapshotFile {
        Scope::of_files([location])
    } else {
        let (max_bytes, max_total_bytes) = (1 << 20, 1 << 24);
        let (depth, max_entries) = (8, MAX_ENTRIES);
        let wants = |_: &WorkspacePath| true;
        let below = DirectoryScope {
            directory: location,
            depth,
            wants,
            names: |_| false,
            max_entries,
            max_bytes,
            max_total_bytes,
        };
        Scope { files: Vec::new(), directories: vec![below] }
    };
    let mut refused = String::new();
    for (location, entry) in root.snapshot(&scope).iter() {
        match entry {
            SnapshotEntry::File { bytes, .. } => {
                let _ = writeln!(done.disclosed, "{}: {}", location.path, String::from_utf8_lossy(bytes));
            }
            SnapshotEntry::Outside { reason }
            | SnapshotEntry::Untrusted { reason }
            | SnapshotEntry::Unreadable { reason } => refused += reason,
            SnapshotEntry::HardLinked => refused += HARD_LINKED,
            // The target of a link is an entry of the root.
            SnapshotEntry::Directory
            | SnapshotEntry::Link { .. }
            | SnapshotEntry::Special
            | SnapshotEntry::Unread
            | SnapshotEntry::TooLarge { .. } => {
                let _ = writeln!(done.disclosed, "{}", location.path);
            }
        }
    }
    if done.disclosed.is_empty() { Err(refused) } else { Ok(()) }
}

fn apply(
    verb: Verb,
    root: &Root,
    at: &WorkspacePath,
    variant: usize,
    done: &mut VerbResult,
) -> Result<(), String> {
    let to = |path: &WorkspacePath| Location::new(MountId::WORKSPACE, path.clone());
    let (loose, moved) = (path(LOOSE), path(MOVED));
    let write = || Change::Write { bytes: NEW_CONTENT.to_vec(), mode: MODE, expected: Expected::Any };
    let mut set = ChangeSet::new();
    let real = real_of(root, at);
    let hostile = match variant % 4 {
        0 => (at, write()),
        1 => (at, Change::Remove { expected: Expected::Any }),
        2 => (at, Change::Move { to: to(&moved) }),
        _ => (&loose, Change::Move { to: to(at) }),
    };
    match variant % 4 {
        0 | 1 => done.changed.push(real),
        2 => done.moved = Some((real, MOVED.to_owned())),
        _ => done.moved = Some((LOOSE.to_owned(), real)),
    }
    set.add(to(hostile.0), hostile.1).map_err(to_message)?;
    if verb == Verb::ApplySeveral {
        let link = Change::Link { target: "dir".to_owned() };
        for (place, change) in BESIDES.iter().zip([write(), link]) {
            set.add(to(&path(place)), change).map_err(to_message)?;
            done.changed.push((*place).to_owned());
        }
    }
    root.apply(&set).map_err(to_message)
}

/// Returns the real path of a place whose parent directories may not exist yet.
fn real_of(root: &Root, at: &WorkspacePath) -> String {
    let (mut above, mut rest) = (at.clone(), String::new());
    loop {
        if let Ok(place) = root.resolving().entry(&above) {
            return format!("{}{rest}", place.real());
        }
        let Some(parent) = above.parent() else { return at.to_string() };
        rest = format!("/{}{rest}", above.file_name().unwrap_or_default());
        above = parent;
    }
}

/// Returns the message of an error with all its causes.
fn to_message(error: impl Error) -> String {
    let mut text = format!("{error} {error:?}");
    let mut source = error.source();
    while let Some(error) = source {
        let _ = write!(text, " {error}");
        source = error.source();
    }
    text
}
