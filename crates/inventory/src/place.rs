//! Paths on this machine, and where items are placed in an agent home.

use std::fmt;

use minds_sources::{ItemKind, ItemName, NameError};
use minds_vfs::{WorkspacePath, portable};

/// An absolute path on this machine, without empty segments, `.`, `..` and invisible characters.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct AbsolutePath(String);

/// Why a string is not a valid [`AbsolutePath`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum AbsolutePathError {
    /// It does not begin with `/`.
    #[error("it must begin with `/`")]
    Relative,
    /// It begins with `~`, and the home directory is not known.
    #[error("it begins with `~`, and the home directory is not known")]
    NoHome,
    /// A segment is empty, `.` or `..`.
    #[error("empty segments, `.` and `..` are not allowed")]
    Segment,
    /// It has a control character, or one that changes the direction of text.
    #[error("it has an invisible character")]
    HiddenCharacter,
    /// It is longer than any system supports.
    #[error("it is longer than 4096 bytes")]
    TooLong,
}

impl AbsolutePath {
    /// Parses a path as it is stored. Nothing is normalized.
    ///
    /// # Errors
    ///
    /// Returns the first rule that the string violates.
    pub fn parse(path: &str) -> Result<Self, AbsolutePathError> {
        let Some(rest) = path.strip_prefix('/') else { return Err(AbsolutePathError::Relative) };
        if path.len() > minds_vfs::MAX_PATH_BYTES {
            return Err(AbsolutePathError::TooLong);
        }
        if path.chars().any(|c| portable::is_control(c) || portable::is_directional(c)) {
            return Err(AbsolutePathError::HiddenCharacter);
        }
        if rest.split('/').any(|segment| matches!(segment, "" | "." | "..")) {
            return Err(AbsolutePathError::Segment);
        }
        Ok(Self(path.to_owned()))
    }

    /// Parses a path as written by a user: `~/` stands for `home`, a relative path is relative to `base`, and
    /// trailing slashes are dropped.
    ///
    /// # Errors
    ///
    /// Returns the first rule that the string violates.
    pub fn expand(path: &str, base: &Self, home: Option<&Self>) -> Result<Self, AbsolutePathError> {
        let trimmed = path.trim_end_matches('/');
        if trimmed.is_empty() {
            return Err(AbsolutePathError::Segment);
        }
        let is_home = trimmed == "~" || trimmed.starts_with("~/");
        match (trimmed.strip_prefix('~'), home) {
            (Some(rest), Some(home)) if is_home => Self::parse(&format!("{home}{rest}")),
            (Some(_), None) if is_home => Err(AbsolutePathError::NoHome),
            _ if trimmed.starts_with('/') => Self::parse(trimmed),
            _ => {
                let inside = WorkspacePath::normalize(trimmed).map_err(|_| AbsolutePathError::Segment)?;
                Ok(base.join(&inside))
            }
        }
    }

    /// Returns the path as a string.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the path `path` below this one.
    #[must_use]
    pub fn join(&self, path: &WorkspacePath) -> Self {
        if path.as_str().is_empty() { self.clone() } else { Self(format!("{}/{path}", self.0)) }
    }

    /// Returns this path relative to `folder`, if it is below it.
    pub fn relative_to(&self, folder: &Self) -> Option<WorkspacePath> {
        let rest = self.0.strip_prefix(folder.as_str())?.strip_prefix('/')?;
        WorkspacePath::parse(rest).ok()
    }

    /// Returns the path for display, with `~` for `home`.
    pub fn display_with_home(&self, home: Option<&Self>) -> String {
        match home.and_then(|home| self.0.strip_prefix(home.as_str())) {
            Some(rest) if rest.is_empty() || rest.starts_with('/') => format!("~{rest}"),
            _ => self.0.clone(),
        }
    }
}

impl fmt::Display for AbsolutePath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Why an item cannot be placed at its `link`.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LinkError {
    /// It is not directly in a folder for items of its kind.
    #[error("the link of a {kind} must be one name directly below {}", folders(*.kind))]
    Folder {
        /// The kind of the item.
        kind: ItemKind,
    },
    /// Agents and rules are files with the extension `.md`.
    #[error("the link of an agent or a rule must end with `.md`")]
    Ending,
    /// The name is not valid on every system.
    #[error("`{name}` cannot name an item: {error}")]
    Name {
        /// The name.
        name: String,
        /// Why it is not valid.
        error: NameError,
    },
}

/// The folders of an agent home in which items of a kind may be linked.
const fn allowed_folders(kind: ItemKind) -> &'static [&'static str] {
    match kind {
        ItemKind::Skill => &["skills"],
        ItemKind::Agent => &["agents"],
        ItemKind::Rule => &["rules"],
        ItemKind::Tool => &["tools", "bin"],
    }
}

