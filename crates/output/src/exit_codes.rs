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

use minds_toolset::Code;

/// The exit code for findings and refusals.
pub const REFUSED: u8 = 1;
/// The exit code for wrong usage, for things that do not exist, and for system errors.
pub const UNUSABLE: u8 = 2;

/// Returns the exit code for a refusal of a tool or a task.
pub fn of_refusal(code: Code) -> ExitCode {
    ExitCode::from(code.kind().exit_code())
}

#[cfg(test)]
mod tests {
    use minds_diagnostics::ErrorKind;

    use super::*;

    #[test]
    fn kinds_have_the_exit_codes_of_other_errors() {
        assert_eq!(ErrorKind::Refused.exit_code(), REFUSED);
        for kind in [ErrorKind::NotFound, ErrorKind::Usage, ErrorKind::System] {
            assert_eq!(kind.exit_code(), UNUSABLE, "{kind:?}");
        }
    }

    #[test]
    fn codes_for_missing_and_invalid_things_are_not_refusals() {
        for code in Code::all() {
            let name = code.as_str();
            // These are refusals: of the contents of a file, and of paths that a tool does not accept.
            let is_refusal = name.contains("ANCHOR")
                || ["INVALID_JOURNAL", "INVALID_PATH", "INVALID_UTF8"].contains(&name);
            let expected = match name {
                _ if is_refusal => ErrorKind::Refused,
                _ if name.ends_with("_NOT_FOUND") || name.starts_with("UNKNOWN_") => ErrorKind::NotFound,
                _ if name.starts_with("INVALID_") => ErrorKind::Usage,
                _ => continue,
            };
            assert_eq!(code.kind(), expected, "{code}");
        }
    }
}
