//! The roles of paths in a package.

use minds_vfs::portable::{fold, is_encapsulated, is_same_name};

use crate::package::{ATTRIBUTES, HISTORY, IGNORE, JOURNAL};
use crate::section::{BEAR_IN_MIND, BearInMind, EXTENSION, Section, TopLevel, check_category, check_name};

/// The role of a path below a package, regardless of the entry there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// A section.
    Section(Section),
    /// The journal.
    Journal,
    /// A directory that the format defines.
    Directory,
    /// A different spelling of a name that the format defines, which some systems treat as the same name.
    Variant(String),
    /// A section at the wrong path; the correct path.
    Misplaced(String),
    /// An entry of `bearinmind/` that is not one of its sections.
    Foreign,
    /// Another package.
    Package,
    /// A section whose name is not valid, and the reason.
    InvalidName(String),
    /// Anything else; no rule applies to it.
    Other,
}

impl Role {
    /// Returns the role of a path below the package.
    pub(crate) fn of(relative_path: &str) -> Self {
        let (parent, name) = relative_path.rsplit_once('/').unwrap_or(("", relative_path));
        match parent.split_once('/') {
            None if parent == BEAR_IN_MIND => bearinmind_role(relative_path, name),
            _ if is_encapsulated(name) => Self::Package,
            None if parent.is_empty() => top_level_role(name),
            // Entries of a misplaced directory are covered by the finding for the directory.
            _ if parent.split('/').next().is_some_and(|first| is_same_name(first, BEAR_IN_MIND)) => {
                Self::Other
            }
            deep => misplaced_role(name)
                .unwrap_or_else(|| category_role(parent, relative_path, name, deep.is_some())),
        }
    }
}

/// Returns the role of an entry at the top level of the package.
fn top_level_role(name: &str) -> Role {
    match name {
        BEAR_IN_MIND | HISTORY => return Role::Directory,
        JOURNAL => return Role::Journal,
        ATTRIBUTES | IGNORE => return Role::Other,
        _ => {}
    }
    if let Some(section) = Section::of_path(name) {
        return Role::Section(section);
    }
    let sections = TopLevel::ALL.iter().map(|top| format!("{}{EXTENSION}", top.name()));
    let mut reserved =
        [BEAR_IN_MIND, HISTORY, JOURNAL, ATTRIBUTES, IGNORE].map(str::to_owned).into_iter().chain(sections);
    match reserved.find(|reserved| is_same_name(reserved, name)) {
        Some(reserved) => Role::Variant(reserved),
        None => misplaced_role(name).unwrap_or(Role::Other),
    }
}

fn bearinmind_role(relative_path: &str, name: &str) -> Role {
    if let Some(section) = Section::of_path(relative_path) {
        return Role::Section(section);
    }
    match misplaced_role(name) {
        // The directory is correct, but not the letter case.
        Some(Role::Misplaced(path)) if path.starts_with(BEAR_IN_MIND) => Role::Variant(path),
        Some(misplaced) => misplaced,
        None => Role::Foreign,
    }
}

fn category_role(category: &str, relative_path: &str, name: &str, is_deep: bool) -> Role {
    let is_section = name.ends_with(EXTENSION) && !name.starts_with('.') && !category.starts_with('.');
    if is_deep || !is_section || check_category(category).is_err() {
        return Role::Other;
    }
    if let Some(section) = Section::of_path(relative_path) {
        return Role::Section(section);
    }
    let selector = name.strip_suffix(EXTENSION).unwrap_or(name);
    let reason = check_name(selector, EXTENSION).err();
    Role::InvalidName(reason.unwrap_or_else(|| "it is not a valid name".to_owned()))
}

/// Returns that an entry is misplaced, if it has the name of a section with a fixed path.
fn misplaced_role(name: &str) -> Option<Role> {
    let folded = fold(name);
    let stem = folded.strip_suffix(EXTENSION)?;
    let top = TopLevel::ALL.iter().find(|top| is_same_name(top.name(), stem));
    let bear = BearInMind::ALL.iter().find(|bear| is_same_name(bear.name(), stem));
    let path = match (top, bear) {
        (Some(top), _) => format!("{}{EXTENSION}", top.name()),
        (None, bear) => format!("{BEAR_IN_MIND}/{}{EXTENSION}", bear?.name()),
    };
    Some(Role::Misplaced(path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(relative_path: &str, expected: &str) {
        let role = match Role::of(relative_path) {
            Role::Section(section) => format!("section {section}"),
            Role::Variant(path) => format!("variant of {path}"),
            Role::Misplaced(path) => format!("belongs to {path}"),
            Role::InvalidName(_) => "invalid name".to_owned(),
            other => format!("{other:?}").to_lowercase(),
        };
        assert_eq!(role, expected, "{relative_path}");
    }

    #[test]
    fn a_path_determines_its_role() {
        check("goals.md", "section goals");
        check("Goals.md", "variant of goals.md");
        check("PROGRESS.MD", "variant of progress.md");
        check("bearinmind", "directory");
        check("BearInMind", "variant of bearinmind");
        check(".history", "directory");
        check("journal.jsonl", "journal");
        check("Journal.jsonl", "variant of journal.jsonl");
        check(".gitattributes", "other");
        check(".gitignore", "other");
        check(".GitIgnore", "variant of .gitignore");
        check("contracts.md", "belongs to bearinmind/contracts.md");
        check("Risks.md", "belongs to bearinmind/risks.md");
        check("attachments-index.md", "other");
        check("notes", "other");
        check("bearinmind/risks.md", "section bearinmind/risks");
        check("bearinmind/Risks.md", "variant of bearinmind/risks.md");
        check("bearinmind/goals.md", "belongs to goals.md");
        check("bearinmind/notes.md", "foreign");
        check("bearinmind/.DS_Store", "foreign");
        check("bearinmind/risks", "foreign");
        check("bearinmind/deep/goals.md", "other");
        check("BearInMind/risks.md", "other");
        check("ux/check.list.md", "section ux/check.list");
        check("ux/goals.md", "belongs to goals.md");
        check("ux/Grants.md", "belongs to bearinmind/grants.md");
        check("ux/deep/er/goals.md", "belongs to goals.md");
        check(".cache/goals.md", "belongs to goals.md");
        check("ux/2nd.md", "invalid name");
        check("ux/a b.md", "invalid name");
        check("ux/!a.md", "invalid name");
        check("ux/.a.md", "other");
        check(".ux/2.md", "other");
        check("ux/a.txt", "other");
        check("ux/A.MD", "other");
        check("ux/deep/a.md", "other");
        check("my ux/a.md", "other");
        check("goals.md/a.md", "other");
        check("x.tsk", "package");
        check("ux/.TSK", "package");
        check("bearinmind/x.tsk", "foreign");
    }
}
