//! The codes of refusals.

use std::fmt;

use serde::{Serialize, Serializer};

macro_rules! codes {
    ($($(#[doc = $doc:literal])+ $name:ident = $code:literal,)+) => {
        /// Why a call was refused. Codes are stable: programs and agents rely on them.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Code {
            $($(#[doc = $doc])+ $name,)+
        }

        impl Code {
            /// All codes.
            pub const ALL: &[Self] = &[$(Self::$name,)+];

            /// Returns the meaning, in a sentence.
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
    /// The arguments do not match the schema of the tool; the details list every problem.
    InvalidArgs = "INVALID_ARGS",
    /// The caller does not have the tool.
    ToolNotGranted = "TOOL_NOT_GRANTED",
    /// The team has no member with the id of the caller.
    UnknownMember = "UNKNOWN_MEMBER",
    /// The path is not valid, or the tool cannot reach it.
    InvalidPath = "INVALID_PATH",
    /// The caller may not access the path.
    AccessDenied = "ACCESS_DENIED",
    /// A path is required, but empty.
    PathRequired = "PATH_REQUIRED",
    /// Content is required, but empty.
    ContentRequired = "CONTENT_REQUIRED",
    /// The file does not exist.
    FileNotFound = "FILE_NOT_FOUND",
    /// The directory does not exist.
    DirNotFound = "DIR_NOT_FOUND",
    /// The path exists.
    FileExists = "FILE_EXISTS",
    /// It is not a regular file with a single hard link.
    NotAFile = "NOT_A_FILE",
    /// It is not a directory.
    NotADir = "NOT_A_DIR",
    /// The path of the new directory exists and is not a directory.
    PathExistsNotDir = "PATH_EXISTS_NOT_DIR",
    /// The directory is not empty.
    DirNotEmpty = "DIR_NOT_EMPTY",
    /// The source is not a file.
    FromNotFile = "FROM_NOT_FILE",
    /// The source is not a directory.
    FromNotDir = "FROM_NOT_DIR",
    /// The parent of the target is not a directory.
    ToParentNotDir = "TO_PARENT_NOT_DIR",
    /// The target exists.
    ToExists = "TO_EXISTS",
    /// The file is not valid UTF-8.
    InvalidUtf8 = "INVALID_UTF8",
    /// The range of lines is not valid.
    InvalidRange = "INVALID_RANGE",
    /// The range is outside the file.
    RangeOutOfBounds = "RANGE_OUT_OF_BOUNDS",
    /// The file does not match what the caller knows of it.
    StatsMismatch = "STATS_MISMATCH",
    /// The content does not match the hash.
    HashMismatch = "HASH_MISMATCH",
    /// The new content looks like a diff, but was not declared as one.
    SuspiciousDiff = "SUSPICIOUS_DIFF",
    /// The id of a planned change is not valid.
    InvalidHunkId = "INVALID_HUNK_ID",
    /// No planned change has this id: it was applied, has expired after an hour, or never existed.
    HunkNotFound = "HUNK_NOT_FOUND",
    /// Two planned changes have this id.
    HunkIdConflict = "HUNK_ID_CONFLICT",
    /// The change was planned by another caller, or with another toolset.
    WrongOwner = "WRONG_OWNER",
    /// The change was planned with another kind of preview.
    WrongMode = "WRONG_MODE",
    /// The anchor does not occur.
    AnchorNotFound = "ANCHOR_NOT_FOUND",
    /// The anchor occurs several times.
    AnchorAmbiguous = "ANCHOR_AMBIGUOUS",
    /// There are fewer matches.
    OccurrenceOutOfRange = "OCCURRENCE_OUT_OF_RANGE",
    /// The planned lines no longer exist.
    ContentChanged = "CONTENT_CHANGED",
    /// The planned lines now exist several times.
    AmbiguousMatch = "AMBIGUOUS_MATCH",
    /// An anchor of the block no longer exists.
    ApplyRejectedAnchorNotFound = "APPLY_REJECTED_ANCHOR_NOT_FOUND",
    /// The anchors now match several blocks.
    ApplyRejectedAnchorAmbiguous = "APPLY_REJECTED_ANCHOR_AMBIGUOUS",
    /// There are now fewer such blocks.
    ApplyRejectedOccurrenceOutOfRange = "APPLY_REJECTED_OCCURRENCE_OUT_OF_RANGE",
    /// The text between the anchors has changed since the preview.
    ApplyRejectedContentChanged = "APPLY_REJECTED_CONTENT_CHANGED",
    /// The manual has no such topic.
    UnknownTopic = "UNKNOWN_TOPIC",
    /// The selector is empty.
    SelectorRequired = "SELECTOR_REQUIRED",
    /// Without a category, the selector must be `goals`, `constraints` or `progress`.
    InvalidTopLevelSelector = "INVALID_TOP_LEVEL_SELECTOR",
    /// `goals`, `constraints` and `progress` take no category.
    TopLevelSelectorRequiresNoCategory = "TOP_LEVEL_SELECTOR_REQUIRES_NO_CATEGORY",
    /// The selector is not one of the six sections of the category `bearinmind`.
    InvalidBearinmindSelector = "INVALID_BEARINMIND_SELECTOR",
    /// The name of the category is not valid.
    InvalidCategoryName = "INVALID_CATEGORY_NAME",
    /// This section belongs to the category `bearinmind`.
    BearinmindSelectorRequiresBearinmindCategory = "BEARINMIND_SELECTOR_REQUIRES_BEARINMIND_CATEGORY",
    /// The name of the section is not valid in a category.
    InvalidCategorySelector = "INVALID_CATEGORY_SELECTOR",
    /// The section is already in the context: the calling program adds it to every message.
    TopLevelIsInjected = "TOP_LEVEL_IS_INJECTED",
    /// Every task has this section, so it can be emptied but not removed.
    TopLevelIsRequired = "TOP_LEVEL_IS_REQUIRED",
    /// The content hash is not valid.
    InvalidHash = "INVALID_HASH",
    /// The section does not exist.
    SectionNotFound = "SECTION_NOT_FOUND",
    /// The section exists.
    SectionExists = "SECTION_EXISTS",
    /// The name differs only in letter case from an existing category or section.
    NameCollision = "NAME_COLLISION",
    /// Only maintainers may change the task.
    NotMaintainer = "NOT_MAINTAINER",
    /// The task package does not exist.
    TaskdocNotFound = "TASKDOC_NOT_FOUND",
    /// There are several task packages, and the call names none.
    TaskdocAmbiguous = "TASKDOC_AMBIGUOUS",
    /// The name of the task package is not valid.
    TaskdocInvalid = "TASKDOC_INVALID",
    /// A task package with this name exists.
    TaskdocExists = "TASKDOC_EXISTS",
    /// The journal has no such change.
    ChangeNotFound = "CHANGE_NOT_FOUND",
    /// The earlier text of the section is no longer kept.
    ContentGone = "CONTENT_GONE",
    /// The journal cannot be read.
    InvalidJournal = "INVALID_JOURNAL",
    /// The size or number exceeds the limit of the tool.
    TooLarge = "TOO_LARGE",
    /// Another process held the lock until the timeout.
    Locked = "LOCKED",
    /// The system refused it, or concurrent changes kept interfering.
    Failed = "FAILED",
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl Serialize for Code {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}
