//! What a program may do, by the kinds of its tool calls.

use std::collections::BTreeMap;

/// The kind of a tool call.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ToolKind {
    /// Reads files.
    Read,
    /// Changes files.
    Edit,
    /// Deletes files.
    Delete,
    /// Moves files.
    Move,
    /// Searches for files and text.
    Search,
    /// Runs a command.
    Execute,
    /// Thinks.
    Think,
    /// Fetches data from other machines.
    Fetch,
    /// Changes the mode of the program.
    SwitchMode,
    /// Something else.
    #[default]
    Other,
}

/// Whether a program may do something. The order is that of strictness.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Permission {
    /// It may.
    Allow,
    /// The owner decides.
    Ask,
    /// It may not.
    Deny,
}

/// What a program may do. A kind without an entry is denied.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Permissions(BTreeMap<ToolKind, Permission>);

impl ToolKind {
    /// Every kind.
    pub const ALL: [Self; 10] = [
        Self::Read,
        Self::Edit,
        Self::Delete,
        Self::Move,
        Self::Search,
        Self::Execute,
        Self::Think,
        Self::Fetch,
        Self::SwitchMode,
        Self::Other,
    ];

    /// Returns the name in the protocol.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Edit => "edit",
            Self::Delete => "delete",
            Self::Move => "move",
            Self::Search => "search",
            Self::Execute => "execute",
            Self::Think => "think",
            Self::Fetch => "fetch",
            Self::SwitchMode => "switch_mode",
            Self::Other => "other",
        }
    }
}

impl Permission {
    /// Returns the name in the files.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Allow => "allow",
            Self::Ask => "ask",
            Self::Deny => "deny",
        }
    }

    /// Returns the permission with a name; what has no such name is denied.
    pub fn of_name(name: &str) -> Self {
        [Self::Allow, Self::Ask].into_iter().find(|one| one.as_str() == name).unwrap_or(Self::Deny)
    }
}

impl Permissions {
    /// Returns the permissions that follow from the tools of an agent: `permission` returns that of a built-in tool.
    pub fn of_tools(permission: impl Fn(&str) -> Permission) -> Self {
        let of_kind = |kind| match kind {
            ToolKind::Read | ToolKind::Search => permission("fs.read"),
            ToolKind::Edit | ToolKind::Delete | ToolKind::Move => permission("fs.write"),
            ToolKind::Execute => permission("os.exec"),
            ToolKind::Think | ToolKind::SwitchMode => Permission::Allow,
            ToolKind::Fetch | ToolKind::Other => Permission::Deny,
        };
        Self(ToolKind::ALL.into_iter().map(|kind| (kind, of_kind(kind))).collect())
    }

    /// Sets the permission of a kind.
    pub fn set(&mut self, kind: ToolKind, permission: Permission) {
        self.0.insert(kind, permission);
    }

    /// Returns the permission of a kind.
    pub fn get(&self, kind: ToolKind) -> Permission {
        self.0.get(&kind).copied().unwrap_or(Permission::Deny)
    }

    /// Returns the permission of a call that named several kinds: the strictest one.
    pub fn strictest(&self, kinds: impl IntoIterator<Item = ToolKind>) -> Permission {
        kinds.into_iter().map(|kind| self.get(kind)).max().unwrap_or(Permission::Deny)
    }
}
