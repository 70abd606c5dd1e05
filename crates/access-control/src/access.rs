//! The operations that are decided, and the lists that apply to each.

use std::borrow::Cow;
use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Serialize, Serializer};

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

    /// Returns the key of the list for an operation.
    pub fn key(self, access: Access) -> ListKey {
        ListKey { access, kind: self }
    }
}

/// The key of a list in a team file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ListKey {
    /// The operation to which the list applies.
    pub access: Access,
    /// The kind of the list.
    pub kind: ListKind,
}

impl ListKey {
    /// Returns the keys of all lists, in the order in which they are consulted for each operation.
    pub fn all() -> impl Iterator<Item = Self> {
        Access::ALL.into_iter().flat_map(|access| ListKind::ALL.map(|kind| kind.key(access)))
    }

    /// Returns the key as it is written.
    pub fn as_str(self) -> &'static str {
        match (self.kind, self.access) {
            (ListKind::Allow, Access::Read) => "read_dirs",
            (ListKind::Allow, Access::Write) => "write_dirs",
            (ListKind::Deny, Access::Read) => "no_read_dirs",
            (ListKind::Deny, Access::Write) => "no_write_dirs",
            (ListKind::AllowExtension, Access::Read) => "read_file_ext_names",
            (ListKind::AllowExtension, Access::Write) => "write_file_ext_names",
            (ListKind::DenyExtension, Access::Read) => "no_read_file_ext_names",
            (ListKind::DenyExtension, Access::Write) => "no_write_file_ext_names",
        }
    }
}

impl fmt::Display for ListKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl Serialize for ListKey {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

impl JsonSchema for ListKey {
    fn schema_name() -> Cow<'static, str> {
        "ListKey".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let keys: Vec<&str> = Self::all().map(Self::as_str).collect();
        json_schema!({ "description": "The key of an access list.", "type": "string", "enum": keys })
    }
}
