//! Errors of operations on task packages.

use std::fmt;

macro_rules! codes {
    ($($(#[doc = $doc:literal])+ $name:ident = $code:literal,)+) => {
        /// The reason for which an operation on a task package failed. The codes are a contract: programs and agents depend on them.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum TaskCode {
            $($(#[doc = $doc])+ $name,)+
        }

        impl TaskCode {
            /// All codes.
            pub const ALL: &[Self] = &[$(Self::$name,)+];

            /// Returns the meaning of the code as a sentence.
            pub fn description(self) -> &'static str {
                match self {
                    $(Self::$name => concat!($($doc),+).trim_ascii(),)+
                }
            }

            /// Returns the code.
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
    /// Without a category, a section must be `goals`, `constraints` or `progress`.
    InvalidTopLevelSelector = "INVALID_TOP_LEVEL_SELECTOR",
    /// `goals`, `constraints` and `progress` do not belong to a category.
    TopLevelSelectorRequiresNoCategory = "TOP_LEVEL_SELECTOR_REQUIRES_NO_CATEGORY",
    /// The category `bearinmind` has six sections, and this is not one of them.
    InvalidBearinmindSelector = "INVALID_BEARINMIND_SELECTOR",
    /// The string is not a valid name of a category.
    InvalidCategoryName = "INVALID_CATEGORY_NAME",
    /// The section exists only in the category `bearinmind`.
    BearinmindSelectorRequiresBearinmindCategory = "BEARINMIND_SELECTOR_REQUIRES_BEARINMIND_CATEGORY",
    /// The string is not a valid name of a section in a category.
    InvalidCategorySelector = "INVALID_CATEGORY_SELECTOR",
    /// The host puts the whole section into the context of every message, so it is not recalled.
    TopLevelIsInjected = "TOP_LEVEL_IS_INJECTED",
    /// Every task has this section, so it can be emptied but not removed.
    TopLevelIsRequired = "TOP_LEVEL_IS_REQUIRED",
    /// The content is required, and must not be blank.
    ContentRequired = "CONTENT_REQUIRED",
    /// The content of the section does not match the given hash.
    HashMismatch = "HASH_MISMATCH",
    /// The string is not a valid content hash.
    InvalidHash = "INVALID_HASH",
    /// The section does not exist.
    SectionNotFound = "SECTION_NOT_FOUND",
    /// The section already exists.
    SectionExists = "SECTION_EXISTS",
    /// A category or section whose name differs only in letter case already exists.
    NameCollision = "NAME_COLLISION",
    /// Only maintainers can change the task.
    NotMaintainer = "NOT_MAINTAINER",
    /// The task package does not exist.
    TaskdocNotFound = "TASKDOC_NOT_FOUND",
    /// There are several task packages, and none was specified.
    TaskdocAmbiguous = "TASKDOC_AMBIGUOUS",
    /// The string is not a valid name of a task package.
    TaskdocInvalid = "TASKDOC_INVALID",
    /// A task package of this name already exists.
    TaskdocExists = "TASKDOC_EXISTS",
    /// The journal does not contain the change.
    ChangeNotFound = "CHANGE_NOT_FOUND",
    /// The previous content of the section is no longer stored.
    ContentGone = "CONTENT_GONE",
    /// A size or count limit is exceeded.
    TooLarge = "TOO_LARGE",
    /// The text is not valid UTF-8.
    InvalidUtf8 = "INVALID_UTF8",
    /// The path is not a regular file with one name.
    NotAFile = "NOT_A_FILE",
    /// The journal cannot be read.
    InvalidJournal = "INVALID_JOURNAL",
    /// Another process held the lock until the timeout.
    Locked = "LOCKED",
    /// The operating system refused the operation.
    Failed = "FAILED",
}

impl fmt::Display for TaskCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Why an operation failed. Nothing was changed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct TaskError {
    /// The reason as a stable code.
    pub code: TaskCode,
    /// The reason as a sentence.
    pub message: String,
    /// The next step, if there is exactly one.
    pub next: Option<String>,
    /// Names and values that a program needs for the next step.
    pub details: Vec<(&'static str, String)>,
}

impl TaskError {
    /// Returns an error without a next step.
    pub fn new(code: TaskCode, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), next: None, details: Vec::new() }
    }

    /// Adds the next step.
    #[must_use]
    pub fn next(mut self, next: impl Into<String>) -> Self {
        self.next = Some(next.into());
        self
    }

    /// Adds a value for programs.
    #[must_use]
    pub fn detail(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.details.push((name, value.into()));
        self
    }
}
