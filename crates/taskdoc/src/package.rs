//! The name and the layout of task packages.

use minds_vfs::portable;

use crate::{TaskCode, TaskError, text};

/// The suffix of the directory name.
pub const SUFFIX: &str = ".tsk";
/// The pattern that matches all task packages and their contents.
pub const ENCAPSULATED: &str = text!("**/*", SUFFIX, "/**");
/// The file that records every change, one line of JSON for each.
pub const JOURNAL: &str = "journal.jsonl";
/// The directory of previous contents of sections, for undoing changes.
pub const HISTORY: &str = ".history";
/// The file in [`HISTORY`] that records the change in progress.
pub const PENDING: &str = "pending";
/// The file that tells git how to merge the files of a package.
pub const ATTRIBUTES: &str = ".gitattributes";
/// The content of [`ATTRIBUTES`]: the journals of two branches are concatenated, and line breaks are not
/// converted.
pub const ATTRIBUTES_TEXT: &str = "* -text\njournal.jsonl merge=union\n";
/// The file that names the files that git ignores.
pub const IGNORE: &str = ".gitignore";
/// The content of [`IGNORE`]: lock files and temporary files, which a process that is killed leaves.
pub const IGNORE_TEXT: &str = ".*.minds-*\n";
/// The maximum size of a section in bytes.
pub const MAX_SECTION_BYTES: u64 = 4 * 1024 * 1024;
/// The maximum number of entries of a package, not counting those of [`HISTORY`].
pub const MAX_ENTRIES: usize = 2_048;
/// The maximum size of a journal in bytes.
pub const MAX_JOURNAL_BYTES: u64 = 256 * 1024 * 1024;

/// The maximum number of previous contents stored for undoing changes; the oldest are removed first.
pub const MAX_HISTORY_FILES: usize = 512;
/// The maximum total size of these files in bytes.
pub const MAX_HISTORY_BYTES: u64 = 64 * 1024 * 1024;

/// The name of a task package, without `.tsk`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct PackageName(String);

impl PackageName {
    /// Parses a name, with or without `.tsk`.
    ///
    /// # Errors
    ///
    /// Refuses names that are not portable directory names, or could be confused with something else.
    pub fn parse(text: &str) -> Result<Self, TaskError> {
        let refused = |reason: &str| {
            let message =
                format!("`{}` is not a valid name of a task package: {reason}", text.escape_debug());
            TaskError::new(TaskCode::TaskdocInvalid, message)
        };
        let is_markdown =
            text.len() > 3 && text.get(text.len() - 3..).is_some_and(|end| end.eq_ignore_ascii_case(".md"));
        if is_markdown {
            return Err(refused(
                "it is a Markdown file; a task package is a directory whose name ends with `.tsk`",
            )
            .next(format!("convert it to a package with `minds task migrate {}`", text.escape_debug())));
        }
        let name = text.strip_suffix(SUFFIX).unwrap_or(text);
        let help = "choose a name of letters, digits, `-` and `_`, such as `ship-it`";
        if portable::is_encapsulated(name) {
            return Err(refused("its name ends with `.tsk` twice, or in another letter case").next(help));
        }
        if name.starts_with(['.', '-']) {
            return Err(refused("it starts with a dot or a dash").next(help));
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

    /// Parses the name of a directory.
    ///
    /// # Errors
    ///
    /// Refuses names that do not end with `.tsk` in lowercase, and those that [`PackageName::parse`] refuses.
    pub fn of_directory(name: &str) -> Result<Self, TaskError> {
        if !name.ends_with(SUFFIX) {
            let message = format!("`{}` does not end with `{SUFFIX}` in lowercase", name.escape_debug());
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
    fn only_portable_names_are_accepted() {
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
