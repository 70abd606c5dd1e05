//! Converting errors of the system to task errors.

use minds_fs::{FileError, FileErrorKind};
use minds_taskdoc::{TaskCode, TaskError};

/// The help for a lock.
pub(crate) const LOCKED: &str = "try again once that process has ended, or end it";

/// Converts an error of the system.
pub(crate) fn task_error(error: &FileError) -> TaskError {
    let (code, next) = match error.kind() {
        FileErrorKind::TooLarge => (TaskCode::TooLarge, "make it shorter"),
        FileErrorKind::NotFile(_)
        | FileErrorKind::SeveralLinks
        | FileErrorKind::Link
        | FileErrorKind::NotDirectory => (
            TaskCode::NotAFile,
            "task packages may contain only regular files without further hard links; run `minds check` to find invalid entries",
        ),
        FileErrorKind::ReadOnly | FileErrorKind::PermissionDenied => {
            (TaskCode::Failed, "the system does not permit it")
        }
        FileErrorKind::Locked(_) => (TaskCode::Locked, LOCKED),
        FileErrorKind::Foreign | FileErrorKind::ForeignJournal(_) => {
            (TaskCode::Failed, "remove `.minds-journal` in the workspace root, then try again")
        }
        FileErrorKind::NoSpace => (TaskCode::Failed, "free some space"),
        FileErrorKind::Unconfirmed | FileErrorKind::HalfDone => {
            (TaskCode::Failed, "check the result before you continue")
        }
        _ => (TaskCode::Failed, "try again"),
    };
    TaskError::new(code, error.to_string()).next(next)
}
