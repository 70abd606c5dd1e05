//! Refusals for file errors, without absolute paths of the machine.

use minds_fs::{FileError, FileErrorKind};

use crate::Code;
use crate::answer::Refusal;

/// The maximum number of bytes of a quoted path or text.
const MAX_QUOTED_BYTES: usize = 100;

/// Quotes a path or text of the caller for a message.
pub(crate) fn quote(text: &str) -> String {
    format!("`{}`", truncate(text))
}

/// Truncates `text`, and escapes invisible characters.
pub(crate) fn truncate(text: &str) -> String {
    truncate_to(text, MAX_QUOTED_BYTES)
}

/// As [`truncate`], with another length in bytes.
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

/// The next step for a lock.
pub(crate) const LOCKED: &str = "try again after that process has ended, or ask the user to end it";

/// What the call needs at a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ExpectedKind {
    /// A file.
    File,
    /// A directory.
    Directory,
}

/// Returns the refusal for an error about a requested path.
pub(crate) fn refusal(error: &FileError, expected: ExpectedKind, asked: &str) -> Refusal {
    refusal_for_kind(error.kind(), expected, asked)
}

/// As [`refusal`], for an error that was found before it occurred.
pub(crate) fn refusal_for_kind(kind: FileErrorKind, expected: ExpectedKind, asked: &str) -> Refusal {
    let asked = if asked.is_empty() { "." } else { asked };
    let (code, next) = code_and_next(kind, expected);
    Refusal::new(code, format!("{}: {kind}", quote(asked))).next(next)
}

fn code_and_next(kind: FileErrorKind, expected: ExpectedKind) -> (Code, &'static str) {
    match kind {
        FileErrorKind::NotFound => match expected {
            ExpectedKind::File => (Code::FileNotFound, "list the directory"),
            ExpectedKind::Directory => (Code::DirNotFound, "list the parent directory"),
        },
        FileErrorKind::AlreadyExists => (Code::FileExists, "choose another name"),
        FileErrorKind::Outside | FileErrorKind::TooManyLinks => {
            (Code::InvalidPath, "pass a path inside the workspace")
        }
        FileErrorKind::Link => (Code::InvalidPath, "pass the path of the file itself, or remove the link"),
        FileErrorKind::NotFile(minds_fs::Kind::Directory) => (Code::NOT_A_FILE, "list it"),
        FileErrorKind::NotFile(_) | FileErrorKind::SeveralLinks => {
            (Code::NOT_A_FILE, "only regular files with a single hard link can be read and changed")
        }
        FileErrorKind::NotDirectory => (Code::NotADir, "list the parent directory"),
        FileErrorKind::TooLarge => (Code::TOO_LARGE, "request less"),
        FileErrorKind::NotEmpty => (Code::DirNotEmpty, "set `recursive: true` to remove its contents too"),
        FileErrorKind::Root => (Code::InvalidPath, "pass a path below it"),
        FileErrorKind::IntoItself => (Code::InvalidPath, "choose a path outside it"),
        FileErrorKind::Unportable(_)
        | FileErrorKind::NameTooLong
        | FileErrorKind::Unnamed
        | FileErrorKind::Reserved => (Code::InvalidPath, "choose a name that every operating system accepts"),
        FileErrorKind::PermissionDenied => (Code::AccessDenied, "the system does not permit it"),
        FileErrorKind::ReadOnly => {
            (Code::AccessDenied, "the file is read-only; ask whether it may be changed")
        }
        FileErrorKind::NoSpace => (Code::FAILED, "free some disk space"),
        FileErrorKind::Foreign | FileErrorKind::ForeignJournal(_) => {
            (Code::FAILED, "ask the user to remove `.minds-journal` in the workspace root")
        }
        FileErrorKind::Locked(_) => (Code::LOCKED, LOCKED),
        FileErrorKind::OtherFileSystem => (Code::FAILED, "copy it instead, and remove the original"),
        FileErrorKind::Unconfirmed | FileErrorKind::HalfDone | FileErrorKind::Remains => {
            (Code::FAILED, "check the current files before you continue")
        }
        _ => (Code::FAILED, "try again"),
    }
}
