//! The HEAD commit of a folder that is a git repository.

use minds_fs::Root;
use minds_vfs::WorkspacePath;

use crate::home::path;

/// The maximum size of a file with refs in bytes.
const MAX_BYTES: u64 = 16 << 20;

/// Returns the full id of the HEAD commit of a folder; `None` if the folder is not a repository, or one with
/// another ref storage. Reads files only, without running git.
pub(crate) fn read_commit(root: &Root) -> Option<String> {
    let text = |at: &WorkspacePath| {
        let read = root.no_follow().read(at, MAX_BYTES).ok()?;
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
        let (id, full_name) = line.split_once(' ')?;
        (full_name == name).then_some(id)
    });
    id(line?)
}

fn id(text: &str) -> Option<String> {
    let is_id = matches!(text.len(), 40 | 64) && text.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'));
    is_id.then(|| text.to_owned())
}
