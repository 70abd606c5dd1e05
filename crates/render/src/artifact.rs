//! One file that is rendered.

use std::collections::BTreeSet;

use minds_diagnostics::SourceFile;
use minds_document::FileMode;
use minds_paths::WorkspacePath;

use crate::target::Target;

/// A file that is rendered, as a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Artifact {
    /// Where it is written, from the top of the root.
    pub path: WorkspacePath,
    /// What is in it.
    pub bytes: Vec<u8>,
    /// Who may read it.
    pub mode: FileMode,
    /// What made it.
    pub target: Target,
    /// The files that it was made of, by the names that messages use, sorted.
    pub inputs: Vec<String>,
}

/// Takes artifacts from other readers where a file that they were made of may not be read by everybody: a copy is never
/// readable by more users than its source. Only the owner may be permitted, because a copy need not have the group of its
/// source.
pub fn restrict(artifacts: &mut [Artifact], texts: &[SourceFile]) {
    let restricted: BTreeSet<&str> =
        texts.iter().filter(|text| text.is_restricted()).map(SourceFile::name).collect();
    for artifact in artifacts {
        if artifact.inputs.iter().any(|input| restricted.contains(input.as_str())) {
            artifact.mode = FileMode::Private;
        }
    }
}

/// Why nothing was rendered. What a check finds is none of these: they keep what was not checked from being written.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RenderError {
    /// Something could not be read, so files would be missing or wrong.
    #[error("`{what}` could not be read, so nothing is rendered")]
    Unreadable {
        /// A file or an agent.
        what: String,
    },
    /// A value cannot be written in the format of a file.
    #[error("`{key}` of `{path}` cannot be written: {reason}")]
    Unencodable {
        /// The file.
        path: String,
        /// What the value is called there.
        key: &'static str,
        /// Why not.
        reason: &'static str,
    },
    /// The id of an agent or a project cannot be part of the name of a file.
    #[error("`{}` cannot be part of the name of a file", .id.escape_debug())]
    UnsafeId {
        /// The id.
        id: String,
    },
    /// Two files would have the same path.
    #[error("`{path}` would be rendered twice")]
    Collision {
        /// The path.
        path: String,
    },
    /// All files together are larger than [`RenderError::MAX_BYTES`].
    #[error("what is rendered is larger than 256 MiB")]
    TooLarge,
}

impl RenderError {
    /// The number of bytes that all rendered files have together at most: 256 MiB.
    pub const MAX_BYTES: usize = 256 << 20;
}