fn folders(kind: ItemKind) -> String {
    let quoted: Vec<String> = allowed_folders(kind).iter().map(|folder| format!("`{folder}/`")).collect();
    quoted.join(" or ")
}

/// Checks that an item of this kind may be linked at `link`, a path relative to an agent home: one portable
/// name directly in a folder of its kind (`skills/`, `agents/`, `rules/`; for tools `tools/` or `bin/`), with
/// `.md` for agents and rules.
///
/// # Errors
///
/// Returns the rule that the link violates.
pub fn check_link(kind: ItemKind, link: &WorkspacePath) -> Result<(), LinkError> {
    let Some((folder, name)) = link.as_str().split_once('/') else { return Err(LinkError::Folder { kind }) };
    if !allowed_folders(kind).contains(&folder) || name.contains('/') {
        return Err(LinkError::Folder { kind });
    }
    let stem = match (kind.is_folder(), name.strip_suffix(".md")) {
        (true, _) => name,
        (false, Some(stem)) => stem,
        (false, None) => return Err(LinkError::Ending),
    };
    ItemName::parse(stem).map(drop).map_err(|error| LinkError::Name { name: name.to_owned(), error })
}

/// Returns the path of an item in an agent home: its own `link`, else the default for its kind and name. A
/// tool without `link` is not placed.
///
/// # Errors
///
/// Fails if `link` is not a valid path for the item.
pub fn placement(
    kind: ItemKind,
    name: &ItemName,
    link: Option<&WorkspacePath>,
) -> Result<Option<WorkspacePath>, LinkError> {
    if let Some(link) = link {
        check_link(kind, link)?;
        return Ok(Some(link.clone()));
    }
    let path = match kind {
        ItemKind::Tool => return Ok(None),
        ItemKind::Skill => format!("skills/{name}"),
        ItemKind::Agent | ItemKind::Rule => format!("{}/{name}.md", kind.folder()),
    };
    // A name is one segment, so this is a valid path.
    Ok(WorkspacePath::parse(&path).ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_stays_in_the_folder_of_its_kind() {
        let cases = [
            (ItemKind::Rule, "rules/code-style.md", true),
            (ItemKind::Rule, "rules/code-style", false),
            (ItemKind::Rule, "agents/x.md", false),
            (ItemKind::Rule, "rules/.md", false),
            (ItemKind::Skill, "skills/x", true),
            (ItemKind::Skill, "skills", false),
            (ItemKind::Skill, "skills/a/b", false),
            (ItemKind::Skill, "skills/.x", false),
            (ItemKind::Skill, ".bash_profile", false),
            (ItemKind::Tool, "bin/t", true),
            (ItemKind::Tool, "tools/t", true),
            (ItemKind::Tool, "skills/t", false),
        ];
        for (kind, link, expected) in cases {
            let path = WorkspacePath::parse(link).unwrap();
            assert_eq!(check_link(kind, &path).is_ok(), expected, "{kind} {link}");
        }
    }

    #[test]
    fn items_are_placed_by_kind_and_name() {
        let name = ItemName::parse("x").unwrap();
        let at = |kind| placement(kind, &name, None).unwrap().map(|path| path.to_string());
        assert_eq!(at(ItemKind::Skill).as_deref(), Some("skills/x"));
        assert_eq!(at(ItemKind::Agent).as_deref(), Some("agents/x.md"));
        assert_eq!(at(ItemKind::Rule).as_deref(), Some("rules/x.md"));
        assert_eq!(at(ItemKind::Tool), None);
    }

    #[test]
    fn a_path_of_a_user_becomes_absolute() {
        let home = AbsolutePath::parse("/home/u").unwrap();
        let base = AbsolutePath::parse("/work").unwrap();
        let cases = [
            ("~/.claude", Ok("/home/u/.claude")),
            ("~/.claude/", Ok("/home/u/.claude")),
            ("~", Ok("/home/u")),
            ("a/./b", Ok("/work/a/b")),
            ("/x/", Ok("/x")),
            ("/x/../y", Err(AbsolutePathError::Segment)),
            ("../y", Err(AbsolutePathError::Segment)),
            ("/", Err(AbsolutePathError::Segment)),
            ("", Err(AbsolutePathError::Segment)),
            ("/a\u{1b}", Err(AbsolutePathError::HiddenCharacter)),
        ];
        for (path, expected) in cases {
            let found = AbsolutePath::expand(path, &base, Some(&home)).map(|path| path.to_string());
            assert_eq!(found, expected.map(str::to_owned), "{path}");
        }
        assert_eq!(AbsolutePath::expand("~/x", &base, None), Err(AbsolutePathError::NoHome));
        assert_eq!(AbsolutePath::parse("/home/u/x").unwrap().display_with_home(Some(&home)), "~/x");
        assert_eq!(AbsolutePath::parse("/home/user").unwrap().display_with_home(Some(&home)), "/home/user");
    }
}
