//! `fs.read`, `fs.list` and `fs.stat`.

use minds_fs::{Kind, Metadata, View};
use serde::Serialize;

use crate::arguments::{FsPath, FsRead, MAX_READ_BYTES};
use crate::member::FileAccess;
use crate::outcome::{Refusal, ToolOutcome, quote};
use crate::reach::{Bounds, Reached};

/// The maximum number of entries that are read of a directory.
const MAX_LISTED: usize = 100_000;
/// The maximum number of entries in a result.
const MAX_ENTRIES: usize = 1_000;
/// The maximum length of a character in UTF-8, in bytes.
const MAX_CHAR_BYTES: usize = 4;

/// The result of `fs.read`.
#[derive(Serialize)]
struct FileText<'c> {
    content: &'c str,
    bytes: usize,
    truncated: bool,
}

/// The result of `fs.stat`, and an entry of that of `fs.list`.
#[derive(Serialize)]
struct Entry {
    name: String,
    kind: &'static str,
    size: u64,
    modified: f64,
}

/// The result of `fs.list`.
#[derive(Serialize)]
struct Entries {
    entries: Vec<Entry>,
    /// The number of further entries.
    #[serde(skip_serializing_if = "is_zero")]
    left_out: usize,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the derive macro passes a reference")]
fn is_zero(number: &usize) -> bool {
    *number == 0
}

/// Runs `fs.read`.
pub(crate) fn read(bounds: &Bounds, arguments: &FsRead) -> Result<ToolOutcome, Refusal> {
    let reached = Reached::open(bounds, &arguments.path, FileAccess::Read)?;
    let refuse = |error: minds_fs::FileError| reached.refuse(&error);
    let file = reached.root.resolving().open(&reached.path).map_err(refuse)?;
    reached.expect_permitted(file.real())?;
    let limit = usize::try_from(arguments.limit.unwrap_or(MAX_READ_BYTES)).unwrap_or(usize::MAX);
    // One byte more shows whether the file goes on, and a few whether the last character is complete.
    let bytes = file.read_at(arguments.offset.unwrap_or_default(), limit + MAX_CHAR_BYTES).map_err(refuse)?;
    let invalid = |what: &str| Refusal::invalid(format!("{} {what}", quote(&arguments.path)));
    if bytes.first().is_some_and(|byte| byte & 0b1100_0000 == 0b1000_0000) {
        return Err(invalid(
            "has no character at this `offset`: it is not valid UTF-8, or the offset is inside a character",
        ));
    }
    let text = match std::str::from_utf8(&bytes) {
        Ok(text) => text,
        // The character at the end of what was read is not complete.
        Err(error) if error.error_len().is_none() && bytes.len() > limit => {
            std::str::from_utf8(bytes.get(..error.valid_up_to()).unwrap_or_default()).unwrap_or_default()
        }
        Err(_) => return Err(invalid("is not valid UTF-8")),
    };
    let content = text.get(..text.floor_char_boundary(limit)).unwrap_or_default();
    if content.is_empty() && !text.is_empty() {
        return Err(invalid("has a character at this `offset` that is longer than `limit`"));
    }
    Ok(ToolOutcome::success(&FileText {
        content,
        bytes: content.len(),
        truncated: bytes.len() > content.len(),
    }))
}

/// Runs `fs.stat`.
pub(crate) fn stat(bounds: &Bounds, arguments: &FsPath) -> Result<ToolOutcome, Refusal> {
    let reached = Reached::open(bounds, &arguments.path, FileAccess::Read)?;
    let metadata =
        reached.root.resolving().metadata(&reached.path).map_err(|error| reached.refuse(&error))?;
    reached.expect_permitted(&metadata.real)?;
    let name = reached.path.file_name().or_else(|| reached.folder.rsplit('/').next()).unwrap_or_default();
    Ok(ToolOutcome::success(&entry(name, &metadata)))
}

/// Runs `fs.list`.
pub(crate) fn list(bounds: &Bounds, arguments: &FsPath) -> Result<ToolOutcome, Refusal> {
    let reached = Reached::open(bounds, &arguments.path, FileAccess::Read)?;
    let listing =
        reached.root.resolving().list(&reached.path, MAX_LISTED).map_err(|error| reached.refuse(&error))?;
    reached.expect_permitted(&listing.real)?;
    let mut left_out = listing.unnamed;
    let mut entries = Vec::new();
    let files: View<'_> = reached.root.no_follow();
    for found in listing.entries {
        // What a member of the team may not read is not named.
        if !reached.permits(&found.real) {
            left_out += 1;
            continue;
        }
        if entries.len() >= MAX_ENTRIES {
            left_out += 1;
            continue;
        }
        // An entry that was removed meanwhile is not one any more.
        let Ok(metadata) = files.metadata(&found.real) else { continue };
        entries.push(entry(found.real.file_name().unwrap_or_default(), &metadata));
    }
    Ok(ToolOutcome::success(&Entries { entries, left_out }))
}

#[expect(clippy::cast_precision_loss, reason = "milliseconds since 1970 have fewer than 53 bits")]
fn entry(name: &str, metadata: &Metadata) -> Entry {
    let kind = match metadata.kind {
        Kind::File => "file",
        Kind::Directory => "directory",
        Kind::Link => "link",
        Kind::Special => "special",
    };
    let size = if metadata.kind == Kind::File { metadata.size } else { 0 };
    Entry { name: name.to_owned(), kind, size, modified: metadata.modified as f64 / 1e3 }
}
