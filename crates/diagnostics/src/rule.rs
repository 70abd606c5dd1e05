//! What can be found.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The address of the repository of the project.
pub const REPOSITORY: &str = env!("CARGO_PKG_REPOSITORY");

/// Returns the address of the page about the rule with this code.
pub fn rule_page(code: &str) -> String {
    format!("{REPOSITORY}/blob/main/docs/rules/{code}.md")
}

/// How much a finding weighs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Worth knowing; never changes the exit code.
    Info,
    /// Probably a mistake; counts for the exit code only in strict mode.
    Warning,
    /// A mistake.
    Error,
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Info => "info",
            Self::Warning => "warning",
            Self::Error => "error",
        })
    }
}

/// A check that the project knows.
#[derive(PartialEq, Eq)]
pub struct Rule {
    /// The stable name, `<area>/<rule>` in kebab-case.
    pub code: &'static str,
    /// One lower-case sentence without a final period that says what a finding of this rule states.
    pub summary: &'static str,
    /// The severity of its findings, unless one of them says otherwise.
    pub default_severity: Severity,
    /// Whether a comment can allow its findings. None can where a finding says that something could not be read: what
    /// depends on it is not known then, and an access list denies. None can either where there are no comments.
    pub is_allowable: bool,
    /// The version that first had the rule.
    pub since: &'static str,
    /// The page about the rule in Markdown: title, what it is, why, examples.
    pub page: &'static str,
}

impl Rule {
    /// Returns whether a finding says that something was not read as it was meant: then what is not found may still be
    /// there.
    pub fn leaves_unread(&self) -> bool {
        let cannot_be_allowed = !self.is_allowable && self.default_severity == Severity::Error;
        cannot_be_allowed || self.area() == "schema"
    }

    /// Returns whether a finding is about the text as such: it could not be read, or not as a document of its format.
    pub fn is_about_text(&self) -> bool {
        matches!(self.area(), "file" | "yaml" | "toml")
    }

    /// Returns the part of the code before the slash.
    pub fn area(&self) -> &'static str {
        self.code.split_once('/').map_or(self.code, |(area, _)| area)
    }

    /// Returns the part of the code behind the slash.
    pub fn name(&self) -> &'static str {
        self.code.split_once('/').map_or(self.code, |(_, name)| name)
    }
}

/// Shows the code, which names everything else.
impl fmt::Debug for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Rule({})", self.code)
    }
}
