//! The record of servers that were rendered into client files.

use minds_vfs::{ContentHash, Snapshot, SnapshotEntry, WorkspacePath};
use serde::{Deserialize, Serialize};

use super::merge::RenderedServer;
use super::{Client, plan};
use crate::parts::{PartDocument, PartRecord};

/// The path of the manifest of servers in client files, relative to the workspace.
pub const CLIENTS_FILE: &str = ".minds-manifest.json";

/// The version of the format without parts of files, and with them.
const VERSIONS: [u32; 2] = [1, 2];

/// The servers in client files that `minds` manages.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ClientManifest {
    /// The files, sorted by client, each with at least one server.
    pub files: Vec<ClientFile>,
    /// The parts of files that were rendered from the members of the team.
    pub parts: Vec<PartRecord>,
    /// The settings with which they were rendered.
    pub settings: TeamSettings,
}

/// The settings with which members are rendered for clients.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TeamSettings {
    /// The members that are rendered although a client does not hold their limits.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub allow_wider: Vec<String>,
    /// The member that the main agent of a client acts as.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub main_member: Option<String>,
}

/// The part of a client's file that `minds` manages.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClientFile {
    /// The client.
    pub client: Client,
    /// Whether `minds` created the file. Then it is removed with the last of our servers, if it contains
    /// nothing else.
    pub is_created: bool,
    /// Whether `minds` created the object that contains the servers. Then it is removed with the last of
    /// them, if it contains nothing else. It is true if the file was created.
    pub has_created_object: bool,
    /// The servers, sorted by name.
    pub servers: Vec<RenderedServer>,
}

