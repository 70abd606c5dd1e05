//! The rules for rendering servers for clients.

use minds_diagnostics::rules;

rules! {
    /// Every rule of this module, by code.
    pub static ALL;

    /// A setting that a client does not support.
    pub static CANNOT_EXPRESS {
        code: "render/cannot-express",
        summary: "a server has a setting that a client does not support",
        severity: Warning,
        suppressible: true,
        since: "0.1.0",
        page: "cannot_express.md",
    }

    /// A secret that would be written into a client's file.
    pub static LITERAL_SECRET {
        code: "render/literal-secret",
        summary: "a secret would be written into a client's file",
        severity: Error,
        suppressible: false,
        since: "0.1.0",
        page: "literal_secret.md",
    }

    /// A client that its vendor is retiring.
    pub static RETIRED_CLIENT {
        code: "render/retired-client",
        summary: "servers are rendered for a client that its vendor is retiring",
        severity: Info,
        suppressible: true,
        since: "0.1.0",
        page: "retired_client.md",
    }

    /// A client's file that cannot be changed.
    pub static UNMERGEABLE {
        code: "render/unmergeable",
        summary: "a client's file cannot be changed without affecting entries of other programs",
        severity: Error,
        suppressible: false,
        since: "0.1.0",
        page: "unmergeable.md",
    }
}
