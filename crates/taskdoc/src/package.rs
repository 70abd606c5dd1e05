//! What a task package is called, and what lies in it.

use minds_paths::portable;

use crate::{TaskCode, TaskError, text};

/// How the name of the directory ends.
pub const SUFFIX: &str = ".tsk";
/// The pattern of all that is a task package or lies in one.
pub const ENCAPSULATED: &str = text!("**/*", SUFFIX, "/**");
/// The file in which every change is written down, a line of JSON for each.
pub const JOURNAL: &str = "journal.jsonl";
/// The directory with what sections held before, for undoing changes.
pub const HISTORY: &str = ".history";
/// The file in [`HISTORY`] that says which change is under way.
pub const PENDING: &str = "pending";
/// The file that tells git how to merge what lies in a package.
pub const ATTRIBUTES: &str = ".gitattributes";
/// What [`ATTRIBUTES`] says: the journals of two branches are one after the other, and no line break is changed.
pub const ATTRIBUTES_TEXT: &str = "* -text\njournal.jsonl merge=union\n";
/// The most bytes that a section has.
pub const MAX_SECTION_BYTES: u64 = 4 * 1024 * 1024;
/// The most entries of a package that are looked at, those of [`HISTORY`] not counted.
pub const MAX_ENTRIES: usize = 2_048;
/// The most bytes of a journal that are read.
pub const MAX_JOURNAL_BYTES: u64 = 256 * 1024 * 1024;

/// The most contents that are kept for undoing changes. What is more goes, the oldest first.
pub const MAX_KEPT: usize = 512;
/// The most bytes of files with such contents.
pub const MAX_KEPT_BYTES: u64 = 64 * 1024 * 1024;

/// The name of a task package, without `.tsk`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct PackageName(String);

impl PackageName {
    /// Reads a name, with `.tsk` or without.
    ///
    /// # Errors
    ///
    /// Refuses what cannot be the name of a directory on every system, or would be taken for something else.
    pub fn parse(text: &str) -> Result<Self, TaskError> {
        let refused = |reason: &str| {
            let message = format!("`{}` cannot name a task package: {reason}", text.escape_debug());
            TaskError::new(TaskCode::TaskdocInvalid, message)
        };
        let is_markdown =
            text.len() > 3 && text.get(text.len() - 3..).is_some_and(|end| end.eq_ignore_ascii_case(".md"));
        if is_markdown {
            return Err(refused(
                "it is a Markdown file, and a task is a directory whose name ends with `.tsk`",
            )
            .next(format!("`minds task migrate {}` makes a package of it", text.escape_debug())));
        }
        let name = text.strip_suffix(SUFFIX).unwrap_or(text);
        let help = "choose a name of letters, digits, `-` and `_`, such as `ship-it`";
        if portable::is_encapsulated(name) {
            return Err(refused("its name ends with `.tsk` twice, or in another letter case").next(help));
        }
        if name.starts_with(['.', '-']) {
            return Err(refused("it begins with a dot or a dash").next(help));
        }
        let directory = format!("{name}{SUFFIX}");
        if name.is_empty() {
            return Err(refused("it is empty").next(help));
        }
        portable::check(name)
            .and_then(|()| portable::check(&directory))
            .map_err(|problem| refused(&problem.to_string()).next(help))?;
        Ok(Self(name.to_owned()))
    }

    /// Reads the name of a directory.
    ///
    /// # Errors
    ///
    /// Refuses what does not end with `.tsk` as it is written here, and what [`PackageName::parse`] refuses.
    pub fn of_directory(name: &str) -> Result<Self, TaskError> {
        if !name.ends_with(SUFFIX) {
            let message = format!("`{}` does not end with `{SUFFIX}` in small letters", name.escape_debug());
            return Err(TaskError::new(TaskCode::TaskdocInvalid, message));
        }
        Self::parse(name)
    }

    /// Returns the name without `.tsk`.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the name of the directory.
    pub fn directory(&self) -> String {
        format!("{}{SUFFIX}", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_suffix_is_the_one_that_general_tools_refuse() {
        assert!(portable::is_encapsulated(SUFFIX) && portable::is_encapsulated(&format!("x{SUFFIX}")));
        assert_eq!(ENCAPSULATED, "**/*.tsk/**");
    }

    #[test]
    fn names_are_those_that_every_system_takes() {
        for (text, name) in
            [("demo", "demo"), ("demo.tsk", "demo"), ("a.b", "a.b"), ("r\u{e9}sum\u{e9}", "r\u{e9}sum\u{e9}")]
        {
            assert_eq!(PackageName::parse(text).unwrap().as_str(), name);
        }
        for text in [
            "",
            ".tsk",
            "a/b",
            "a\\b",
            "..",
            "-x",
            ".x",
            "x.TSK",
            "x.tsk.tsk",
            "con",
            "a:b",
            "a ",
            "plan.md",
            "a\nb",
        ] {
            assert_eq!(PackageName::parse(text).unwrap_err().code, TaskCode::TaskdocInvalid, "{text}");
        }
        assert!(PackageName::parse("plan.md").unwrap_err().next.unwrap().contains("migrate plan.md"));
    }
}
