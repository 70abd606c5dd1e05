//! The files that a patch in the form of `apply_patch` touches.

use crate::Action;

/// Returns what a header does to the file that it names.
type MakeAction = fn(String) -> Action;

/// The lines with the paths of a patch, and what they do to it.
const HEADERS: [(&str, MakeAction); 3] = [
    ("*** Add File:", |path| Action::Write { path }),
    ("*** Update File:", |path| Action::Write { path }),
    ("*** Delete File:", |path| Action::Delete { path }),
];
const MOVE: &str = "*** Move to:";

/// Returns what a patch does to each file.
///
/// Only lines that are headers are examined, wherever they are: a header in the content of a file is judged too, which can
/// only deny more.
///
/// # Errors
///
/// Fails if the patch names no file, or if a file is moved that is not named.
pub(crate) fn actions(patch: &str) -> Result<Vec<Action>, String> {
    let mut actions: Vec<Action> = Vec::new();
    // Clients strip white space around lines, so it may precede a header.
    for line in patch.split(['\n', '\r']).map(str::trim) {
        if let Some(to) = line.strip_prefix(MOVE) {
            let to = to.trim().to_owned();
            match actions.last_mut() {
                Some(last) => match last {
                    Action::Write { path } => *last = Action::Move { from: path.clone(), to },
                    _ => return Err("the patch moves a file that it does not update".to_owned()),
                },
                None => return Err("the patch moves a file that it does not name".to_owned()),
            }
        } else if let Some((action, path)) =
            HEADERS.iter().find_map(|(header, action)| Some((action, line.strip_prefix(header)?)))
        {
            actions.push(action(path.trim().to_owned()));
        } else if line.starts_with("--- ") || line.starts_with("+++ ") || line.starts_with("diff --git") {
            // Some clients also accept unified diffs.
            return Err("the patch is not in the form of `apply_patch`".to_owned());
        }
    }
    if actions.is_empty() { Err("the patch names no file".to_owned()) } else { Ok(actions) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_header_is_found() {
        let patch = "*** Begin Patch\n*** Add File: a\n+x\n*** Update File: b c\n*** Move to: d\n@@\n-x\n \
                     *** Delete File: e\r\n*** End Patch";
        let write = |path: &str| Action::Write { path: path.to_owned() };
        let expected = [
            write("a"),
            Action::Move { from: "b c".to_owned(), to: "d".to_owned() },
            Action::Delete { path: "e".to_owned() },
        ];
        assert_eq!(actions(patch).unwrap(), expected);
    }

    #[test]
    fn other_patches_are_refused() {
        for patch in ["", "x", "*** Move to: a", "*** Delete File: a\n*** Move to: b", "--- a/x\n+++ b/x\n"] {
            actions(patch).unwrap_err();
        }
    }
}
