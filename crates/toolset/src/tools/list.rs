//! Listing a directory.

use std::fmt::Write as _;

use minds_access_control::{Access, ReservedArea};
use minds_paths::WorkspacePath;
use minds_system::{Entry, FileErrorKind, Kind as EntryKind, Listing};
use serde_json::{Map, Value};

use super::{READS, TEAM_MGMT};
use crate::answer::{Fields, Refusal, Success};
use crate::area::MINDS;
use crate::arguments::{Argument, Kind};
use crate::call::{Call, kind_name};
use crate::file_refusal::{ExpectedKind, quote, truncate};
use crate::lines;
use crate::tool::{Annotations, OutputField, Tool};
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
         target and never followed. Without `.minds` the list is empty and a `note` says so. \
         DIR_NOT_FOUND, NOT_A_DIR: list the parent directory. INVALID_PATH: write `.minds/…`.",
    arguments: &[Argument::optional("path", Kind::Text, "a directory; default `.minds`"), DEPTH],
    output: OUTPUT,
    annotations: Annotations::READS,
    run,
};

pub(super) static LIST_DIR: Tool = Tool {
    name: "list_dir",
    toolsets: READS,
    area: Area::Workspace,
    description: "List a directory of the workspace: `entries` with name, type (dir, file, symlink, \
         other), size and lines; `depth` includes subdirectories. Entries that you may not read are only \
         counted, in `hidden`; task packages are listed and never entered. ACCESS_DENIED: your lists deny \
         this directory; list one that they allow. DIR_NOT_FOUND, NOT_A_DIR: list the parent directory.",
    arguments: &[Argument::optional("path", Kind::Text, "a directory; default: the workspace root"), DEPTH],
    ..TEAM_MGMT_LIST_DIR
};

const DEPTH: Argument =
    Argument::optional("depth", Kind::Count, "the number of levels; default 1, at most 16");

/// The maximum depth.
const MAX_DEPTH: u64 = 16;

const OUTPUT: &[OutputField] = &[
    OutputField { name: "path", kind: "string" },
    OutputField { name: "entries", kind: "array" },
    OutputField { name: "total_entries", kind: "integer" },
    OutputField { name: "hidden", kind: "integer" },
    OutputField { name: "truncated", kind: "boolean" },
    OutputField { name: "note", kind: "string" },
];

fn run(call: &Call<'_>) -> Result<Success, Refusal> {
    let path = call.path_or_top("path")?;
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
    let depth = call.arguments.count("depth").unwrap_or(1).clamp(1, MAX_DEPTH);
    let mut tree = Tree { call, entries: Vec::new(), hidden: 0, found: 0 };
    tree.add(&path, "", listing, depth)?;
    let Tree { entries: found, hidden, .. } = tree;
    let total = found.len();
    let mut bytes_left = MAX_TOTAL_BYTES;
    let entries: Vec<Value> =
        found.iter().take(MAX_REPORTED).map(|known| describe(call, known, &mut bytes_left)).collect();
    let mut summary = match total {
        1 => format!("1 entry in `{path}`"),
        _ => format!("{total} entries in `{path}`"),
    };
    if hidden > 0 {
        let _ = write!(summary, ", and {hidden} that you may not read");
    }
    if total > entries.len() {
        let _ = write!(summary, "; only the first {} are listed", entries.len());
    }
    let fields = Fields::new()
        .with("path", path.to_string())
        .with("truncated", total > entries.len())
        .with("entries", entries)
        .with("total_entries", total)
        .with("hidden", hidden);
    Ok(Tool::done(summary, fields))
}

fn empty_listing(path: &WorkspacePath) -> Success {
    let note = format!("`{MINDS}` does not exist yet; creating the first file in it creates it");
    let fields = Fields::new()
        .with("path", path.to_string())
        .with("truncated", false)
        .with("entries", Vec::<Value>::new())
        .with("total_entries", 0)
        .with("hidden", 0)
        .with("note", note.as_str());
    Tool::done(note, fields)
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
            let below = enters.then(|| self.call.context.root().scoped().list(&entry.real, MAX_FOUND));
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
    Refusal::new(Code::TooLarge, message).next("list one of its subdirectories")
}

fn describe(call: &Call<'_>, known: &VisibleEntry, bytes_left: &mut u64) -> Value {
    let VisibleEntry { entry, asked, name } = known;
    let mut described = Map::new();
    described.insert("name".into(), name.as_str().into());
    described.insert("type".into(), kind_name(entry.kind).into());
    // An entry that changed since the listing is described as it was.
    let place = call.context.root().scoped().entry(&entry.real);
    match (entry.kind, place) {
        (EntryKind::Link, Ok(place)) => {
            let target = place.link_target().unwrap_or_default();
            // Paths of this machine are not revealed.
            let target = if target.starts_with('/') { "/…".to_owned() } else { truncate(&target) };
            described.insert("target".into(), target.into());
        }
        (EntryKind::File, Ok(place)) => {
            if let Ok(Some(found)) = place.metadata() {
                described.insert("size_bytes".into(), found.size.into());
                if let Some(lines) = count_lines(call, asked, found.size, bytes_left) {
                    described.insert("lines".into(), lines.into());
                }
            }
        }
        _ => {}
    }
    Value::Object(described)
}

/// Returns the number of lines of a text file, if it is small.
fn count_lines(call: &Call<'_>, asked: &WorkspacePath, size: u64, bytes_left: &mut u64) -> Option<usize> {
    if size > MAX_BYTES || size > *bytes_left {
        return None;
    }
    *bytes_left -= size;
    let read = call.read(asked, MAX_BYTES).ok()?;
    std::str::from_utf8(&read.bytes).ok().map(|text| lines::count(text.as_bytes()))
}
