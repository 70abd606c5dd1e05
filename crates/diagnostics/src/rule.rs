//! Rules and severities.

use std::borrow::Cow;
use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The URL of the project's repository.
pub const REPOSITORY: &str = env!("CARGO_PKG_REPOSITORY");

/// Returns the URL of the page about the rule with this code.
pub fn rule_page(code: &str) -> String {
    format!("{REPOSITORY}/blob/main/docs/rules/{code}.md")
}

/// The severity of a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Information; never changes the exit code.
    Info,
    /// Probably a mistake; affects the exit code only in strict mode.
    Warning,
    /// An error.
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

/// What reports the findings of a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Origin {
    /// A check or rendering of files.
    Files,
    /// A running program: no check of files can find them.
    RunTime,
}

/// A check of the project.
#[derive(PartialEq, Eq)]
pub struct Rule {
    /// The stable name, `<area>/<rule>` in kebab-case.
    pub code: &'static str,
    /// One lower-case sentence without a final period that states what a finding of this rule means.
    pub summary: &'static str,
    /// The severity of its findings, unless a finding sets another one.
    pub default_severity: Severity,
    /// What reports its findings.
    pub origin: Origin,
    /// Whether its findings can be suppressed. Findings that something could not be read cannot: what depends on it
    /// is unknown then, and an access list denies access. Neither can findings about files without comments, or at run
    /// time.
    pub is_suppressible: bool,
    /// The version that introduced the rule.
    pub since: &'static str,
    /// The page about the rule in Markdown: title, summary, reason, examples.
    pub page: &'static str,
}

/// Declares rules: for each one the static, its fields and its page, the path of which is relative to the file of the
/// declaration. The field `origin` may be omitted for rules about files.
///
/// ```
/// minds_diagnostics::rule! {
///     /// An empty list.
///     pub static EMPTY_LIST {
///         code: "example/empty-list",
///         summary: "a list has no entries",
///         severity: Warning,
///         suppressible: true,
///         since: "0.1.0",
///         page: "../README.md",
///     }
/// }
/// assert_eq!(EMPTY_LIST.area(), "example");
/// ```
#[macro_export]
macro_rules! rule {
    (@origin) => {
        $crate::Origin::Files
    };
    (@origin $origin:ident) => {
        $crate::Origin::$origin
    };
    ($(
        $(#[$doc:meta])*
        $visibility:vis static $name:ident {
            code: $code:literal,
            summary: $summary:literal,
            severity: $severity:ident,
            $(origin: $origin:ident,)?
            suppressible: $suppressible:literal,
            since: $since:literal,
            page: $page:literal,
        }
    )+) => {$(
        $(#[$doc])*
        $visibility static $name: $crate::Rule = $crate::Rule {
            code: $code,
            summary: $summary,
            default_severity: $crate::Severity::$severity,
            origin: $crate::rule!(@origin $($origin)?),
            is_suppressible: $suppressible,
            since: $since,
            page: include_str!($page),
        };
    )+};
}

/// Declares rules, each as in [`rule!`](crate::rule), and the list of them.
#[macro_export]
macro_rules! rules {
    (
        $(#[$doc:meta])*
        $visibility:vis static $list:ident;
        $($(#[$rule_doc:meta])* $rule_visibility:vis static $name:ident { $($field:tt)* })+
    ) => {
        $(#[$doc])*
        $visibility static $list: &[&$crate::Rule] = &[$(&$name),+];
        $($crate::rule! { $(#[$rule_doc])* $rule_visibility static $name { $($field)* } })+
    };
}

impl Rule {
    /// Returns the summary, with a remark if no check of files reports the rule.
    pub fn full_summary(&self) -> Cow<'static, str> {
        match self.origin {
            Origin::Files => self.summary.into(),
            Origin::RunTime => format!("{} (at run time)", self.summary).into(),
        }
    }

    /// Returns whether a finding means that some content was not read as intended: then what was not found may still
    /// exist.
    pub fn marks_unread_content(&self) -> bool {
        let cannot_be_allowed = !self.is_suppressible && self.default_severity == Severity::Error;
        (cannot_be_allowed && self.origin == Origin::Files) || self.area() == "schema"
    }

    /// Returns whether a finding is about the file as such: it could not be read, or not parsed.
    pub fn is_about_text(&self) -> bool {
        matches!(self.area(), "file" | "yaml" | "toml")
    }

    /// Returns the part of the code before the slash.
    pub fn area(&self) -> &'static str {
        self.code.split_once('/').map_or(self.code, |(area, _)| area)
    }

    /// Returns the part of the code after the slash.
    pub fn name(&self) -> &'static str {
        self.code.split_once('/').map_or(self.code, |(_, name)| name)
    }
}

/// Prints the code, which identifies the rule.
impl fmt::Debug for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Rule({})", self.code)
    }
}
