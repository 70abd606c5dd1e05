//! Files of the repository, by their path in it.

use std::fs;
use std::path::{Path, PathBuf};

/// A file that is generated from other data of the repository.
#[derive(Clone, Debug)]
pub struct Generated {
    /// The path in the repository.
    pub path: String,
    /// The expected content.
    pub text: String,
}

/// Returns the top directory of the repository.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .ancestors()
        .nth(2)
        .expect("crates/xtask lies in the repository")
        .to_owned()
}

/// Returns the text of an existing file.
pub fn read(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// Writes the files that are out of date, and returns their paths.
pub fn write(files: &[Generated]) -> Vec<String> {
    let stale = stale(files);
    for file in files.iter().filter(|file| stale.contains(&file.path)) {
        let path = root().join(&file.path);
        fs::create_dir_all(path.parent().expect("a file has a directory"))
            .expect("the directory can be made");
        fs::write(&path, &file.text).unwrap_or_else(|error| panic!("{}: {error}", file.path));
    }
    stale
}

/// Returns the paths of files that are missing or differ.
pub fn stale(files: &[Generated]) -> Vec<String> {
    let differs =
        |file: &&Generated| fs::read_to_string(root().join(&file.path)).ok().as_deref() != Some(&*file.text);
    files.iter().filter(differs).map(|file| file.path.clone()).collect()
}

/// Returns the files below `folder` that are not in `files`.
pub fn unexpected_files(folder: &str, files: &[Generated]) -> Vec<String> {
    let mut found = all(folder);
    found.retain(|path| files.iter().all(|file| file.path != *path));
    found
}

/// Returns the paths of all files below `folder`, sorted; empty if it does not exist.
pub fn all(folder: &str) -> Vec<String> {
    let mut paths = Vec::new();
    let mut folders = vec![root().join(folder)];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else if let Ok(relative) = path.strip_prefix(root()) {
                paths.push(relative.to_string_lossy().replace('\\', "/"));
            }
        }
    }
    paths.sort();
    paths
}
