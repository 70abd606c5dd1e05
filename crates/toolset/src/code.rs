//! The codes of refusals.

use minds_taskdoc::TaskCode;

minds_diagnostics::error_codes! {
    /// Why a call was refused. Codes are stable: programs and agents rely on them.
    pub enum Code {
        ..TaskCode as Task;
        /// The arguments do not match the schema of the tool; the details list every problem.
        InvalidArgs = "INVALID_ARGS", Usage;
        /// The caller does not have the tool.
        ToolNotGranted = "TOOL_NOT_GRANTED", Refused;
        /// The team has no member with the id of the caller.
        UnknownMember = "UNKNOWN_MEMBER", NotFound;
        /// The path is not valid, or the tool cannot reach it.
        InvalidPath = "INVALID_PATH", Refused;
        /// The caller may not access the path.
        AccessDenied = "ACCESS_DENIED", Refused;
        /// A path is required, but empty.
        PathRequired = "PATH_REQUIRED", Usage;
        /// The file does not exist.
        FileNotFound = "FILE_NOT_FOUND", NotFound;
        /// The directory does not exist.
        DirNotFound = "DIR_NOT_FOUND", NotFound;
        /// The path exists.
        FileExists = "FILE_EXISTS", Refused;
        /// It is not a directory.
        NotADir = "NOT_A_DIR", Refused;
        /// The path of the new directory exists and is not a directory.
        PathExistsNotDir = "PATH_EXISTS_NOT_DIR", Refused;
        /// The directory is not empty.
        DirNotEmpty = "DIR_NOT_EMPTY", Refused;
        /// The source is not a file.
        FromNotFile = "FROM_NOT_FILE", Refused;
        /// The source is not a directory.
        FromNotDir = "FROM_NOT_DIR", Refused;
        /// The parent of the target is not a directory.
        ToParentNotDir = "TO_PARENT_NOT_DIR", Refused;
        /// The target exists.
        ToExists = "TO_EXISTS", Refused;
        /// The range of lines is not valid.
        InvalidRange = "INVALID_RANGE", Usage;
        /// The range is outside the file.
        RangeOutOfBounds = "RANGE_OUT_OF_BOUNDS", Refused;
        /// The file does not match what the caller knows of it.
        StatsMismatch = "STATS_MISMATCH", Refused;
        /// The new content looks like a diff, but was not declared as one.
        SuspiciousDiff = "SUSPICIOUS_DIFF", Refused;
        /// The id of a planned change is not valid.
        InvalidHunkId = "INVALID_HUNK_ID", Usage;
        /// No planned change has this id: it was applied, has expired after an hour, or never existed.
        HunkNotFound = "HUNK_NOT_FOUND", NotFound;
        /// Two planned changes have this id.
        HunkIdConflict = "HUNK_ID_CONFLICT", Refused;
        /// The change was planned by another caller, or with another toolset.
        WrongOwner = "WRONG_OWNER", Refused;
        /// The change was planned with another kind of preview.
        WrongMode = "WRONG_MODE", Refused;
        /// The anchor does not occur.
        AnchorNotFound = "ANCHOR_NOT_FOUND", Refused;
        /// The anchor occurs several times.
        AnchorAmbiguous = "ANCHOR_AMBIGUOUS", Refused;
        /// There are fewer matches.
        OccurrenceOutOfRange = "OCCURRENCE_OUT_OF_RANGE", Refused;
        /// The planned lines no longer exist.
        ContentChanged = "CONTENT_CHANGED", Refused;
        /// The planned lines now exist several times.
        AmbiguousMatch = "AMBIGUOUS_MATCH", Refused;
        /// An anchor of the block no longer exists.
        ApplyRejectedAnchorNotFound = "APPLY_REJECTED_ANCHOR_NOT_FOUND", Refused;
        /// The anchors now match several blocks.
        ApplyRejectedAnchorAmbiguous = "APPLY_REJECTED_ANCHOR_AMBIGUOUS", Refused;
        /// There are now fewer such blocks.
        ApplyRejectedOccurrenceOutOfRange = "APPLY_REJECTED_OCCURRENCE_OUT_OF_RANGE", Refused;
        /// The text between the anchors has changed since the preview.
        ApplyRejectedContentChanged = "APPLY_REJECTED_CONTENT_CHANGED", Refused;
        /// The manual has no such topic.
        UnknownTopic = "UNKNOWN_TOPIC", NotFound;
        /// The server of the tool does not run, or ended during the call.
        ServerUnavailable = "SERVER_UNAVAILABLE", Refused;
        /// The entry of the server in `mcp.yaml` is not valid.
        ServerInvalid = "SERVER_INVALID", Refused;
        /// `mcp.yaml` has no server with this id.
        UnknownServer = "UNKNOWN_SERVER", NotFound;
        /// The server did not answer in time.
        TimedOut = "TIMED_OUT", Refused;
        /// The call was cancelled.
        Cancelled = "CANCELLED", Refused;
    }
}

/// The reasons that refusals of files share with those of task packages.
impl Code {
    /// [`TaskCode::ContentRequired`]
    pub const CONTENT_REQUIRED: Self = Self::Task(TaskCode::ContentRequired);
    /// [`TaskCode::Failed`]
    pub const FAILED: Self = Self::Task(TaskCode::Failed);
    /// [`TaskCode::HashMismatch`]
    pub const HASH_MISMATCH: Self = Self::Task(TaskCode::HashMismatch);
    /// [`TaskCode::InvalidUtf8`]
    pub const INVALID_UTF8: Self = Self::Task(TaskCode::InvalidUtf8);
    /// [`TaskCode::Locked`]
    pub const LOCKED: Self = Self::Task(TaskCode::Locked);
    /// [`TaskCode::NotAFile`]
    pub const NOT_A_FILE: Self = Self::Task(TaskCode::NotAFile);
    /// [`TaskCode::TooLarge`]
    pub const TOO_LARGE: Self = Self::Task(TaskCode::TooLarge);
}
