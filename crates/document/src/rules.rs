//! The rules for all documents: `file/…` about reading them, `yaml/…` and `toml/…` about the syntax, `schema/…` about
//! the structure, `text/…` about characters that are not displayed.

use minds_diagnostics::{Rule, Severity};

/// Declares rules: the constant, the code, the file of the page, the severity, whether findings can be suppressed, and
/// the summary.
macro_rules! rules {
    ($($(#[$doc:meta])* $name:ident = $code:literal, $page:literal, $severity:ident, $suppressible:literal, $summary:literal;)*) => {
        $(
            $(#[$doc])*
            pub static $name: Rule = Rule {
                code: $code,
                summary: $summary,
                default_severity: Severity::$severity,
                is_suppressible: $suppressible,
                since: "0.1.0",
                page: include_str!(concat!("rules/", $page, ".md")),
            };
        )*
        /// Every rule of this crate, by code.
        pub static ALL: &[&Rule] = &[$(&$name),*];
    };
}

// A value that was not read, or has another type, is unknown: suppressing its finding would hide more than the finding.
rules! {
    /// A file that exists and cannot be read.
    UNREADABLE = "file/unreadable", "unreadable", Error, false, "a file exists but cannot be read";
    /// A file or directory that other users own or can write.
    UNTRUSTED = "file/untrusted", "untrusted", Error, false,
        "a workspace, a layer or a file of it belongs to another user, or is writable by other users";
    /// A key that is present in two spellings, or together with another key that excludes it.
    CONFLICTING_KEYS = "schema/conflicting-keys", "conflicting_keys", Error, true,
        "two keys of a mapping exclude each other";
    /// A required key that is missing.
    MISSING_KEY = "schema/missing-key", "missing_key", Error, true, "a mapping lacks a required key";
    /// A value of another type than the format requires.
    TYPE = "schema/type", "type", Error, false, "a value has the wrong type";
    /// A key that the format does not define.
    UNKNOWN_KEY = "schema/unknown-key", "unknown_key", Error, true, "a mapping has a key that the format does not define";
    /// A value of the right type that is not allowed.
    VALUE = "schema/value", "value", Error, true, "a value is not allowed";
    /// A control character in text that models read.
    CONTROL_CHARACTER = "text/control-character", "control_character", Error, false,
        "text that models read has a control character";
    /// Characters that are not displayed, or displayed in another order.
    HIDDEN_TEXT = "text/hidden-text", "hidden_text", Error, false,
        "text that models read has characters that are not displayed, or that change the order of the displayed text";
    /// A key or table that is defined twice, or extended after it is complete.
    TOML_DUPLICATE_KEY = "toml/duplicate-key", "toml_duplicate_key", Error, false, "a key or table is defined twice";
    /// A document that exceeds a limit.
    TOML_LIMIT = "toml/limit", "toml_limit", Error, false, "a TOML file exceeds a limit of its size or depth";
    /// Bytes that are not UTF-8.
    TOML_NOT_UTF8 = "toml/not-utf8", "toml_not_utf8", Error, false, "a TOML file is not valid UTF-8";
    /// Invalid TOML.
    TOML_SYNTAX = "toml/syntax", "toml_syntax", Error, false, "a file is not valid TOML";
    /// A mapping or list as a key.
    COMPLEX_KEY = "yaml/complex-key", "complex_key", Error, false, "a key is a list or a mapping";
    /// Two equal keys in one mapping.
    DUPLICATE_KEY = "yaml/duplicate-key", "duplicate_key", Error, false, "a mapping has the same key twice";
    /// A document that exceeds a limit.
    LIMIT = "yaml/limit", "limit", Error, false, "a document exceeds a limit of its size, depth or repetition";
    /// A character that ends a line for some parsers only.
    LINE_BREAK = "yaml/line-break", "line_break", Error, false,
        "a character ends a line for some YAML parsers only";
    /// The markers that git inserts around two versions of lines.
    MERGE_CONFLICT = "yaml/merge-conflict", "merge_conflict", Error, false, "a file has the markers of a merge conflict";
    /// Bytes that are not UTF-8.
    NOT_UTF8 = "yaml/not-utf8", "not_utf8", Error, false, "a file is not valid UTF-8";
    /// An alias inside of the value that it stands for.
    RECURSIVE_ALIAS = "yaml/recursive-alias", "recursive_alias", Error, false, "an alias stands for a value that contains it";
    /// More than one document in a file.
    SEVERAL_DOCUMENTS = "yaml/several-documents", "several_documents", Error, false, "a file has more than one document";
    /// Invalid YAML.
    SYNTAX = "yaml/syntax", "syntax", Error, false, "a file is not valid YAML";
    /// A tab as indentation.
    TAB = "yaml/tab", "tab", Error, false, "a tab is used as indentation";
    /// A tag that is not supported.
    TAG = "yaml/tag", "tag", Error, false, "a tag is not supported, or does not fit its value";
    /// An alias without an anchor.
    UNKNOWN_ALIAS = "yaml/unknown-alias", "unknown_alias", Error, false, "an alias has no preceding anchor";
}
