//! `fs.write`.

use std::str::FromStr as _;

use minds_fs::{FileErrorKind, Place};
use minds_text::unified_diff;
use minds_vfs::{ContentHash, Expected, FileMode, WorkspacePath};
use serde::Serialize;

use crate::arguments::FsWrite;
use crate::member::FileAccess;
use crate::outcome::{Refusal, ToolOutcome, quote};
use crate::reach::{Bounds, Reached};

/// The maximum size of a file whose old content is shown in a question, in bytes.
const MAX_COMPARED_BYTES: u64 = 1 << 20;
/// The maximum length of a diff in a question, in bytes.
const MAX_DIFF_BYTES: usize = 32 << 10;

/// The result of `fs.write`.
#[derive(Serialize)]
struct WriteResult {
    ok: bool,
    hash: String,
}

/// What a question about a call of `fs.write` shows.
#[derive(Debug)]
pub(crate) struct Preview {
    /// The unified diff.
    pub(crate) diff: String,
    /// The content that the diff begins with.
    pub(crate) expected: Expected,
}

/// Runs `fs.write`. If a person has confirmed a preview, the file must still be what it showed.
pub(crate) fn write(
    bounds: &Bounds,
    arguments: &FsWrite,
    previewed: Option<Expected>,
) -> Result<ToolOutcome, Refusal> {
    let given = expected_hash(arguments)?;
    let reached = open(bounds, arguments)?;
    let mut created = Vec::new();
    let is_created = match arguments.create_dirs {
        Some(true) => create_directories(&reached, &mut created),
        _ => Ok(()),
    };
    let written = is_created.and_then(|()| replace(&reached, arguments, given, previewed));
    if written.is_err() {
        // A directory that is not empty any more belongs to another program.
        for directory in created.iter().rev() {
            let _ = reached.root.no_follow().remove_directory(directory);
        }
    }
    written
}

fn replace(
    reached: &Reached<'_>,
    arguments: &FsWrite,
    given: Option<ContentHash>,
    previewed: Option<Expected>,
) -> Result<ToolOutcome, Refusal> {
    let place = reached.root.resolving().place(&reached.path).map_err(|error| refuse(reached, &error))?;
    reached.expect_writable(place.real())?;
    reached.expect_permitted(place.real())?;
    // Both are compared: one here, the other one with the replacement.
    if let (Some(given), Some(_)) = (given, previewed) {
        expect_content(reached, &place, given)?;
    }
    let expected = previewed.or(given.map(Expected::Content)).unwrap_or(Expected::Any);
    let old = place.metadata().map_err(|error| refuse(reached, &error))?;
    let mode = old.map_or(FileMode::Regular, |old| old.mode);
    let bytes = arguments.content.as_bytes();
    place.replace(bytes, mode, expected).map_err(|error| refuse(reached, &error))?;
    Ok(ToolOutcome::success(&WriteResult { ok: true, hash: ContentHash::of(bytes).to_string() }))
}

/// Returns what a call would change.
pub(crate) fn preview(bounds: &Bounds, arguments: &FsWrite) -> Result<Preview, Refusal> {
    let given = expected_hash(arguments)?;
    let reached = open(bounds, arguments)?;
    let view = reached.root.resolving();
    let old = match view.read(&reached.path, MAX_COMPARED_BYTES) {
        Ok(file) => {
            reached.expect_writable(&file.real)?;
            reached.expect_permitted(&file.real)?;
            Some(file.bytes)
        }
        Err(error) if error.kind() == FileErrorKind::NotFound => None,
        Err(error) => return Err(refuse(&reached, &error)),
    };
    let hash = old.as_deref().map(ContentHash::of);
    if given.is_some() && given != hash {
        return Err(changed_at(&arguments.path));
    }
    let text = old.map(String::from_utf8).transpose().ok();
    let diff = match &text {
        Some(old) => unified_diff(&arguments.path, old.as_deref(), Some(&arguments.content)),
        None => format!("the file is not text; the new content is:\n{}", arguments.content),
    };
    let diff = if diff.len() > MAX_DIFF_BYTES {
        let shown = diff.get(..diff.floor_char_boundary(MAX_DIFF_BYTES)).unwrap_or_default();
        format!("{shown}\n… {} bytes are left out …\n", diff.len() - shown.len())
    } else if diff.is_empty() {
        "the content does not change\n".to_owned()
    } else {
        diff
    };
    Ok(Preview { diff, expected: hash.map_or(Expected::Absent, Expected::Content) })
}

fn open<'b>(bounds: &'b Bounds, arguments: &FsWrite) -> Result<Reached<'b>, Refusal> {
    let reached = Reached::open(bounds, &arguments.path, FileAccess::Write)?;
    reached.expect_writable(&reached.path)?;
    Ok(reached)
}

/// Creates the directories of a path that do not exist, and adds them to `created`. Each one is opened before the next one is
/// created in it.
fn create_directories(reached: &Reached<'_>, created: &mut Vec<WorkspacePath>) -> Result<(), Refusal> {
    let Some(parent) = reached.path.parent() else { return Ok(()) };
    let view = reached.root.resolving();
    let mut above = WorkspacePath::root();
    for segment in parent.segments() {
        above = above.join(segment).map_err(|_| Refusal::invalid("invalid path"))?;
        match view.metadata(&above) {
            Err(error) if error.kind() == FileErrorKind::NotFound => {}
            Err(error) => return Err(refuse(reached, &error)),
            Ok(_) => continue,
        }
        let place = view.entry(&above).map_err(|error| refuse(reached, &error))?;
        reached.expect_writable(place.real())?;
        reached.expect_permitted(place.real())?;
        match place.make_directory() {
            Ok(()) => created.push(place.real().clone()),
            Err(error) if error.kind() == FileErrorKind::AlreadyExists => {}
            Err(error) => return Err(refuse(reached, &error)),
        }
    }
    Ok(())
}

fn expect_content(reached: &Reached<'_>, place: &Place<'_>, hash: ContentHash) -> Result<(), Refusal> {
    let file = place.open().and_then(|file| file.read(u64::MAX)).map_err(|error| refuse(reached, &error))?;
    if ContentHash::of(&file.bytes) == hash { Ok(()) } else { Err(changed_at(&reached.given)) }
}

fn expected_hash(arguments: &FsWrite) -> Result<Option<ContentHash>, Refusal> {
    let parse = |text: &String| {
        ContentHash::from_str(text).map_err(|_| {
            Refusal::invalid("invalid arguments: `expected_hash` is not `sha256:` and 64 hexadecimal digits")
        })
    };
    arguments.expected_hash.as_ref().map(parse).transpose()
}

fn refuse(reached: &Reached<'_>, error: &minds_fs::FileError) -> Refusal {
    match error.kind() {
        FileErrorKind::Changed | FileErrorKind::AlreadyExists => changed_at(&reached.given),
        _ => reached.refuse(error),
    }
}

fn changed_at(path: &str) -> Refusal {
    Refusal::invalid(format!(
        "{} has another content than expected: read it again; nothing was written",
        quote(path)
    ))
}
