//! Whether what a dead process left behind is as it should be.

use minds_document::Expected;
use minds_paths::WorkspacePath;
use minds_system::{Kind, Root};

use super::machines::Machine;
use super::tree::Tree;

/// What the next process does: in every directory it changes something, which is not there, and so clears up.
pub(super) fn open_again(root: &Root) {
    const MOST: usize = 10_000;
    let view = root.scoped();
    let try_to_change = |directory: &WorkspacePath| {
        let nothing = directory.join("none").expect("the path is valid");
        let _ = view.remove_file(&nothing, Expected::Any);
    };
    // What is finished or taken back now may make directories, and remove some.
    try_to_change(&WorkspacePath::root());
    let listing = view.walk(&WorkspacePath::root(), MOST);
    let entries = listing.map(|listing| listing.entries).unwrap_or_default();
    let directories = entries.iter().filter(|entry| entry.kind == Kind::Directory);
    directories.for_each(|entry| try_to_change(&entry.real));
}

/// Looks at what is there, opens it again, and goes on from there. `from` is the state in which the folder began, `states`
/// are those of which one must be there now; returns that one.
///
/// # Errors
///
/// Says what is torn, lost or left behind.
pub(super) fn judge(machine: &Machine, tree: &Tree, from: u64, states: [u64; 2]) -> Result<u64, String> {
    let [old, new] = states.map(|state| (machine.state)(from, state));
    let found = tree.files();
    // Before anybody opens it again, each file is old or new; a single one is the whole state.
    for path in found.keys().chain(old.keys()).chain(new.keys()) {
        let what = found.get(path);
        if what != old.get(path) && what != new.get(path) {
            return Err(format!("torn: `{path}` is {}", brief(what)));
        }
    }
    let left = tree.temporaries();
    if left.len() > machine.leaves {
        return Err(format!("{left:?} are left behind"));
    }
    if machine.leaves <= 2 && found != old && found != new {
        return Err("it is neither the old state nor the new one".to_owned());
    }
    open_again(&tree.open());
    let left = tree.temporaries();
    if !left.is_empty() {
        return Err(format!("{left:?} are still there after the next change"));
    }
    let found = tree.files();
    let Some(state) = states.into_iter().find(|state| found == (machine.state)(from, *state)) else {
        return Err(format!("lost: none of {states:?} is there but {:?}", found.keys()));
    };
    (machine.step)(&tree.open(), state + 1).map_err(|error| format!("it does not go on: {error}"))?;
    if tree.files() == (machine.state)(from, state + 1) && tree.temporaries().is_empty() {
        return Ok(state);
    }
    Err("the next step does not lead to the next state".to_owned())
}

fn brief(what: Option<&String>) -> String {
    what.map_or("not there".to_owned(), |what| format!("{} bytes: {what:.60}", what.len()))
}
