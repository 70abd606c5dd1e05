//! Files of a clone in a folder, for the commands of its source.

use std::path::PathBuf;

use minds_document::{FileMode, SnapshotEntry, Survey};
use minds_paths::WorkspacePath;

use super::execute::Execution;
use super::files::Files;
use super::{SourceError, SourceErrorKind, content};

/// How many files are written.
const MOST_FILES: usize = 10_000;
/// How many bytes they have.
const MOST_BYTES: usize = 64 << 20;

/// Writes the regular files of a source to a private folder, and returns where it is. Whatever else is in the source, as links
/// and other repositories, is left out.
///
/// # Errors
///
/// Fails if there are more than 10,000 files, or more than 64 MiB.
pub(super) fn write(execution: &mut Execution<'_>, files: &Files) -> Result<PathBuf, SourceError> {
    let too_large = || {
        SourceError::new(
            SourceErrorKind::InvalidSource,
            "it is too large to be put into a folder for its hooks",
        )
    };
    let mut directories = vec![WorkspacePath::root()];
    let mut wanted = Vec::new();
    while !directories.is_empty() {
        let survey = survey(std::mem::take(&mut directories), Vec::new());
        for (path, entry) in files.look(&survey)?.entries {
            match entry {
                SnapshotEntry::Directory if !survey.directories.contains(&path) => directories.push(path),
                SnapshotEntry::Unread => wanted.push(path),
                _ => {}
            }
        }
        if wanted.len() > MOST_FILES || directories.len() > MOST_FILES {
            return Err(too_large());
        }
    }
    let top = execution.place("tree")?;
    execution.transaction.make_directory(&top)?;
    let mut together = 0;
    for (path, entry) in files.look(&survey(Vec::new(), wanted))?.entries {
        let SnapshotEntry::File { bytes, mode } = entry else { continue };
        together += bytes.len();
        if together > MOST_BYTES {
            return Err(too_large());
        }
        let place = top.join(path.as_str());
        let place = place.map_err(|error| SourceError::new(SourceErrorKind::System, error.to_string()))?;
        let mode = if mode == FileMode::Executable { mode } else { FileMode::Regular };
        execution.transaction.write(&place, &bytes, mode)?;
    }
    Ok(execution.on_this_machine(&top))
}

fn survey(directories: Vec<WorkspacePath>, files: Vec<WorkspacePath>) -> Survey {
    Survey { directories, files, most_bytes: content::MOST_FILE, most_entries: MOST_FILES }
}
