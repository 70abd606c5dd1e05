//! The rules for all files: `file/…` about reading them.

use minds_diagnostics::rules;

// A file that was not read is unknown: suppressing its finding would hide more than the finding.
rules! {
    /// Every rule of this crate, by code.
    pub static ALL;

    /// A file that exists and cannot be read.
    pub static UNREADABLE {
        code: "file/unreadable",
        summary: "a file exists but cannot be read",
        severity: Error,
        suppressible: false,
        since: "0.1.0",
        page: "rules/unreadable.md",
    }

    /// A file or directory that other users own or can write.
    pub static UNTRUSTED {
        code: "file/untrusted",
        summary: "a workspace, a layer or a file of it belongs to another user, or is writable by other users",
        severity: Error,
        suppressible: false,
        since: "0.1.0",
        page: "rules/untrusted.md",
    }
}
