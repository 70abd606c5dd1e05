//! Reading and writing prompt files.

use minds_fleet::prompt::{MAX_PROMPT_BYTES, Violation};
use minds_fs::{ApplyError, FileError, FileErrorKind, Root, Sharing};
use minds_vfs::{Change, ChangeSet, ContentHash, Expected, FileMode, Location};

use super::unusable;
use crate::OperationError;

/// How often a change is tried while another process changes the file without locking it.
const MAX_TRIES: usize = 100;

/// The contents of a file before and after a change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct FileChange {
    /// The old text; `None` if the file did not exist.
    pub(super) before: Option<String>,
    /// The new text.
    pub(super) after: String,
}

/// The result of an attempt to write.
enum WriteResult {
    Done,
    /// Another process changed the file first.
    Conflict,
}

/// Applies `change` to the current contents of a file, which may differ from those read before. Callers of
/// this function wait for each other; a change by another process is detected, and then the operation is
/// repeated. An unchanged text is not written. A missing directory is created.
///
/// # Errors
///
/// Fails if the file cannot be read or written, or is changed too often by another process. A violation from
/// `change` is not an error of this kind.
pub(super) fn rewrite(
    root: &Root,
    location: &Location,
    change: impl Fn(&str) -> Result<String, Violation>,
) -> Result<Result<FileChange, Violation>, OperationError> {
    for _ in 0..MAX_TRIES {
        // A missing directory cannot be locked.
        let _lock = match root.resolving().lock(&location.path, Sharing::Exclusive) {
            Ok(lock) => Some(lock),
            Err(error) if error.kind() == FileErrorKind::NotFound => None,
            Err(error) => return Err(error.into()),
        };
        let (before, expected, mode) = read(root, location)?;
        let after = match change(before.as_deref().unwrap_or_default()) {
            Ok(after) => after,
            Err(violation) => return Ok(Err(violation)),
        };
        let is_written = before.as_deref().unwrap_or_default() == after;
        if is_written || matches!(try_write(root, location, &after, expected, mode)?, WriteResult::Done) {
            return Ok(Ok(FileChange { before, after }));
        }
    }
    Err(OperationError::PromptInUse { file: location.to_string() })
}

/// Writes a file if it is as expected. A missing directory is created.
///
/// # Errors
///
/// Fails if the file is not as expected, or cannot be written.
pub(super) fn write(
    root: &Root,
    location: &Location,
    text: &str,
    expected: Expected,
    mode: FileMode,
) -> Result<(), OperationError> {
    match root.resolving().replace(&location.path, text.as_bytes(), mode, expected) {
        Err(error) if is_parent_missing(root, location, expected, &error) => {
            Ok(create_with_parents(root, location, text, mode)?)
        }
        written => Ok(written?),
    }
}

/// Does the same, but a concurrent change is not an error.
fn try_write(
    root: &Root,
    location: &Location,
    text: &str,
    expected: Expected,
    mode: FileMode,
) -> Result<WriteResult, OperationError> {
    match write(root, location, text, expected, mode) {
        Ok(()) => Ok(WriteResult::Done),
        Err(OperationError::File(error)) => match error.kind() {
            FileErrorKind::Changed | FileErrorKind::AlreadyExists | FileErrorKind::NotFound => {
                Ok(WriteResult::Conflict)
            }
            _ => Err(error.into()),
        },
        Err(OperationError::Apply(ApplyError::Unexpected { .. })) => Ok(WriteResult::Conflict),
        Err(error) => Err(error),
    }
}

/// Returns whether a file could not be created because its directory does not exist.
fn is_parent_missing(root: &Root, location: &Location, expected: Expected, error: &FileError) -> bool {
    let is_lost = error.kind() == FileErrorKind::NotFound && expected == Expected::Absent;
    is_lost && root.resolving().place(&location.path).is_err()
}

/// Creates a file and its parent directories, all or none.
fn create_with_parents(
    root: &Root,
    location: &Location,
    text: &str,
    mode: FileMode,
) -> Result<(), ApplyError> {
    let mut changes = ChangeSet::new();
    let change = Change::Write { bytes: text.as_bytes().to_vec(), mode, expected: Expected::Absent };
    // A single change cannot conflict.
    let _ = changes.add(location.clone(), change);
    root.apply(&changes)
}

