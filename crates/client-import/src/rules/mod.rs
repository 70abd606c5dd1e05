//! The rules for importing the files of clients.

use minds_diagnostics::rules;

rules! {
    /// Every rule of this crate, by code.
    pub static ALL;

    /// A value that a team needs and the files do not have.
    pub static ASSUMED_VALUE {
        code: "import/assumed-value",
        summary: "a team needs a value that the files of the client do not have",
        severity: Info,
        suppressible: false,
        since: "0.1.0",
        page: "assumed_value.md",
    }

    /// Agents of one name that differ.
    pub static CONFLICTING_AGENT {
        code: "import/conflicting-agent",
        summary: "two clients have different agents with one name, of which the first becomes a member",
        severity: Warning,
        suppressible: false,
        since: "0.1.0",
        page: "conflicting_agent.md",
    }

    /// Servers of one name that differ.
    pub static CONFLICTING_SERVER {
        code: "import/conflicting-server",
        summary: "two files have different MCP servers with one name, of which the first is used",
        severity: Warning,
        suppressible: false,
        since: "0.1.0",
        page: "conflicting_server.md",
    }

    /// A secret in a file of a client.
    pub static LITERAL_SECRET {
        code: "import/literal-secret",
        summary: "a secret in a file of a client is replaced by a reference to a variable",
        severity: Warning,
        suppressible: false,
        since: "0.1.0",
        page: "literal_secret.md",
    }

    /// A member that may do less.
    pub static NARROWER {
        code: "import/narrower",
        summary: "a member may do less than the agent of the client",
        severity: Warning,
        suppressible: false,
        since: "0.1.0",
        page: "narrower.md",
    }

    /// Something without a place in a team.
    pub static NOT_CARRIED_OVER {
        code: "import/not-carried-over",
        summary: "a team has no place for something in a file of a client",
        severity: Warning,
        suppressible: false,
        since: "0.1.0",
        page: "not_carried_over.md",
    }

    /// A name that had to be changed.
    pub static RENAMED {
        code: "import/renamed",
        summary: "a name of a client cannot be the id of a member or server, so it has another one",
        severity: Info,
        suppressible: false,
        since: "0.1.0",
        page: "renamed.md",
    }

    /// A model that is not in the catalog.
    pub static UNKNOWN_MODEL {
        code: "import/unknown-model",
        summary: "a model of an agent is not in the catalog of providers",
        severity: Warning,
        suppressible: false,
        since: "0.1.0",
        page: "unknown_model.md",
    }

    /// A file that cannot be read.
    pub static UNREADABLE {
        code: "import/unreadable",
        summary: "a file of a client cannot be read, so it is not imported",
        severity: Error,
        suppressible: false,
        since: "0.1.0",
        page: "unreadable.md",
    }
}
