//! The rules for rendering servers for clients.

use minds_diagnostics::{Rule, Severity};

/// A setting that a client does not support.
pub static CANNOT_EXPRESS: Rule = Rule {
    code: "render/cannot-express",
    summary: "a server has a setting that a client does not support",
    default_severity: Severity::Warning,
    is_suppressible: true,
    since: "0.1.0",
    page: include_str!("cannot_express.md"),
};

/// A secret that would be written into a client's file.
pub static LITERAL_SECRET: Rule = Rule {
    code: "render/literal-secret",
    summary: "a secret would be written into a client's file",
    default_severity: Severity::Error,
    is_suppressible: false,
    since: "0.1.0",
    page: include_str!("literal_secret.md"),
};

/// A client's file that cannot be changed.
pub static UNMERGEABLE: Rule = Rule {
    code: "render/unmergeable",
    summary: "a client's file cannot be changed without affecting entries of other programs",
    default_severity: Severity::Error,
    is_suppressible: false,
    since: "0.1.0",
    page: include_str!("unmergeable.md"),
};

/// Every rule of this module, by code.
pub static ALL: &[&Rule] = &[&CANNOT_EXPRESS, &LITERAL_SECRET, &UNMERGEABLE];
