//! The clients: what each one reads and accepts, from one data file for each.

mod agent_tools;
mod names;
mod retirement;
mod start;
mod team_form;
mod values;

use std::collections::BTreeMap;
use std::sync::LazyLock;

use minds_diagnostics::SourceFile;

use crate::kind::Kind;
use crate::shape::Shape;
use crate::tree::Item;
pub use agent_tools::AgentTools;
pub use names::Names;
pub use retirement::Retirement;
pub use start::{First, StartFiles, StartSetting, StartSource};
pub use team_form::TeamForm;
use values::{add_keys, boolean, decode_strings, number, patterns, text};

/// The data files by the ids of clients. A file that several clients read belongs to the first of them.
const DATA: [(&str, &str); 8] = [
    ("claude-code", include_str!("../data/claude-code.toml")),
    ("codex", include_str!("../data/codex.toml")),
    ("gemini", include_str!("../data/gemini.toml")),
    ("opencode", include_str!("../data/opencode.toml")),
    ("cursor", include_str!("../data/cursor.toml")),
    ("copilot", include_str!("../data/copilot.toml")),
    ("vscode", include_str!("../data/vscode.toml")),
    ("antigravity", include_str!("../data/antigravity.toml")),
];

static CLIENTS: LazyLock<Vec<Client>> = LazyLock::new(|| {
    // A test parses every file, so none is left out.
    DATA.iter().filter_map(|(id, text)| Client::parse(id, text).ok()).collect()
});

/// A program that reads configuration files of agents.
#[derive(Clone, Debug, Default)]
pub struct Client {
    /// The id in file names and options.
    pub id: &'static str,
    /// The name for messages.
    pub name: String,
    /// The date on which the data was true, as `YYYY-MM-DD`.
    pub as_of: String,
    /// The version of the program to which the data belongs.
    pub version: String,
    /// The end of the client, if it was announced.
    pub retirement: Option<Retirement>,
    /// What else to know about its files, one sentence each.
    pub notes: Vec<String>,
    /// The models, if their names are checked.
    pub models: Option<Names>,
    /// The tools, if their names are checked.
    pub tools: Option<Names>,
    /// The names of permissions, if they are not those of tools.
    pub permissions: Names,
    /// How MCP servers are written.
    pub mcp: Option<McpForm>,
    /// The tools of agents, if an agent has a list of tools.
    pub agent_tools: Option<AgentTools>,
    /// The names of other clients that read its agents.
    pub agent_readers: Vec<String>,
    /// The providers whose models it has, each with what precedes the model.
    pub providers: Vec<(String, String)>,
    /// The providers whose models have `-` where the names in the team have a dot.
    pub dashed_providers: Vec<String>,
    /// What a team has in the place of its tools and models.
    pub team: TeamForm,
    /// What it reads at the start of a session.
    pub start: Vec<StartFiles>,
    /// Which files it reads.
    pub files: Vec<(Kind, String)>,
    /// Which files of a plugin it reads, relative to the directory of the plugin.
    pub plugin_files: Vec<(Kind, String)>,
    /// What is known about each kind of file.
    pub kinds: BTreeMap<Kind, KindData>,
}

/// How a client writes MCP servers.
#[derive(Clone, Debug, Default)]
pub struct McpForm {
    /// The keys that lead to the servers.
    pub path: Vec<String>,
    /// The keys of which a server needs one.
    pub one_of: Vec<String>,
}

/// How a file is read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Format {
    /// Markdown, with or without front matter.
    #[default]
    Markdown,
    /// Text without front matter.
    Text,
    /// JSON without comments.
    Json,
    /// JSON with comments and trailing commas.
    Jsonc,
    /// TOML.
    Toml,
    /// Front matter of lines `key: value`, which are not YAML.
    Lines,
}

/// What a client does with front matter that is not valid YAML.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BrokenYaml {
    /// It takes what it can read.
    #[default]
    Lenient,
    /// It does not use the file as intended.
    Refused,
    /// It reads lines, so YAML has no meaning.
    Lines,
}

