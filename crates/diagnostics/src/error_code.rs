//! Stable codes of errors, and their kinds.

use schemars::JsonSchema;
use serde::Serialize;

/// The kind of an error that has a code. It determines the exit code of a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ErrorKind {
    /// The operation is possible, but was refused.
    Refused,
    /// Something that was named does not exist.
    NotFound,
    /// The arguments are not valid.
    Usage,
    /// An error of the system, or a lock that another process holds.
    System,
}

impl ErrorKind {
    /// Returns the name in JSON documents.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Refused => "refused",
            Self::NotFound => "not-found",
            Self::Usage => "usage",
            Self::System => "system",
        }
    }

    /// Returns the exit code of a command that fails with such an error.
    pub fn exit_code(self) -> u8 {
        match self {
            Self::Refused => 1,
            Self::NotFound | Self::Usage | Self::System => 2,
        }
    }
}

/// Declares an enum of error codes: for each one the variant, the code and the kind. The comment is its meaning, as a
/// sentence. `..Inner as Variant` includes all codes of another enum of this form.
///
/// The calling crate needs `schemars` and `serde`.
///
/// ```
/// minds_diagnostics::error_codes! {
///     /// Why a file cannot be read.
///     pub enum FileCode {
///         /// The file does not exist.
///         FileNotFound = "FILE_NOT_FOUND", NotFound;
///     }
/// }
///
/// minds_diagnostics::error_codes! {
///     /// Why a copy failed.
///     pub enum CopyCode {
///         ..FileCode as File;
///         /// The disk is full.
///         DiskFull = "DISK_FULL", System;
///     }
/// }
///
/// let code = CopyCode::from(FileCode::FileNotFound);
/// assert_eq!(code.to_string(), "FILE_NOT_FOUND");
/// assert_eq!(code.description(), "The file does not exist.");
/// assert_eq!(code.kind().exit_code(), 2);
/// assert_eq!(CopyCode::all().count(), 2);
/// ```
#[macro_export]
macro_rules! error_codes {
    (
        $(#[doc = $about:literal])+
        $visibility:vis enum $name:ident {
            $(..$inner:ident as $variant:ident;)?
            $($(#[doc = $doc:literal])+ $code:ident = $text:literal, $kind:ident;)+
        }
    ) => {
        $(#[doc = $about])+
        #[derive(
            Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, schemars::JsonSchema,
        )]
        $visibility enum $name {
            $($(#[doc = $doc])+ #[serde(rename = $text)] $code,)+
            $(#[doc = concat!("A code of [`", stringify!($inner), "`].")] #[serde(untagged)] #[schemars(description = "A further code.")] $variant($inner),)?
        }

        impl $name {
            /// Returns all codes.
            $visibility fn all() -> impl Iterator<Item = Self> {
                [$(Self::$code),+].into_iter()$(.chain($inner::all().map(Self::$variant)))?
            }

            /// Returns the meaning as a sentence.
            $visibility fn description(self) -> &'static str {
                match self {
                    $(Self::$code => concat!($($doc),+).trim_ascii(),)+
                    $(Self::$variant(code) => $inner::description(code),)?
                }
            }

            /// Returns the code.
            $visibility fn as_str(self) -> &'static str {
                match self {
                    $(Self::$code => $text,)+
                    $(Self::$variant(code) => $inner::as_str(code),)?
                }
            }

            /// Returns the kind of error.
            $visibility fn kind(self) -> $crate::ErrorKind {
                match self {
                    $(Self::$code => $crate::ErrorKind::$kind,)+
                    $(Self::$variant(code) => $inner::kind(code),)?
                }
            }
        }

        $(impl From<$inner> for $name {
            fn from(code: $inner) -> Self {
                Self::$variant(code)
            }
        })?

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.as_str())
            }
        }
    };
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    error_codes! {
        /// A code.
        enum Inner {
            /// The name is
            /// not known.
            UnknownName = "UNKNOWN_NAME", NotFound;
        }
    }

    error_codes! {
        /// A code of a wider operation.
        enum Outer {
            ..Inner as Inner;
            /// It was refused.
            Denied = "DENIED", Refused;
        }
    }

    #[test]
    fn included_codes_are_codes_of_the_outer_enum() {
        assert_eq!(Outer::all().collect::<Vec<_>>(), [Outer::Denied, Inner::UnknownName.into()]);
        for code in Outer::all() {
            assert_eq!(serde_json::to_value(code).unwrap(), json!(code.as_str()));
            assert_eq!(serde_json::to_value(code.kind()).unwrap(), json!(code.kind().as_str()));
        }
        assert_eq!(Outer::from(Inner::UnknownName).description(), "The name is not known.");
        assert_eq!(Outer::Denied.kind().exit_code(), 1);
    }

    #[test]
    fn the_schema_lists_all_codes() {
        let schema = schemars::schema_for!(Outer);
        let validator = jsonschema::validator_for(schema.as_value()).unwrap();
        for code in Outer::all() {
            assert!(validator.is_valid(&json!(code.as_str())), "{schema:?}");
        }
        assert!(!validator.is_valid(&json!("OTHER")));
    }
}
