//! The keys of a compose file that are written.

use serde::{Serialize, Serializer};

/// The file: its services with the given names, and its volumes.
#[derive(Serialize)]
pub(super) struct ComposeFile<'a> {
    pub(super) name: Literal<'a>,
    #[serde(serialize_with = "mapping")]
    pub(super) services: Vec<(&'a str, Container<'a>)>,
    #[serde(serialize_with = "mapping")]
    pub(super) volumes: Vec<(&'static str, Volume)>,
}

impl ComposeFile<'_> {
    /// Returns the text of the file, or `None` if the library refuses to write it, which it does not do for
    /// these types.
    pub(super) fn to_text(&self) -> Option<String> {
        // All strings are quoted: parsers of YAML 1.1 and 1.2 read other types from different strings.
        let options = serde_saphyr::ser_options! { quote_all: true, compact_list_indent: false };
        let text = serde_saphyr::to_string_with_options(self, options).ok()?;
        Some(format!("# Written by `minds render`.\n{text}"))
    }
}

/// A service of the file.
#[derive(Serialize)]
#[serde(untagged)]
pub(super) enum Container<'a> {
    Redis(Box<Redis>),
    Agent(Box<Agent<'a>>),
}

/// The Redis server through which agents communicate.
#[derive(Serialize)]
pub(super) struct Redis {
    pub(super) image: &'static str,
    pub(super) command: [&'static str; 5],
    pub(super) healthcheck: HealthCheck,
    pub(super) restart: &'static str,
    pub(super) volumes: [&'static str; 1],
}

#[derive(Serialize)]
pub(super) struct HealthCheck {
    pub(super) test: [&'static str; 3],
    pub(super) interval: &'static str,
    pub(super) timeout: &'static str,
    pub(super) retries: u8,
}

/// The container of an agent.
#[derive(Serialize)]
pub(super) struct Agent<'a> {
    pub(super) image: Literal<'a>,
    pub(super) build: Build,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) entrypoint: Option<[Literal<'a>; 1]>,
    pub(super) command: Vec<Literal<'a>>,
    pub(super) working_dir: Literal<'a>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) env_file: Vec<EnvironmentFile<'a>>,
    #[serde(serialize_with = "mapping", skip_serializing_if = "Vec::is_empty")]
    pub(super) environment: Vec<(&'static str, Literal<'a>)>,
    pub(super) volumes: Vec<Mount<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) depends_on: Option<Dependencies>,
    pub(super) init: bool,
    pub(super) stdin_open: bool,
    pub(super) cap_drop: [&'static str; 1],
    pub(super) security_opt: [&'static str; 1],
    pub(super) restart: &'static str,
    pub(super) stop_grace_period: String,
}

#[derive(Serialize)]
pub(super) struct Build {
    pub(super) context: &'static str,
    pub(super) args: BuildArguments,
}

/// The arguments of the image. Variables in them are expanded.
#[derive(Serialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub(super) struct BuildArguments {
    pub(super) base_image: &'static str,
    pub(super) agent_uid: &'static str,
    pub(super) agent_gid: &'static str,
}

#[derive(Serialize)]
pub(super) struct EnvironmentFile<'a> {
    pub(super) path: Literal<'a>,
    pub(super) format: &'static str,
}

#[derive(Serialize)]
pub(super) struct Mount<'a> {
    #[serde(rename = "type")]
    pub(super) kind: &'static str,
    pub(super) source: Literal<'a>,
    pub(super) target: Literal<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) read_only: Option<bool>,
}

#[derive(Serialize)]
pub(super) struct Dependencies {
    pub(super) redis: Dependency,
}

#[derive(Serialize)]
pub(super) struct Dependency {
    pub(super) condition: &'static str,
}

/// A named volume without settings.
#[derive(Serialize)]
pub(super) struct Volume {}

/// A string in which no variable is expanded: `$` is written as `$$`.
#[derive(Clone, Copy)]
pub(super) struct Literal<'a>(pub(super) &'a str);

impl Serialize for Literal<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0.replace('$', "$$"))
    }
}

/// Writes entries as a mapping, in the given order.
fn mapping<V: Serialize, S: Serializer>(entries: &[(&str, V)], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_map(entries.iter().map(|(key, value)| (key, value)))
}
