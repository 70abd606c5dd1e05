//! The rules for rendering members as agents of clients.

use minds_diagnostics::rules;

rules! {
    /// Every rule of this crate, by code.
    pub static ALL;

    /// A member whose limits a client cannot hold.
    pub static MEMBER_LEFT_OUT {
        code: "render/member-left-out",
        summary: "a client cannot hold the limits of a member, so the member is not rendered for it",
        severity: Warning,
        suppressible: true,
        since: "0.1.0",
        page: "member_left_out.md",
    }

    /// A permission that a client holds in a narrower form.
    pub static NARROWER {
        code: "render/narrower",
        summary: "a client holds an entry only in a narrower form",
        severity: Info,
        suppressible: true,
        since: "0.1.0",
        page: "narrower.md",
    }

    /// A field of a member that has no counterpart in a client.
    pub static NO_COUNTERPART {
        code: "render/no-counterpart",
        summary: "fields of a member have no counterpart in a client",
        severity: Info,
        suppressible: true,
        since: "0.1.0",
        page: "no_counterpart.md",
    }

    /// Agents that other clients read too.
    pub static OTHER_READERS {
        code: "render/other-readers",
        summary: "other clients read the rendered agents too, without the limits beside them",
        severity: Info,
        suppressible: true,
        since: "0.1.0",
        page: "other_readers.md",
    }

    /// Two members that would have one file.
    pub static SAME_FILE {
        code: "render/same-file",
        summary: "two members would be rendered into one file",
        severity: Error,
        suppressible: false,
        since: "0.1.0",
        page: "same_file.md",
    }

    /// A limit that a client does not hold, as the user allowed.
    pub static WIDER {
        code: "render/wider",
        summary: "a member is rendered although the client does not hold all of its limits",
        severity: Warning,
        suppressible: true,
        since: "0.1.0",
        page: "wider.md",
    }
}