/// Reads the contents of a file, the expected state for replacing it, and its permissions.
fn read(root: &Root, location: &Location) -> Result<(Option<String>, Expected, FileMode), OperationError> {
    let most = u64::try_from(MAX_PROMPT_BYTES).unwrap_or(u64::MAX);
    match root.resolving().read(&location.path, most) {
        Ok(read) => {
            let expected = Expected::Content(ContentHash::of(&read.bytes));
            let text = String::from_utf8(read.bytes)
                .map_err(|_| unusable(&format!("`{location}` cannot be read; run `minds check`")))?;
            Ok((Some(text), expected, read.mode))
        }
        Err(error) if error.kind() == FileErrorKind::NotFound => {
            Ok((None, Expected::Absent, FileMode::Regular))
        }
        Err(error) => Err(error.into()),
    }
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "a test changes files concurrently")]
mod tests {
    use std::cell::Cell;
    use std::path::PathBuf;

    use minds_vfs::{MountId, WorkspacePath};
    use tempfile::TempDir;

    use super::*;

    fn open_example() -> (TempDir, Root, Location, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let root = Root::open(folder.path(), MountId::WORKSPACE).unwrap();
        let location = Location::new(MountId::WORKSPACE, WorkspacePath::parse("notes/o.md").unwrap());
        let file = folder.path().join("notes/o.md");
        (folder, root, location, file)
    }

    #[test]
    fn concurrent_changes_are_detected() {
        let (_folder, root, location, file) = open_example();
        for (at, text) in [None, Some("theirs\n"), Some("theirs again\n"), None].into_iter().enumerate() {
            let tries = Cell::new(0);
            // The file is created, changed or removed right after it was read.
            let change = |before: &str| {
                tries.set(tries.get() + 1);
                match text {
                    _ if tries.get() > 1 => {}
                    Some(text) => std::fs::write(&file, text).unwrap(),
                    None if at > 0 => std::fs::remove_file(&file).unwrap(),
                    None => {
                        std::fs::create_dir(file.parent().unwrap()).unwrap();
                        std::fs::write(&file, "made\n").unwrap();
                    }
                }
                Ok(format!("{before}ours\n"))
            };
            let done = rewrite(&root, &location, change).unwrap().unwrap();
            let before = match (at, text) {
                (0, _) => Some("made\n".to_owned()),
                (_, text) => text.map(str::to_owned),
            };
            let after = format!("{}ours\n", before.as_deref().unwrap_or_default());
            assert_eq!((std::fs::read_to_string(&file).unwrap(), tries.get()), (after.clone(), 2), "{at}");
            assert_eq!(done, FileChange { before, after }, "{at}");
        }
    }

    #[test]
    fn the_number_of_attempts_is_limited() {
        let (_folder, root, location, file) = open_example();
        std::fs::create_dir(file.parent().unwrap()).unwrap();
        let tries = Cell::new(0);
        let change = |_: &str| {
            tries.set(tries.get() + 1);
            std::fs::write(&file, tries.get().to_string()).unwrap();
            Ok("ours".to_owned())
        };
        let error = rewrite(&root, &location, change).unwrap_err();
        assert_eq!(
            error.to_string(),
            "`notes/o.md` is being changed by another process, so nothing was written; run the command again"
        );
        assert_eq!(std::fs::read_to_string(&file).unwrap(), MAX_TRIES.to_string());
    }

    #[test]
    fn callers_wait_for_each_other() {
        let (_folder, root, location, file) = open_example();
        std::fs::create_dir(file.parent().unwrap()).unwrap();
        let change = |_: &str| {
            let place = root.resolving().place(&location.path).unwrap();
            assert!(place.try_lock(Sharing::Exclusive).unwrap().is_none());
            Ok("ours".to_owned())
        };
        rewrite(&root, &location, change).unwrap().unwrap();
        assert_eq!(std::fs::read_dir(file.parent().unwrap()).unwrap().count(), 1, "the lock is gone");
    }

    #[test]
    fn an_unchanged_text_is_not_written() {
        let (_folder, root, location, file) = open_example();
        let same = |before: &str| Ok(before.to_owned());
        let unchanged = rewrite(&root, &location, same).unwrap().unwrap();
        assert_eq!(unchanged, FileChange { before: None, after: String::new() });
        assert!(!file.parent().unwrap().exists());
    }
}
