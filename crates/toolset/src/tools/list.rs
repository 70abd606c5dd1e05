//! Listing a directory.

use std::fmt::Write as _;

use minds_access_control::{Access, ReservedArea};
use minds_fs::{Entry, FileErrorKind, Kind as EntryKind, Listing};
use minds_vfs::WorkspacePath;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{READS, TEAM_MGMT};
use crate::answer::Refusal;
use crate::area::MINDS;
use crate::call::Call;
use crate::file_refusal::{ExpectedKind, quote, truncate};
use crate::input::Count;
use crate::problems::plural;
use crate::tool::{Annotations, Body, Function, Outcome, Tool};
use crate::{Area, Code};

/// The maximum number of entries of a directory that can be listed.
const MAX_FOUND: usize = 100_000;
/// The maximum number of entries in an answer.
const MAX_REPORTED: usize = 1_000;
/// The largest file whose lines are counted, in bytes.
const MAX_BYTES: u64 = 64 * 1024;
/// The maximum number of bytes read in total to count lines.
const MAX_TOTAL_BYTES: u64 = 4 * 1024 * 1024;

pub(super) static TEAM_MGMT_LIST_DIR: Tool = Tool {
    name: "team_mgmt_list_dir",
    toolsets: TEAM_MGMT,
    area: Area::Minds,
    description: "List a directory at or below `.minds/`: `entries` with name, type (dir, file, \
         symlink, other), size and lines; `depth` includes subdirectories. Links are listed with their \
         target and never followed. Without `.minds` the list is empty, with a `note`. \
         DIR_NOT_FOUND, NOT_A_DIR: list the parent directory. INVALID_PATH: write `.minds/…`.",
    annotations: Annotations::READS,
    body: Body::of::<ListMinds>(),
};

pub(super) static LIST_DIR: Tool = Tool {
    name: "list_dir",
    toolsets: READS,
    area: Area::Workspace,
    description: "List a directory of the workspace: `entries` with name, type (dir, file, symlink, \
         other), size and lines; `depth` includes subdirectories. Entries that you may not read are only \
         counted, in `hidden`; task packages are listed and never entered. ACCESS_DENIED: your lists deny \
         this directory; list one that they allow. DIR_NOT_FOUND, NOT_A_DIR: list the parent directory.",
    body: Body::of::<List>(),
    ..TEAM_MGMT_LIST_DIR
};

/// The maximum depth.
const MAX_DEPTH: u64 = 16;

struct List;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Arguments {
    /// a directory; default: the workspace root
    path: Option<String>,
    /// the number of levels; default 1, at most 16
    depth: Option<Count>,
}

struct ListMinds;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct MindsArguments {
    /// a directory; default `.minds`
    path: Option<String>,
    /// the number of levels; default 1, at most 16
    depth: Option<Count>,
}

#[derive(Serialize, JsonSchema)]
struct Output {
    path: String,
    truncated: bool,
    entries: Vec<ListedEntry>,
    total_entries: usize,
    /// The number of entries that the caller may not read.
    hidden: usize,
    /// Only without `.minds`.
    note: Option<String>,
}

#[derive(Serialize, JsonSchema)]
struct ListedEntry {
    name: String,
    #[serde(rename = "type")]
    kind: ListedKind,
    /// The target of a link.
    #[serde(skip_serializing_if = "Option::is_none")]
    target: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    size_bytes: Option<u64>,
    /// Only of small text files.
    #[serde(skip_serializing_if = "Option::is_none")]
    lines: Option<usize>,
}

#[derive(Clone, Copy, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum ListedKind {
    File,
    Dir,
    Symlink,
    /// A pipe, a socket or a device.
    Other,
}

impl From<EntryKind> for ListedKind {
    fn from(kind: EntryKind) -> Self {
        match kind {
            EntryKind::File => Self::File,
            EntryKind::Directory => Self::Dir,
            EntryKind::Link => Self::Symlink,
            EntryKind::Special => Self::Other,
        }
    }
}

impl Function for List {
    type Arguments = Arguments;
    type Output = Output;

    fn run(call: &Call<'_>, arguments: Arguments) -> Result<Outcome<Output>, Refusal> {
        list(call, arguments.path.as_deref(), arguments.depth)
    }
}

impl Function for ListMinds {
    type Arguments = MindsArguments;
    type Output = Output;

    fn run(call: &Call<'_>, arguments: MindsArguments) -> Result<Outcome<Output>, Refusal> {
        list(call, arguments.path.as_deref(), arguments.depth)
    }
}

