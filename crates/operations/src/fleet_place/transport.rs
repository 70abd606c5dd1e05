//! What connects the agents of a fleet and their clients.

use std::path::PathBuf;

use minds_fleet::FleetFamily;
use minds_fleet::merge::{MergedValue, merge};
use minds_process::variable;

use super::secret::Secret;
use super::values::{at, is_true, text};
use super::{FleetOptions, unusable};
use crate::OperationError;

/// The variable with the URL of the Redis server.
const REDIS_VARIABLE: &str = "ATEAM_REDIS_URL";
/// The URL of a server that no file names.
const DEFAULT_URL: &str = "redis://127.0.0.1:6379/0";
/// The beginning of keys and channels.
const DEFAULT_PREFIX: &str = "mcp:";

/// What connects the agents and their clients.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FleetTransport {
    /// Files and sockets of one user on this machine.
    Local,
    /// A Redis server.
    Redis(Box<RedisPlace>),
}

/// A Redis server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RedisPlace {
    /// The URL, which may contain a password.
    pub url: Secret<String>,
    /// The account, unless it is in the URL.
    pub username: Option<String>,
    /// The password, unless it is in the URL.
    pub password: Option<Secret<String>>,
    /// Whether the connection is encrypted although the URL does not say it.
    pub is_encrypted: bool,
    /// The file with trusted certificates, an absolute path or relative to the workspace.
    pub ca_file: Option<PathBuf>,
    /// The beginning of keys and channels.
    pub prefix: String,
    /// Whether a password may be sent to another machine without encryption.
    pub allows_plaintext: bool,
}

impl FleetTransport {
    /// Returns its kind, as files name it.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Local => "local",
            Self::Redis(_) => "redis",
        }
    }
}

/// Returns the transport, and the name of the fleet on this machine that the files define.
///
/// A URL of the options or the environment is another server than that of the files, so the account of the files is not used
/// for it.
pub(super) fn find(
    family: &FleetFamily,
    options: &FleetOptions<'_>,
) -> Result<(FleetTransport, Option<String>), OperationError> {
    let merged = merge(family.roots(|layer| layer.tools.as_ref()).filter_map(|root| {
        let mcp = root.get("mcp")?;
        Some(mcp.get("transport").unwrap_or(mcp))
    }));
    let value = |key: &str| merged.as_ref().and_then(|transport| at(transport, &[key]));
    let name = value("name").and_then(text).map(str::to_owned);
    let server = |url: String| RedisPlace {
        url: Secret::new(url),
        username: None,
        password: None,
        is_encrypted: is_true(value("tls")),
        ca_file: value("ca_file").and_then(text).map(PathBuf::from),
        prefix: value("prefix").and_then(text).unwrap_or(DEFAULT_PREFIX).to_owned(),
        allows_plaintext: is_true(value("allow_plaintext")),
    };
    if options.is_local {
        return Ok((FleetTransport::Local, name));
    }
    let given = match options.redis {
        Some(url) => Some(url.to_owned()),
        None => variable(REDIS_VARIABLE)?.filter(|url| !url.is_empty()),
    };
    if let Some(url) = given {
        return Ok((FleetTransport::Redis(Box::new(server(url))), name));
    }
    let is_redis = match value("kind") {
        Some(kind) => match text(kind) {
            Some("local") => false,
            Some("redis") => true,
            _ => return Err(unusable("`mcp.transport.kind` is not valid; run `minds check`".to_owned())),
        },
        None => value("url").is_some(),
    };
    if !is_redis {
        return Ok((FleetTransport::Local, name));
    }
    let url = value("url").map(|url| resolve(url, "url")).transpose()?;
    let mut found = server(url.unwrap_or_else(|| DEFAULT_URL.to_owned()));
    found.username = value("username").map(|username| resolve(username, "username")).transpose()?;
    let password = value("password").map(|password| resolve(password, "password")).transpose()?;
    found.password = password.map(Secret::new);
    Ok((FleetTransport::Redis(Box::new(found)), name))
}

/// Returns a value of the transport, or that of the environment variable to which it refers.
fn resolve(value: &MergedValue<'_>, key: &str) -> Result<String, OperationError> {
    if let Some(literal) = text(value) {
        return Ok(literal.to_owned());
    }
    let Some(name) = value.get("env").and_then(text) else {
        return Err(unusable(format!("`mcp.transport.{key}` is not valid; run `minds check`")));
    };
    variable(name)?.ok_or_else(|| {
        unusable(format!(
            "`mcp.transport.{key}` refers to the environment variable `{name}`, which is not set"
        ))
    })
}
