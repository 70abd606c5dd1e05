//! Why something was not done with a task package.

use std::fmt;

macro_rules! codes {
    ($($(#[doc = $doc:literal])+ $name:ident = $code:literal,)+) => {
        /// Why something was not done with a task package. The words are a contract: programs and agents decide by them.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum TaskCode {
            $($(#[doc = $doc])+ $name,)+
        }

        impl TaskCode {
            /// All codes.
            pub const ALL: &[Self] = &[$(Self::$name,)+];

            /// Returns what it means, in a sentence.
            pub fn about(self) -> &'static str {
                match self {
                    $(Self::$name => concat!($($doc),+).trim_ascii(),)+
                }
            }

            /// Returns the word.
            pub fn as_str(self) -> &'static str {
                match self {
                    $(Self::$name => $code,)+
                }
            }
        }
    };
}

codes! {
    /// The selector is empty.
    SelectorRequired = "SELECTOR_REQUIRED",
    /// Without a category only `goals`, `constraints` and `progress` are sections.
    InvalidTopLevelSelector = "INVALID_TOP_LEVEL_SELECTOR",
    /// `goals`, `constraints` and `progress` are in no category.
    TopLevelSelectorRequiresNoCategory = "TOP_LEVEL_SELECTOR_REQUIRES_NO_CATEGORY",
    /// The category `bearinmind` has six sections, and this is none of them.
    InvalidBearinmindSelector = "INVALID_BEARINMIND_SELECTOR",
    /// The text cannot be the name of a category.
    InvalidCategoryName = "INVALID_CATEGORY_NAME",
    /// The sections of the category `bearinmind` are in no other one.
    BearinmindSelectorRequiresBearinmindCategory = "BEARINMIND_SELECTOR_REQUIRES_BEARINMIND_CATEGORY",
    /// The text cannot be the name of a section in a category.
    InvalidCategorySelector = "INVALID_CATEGORY_SELECTOR",
    /// The program that calls the tool puts the whole section into the context with every message, so it is not recalled.
    TopLevelIsInjected = "TOP_LEVEL_IS_INJECTED",
    /// The section belongs to every task, so it is emptied and not removed.
    TopLevelIsRequired = "TOP_LEVEL_IS_REQUIRED",
    /// A content is needed and the text is blank.
    ContentRequired = "CONTENT_REQUIRED",
    /// The section has another content than the hash says.
    HashMismatch = "HASH_MISMATCH",
    /// The text is no content hash.
    InvalidHash = "INVALID_HASH",
    /// There is no such section yet.
    SectionNotFound = "SECTION_NOT_FOUND",
    /// The section is there already.
    SectionExists = "SECTION_EXISTS",
    /// A category or section is there whose name differs only in letter case.
    NameCollision = "NAME_COLLISION",
    /// Only maintainers change the task.
    NotMaintainer = "NOT_MAINTAINER",
    /// There is no such task package.
    TaskdocNotFound = "TASKDOC_NOT_FOUND",
    /// There are several task packages, and none was named.
    TaskdocAmbiguous = "TASKDOC_AMBIGUOUS",
    /// The text cannot name a task package.
    TaskdocInvalid = "TASKDOC_INVALID",
    /// A task package of that name is there already.
    TaskdocExists = "TASKDOC_EXISTS",
    /// The journal has no such change.
    ChangeNotFound = "CHANGE_NOT_FOUND",
    /// What the section held is not kept any more.
    ContentGone = "CONTENT_GONE",
    /// It is larger, or there is more of it, than is taken.
    TooLarge = "TOO_LARGE",
    /// The text is not in UTF-8.
    InvalidUtf8 = "INVALID_UTF8",
    /// Something else than a regular file with one name stands there.
    NotAFile = "NOT_A_FILE",
    /// The journal cannot be read.
    InvalidJournal = "INVALID_JOURNAL",
    /// Another process has locked it, and kept it locked for as long as it was waited for.
    Locked = "LOCKED",
    /// The system refused it.
    Failed = "FAILED",
}

impl fmt::Display for TaskCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Why nothing was done. The disk is as it was.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct TaskError {
    /// The reason in one stable word.
    pub code: TaskCode,
    /// The reason in a sentence.
    pub message: String,
    /// What to do now, if there is one thing.
    pub next: Option<String>,
    /// What a program needs to do it: names and values.
    pub details: Vec<(&'static str, String)>,
}

impl TaskError {
    /// Returns an error without a next step.
    pub fn new(code: TaskCode, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), next: None, details: Vec::new() }
    }

    /// Adds what to do now.
    #[must_use]
    pub fn next(mut self, next: impl Into<String>) -> Self {
        self.next = Some(next.into());
        self
    }

    /// Adds what a program needs.
    #[must_use]
    pub fn detail(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.details.push((name, value.into()));
        self
    }
}