fn list(call: &Call<'_>, path: Option<&str>, depth: Option<Count>) -> Result<Outcome<Output>, Refusal> {
    let path = call.path_or_top("path", path)?;
    call.check_access(Access::Read, &path)?;
    let listing = match call.view().list(&path, MAX_FOUND) {
        Ok(listing) => listing,
        Err(error)
            if error.kind() == FileErrorKind::NotFound
                && call.tool.area == Area::Minds
                && path == Area::Minds.top() =>
        {
            return Ok(empty_listing(&path));
        }
        Err(error) if error.kind() == FileErrorKind::TooLarge => {
            return Err(too_many(&path));
        }
        Err(error) => return Err(call.read_refusal(&error, ExpectedKind::Directory, &path)),
    };
    call.check_access(Access::Read, &listing.real)?;
    let depth = depth.map_or(1, |depth| depth.0).clamp(1, MAX_DEPTH);
    let mut tree = Tree { call, entries: Vec::new(), hidden: 0, found: 0 };
    tree.add(&path, "", listing, depth)?;
    let Tree { entries: found, hidden, .. } = tree;
    let total_entries = found.len();
    let mut bytes_left = MAX_TOTAL_BYTES;
    let entries: Vec<ListedEntry> =
        found.into_iter().take(MAX_REPORTED).map(|known| describe(call, known, &mut bytes_left)).collect();
    let mut summary = format!("{} in `{path}`", plural(total_entries, "entry"));
    if hidden > 0 {
        let _ = write!(summary, ", and {hidden} that you may not read");
    }
    let truncated = total_entries > entries.len();
    if truncated {
        let _ = write!(summary, "; only the first {} are listed", entries.len());
    }
    let path = path.to_string();
    Ok(Outcome::new(summary, Output { path, truncated, entries, total_entries, hidden, note: None }))
}

fn empty_listing(path: &WorkspacePath) -> Outcome<Output> {
    let note = format!("`{MINDS}` does not exist yet; creating the first file in it creates it");
    let output = Output {
        path: path.to_string(),
        truncated: false,
        entries: Vec::new(),
        total_entries: 0,
        hidden: 0,
        note: Some(note.clone()),
    };
    Outcome::new(note, output)
}

/// An entry that the caller may see.
struct VisibleEntry {
    entry: Entry,
    /// The path by which the caller would request it.
    asked: WorkspacePath,
    /// Its path relative to the listed directory.
    name: String,
}

/// The entries of a directory and its subdirectories.
struct Tree<'t, 'c> {
    call: &'t Call<'c>,
    entries: Vec<VisibleEntry>,
    hidden: usize,
    found: usize,
}

impl Tree<'_, '_> {
    /// Adds the entries of a directory that the caller may see, each followed by its own entries. Names are hidden like
    /// contents, because a name is information too; the names of task packages are not secret.
    fn add(
        &mut self,
        path: &WorkspacePath,
        prefix: &str,
        listing: Listing,
        depth: u64,
    ) -> Result<(), Refusal> {
        self.hidden += listing.unnamed;
        self.found += listing.entries.len();
        if self.found > MAX_FOUND {
            return Err(too_many(path));
        }
        for entry in listing.entries {
            let asked = entry.real.file_name().and_then(|name| path.join(name).ok());
            let Some(asked) = asked else {
                self.hidden += 1;
                continue;
            };
            let is_package = ReservedArea::find(Access::Read, &asked) == Some(ReservedArea::Package);
            let is_readable = [&asked, &entry.real].iter().all(|path| self.call.permits(Access::Read, path));
            if !is_package && !is_readable {
                self.hidden += 1;
                continue;
            }
            let name = format!("{prefix}{}", entry.real.file_name().unwrap_or_default());
            let enters = entry.kind == EntryKind::Directory && is_readable && depth > 1;
            // An entry that changed since its parent was listed is listed without children.
            let below = enters.then(|| self.call.context.root().no_follow().list(&entry.real, MAX_FOUND));
            let prefix = format!("{name}/");
            self.entries.push(VisibleEntry { entry, asked: asked.clone(), name });
            if let Some(Ok(below)) = below {
                self.add(&asked, &prefix, below, depth - 1)?;
            }
        }
        Ok(())
    }
}

fn too_many(path: &WorkspacePath) -> Refusal {
    let message = format!("{} has more than {MAX_FOUND} entries", quote(&path.to_string()));
    Refusal::new(Code::TOO_LARGE, message).next("list one of its subdirectories")
}

fn describe(call: &Call<'_>, known: VisibleEntry, bytes_left: &mut u64) -> ListedEntry {
    let VisibleEntry { entry, asked, name } = known;
    let mut listed =
        ListedEntry { name, kind: entry.kind.into(), target: None, size_bytes: None, lines: None };
    // An entry that changed since the listing is described as it was.
    let place = call.context.root().no_follow().entry(&entry.real);
    match (entry.kind, place) {
        (EntryKind::Link, Ok(place)) => {
            let target = place.link_target().unwrap_or_default();
            // Paths of this machine are not revealed.
            let target = if target.starts_with('/') { "/…".to_owned() } else { truncate(&target) };
            listed.target = Some(target);
        }
        (EntryKind::File, Ok(place)) => {
            if let Ok(Some(found)) = place.metadata() {
                listed.size_bytes = Some(found.size);
                listed.lines = count_lines(call, &asked, found.size, bytes_left);
            }
        }
        _ => {}
    }
    listed
}

/// Returns the number of lines of a text file, if it is small.
fn count_lines(call: &Call<'_>, asked: &WorkspacePath, size: u64, bytes_left: &mut u64) -> Option<usize> {
    if size > MAX_BYTES || size > *bytes_left {
        return None;
    }
    *bytes_left -= size;
    let read = call.read(asked, MAX_BYTES).ok()?;
    std::str::from_utf8(&read.bytes).ok().map(|text| minds_edit::count_lines(text.as_bytes()))
}
