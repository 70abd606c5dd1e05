//! Locations: a root, and a path in it.

use std::borrow::Cow;
use std::fmt;

use crate::WorkspacePath;

/// The name of an open root.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MountId(Cow<'static, str>);

impl MountId {
    /// The workspace itself.
    pub const WORKSPACE: Self = Self(Cow::Borrowed("workspace"));

    /// Returns the mount with this name, for example that of an agent home.
    pub fn new(name: impl Into<Cow<'static, str>>) -> Self {
        Self(name.into())
    }

    /// Returns the name.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// A path in one of several roots.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Location {
    /// The root.
    pub mount: MountId,
    /// The path in it.
    pub path: WorkspacePath,
}

impl Location {
    /// Returns the location of `path` in `mount`.
    pub const fn new(mount: MountId, path: WorkspacePath) -> Self {
        Self { mount, path }
    }
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.mount == MountId::WORKSPACE {
            self.path.fmt(f)
        } else {
            write!(f, "{}:{}", self.mount.as_str(), self.path)
        }
    }
}
