//! The exit codes of all commands.
//!
//! | code | meaning |
//! |---|---|
//! | 0 | success without findings; also if there is nothing to work on, which is reported on stderr |
//! | 1 | errors were found, the operation was refused, or `--check` found changes |
//! | 2 | wrong usage, something does not exist, or a system error |
//!
//! A command that works on everything succeeds if there is nothing. A command that works on one thing, such as the only task
//! package, fails with 2 if it does not exist, even without a name. The verbs of sources exit with 1 for everything except
//! wrong usage, as the program `mind` does.

use std::process::ExitCode;

/// The exit code for findings and refusals.
pub(crate) const REFUSED: u8 = 1;
/// The exit code for wrong usage, for things that do not exist, and for system errors.
pub(crate) const UNUSABLE: u8 = 2;

/// The codes of tools and tasks that are not refusals: something does not exist, arguments are not valid, or another
/// process has a lock.
const UNUSABLE_CODES: &[&str] = &[
    "BEARINMIND_SELECTOR_REQUIRES_BEARINMIND_CATEGORY",
    "CHANGE_NOT_FOUND",
    "DIR_NOT_FOUND",
    "FAILED",
    "FILE_NOT_FOUND",
    "HUNK_NOT_FOUND",
    "INVALID_ARGS",
    "INVALID_BEARINMIND_SELECTOR",
    "INVALID_CATEGORY_NAME",
    "INVALID_CATEGORY_SELECTOR",
    "INVALID_HASH",
    "INVALID_HUNK_ID",
    "INVALID_RANGE",
    "INVALID_TOP_LEVEL_SELECTOR",
    "LOCKED",
    "PATH_REQUIRED",
    "SECTION_NOT_FOUND",
    "SELECTOR_REQUIRED",
    "TASKDOC_AMBIGUOUS",
    "TASKDOC_NOT_FOUND",
    "TOP_LEVEL_SELECTOR_REQUIRES_NO_CATEGORY",
    "UNKNOWN_MEMBER",
    "UNKNOWN_TOPIC",
];

/// Returns the exit code for a refusal of a tool or a task.
pub(crate) fn of_refusal(code: &str) -> ExitCode {
    ExitCode::from(if UNUSABLE_CODES.contains(&code) { UNUSABLE } else { REFUSED })
}

/// Returns the kind of error in JSON for a refusal of a tool or a task.
pub(crate) fn kind_of_refusal(code: &str) -> &'static str {
    match code {
        "FAILED" | "LOCKED" => "system",
        code if !UNUSABLE_CODES.contains(&code) => "refused",
        code if code.ends_with("_NOT_FOUND") || code.starts_with("UNKNOWN_") => "not-found",
        _ => "usage",
    }
}

#[cfg(test)]
mod tests {
    use minds_toolset::Code;

    use super::*;

    #[test]
    fn every_listed_code_exists() {
        for code in UNUSABLE_CODES {
            assert!(Code::ALL.iter().any(|known| known.as_str() == *code), "`{code}` does not exist");
        }
    }

    #[test]
    fn codes_for_missing_and_invalid_things_are_listed() {
        for code in Code::ALL.iter().map(|code| code.as_str()) {
            // These are refusals: of the contents of a file, and of paths that a tool does not accept.
            let is_refusal = code.contains("ANCHOR")
                || ["INVALID_JOURNAL", "INVALID_PATH", "INVALID_UTF8"].contains(&code);
            let is_unusable =
                code.ends_with("_NOT_FOUND") || code.starts_with("INVALID_") || code.starts_with("UNKNOWN_");
            assert!(!is_unusable || is_refusal || UNUSABLE_CODES.contains(&code), "`{code}` is not listed");
        }
    }
}
