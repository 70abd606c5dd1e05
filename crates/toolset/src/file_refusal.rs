//! How errors of the system are said to callers: without any path of the machine.

use minds_system::{FileError, FileErrorKind};

use crate::Code;
use crate::answer::Refusal;

/// How many bytes of a path or a text are shown.
const MAX_QUOTED_BYTES: usize = 100;

/// Returns a path or a text of a caller as it is shown in a message.
pub(crate) fn quote(text: &str) -> String {
    format!("`{}`", truncate(text))
}

/// Returns the beginning of a text, with nothing in it that cannot be seen.
pub(crate) fn truncate(text: &str) -> String {
    truncate_to(text, MAX_QUOTED_BYTES)
}

/// Does the same with another length in bytes.
pub(crate) fn truncate_to(text: &str, max_bytes: usize) -> String {
    let mut quoted = String::new();
    for c in text.chars() {
        if quoted.len() >= max_bytes {
            quoted.push('…');
            break;
        }
        quoted.extend(c.escape_debug());
    }
    quoted
}

/// What to do about a lock.
pub(crate) const LOCKED: &str = "try again once that process has ended, or ask the user to end it";

/// What was looked for at a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wanted {
    /// A file.
    File,
    /// A directory.
    Directory,
}

/// Returns the refusal for an error about the path that was asked for.
pub(crate) fn refusal(error: &FileError, wanted: Wanted, asked: &str) -> Refusal {
    refusal_of(error.kind(), wanted, asked)
}

/// Does the same for an error that is foreseen.
pub(crate) fn refusal_of(kind: FileErrorKind, wanted: Wanted, asked: &str) -> Refusal {
    let asked = if asked.is_empty() { "." } else { asked };
    let (code, next) = code_and_next(kind, wanted);
    Refusal::new(code, format!("{}: {kind}", quote(asked))).next(next)
}

fn code_and_next(kind: FileErrorKind, wanted: Wanted) -> (Code, &'static str) {
    match kind {
        FileErrorKind::NotFound => match wanted {
            Wanted::File => (Code::FileNotFound, "list the directory to see what is there"),
            Wanted::Directory => (Code::DirNotFound, "list the directory above to see what is there"),
        },
        FileErrorKind::AlreadyExists => (Code::FileExists, "choose another name"),
        FileErrorKind::Outside | FileErrorKind::TooManyLinks => {
            (Code::InvalidPath, "name a file of the workspace itself")
        }
        FileErrorKind::Link => (Code::InvalidPath, "name the file itself, or remove the link"),
        FileErrorKind::NotFile(minds_system::Kind::Directory) => {
            (Code::NotAFile, "list it to see the files in it")
        }
        FileErrorKind::NotFile(_) | FileErrorKind::SeveralLinks => {
            (Code::NotAFile, "only regular files with one name are read and changed")
        }
        FileErrorKind::NotDirectory => (Code::NotADir, "list the directory above to see what is there"),
        FileErrorKind::TooLarge => (Code::TooLarge, "ask for less"),
        FileErrorKind::NotEmpty => (Code::DirNotEmpty, "give `recursive: true` to remove all of it"),
        FileErrorKind::Root => (Code::InvalidPath, "name something below it"),
        FileErrorKind::IntoItself => (Code::InvalidPath, "choose a place outside of it"),
        FileErrorKind::Unportable(_)
        | FileErrorKind::NameTooLong
        | FileErrorKind::Unnamed
        | FileErrorKind::Reserved => (Code::InvalidPath, "choose a name that every system takes"),
        FileErrorKind::PermissionDenied => (Code::AccessDenied, "the system does not permit it"),
        FileErrorKind::ReadOnly => {
            (Code::AccessDenied, "somebody made it read-only; ask whether it may change")
        }
        FileErrorKind::NoSpace => (Code::Failed, "free some space"),
        FileErrorKind::Foreign | FileErrorKind::ForeignJournal(_) => {
            (Code::Failed, "ask the user to remove `.minds-journal` at the top of the workspace")
        }
        FileErrorKind::Locked(_) => (Code::Locked, LOCKED),
        FileErrorKind::OtherFileSystem => (Code::Failed, "copy it instead, and remove the old one"),
        FileErrorKind::Unconfirmed | FileErrorKind::HalfDone | FileErrorKind::Remains => {
            (Code::Failed, "look at what is there before you go on")
        }
        _ => (Code::Failed, "try again"),
    }
}
