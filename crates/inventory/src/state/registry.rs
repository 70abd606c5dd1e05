//! `sources.json`: the registered sources.

use minds_diagnostics::JsonDocument;
use minds_sources::{Hook, HookEvent, Identity, Pin, PinKind, Prefix, Remote, RevisionName};
use minds_vfs::{ContentHash, WorkspacePath};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::document::{self, StateError, VERSION};

/// The name of the file, in the data directory.
pub const REGISTRY_FILE: &str = "sources.json";

/// The registered sources, in the order of their registration.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Registry {
    /// The sources. No two have the same identity.
    pub sources: Vec<RegisteredSource>,
}

/// An override of the prefix that a source declares.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Alias {
    /// No override: the declared prefix is used.
    #[default]
    Declared,
    /// Its items have no prefix.
    None,
    /// Its items have this prefix.
    Prefix(Prefix),
}

/// A registered source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RegisteredSource {
    /// The identity.
    pub identity: Identity,
    /// The location from which it is read.
    pub remote: Remote,
    /// The full id of the commit that is used; `None` for a folder that is not a repository.
    pub commit: Option<String>,
    /// The full id of the tree of that commit; `None` without a commit.
    pub tree: Option<String>,
    /// The purpose of the source, in the words of its author.
    pub description: Option<String>,
    /// The override of its prefix.
    pub alias: Alias,
    /// Which commit counts.
    pub pin: Pin,
    /// The folders in which items are found by convention, if the user or a nested entry overrides those of
    /// the source.
    pub roots: Option<Vec<WorkspacePath>>,
    /// The source that brought it along as a nested source; `None` if the user added it.
    pub curator: Option<Identity>,
    /// The hooks of the user or of a nested entry that replace those of the source.
    pub hooks: Vec<Hook>,
    /// The install hooks that were offered.
    pub install_hooks: Vec<HookRecord>,
}

/// An install hook that was offered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HookRecord {
    /// The command.
    pub command: String,
    /// The hash of source, event and command.
    pub hash: ContentHash,
    /// The commit at which it ran, empty if there is no commit; `None` if it never ran.
    pub ran_at: Option<String>,
}

impl HookRecord {
    /// Returns whether the hook has to be offered again at the current commit `commit`: it never ran, or at
    /// another commit. Without commits there is no indication that anything changed since it ran.
    pub fn is_pending(&self, commit: Option<&str>) -> bool {
        match (self.ran_at.as_deref(), commit) {
            (None, _) => true,
            (Some(_), None) => false,
            (Some(ran_at), Some(commit)) => ran_at != commit,
        }
    }
}

impl RegisteredSource {
    /// Returns whether the source is read live from a folder, not from a clone.
    pub const fn is_linked(&self) -> bool {
        matches!((&self.remote, &self.pin), (Remote::Folder(_), Pin::DefaultBranch))
    }

    /// Returns the prefix of its items, if the source declares `declared`.
    pub fn prefix(&self, declared: Option<&Prefix>) -> Option<Prefix> {
        match &self.alias {
            Alias::Declared => declared.cloned(),
            Alias::None => None,
            Alias::Prefix(prefix) => Some(prefix.clone()),
        }
    }

    /// Returns the location, as a specification that names the same source again.
    pub fn url(&self) -> &str {
        match &self.remote {
            Remote::Folder(text) | Remote::Repository(text) => text,
        }
    }
}

impl Registry {
    /// Parses the file.
    ///
    /// # Errors
    ///
    /// Returns the first error: a syntax error, an invalid value, or two sources with the same identity.
    pub fn parse(bytes: &[u8]) -> Result<Self, StateError> {
        let document: Document = document::read(REGISTRY_FILE, bytes)?;
        let wrong = |name: &str, problem: String| {
            StateError::new(REGISTRY_FILE, format!("source `{}`: {problem}", name.escape_debug()))
        };
        let mut registry = Self::default();
        for row in document.sources {
            let name = row.name.clone();
            let source = parse_source(row).map_err(|problem| wrong(&name, problem))?;
            if registry.find(&source.identity).is_some() {
                return Err(wrong(&name, "it is listed twice".to_owned()));
            }
            registry.sources.push(source);
        }
        Ok(registry)
    }

    /// Serializes the registry, with a line break at the end.
    pub fn write(&self) -> String {
        document::write(&Document { version: VERSION, sources: self.sources.iter().map(to_row).collect() })
    }

