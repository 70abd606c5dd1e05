//! What a path of a package is the place of.

use minds_paths::portable::{fold, is_encapsulated, same};

use crate::package::{ATTRIBUTES, HISTORY, JOURNAL};
use crate::section::{BEAR_IN_MIND, BearInMind, EXTENSION, Section, TopLevel, check_category, check_name};

/// What a path below a package is the place of, whatever stands there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// A section.
    Section(Section),
    /// The journal.
    Journal,
    /// A directory that the format names.
    Directory,
    /// Something that some system takes for the name that the format gives: this one.
    Like(String),
    /// A section whose place is elsewhere in the package: here.
    Misplaced(String),
    /// Something in `bearinmind/` that is none of its sections.
    Foreign,
    /// Another package.
    Package,
    /// A section whose name cannot be that of one, and why.
    Unusable(String),
    /// Anything else, which is left in peace.
    Other,
}

impl Role {
    /// Returns the role of a path below the package.
    pub(crate) fn of(below: &str) -> Self {
        let (parent, name) = below.rsplit_once('/').unwrap_or(("", below));
        match parent.split_once('/') {
            None if parent == BEAR_IN_MIND => in_bearinmind(below, name),
            _ if is_encapsulated(name) => Self::Package,
            None if parent.is_empty() => top(name),
            // What stands in something that is misplaced itself is said there.
            _ if parent.split('/').next().is_some_and(|first| same(first, BEAR_IN_MIND)) => Self::Other,
            deep => misplaced(name).unwrap_or_else(|| in_category(parent, below, name, deep.is_some())),
        }
    }
}

/// The role of something in the package itself.
fn top(name: &str) -> Role {
    match name {
        BEAR_IN_MIND | HISTORY => return Role::Directory,
        JOURNAL => return Role::Journal,
        ATTRIBUTES => return Role::Other,
        _ => {}
    }
    if let Some(section) = Section::of_path(name) {
        return Role::Section(section);
    }
    let sections = TopLevel::ALL.iter().map(|top| format!("{}{EXTENSION}", top.name()));
    let mut reserved =
        [BEAR_IN_MIND, HISTORY, JOURNAL, ATTRIBUTES].map(str::to_owned).into_iter().chain(sections);
    match reserved.find(|reserved| same(reserved, name)) {
        Some(reserved) => Role::Like(reserved),
        None => misplaced(name).unwrap_or(Role::Other),
    }
}

fn in_bearinmind(below: &str, name: &str) -> Role {
    if let Some(section) = Section::of_path(below) {
        return Role::Section(section);
    }
    match misplaced(name) {
        // It is here where it should be, but for the letter case.
        Some(Role::Misplaced(path)) if path.starts_with(BEAR_IN_MIND) => Role::Like(path),
        Some(misplaced) => misplaced,
        None => Role::Foreign,
    }
}

fn in_category(category: &str, below: &str, name: &str, is_deep: bool) -> Role {
    let is_section = name.ends_with(EXTENSION) && !name.starts_with('.') && !category.starts_with('.');
    if is_deep || !is_section || check_category(category).is_err() {
        return Role::Other;
    }
    if let Some(section) = Section::of_path(below) {
        return Role::Section(section);
    }
    let selector = name.strip_suffix(EXTENSION).unwrap_or(name);
    let reason = check_name(selector, EXTENSION).err();
    Role::Unusable(reason.unwrap_or_else(|| "it is no plain name".to_owned()))
}

/// Returns that something is misplaced, if it has the name of a section whose place the format says.
fn misplaced(name: &str) -> Option<Role> {
    let folded = fold(name);
    let stem = folded.strip_suffix(EXTENSION)?;
    let top = TopLevel::ALL.iter().find(|top| same(top.name(), stem));
    let bear = BearInMind::ALL.iter().find(|bear| same(bear.name(), stem));
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
    fn check(below: &str, expected: &str) {
        let role = match Role::of(below) {
            Role::Section(section) => format!("section {section}"),
            Role::Like(path) => format!("like {path}"),
            Role::Misplaced(path) => format!("belongs to {path}"),
            Role::Unusable(_) => "unusable".to_owned(),
            other => format!("{other:?}").to_lowercase(),
        };
        assert_eq!(role, expected, "{below}");
    }

    #[test]
    fn a_path_tells_what_belongs_there() {
        check("goals.md", "section goals");
        check("Goals.md", "like goals.md");
        check("PROGRESS.MD", "like progress.md");
        check("bearinmind", "directory");
        check("BearInMind", "like bearinmind");
        check(".history", "directory");
        check("journal.jsonl", "journal");
        check("Journal.jsonl", "like journal.jsonl");
        check(".gitattributes", "other");
        check("contracts.md", "belongs to bearinmind/contracts.md");
        check("Risks.md", "belongs to bearinmind/risks.md");
        check("attachments-index.md", "other");
        check("notes", "other");
        check("bearinmind/risks.md", "section bearinmind/risks");
        check("bearinmind/Risks.md", "like bearinmind/risks.md");
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
        check("ux/2nd.md", "unusable");
        check("ux/a b.md", "unusable");
        check("ux/!a.md", "unusable");
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
