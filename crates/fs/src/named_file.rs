//! Files that the user names on the command line.

use std::io::Read as _;
use std::path::Path;

use minds_process::SystemError;
use minds_vfs::{ContentHash, Expected, MountId, WorkspacePath};

use crate::notice::{Notice, notify};
use crate::{MAX_FILE_BYTES, Root};

/// Reads a file named on the command line, relative to the current directory, of any type. At most
/// [`MAX_FILE_BYTES`] plus one byte are read; the extra byte reveals a longer file.
///
/// # Errors
///
/// Fails if the file does not exist or cannot be read.
pub fn read_named_file(path: &Path) -> Result<Vec<u8>, SystemError> {
    let read = |path: &Path| {
        let mut bytes = Vec::new();
        std::fs::File::open(path)?.take(MAX_FILE_BYTES + 1).read_to_end(&mut bytes)?;
        notify(&Notice::Read { file: &path.to_string_lossy(), bytes: bytes.len() });
        Ok(bytes)
    };
    read(path).map_err(|error| SystemError::new("read", path, error))
}

/// Removes a file named on the command line, relative to the current directory, if its content is still
/// `content`. A symbolic link is not followed.
///
/// # Errors
///
/// Fails if the file does not exist, its content differs, or it is not a regular file.
pub fn remove_named_file(path: &Path, content: &[u8]) -> Result<(), SystemError> {
    let failed = |reason: String| SystemError::new("remove", path, std::io::Error::other(reason));
    let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let name =
        path.file_name().and_then(|name| name.to_str()).and_then(|name| WorkspacePath::parse(name).ok());
    let name = name.ok_or_else(|| failed("its name is not valid".to_owned()))?;
    let root = Root::open(parent, MountId::WORKSPACE)?;
    let removed = root.no_follow().remove_file(&name, Expected::Content(ContentHash::of(content)));
    removed.map_err(|error| failed(error.to_string()))
}
