//! Why a call was refused, in one stable word.

use std::fmt;

use serde::{Serialize, Serializer};

macro_rules! codes {
    ($($(#[doc = $doc:literal])+ $name:ident = $code:literal,)+) => {
        /// Why a call was refused. The words are a contract: programs and agents decide by them.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Code {
            $($(#[doc = $doc])+ $name,)+
        }

        impl Code {
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
    /// The arguments are not as the schema of the tool says; every problem is in the details.
    InvalidArgs = "INVALID_ARGS",
    /// The caller does not have the tool.
    ToolNotGranted = "TOOL_NOT_GRANTED",
    /// Nobody on the team has the id of the caller.
    UnknownMember = "UNKNOWN_MEMBER",
    /// The text names no place that the tool can reach.
    InvalidPath = "INVALID_PATH",
    /// The place may not be touched by the caller.
    AccessDenied = "ACCESS_DENIED",
    /// A path is needed and the text is empty.
    PathRequired = "PATH_REQUIRED",
    /// A content is needed and the text is empty.
    ContentRequired = "CONTENT_REQUIRED",
    /// There is no such file.
    FileNotFound = "FILE_NOT_FOUND",
    /// There is no such directory.
    DirNotFound = "DIR_NOT_FOUND",
    /// Something is there already.
    FileExists = "FILE_EXISTS",
    /// It is something else than a regular file with one name.
    NotAFile = "NOT_A_FILE",
    /// It is something else than a directory.
    NotADir = "NOT_A_DIR",
    /// A directory was to be made where something else stands.
    PathExistsNotDir = "PATH_EXISTS_NOT_DIR",
    /// A directory is not empty.
    DirNotEmpty = "DIR_NOT_EMPTY",
    /// What is to be moved is no file.
    FromNotFile = "FROM_NOT_FILE",
    /// What is to be moved is no directory.
    FromNotDir = "FROM_NOT_DIR",
    /// What should hold the moved thing is no directory.
    ToParentNotDir = "TO_PARENT_NOT_DIR",
    /// Something is where it should move to.
    ToExists = "TO_EXISTS",
    /// The file is no text in UTF-8.
    InvalidUtf8 = "INVALID_UTF8",
    /// The text of a range is no range.
    InvalidRange = "INVALID_RANGE",
    /// The range names lines that the file does not have.
    RangeOutOfBounds = "RANGE_OUT_OF_BOUNDS",
    /// What is known of the old file is not what it is.
    StatsMismatch = "STATS_MISMATCH",
    /// The file has another content than the hash says.
    HashMismatch = "HASH_MISMATCH",
    /// The new content looks like a difference, and was not said to be one.
    SuspiciousDiff = "SUSPICIOUS_DIFF",
    /// The text is no id of a planned change.
    InvalidHunkId = "INVALID_HUNK_ID",
    /// No change with this id is planned: it was never, it was applied, or an hour has passed.
    HunkNotFound = "HUNK_NOT_FOUND",
    /// Two planned changes have this id.
    HunkIdConflict = "HUNK_ID_CONFLICT",
    /// The change was planned by somebody else, or through another toolset.
    WrongOwner = "WRONG_OWNER",
    /// The change was planned by a tool of another kind.
    WrongMode = "WRONG_MODE",
    /// The anchor stands in no line.
    AnchorNotFound = "ANCHOR_NOT_FOUND",
    /// The anchor stands in several lines.
    AnchorAmbiguous = "ANCHOR_AMBIGUOUS",
    /// There are fewer such places.
    OccurrenceOutOfRange = "OCCURRENCE_OUT_OF_RANGE",
    /// The lines that were to be changed are not there any more.
    ContentChanged = "CONTENT_CHANGED",
    /// The lines that were to be changed are there several times.
    AmbiguousMatch = "AMBIGUOUS_MATCH",
    /// An anchor of the block is not there any more.
    ApplyRejectedAnchorNotFound = "APPLY_REJECTED_ANCHOR_NOT_FOUND",
    /// The anchors of the block mark several blocks by now.
    ApplyRejectedAnchorAmbiguous = "APPLY_REJECTED_ANCHOR_AMBIGUOUS",
    /// There are fewer such blocks by now.
    ApplyRejectedOccurrenceOutOfRange = "APPLY_REJECTED_OCCURRENCE_OUT_OF_RANGE",
    /// The text between the anchors is another by now.
    ApplyRejectedContentChanged = "APPLY_REJECTED_CONTENT_CHANGED",
    /// The manual has no such topic.
    UnknownTopic = "UNKNOWN_TOPIC",
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
    /// The journal cannot be read.
    InvalidJournal = "INVALID_JOURNAL",
    /// It is larger, or there is more of it, than the tool takes.
    TooLarge = "TOO_LARGE",
    /// Another process has locked it, and kept it locked for as long as it was waited for.
    Locked = "LOCKED",
    /// The system refused it, or somebody else was quicker again and again.
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
