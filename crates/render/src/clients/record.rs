//! What was rendered into the files of clients before.

use minds_document::{ContentHash, Snapshot, SnapshotEntry};
use minds_paths::WorkspacePath;
use serde::{Deserialize, Serialize};

use super::merge::RenderedServer;
use super::{Client, plan};

/// The file that says which servers in the files of clients are ours, from the top of the workspace.
pub const CLIENTS_FILE: &str = ".minds-manifest.json";

/// The version of the format.
const VERSION: u32 = 1;

/// The servers in the files of clients that belong to this program.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ClientManifest {
    /// The files, by client, each with at least one server.
    pub files: Vec<ClientFile>,
}

/// The file of a client, as far as it is ours.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClientFile {
    /// The client.
    pub client: Client,
    /// Whether there was no file before: then it goes with the last of our servers, if nothing else is in it.
    pub is_begun: bool,
    /// Whether the object that holds the servers was not there before: then it goes with the last of them, if nothing else
    /// is in it. Where the file was begun, the object was too.
    pub has_begun_object: bool,
    /// The servers, sorted by name.
    pub servers: Vec<RenderedServer>,
}

/// What a manifest of the files of clients is, when it is read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ClientRecord {
    /// There is none.
    Absent,
    /// There is one.
    Read(ClientManifest),
    /// There is something that this program did not write, or not this version of it.
    Foreign,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Document {
    version: u32,
    clients: Vec<DocumentFile>,
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

impl ClientManifest {
    /// Returns the manifest as a document, with a line break at its end.
    pub fn write(&self) -> String {
        let server = |server: &RenderedServer| DocumentServer {
            name: server.name.clone(),
            hash: server.hash.to_string(),
        };
        let file = |file: &ClientFile| DocumentFile {
            client: file.client.name().to_owned(),
            file: file.client.file().to_owned(),
            begun: file.is_begun,
            object_begun: file.has_begun_object && !file.is_begun,
            servers: file.servers.iter().map(server).collect(),
        };
        let document = Document { version: VERSION, clients: self.files.iter().map(file).collect() };
        // The document holds only strings, truth values and a number, so serialization cannot fail.
        serde_json::to_string_pretty(&document).unwrap_or_default() + "\n"
    }

    /// Returns whether both say the same, whatever the order of files and servers.
    pub fn says(&self, other: &Self) -> bool {
        let sorted = |manifest: &Self| {
            let mut files = manifest.files.clone();
            files.sort_by_key(|file| file.client);
            for file in &mut files {
                file.servers.sort();
                file.has_begun_object |= file.is_begun;
            }
            files
        };
        sorted(self) == sorted(other)
    }

    /// Returns what was rendered for a client.
    pub fn find(&self, client: Client) -> Option<&ClientFile> {
        self.files.iter().find(|file| file.client == client)
    }
}

impl ClientRecord {
    /// Reads a manifest. One that names a file which its client does not read is not believed.
    pub fn parse(bytes: &[u8]) -> Self {
        let read = || -> Option<ClientManifest> {
            let document: Document = serde_json::from_slice(bytes).ok()?;
            if document.version != VERSION {
                return None;
            }
            let mut files = document.clients.into_iter().map(file).collect::<Option<Vec<_>>>()?;
            files.sort_by_key(|file| file.client);
            let is_twice = |pair: &[ClientFile]| matches!(pair, [a, b] if a.client == b.client);
            (!files.windows(2).any(is_twice)).then_some(ClientManifest { files })
        };
        read().map_or(Self::Foreign, Self::Read)
    }

    /// Reads the manifest in a snapshot.
    pub fn of(found: &Snapshot) -> Self {
        match found.get(&plan::location(&manifest_path())) {
            None => Self::Absent,
            Some(SnapshotEntry::File { bytes, .. }) => Self::parse(bytes),
            Some(_) => Self::Foreign,
        }
    }

    /// Returns the manifest, if there is one.
    pub fn manifest(&self) -> Option<&ClientManifest> {
        match self {
            Self::Read(manifest) => Some(manifest),
            Self::Absent | Self::Foreign => None,
        }
    }
}

/// Returns the place of the manifest.
pub(super) fn manifest_path() -> WorkspacePath {
    // It is a path, so the root is never taken instead.
    WorkspacePath::parse(CLIENTS_FILE).unwrap_or_default()
}

fn file(file: DocumentFile) -> Option<ClientFile> {
    let client = Client::parse(&file.client).filter(|client| client.file() == file.file)?;
    let server =
        |server: DocumentServer| Some(RenderedServer { name: server.name, hash: parsed(&server.hash)? });
    let mut servers = file.servers.into_iter().map(server).collect::<Option<Vec<_>>>()?;
    servers.sort();
    let is_twice = |pair: &[RenderedServer]| matches!(pair, [a, b] if a.name == b.name);
    let is_usable = !servers.is_empty() && !servers.windows(2).any(is_twice);
    let has_begun_object = file.begun || file.object_begun;
    is_usable.then_some(ClientFile { client, is_begun: file.begun, has_begun_object, servers })
}

fn parsed(hash: &str) -> Option<ContentHash> {
    hash.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn manifest() -> ClientManifest {
        let server = |name: &str| RenderedServer { name: name.to_owned(), hash: ContentHash::of(b"x") };
        let servers = vec![server("a"), server("b")];
        let file = |client, is_begun, has_begun_object| ClientFile {
            client,
            is_begun,
            has_begun_object,
            servers: servers.clone(),
        };
        let files = [
            file(Client::ClaudeCode, true, true),
            file(Client::Codex, false, false),
            file(Client::Gemini, false, true),
        ];
        ClientManifest { files: files.into() }
    }

    #[test]
    fn what_is_written_is_read() {
        assert_eq!(ClientRecord::parse(manifest().write().as_bytes()), ClientRecord::Read(manifest()));
        assert!(manifest().find(Client::Codex).is_some() && manifest().find(Client::Cursor).is_none());
    }

    #[test]
    fn what_this_program_does_not_write_is_foreign() {
        let text = manifest().write();
        for (from, to) in [
            ("{", ""),
            ("\"version\": 1", "\"version\": 2"),
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
        // Of a client that is there twice it is not known which one counts.
        let mut twice: serde_json::Value = serde_json::from_str(&text).unwrap();
        let clients = twice["clients"].as_array_mut().unwrap();
        clients.push(clients[0].clone());
        assert_eq!(ClientRecord::parse(twice.to_string().as_bytes()), ClientRecord::Foreign);
        let none = "{\"version\": 1, \"clients\": [{\"client\": \"codex\", \"file\": \".codex/config.toml\", \
                    \"begun\": true, \"servers\": []}]}";
        assert_eq!(ClientRecord::parse(none.as_bytes()), ClientRecord::Foreign);
    }
}
