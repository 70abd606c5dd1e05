//! The rules for all documents: `yaml/…` and `toml/…` about the syntax, `schema/…` about the structure, `text/…` about
//! characters that are not displayed.

use minds_diagnostics::rules;

// A value that was not read, or has another type, is unknown: suppressing its finding would hide more than the finding.
rules! {
    /// Every rule of this crate, by code.
    pub static ALL;

    /// A key that is present in two spellings, or together with another key that excludes it.
    pub static CONFLICTING_KEYS {
        code: "schema/conflicting-keys",
        summary: "two keys of a mapping exclude each other",
        severity: Error,
        suppressible: true,
        since: "0.1.0",
        page: "rules/conflicting_keys.md",
    }

    /// A required key that is missing.
    pub static MISSING_KEY {
        code: "schema/missing-key",
        summary: "a mapping lacks a required key",
        severity: Error,
        suppressible: true,
        since: "0.1.0",
        page: "rules/missing_key.md",
    }

    /// A value of another type than the format requires.
    pub static TYPE {
        code: "schema/type",
        summary: "a value has the wrong type",
        severity: Error,
        suppressible: false,
        since: "0.1.0",
        page: "rules/type.md",
    }

    /// A key that the format does not define.
    pub static UNKNOWN_KEY {
        code: "schema/unknown-key",
        summary: "a mapping has a key that the format does not define",
        severity: Error,
        suppressible: true,
        since: "0.1.0",
        page: "rules/unknown_key.md",
    }

    /// A value of the right type that is not allowed.
    pub static VALUE {
        code: "schema/value",
        summary: "a value is not allowed",
        severity: Error,
        suppressible: true,
        since: "0.1.0",
        page: "rules/value.md",
    }

    /// A control character in text that models read.
    pub static CONTROL_CHARACTER {
        code: "text/control-character",
        summary: "text that models read has a control character",
        severity: Error,
        suppressible: false,
        since: "0.1.0",
        page: "rules/control_character.md",
    }

    /// Characters that are not displayed, or displayed in another order.
    pub static HIDDEN_TEXT {
        code: "text/hidden-text",
        summary: "text that models read has characters that are not displayed, or that change the order of the displayed text",
        severity: Error,
        suppressible: false,
        since: "0.1.0",
        page: "rules/hidden_text.md",
    }

    /// A key or table that is defined twice, or extended after it is complete.
    pub static TOML_DUPLICATE_KEY {
        code: "toml/duplicate-key",
        summary: "a key or table is defined twice",
        severity: Error,
        suppressible: false,
        since: "0.1.0",
        page: "rules/toml_duplicate_key.md",
    }

    /// A document that exceeds a limit.
    pub static TOML_LIMIT {
        code: "toml/limit",
        summary: "a TOML file exceeds a limit on size or depth",
        severity: Error,
        suppressible: false,
        since: "0.1.0",
        page: "rules/toml_limit.md",
    }

    /// Bytes that are not UTF-8.
    pub static TOML_NOT_UTF8 {
        code: "toml/not-utf8",
        summary: "a TOML file is not valid UTF-8",
        severity: Error,
        suppressible: false,
        since: "0.1.0",
        page: "rules/toml_not_utf8.md",
    }

    /// Invalid TOML.
    pub static TOML_SYNTAX {
        code: "toml/syntax",
        summary: "a file is not valid TOML",
        severity: Error,
        suppressible: false,
        since: "0.1.0",
        page: "rules/toml_syntax.md",
    }

    /// A mapping or list as a key.
    pub static COMPLEX_KEY {
        code: "yaml/complex-key",
        summary: "a key is a list or a mapping",
        severity: Error,
        suppressible: false,
        since: "0.1.0",
        page: "rules/complex_key.md",
    }

    /// Two equal keys in one mapping.
    pub static DUPLICATE_KEY {
        code: "yaml/duplicate-key",
        summary: "a mapping has the same key twice",
        severity: Error,
        suppressible: false,
        since: "0.1.0",
        page: "rules/duplicate_key.md",
    }

    /// A document that exceeds a limit.
    pub static LIMIT {
        code: "yaml/limit",
        summary: "a document exceeds a limit on size, depth or repetition",
        severity: Error,
        suppressible: false,
        since: "0.1.0",
        page: "rules/limit.md",
    }

    /// A character that ends a line for some parsers only.
    pub static LINE_BREAK {
        code: "yaml/line-break",
        summary: "a character ends a line for some YAML parsers only",
        severity: Error,
        suppressible: false,
        since: "0.1.0",
        page: "rules/line_break.md",
    }

    /// The markers that git inserts around two versions of lines.
    pub static MERGE_CONFLICT {
        code: "yaml/merge-conflict",
        summary: "a file has the markers of a merge conflict",
        severity: Error,
        suppressible: false,
        since: "0.1.0",
        page: "rules/merge_conflict.md",
    }

    /// Bytes that are not UTF-8.
    pub static NOT_UTF8 {
        code: "yaml/not-utf8",
        summary: "a file is not valid UTF-8",
        severity: Error,
        suppressible: false,
        since: "0.1.0",
        page: "rules/not_utf8.md",
    }

    /// An alias inside of the value that it stands for.
    pub static RECURSIVE_ALIAS {
        code: "yaml/recursive-alias",
        summary: "an alias stands for a value that contains it",
        severity: Error,
        suppressible: false,
        since: "0.1.0",
        page: "rules/recursive_alias.md",
    }

    /// More than one document in a file.
    pub static SEVERAL_DOCUMENTS {
        code: "yaml/several-documents",
        summary: "a file has more than one document",
        severity: Error,
        suppressible: false,
        since: "0.1.0",
        page: "rules/several_documents.md",
    }

    /// Invalid YAML.
    pub static SYNTAX {
        code: "yaml/syntax",
        summary: "a file is not valid YAML",
        severity: Error,
        suppressible: false,
        since: "0.1.0",
        page: "rules/syntax.md",
    }

    /// A tab as indentation.
    pub static TAB {
        code: "yaml/tab",
        summary: "a tab is used as indentation",
        severity: Error,
        suppressible: false,
        since: "0.1.0",
        page: "rules/tab.md",
    }

    /// A tag that is not supported.
    pub static TAG {
        code: "yaml/tag",
        summary: "a tag is not supported, or does not fit its value",
        severity: Error,
        suppressible: false,
        since: "0.1.0",
        page: "rules/tag.md",
    }

    /// An alias without an anchor.
    pub static UNKNOWN_ALIAS {
        code: "yaml/unknown-alias",
        summary: "an alias has no preceding anchor",
        severity: Error,
        suppressible: false,
        since: "0.1.0",
        page: "rules/unknown_alias.md",
    }
}
