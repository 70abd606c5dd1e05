//! Why a command failed, and its exit code.

use std::process::ExitCode;

use minds_diagnostics::JsonDocument;
use minds_fleet_protocol::{ErrorCode, Failure, Json};
use minds_operations::OperationError;
use minds_output::Output;
use minds_process::SystemError;
use schemars::JsonSchema;
use serde::Serialize;

use crate::document;

/// The exit code of errors without a number of their own.
const FAILED: u8 = 1;
/// The exit code of wrong usage, and of an environment that cannot be used.
const UNUSABLE: u8 = 2;

/// Why a command failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum CommandError {
    /// The arguments are not valid.
    Usage(String),
    /// The system refused something.
    System(String),
    /// Nothing was done, because a person did not confirm it or it has no use.
    Refused(String),
    /// A failure with a code of fleets.
    Fleet(Box<Failure>),
}

/// The error in a document.
#[derive(Serialize, JsonSchema)]
pub(crate) struct ErrorDocument<'a> {
    error: ErrorBody<'a>,
}

impl JsonDocument for ErrorDocument<'_> {
    const NAME: &'static str = "fleet-error";
}

/// Where an error comes from.
#[derive(Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum ErrorKind {
    /// The arguments are not valid.
    Usage,
    /// The system refused something.
    System,
    /// Nothing was done, because a person did not confirm it or it has no use.
    Refused,
    /// A failure with a code of fleets.
    Fleet,
}

impl ErrorKind {
    fn as_str(self) -> &'static str {
        match self {
            Self::Usage => "usage",
            Self::System => "system",
            Self::Refused => "refused",
            Self::Fleet => "fleet",
        }
    }
}

/// An error.
#[derive(Serialize, JsonSchema)]
struct ErrorBody<'a> {
    kind: ErrorKind,
    #[serde(skip_serializing_if = "Option::is_none")]
    code: Option<String>,
    message: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    detail: Option<&'a Json>,
}

impl CommandError {
    /// Returns `config.invalid` or another failure without details.
    pub(crate) fn fleet(code: ErrorCode, message: impl Into<String>) -> Self {
        Failure::new(code, message).into()
    }

    /// Returns the error as a failure of fleets.
    pub(crate) fn into_failure(self) -> Failure {
        match self {
            Self::Fleet(failure) => *failure,
            Self::Usage(message) => Failure::new(ErrorCode::ArgsInvalid, message),
            Self::System(message) | Self::Refused(message) => Failure::new(ErrorCode::HandlerError, message),
        }
    }

    /// Returns the exit code.
    pub(crate) fn exit_code(&self) -> u8 {
        match self {
            Self::Usage(_) | Self::System(_) => UNUSABLE,
            Self::Refused(_) => FAILED,
            Self::Fleet(failure) => failure.code().map_or(FAILED, ErrorCode::exit_code),
        }
    }

    /// Returns the code, or the kind of an error without one, and the message.
    pub(crate) fn describe(&self) -> (String, &str) {
        let (kind, message) = self.parts();
        (self.code().unwrap_or_else(|| kind.as_str().to_owned()), message)
    }

    fn code(&self) -> Option<String> {
        match self {
            Self::Fleet(failure) => Some(String::from(failure.code.clone())),
            _ => None,
        }
    }

    fn parts(&self) -> (ErrorKind, &str) {
        match self {
            Self::Usage(message) => (ErrorKind::Usage, message),
            Self::System(message) => (ErrorKind::System, message),
            Self::Refused(message) => (ErrorKind::Refused, message),
            Self::Fleet(failure) => (ErrorKind::Fleet, &failure.message),
        }
    }

    /// Reports the error: as a document on stdout with `--json`, else as a line on stderr.
    pub(crate) fn report(&self, out: &mut Output) -> ExitCode {
        let (code, (kind, message)) = (self.code(), self.parts());
        if out.is_json() {
            out.text().clear();
            let detail = match self {
                Self::Fleet(failure) => failure.detail.as_ref(),
                _ => None,
            };
            document::write(out, &ErrorDocument { error: ErrorBody { kind, code, message, detail } });
        } else {
            Output::warning(&format!("error[{}]: {message}", code.as_deref().unwrap_or(kind.as_str())));
        }
        ExitCode::from(self.exit_code())
    }
}

impl From<Failure> for CommandError {
    fn from(failure: Failure) -> Self {
        Self::Fleet(Box::new(failure))
    }
}

impl From<SystemError> for CommandError {
    fn from(error: SystemError) -> Self {
        Self::System(error.to_string())
    }
}

impl From<OperationError> for CommandError {
    fn from(error: OperationError) -> Self {
        match error.code() {
            Some(code) => Self::fleet(code, error.to_string()),
            None => Self::System(error.to_string()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_code_has_the_exit_code_of_the_contract() {
        for code in ErrorCode::ALL {
            let expected = match code.as_str() {
                "redis.unavailable" | "args.invalid" => 2,
                "ownership.denied" => 3,
                "agent.not_found" => 4,
                "duplicate.instance" => 11,
                "config.invalid" | "bootstrap.invalid" => 12,
                _ => 1,
            };
            assert_eq!(CommandError::fleet(code, "").exit_code(), expected, "{code}");
        }
        for (error, expected) in [
            (CommandError::Usage(String::new()), 2),
            (CommandError::System(String::new()), 2),
            (CommandError::Refused(String::new()), 1),
        ] {
            assert_eq!(error.exit_code(), expected, "{error:?}");
        }
    }
}
