//! Which commit a folder is at, as far as it is a repository.

use minds_paths::WorkspacePath;
use minds_system::Root;

use super::home::path;

/// How many bytes a file of names has at most.
const MAX_BYTES: u64 = 16 << 20;

/// Returns the full id of the commit that the folder is at; none if it is no repository, or one that keeps its names in
/// another way. Nothing of it is run.
pub(super) fn commit(root: &Root) -> Option<String> {
    let text = |at: &WorkspacePath| {
        let read = root.scoped().read(at, MAX_BYTES).ok()?;
        String::from_utf8(read.bytes).ok()
    };
    let head = text(&path(".git/HEAD"))?;
    let head = head.trim();
    let Some(name) = head.strip_prefix("ref: ") else { return id(head) };
    if !name.starts_with("refs/") {
        return None;
    }
    let loose = WorkspacePath::parse(&format!(".git/{name}")).ok()?;
    if let Some(found) = text(&loose) {
        return id(found.trim());
    }
    let packed = text(&path(".git/packed-refs"))?;
    let line = packed.lines().find_map(|line| {
        let (found, named) = line.split_once(' ')?;
        (named == name).then_some(found)
    });
    id(line?)
}

fn id(text: &str) -> Option<String> {
    let is_id = matches!(text.len(), 40 | 64) && text.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'));
    is_id.then(|| text.to_owned())
}
