//! The record of rendered files.

use std::borrow::Cow;

use minds_vfs::{ContentHash, WorkspacePath};
use serde::{Deserialize, Serialize};

use crate::target::Target;

/// The path of the manifest, relative to the root.
pub const MANIFEST_FILE: &str = "state/minds-manifest.json";

/// The version of the format.
const VERSION: u32 = 1;

/// The rendered files that `minds` manages.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Manifest {
    /// The files, sorted by path.
    pub artifacts: Vec<RenderedEntry>,
}

/// An entry for a rendered file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RenderedEntry {
    /// The path, relative to the root.
    pub path: WorkspacePath,
    /// The hash of its contents.
    pub hash: ContentHash,
    /// The target that it was rendered for.
    pub generator: Target,
    /// The names of its source files.
    pub inputs: Vec<String>,
}

/// The result of reading the manifest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Record {
    /// The file does not exist.
    Absent,
    /// The manifest was read.
    Read(Manifest),
    /// The file was not written by this version of `minds`.
    Foreign,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Document<'d> {
    version: u32,
    #[serde(borrow)]
    artifacts: Vec<DocumentEntry<'d>>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct DocumentEntry<'d> {
    #[serde(borrow)]
    path: Cow<'d, str>,
    #[serde(borrow)]
    hash: Cow<'d, str>,
    #[serde(borrow)]
    generator: Cow<'d, str>,
    inputs: Cow<'d, [String]>,
}

fn encode_entry(rendered: &RenderedEntry) -> DocumentEntry<'_> {
    DocumentEntry {
        path: rendered.path.as_str().into(),
        hash: rendered.hash.to_string().into(),
        generator: rendered.generator.name().into(),
        inputs: rendered.inputs.as_slice().into(),
    }
}

impl Manifest {
    /// Returns the manifest as JSON with a final line break.
    pub fn write(&self) -> String {
        let document =
            Document { version: VERSION, artifacts: self.artifacts.iter().map(encode_entry).collect() };
        // The document holds only strings and a number, so serialization cannot fail.
        serde_json::to_string_pretty(&document).unwrap_or_default() + "\n"
    }

    /// Returns the entry for `path`.
    pub fn find(&self, path: &WorkspacePath) -> Option<&RenderedEntry> {
        let at = self.artifacts.binary_search_by(|rendered| rendered.path.cmp(path)).ok()?;
        self.artifacts.get(at)
    }
}

impl Record {
    /// Parses a manifest. A manifest with a path that no target renders is `Foreign`.
    pub fn parse(bytes: &[u8]) -> Self {
        let read = || -> Option<Manifest> {
            let document: Document<'_> = serde_json::from_slice(bytes).ok()?;
            if document.version != VERSION {
                return None;
            }
            let mut artifacts =
                document.artifacts.into_iter().map(decode_entry).collect::<Option<Vec<_>>>()?;
            artifacts.sort_by(|a, b| a.path.cmp(&b.path));
            let is_duplicate = |pair: &[RenderedEntry]| matches!(pair, [a, b] if a.path == b.path);
            (!artifacts.windows(2).any(is_duplicate)).then_some(Manifest { artifacts })
        };
        read().map_or(Self::Foreign, Self::Read)
    }

    /// Returns the manifest, if it was read.
    pub fn manifest(&self) -> Option<&Manifest> {
        match self {
            Self::Read(manifest) => Some(manifest),
            Self::Absent | Self::Foreign => None,
        }
    }
}

fn decode_entry(entry: DocumentEntry<'_>) -> Option<RenderedEntry> {
    let path = WorkspacePath::parse(&entry.path).ok()?;
    let generator = Target::find(&entry.generator).filter(|target| target.can_render(&path))?;
    Some(RenderedEntry { path, hash: entry.hash.parse().ok()?, generator, inputs: entry.inputs.into_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn manifest() -> Manifest {
        let rendered = |path: &str| RenderedEntry {
            path: WorkspacePath::parse(path).unwrap(),
            hash: ContentHash::of(b"text"),
            generator: Target::Artifacts,
            inputs: vec!["team-compose.yaml".to_owned()],
        };
        Manifest { artifacts: vec![rendered("state/envs/a-b.env"), rendered("state/mcp/a-b.json")] }
    }

    #[test]
    fn a_written_manifest_is_read_back() {
        assert_eq!(Record::parse(manifest().write().as_bytes()), Record::Read(manifest()));
        assert!(manifest().find(&WorkspacePath::parse("state/mcp/a-b.json").unwrap()).is_some());
    }

    #[test]
    fn other_contents_are_foreign() {
        let text = manifest().write();
        for other in [
            String::new(),
            "[]".to_owned(),
            text.replace("\"version\": 1", "\"version\": 2"),
            text.replace("\"version\"", "\"more\": 1, \"version\""),
            text.replace("state/envs/a-b.env", "projects/a.yaml"),
            text.replace("state/envs/a-b.env", "state/envs/../a.env"),
            text.replace("state/envs/a-b.env", "state/envs/deep/a.env"),
            text.replace("state/envs/a-b.env", "state/envs/.env"),
            text.replace("state/envs/a-b.env", "state/applied.json"),
            text.replace("state/mcp/a-b.json", "state/mcp/a-b.md"),
            text.replace("a-b.json", "a-b.json\", \"x\": \""),
            text.replace("\"artifacts\",", "\"other\","),
            text.replace("sha256:", "md5:"),
            text.replace("state/mcp/a-b.json", "state/envs/a-b.env"),
        ] {
            assert_ne!(other, text);
            assert_eq!(Record::parse(other.as_bytes()), Record::Foreign, "{other}");
        }
    }
}
