//! What performs the work of an agent.

use std::collections::BTreeMap;

use minds_document::json_schema::{Keywords as _, Schema, string_values};
use minds_document::{Decode, Field, Keys, List, Spanned, inline_schema};

use crate::decode::{engine_env, engine_env_schema};
use crate::model::TransportValue as EnvValue;
use crate::scalars::{not_blank, not_blank_schema};

/// The short forms of engines: programs that speak the Agent Client Protocol.
pub const SHORT_ENGINES: [&str; 5] = ["claude-code", "codex", "gemini", "goose", "opencode"];

/// What performs the work of an agent.
#[derive(Debug)]
pub enum Engine {
    /// One of [`SHORT_ENGINES`].
    Short(&'static str),
    /// The keys of a mapping.
    Full(Box<EngineFields>),
}

/// The keys of an engine.
#[derive(Debug, Default, Keys)]
#[keys(title = "engine", extend = require_command)]
pub struct EngineFields {
    /// The kind.
    #[key(required)]
    pub kind: Field<EngineKind>,
    /// The program, for `acp`.
    ///
    /// Not blank.
    #[key(decode = not_blank, schema = not_blank_schema, examples = ["claude-agent-acp"])]
    pub command: Field<String>,
    /// The arguments of the program.
    pub args: Field<List<String>>,
    /// Environment variables of the program: strings, or `{env: NAME}` for the value of a variable of the agent.
    #[key(decode = engine_env, schema = engine_env_schema)]
    pub env: Field<BTreeMap<String, Spanned<EnvValue>>>,
    /// What the program may do, by kinds of tools.
    pub permissions: Field<EnginePermissions>,
}

/// A kind of engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum EngineKind {
    /// `llm`: requests to a model.
    Llm,
    /// `acp`: a program that speaks the Agent Client Protocol.
    Acp,
    /// One of [`SHORT_ENGINES`].
    Short(&'static str),
}

/// What an engine may do, by the kinds of tools of the Agent Client Protocol.
#[derive(Debug, Default, Keys, Decode)]
#[keys(title = "permissions")]
pub struct EnginePermissions {
    /// Reading files.
    pub read: Field<EnginePermission>,
    /// Changing files.
    pub edit: Field<EnginePermission>,
    /// Deleting files.
    pub delete: Field<EnginePermission>,
    /// Moving files.
    pub r#move: Field<EnginePermission>,
    /// Searching for files and text.
    pub search: Field<EnginePermission>,
    /// Running commands.
    pub execute: Field<EnginePermission>,
    /// Thinking.
    pub think: Field<EnginePermission>,
    /// Fetching data from other machines.
    pub fetch: Field<EnginePermission>,
    /// Changing the mode of the program.
    pub switch_mode: Field<EnginePermission>,
    /// All other tools.
    pub other: Field<EnginePermission>,
}

/// Whether an engine may do something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EnginePermission {
    /// `allow`
    Allow,
    /// `ask`: the owner decides.
    Ask,
    /// `deny`
    Deny,
}

impl Engine {
    /// Returns the kind; `None` if it cannot be read.
    pub fn kind(&self) -> Option<EngineKind> {
        match self {
            Self::Short(name) => Some(EngineKind::Short(name)),
            Self::Full(fields) => fields.kind.as_given().map(|kind| kind.value),
        }
    }
}

impl EngineKind {
    /// Returns every kind.
    pub fn all() -> impl Iterator<Item = Self> {
        [Self::Llm, Self::Acp].into_iter().chain(SHORT_ENGINES.map(Self::Short))
    }

    /// Returns whether it is a program that speaks the Agent Client Protocol.
    pub fn is_acp(self) -> bool {
        self != Self::Llm
    }

    /// Returns the name that files use.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Llm => "llm",
            Self::Acp => "acp",
            Self::Short(name) => name,
        }
    }
}

impl EnginePermission {
    /// Every permission.
    pub const ALL: [Self; 3] = [Self::Allow, Self::Ask, Self::Deny];

    /// Returns the name that files use.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Allow => "allow",
            Self::Ask => "ask",
            Self::Deny => "deny",
        }
    }
}

impl EnginePermissions {
    /// Returns the given permissions by the names of the kinds.
    pub fn entries(&self) -> impl Iterator<Item = (&'static str, EnginePermission)> {
        let fields = [
            ("read", &self.read),
            ("edit", &self.edit),
            ("delete", &self.delete),
            ("move", &self.r#move),
            ("search", &self.search),
            ("execute", &self.execute),
            ("think", &self.think),
            ("fetch", &self.fetch),
            ("switch_mode", &self.switch_mode),
            ("other", &self.other),
        ];
        fields.into_iter().filter_map(|(name, field)| Some((name, field.as_given()?.value)))
    }
}

inline_schema!(EngineKind, |_| string_values(EngineKind::all().map(|kind| (kind.as_str(), ""))));
inline_schema!(EnginePermission, |_| string_values(EnginePermission::ALL.map(|one| (one.as_str(), ""))));

/// Demands the program of an engine of the kind `acp`.
fn require_command(schema: Schema) -> Schema {
    schema.require_where("kind", &[EngineKind::Acp.as_str()], "command")
}
