//! The failures of this crate.

use std::fmt::Display;
use std::io;

use minds_fleet_protocol::{ErrorCode, Failure, Json};
use minds_process::describe_io_error;

/// Returns `handler.error` with the reason `storage`: a file cannot be read or written. Nothing has been changed that a
/// client relies on, so that the request can be sent again.
pub(crate) fn storage(error: impl Display) -> Failure {
    let detail = Json::parse(r#"{"reason":"storage"}"#).ok();
    Failure { detail, ..Failure::new(ErrorCode::HandlerError, error.to_string()) }
}

/// Returns the failure of an action on a file, a verb.
pub(crate) fn file_failure(action: &str, name: &str, error: &io::Error) -> Failure {
    storage(format!("cannot {action} `{name}`: {}", describe_io_error(error)))
}

/// Returns `args.invalid`: the caller gave a record that does not fit.
pub(crate) fn invalid(message: impl Display) -> Failure {
    Failure::new(ErrorCode::ArgsInvalid, message.to_string())
}

/// Returns `config.invalid`: a file or the folder has to be corrected by the user.
pub(crate) fn config_failure(message: impl Display) -> Failure {
    Failure::new(ErrorCode::ConfigInvalid, message.to_string())
}
