//! Parsing the list of files of a commit.

use minds_vfs::{FileMode, WorkspacePath};

use crate::entry_names::{check_path, find_collisions};
use crate::error::{GitError, GitErrorKind};
use crate::object_id::ObjectId;

/// The content of an entry of a commit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum EntryKind {
    /// A regular file.
    File { id: ObjectId, size: u64, mode: FileMode },
    /// A symbolic link and its target.
    Link { target: String },
    /// A submodule.
    Submodule,
    /// An entry that is never read, and the reason.
    Refused { reason: String },
}

/// An entry of a commit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TreeEntry {
    pub(crate) path: WorkspacePath,
    pub(crate) kind: EntryKind,
}

/// A link whose target must still be read.
#[derive(Debug)]
pub(crate) struct LinkTarget {
    pub(crate) at: usize,
    pub(crate) id: ObjectId,
    pub(crate) size: u64,
}

/// The maximum length of the target of a link in bytes.
const MAX_TARGET: u64 = 4_096;
/// The maximum number of links whose targets are read.
const MAX_LINKS: usize = 10_000;

/// Parses the output of `git ls-tree -r -z -l` into entries sorted by path, and the links among them.
///
/// # Errors
///
/// Fails if the output is not valid, or has more than `most` entries.
pub(crate) fn parse(listing: &[u8], most: usize) -> Result<(Vec<TreeEntry>, Vec<LinkTarget>), GitError> {
    let unexpected = || GitError::new(GitErrorKind::Unexpected);
    let mut found = Vec::new();
    let Some(listing) = listing.strip_suffix(b"\0") else {
        return if listing.is_empty() { Ok((Vec::new(), Vec::new())) } else { Err(unexpected()) };
    };
    for line in listing.split(|byte| *byte == 0) {
        if found.len() == most {
            return Err(GitError::new(GitErrorKind::TooLarge(format!("{most} files"))));
        }
        let tab = line.iter().position(|byte| *byte == b'\t').ok_or_else(unexpected)?;
        let (header, path) = line.split_at_checked(tab).ok_or_else(unexpected)?;
        let header = std::str::from_utf8(header).map_err(|_| unexpected())?;
        let mut words = header.split_ascii_whitespace();
        let (Some(mode), Some(kind), Some(id), Some(size)) =
            (words.next(), words.next(), words.next(), words.next())
        else {
            return Err(unexpected());
        };
        let id = ObjectId::parse(id).map_err(|_| unexpected())?;
        let checked = check_path(path.get(1..).unwrap_or_default());
        let parsed = match (checked.refusal, size.parse::<u64>()) {
            (Some(reason), _) => Parsed::Other(EntryKind::Refused { reason }),
            (None, size) => parse_kind(mode, kind, id, size.ok()),
        };
        found.push((checked.path, parsed));
    }
    found.sort_by(|(a, _), (b, _)| a.cmp(b));
    let colliding = find_collisions(found.iter().map(|(path, _)| path));
    let is_colliding = |path: &WorkspacePath| {
        let text = path.as_str();
        let ends = text.match_indices('/').map(|(at, _)| at).chain([text.len()]);
        ends.filter_map(|end| text.get(..end)).any(|above| colliding.contains(above))
    };
    let (mut entries, mut links) = (Vec::with_capacity(found.len()), Vec::new());
    for (path, parsed) in found {
        let kind = if !colliding.is_empty() && is_colliding(&path) {
            refuse("its name is ambiguous with that of a sibling on some systems")
        } else {
            match parsed {
                Parsed::Other(kind) => kind,
                Parsed::Link { size, .. } if size > MAX_TARGET => {
                    refuse("it is a link with an overlong target")
                }
                Parsed::Link { .. } if links.len() == MAX_LINKS => {
                    refuse("the repository has too many links")
                }
                Parsed::Link { id, size } => {
                    links.push(LinkTarget { at: entries.len(), id, size });
                    // The result if the target cannot be read later.
                    refuse("its target is unknown")
                }
            }
        };
        entries.push(TreeEntry { path, kind });
    }
    Ok((entries, links))
}

enum Parsed {
    Other(EntryKind),
    Link { id: ObjectId, size: u64 },
}

fn refuse(reason: &str) -> EntryKind {
    EntryKind::Refused { reason: reason.to_owned() }
}

fn parse_kind(mode: &str, kind: &str, id: ObjectId, size: Option<u64>) -> Parsed {
    let file = |mode| match size {
        Some(size) => Parsed::Other(EntryKind::File { id: id.clone(), size, mode }),
        None => Parsed::Other(refuse("its content is missing")),
    };
    match (mode, kind, size) {
        ("100644" | "100664", "blob", _) => file(FileMode::Regular),
        ("100755", "blob", _) => file(FileMode::Executable),
        ("120000", "blob", Some(size)) => Parsed::Link { id, size },
        ("160000", _, _) => Parsed::Other(EntryKind::Submodule),
        _ => Parsed::Other(refuse("it is neither a file nor a link")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(mode: &str, size: &str, path: &str) -> String {
        let kind = if mode == "160000" { "commit" } else { "blob" };
        format!("{mode} {kind} {} {size:>7}\t{path}\0", "a".repeat(40))
    }

    #[test]
    fn modes_decide_what_an_entry_is() {
        let text = [
            line("100644", "3", "b"),
            line("100755", "4", "a\tb"),
            line("100755", "4", "a"),
            line("120000", "5", "l"),
            line("120000", "5000", "long"),
            line("160000", "-", "sub"),
            line("100600", "1", "odd"),
            line("100644", "BAD", "gone"),
        ];
        let (entries, links) = parse(text.concat().as_bytes(), 8).unwrap();
        let kinds: Vec<(&str, &str)> = entries
            .iter()
            .map(|entry| {
                let kind = match &entry.kind {
                    EntryKind::File { mode: FileMode::Executable, .. } => "program",
                    EntryKind::File { .. } => "file",
                    EntryKind::Link { .. } => "link",
                    EntryKind::Submodule => "submodule",
                    EntryKind::Refused { .. } => "refused",
                };
                (entry.path.as_str(), kind)
            })
            .collect();
        let expected = [
            ("a", "program"),
            ("a\u{fffd}b", "refused"),
            ("b", "file"),
            ("gone", "refused"),
            ("l", "refused"),
            ("long", "refused"),
            ("odd", "refused"),
            ("sub", "submodule"),
        ];
        assert_eq!(kinds, expected);
        assert_eq!(links.iter().map(|link| link.at).collect::<Vec<_>>(), [4]);
        assert_eq!(
            *parse(text.concat().as_bytes(), 7).unwrap_err().kind(),
            GitErrorKind::TooLarge("7 files".into())
        );
    }

    #[test]
    fn only_the_first_of_very_many_links_are_followed() {
        let text: String = (0..=MAX_LINKS).map(|at| line("120000", "1", &format!("l{at:05}"))).collect();
        let (entries, links) = parse(text.as_bytes(), MAX_LINKS + 1).unwrap();
        assert_eq!((entries.len(), links.len()), (MAX_LINKS + 1, MAX_LINKS));
        assert_eq!(entries[MAX_LINKS].kind, refuse("the repository has too many links"));
    }

    #[test]
    fn an_invalid_listing_is_refused() {
        assert!(parse(b"", 1).unwrap().0.is_empty());
        for text in ["x", "x\0", "100644 blob\tx\0", "100644 blob zz 1\tx\0"] {
            assert_eq!(*parse(text.as_bytes(), 9).unwrap_err().kind(), GitErrorKind::Unexpected, "{text}");
        }
    }
}
