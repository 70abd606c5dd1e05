//! The files of a prompt, as they are now.

use minds_document::{Change, ChangeSet, ContentHash, Expected, FileMode};
use minds_fleet::prompt::{MAX_PROMPT_BYTES, Violation};
use minds_paths::Location;
use minds_system::{ApplyError, FileError, FileErrorKind, Root, Sharing};

use super::unusable;
use crate::OperationError;

/// How often a file is looked at anew that somebody changes who waits for nobody.
const MAX_TRIES: usize = 100;

/// What a file said, and says now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Rewritten {
    /// The old text; none if there was no file.
    pub(super) before: Option<String>,
    /// The new text.
    pub(super) after: String,
}

/// What became of a try to write.
enum Put {
    Done,
    /// Somebody else was quicker.
    Late,
}

/// Changes what a file says by then, which may be another text than was read before. Those who do this wait for each other;
/// whoever changes the file in another way is noticed, and then it is looked at anew. A text that stays as it is is not
/// written, and a file whose directory is not there gets it.
///
/// # Errors
///
/// Fails if it cannot be read or written, or others change it again and again. That `change` makes no text of it is none of
/// these.
pub(super) fn rewrite(
    root: &Root,
    location: &Location,
    change: impl Fn(&str) -> Result<String, Violation>,
) -> Result<Result<Rewritten, Violation>, OperationError> {
    for _ in 0..MAX_TRIES {
        // Nobody waits in a directory that is not there.
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
        if is_written || matches!(put(root, location, &after, expected, mode)?, Put::Done) {
            return Ok(Ok(Rewritten { before, after }));
        }
    }
    Err(OperationError::PromptInUse { file: location.to_string() })
}

/// Writes a file that must be what is expected; one whose directory is not there gets it.
///
/// # Errors
///
/// Fails if it is not as expected, or cannot be written.
pub(super) fn write(
    root: &Root,
    location: &Location,
    text: &str,
    expected: Expected,
    mode: FileMode,
) -> Result<(), OperationError> {
    match root.resolving().replace(&location.path, text.as_bytes(), mode, expected) {
        Err(error) if is_without_folder(root, location, expected, &error) => {
            Ok(with_folders(root, location, text, mode)?)
        }
        written => Ok(written?),
    }
}

/// Does the same; that somebody was quicker is no error.
fn put(
    root: &Root,
    location: &Location,
    text: &str,
    expected: Expected,
    mode: FileMode,
) -> Result<Put, OperationError> {
    match write(root, location, text, expected, mode) {
        Ok(()) => Ok(Put::Done),
        Err(OperationError::File(error)) => match error.kind() {
            FileErrorKind::Changed | FileErrorKind::AlreadyExists | FileErrorKind::NotFound => Ok(Put::Late),
            _ => Err(error.into()),
        },
        Err(OperationError::Apply(ApplyError::Unexpected { .. })) => Ok(Put::Late),
        Err(error) => Err(error),
    }
}

/// Returns whether a file could not be made because no directory is there that could hold it.
fn is_without_folder(root: &Root, location: &Location, expected: Expected, error: &FileError) -> bool {
    let is_lost = error.kind() == FileErrorKind::NotFound && expected == Expected::Absent;
    is_lost && root.resolving().place(&location.path).is_err()
}

/// Makes a file with the directories that hold it, or nothing.
fn with_folders(root: &Root, location: &Location, text: &str, mode: FileMode) -> Result<(), ApplyError> {
    let mut changes = ChangeSet::new();
    let change = Change::Write { bytes: text.as_bytes().to_vec(), mode, expected: Expected::Absent };
    // It is the only change.
    let _ = changes.add(location.clone(), change);
    root.apply(&changes)
}

/// Reads what a file says now, what it must be to be replaced, and its permissions.
fn read(root: &Root, location: &Location) -> Result<(Option<String>, Expected, FileMode), OperationError> {
    let most = u64::try_from(MAX_PROMPT_BYTES).unwrap_or(u64::MAX);
    match root.resolving().read(&location.path, most) {
        Ok(read) => {
            let expected = Expected::Content(ContentHash::of(&read.bytes));
            let text = String::from_utf8(read.bytes)
                .map_err(|_| unusable(&format!("`{location}` cannot be read; see `minds check`")))?;
            Ok((Some(text), expected, read.mode))
        }
        Err(error) if error.kind() == FileErrorKind::NotFound => {
            Ok((None, Expected::Absent, FileMode::Regular))
        }
        Err(error) => Err(error.into()),
    }
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "a test changes the disk behind its back")]
mod tests {
    use std::cell::Cell;
    use std::path::PathBuf;

    use minds_paths::{MountId, WorkspacePath};
    use tempfile::TempDir;

    use super::*;

    fn opened() -> (TempDir, Root, Location, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let root = Root::open(folder.path(), MountId::WORKSPACE).unwrap();
        let location = Location::new(MountId::WORKSPACE, WorkspacePath::parse("notes/o.md").unwrap());
        let file = folder.path().join("notes/o.md");
        (folder, root, location, file)
    }

    #[test]
    fn who_does_not_wait_is_noticed() {
        let (_folder, root, location, file) = opened();
        for (at, text) in [None, Some("theirs\n"), Some("theirs again\n"), None].into_iter().enumerate() {
            let tries = Cell::new(0);
            // The file is made, changed or removed just when it was read.
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
            assert_eq!(done, Rewritten { before, after }, "{at}");
        }
    }

    #[test]
    fn it_ends_however_often_others_change_it() {
        let (_folder, root, location, file) = opened();
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
            "others change `notes/o.md` again and again, so nothing was written; run the command again"
        );
        assert_eq!(std::fs::read_to_string(&file).unwrap(), MAX_TRIES.to_string());
    }

    #[test]
    fn those_who_ask_wait_for_each_other() {
        let (_folder, root, location, file) = opened();
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
    fn a_text_that_stays_is_not_written() {
        let (_folder, root, location, file) = opened();
        let same = |before: &str| Ok(before.to_owned());
        let unchanged = rewrite(&root, &location, same).unwrap().unwrap();
        assert_eq!(unchanged, Rewritten { before: None, after: String::new() });
        assert!(!file.parent().unwrap().exists());
    }
}
