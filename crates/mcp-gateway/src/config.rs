//! The servers that `mcp.yaml` declares, with the values of the environment.

use std::borrow::Cow;
use std::fmt;
use std::path::{Path, PathBuf};

use minds_core::mcp::{self, Mcp, ServerFields, SettingValue, ToolFilter, Transform};
use minds_core::{MCP_FILE, TeamFamily};
use minds_document::{Document, Field, List};
use minds_text::secrets::{KeyClass, REDACTED, TextKind, classify_key, mask_secrets};
use minds_vfs::Snapshot;
use sha2::{Digest as _, Sha256};

/// The servers of `mcp.yaml` in the order of the file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Config {
    /// The servers with their ids, which are unique.
    pub servers: Vec<ServerEntry>,
    /// The ids of servers of the file that are those of built-in servers, which are used in their place.
    pub colliding: Vec<String>,
}

/// A server of `mcp.yaml`, by its id, which is the name of its toolset.
#[derive(Clone, Debug, PartialEq)]
pub struct ServerEntry {
    /// The id.
    pub id: String,
    /// What it declares, or why that cannot be used.
    pub server: Result<Server, InvalidServer>,
    /// Whether it provides a built-in toolset, and no file declares it.
    pub is_built_in: bool,
}

/// What an entry of a server declares.
#[derive(Clone, Debug, PartialEq)]
pub struct Server {
    /// How it is reached.
    pub transport: Transport,
    /// Whether all conversations share one connection.
    pub is_stateless: bool,
    /// Whether it is enabled.
    pub is_enabled: bool,
    /// The tools that are offered in any case, by their original names; `*` stands for any characters.
    pub whitelist: Vec<String>,
    /// The tools that are not offered.
    pub blacklist: Vec<String>,
    /// The renaming steps in their order.
    pub transforms: Vec<Transform>,
}

/// How a server is reached.
#[derive(Clone, PartialEq, Eq)]
pub enum Transport {
    /// A program that is started.
    Stdio(StdioServer),
    /// A URL.
    Http(HttpServer),
}

/// A server that is a program. Values of variables are secrets.
#[derive(Clone, PartialEq, Eq)]
pub struct StdioServer {
    /// The program, as a shell would look for it.
    pub command: String,
    /// Its arguments.
    pub args: Vec<String>,
    /// Environment variables in addition to those of the gateway.
    pub env: Vec<(String, String)>,
    /// The working directory, an absolute path.
    pub directory: PathBuf,
}

/// A server that is reached over HTTP. Values of headers are secrets.
#[derive(Clone, PartialEq, Eq)]
pub struct HttpServer {
    /// The URL.
    pub url: String,
    /// The headers of each request.
    pub headers: Vec<(String, String)>,
    /// The session to resume.
    pub session: Option<String>,
}

/// Why the entry of a server cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidServer {
    /// A key is missing or has a value that cannot be read.
    #[error("`{key}` cannot be read; `minds check` says why")]
    Key {
        /// The key.
        key: &'static str,
    },
    /// An environment variable is not set.
    #[error("`{key}` needs the environment variable `{variable}`, which is not set")]
    Variable {
        /// The key.
        key: &'static str,
        /// The name of the variable.
        variable: String,
    },
    /// The program of a built-in toolset does not exist.
    #[error("the program `{program}` is not installed")]
    NotInstalled {
        /// Its name.
        program: &'static str,
    },
}

/// Why `mcp.yaml` cannot be used as a whole.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ConfigError {
    /// It is not YAML, not a mapping, or has keys twice.
    #[error("`{MCP_FILE}` cannot be read; `minds check` says why")]
    Unreadable,
    /// The version is missing or unknown.
    #[error("`version` of `{MCP_FILE}` must be 1")]
    Version,
}

/// Identifies everything that a running connection depends on. Filters and renaming are not part of it, so a change of them
/// restarts nothing.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Fingerprint(pub(crate) [u8; 32]);

