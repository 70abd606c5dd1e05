//! A rendered file.

use std::collections::BTreeSet;

use minds_diagnostics::SourceFile;
use minds_vfs::{FileMode, WorkspacePath};

use crate::target::Target;

/// A rendered file, in memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Artifact {
    /// The path, relative to the root.
    pub path: WorkspacePath,
    /// The contents.
    pub bytes: Vec<u8>,
    /// The permissions.
    pub mode: FileMode,
    /// The target that it was rendered for.
    pub target: Target,
    /// The names of its source files, as used in messages, sorted.
    pub inputs: Vec<String>,
}

/// Makes an artifact private if one of its sources is not readable by every user: a copy is never readable by
/// more users than its source. Group permissions are not kept, because a copy may belong to another group.
pub fn restrict(artifacts: &mut [Artifact], sources: &[SourceFile]) {
    let restricted: BTreeSet<&str> =
        sources.iter().filter(|source| source.is_restricted()).map(SourceFile::name).collect();
    for artifact in artifacts {
        if artifact.inputs.iter().any(|input| restricted.contains(input.as_str())) {
            artifact.mode = FileMode::Private;
        }
    }
}

/// Why nothing was rendered. Findings of a check are not errors of this kind; these errors protect against
/// writing files that were not checked.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RenderError {
    /// A file or agent could not be read, so rendered files would be missing or wrong.
    #[error("`{what}` could not be read, so nothing is rendered")]
    Unreadable {
        /// The name of the file or agent.
        what: String,
    },
    /// A value cannot be written in the format of a file.
    #[error("`{key}` of `{path}` cannot be written: {reason}")]
    Unencodable {
        /// The path of the rendered file.
        path: String,
        /// The key of the value.
        key: &'static str,
        /// The reason.
        reason: &'static str,
    },
    /// An id is not safe in file names.
    #[error("`{}` is not safe in file names", .id.escape_debug())]
    UnsafeId {
        /// The id.
        id: String,
    },
    /// Two rendered files would have the same path.
    #[error("`{path}` would be rendered twice")]
    Collision {
        /// The path.
        path: String,
    },
    /// All files together are larger than [`RenderError::MAX_BYTES`].
    #[error("the rendered files are larger than 256 MiB")]
    TooLarge,
}

impl RenderError {
    /// The maximum total size of all rendered files: 256 MiB.
    pub const MAX_BYTES: usize = 256 << 20;
}