    /// Returns the sources as a document for other programs.
    pub fn document(&self) -> RegistryDocument {
        RegistryDocument { sources: self.sources.iter().map(to_row).collect() }
    }

    /// Returns the source with this identity.
    pub fn find(&self, identity: &Identity) -> Option<&RegisteredSource> {
        self.sources.iter().find(|source| source.identity == *identity)
    }

    /// Returns the source with this identity, mutably.
    pub fn find_mut(&mut self, identity: &Identity) -> Option<&mut RegisteredSource> {
        self.sources.iter_mut().find(|source| source.identity == *identity)
    }

    /// Removes the source with this identity, and returns whether it existed.
    pub fn remove(&mut self, identity: &Identity) -> bool {
        let before = self.sources.len();
        self.sources.retain(|source| source.identity != *identity);
        self.sources.len() != before
    }
}

/// The registered sources, as they are recorded.
#[derive(Debug, Serialize, JsonSchema)]
pub struct RegistryDocument {
    /// The sources in the order of their registration.
    sources: Vec<Row>,
}

impl JsonDocument for RegistryDocument {
    const NAME: &'static str = "source-list-sources";
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Document {
    version: u32,
    sources: Vec<Row>,
}

/// A registered source.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(!deny_unknown_fields, rename = "RegisteredSource")]
struct Row {
    /// The identity: host, owner and name.
    name: String,
    /// The URL or path from which it is read.
    url: String,
    /// The first part of the identity.
    host: String,
    /// The parts of the identity between the first and the last.
    owner: String,
    /// The last part of the identity.
    repo: String,
    /// The full id of the commit that is used; `null` for a folder that is not a repository.
    commit: Option<String>,
    /// The full id of the tree of that commit.
    tree: Option<String>,
    /// The purpose of the source, in the words of its author.
    description: Option<String>,
    /// The prefix that overrides its own; empty for no prefix.
    alias: Option<String>,
    /// Which commit is used.
    pin: PinRow,
    /// The folders in which items are found by convention, if they override those of the source.
    roots: Option<Vec<String>>,
    /// The source that brought it along; `null` if the user added it.
    curator: Option<String>,
    /// The hooks that replace those of the source; omitted if there are none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    hooks: Vec<HookRow>,
    /// The install hooks that were offered.
    #[serde(default)]
    install_hooks: Vec<RecordRow>,
}

/// Which commit of a repository is used.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(!deny_unknown_fields, rename = "Pin")]
struct PinRow {
    /// The kind of pin.
    #[schemars(with = "PinKind")]
    kind: String,
    /// The name of the branch, tag or commit; omitted for the default branch.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    value: Option<String>,
}

/// A command that a source wants to run.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(!deny_unknown_fields, rename = "Hook")]
pub(super) struct HookRow {
    /// The command.
    run: String,
    /// Its name; omitted if it has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    /// Whether it may be skipped.
    optional: bool,
    /// When it runs.
    #[schemars(with = "HookEvent")]
    event: String,
}

/// An install hook that was offered.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(!deny_unknown_fields, rename = "HookRecord")]
struct RecordRow {
    /// The command.
    command: String,
    /// The hash of source, event and command.
    hash: String,
    /// The commit at which it ran, empty if there is no commit; `null` if it never ran.
    ran_at: Option<String>,
}

fn to_row(source: &RegisteredSource) -> Row {
    let identity = source.identity.as_str();
    let (host, rest) = identity.split_once('/').unwrap_or((identity, ""));
    let (owner, repo) = rest.rsplit_once('/').unwrap_or(("", rest));
    Row {
        name: identity.to_owned(),
        url: source.url().to_owned(),
        host: host.to_owned(),
        owner: owner.to_owned(),
        repo: repo.to_owned(),
        commit: source.commit.clone(),
        tree: source.tree.clone(),
        description: source.description.clone(),
        alias: match &source.alias {
            Alias::Declared => None,
            Alias::None => Some(String::new()),
            Alias::Prefix(prefix) => Some(prefix.to_string()),
        },
        pin: PinRow {
            kind: source.pin.kind().to_string(),
            value: source.pin.revision().map(ToString::to_string),
        },
        roots: source.roots.as_ref().map(|roots| roots.iter().map(format_root).collect()),
        curator: source.curator.as_ref().map(ToString::to_string),
        hooks: source.hooks.iter().map(to_hook_row).collect(),
        install_hooks: source.install_hooks.iter().map(to_record_row).collect(),
    }
}

/// Returns a root as written in `mind.toml`: the root of the source is `.`.
fn format_root(root: &WorkspacePath) -> String {
    if root.as_str().is_empty() { ".".to_owned() } else { root.to_string() }
}

pub(super) fn to_hook_row(hook: &Hook) -> HookRow {
    HookRow {
        run: hook.run.clone(),
        name: hook.name.clone(),
        optional: hook.is_optional,
        event: hook.event.name().to_owned(),
    }
}

pub(super) fn parse_hook(row: HookRow) -> Result<Hook, String> {
    let event = HookEvent::find(&row.event).ok_or_else(|| format!("unknown event `{}`", row.event))?;
    Ok(Hook { run: row.run, name: row.name, is_optional: row.optional, event })
}

fn to_record_row(record: &HookRecord) -> RecordRow {
    RecordRow {
        command: record.command.clone(),
        hash: record.hash.to_string(),
        ran_at: record.ran_at.clone(),
    }
}

fn parse_record(row: RecordRow) -> Result<HookRecord, String> {
    let hash = row.hash.parse().map_err(|error: minds_vfs::ContentHashError| error.to_string())?;
    Ok(HookRecord { command: row.command, hash, ran_at: row.ran_at })
}

fn parse_source(row: Row) -> Result<RegisteredSource, String> {
    let text = |error: &dyn std::fmt::Display| error.to_string();
    let identity = Identity::parse(&row.name).map_err(|error| text(&error))?;
    let roots = row.roots.map(|roots| roots.iter().map(|root| parse_root(root)).collect()).transpose()?;
    let curator =
        row.curator.map(|curator| Identity::parse(&curator)).transpose().map_err(|error| text(&error))?;
    Ok(RegisteredSource {
        remote: parse_remote(&row.url)?,
        commit: row.commit.map(parse_object_id).transpose()?,
        tree: row.tree.map(parse_object_id).transpose()?,
        description: row.description,
        alias: match row.alias.as_deref().map(Prefix::parse) {
            None => Alias::Declared,
            Some(Ok(None)) => Alias::None,
            Some(Ok(Some(prefix))) => Alias::Prefix(prefix),
            Some(Err(error)) => return Err(format!("`alias`: {error}")),
        },
        pin: parse_pin(&row.pin)?,
        roots,
        curator,
        hooks: row.hooks.into_iter().map(parse_hook).collect::<Result<_, _>>()?,
        install_hooks: row.install_hooks.into_iter().map(parse_record).collect::<Result<_, _>>()?,
        identity,
    })
}

fn parse_root(root: &str) -> Result<WorkspacePath, String> {
    if root == "." {
        return Ok(WorkspacePath::root());
    }
    WorkspacePath::parse(root).map_err(|error| error.to_string())
}

/// Parses a URL. It is passed to git as an operand, so it must not look like anything else.
fn parse_remote(url: &str) -> Result<Remote, String> {
    let is_hidden = |c: char| minds_vfs::portable::is_control(c) || minds_vfs::portable::is_directional(c);
    if url.is_empty() || url.starts_with('-') || url.chars().any(is_hidden) {
        return Err(format!("`{}` is not a URL", url.escape_debug()));
    }
    if url.starts_with('/') {
        let folder = crate::AbsolutePath::parse(url).map_err(|error| format!("`url`: {error}"))?;
        return Ok(Remote::Folder(folder.to_string()));
    }
    Ok(Remote::Repository(url.to_owned()))
}

fn parse_pin(row: &PinRow) -> Result<Pin, String> {
    Pin::parse(&row.kind, || {
        let value = row.value.as_deref().ok_or("the value of the pin is missing")?;
        RevisionName::parse(value).map_err(|error| format!("the pin `{}`: {error}", value.escape_debug()))
    })
}

/// Checks the full id of a git object, which is passed to git as an operand.
pub(super) fn parse_object_id(id: String) -> Result<String, String> {
    let is_id = matches!(id.len(), 40 | 64) && id.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'));
    if is_id { Ok(id) } else { Err(format!("`{}` is not a full commit id", id.escape_debug())) }
}
