//! Access decisions as text.

use minds_diagnostics::emit::printable;
use minds_workspace::access::{Access, AccessDecision, EntryView, Reason};

/// Returns the verdict as one word, padded to the same width.
pub(super) fn verdict(is_allowed: bool) -> &'static str {
    if is_allowed { "allowed" } else { "denied " }
}

/// Renders the reason of a decision.
pub(super) fn render_reason(access: Access, decision: &AccessDecision) -> String {
    match (&decision.entry, decision.reason) {
        (Some(entry), Reason::InvalidPolicy) => format!("cannot be read: {}", render_entry(entry, "in")),
        (Some(entry), _) if decision.is_by_folding => {
            format!("by {}, ignoring letter case and Unicode normalization", render_entry(entry, "in"))
        }
        (Some(entry), _) => format!("by {}", render_entry(entry, "in")),
        (None, reason) => reason_without_entry(access, reason).to_owned(),
    }
}

/// Renders an entry with its list, which follows `preposition`, and its place.
pub(super) fn render_entry(entry: &EntryView, preposition: &str) -> String {
    let list = entry.list;
    let name = match &entry.entry {
        Some(text) => format!("`{}` {preposition} {list}", printable(text)),
        None => list.to_string(),
    };
    match render_place(entry) {
        Some(place) => format!("{name} ({place})"),
        // Only a list of a file that could not be read has no place.
        None if entry.entry.is_none() => name,
        None => format!("{name} (built in)"),
    }
}

/// Renders the place of an entry; `None` if it is built in.
pub(super) fn render_place(entry: &EntryView) -> Option<String> {
    let at = entry.at.as_ref()?;
    let start = at.range.start;
    let inherited = if entry.inherited { ", member_defaults" } else { "" };
    Some(format!("{}:{}:{}{inherited}", printable(&at.file), start.line, start.column))
}

fn reason_without_entry(access: Access, reason: Reason) -> &'static str {
    match (reason, access) {
        (Reason::InvalidPath, _) => {
            "it is not a valid path: it contains a backslash or an invisible character"
        }
        (Reason::Outside, _) => "it is outside of the workspace",
        (Reason::Reserved, _) => "it is reserved, and no list can allow it",
        (Reason::InvalidPolicy, _) => "a list cannot be read",
        (Reason::Denied | Reason::ExtensionDenied, _) => "an entry denies it",
        (Reason::NotInAllowList, Access::Read) => "no entry of read_dirs matches it",
        (Reason::NotInAllowList, Access::Write) => "no entry of write_dirs matches it",
        (Reason::ExtensionNotAllowed, Access::Read) => "its extension is not in read_file_ext_names",
        (Reason::ExtensionNotAllowed, Access::Write) => "its extension is not in write_file_ext_names",
        (Reason::Allowed, _) => "an entry allows it",
        (Reason::AllowedByDefault, Access::Read) => "no entry denies it, and read_dirs is not set",
        (Reason::AllowedByDefault, Access::Write) => "no entry denies it, and write_dirs is not set",
    }
}
