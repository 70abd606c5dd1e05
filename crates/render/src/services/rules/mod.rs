//! The rules for rendering services.

use minds_diagnostics::{Rule, Severity};

/// A setting that is left out.
pub static LEFT_OUT: Rule = Rule {
    code: "service/left-out",
    summary: "a setting of an agent is not supported by a service",
    default_severity: Severity::Warning,
    // It depends on the rendered target, which a check of the files does not know.
    is_suppressible: false,
    since: "0.1.0",
    page: include_str!("left_out.md"),
};

/// A secret in a service.
pub static LITERAL_SECRET: Rule = Rule {
    code: "service/literal-secret",
    summary: "a secret would be written into a service or a container file",
    default_severity: Severity::Error,
    is_suppressible: false,
    since: "0.1.0",
    page: include_str!("literal_secret.md"),
};

/// A value that the format of a target cannot represent.
pub static UNWRITABLE_VALUE: Rule = Rule {
    code: "service/unwritable-value",
    summary: "a value cannot be written into a service or a container file",
    default_severity: Severity::Error,
    is_suppressible: false,
    since: "0.1.0",
    page: include_str!("unwritable_value.md"),
};

/// Every rule of this module, by code.
pub static ALL: &[&Rule] = &[&LEFT_OUT, &LITERAL_SECRET, &UNWRITABLE_VALUE];
