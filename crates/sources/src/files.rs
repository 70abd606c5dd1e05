//! The content of an item.

use std::collections::BTreeMap;

use minds_diagnostics::Contents;
use minds_vfs::{ContentHash, WorkspacePath};

/// A regular file of an item.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ItemFile {
    /// The bytes of the file.
    pub bytes: Contents,
    /// Whether it is executable.
    pub is_executable: bool,
}

/// The content of an item: one file, or the regular files below a folder. Links have been resolved or refused
/// already.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ItemContent {
    /// An agent or a rule.
    File(ItemFile),
    /// A skill or a tool: its files by their paths relative to its folder.
    Folder(BTreeMap<WorkspacePath, ItemFile>),
}

impl ItemContent {
    /// Returns the files, each with its path relative to the folder of the item; the path is the root if the
    /// item is a single file.
    pub fn files(&self) -> impl Iterator<Item = (WorkspacePath, &ItemFile)> {
        let (file, folder) = match self {
            Self::File(file) => (Some(file), None),
            Self::Folder(files) => (None, Some(files)),
        };
        let file = file.into_iter().map(|file| (WorkspacePath::root(), file));
        file.chain(folder.into_iter().flatten().map(|(path, file)| (path.clone(), file)))
    }

    /// Returns the hash of the content. It covers whether the content is a folder, and the path, the
    /// executable bit and the bytes of each file. Every part has a fixed length or is preceded by its length,
    /// so different contents are hashed as different byte strings.
    pub fn hash(&self) -> ContentHash {
        let mut frame = Vec::with_capacity(256);
        frame.extend_from_slice(b"minds item 1\n");
        match self {
            Self::File(file) => {
                frame.push(b'f');
                push_file(&mut frame, file);
            }
            Self::Folder(files) => {
                frame.push(b'd');
                for (path, file) in files {
                    let path = path.as_str().as_bytes();
                    frame.extend_from_slice(&u64::try_from(path.len()).unwrap_or(u64::MAX).to_le_bytes());
                    frame.extend_from_slice(path);
                    push_file(&mut frame, file);
                }
            }
        }
        ContentHash::of(&frame)
    }
}

/// Appends 72 bytes: the executable bit, and the hash of the bytes in hexadecimal.
fn push_file(frame: &mut Vec<u8>, file: &ItemFile) {
    frame.push(u8::from(file.is_executable));
    frame.extend_from_slice(ContentHash::of(&file.bytes).to_string().as_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(bytes: &str) -> ItemFile {
        ItemFile { bytes: Contents::from(bytes), is_executable: false }
    }

    fn folder(files: &[(&str, &str)]) -> ItemContent {
        let path = |path: &str| WorkspacePath::parse(path).unwrap();
        ItemContent::Folder(files.iter().map(|(at, bytes)| (path(at), file(bytes))).collect())
    }

    #[test]
    fn different_contents_have_different_hashes() {
        let runs = ItemFile { is_executable: true, ..file("ab") };
        let contents = [
            ItemContent::File(file("ab")),
            ItemContent::File(file("a")),
            ItemContent::File(runs),
            folder(&[]),
            folder(&[("a", "b")]),
            folder(&[("ab", "")]),
            folder(&[("a", ""), ("b", "")]),
            folder(&[("a", "b\u{0}bc")]),
            folder(&[("a", "b"), ("b", "c")]),
            folder(&[("a", "bb"), ("c", "")]),
        ];
        for (at, content) in contents.iter().enumerate() {
            for other in &contents[at + 1..] {
                assert_ne!(content.hash(), other.hash(), "{content:?} {other:?}");
            }
            assert_eq!(content.hash(), content.clone().hash());
        }
    }
}
