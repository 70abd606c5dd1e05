//! Listing a directory.

use std::fmt::Write as _;

use minds_access_control::{Access, Reserved};
use minds_paths::WorkspacePath;
use minds_system::{Entry, FileErrorKind, Kind as EntryKind, Listing};
use serde_json::{Map, Value};

use super::{READS, TEAM_MGMT};
use crate::answer::{Fields, Refusal, Success};
use crate::area::MINDS;
use crate::arguments::{Argument, Kind};
use crate::call::{Call, kind_name};
use crate::fault::{Wanted, cut, shown};
use crate::lines;
use crate::tool::{Annotations, OutputField, Tool};
use crate::{Area, Code};

/// How many entries a directory has at most that is listed.
const MOST_FOUND: usize = 100_000;
/// How many entries are told.
const MOST_TOLD: usize = 1_000;
/// The largest file whose lines are counted, in bytes.
const MOST_BYTES: u64 = 64 * 1024;
/// How many bytes are read together to count lines.
const MOST_BYTES_TOGETHER: u64 = 4 * 1024 * 1024;

pub(super) static TEAM_MGMT_LIST_DIR: Tool = Tool {
    name: "team_mgmt_list_dir",
    toolsets: TEAM_MGMT,
    area: Area::Minds,
    description: "List a directory at or below `.minds/`: `entries` with name, type (dir, file, symlink, other), size and \
        lines. Links are named with their target and never followed. Without `.minds` the list is empty and a `note` says \
        so. DIR_NOT_FOUND, NOT_A_DIR: list the directory above. INVALID_PATH: write `.minds/…`.",
    arguments: &[Argument::optional("path", Kind::Text, "default `.minds`")],
    output: OUTPUT,
    annotations: Annotations::READS,
    run,
};

pub(super) static LIST_DIR: Tool = Tool {
    name: "list_dir",
    toolsets: READS,
    area: Area::Workspace,
    description: general!(
        "List a directory of the workspace: `entries` with name, type (dir, file, symlink, other), size and \
         lines. What you may not read is only counted, in `hidden`. Task packages are named, but \
         ACCESS_DENIED: your lists do not allow this directory; list one that they name. DIR_NOT_FOUND, \
         NOT_A_DIR: list the directory above."
    ),
    arguments: &[Argument::optional("path", Kind::Text, "default: the top of the workspace")],
    ..TEAM_MGMT_LIST_DIR
};

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
    call.judge(Access::Read, &path)?;
    let listing = match call.view().list(&path, MOST_FOUND) {
        Ok(listing) => listing,
        Err(error)
            if error.kind() == FileErrorKind::NotFound
                && call.tool.area == Area::Minds
                && path == Area::Minds.top() =>
        {
            return Ok(nothing_yet(&path));
        }
        Err(error) if error.kind() == FileErrorKind::TooLarge => {
            let message = format!("{} has more than {MOST_FOUND} entries", shown(&path.to_string()));
            return Err(Refusal::new(Code::TooLarge, message).next("name a directory or a file in it"));
        }
        Err(error) => return Err(call.unread(&error, Wanted::Directory, &path)),
    };
    call.judge(Access::Read, &listing.real)?;
    let told: Vec<(&Entry, WorkspacePath)> = told(call, &path, &listing);
    let total = told.len();
    let hidden = listing.entries.len() + listing.unnamed - total;
    let mut bytes_left = MOST_BYTES_TOGETHER;
    let described = told.iter().take(MOST_TOLD);
    let entries: Vec<Value> =
        described.map(|(entry, asked)| describe(call, entry, asked, &mut bytes_left)).collect();
    let mut summary = match total {
        1 => format!("1 entry in `{path}`"),
        _ => format!("{total} entries in `{path}`"),
    };
    if hidden > 0 {
        let _ = write!(summary, ", and {hidden} that you may not see");
    }
    if total > entries.len() {
        let _ = write!(summary, "; the first {} are given", entries.len());
    }
    let fields = Fields::new()
        .with("path", path.to_string())
        .with("truncated", total > entries.len())
        .with("entries", entries)
        .with("total_entries", total)
        .with("hidden", hidden);
    Ok(Tool::done(summary, fields))
}

fn nothing_yet(path: &WorkspacePath) -> Success {
    let note = format!("there is no `{MINDS}` yet; the first file that is created in it makes it");
    let fields = Fields::new()
        .with("path", path.to_string())
        .with("truncated", false)
        .with("entries", Vec::<Value>::new())
        .with("total_entries", 0)
        .with("hidden", 0)
        .with("note", note.as_str());
    Tool::done(note, fields)
}

/// Returns the entries that the caller may know of, each with the path by which it would be asked for: a name says
/// something too. That there is a task package may be known.
fn told<'l>(call: &Call<'_>, path: &WorkspacePath, listing: &'l Listing) -> Vec<(&'l Entry, WorkspacePath)> {
    let asked = |entry: &Entry| path.join(entry.real.file_name()?).ok();
    let entries = listing.entries.iter().filter_map(|entry| Some((entry, asked(entry)?)));
    entries
        .filter(|(entry, asked)| {
            let is_package = Reserved::find(Access::Read, asked) == Some(Reserved::Package);
            is_package || [asked, &entry.real].iter().all(|path| call.permits(Access::Read, path))
        })
        .collect()
}

fn describe(call: &Call<'_>, entry: &Entry, asked: &WorkspacePath, bytes_left: &mut u64) -> Value {
    let mut described = Map::new();
    described.insert("name".into(), entry.real.file_name().unwrap_or_default().into());
    described.insert("type".into(), kind_name(entry.kind).into());
    // What changed since it was listed is told as it was.
    let place = call.bench.root().scoped().entry(&entry.real);
    match (entry.kind, place) {
        (EntryKind::Link, Ok(place)) => {
            let target = place.target().unwrap_or_default();
            // Where a link leads on this machine is nobody's concern.
            let target = if target.starts_with('/') { "/…".to_owned() } else { cut(&target) };
            described.insert("target".into(), target.into());
        }
        (EntryKind::File, Ok(place)) => {
            if let Ok(Some(found)) = place.metadata() {
                described.insert("size_bytes".into(), found.size.into());
                if let Some(lines) = lines_of(call, asked, found.size, bytes_left) {
                    described.insert("lines".into(), lines.into());
                }
            }
        }
        _ => {}
    }
    Value::Object(described)
}

/// Returns how many lines a file has, if it is a text and quickly read.
fn lines_of(call: &Call<'_>, asked: &WorkspacePath, size: u64, bytes_left: &mut u64) -> Option<usize> {
    if size > MOST_BYTES || size > *bytes_left {
        return None;
    }
    *bytes_left -= size;
    let read = call.read(asked, MOST_BYTES).ok()?;
    std::str::from_utf8(&read.bytes).ok().map(|text| lines::count(text.as_bytes()))
}
