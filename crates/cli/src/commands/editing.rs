//! Texts in the editor of the user.

use minds_operations::OperationError;
use minds_system::{PrivateFile, SystemError, edit_file, read_named_file};

use crate::output::{Failure, Output};

/// What came of a text in an editor. What somebody wrote stays in a file of its own until it is let go.
pub(super) struct Editing {
    copy: PrivateFile,
    /// How it ended.
    pub(super) end: EditingEnd,
}

/// How an editor ended.
pub(super) enum EditingEnd {
    /// The text is as it was; its copy is gone.
    Unchanged,
    /// The editor ended well, and the text is this one.
    Changed(Vec<u8>),
    /// The editor did not end well, and the text may be half of what somebody meant. A copy that says nothing new is gone.
    Failed {
        /// Whether something was written.
        is_kept: bool,
    },
    /// The editor left no file.
    Removed,
}

impl Editing {
    /// Lets the user edit a copy of a text, whose name ends with `name`.
    ///
    /// # Errors
    ///
    /// Fails if no copy can be made or read, or there is no shell.
    pub(super) fn run(editor: &str, name: &str, before: &str) -> Result<Self, Failure> {
        let copy = PrivateFile::new(name, before.as_bytes()).map_err(OperationError::from)?;
        let has_ended_well = edit_file(editor, copy.path()).map_err(|error| {
            copy.remove();
            OperationError::from(error)
        })?;
        let bytes = match read_named_file(copy.path()) {
            Ok(bytes) => bytes,
            Err(SystemError::NotFound { .. }) => return Ok(Self { copy, end: EditingEnd::Removed }),
            Err(error) => {
                Output::warning(&kept(&copy));
                return Err(OperationError::from(error).into());
            }
        };
        let is_unchanged = bytes == before.as_bytes();
        let end = match has_ended_well {
            true if is_unchanged => EditingEnd::Unchanged,
            true => EditingEnd::Changed(bytes),
            false => EditingEnd::Failed { is_kept: !is_unchanged && !bytes.trim_ascii().is_empty() },
        };
        if matches!(end, EditingEnd::Unchanged | EditingEnd::Failed { is_kept: false }) {
            copy.remove();
        }
        Ok(Self { copy, end })
    }

    /// Returns where the copy is, which is what a message calls the text.
    pub(super) fn name(&self) -> String {
        self.copy.path().display().to_string()
    }

    /// Returns the sentence that says where what was written can be found.
    pub(super) fn kept(&self) -> String {
        kept(&self.copy)
    }

    /// Lets go of what was written.
    pub(super) fn discard(&self) {
        self.copy.remove();
    }
}

fn kept(copy: &PrivateFile) -> String {
    format!("what you wrote is kept in `{}`", copy.path().display())
}