/// What is known about one kind of file.
#[derive(Clone, Debug, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is a key of the data")]
pub struct KindData {
    /// How it is read.
    pub format: Format,
    /// What happens to invalid YAML.
    pub broken_yaml: BrokenYaml,
    /// The effect of it.
    pub on_broken: Option<String>,
    /// The keys and types.
    pub shape: Shape,
    /// The keys that exist and do nothing in this file, each with the reason.
    pub without_effect: Vec<(String, String)>,
    /// The required keys.
    pub required: Vec<String>,
    /// Whether the client itself can do without the required keys.
    pub required_is_advice: bool,
    /// The effect of a missing key.
    pub on_missing: Option<String>,
    /// The effect of an unknown key; none if it is ignored.
    pub on_unknown_key: Option<String>,
    /// The effect of a value of the wrong type; none if only the value is ignored.
    pub on_wrong_type: Option<String>,
    /// The effect of a string that is not one of the values; none if only the value is ignored.
    pub on_value: Option<String>,
    /// The effect of an empty body, if one is needed.
    pub needs_body: Option<String>,
    /// The effect of an unknown variable in the body, if it is a template.
    pub template: Option<String>,
    /// The variables of the template.
    pub template_variables: Vec<String>,
    /// The size from which the file costs too much.
    pub max_bytes: Option<u64>,
    /// The reason.
    pub over_max: Option<String>,
    /// Whether the client does not read what is beyond.
    pub over_max_is_loss: bool,
    /// The maximum number of characters of the body.
    pub max_body_characters: Option<u64>,
    /// The reason.
    pub over_max_body: Option<String>,
    /// Whether `@path` includes another file.
    pub imports: bool,
    /// Whether the name of the file is the name of the agent.
    pub is_named_by_file: bool,
}

/// Returns all clients, in the order in which they claim files.
pub fn clients() -> &'static [Client] {
    &CLIENTS
}

impl Client {
    /// Returns the client with an id.
    pub fn find(id: &str) -> Option<&'static Self> {
        clients().iter().find(|client| client.id == id)
    }

    /// Returns what is known about a kind of file.
    pub fn kind(&self, kind: Kind) -> Option<&KindData> {
        self.kinds.get(&kind)
    }

    fn parse(id: &'static str, text: &str) -> Result<Self, String> {
        let source = SourceFile::new(format!("{id}.toml"), text);
        let parsed = minds_document::toml::parse(&source);
        let found = parsed.problems.into_sorted();
        let (Some(document), true) = (parsed.value, found.is_empty()) else {
            return Err(format!("{id}: {found:?}"));
        };
        Self::decode(id, &Item::of_document(&document)).map_err(|why| format!("{id}: {why}"))
    }

    fn decode(id: &'static str, root: &Item) -> Result<Self, String> {
        let mut client = Self { id, ..Self::default() };
        for entry in root.entries() {
            let item = &entry.item;
            match entry.key.as_str() {
                "name" => client.name = text(item)?,
                "as_of" => client.as_of = text(item)?,
                "version" => client.version = text(item)?,
                "retirement" => client.retirement = Some(Retirement::decode(item)?),
                "notes" => client.notes = decode_strings(item)?,
                "models" => client.models = Some(Names::decode(item)?),
                "tools" => client.tools = Some(Names::decode(item)?),
                "permissions" => client.permissions = Names::decode(item)?,
                "mcp" => client.mcp = Some(McpForm::decode(item)?),
                "agent_tools" => client.agent_tools = Some(AgentTools::decode(item)?),
                "agent_readers" => client.agent_readers = decode_strings(item)?,
                "dashed_providers" => client.dashed_providers = decode_strings(item)?,
                "providers" => {
                    for provider in item.entries() {
                        client.providers.push((provider.key.clone(), text(&provider.item)?));
                    }
                }
                "team" => client.team = TeamForm::decode(item)?,
                "start" => client.start = StartFiles::decode_all(item)?,
                "files" => client.files = patterns(item)?,
                "plugin_files" => client.plugin_files = patterns(item)?,
                "kinds" => {
                    for kind in item.entries() {
                        let name =
                            Kind::parse(&kind.key).ok_or_else(|| format!("unknown kind `{}`", kind.key))?;
                        let data = KindData::decode(&kind.item, item)
                            .map_err(|why| format!("{}: {why}", kind.key))?;
                        client.kinds.insert(name, data);
                    }
                }
                key => return Err(format!("unknown key `{key}`")),
            }
        }
        match client
            .files
            .iter()
            .chain(&client.plugin_files)
            .find(|(kind, _)| !client.kinds.contains_key(kind))
        {
            Some((_, path)) => Err(format!("nothing is known about the kind of `{path}`")),
            None => Ok(client),
        }
    }
}

