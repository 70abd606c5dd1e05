//! Creating a file.

use minds_access_control::Access;
use minds_edit::{count_lines, ensure_final_newline};
use minds_fs::{FileErrorKind, Kind as Entry, Place, is_temporary};
use minds_vfs::{ContentHash, FileMode, MAX_PATH_BYTES, MAX_SEGMENTS, WorkspacePath, portable};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::then_validate::ThenValidate;
use super::{CHANGES, TEAM_MGMT};
use crate::answer::Refusal;
use crate::call::Call;
use crate::file_refusal::{ExpectedKind, quote, refusal_for_kind};
use crate::problems::plural;
use crate::tool::{Annotations, Body, Function, Outcome, Tool};
use crate::{Area, Code};

pub(super) static TEAM_MGMT_CREATE_NEW_FILE: Tool = Tool {
    name: "team_mgmt_create_new_file",
    toolsets: TEAM_MGMT,
    area: Area::Minds,
    description: "Create a text file below `.minds/`, with its parent directories. Nothing is \
         overwritten. FILE_EXISTS: read the file, then use `team_mgmt_overwrite_entire_file` or a preview \
         tool. A missing final line break is added. INVALID_PATH: write `.minds/…`, with names that every \
         operating system accepts. The answer lists new findings.",
    annotations: Annotations::ADDS,
    body: Body::of::<ThenValidate<Create>>(),
};

pub(super) static CREATE_NEW_FILE: Tool = Tool {
    name: "create_new_file",
    toolsets: CHANGES,
    area: Area::Workspace,
    description: "Create a text file of the workspace, with its parent directories. Nothing is \
         overwritten. FILE_EXISTS: read the file, then use `overwrite_entire_file` or a preview tool. A \
         missing final line break is added. `.minds/**` is refused. ACCESS_DENIED: your lists deny it.",
    body: Body::of::<Create>(),
    ..TEAM_MGMT_CREATE_NEW_FILE
};

struct Create;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Arguments {
    /// the new file
    path: String,
    /// default: an empty file
    #[serde(default)]
    content: String,
}

/// A file that was written.
#[derive(Serialize, JsonSchema)]
pub(super) struct WrittenFile {
    path: String,
    pub(super) new_total_lines: usize,
    new_total_bytes: usize,
    sha256: String,
    normalized_trailing_newline_added: bool,
}

impl WrittenFile {
    pub(super) fn new(path: &WorkspacePath, content: &str, is_ended: bool) -> Self {
        Self {
            path: path.to_string(),
            new_total_lines: count_lines(content.as_bytes()),
            new_total_bytes: content.len(),
            sha256: ContentHash::of(content.as_bytes()).to_string(),
            normalized_trailing_newline_added: is_ended,
        }
    }
}

impl Function for Create {
    type Arguments = Arguments;
    type Output = WrittenFile;

    fn run(call: &Call<'_>, arguments: Arguments) -> Result<Outcome<WrittenFile>, Refusal> {
        let path = call.path_below("path", &arguments.path)?;
        let (content, is_ended) = ensure_final_newline(&arguments.content);
        create(call, &path, content.as_bytes())?;
        let file = WrittenFile::new(&path, &content, is_ended);
        Ok(Outcome::new(format!("created `{path}` with {}", plural(file.new_total_lines, "line")), file))
    }
}

/// Creates a file, with its parent directories.
///
/// # Errors
///
/// Refuses a path that exists; then no directory remains either.
pub(crate) fn create(call: &Call<'_>, path: &WorkspacePath, bytes: &[u8]) -> Result<(), Refusal> {
    let made = make_parents(call, path)?;
    let created = call.entry(path).and_then(|place| {
        place.create(bytes, FileMode::Regular).map_err(|error| match error.kind() {
            FileErrorKind::AlreadyExists => refuse_existing(&place, path),
            _ => call.file_refusal(&error, path),
        })
    });
    if created.is_err() {
        made.undo();
    }
    created
}

/// Returns the refusal of a path that exists.
fn refuse_existing(place: &Place<'_>, path: &WorkspacePath) -> Refusal {
    let kind = place.metadata().ok().flatten().map(|found| found.kind);
    let asked = quote(path.as_str());
    let (code, message, next) = match kind {
        Some(Entry::Directory) => {
            (Code::NOT_A_FILE, format!("{asked} is a directory"), "choose another name")
        }
        Some(Entry::Special) => {
            (Code::NOT_A_FILE, format!("{asked} is not a regular file"), "choose another name")
        }
        Some(Entry::Link) => (
            Code::FileExists,
            format!("{asked} is a symbolic link"),
            "choose another name, or remove the link",
        ),
        _ => (Code::FileExists, format!("{asked} exists"), "read it, then overwrite or edit it"),
    };
    Refusal::new(code, message).next(next)
}

/// Parent directories that a call created.
#[must_use]
pub(crate) struct CreatedDirectories<'c>(Vec<Place<'c>>);

