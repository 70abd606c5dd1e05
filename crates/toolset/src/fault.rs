//! How errors of the system are said to callers: without any path of the machine.

use minds_system::{FileError, FileErrorKind};

use crate::Code;
use crate::answer::Refusal;

/// How many characters of a path are shown.
const LONGEST: usize = 100;

/// Returns a path or a text of a caller as it is shown in a message.
pub(crate) fn shown(text: &str) -> String {
    let mut shown: String = text.chars().take(LONGEST).flat_map(char::escape_debug).collect();
    if text.chars().nth(LONGEST).is_some() {
        shown.push('…');
    }
    format!("`{shown}`")
}

/// Returns the refusal for an error about the path that was asked for.
pub(crate) fn refusal(error: &FileError, asked: &str) -> Refusal {
    let kind = error.kind();
    let (code, next) = match kind {
        FileErrorKind::NotFound => (Code::FileNotFound, "list the directory to see what is there"),
        FileErrorKind::AlreadyExists => (Code::FileExists, "choose another name"),
        FileErrorKind::Outside | FileErrorKind::Link | FileErrorKind::TooManyLinks => {
            (Code::InvalidPath, "name the file itself; no link leads to it from here")
        }
        FileErrorKind::NotFile(_) | FileErrorKind::SeveralLinks => {
            (Code::NotAFile, "only regular files with one name are read and changed")
        }
        FileErrorKind::NotDirectory => (Code::NotADir, "list the parent to see what is there"),
        FileErrorKind::TooLarge => (Code::TooLarge, "ask for less"),
        FileErrorKind::NotEmpty => (Code::DirNotEmpty, "give `recursive: true` to remove all of it"),
        FileErrorKind::Unportable(_) | FileErrorKind::NameTooLong | FileErrorKind::Unnamed => {
            (Code::InvalidPath, "choose a name that every system takes")
        }
        FileErrorKind::PermissionDenied | FileErrorKind::ReadOnly => {
            (Code::AccessDenied, "the system does not permit it")
        }
        _ => (Code::Failed, "try again"),
    };
    Refusal::new(code, format!("{}: {kind}", shown(asked))).next(next)
}
