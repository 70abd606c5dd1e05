//! Decisions in words.

use minds_diagnostics::emit::printable;
use minds_workspace::access::{Access, EntryView, Judgement, Reason};

/// Returns the verdict in one word, all of them equally wide.
pub(super) fn verdict(is_allowed: bool) -> &'static str {
    if is_allowed { "allowed" } else { "denied " }
}

/// Returns why something is decided as it is.
pub(super) fn why(access: Access, judgement: &Judgement) -> String {
    match (&judgement.entry, judgement.reason) {
        (Some(entry), Reason::InvalidPolicy) => format!("cannot be read: {}", named(entry, "in")),
        (Some(entry), _) if judgement.is_by_folding => {
            format!("by {}, ignoring letter case and Unicode form", named(entry, "in"))
        }
        (Some(entry), _) => format!("by {}", named(entry, "in")),
        (None, reason) => without_entry(access, reason).to_owned(),
    }
}

/// Returns an entry with its list, which comes after `word`, and its place.
pub(super) fn named(entry: &EntryView, word: &str) -> String {
    let list = entry.list;
    let named = match &entry.entry {
        Some(written) => format!("`{}` {word} {list}", printable(written)),
        None => list.to_owned(),
    };
    match place(entry) {
        Some(place) => format!("{named} ({place})"),
        // A list of which nobody knows where it stands is one in a file that could not be read.
        None if entry.entry.is_none() => named,
        None => format!("{named} (built in)"),
    }
}

/// Returns where an entry stands, if it stands anywhere.
pub(super) fn place(entry: &EntryView) -> Option<String> {
    let at = entry.at.as_ref()?;
    let start = at.range.start;
    let inherited = if entry.inherited { ", member_defaults" } else { "" };
    Some(format!("{}:{}:{}{inherited}", printable(&at.file), start.line, start.column))
}

fn without_entry(access: Access, reason: Reason) -> &'static str {
    match (reason, access) {
        (Reason::InvalidPath, _) => "it is no path: a backslash, or a character that cannot be seen",
        (Reason::Outside, _) => "it lies outside of the workspace",
        (Reason::Reserved, _) => "it is reserved, and no list opens it",
        (Reason::InvalidPolicy, _) => "a list cannot be read",
        (Reason::Denied | Reason::ExtensionDenied, _) => "an entry denies it",
        (Reason::NotInAllowList, Access::Read) => "no entry of read_dirs covers it",
        (Reason::NotInAllowList, Access::Write) => "no entry of write_dirs covers it",
        (Reason::ExtensionNotAllowed, Access::Read) => "its extension is not in read_file_ext_names",
        (Reason::ExtensionNotAllowed, Access::Write) => "its extension is not in write_file_ext_names",
        (Reason::Allowed, _) => "an entry allows it",
        (Reason::AllowedByDefault, Access::Read) => "nothing denies it, and there are no read_dirs",
        (Reason::AllowedByDefault, Access::Write) => "nothing denies it, and there are no write_dirs",
    }
}
