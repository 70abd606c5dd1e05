//! The program that performs the turns of an agent in place of requests to a model.

use std::collections::BTreeMap;

use minds_document::List;
use minds_fleet::AgentEntry;
use minds_fleet::model::{Engine, EngineKind, EnginePermission, TransportValue};
use minds_workspace::message_without_secrets;

use super::secret::Secret;

/// The program that performs the turns of an agent, as its file describes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FleetEngine {
    /// What is started.
    pub program: FleetProgram,
    /// Its environment variables.
    pub env: Vec<(String, FleetEnvValue)>,
    /// The permissions that the file sets, by the kinds of tool calls.
    pub permissions: BTreeMap<&'static str, EnginePermission>,
}

/// A program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FleetProgram {
    /// One of the known ones, by its name.
    Short(&'static str),
    /// Any other.
    Command {
        /// The program.
        command: String,
        /// Its arguments.
        args: Vec<String>,
    },
}

/// The value of an environment variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FleetEnvValue {
    /// It is in the file.
    Literal(Secret<String>),
    /// It is in the file, and has the form of a secret, which no output shows.
    SecretLiteral(Secret<String>),
    /// It is that of a variable of the agent.
    Variable(String),
}

impl FleetEnvValue {
    /// Returns the value for a string of a file.
    pub(super) fn of_text(text: String) -> Self {
        if Self::is_secret(&text) {
            Self::SecretLiteral(Secret::new(text))
        } else {
            Self::Literal(Secret::new(text))
        }
    }

    /// Returns whether a string has the form of a secret.
    pub(super) fn is_secret(text: &str) -> bool {
        *message_without_secrets(text) != *text
    }
}

/// Reads the program of an agent; none if it uses a model itself, or its file has errors.
pub(super) fn read(entry: &AgentEntry) -> Option<FleetEngine> {
    let agent = entry.content()?;
    let engine = &agent.engine.as_given()?.value;
    let kind = engine.kind().filter(|kind| kind.is_acp())?;
    let mut env = Vec::new();
    let mut permissions = BTreeMap::new();
    if let Engine::Full(fields) = engine {
        let variables = fields.env.as_given().iter().flat_map(|env| &env.value).collect::<Vec<_>>();
        env.extend(variables.into_iter().map(|(name, value)| {
            let value = match &value.value {
                TransportValue::Literal(text) => FleetEnvValue::of_text(text.clone()),
                TransportValue::Variable(name) => FleetEnvValue::Variable(name.as_str().to_owned()),
            };
            (name.clone(), value)
        }));
        permissions.extend(fields.permissions.as_given().iter().flat_map(|given| given.value.entries()));
    }
    let program = match (kind, engine) {
        (EngineKind::Short(name), _) => FleetProgram::Short(name),
        (_, Engine::Full(fields)) => FleetProgram::Command {
            command: fields.command.as_given()?.value.clone(),
            args: strings(fields.args.as_given().map(|args| &args.value)),
        },
        (_, Engine::Short(_)) => return None,
    };
    Some(FleetEngine { program, env, permissions })
}

fn strings(list: Option<&List<String>>) -> Vec<String> {
    list.into_iter().flat_map(|list| &list.items).map(|item| item.value.clone()).collect()
}
