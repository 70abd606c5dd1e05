//! Editing text in the editor of the user.

use minds_fs::{PrivateFile, read_named_file};
use minds_operations::OperationError;
use minds_process::{SystemError, edit_file};

use minds_output::{Failure, Output};

/// The result of editing text. The edited copy stays in a private file until it is discarded.
pub(super) struct Editing {
    copy: PrivateFile,
    pub(super) end: EditingEnd,
}

/// How an editor ended.
pub(super) enum EditingEnd {
    /// The text is unchanged, and the copy was removed.
    Unchanged,
    /// The editor succeeded, and the text has changed to this one.
    Changed(Vec<u8>),
    /// The editor failed, so the text may be incomplete. A copy without changes was removed.
    Failed {
        /// Whether the copy has changes and was kept.
        is_kept: bool,
    },
    /// The editor removed the copy.
    Removed,
}

impl Editing {
    /// Opens a copy of the text in the editor. The name of the copy ends with `name`.
    ///
    /// # Errors
    ///
    /// Fails if the copy cannot be created or read, or if no shell is available.
    pub(super) fn run(editor: &str, name: &str, before: &str) -> Result<Self, Failure> {
        let copy = PrivateFile::new(name, before.as_bytes()).map_err(OperationError::from)?;
        let has_succeeded = edit_file(editor, copy.path()).map_err(|error| {
            copy.remove();
            OperationError::from(error)
        })?;
        let bytes = match read_named_file(copy.path()) {
            Ok(bytes) => bytes,
            Err(SystemError::NotFound { .. }) => return Ok(Self { copy, end: EditingEnd::Removed }),
            Err(error) => {
                Output::warning(&kept_copy_message(&copy));
                return Err(OperationError::from(error).into());
            }
        };
        let is_unchanged = bytes == before.as_bytes();
        let end = match has_succeeded {
            true if is_unchanged => EditingEnd::Unchanged,
            true => EditingEnd::Changed(bytes),
            false => EditingEnd::Failed { is_kept: !is_unchanged && !bytes.trim_ascii().is_empty() },
        };
        if matches!(end, EditingEnd::Unchanged | EditingEnd::Failed { is_kept: false }) {
            copy.remove();
        }
        Ok(Self { copy, end })
    }

    /// Returns the path of the copy, which messages use as the name of the text.
    pub(super) fn name(&self) -> String {
        self.copy.path().display().to_string()
    }

    /// Returns a message with the path of the kept copy.
    pub(super) fn kept_copy_message(&self) -> String {
        kept_copy_message(&self.copy)
    }

    /// Removes the copy.
    pub(super) fn discard(&self) {
        self.copy.remove();
    }
}

fn kept_copy_message(copy: &PrivateFile) -> String {
    format!("your changes are kept in `{}`", copy.path().display())
}
