//! What somebody wants to do, and the lists that say something about it.

use std::fmt;

/// What is to be done with a path. Neither implies the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Access {
    /// Looking at a file, or at the names in a directory.
    Read,
    /// Making, changing, moving or removing something.
    Write,
}

impl Access {
    /// Both, in the order in which they are shown.
    pub const ALL: [Self; 2] = [Self::Read, Self::Write];

    /// Returns the word for it: `read` or `write`.
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

/// One of the four lists about an access, in the order in which they are consulted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ListKind {
    /// What must not be touched.
    Deny,
    /// Extensions of files that must not be touched.
    DenyExtension,
    /// What may be touched and nothing else.
    Allow,
    /// Extensions of files that may be touched and no others.
    AllowExtension,
}

impl ListKind {
    /// All four, in the order in which they are consulted.
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
