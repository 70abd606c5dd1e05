//! Errors of operations on task packages.

minds_diagnostics::error_codes! {
    /// The reason for which an operation on a task package failed. The codes are a contract: programs and agents depend on them.
    pub enum TaskCode {
        /// The selector is empty.
        SelectorRequired = "SELECTOR_REQUIRED", Usage;
        /// Without a category, the selector must be `goals`, `constraints` or `progress`.
        InvalidTopLevelSelector = "INVALID_TOP_LEVEL_SELECTOR", Usage;
        /// `goals`, `constraints` and `progress` do not belong to a category.
        TopLevelSelectorRequiresNoCategory = "TOP_LEVEL_SELECTOR_REQUIRES_NO_CATEGORY", Usage;
        /// The selector is not one of the six sections of the category `bearinmind`.
        InvalidBearinmindSelector = "INVALID_BEARINMIND_SELECTOR", Usage;
        /// The name of the category is not valid.
        InvalidCategoryName = "INVALID_CATEGORY_NAME", Usage;
        /// The section exists only in the category `bearinmind`.
        BearinmindSelectorRequiresBearinmindCategory = "BEARINMIND_SELECTOR_REQUIRES_BEARINMIND_CATEGORY", Usage;
        /// The name of the section is not valid in a category.
        InvalidCategorySelector = "INVALID_CATEGORY_SELECTOR", Usage;
        /// The section is already in the context: the calling program adds it to every message.
        TopLevelIsInjected = "TOP_LEVEL_IS_INJECTED", Refused;
        /// Every task has this section, so it can be emptied but not removed.
        TopLevelIsRequired = "TOP_LEVEL_IS_REQUIRED", Refused;
        /// Content is required, but empty or blank.
        ContentRequired = "CONTENT_REQUIRED", Refused;
        /// The content does not match the hash.
        HashMismatch = "HASH_MISMATCH", Refused;
        /// The content hash is not valid.
        InvalidHash = "INVALID_HASH", Usage;
        /// The section does not exist.
        SectionNotFound = "SECTION_NOT_FOUND", NotFound;
        /// The section exists.
        SectionExists = "SECTION_EXISTS", Refused;
        /// The name differs only in letter case from an existing category or section.
        NameCollision = "NAME_COLLISION", Refused;
        /// Only maintainers may change the task.
        NotMaintainer = "NOT_MAINTAINER", Refused;
        /// The task package does not exist.
        TaskdocNotFound = "TASKDOC_NOT_FOUND", NotFound;
        /// There are several task packages, and none was specified.
        TaskdocAmbiguous = "TASKDOC_AMBIGUOUS", Usage;
        /// The name of the task package is not valid.
        TaskdocInvalid = "TASKDOC_INVALID", Refused;
        /// A task package with this name exists.
        TaskdocExists = "TASKDOC_EXISTS", Refused;
        /// The journal has no such change.
        ChangeNotFound = "CHANGE_NOT_FOUND", NotFound;
        /// The previous content of the section is no longer stored.
        ContentGone = "CONTENT_GONE", Refused;
        /// A size or a number exceeds its limit.
        TooLarge = "TOO_LARGE", Refused;
        /// The file is not valid UTF-8.
        InvalidUtf8 = "INVALID_UTF8", Refused;
        /// It is not a regular file with a single hard link.
        NotAFile = "NOT_A_FILE", Refused;
        /// The journal cannot be read.
        InvalidJournal = "INVALID_JOURNAL", Refused;
        /// Another process held the lock until the timeout.
        Locked = "LOCKED", System;
        /// The system refused it, or concurrent changes kept interfering.
        Failed = "FAILED", System;
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
