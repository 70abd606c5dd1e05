//! Runs the fuzz targets on fixture files with random changes, so that the targets compile and hold without fuzzing.

#[path = "../../../../fuzz/bodies/check_toml.rs"]
mod check_toml;
#[path = "../../../../fuzz/bodies/check_yaml.rs"]
mod check_yaml;
#[path = "../../../../fuzz/bodies/fmt.rs"]
mod fmt;
#[path = "../../../../fuzz/bodies/front_matter.rs"]
mod front_matter;
#[path = "../../../../fuzz/bodies/mind_toml.rs"]
mod mind_toml;
#[path = "../../../../fuzz/bodies/places.rs"]
mod places;

use std::fs;
use std::ops::Range;
use std::path::Path;

use proptest::prelude::*;
use proptest::sample::{Index, select};

const CASES: u32 = 256;
/// The maximum number of bytes that a change removes.
const MAX_REMOVED: usize = 12;
/// Characters with a meaning in one of the formats.
const MARKS: [&str; 18] = [
    "\n", "\r\n", ": ", "- ", "# ", "&a ", "*a", "---\n", "+++\n", "\"", "'''", "[[", "]]", " = ", "..",
    "\u{feff}", "\0", "\u{e9}",
];

/// Returns the fixture files with a name, or with an extension if `name` begins with a dot.
fn seeds(name: &str) -> Vec<Vec<u8>> {
    const MAX_BYTES: u64 = 1 << 14;
    let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures")];
    let mut files = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap()) {
            let (path, kind) = (entry.path(), entry.file_type().unwrap());
            if kind.is_dir() {
                folders.push(path);
            } else if kind.is_file()
                && entry.file_name().to_string_lossy().ends_with(name)
                && entry.metadata().unwrap().len() <= MAX_BYTES
            {
                files.push(path);
            }
        }
    }
    files.sort();
    assert!(files.len() > 20, "only {} fixtures are called `{name}`", files.len());
    files.into_iter().map(|path| fs::read(path).unwrap()).collect()
}

/// A replacement of some bytes.
fn change() -> impl Strategy<Value = (Index, usize, Vec<u8>)> {
    let inserted = prop_oneof![
        prop::collection::vec(any::<u8>(), 0..6),
        select(MARKS.to_vec()).prop_map(|mark| mark.as_bytes().to_vec()),
    ];
    (any::<Index>(), 0..MAX_REMOVED, inserted)
}

/// A file with some changes.
fn changed_file(name: &str) -> impl Strategy<Value = Vec<u8>> {
    (select(seeds(name)), prop::collection::vec(change(), 0..6)).prop_map(|(mut bytes, changes)| {
        for (at, removed, inserted) in changes {
            let start = at.index(bytes.len() + 1);
            let removed: Range<usize> = start..bytes.len().min(start + removed);
            bytes.splice(removed, inserted);
        }
        bytes
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(CASES))]

    #[test]
    fn team_files(bytes in changed_file("team.yaml")) {
        check_yaml::expect(&bytes);
    }

    #[test]
    fn forms_of_team_files(bytes in changed_file("team.yaml")) {
        fmt::expect(&bytes);
    }

    #[test]
    fn settings(bytes in changed_file("minds.toml")) {
        check_toml::expect(&bytes);
    }

    #[test]
    fn manifests_of_sources(bytes in changed_file("mind.toml")) {
        mind_toml::expect(&bytes);
    }

    #[test]
    fn front_matter_of_markdown_files(bytes in changed_file(".md")) {
        front_matter::expect(&bytes);
    }
}
