//! The kinds and codes of the errors with which a command ends.

use minds_installer::SourceErrorKind;
use minds_operations::{OperationErrorCode, OperationErrorKind};
use minds_toolset::Code;
use schemars::JsonSchema;
use serde::Serialize;

minds_diagnostics::kinds! {
    /// The kind of an error with which a command ends.
    pub enum FailureKind {
        ..OperationErrorKind as Operation;
        ..SourceErrorKind as Source;
        /// The arguments are not valid.
        Usage = "usage";
        /// An error of the system.
        System = "system";
        /// The list of problems cannot be read.
        Problems = "problems";
        /// A file exists that would be written.
        Exists = "exists";
        /// The operation is possible, but was refused.
        Refused = "refused";
    }
}

impl From<OperationErrorKind> for FailureKind {
    fn from(kind: OperationErrorKind) -> Self {
        Self::Operation(kind)
    }
}

impl From<SourceErrorKind> for FailureKind {
    fn from(kind: SourceErrorKind) -> Self {
        Self::Source(kind)
    }
}

/// The stable code of an error, which is more specific than its kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum FailureCode {
    /// A code of tools and task packages.
    Tool(Code),
    /// A code of fleets.
    Fleet(OperationErrorCode),
}

impl FailureCode {
    /// Returns the code.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Tool(code) => code.as_str(),
            Self::Fleet(code) => code.as_str(),
        }
    }
}

impl From<Code> for FailureCode {
    fn from(code: Code) -> Self {
        Self::Tool(code)
    }
}

impl From<OperationErrorCode> for FailureCode {
    fn from(code: OperationErrorCode) -> Self {
        Self::Fleet(code)
    }
}
