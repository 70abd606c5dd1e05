//! What can be rendered.

use std::fmt;

use minds_paths::WorkspacePath;

/// What is rendered: files for one kind of reader.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Target {
    /// What the agents of a compose root are started with: environment, MCP servers, role prompts.
    Artifacts,
}

impl Target {
    /// Every target.
    pub const ALL: &[Self] = &[Self::Artifacts];

    /// Returns the name, by which the manifest and the command know the target.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Artifacts => "artifacts",
        }
    }

    /// Returns the target with a name.
    pub fn find(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|target| target.name() == name)
    }

    /// Returns whether the target makes files at such a path. A manifest that says that others were rendered is not
    /// believed: what it names would be removed.
    pub(crate) fn makes(self, path: &WorkspacePath) -> bool {
        let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else { return false };
        let endings: &[(&str, &str)] = match self {
            Self::Artifacts => {
                &[("state/envs", ".env"), ("state/mcp", ".json"), ("state/role_prompts", ".md")]
            }
        };
        endings.iter().any(|(directory, ending)| {
            folder.as_str() == *directory && name.strip_suffix(ending).is_some_and(|stem| !stem.is_empty())
        })
    }
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