/// The result of reading the manifest of client files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ClientRecord {
    /// The file does not exist.
    Absent,
    /// The manifest was read.
    Read(ClientManifest),
    /// The file was not written by this version of `minds`.
    Foreign,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Document {
    version: u32,
    clients: Vec<DocumentFile>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    generated: Vec<PartDocument>,
    #[serde(default, skip_serializing_if = "TeamSettings::is_default")]
    settings: TeamSettings,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct DocumentFile {
    client: String,
    file: String,
    begun: bool,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    object_begun: bool,
    servers: Vec<DocumentServer>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct DocumentServer {
    name: String,
    hash: String,
}

impl TeamSettings {
    fn is_default(&self) -> bool {
        *self == Self::default()
    }
}

impl ClientManifest {
    /// Returns the manifest as JSON with a final line break.
    pub fn write(&self) -> String {
        let server = |server: &RenderedServer| DocumentServer {
            name: server.name.clone(),
            hash: server.hash.to_string(),
        };
        let file = |file: &ClientFile| DocumentFile {
            client: file.client.name().to_owned(),
            file: file.client.file().to_owned(),
            begun: file.is_created,
            object_begun: file.has_created_object && !file.is_created,
            servers: file.servers.iter().map(server).collect(),
        };
        let [without, with] = VERSIONS;
        let document = Document {
            version: if self.parts.is_empty() { without } else { with },
            clients: self.files.iter().map(file).collect(),
            generated: self.parts.iter().map(PartRecord::encode).collect(),
            settings: if self.parts.is_empty() { TeamSettings::default() } else { self.settings.clone() },
        };
        // The document holds only strings, truth values and a number, so serialization cannot fail.
        serde_json::to_string_pretty(&document).unwrap_or_default() + "\n"
    }

    /// Returns whether both manifests are equal, ignoring the order of files and servers.
    pub fn is_equivalent(&self, other: &Self) -> bool {
        let sorted = |manifest: &Self| {
            let mut files = manifest.files.clone();
            files.sort_by_key(|file| file.client);
            for file in &mut files {
                file.servers.sort();
                file.has_created_object |= file.is_created;
            }
            files
        };
        sorted(self) == sorted(other) && self.parts == other.parts && self.settings == other.settings
    }

    /// Returns whether nothing is recorded.
    pub fn is_empty(&self) -> bool {
        self.files.is_empty() && self.parts.is_empty()
    }

    /// Returns the entry for `client`.
    pub fn find(&self, client: Client) -> Option<&ClientFile> {
        self.files.iter().find(|file| file.client == client)
    }
}

impl ClientRecord {
    /// Parses a manifest. A manifest with a file that its client does not use is `Foreign`.
    pub fn parse(bytes: &[u8]) -> Self {
        let read = || -> Option<ClientManifest> {
            let document: Document = serde_json::from_slice(bytes).ok()?;
            if !VERSIONS.contains(&document.version) {
                return None;
            }
            let mut files = document.clients.into_iter().map(decode_file).collect::<Option<Vec<_>>>()?;
            files.sort_by_key(|file| file.client);
            let is_duplicate = |pair: &[ClientFile]| matches!(pair, [a, b] if a.client == b.client);
            let mut parts =
                document.generated.into_iter().map(PartRecord::decode).collect::<Option<Vec<_>>>()?;
            parts.sort_by(|a, b| (a.target, &a.path).cmp(&(b.target, &b.path)));
            let is_repeated =
                |pair: &[PartRecord]| matches!(pair, [a, b] if a.target == b.target && a.path == b.path);
            let is_usable = !files.windows(2).any(is_duplicate) && !parts.windows(2).any(is_repeated);
            is_usable.then_some(ClientManifest { files, parts, settings: document.settings })
        };
        read().map_or(Self::Foreign, Self::Read)
    }

    /// Reads the manifest from a snapshot.
    pub fn of(found: &Snapshot) -> Self {
        match found.get(&plan::location(&manifest_path())) {
            None => Self::Absent,
            Some(SnapshotEntry::File { bytes, .. }) => Self::parse(bytes),
            Some(_) => Self::Foreign,
        }
    }

    /// Returns the manifest, if it was read.
    pub fn manifest(&self) -> Option<&ClientManifest> {
        match self {
            Self::Read(manifest) => Some(manifest),
            Self::Absent | Self::Foreign => None,
        }
    }
}

pub(super) fn manifest_path() -> WorkspacePath {
    // The constant is a valid path, so the default is never used.
    WorkspacePath::parse(CLIENTS_FILE).unwrap_or_default()
}

fn decode_file(file: DocumentFile) -> Option<ClientFile> {
    let client = Client::parse(&file.client).filter(|client| client.file() == file.file)?;
    let server =
        |server: DocumentServer| Some(RenderedServer { name: server.name, hash: parse_hash(&server.hash)? });
    let mut servers = file.servers.into_iter().map(server).collect::<Option<Vec<_>>>()?;
    servers.sort();
    let is_duplicate = |pair: &[RenderedServer]| matches!(pair, [a, b] if a.name == b.name);
    let is_usable = !servers.is_empty() && !servers.windows(2).any(is_duplicate);
    let has_created_object = file.begun || file.object_begun;
    is_usable.then_some(ClientFile { client, is_created: file.begun, has_created_object, servers })
}

fn parse_hash(hash: &str) -> Option<ContentHash> {
    hash.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn manifest() -> ClientManifest {
        let server = |name: &str| RenderedServer { name: name.to_owned(), hash: ContentHash::of(b"x") };
        let servers = vec![server("a"), server("b")];
        let file = |client, is_created, has_created_object| ClientFile {
            client,
            is_created,
            has_created_object,
            servers: servers.clone(),
        };
        let files = [
            file(Client::ClaudeCode, true, true),
            file(Client::Codex, false, false),
            file(Client::Gemini, false, true),
        ];
        ClientManifest { files: files.into(), ..ClientManifest::default() }
    }

    #[test]
    fn a_written_manifest_is_read_back() {
        assert_eq!(ClientRecord::parse(manifest().write().as_bytes()), ClientRecord::Read(manifest()));
        assert!(manifest().find(Client::Codex).is_some() && manifest().find(Client::Cursor).is_none());
    }

    #[test]
    fn other_contents_are_foreign() {
        let text = manifest().write();
        for (from, to) in [
            ("{", ""),
            ("\"version\": 1", "\"version\": 3"),
            ("\"version\"", "\"more\": 1, \"version\""),
            ("\"claude-code\"", "\"claude\""),
            ("\".mcp.json\"", "\"package.json\""),
            ("\".mcp.json\"", "\"../.mcp.json\""),
            ("\"codex\"", "\"claude-code\""),
            ("\"begun\": true", "\"begun\": 1"),
            ("\"object_begun\": true", "\"object_begun\": null"),
            ("\"name\": \"a\"", "\"name\": \"b\""),
            ("\"name\": \"a\"", "\"name\": \"a\", \"x\": 1"),
            ("sha256:", "md5:"),
        ] {
            let other = text.replacen(from, to, 1);
            assert_ne!(other, text, "{from}");
            assert_eq!(ClientRecord::parse(other.as_bytes()), ClientRecord::Foreign, "{other}");
        }
        // With a duplicate client it is not known which entry applies.
        let mut twice: serde_json::Value = serde_json::from_str(&text).unwrap();
        let clients = twice["clients"].as_array_mut().unwrap();
        clients.push(clients[0].clone());
        assert_eq!(ClientRecord::parse(twice.to_string().as_bytes()), ClientRecord::Foreign);
        let none = "{\"version\": 1, \"clients\": [{\"client\": \"codex\", \"file\": \".codex/config.toml\", \
                    \"begun\": true, \"servers\": []}]}";
        assert_eq!(ClientRecord::parse(none.as_bytes()), ClientRecord::Foreign);
    }
}
