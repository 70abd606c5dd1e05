//! The sections of a package and their names.

use std::fmt;

use minds_vfs::portable;

use crate::package::{HISTORY, JOURNAL};
use crate::{TaskCode, TaskError};

/// The extension of section files.
pub(crate) const EXTENSION: &str = ".md";
/// The category whose sections are injected if they exist.
pub const BEAR_IN_MIND: &str = "bearinmind";
/// The heading of the goals.
pub(crate) const GOALS: &str = "## Goals";
/// The heading of the constraints.
pub(crate) const CONSTRAINTS: &str = "## Constraints";
/// The heading of the sections of `bearinmind`.
pub(crate) const BEAR_IN_MIND_BLOCK: &str = "## Bear In Mind";
/// The heading of the progress.
pub(crate) const PROGRESS: &str = "## Progress";
/// The maximum length of the name of a category or a section in bytes.
const MAX_NAME_BYTES: usize = 100;

macro_rules! names {
    (
        $(#[doc = $doc:literal])+
        $type:ident {
            $(#[doc = $first_doc:literal])+ $first:ident = $first_name:literal,
            $($(#[doc = $variant_doc:literal])+ $variant:ident = $name:literal,)+
        }
    ) => {
        $(#[doc = $doc])+
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub enum $type {
            $(#[doc = $first_doc])+ $first,
            $($(#[doc = $variant_doc])+ $variant,)+
        }

        impl $type {
            /// All values, in the order of the effective text.
            pub const ALL: &[Self] = &[Self::$first $(, Self::$variant)+];

            /// The names of their files in this order, as part of a sentence.
            pub const FILES: &str = concat!("`", $first_name, ".md`" $(, ", `", $name, ".md`")+);

            /// Returns the name, which is the selector.
            pub const fn name(self) -> &'static str {
                match self {
                    Self::$first => $first_name,
                    $(Self::$variant => $name,)+
                }
            }

            /// Returns a short description.
            pub fn description(self) -> &'static str {
                let description = match self {
                    Self::$first => concat!($($first_doc),+),
                    $(Self::$variant => concat!($($variant_doc),+),)+
                };
                description.trim_ascii()
            }

            /// Returns the value with a name.
            pub fn find(name: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|known| known.name() == name)
            }

            /// Returns whether some system treats a name as one of these.
            pub fn is_name(name: &str) -> bool {
                Self::ALL.iter().any(|known| portable::is_same_name(known.name(), name))
            }
        }
    };
}

names! {
    /// The sections that every package has.
    TopLevel {
        /// The objectives, and how to recognize that they are reached.
        Goals = "goals",
        /// Requirements and prohibitions.
        Constraints = "constraints",
        /// Completed work, decisions and remaining work.
        Progress = "progress",
    }
}

names! {
    /// The optional sections of the category `bearinmind`.
    BearInMind {
        /// Agreements.
        Contracts = "contracts",
        /// Acceptance criteria.
        Acceptance = "acceptance",
        /// Permissions.
        Grants = "grants",
        /// Procedures.
        Runbook = "runbook",
        /// Decisions.
        Decisions = "decisions",
        /// Risks.
        Risks = "risks",
    }
}

/// A section of a task package, stored in one file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Section {
    /// A section that every package has.
    Top(TopLevel),
    /// A section of the category `bearinmind`.
    BearInMind(BearInMind),
    /// Any other section, which is read only on request.
    Extra {
        /// The category, which is the name of the directory.
        category: String,
        /// The selector, which is the file name without `.md`.
        selector: String,
    },
}

impl Section {
    /// The goals.
    pub const GOALS: Self = Self::Top(TopLevel::Goals);
    /// The constraints.
    pub const CONSTRAINTS: Self = Self::Top(TopLevel::Constraints);
    /// The progress.
    pub const PROGRESS: Self = Self::Top(TopLevel::Progress);

    /// Returns the section for a selector in a category, or at the top level if the category is absent or
    /// blank.
    ///
    /// Surrounding whitespace of both is ignored, and also a leading `!` of the selector, which older
    /// programs write.
    ///
    /// # Errors
    ///
    /// Refuses strings that are not the name of a section, with a code for each reason.
    pub fn parse(selector: &str, category: Option<&str>) -> Result<Self, TaskError> {
        let selector = selector.trim();
        let selector = selector.strip_prefix('!').unwrap_or(selector).trim();
        let category = category.unwrap_or_default().trim();
        if selector.is_empty() {
            let next =
                "pass `goals`, `constraints` or `progress`, or the selector of a section in a category";
            return Err(TaskError::new(TaskCode::SelectorRequired, "the selector is empty").next(next));
        }
        if category.is_empty() {
            return top_level(selector);
        }
        if category == BEAR_IN_MIND {
            return bear_in_mind(selector);
        }
        extra(category, selector)
    }

    /// Returns the section for a qualified name such as `goals` or `ux/checklist`.
    ///
    /// # Errors
    ///
    /// Fails like [`Section::parse`].
    pub fn parse_qualified(text: &str) -> Result<Self, TaskError> {
        match text.split_once('/') {
            Some((category, _)) if category.trim().is_empty() => {
                let message = format!("`{}` is not a section: its category is empty", text.escape_debug());
                Err(TaskError::new(TaskCode::InvalidCategoryName, message))
            }
            Some((category, selector)) => Self::parse(selector, Some(category)),
            None => Self::parse(text, None),
        }
    }

    /// Returns the section whose file has this path below the package; none if it is not the path of a
    /// section.
    pub fn of_path(path: &str) -> Option<Self> {
        let section = Self::parse_qualified(path.strip_suffix(EXTENSION)?).ok()?;
        // A path that is changed by trimming is not the path of a section.
        (section.path() == path).then_some(section)
    }

    /// Returns the selector.
    pub fn selector(&self) -> &str {
        match self {
            Self::Top(top) => top.name(),
            Self::BearInMind(bear) => bear.name(),
            Self::Extra { selector, .. } => selector,
        }
    }

    /// Returns the category; none at the top level.
    pub fn category(&self) -> Option<&str> {
        match self {
            Self::Top(_) => None,
            Self::BearInMind(_) => Some(BEAR_IN_MIND),
            Self::Extra { category, .. } => Some(category),
        }
    }

    /// Returns its heading in the effective text.
    pub fn heading(&self) -> String {
        match self {
            Self::Top(TopLevel::Goals) => GOALS.to_owned(),
            Self::Top(TopLevel::Constraints) => CONSTRAINTS.to_owned(),
            Self::Top(TopLevel::Progress) => PROGRESS.to_owned(),
            Self::BearInMind(_) | Self::Extra { .. } => format!("### {}{EXTENSION}", self.selector()),
        }
    }

    /// Returns the path of its file below the package.
    pub fn path(&self) -> String {
        format!("{self}{EXTENSION}")
    }

    /// Returns whether the section is always in the context of agents.
    pub fn is_injected(&self) -> bool {
        !matches!(self, Self::Extra { .. })
    }

    /// Returns the injected sections, in the order of the effective text.
    pub fn injected_sections() -> impl Iterator<Item = Self> {
        let bears = BearInMind::ALL.iter().copied().map(Self::BearInMind);
        [Self::GOALS, Self::CONSTRAINTS].into_iter().chain(bears).chain([Self::PROGRESS])
    }
}

impl fmt::Display for Section {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(category) = self.category() {
            write!(f, "{category}/")?;
        }
        f.write_str(self.selector())
    }
}

fn top_level(selector: &str) -> Result<Section, TaskError> {
    if let Some(top) = TopLevel::find(selector) {
        return Ok(Section::Top(top));
    }
    let message = format!("`{}` is not a section without a category", selector.escape_debug());
    let error = TaskError::new(TaskCode::InvalidTopLevelSelector, message);
    Err(if let Some(bear) = BearInMind::find(selector) {
        error.next(format!("pass `category: \"{BEAR_IN_MIND}\"` for `{}`", bear.name()))
    } else {
        error.next(format!("pass {}, or a category", join_names(TopLevel::ALL.iter().map(|top| top.name()))))
    })
}

fn bear_in_mind(selector: &str) -> Result<Section, TaskError> {
    if let Some(bear) = BearInMind::find(selector) {
        return Ok(Section::BearInMind(bear));
    }
    if TopLevel::is_name(selector) {
        return Err(category_not_allowed(selector));
    }
    let message = format!("`{BEAR_IN_MIND}` has no section `{}`", selector.escape_debug());
    let names = join_names(BearInMind::ALL.iter().map(|bear| bear.name()));
    Err(TaskError::new(TaskCode::InvalidBearinmindSelector, message)
        .next(format!("its sections are {names}")))
}

fn extra(category: &str, selector: &str) -> Result<Section, TaskError> {
    if let Err(reason) = check_category(category) {
        let message = format!("`{}` is not a valid category: {reason}", category.escape_debug());
        return Err(TaskError::new(TaskCode::InvalidCategoryName, message).next(NAMES));
    }
    if TopLevel::is_name(selector) {
        return Err(category_not_allowed(selector));
    }
    if BearInMind::is_name(selector) {
        let message = format!("`{}` is a section of `{BEAR_IN_MIND}` only", selector.escape_debug());
        let code = TaskCode::BearinmindSelectorRequiresBearinmindCategory;
        return Err(TaskError::new(code, message).next(format!("pass `category: \"{BEAR_IN_MIND}\"`")));
    }
    if let Err(reason) = check_name(selector, EXTENSION) {
        let message = format!("`{}` is not a valid section: {reason}", selector.escape_debug());
        return Err(TaskError::new(TaskCode::InvalidCategorySelector, message).next(NAMES));
    }
    Ok(Section::Extra { category: category.to_owned(), selector: selector.to_owned() })
}

const NAMES: &str = "use a letter followed by letters, digits, `-` and `_`, in parts separated by dots";

fn category_not_allowed(selector: &str) -> TaskError {
    let message = format!(
        "`{}` is a section of the task itself and does not belong to a category",
        selector.escape_debug()
    );
    let next = format!("pass the selector `{}` without a category", selector.to_ascii_lowercase());
    TaskError::new(TaskCode::TopLevelSelectorRequiresNoCategory, message).next(next)
}

/// Checks the name of a category; returns why it is not valid.
pub(crate) fn check_category(name: &str) -> Result<(), String> {
    check_name(name, "")?;
    let stem = name.get(..name.len().saturating_sub(EXTENSION.len())).unwrap_or_default();
    let is_file = portable::is_same_name(name, JOURNAL)
        || (portable::is_same_name(name, &format!("{stem}{EXTENSION}"))
            && (TopLevel::is_name(stem) || BearInMind::is_name(stem)));
    if is_file {
        return Err("a file of the package has this name".to_owned());
    }
    if portable::is_same_name(name, BEAR_IN_MIND) || portable::is_same_name(name, HISTORY) {
        return Err(format!("some systems treat it as `{BEAR_IN_MIND}`"));
    }
    if portable::is_encapsulated(name) {
        return Err("it is the name of a task package".to_owned());
    }
    Ok(())
}

/// Checks the name of a category or, with the extension of its file, of a section; returns why it is not
/// valid.
pub(crate) fn check_name(name: &str, extension: &str) -> Result<(), String> {
    let mut parts = name.split('.');
    let is_part = |part: &str| {
        !part.is_empty() && part.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-')
    };
    let starts_with_letter = name.bytes().next().is_some_and(|first| first.is_ascii_alphabetic());
    if !starts_with_letter {
        return Err("it must begin with a letter".to_owned());
    }
    if !parts.all(is_part) {
        return Err("it may only have letters, digits, `_`, `-`, and single `.` in between".to_owned());
    }
    if name.len() > MAX_NAME_BYTES {
        return Err(format!("it is longer than {MAX_NAME_BYTES} bytes"));
    }
    portable::check(&format!("{name}{extension}")).map_err(|problem| problem.to_string())
}

/// Joins names for a sentence: `a`, `b` or `c`.
pub(crate) fn join_names<'n>(names: impl Iterator<Item = &'n str>) -> String {
    let names: Vec<String> = names.map(|name| format!("`{name}`")).collect();
    match names.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("{} or {last}", rest.join(", ")),
        _ => names.concat(),
    }
}

#[cfg(test)]
mod tests;