impl CreatedDirectories<'_> {
    /// Removes those that are still empty.
    pub(crate) fn undo(self) {
        for place in self.0.iter().rev() {
            let _ = place.remove_directory();
        }
    }
}

/// Creates the missing parent directories of a path, after the access to all of them was checked.
///
/// # Errors
///
/// Refuses a path of which a directory may not be created; then none remains.
pub(crate) fn make_parents<'c>(
    call: &'c Call<'_>,
    path: &WorkspacePath,
) -> Result<CreatedDirectories<'c>, Refusal> {
    let missing = missing_parents(call, path)?;
    let mut made = CreatedDirectories(Vec::new());
    for parent in missing.iter().rev() {
        match create_directory(call, parent) {
            Ok(place) => made.0.extend(place),
            Err(refusal) => {
                made.undo();
                return Err(refusal);
            }
        }
    }
    Ok(made)
}

/// Checks that a file could be created, with its parent directories.
///
/// # Errors
///
/// Refuses what [`create`] would refuse.
pub(crate) fn expect_creatable(call: &Call<'_>, path: &WorkspacePath) -> Result<(), Refusal> {
    if let Some(top) = missing_parents(call, path)?.last() {
        // A dangling link is missing when followed, but no directory can be created in its place.
        let place = call.entry_of(top, ExpectedKind::Directory)?;
        return match place.metadata() {
            Ok(None) => Ok(()),
            Ok(Some(found)) => Err(not_a_directory(top, found.kind)),
            Err(error) => Err(call.file_refusal_for(&error, ExpectedKind::Directory, top)),
        };
    }
    let place = call.entry(path)?;
    match place.metadata() {
        Ok(None) => Ok(()),
        Ok(Some(_)) => Err(refuse_existing(&place, path)),
        Err(error) => Err(call.file_refusal(&error, path)),
    }
}

/// Checks the access to everything that would be created, and returns the missing directories, the nearest first.
fn missing_parents(call: &Call<'_>, path: &WorkspacePath) -> Result<Vec<WorkspacePath>, Refusal> {
    call.check_access(Access::Write, path)?;
    let mut missing: Vec<WorkspacePath> = Vec::new();
    let ancestors = std::iter::successors(path.parent(), WorkspacePath::parent);
    for parent in ancestors.take_while(|parent| !parent.is_root()) {
        match call.view().metadata(&parent) {
            Ok(found) if found.kind == Entry::Directory => break,
            Ok(found) => return Err(not_a_directory(&parent, found.kind)),
            Err(error) if error.kind() == FileErrorKind::NotFound => missing.push(parent),
            // An ancestor that is not a directory is reported when it is reached.
            Err(error) if error.kind() == FileErrorKind::NotDirectory => {}
            Err(error) => return Err(call.file_refusal_for(&error, ExpectedKind::Directory, &parent)),
        }
    }
    let is_new = !matches!(call.metadata(path), Ok(Some(_)));
    for new in missing.iter().chain([path]) {
        call.check_access(Access::Write, new)?;
        if let (Some(name), true) = (new.file_name(), is_new) {
            expect_name(new, name)?;
        }
    }
    if path.as_str().len() > MAX_PATH_BYTES || path.segments().count() > MAX_SEGMENTS {
        let message = format!("{} is too long for a path", quote(path.as_str()));
        return Err(Refusal::new(Code::InvalidPath, message).next("choose a shorter path"));
    }
    Ok(missing)
}

/// Checks that a new file may have a name.
fn expect_name(path: &WorkspacePath, name: &str) -> Result<(), Refusal> {
    let refused = |kind| refusal_for_kind(kind, ExpectedKind::File, path.as_str());
    if is_temporary(name) {
        return Err(refused(FileErrorKind::Reserved));
    }
    portable::check(name).map_err(|problem| refused(FileErrorKind::Unportable(problem)))
}

/// Creates a directory; `None` if it was created concurrently.
fn create_directory<'c>(call: &'c Call<'_>, path: &WorkspacePath) -> Result<Option<Place<'c>>, Refusal> {
    let place = call.entry_of(path, ExpectedKind::Directory)?;
    match place.make_directory() {
        Ok(()) => Ok(Some(place)),
        Err(error) if error.kind() == FileErrorKind::AlreadyExists => match place.metadata() {
            Ok(Some(found)) if found.kind != Entry::Directory => Err(not_a_directory(path, found.kind)),
            _ => Ok(None),
        },
        Err(error) => Err(call.file_refusal_for(&error, ExpectedKind::Directory, path)),
    }
}

/// Returns the refusal of an entry that is not the directory that is needed.
pub(crate) fn not_a_directory(path: &WorkspacePath, kind: Entry) -> Refusal {
    let what = match kind {
        Entry::Link => "a symbolic link",
        _ => "not a directory",
    };
    let message = format!("{} is {what}", quote(path.as_str()));
    Refusal::new(Code::NotADir, message).next("choose another directory, or move this out of the way")
}
