//! How errors of the system are said of packages.

use minds_system::{FileError, FileErrorKind};
use minds_taskdoc::{TaskCode, TaskError};

/// What to do about a lock.
pub(super) const LOCKED: &str = "try again once that process has ended, or end it";

/// Returns the error for one of the system.
pub(super) fn fault(error: &FileError) -> TaskError {
    let (code, next) = match error.kind() {
        FileErrorKind::TooLarge => (TaskCode::TooLarge, "make it shorter"),
        FileErrorKind::NotFile(_)
        | FileErrorKind::SeveralLinks
        | FileErrorKind::Link
        | FileErrorKind::NotDirectory => (
            TaskCode::NotAFile,
            "what a task package holds are regular files with one name; `minds check` says where it does not",
        ),
        FileErrorKind::ReadOnly | FileErrorKind::PermissionDenied => {
            (TaskCode::Failed, "the system does not permit it")
        }
        FileErrorKind::Locked(_) => (TaskCode::Locked, LOCKED),
        FileErrorKind::NoSpace => (TaskCode::Failed, "free some space"),
        FileErrorKind::Unconfirmed | FileErrorKind::HalfDone => {
            (TaskCode::Failed, "look at what is there before you go on")
        }
        _ => (TaskCode::Failed, "try again"),
    };
    TaskError::new(code, error.to_string()).next(next)
}
