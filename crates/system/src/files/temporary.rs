//! The names of temporary files.
//!
//! They begin with a dot and end with a mark that nothing else has. Whoever lists does not see them, and nobody can make,
//! change or remove one by its name, so that no file hides behind such a name.

use minds_document::ContentHash;
use minds_paths::MAX_SEGMENT_BYTES;

/// The file in which a new content is written down beside its place.
const STAGED: &str = ".minds-new";
/// The file that stands for a lock.
const LOCKED: &str = ".minds-lock";

/// A directory that is being removed.
const GONE: &str = ".minds-gone";

/// The files of a change set, which only its journal knows what to do with.
const OF_SET: &str = ".minds-set";

/// The journal of a change set, at the top of a root.
pub(crate) const JOURNAL: &str = ".minds-journal";

/// The journal of an installation, at the top of a home.
pub(crate) const INSTALLATION: &str = ".minds-install";

/// Returns the name of the file in which the new content of `name` is written down.
pub(crate) fn staged(name: &str) -> String {
    marked(name, STAGED)
}

/// Returns the name of a file that exists for a moment, to see which permissions a new file gets.
pub(crate) fn probe(name: &str) -> String {
    marked(&format!("{name}.bits"), STAGED)
}

/// Returns the name of the claim under which a directory is removed that has the name `aside` meanwhile.
pub(crate) fn claim_of_gone(aside: &str) -> String {
    aside.strip_suffix(GONE).map_or_else(|| staged(aside), |name| format!("{name}{STAGED}"))
}

/// Returns the name of the file that stands for the lock of `name`.
pub(crate) fn locked(name: &str) -> String {
    marked(name, LOCKED)
}

/// Returns the name under which the directory `name` is cleared away.
pub(crate) fn gone(name: &str) -> String {
    marked(name, GONE)
}

/// Returns the name of a temporary file of a change set.
pub(crate) fn of_set(number: usize, id: &str) -> String {
    format!(".{number}-{id}{OF_SET}")
}

fn marked(name: &str, mark: &str) -> String {
    let plain = format!(".{name}{mark}");
    if plain.len() <= MAX_SEGMENT_BYTES {
        return plain;
    }
    let hash = ContentHash::of(name.as_bytes()).to_string();
    let digits: String = hash.chars().rev().take(32).collect();
    format!(".{digits}{mark}")
}

/// Returns whether a name is that of a temporary file, or of a directory that is being removed. Nobody lists, makes, changes
/// or removes one by its name; whoever judges what is read judges that such a file is none.
pub fn is_temporary(name: &str) -> bool {
    name == JOURNAL
        || name == INSTALLATION
        || name.starts_with('.') && [STAGED, LOCKED, OF_SET, GONE].iter().any(|mark| name.ends_with(mark))
}

/// Returns whether a name is that of a directory that is being removed.
pub(crate) fn is_gone(name: &str) -> bool {
    name.starts_with('.') && name.ends_with(GONE)
}

/// Returns whether a name is that of a temporary file that is stale once no process has it locked.
pub(crate) fn is_stale_when_free(name: &str) -> bool {
    name.starts_with('.') && [STAGED, LOCKED].iter().any(|mark| name.ends_with(mark))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_has_one_of_its_own_that_is_not_too_long() {
        assert_eq!(staged("a.md"), ".a.md.minds-new");
        assert_eq!(locked("a.tsk"), ".a.tsk.minds-lock");
        for length in [240, 243, 244, 245, 255] {
            let (one, other) = ("a".repeat(length), "b".repeat(length));
            assert!(staged(&one).len() <= 255, "{length}");
            assert_ne!(staged(&one), staged(&other), "{length}");
            assert!(is_stale_when_free(&staged(&one)) && is_stale_when_free(&locked(&one)));
        }
        assert!(is_temporary(&gone("a")) && is_gone(&gone("a")) && !is_gone(&staged("a")));
        assert!(is_temporary(&of_set(0, "1f")) && is_temporary(JOURNAL) && is_temporary(&staged("a")));
        assert!(!is_stale_when_free(&of_set(0, "1f")) && !is_stale_when_free(JOURNAL));
        for name in ["a.minds-new", ".a.minds-news", ".a", "minds-new"] {
            assert!(!is_temporary(name), "{name}");
        }
    }
}
