//! The rules that hold for every document, whatever it says: `file/…` about reading it, `yaml/…`
//! and `toml/…` about the syntax, `schema/…` about the shape, `text/…` about what a reader does not see.

use minds_diagnostics::{Rule, Severity};

/// Declares rules: the constant, the code, the name of the page, the severity, whether comments can allow findings, and
/// the summary.
macro_rules! rules {
    ($($(#[$doc:meta])* $name:ident = $code:literal, $page:literal, $severity:ident, $allowable:literal, $summary:literal;)*) => {
        $(
            $(#[$doc])*
            pub static $name: Rule = Rule {
                code: $code,
                summary: $summary,
                default_severity: Severity::$severity,
                is_allowable: $allowable,
                since: "0.1.0",
                page: include_str!(concat!("rules/", $page, ".md")),
            };
        )*
        /// Every rule of this crate, by code.
        pub static ALL: &[&Rule] = &[$(&$name),*];
    };
}

// What was not read, or has another type, is not known: keeping quiet about it would hide more than itself.
rules! {
    /// A file that is there and cannot be read.
    UNREADABLE = "file/unreadable", "unreadable", Error, false, "a file is there but cannot be read";
    /// A file or directory that other users own or can write.
    UNTRUSTED = "file/untrusted", "untrusted", Error, false,
        "a workspace, a layer or a file of it belongs to another user, or other users can write it";
    /// A key of the format that is given in two spellings, or with another key that excludes it.
    CONFLICTING_KEYS = "schema/conflicting-keys", "conflicting_keys", Error, true,
        "two keys of a mapping exclude each other";
    /// A key that must be there is not.
    MISSING_KEY = "schema/missing-key", "missing_key", Error, true, "a mapping lacks a key that it needs";
    /// A value of another type than the format asks for.
    TYPE = "schema/type", "type", Error, false, "a value has the wrong type";
    /// A key that the format does not have.
    UNKNOWN_KEY = "schema/unknown-key", "unknown_key", Error, true, "a mapping has a key that the format does not know";
    /// A value of the right type that is not allowed.
    VALUE = "schema/value", "value", Error, true, "a value is outside of what is allowed";
    /// A control character in a text for models.
    CONTROL_CHARACTER = "text/control-character", "control_character", Error, false,
        "a text for models has a control character";
    /// Characters that are not displayed, or displayed in another order.
    HIDDEN_TEXT = "text/hidden-text", "hidden_text", Error, false,
        "a text for models has characters that are not displayed, or that change the order of what is displayed";
    /// A key or table that is given twice, or extended where it is complete.
    TOML_DUPLICATE_KEY = "toml/duplicate-key", "toml_duplicate_key", Error, false, "a key or table is given twice";
    /// More than the reader takes.
    TOML_LIMIT = "toml/limit", "toml_limit", Error, false, "a TOML file is larger or deeper than is read";
    /// Bytes that are no text.
    TOML_NOT_UTF8 = "toml/not-utf8", "toml_not_utf8", Error, false, "a TOML file is not valid UTF-8";
    /// What no TOML reader accepts.
    TOML_SYNTAX = "toml/syntax", "toml_syntax", Error, false, "a text is not valid TOML";
    /// A mapping or list as a key.
    COMPLEX_KEY = "yaml/complex-key", "complex_key", Error, false, "a key is a list or a mapping";
    /// Two equal keys in one mapping.
    DUPLICATE_KEY = "yaml/duplicate-key", "duplicate_key", Error, false, "a mapping has the same key twice";
    /// More than the reader takes.
    LIMIT = "yaml/limit", "limit", Error, false, "a document is larger, deeper or more repetitive than is read";
    /// A character that ends a line for some readers only.
    LINE_BREAK = "yaml/line-break", "line_break", Error, false,
        "a character ends a line for some YAML readers and not for others";
    /// The markers that version control puts around two versions of lines.
    MERGE_CONFLICT = "yaml/merge-conflict", "merge_conflict", Error, false, "a file has the markers of a merge conflict";
    /// Bytes that are no text.
    NOT_UTF8 = "yaml/not-utf8", "not_utf8", Error, false, "a file is not valid UTF-8";
    /// An alias within what it stands for.
    RECURSIVE_ALIAS = "yaml/recursive-alias", "recursive_alias", Error, false, "an alias stands for a value that contains it";
    /// More than one document in a file.
    SEVERAL_DOCUMENTS = "yaml/several-documents", "several_documents", Error, false, "a file has more than one document";
    /// What no YAML reader accepts.
    SYNTAX = "yaml/syntax", "syntax", Error, false, "a text is not valid YAML";
    /// A tab as indentation.
    TAB = "yaml/tab", "tab", Error, false, "a tab is used as indentation";
    /// A tag that means nothing here.
    TAG = "yaml/tag", "tag", Error, false, "a tag is not supported, or does not fit its value";
    /// An alias without an anchor.
    UNKNOWN_ALIAS = "yaml/unknown-alias", "unknown_alias", Error, false, "an alias has no anchor before it";
}