impl Config {
    /// Reads the servers of a snapshot of a team. Without `mcp.yaml` there are none. `variable` returns the value of an
    /// environment variable, and `workspace` is the absolute path of the workspace.
    ///
    /// # Errors
    ///
    /// Fails if the file as a whole cannot be used; a single entry that cannot be used is part of the result.
    pub fn read(
        snapshot: &Snapshot,
        workspace: &Path,
        variable: &dyn Fn(&str) -> Option<String>,
    ) -> Result<Self, ConfigError> {
        let family = TeamFamily::load(snapshot).value;
        let Some(file) = &family.mcp else { return Ok(Self::default()) };
        let (Some(mcp), Some(document)) = (&file.mcp, &file.document) else {
            return Err(ConfigError::Unreadable);
        };
        check_whole(mcp, document)?;
        let reader = Reader { workspace, variable };
        let entry = |server: &mcp::Server| {
            let (id, server) = (server.id.value.clone(), reader.server(server));
            ServerEntry { id, server, is_built_in: false }
        };
        Ok(Self { servers: mcp.servers.iter().map(entry).collect(), colliding: Vec::new() })
    }
}

/// Checks what makes the whole file unusable.
fn check_whole(mcp: &Mcp, document: &Document) -> Result<(), ConfigError> {
    let is_complete = mcp.is_complete && !document.is_partial() && !document.has_repeated_keys();
    if !is_complete || mcp.servers_field.is_unreadable() {
        return Err(ConfigError::Unreadable);
    }
    if mcp.version.as_given().is_none() {
        return Err(ConfigError::Version);
    }
    Ok(())
}

struct Reader<'r> {
    workspace: &'r Path,
    variable: &'r dyn Fn(&str) -> Option<String>,
}

impl Reader<'_> {
    fn server(&self, server: &mcp::Server) -> Result<Server, InvalidServer> {
        let fields = require("servers", &server.fields)?;
        let transport = match require("transport", &fields.transport)? {
            mcp::Transport::Stdio => Transport::Stdio(self.stdio(fields)?),
            mcp::Transport::StreamableHttp => Transport::Http(self.http(fields)?),
            _ => return Err(InvalidServer::Key { key: "transport" }),
        };
        let none = ToolFilter::default();
        let tools = find("tools", &fields.tools)?.unwrap_or(&none);
        let mut transforms = list("transform", &fields.transform)?;
        transforms.extend(list("transform", &tools.transform)?);
        Ok(Server {
            transport,
            is_stateless: find("truely-stateless", &fields.truely_stateless)?.copied().unwrap_or(false),
            is_enabled: find("enabled", &fields.enabled)?.copied().unwrap_or(true),
            whitelist: list("whitelist", &tools.whitelist)?,
            blacklist: list("blacklist", &tools.blacklist)?,
            transforms,
        })
    }

    fn stdio(&self, fields: &ServerFields) -> Result<StdioServer, InvalidServer> {
        let directory =
            find("cwd", &fields.cwd)?.map_or(self.workspace.to_owned(), |cwd| self.workspace.join(cwd));
        Ok(StdioServer {
            command: require("command", &fields.command)?.clone(),
            args: list("args", &fields.args)?,
            env: self.settings("env", &fields.env)?,
            directory,
        })
    }

    fn http(&self, fields: &ServerFields) -> Result<HttpServer, InvalidServer> {
        let session = find("sessionId", &fields.session_id)?.map(|id| id.trim().to_owned());
        Ok(HttpServer {
            url: require("url", &fields.url)?.as_str().to_owned(),
            headers: self.settings("headers", &fields.headers)?,
            session: session.filter(|id| !id.is_empty()),
        })
    }

    fn settings(
        &self,
        key: &'static str,
        field: &Field<Vec<mcp::Setting>>,
    ) -> Result<Vec<(String, String)>, InvalidServer> {
        let settings = find(key, field)?.map(Vec::as_slice).unwrap_or_default();
        let mut values = Vec::with_capacity(settings.len());
        for setting in settings {
            let value = match require(key, &setting.value)? {
                SettingValue::Literal(value) => value.clone(),
                SettingValue::Variable { name, prefix } => {
                    let value = (self.variable)(name.as_str());
                    let unset = || InvalidServer::Variable { key, variable: name.as_str().to_owned() };
                    format!("{}{}", prefix.as_deref().unwrap_or_default(), value.ok_or_else(unset)?)
                }
            };
            values.push((setting.name.value.clone(), value));
        }
        Ok(values)
    }
}

fn find<'f, T>(key: &'static str, field: &'f Field<T>) -> Result<Option<&'f T>, InvalidServer> {
    match field {
        Field::Absent => Ok(None),
        Field::Given(value) => Ok(Some(&value.value)),
        Field::Unreadable(_) => Err(InvalidServer::Key { key }),
    }
}

