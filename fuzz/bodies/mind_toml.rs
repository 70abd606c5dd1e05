//! Any bytes as `mind.toml`: there is an answer, its places are true, and what is valid stays in its place.

use minds_diagnostics::{MAX_PROBLEMS_PER_FILE, SourceFile};
use minds_sources::{Globs, Identity, ItemKind, ManifestFile, SourceSpec};
use minds_vfs::WorkspacePath;

use super::places;

/// Checks the properties above for some bytes.
pub(crate) fn expect(bytes: &[u8]) {
    let parsed = ManifestFile::read(&SourceFile::new("mind.toml", bytes));
    let (file, found) = (parsed.value, parsed.problems.into_sorted());
    assert!(found.len() <= 2 * MAX_PROBLEMS_PER_FILE);
    places::expect_true(&found);
    assert!(file.newer().is_none() || !file.is_valid());
    let manifest = file.manifest();
    for item in manifest.declared_items() {
        assert!(WorkspacePath::parse(item.key.name.as_str()).is_ok_and(|name| name.segments().count() == 1));
        if let Some(link) = file.is_valid().then(|| item.entry.link.as_given()).flatten() {
            let folders = [item.key.kind.folder(), "bin"];
            assert!(link.value.segments().next().is_some_and(|folder| folders.contains(&folder)));
        }
    }
    for kind in ItemKind::ALL {
        for pattern in manifest.globs(kind).into_iter().flat_map(Globs::include) {
            assert!(pattern.names().all(|name| !name.is_empty() && name != ".."), "{pattern}");
        }
    }
    for nested in manifest.nested_sources() {
        let Ok(spec) = SourceSpec::parse(nested.spec, "/a/b", Some("/home/u")) else { continue };
        let identity = spec.identity.as_str();
        assert_eq!(Identity::parse(identity).as_ref(), Ok(&spec.identity));
        assert!(WorkspacePath::parse(identity).is_ok(), "{identity}");
    }
}
