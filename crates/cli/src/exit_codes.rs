//! The exit codes, decided once for every command.
//!
//! | code | meaning |
//! |---|---|
//! | 0 | done, and nothing is wrong; also where a place holds nothing to work on, which is said on standard error |
//! | 1 | errors were found, something was refused, or `--check` found a difference |
//! | 2 | wrong usage, something that was named does not exist, or the environment |
//!
//! A command for all that there is has nothing to do where there is nothing. A command for one thing, such as the only task
//! package, fails with 2 where this does not exist, whether it was named or not. The verbs of sources exit with 1 for
//! everything but wrong usage, as the program did that first had them.

use std::process::ExitCode;

/// The exit code for errors that were found and for refusals.
pub(crate) const REFUSED: u8 = 1;
/// The exit code for wrong usage, for what does not exist, and for the environment.
pub(crate) const UNUSABLE: u8 = 2;

/// The codes of tools and tasks that are not refusals: what was named does not exist, the arguments cannot be meant, or
/// another process has a lock.
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

/// Returns the exit code for the refusal of a tool or a task with this code.
pub(crate) fn of_refusal(code: &str) -> ExitCode {
    ExitCode::from(if UNUSABLE_CODES.contains(&code) { UNUSABLE } else { REFUSED })
}

/// Returns the kind of an error in JSON for the refusal of a tool or a task with this code.
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
    fn only_codes_that_exist_are_listed() {
        for code in UNUSABLE_CODES {
            assert!(Code::ALL.iter().any(|known| known.as_str() == *code), "`{code}` does not exist");
        }
    }

    #[test]
    fn whatever_is_not_found_or_not_valid_exits_with_2() {
        for code in Code::ALL.iter().map(|code| code.as_str()) {
            // These are refusals: of what a file holds, and of paths that lead where a tool does not work.
            let is_refusal = code.contains("ANCHOR")
                || ["INVALID_JOURNAL", "INVALID_PATH", "INVALID_UTF8"].contains(&code);
            let is_named =
                code.ends_with("_NOT_FOUND") || code.starts_with("INVALID_") || code.starts_with("UNKNOWN_");
            assert!(!is_named || is_refusal || UNUSABLE_CODES.contains(&code), "`{code}` is not listed");
        }
    }
}