fn require<'f, T>(key: &'static str, field: &'f Field<T>) -> Result<&'f T, InvalidServer> {
    find(key, field)?.ok_or(InvalidServer::Key { key })
}

fn list<T: Clone>(key: &'static str, field: &Field<List<T>>) -> Result<Vec<T>, InvalidServer> {
    match find(key, field)? {
        None => Ok(Vec::new()),
        Some(list) if list.is_complete => Ok(list.items.iter().map(|item| item.value.clone()).collect()),
        Some(_) => Err(InvalidServer::Key { key }),
    }
}

impl Server {
    /// Returns the fingerprint of everything that a connection depends on, values of variables included.
    pub fn fingerprint(&self) -> Fingerprint {
        let mut hash = Hash(Sha256::new());
        hash.write_text(if self.is_stateless { "stateless" } else { "stateful" });
        match &self.transport {
            Transport::Stdio(server) => {
                hash.write_text("stdio");
                hash.write_text(&server.command);
                hash.write_list(server.args.iter().map(String::as_str));
                hash.write_settings(&server.env);
                hash.write_bytes(server.directory.as_os_str().as_encoded_bytes());
            }
            Transport::Http(server) => {
                hash.write_text("streamable_http");
                hash.write_text(&server.url);
                hash.write_settings(&server.headers);
                hash.write_list(server.session.as_deref());
            }
        }
        Fingerprint(hash.0.finalize().into())
    }
}

/// The shortest value that is redacted: a shorter one would be found in the middle of words.
const MIN_SECRET_BYTES: usize = 6;

impl Server {
    /// Replaces the values of variables and headers whose names say that they are secrets, and what looks like a secret, in
    /// text of the server.
    pub fn redact<'t>(&self, text: &'t str) -> Cow<'t, str> {
        let mut redacted = mask_secrets(text, TextKind::Message);
        for secret in self.secrets() {
            if redacted.contains(secret) {
                redacted = redacted.replace(secret, REDACTED).into();
            }
        }
        redacted
    }

    /// Returns the values of variables and headers whose names say that they are secrets.
    pub fn secrets(&self) -> impl Iterator<Item = &str> {
        let settings = match &self.transport {
            Transport::Stdio(server) => &server.env,
            Transport::Http(server) => &server.headers,
        };
        let named = settings.iter().filter(|(name, _)| {
            matches!(classify_key(name), KeyClass::Secret | KeyClass::Scalar | KeyClass::Weak)
        });
        // The word in front of a secret, such as `Bearer`, is none.
        let words = named.filter_map(|(_, value)| value.split_whitespace().last());
        words.filter(|word| word.len() >= MIN_SECRET_BYTES)
    }
}

/// A hash of values with their lengths, so that different values never look the same.
struct Hash(Sha256);

impl Hash {
    fn write_bytes(&mut self, bytes: &[u8]) {
        self.0.update((bytes.len() as u64).to_le_bytes());
        self.0.update(bytes);
    }

    fn write_text(&mut self, text: &str) {
        self.write_bytes(text.as_bytes());
    }

    fn write_list<'t>(&mut self, texts: impl IntoIterator<Item = &'t str>) {
        let texts: Vec<&str> = texts.into_iter().collect();
        self.0.update((texts.len() as u64).to_le_bytes());
        for text in texts {
            self.write_text(text);
        }
    }

    fn write_settings(&mut self, settings: &[(String, String)]) {
        self.0.update((settings.len() as u64).to_le_bytes());
        for (name, value) in settings {
            self.write_text(name);
            self.write_text(value);
        }
    }
}

impl fmt::Debug for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

/// The first 16 hexadecimal digits, which are enough to tell configurations apart.
impl fmt::Display for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().take(8).try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

/// Omits the values of variables, which are secrets.
impl fmt::Debug for Transport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = |settings: &[(String, String)]| -> Vec<String> {
            settings.iter().map(|(name, _)| name.clone()).collect()
        };
        match self {
            Self::Stdio(server) => f
                .debug_struct("Stdio")
                .field("command", &server.command)
                .field("args", &server.args)
                .field("env", &names(&server.env))
                .field("directory", &server.directory)
                .finish(),
            Self::Http(server) => f
                .debug_struct("Http")
                .field("url", &server.url)
                .field("headers", &names(&server.headers))
                .finish_non_exhaustive(),
        }
    }
}
