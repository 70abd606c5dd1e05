//! Names of temporary files.
//!
//! They begin with a dot and end with a suffix that is reserved for them. Listings leave them out, and they
//! cannot be created, changed or removed by name, so such a name cannot hide a file.

use minds_vfs::{ContentHash, MAX_SEGMENT_BYTES};

/// The suffix of a file with new content, in the directory of its target.
const STAGED: &str = ".minds-new";
/// The suffix of a lock file.
const LOCKED: &str = ".minds-lock";

/// The suffix of a directory that is being removed.
const REMOVAL: &str = ".minds-gone";

/// The suffix of the files of a change set, which only its journal describes.
const OF_SET: &str = ".minds-set";

/// The journal of a change set, at the top of a root.
pub(crate) const JOURNAL: &str = ".minds-journal";

/// The journal of an installation, at the top of a home.
pub(crate) const INSTALL_JOURNAL: &str = ".minds-install";

/// Returns the name of the file for the new content of `name`.
pub(crate) fn staging_name(name: &str) -> String {
    add_suffix(name, STAGED)
}

/// Returns the name of a short-lived file that is created to determine the permissions of new files.
pub(crate) fn probe_name(name: &str) -> String {
    add_suffix(&format!("{name}.bits"), STAGED)
}

/// Returns the name of the claim for the removal of a directory that has the temporary name `aside`.
pub(crate) fn removal_claim_name(aside: &str) -> String {
    aside.strip_suffix(REMOVAL).map_or_else(|| staging_name(aside), |name| format!("{name}{STAGED}"))
}

/// Returns the name of the lock file of `name`.
pub(crate) fn lock_name(name: &str) -> String {
    add_suffix(name, LOCKED)
}

/// Returns the temporary name of the directory `name` while it is being removed.
pub(crate) fn removal_name(name: &str) -> String {
    add_suffix(name, REMOVAL)
}

/// Returns the name of a temporary file of a change set.
pub(crate) fn change_set_name(number: usize, id: &str) -> String {
    format!(".{number}-{id}{OF_SET}")
}

fn add_suffix(name: &str, suffix: &str) -> String {
    let plain = format!(".{name}{suffix}");
    if plain.len() <= MAX_SEGMENT_BYTES {
        return plain;
    }
    let hash = ContentHash::of(name.as_bytes()).to_string();
    let digits: String = hash.chars().rev().take(32).collect();
    format!(".{digits}{suffix}")
}

/// Returns whether a name is that of a temporary file, or of a directory that is being removed. Such entries
/// are not listed, and cannot be created, changed or removed by name; callers that check read permission must
/// treat them as not existing.
pub fn is_temporary(name: &str) -> bool {
    name == JOURNAL
        || name == INSTALL_JOURNAL
        || name.starts_with('.')
            && [STAGED, LOCKED, OF_SET, REMOVAL].iter().any(|suffix| name.ends_with(suffix))
}

/// Returns whether a name is that of a directory that is being removed.
pub(crate) fn is_removal_name(name: &str) -> bool {
    name.starts_with('.') && name.ends_with(REMOVAL)
}

/// Returns whether a name is that of a temporary file that is stale when no process holds its lock.
pub(crate) fn is_stale_when_unlocked(name: &str) -> bool {
    name.starts_with('.') && [STAGED, LOCKED].iter().any(|suffix| name.ends_with(suffix))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn temporary_names_are_distinct_and_not_too_long() {
        assert_eq!(staging_name("a.md"), ".a.md.minds-new");
        assert_eq!(lock_name("a.tsk"), ".a.tsk.minds-lock");
        for length in [240, 243, 244, 245, 255] {
            let (one, other) = ("a".repeat(length), "b".repeat(length));
            assert!(staging_name(&one).len() <= 255, "{length}");
            assert_ne!(staging_name(&one), staging_name(&other), "{length}");
            assert!(is_stale_when_unlocked(&staging_name(&one)) && is_stale_when_unlocked(&lock_name(&one)));
        }
        assert!(is_temporary(&removal_name("a")) && is_removal_name(&removal_name("a")));
        assert!(!is_removal_name(&staging_name("a")));
        assert!(
            is_temporary(&change_set_name(0, "1f"))
                && is_temporary(JOURNAL)
                && is_temporary(&staging_name("a"))
        );
        assert!(!is_stale_when_unlocked(&change_set_name(0, "1f")) && !is_stale_when_unlocked(JOURNAL));
        for name in ["a.minds-new", ".a.minds-newer", ".a", "minds-new"] {
            assert!(!is_temporary(name), "{name}");
        }
    }
}
