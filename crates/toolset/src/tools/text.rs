//! Reading a text file that is to be changed.

use minds_access_control::Access;
use minds_fs::{FileErrorKind, Kind, Place};
use minds_vfs::{ContentHash, FileMode, WorkspacePath};

use crate::Code;
use crate::answer::Refusal;
use crate::call::Call;
use crate::file_refusal::{ExpectedKind, quote};
use crate::input::MAX_TEXT;

/// The target of a path that the caller may read and write, both by its own path and by its real path.
#[derive(Debug)]
pub(super) struct Target<'c> {
    /// The path without links.
    pub(super) real: WorkspacePath,
    /// The file; `None` if it does not exist.
    pub(super) file: Option<TextFile<'c>>,
}

/// A text file.
#[derive(Debug)]
pub(super) struct TextFile<'c> {
    pub(super) place: Place<'c>,
    pub(super) text: String,
    pub(super) hash: ContentHash,
    pub(super) mode: FileMode,
    pub(super) is_read_only: bool,
}

/// Reads the target of a path. The file whose access is checked is the one that is read, and changed through the place.
///
/// # Errors
///
/// Refuses a path that the caller may not both read and write, and anything but a text file of at most 4 MiB.
pub(super) fn read_target<'c>(call: &'c Call<'_>, path: &WorkspacePath) -> Result<Target<'c>, Refusal> {
    check_read_and_write(call, path)?;
    let place = match call.view().place(path) {
        Ok(place) => place,
        Err(error) if error.kind() == FileErrorKind::NotFound => {
            return Ok(Target { real: resolve_new_path(call, path)?, file: None });
        }
        Err(error) => return Err(call.file_refusal(&error, path)),
    };
    let real = place.real().clone();
    check_read_and_write(call, &real)?;
    let opened = match place.open() {
        Ok(opened) => opened,
        Err(error) if error.kind() == FileErrorKind::NotFound => return Ok(Target { real, file: None }),
        Err(error) => return Err(call.file_refusal(&error, path)),
    };
    let is_read_only = opened.is_read_only();
    let content = opened.read(MAX_TEXT as u64).map_err(|error| call.file_refusal(&error, path))?;
    let (hash, mode) = (ContentHash::of(&content.bytes), content.mode);
    let text = String::from_utf8(content.bytes).map_err(|_| {
        Refusal::new(Code::INVALID_UTF8, format!("{} is not valid UTF-8", quote(path.as_str())))
            .next("only text files can be changed")
    })?;
    Ok(Target { real, file: Some(TextFile { place, text, hash, mode, is_read_only }) })
}

/// Returns the refusal of a file that would be too large.
pub(super) fn too_large(path: &WorkspacePath) -> Refusal {
    let message = format!("{} would have more than {MAX_TEXT} bytes", quote(path.as_str()));
    Refusal::new(Code::TOO_LARGE, message).next("write less, or to another file")
}

fn check_read_and_write(call: &Call<'_>, path: &WorkspacePath) -> Result<(), Refusal> {
    call.check_access(Access::Read, path)?;
    call.check_access(Access::Write, path)
}

/// Returns the real path of a file that does not exist yet and whose directory may be missing, after checking the access.
fn resolve_new_path(call: &Call<'_>, path: &WorkspacePath) -> Result<WorkspacePath, Refusal> {
    let mut names = Vec::new();
    let mut ancestor = Some(path.clone());
    while let Some(directory) = ancestor.filter(|directory| !directory.is_root()) {
        match call.view().metadata(&directory) {
            Ok(known) if known.kind == Kind::Directory => {
                names.push(known.real.as_str().to_owned());
                break;
            }
            Ok(_) => {
                let message = format!("{} is not a directory", quote(directory.as_str()));
                return Err(Refusal::new(Code::NotADir, message).next("choose another path"));
            }
            Err(error) if error.kind() == FileErrorKind::NotFound => {
                names.extend(directory.file_name().map(ToOwned::to_owned));
                ancestor = directory.parent();
            }
            Err(error) => return Err(call.file_refusal(&error, path)),
        }
    }
    names.reverse();
    let real = WorkspacePath::parse(&names.join("/")).map_err(|_| call.missing(ExpectedKind::File, path))?;
    check_read_and_write(call, &real)?;
    Ok(real)
}
