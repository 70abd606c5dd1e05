//! Writing the files of a clone to a folder, for the hooks of its source.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::PathBuf;

use minds_vfs::{ContentHash, FileMode, SnapshotEntry, Survey, SurveyResult, WorkspacePath};

use crate::files::Files;
use crate::staging::Staging;
use crate::{SourceError, SourceErrorKind, content};

/// The maximum number of files.
const MAX_FILES: usize = 10_000;
/// The maximum total size of the files in bytes.
const MAX_BYTES: usize = 64 << 20;

/// Writes the regular files of a source to a temporary folder, and returns its path. Anything else in the
/// source, such as links and nested repositories, is left out.
///
/// # Errors
///
/// Fails if there are more than 10,000 files or more than 64 MiB.
pub(crate) fn write(staging: &mut Staging<'_>, files: &Files) -> Result<PathBuf, SourceError> {
    let top = staging.new_path("tree")?;
    staging.transaction.make_directory(&top)?;
    for (path, entry) in read(|survey| files.survey(survey))? {
        let SnapshotEntry::File { bytes, mode } = entry else { continue };
        let place = top.join(path.as_str());
        let place = place.map_err(|error| SourceError::new(SourceErrorKind::System, error.to_string()))?;
        let mode = if mode == FileMode::Executable { mode } else { FileMode::Regular };
        staging.transaction.write(&place, &bytes, mode)?;
    }
    Ok(staging.on_this_machine(&top))
}

/// Returns the hash of the current files of a source, with their names and executable bits, and of the
/// targets of links. Files of git itself are not included.
///
/// # Errors
///
/// Fails if there are more than 10,000 files or more than 64 MiB.
pub(crate) fn hash(files: &Files) -> Result<ContentHash, SourceError> {
    let mut frame = String::from("minds tree 1\n");
    for (path, entry) in read(|survey| files.survey_now(survey))? {
        let (kind, content) = match &entry {
            SnapshotEntry::File { bytes, mode: FileMode::Executable } => ("program", ContentHash::of(bytes)),
            SnapshotEntry::File { bytes, .. } => ("file", ContentHash::of(bytes)),
            SnapshotEntry::Link { target } => ("link", ContentHash::of(target.as_bytes())),
            SnapshotEntry::TooLarge { .. } => return Err(too_large()),
            _ => ("other", ContentHash::of(b"")),
        };
        // A name has no line break.
        let _ = writeln!(frame, "{kind} {content} {path}");
    }
    Ok(ContentHash::of(frame.as_bytes()))
}

fn too_large() -> SourceError {
    SourceError::new(SourceErrorKind::InvalidSource, "it is too large to run its hooks")
}

/// Reads everything in a source except directories, sorted by name.
fn read(
    survey_files: impl Fn(&Survey) -> Result<SurveyResult, SourceError>,
) -> Result<BTreeMap<WorkspacePath, SnapshotEntry>, SourceError> {
    let mut found = BTreeMap::new();
    let mut directories = vec![WorkspacePath::root()];
    let mut wanted = Vec::new();
    while !directories.is_empty() {
        let survey = survey(std::mem::take(&mut directories), Vec::new());
        for (path, entry) in survey_files(&survey)?.entries {
            match entry {
                SnapshotEntry::Directory if path.file_name() == Some(".git") => {}
                SnapshotEntry::Directory if !survey.directories.contains(&path) => directories.push(path),
                SnapshotEntry::Unread => wanted.push(path),
                SnapshotEntry::Directory => {}
                other => {
                    found.insert(path, other);
                }
            }
        }
        if wanted.len() > MAX_FILES || directories.len() > MAX_FILES {
            return Err(too_large());
        }
    }
    let mut together = 0;
    for (path, entry) in survey_files(&survey(Vec::new(), wanted))?.entries {
        if let SnapshotEntry::File { bytes, .. } = &entry {
            together += bytes.len();
        }
        if together > MAX_BYTES {
            return Err(too_large());
        }
        found.insert(path, entry);
    }
    Ok(found)
}

fn survey(directories: Vec<WorkspacePath>, files: Vec<WorkspacePath>) -> Survey {
    Survey { directories, files, max_bytes: content::MAX_FILE, max_entries: MAX_FILES }
}
