//! The rules for rendering services.

use minds_diagnostics::rules;

rules! {
    /// Every rule of this module, by code.
    pub static ALL;

    /// A setting that is left out.
    pub static LEFT_OUT {
        code: "service/left-out",
        summary: "a setting of an agent is not supported by a service",
        severity: Warning,
        // It depends on the rendered target, which a check of the files does not know.
        suppressible: false,
        since: "0.1.0",
        page: "left_out.md",
    }

    /// A secret in a service.
    pub static LITERAL_SECRET {
        code: "service/literal-secret",
        summary: "a secret would be written into a service or a container file",
        severity: Error,
        suppressible: false,
        since: "0.1.0",
        page: "literal_secret.md",
    }

    /// A value that the format of a target cannot represent.
    pub static UNWRITABLE_VALUE {
        code: "service/unwritable-value",
        summary: "a value cannot be written into a service or a container file",
        severity: Error,
        suppressible: false,
        since: "0.1.0",
        page: "unwritable_value.md",
    }
}