impl McpForm {
    fn decode(item: &Item) -> Result<Self, String> {
        let list = |key| item.get(key).map_or_else(|| Err(format!("`{key}` is missing")), decode_strings);
        Ok(Self { path: list("path")?, one_of: list("one_of")? })
    }
}

impl KindData {
    fn decode(item: &Item, kinds: &Item) -> Result<Self, String> {
        let mut data = Self::default();
        for entry in item.entries() {
            let item = &entry.item;
            match entry.key.as_str() {
                "format" => data.format = Format::decode(&text(item)?)?,
                "broken_yaml" => data.broken_yaml = BrokenYaml::decode(&text(item)?)?,
                "on_broken" => data.on_broken = Some(text(item)?),
                "required" => data.required = decode_strings(item)?,
                "required_is_advice" => data.required_is_advice = boolean(item)?,
                "on_missing" => data.on_missing = Some(text(item)?),
                "on_unknown_key" => data.on_unknown_key = Some(text(item)?),
                "on_wrong_type" => data.on_wrong_type = Some(text(item)?),
                "on_value" => data.on_value = Some(text(item)?),
                "needs_body" => data.needs_body = Some(text(item)?),
                "template" => data.template = Some(text(item)?),
                "template_variables" => data.template_variables = decode_strings(item)?,
                "max_bytes" => data.max_bytes = Some(number(item)?),
                "over_max" => data.over_max = Some(text(item)?),
                "over_max_is_loss" => data.over_max_is_loss = boolean(item)?,
                "max_body_characters" => data.max_body_characters = Some(number(item)?),
                "over_max_body" => data.over_max_body = Some(text(item)?),
                "imports" => data.imports = boolean(item)?,
                "same_name" => data.is_named_by_file = text(item)? == "file",
                "keys" => add_keys(&mut data.shape, item)?,
                "same_keys_as" => {
                    let other = text(item)?;
                    let keys = kinds.at(&[&other, "keys"]).ok_or_else(|| format!("`{other}` has no keys"))?;
                    add_keys(&mut data.shape, keys)?;
                }
                "without_effect" => {
                    for entry in item.entries() {
                        data.without_effect.push((entry.key.clone(), text(&entry.item)?));
                    }
                }
                key => return Err(format!("unknown key `{key}`")),
            }
        }
        Ok(data)
    }
}

impl Format {
    fn decode(word: &str) -> Result<Self, String> {
        Ok(match word {
            "markdown" => Self::Markdown,
            "text" => Self::Text,
            "json" => Self::Json,
            "jsonc" => Self::Jsonc,
            "toml" => Self::Toml,
            "lines" => Self::Lines,
            _ => return Err(format!("unknown format `{word}`")),
        })
    }
}

impl BrokenYaml {
    fn decode(word: &str) -> Result<Self, String> {
        Ok(match word {
            "lenient" => Self::Lenient,
            "refused" => Self::Refused,
            "lines" => Self::Lines,
            _ => return Err(format!("unknown reading `{word}`")),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_data_file_is_valid() {
        for (id, text) in DATA {
            let client = Client::parse(id, text).unwrap();
            assert!(!client.files.is_empty() && !client.version.is_empty(), "{id}");
            let parts: Vec<usize> = client.as_of.split('-').map(str::len).collect();
            assert_eq!(parts, [4, 2, 2], "{id}: `as_of` is a date");
        }
        assert_eq!(clients().len(), DATA.len());
    }

    #[test]
    fn names_that_a_client_accepts_are_known() {
        let models = Client::find("claude-code").unwrap().models.as_ref().unwrap();
        for name in [
            "sonnet",
            "Opus",
            "inherit",
            "claude-sonnet-4-5",
            "claude-sonnet-4-5-20250929",
            "sonnet[1m]",
            "us.anthropic.claude-opus-4-1-20250805-v1:0",
            "claude-3-7-sonnet@20250219",
            "anthropic/claude-haiku-4.5",
        ] {
            assert!(models.accepts(name), "{name}");
        }
        for name in ["gpt-5.2", "sonet", "claude"] {
            assert!(!models.accepts(name), "{name}");
        }
    }
}
