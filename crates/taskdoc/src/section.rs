//! Which sections there are, and how they are named.

use std::fmt;

use minds_paths::portable;

use crate::package::{HISTORY, JOURNAL};
use crate::{TaskCode, TaskError};

/// How the name of a section's file ends.
pub(crate) const EXTENSION: &str = ".md";
/// The category whose sections are always in the context, if they are there.
pub(crate) const BEAR_IN_MIND: &str = "bearinmind";
/// The longest name of a category or a section in bytes.
const LONGEST_NAME: usize = 100;

macro_rules! names {
    ($(#[doc = $doc:literal])+ $type:ident { $($(#[doc = $variant_doc:literal])+ $variant:ident = $name:literal,)+ }) => {
        $(#[doc = $doc])+
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub enum $type {
            $($(#[doc = $variant_doc])+ $variant,)+
        }

        impl $type {
            /// All of them, in the order in which they are shown.
            pub const ALL: &[Self] = &[$(Self::$variant,)+];

            /// Returns the name, which is the selector.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $name,)+
                }
            }

            /// Returns the one with a name.
            pub fn find(name: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|known| known.name() == name)
            }

            /// Returns whether some system takes a name for one of these.
            pub fn is_like(name: &str) -> bool {
                Self::ALL.iter().any(|known| portable::same(known.name(), name))
            }
        }
    };
}

names! {
    /// The sections that every package has.
    TopLevel {
        /// What is to be reached, and how that is seen.
        Goals = "goals",
        /// What must and must not be.
        Constraints = "constraints",
        /// What is done, decided and left.
        Progress = "progress",
    }
}

names! {
    /// The sections of the category `bearinmind`, of which any may be there.
    BearInMind {
        /// What was agreed on.
        Contracts = "contracts",
        /// When it is done.
        Acceptance = "acceptance",
        /// What is permitted.
        Grants = "grants",
        /// How things are run.
        Runbook = "runbook",
        /// What was decided.
        Decisions = "decisions",
        /// What may go wrong.
        Risks = "risks",
    }
}

/// One section of a task package, which is one file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Section {
    /// One of those that every package has.
    Top(TopLevel),
    /// One of the category `bearinmind`.
    BearInMind(BearInMind),
    /// Any other: it is read when somebody asks for it.
    Extra {
        /// The category, which is a directory.
        category: String,
        /// The selector, which is the name of the file without `.md`.
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

    /// Returns the section that a selector names, in a category or, where that is absent or blank, at the top.
    ///
    /// White space around both is dropped, and so is one `!` before the selector, as older programs write it.
    ///
    /// # Errors
    ///
    /// Refuses what names no section, with a code for each reason.
    pub fn parse(selector: &str, category: Option<&str>) -> Result<Self, TaskError> {
        let selector = selector.trim();
        let selector = selector.strip_prefix('!').unwrap_or(selector).trim();
        let category = category.unwrap_or_default().trim();
        if selector.is_empty() {
            let next =
                "give `goals`, `constraints` or `progress`, or the selector of a section in a category";
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

    /// Returns the section that a text like `goals` or `ux/checklist` names.
    ///
    /// # Errors
    ///
    /// Refuses what [`Section::parse`] refuses.
    pub fn parse_whole(text: &str) -> Result<Self, TaskError> {
        match text.split_once('/') {
            Some((category, _)) if category.trim().is_empty() => {
                let message = format!("`{}` is no section: its category is empty", text.escape_debug());
                Err(TaskError::new(TaskCode::InvalidCategoryName, message))
            }
            Some((category, selector)) => Self::parse(selector, Some(category)),
            None => Self::parse(text, None),
        }
    }

    /// Returns the section whose file lies at a path below the package; none if no section does.
    pub fn at(path: &str) -> Option<Self> {
        let section = Self::parse_whole(path.strip_suffix(EXTENSION)?).ok()?;
        // Read as it stands: what would be trimmed is no such name.
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

    /// Returns the category; none at the top.
    pub fn category(&self) -> Option<&str> {
        match self {
            Self::Top(_) => None,
            Self::BearInMind(_) => Some(BEAR_IN_MIND),
            Self::Extra { category, .. } => Some(category),
        }
    }

    /// Returns the path of the file below the package.
    pub fn path(&self) -> String {
        format!("{self}{EXTENSION}")
    }

    /// Returns whether it is always in the context of an agent.
    pub fn is_injected(&self) -> bool {
        !matches!(self, Self::Extra { .. })
    }

    /// Returns the sections that are always in the context, in the order in which they stand there.
    pub fn injected() -> impl Iterator<Item = Self> {
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
    let message = format!("`{}` is no section without a category", selector.escape_debug());
    let error = TaskError::new(TaskCode::InvalidTopLevelSelector, message);
    Err(if let Some(bear) = BearInMind::find(selector) {
        error.next(format!("give `category: \"{BEAR_IN_MIND}\"` for `{}`", bear.name()))
    } else {
        error.next(format!("give {}, or a category", listed(TopLevel::ALL.iter().map(|top| top.name()))))
    })
}

fn bear_in_mind(selector: &str) -> Result<Section, TaskError> {
    if let Some(bear) = BearInMind::find(selector) {
        return Ok(Section::BearInMind(bear));
    }
    if TopLevel::is_like(selector) {
        return Err(no_category(selector));
    }
    let message = format!("`{BEAR_IN_MIND}` has no section `{}`", selector.escape_debug());
    let names = listed(BearInMind::ALL.iter().map(|bear| bear.name()));
    Err(TaskError::new(TaskCode::InvalidBearinmindSelector, message).next(format!("it has {names}")))
}

fn extra(category: &str, selector: &str) -> Result<Section, TaskError> {
    if let Err(reason) = check_category(category) {
        let message = format!("`{}` cannot be a category: {reason}", category.escape_debug());
        return Err(TaskError::new(TaskCode::InvalidCategoryName, message).next(NAMES));
    }
    if TopLevel::is_like(selector) {
        return Err(no_category(selector));
    }
    if BearInMind::is_like(selector) {
        let message = format!(
            "`{}` is a section of `{BEAR_IN_MIND}` and of no other category",
            selector.escape_debug()
        );
        let code = TaskCode::BearinmindSelectorRequiresBearinmindCategory;
        return Err(TaskError::new(code, message).next(format!("give `category: \"{BEAR_IN_MIND}\"`")));
    }
    if let Err(reason) = check_name(selector, EXTENSION) {
        let message = format!("`{}` cannot be a section: {reason}", selector.escape_debug());
        return Err(TaskError::new(TaskCode::InvalidCategorySelector, message).next(NAMES));
    }
    Ok(Section::Extra { category: category.to_owned(), selector: selector.to_owned() })
}

const NAMES: &str =
    "begin with a letter, and go on with letters, digits, `-` and `_`, in parts that dots separate";

fn no_category(selector: &str) -> TaskError {
    let message = format!("`{}` is a section of the task itself and in no category", selector.escape_debug());
    let next = format!("give the selector `{}` without a category", selector.to_ascii_lowercase());
    TaskError::new(TaskCode::TopLevelSelectorRequiresNoCategory, message).next(next)
}

/// Returns why a name cannot be that of a category.
pub(crate) fn check_category(name: &str) -> Result<(), String> {
    check_name(name, "")?;
    let stem = name.get(..name.len().saturating_sub(EXTENSION.len())).unwrap_or_default();
    let is_file = portable::same(name, JOURNAL)
        || (portable::same(name, &format!("{stem}{EXTENSION}"))
            && (TopLevel::is_like(stem) || BearInMind::is_like(stem)));
    if is_file {
        return Err("a file of the package is called so".to_owned());
    }
    if portable::same(name, BEAR_IN_MIND) || portable::same(name, HISTORY) {
        return Err(format!("some systems take it for `{BEAR_IN_MIND}`"));
    }
    if portable::is_encapsulated(name) {
        return Err("it is the name of a task package".to_owned());
    }
    Ok(())
}

/// Returns why a name cannot be that of a category or, with the ending of its file, of a section.
pub(crate) fn check_name(name: &str, ending: &str) -> Result<(), String> {
    let mut parts = name.split('.');
    let is_part = |part: &str| {
        !part.is_empty() && part.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-')
    };
    let begins = name.bytes().next().is_some_and(|first| first.is_ascii_alphabetic());
    if !begins || !parts.all(is_part) {
        return Err("it is no plain name".to_owned());
    }
    if name.len() > LONGEST_NAME {
        return Err(format!("it is longer than {LONGEST_NAME} bytes"));
    }
    portable::check(&format!("{name}{ending}")).map_err(|problem| problem.to_string())
}

/// Returns names as words of a sentence.
pub(crate) fn listed<'n>(names: impl Iterator<Item = &'n str>) -> String {
    let names: Vec<String> = names.map(|name| format!("`{name}`")).collect();
    match names.split_last() {
        Some((last, others)) if !others.is_empty() => format!("{} or {last}", others.join(", ")),
        _ => names.concat(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(selector: &str, category: &str, expected: &str) {
        let parsed = Section::parse(selector, Some(category));
        let shown = parsed.map_or_else(|error| error.code.to_string(), |section| section.path());
        assert_eq!(shown, expected, "{category:?} {selector:?}");
    }

    #[test]
    fn a_selector_and_a_category_name_a_section_or_are_refused() {
        const TOP: &str = "INVALID_TOP_LEVEL_SELECTOR";
        const NO_CATEGORY: &str = "TOP_LEVEL_SELECTOR_REQUIRES_NO_CATEGORY";
        const BEAR: &str = "INVALID_BEARINMIND_SELECTOR";
        const CATEGORY: &str = "INVALID_CATEGORY_NAME";
        const IN_BEAR: &str = "BEARINMIND_SELECTOR_REQUIRES_BEARINMIND_CATEGORY";
        const SELECTOR: &str = "INVALID_CATEGORY_SELECTOR";
        for top in TopLevel::ALL {
            let name = top.name();
            check(name, "", &format!("{name}.md"));
            check(&format!(" !{name}\n"), "  ", &format!("{name}.md"));
            check(name, "bearinmind", NO_CATEGORY);
            check(name, "ux", NO_CATEGORY);
            check(&name.to_uppercase(), "", TOP);
            check(&name.to_uppercase(), "ux", NO_CATEGORY);
            check("x", &format!("{name}.md"), CATEGORY);
            check("x", &format!("{}.MD", name.to_uppercase()), CATEGORY);
            check("x", name, &format!("{name}/x.md"));
        }
        for bear in BearInMind::ALL {
            let name = bear.name();
            check(name, "", TOP);
            check(name, " bearinmind ", &format!("bearinmind/{name}.md"));
            check(name, "ux", IN_BEAR);
            check(&name.to_uppercase(), "ux", IN_BEAR);
            check(&name.to_uppercase(), "bearinmind", BEAR);
            check("x", &format!("{name}.md"), CATEGORY);
        }
        check("", "", "SELECTOR_REQUIRED");
        check(" ! ", "ux", "SELECTOR_REQUIRED");
        check("checklist", "", TOP);
        check("checklist", "bearinmind", BEAR);
        check("checklist", "BearInMind", CATEGORY);
        check("checklist", "journal.jsonl", CATEGORY);
        check("checklist", "x.tsk", CATEGORY);
        check("checklist", "x.TSK", CATEGORY);
        for name in [
            "../x",
            "a/b",
            "1a",
            "a..b",
            ".a",
            "a.",
            "-a",
            "a b",
            "\u{e9}",
            "a\\b",
            "con",
            "nul.x",
            ".",
            "..",
            "a\0",
            &"a".repeat(101),
        ] {
            check("checklist", name, CATEGORY);
            check(name, "ux", SELECTOR);
        }
        for name in ["ux", "ux.checklists", "A", "a-b_c.1.-", "check.list"] {
            check("x", name, &format!("{name}/x.md"));
            check(name, "ux", &format!("ux/{name}.md"));
        }
    }

    #[test]
    fn what_is_shown_reads_back() {
        for text in ["goals", "bearinmind/risks", "ux/check.list"] {
            assert_eq!(Section::parse_whole(text).unwrap().to_string(), text);
        }
        for text in ["/goals", "a/b/c", "", "/"] {
            assert!(Section::parse_whole(text).is_err(), "{text}");
        }
    }
}
