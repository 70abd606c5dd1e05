//! The operations that are decided, and the lists that apply to each.

use std::fmt;

use schemars::JsonSchema;
use serde::Serialize;

/// The operation on a path. Neither implies the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Access {
    /// Reading a file, or listing a directory.
    Read,
    /// Creating, changing, moving or removing a file or directory.
    Write,
}

impl Access {
    /// Both operations, in display order.
    pub const ALL: [Self; 2] = [Self::Read, Self::Write];

    /// Returns `read` or `write`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Write => "write",
        }
    }
}

impl fmt::Display for Access {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// One of the four lists that apply to an operation, in the order in which they are consulted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ListKind {
    /// Directories that must not be accessed.
    Deny,
    /// File extensions that must not be accessed.
    DenyExtension,
    /// The only directories that may be accessed.
    Allow,
    /// The only file extensions that may be accessed.
    AllowExtension,
}

impl ListKind {
    /// All four kinds, in the order in which they are consulted.
    pub const ALL: [Self; 4] = [Self::Deny, Self::DenyExtension, Self::Allow, Self::AllowExtension];

    /// Returns the key of the list in a team file.
    pub fn key(self, access: Access) -> &'static str {
        match (self, access) {
            (Self::Allow, Access::Read) => "read_dirs",
            (Self::Allow, Access::Write) => "write_dirs",
            (Self::Deny, Access::Read) => "no_read_dirs",
            (Self::Deny, Access::Write) => "no_write_dirs",
            (Self::AllowExtension, Access::Read) => "read_file_ext_names",
            (Self::AllowExtension, Access::Write) => "write_file_ext_names",
            (Self::DenyExtension, Access::Read) => "no_read_file_ext_names",
            (Self::DenyExtension, Access::Write) => "no_write_file_ext_names",
        }
    }
}
