//! Every fix resolves its finding without causing new ones.

use std::fs;
use std::path::{Path, PathBuf};

use minds_diagnostics::{Diagnostic, Fix};
use minds_vfs::{Snapshot, WorkspacePath};

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() { found.extend(files(&path)) } else { found.push(path) }
    }
    found.sort();
    found
}

fn directories(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries.map(|entry| entry.path()).filter(|path| path.is_dir()).collect()
}

fn snapshot(workspace: &Path) -> Snapshot {
    files(workspace).into_iter().fold(Snapshot::new(), |snapshot, path| {
        let relative = path.strip_prefix(workspace).unwrap().to_str().unwrap().replace('\\', "/");
        match relative.as_str() {
            ".minds/team.yaml" | ".minds/llm.yaml" | ".minds/mcp.yaml" | ".minds/minds.toml" => {
                snapshot.with_file(WorkspacePath::parse(&relative).unwrap(), fs::read(&path).unwrap())
            }
            _ => snapshot,
        }
    })
}

fn apply(snapshot: &Snapshot, fix: &Fix) -> Snapshot {
    let mut mended = snapshot.clone();
    let mut edits = fix.edits.clone();
    // From the end, so that earlier offsets stay true.
    edits.sort_by_key(|edit| std::cmp::Reverse(edit.span.start()));
    for edit in edits {
        let path = WorkspacePath::parse(edit.source.name()).unwrap();
        let mut bytes = edit.source.bytes().to_vec();
        bytes.splice(edit.span.range(), edit.new_text.bytes());
        mended = mended.with_file(path, bytes);
    }
    mended
}

/// What makes a finding the same before and after an edit that moves it.
fn essence(found: &Diagnostic) -> (&'static str, String, Option<String>) {
    (found.rule.code, found.message.clone(), found.pointer.clone())
}

#[test]
fn fixes_resolve_findings_without_new_ones() {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures");
    let mut fixed = 0;
    let mut titles = std::collections::BTreeSet::new();
    for area in directories(&fixtures).iter().flat_map(|library| directories(library)) {
        for case in directories(&area.join("invalid")) {
            let before = snapshot(&case);
            let found = minds_workspace::check(&before).diagnostics;
            let known: Vec<_> = found.iter().map(essence).collect();
            for diagnostic in &found {
                let Some(fix) = &diagnostic.fix else { continue };
                let after: Vec<_> =
                    minds_workspace::check(&apply(&before, fix)).diagnostics.iter().map(essence).collect();
                assert!(
                    !after.contains(&essence(diagnostic)),
                    "{}: {} resolves nothing",
                    case.display(),
                    fix.title
                );
                for (code, message, pointer) in &after {
                    assert!(
                        known.contains(&(code, message.clone(), pointer.clone())),
                        "{}: `{}` brings {code}: {message}",
                        case.display(),
                        fix.title
                    );
                }
                titles.insert(fix.title.clone());
                fixed += 1;
            }
        }
    }
    assert!(fixed >= 8, "only {fixed} fixes were offered: {titles:?}");
}
