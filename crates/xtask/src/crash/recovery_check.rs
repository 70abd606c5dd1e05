//! Verifying the folder of a killed process.

use minds_fs::{Kind, Root};
use minds_vfs::{Expected, WorkspacePath};

use super::operations::Operation;
use super::tree::Tree;

/// Acts like the next process: attempts a change in every directory, which cleans up.
pub(super) fn trigger_recovery(root: &Root) {
    const MAX_ENTRIES: usize = 10_000;
    let view = root.no_follow();
    let try_to_change = |directory: &WorkspacePath| {
        let nothing = directory.join("none").expect("the path is valid");
        let _ = view.remove_file(&nothing, Expected::Any);
    };
    // Recovery may create and remove directories.
    try_to_change(&WorkspacePath::root());
    let listing = view.walk(&WorkspacePath::root(), MAX_ENTRIES);
    let entries = listing.map(|listing| listing.entries).unwrap_or_default();
    let directories = entries.iter().filter(|entry| entry.kind == Kind::Directory);
    directories.for_each(|entry| try_to_change(&entry.real));
}

/// Verifies the folder before and after recovery, and makes the next step. `from` is the initial state of the
/// folder, `states` are the possible current states; returns the current one.
///
/// # Errors
///
/// Returns what is torn, lost or not cleaned up.
pub(super) fn check_recovery(
    operation: &Operation,
    tree: &Tree,
    from: u64,
    states: [u64; 2],
) -> Result<u64, String> {
    let [old, new] = states.map(|state| (operation.state)(from, state));
    let found = tree.files();
    // Before recovery, each file is old or new; a single file is the whole state.
    for path in found.keys().chain(old.keys()).chain(new.keys()) {
        let what = found.get(path);
        if what != old.get(path) && what != new.get(path) {
            return Err(format!("torn: `{path}` is {}", brief(what)));
        }
    }
    let left = tree.temporaries();
    if left.len() > operation.max_leftovers {
        return Err(format!("{left:?} are not cleaned up"));
    }
    if operation.max_leftovers <= 2 && found != old && found != new {
        return Err("it is neither the old state nor the new one".to_owned());
    }
    trigger_recovery(&tree.open());
    let left = tree.temporaries();
    if !left.is_empty() {
        return Err(format!("{left:?} still exist after the next change"));
    }
    let found = tree.files();
    let Some(state) = states.into_iter().find(|state| found == (operation.state)(from, *state)) else {
        return Err(format!("lost: the state is none of {states:?}: {:?}", found.keys()));
    };
    (operation.step)(&tree.open(), state + 1).map_err(|error| format!("the next step fails: {error}"))?;
    if tree.files() == (operation.state)(from, state + 1) && tree.temporaries().is_empty() {
        return Ok(state);
    }
    Err("the next step does not lead to the next state".to_owned())
}

fn brief(what: Option<&String>) -> String {
    what.map_or("missing".to_owned(), |what| format!("{} bytes: {what:.60}", what.len()))
}
