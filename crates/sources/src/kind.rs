//! The kinds of items.

use std::fmt;

use serde::Serialize;

use crate::ItemName;

/// The kind of an item, in discovery order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum ItemKind {
    /// A folder with a `SKILL.md`.
    Skill,
    /// A Markdown file that describes an agent.
    Agent,
    /// A Markdown file with rules.
    Rule,
    /// A folder with a program and the files that it needs.
    Tool,
}

impl ItemKind {
    /// Every kind.
    pub const ALL: [Self; 4] = [Self::Skill, Self::Agent, Self::Rule, Self::Tool];

    /// Returns the name of the kind, as used in files and commands.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Skill => "skill",
            Self::Agent => "agent",
            Self::Rule => "rule",
            Self::Tool => "tool",
        }
    }

    /// Returns the name of the kind with an article, for a sentence.
    pub const fn with_article(self) -> &'static str {
        match self {
            Self::Skill => "a skill",
            Self::Agent => "an agent",
            Self::Rule => "a rule",
            Self::Tool => "a tool",
        }
    }

    /// Returns the folder for items of the kind: in a source by convention, and in an agent home.
    pub const fn folder(self) -> &'static str {
        match self {
            Self::Skill => "skills",
            Self::Agent => "agents",
            Self::Rule => "rules",
            Self::Tool => "tools",
        }
    }

    /// Returns the default path of an item of the kind in an agent home; tools are not linked.
    pub fn link(self, name: &ItemName) -> Option<String> {
        match self {
            Self::Skill => Some(format!("{}/{name}", self.folder())),
            Self::Agent | Self::Rule => Some(format!("{}/{name}.md", self.folder())),
            Self::Tool => None,
        }
    }

    /// Returns the kind with exactly this name.
    pub fn find(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// Returns whether an item of the kind is a folder; otherwise it is a file.
    pub const fn is_folder(self) -> bool {
        matches!(self, Self::Skill | Self::Tool)
    }
}

impl fmt::Display for ItemKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
