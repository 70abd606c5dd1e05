//! Kinds with stable names, for programs.

/// Declares an enum of kinds: for each one the variant and the stable name, which is also its form in JSON. `..Inner as Variant` includes all kinds of
/// another enum.
///
/// The calling crate needs `schemars` and `serde`.
///
/// ```
/// minds_diagnostics::kinds! {
///     /// Why a copy failed.
///     pub enum CopyErrorKind {
///         /// The file does not exist.
///         NotFound = "not-found";
///     }
/// }
///
/// assert_eq!(CopyErrorKind::NotFound.as_str(), "not-found");
/// ```
#[macro_export]
macro_rules! kinds {
    (
        $(#[doc = $about:literal])+
        $visibility:vis enum $name:ident {
            $(..$inner:ident as $variant:ident;)*
            $($(#[doc = $doc:literal])+ $kind:ident = $text:literal;)*
        }
    ) => {
        $(#[doc = $about])+
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, schemars::JsonSchema)]
        #[non_exhaustive]
        $visibility enum $name {
            $($(#[doc = $doc])+ #[serde(rename = $text)] $kind,)*
            $(#[doc = concat!("A kind of [`", stringify!($inner), "`].")] #[serde(untagged)] #[schemars(description = "A further kind.")] $variant($inner),)*
        }

        impl $name {
            /// Returns the stable name.
            $visibility const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$kind => $text,)*
                    $(Self::$variant(kind) => $inner::as_str(kind),)*
                }
            }
        }

        impl $name {
            /// Returns the kind with this name.
            #[allow(dead_code, reason = "not every kind is read")]
            $visibility fn find(name: &str) -> Option<Self> {
                let own = match name {
                    $($text => Some(Self::$kind),)*
                    _ => None,
                };
                own$(.or_else(|| $inner::find(name).map(Self::$variant)))*
            }
        }

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

    kinds! {
        /// A kind.
        enum Inner {
            /// The name is not known.
            UnknownName = "unknown-name";
        }
    }

    kinds! {
        /// A kind of a wider operation.
        enum Outer {
            ..Inner as Inner;
            /// It was refused.
            Denied = "denied";
        }
    }

    #[test]
    fn names_are_the_same_in_every_output() {
        let schema = schemars::schema_for!(Outer);
        let validator = jsonschema::validator_for(schema.as_value()).unwrap();
        for (kind, name) in [(Outer::Denied, "denied"), (Outer::Inner(Inner::UnknownName), "unknown-name")] {
            assert_eq!(kind.to_string(), name);
            assert_eq!(serde_json::to_value(kind).unwrap(), json!(name));
            assert!(validator.is_valid(&json!(name)));
            assert_eq!(Outer::find(name), Some(kind));
        }
        assert!(!validator.is_valid(&json!("other")));
        assert_eq!(Outer::find("other"), None);
    }
}
