//! What the start of a session costs, by source, as views.

use minds_clients::estimate_tokens;
use schemars::JsonSchema;
use serde::Serialize;

/// What a part of the context at the start of a session is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ContextSource {
    /// Instructions that the client or the server sends: `AGENTS.md`, `CLAUDE.md` and the like, with the files they import.
    Instructions,
    /// The directory of the team, or the overview of its files for a member that manages them.
    Team,
    /// The persona of the member.
    Persona,
    /// The knowledge of the member.
    Knowledge,
    /// The lessons of the member.
    Lessons,
    /// The task package.
    Task,
    /// The tools of a toolset.
    Tools,
    /// The tools of an MCP server.
    Server,
    /// The names and descriptions of agents.
    Agents,
    /// The names and descriptions of skills.
    Skills,
}

impl ContextSource {
    /// All sources, in display order.
    pub const ALL: [Self; 10] = [
        Self::Instructions,
        Self::Team,
        Self::Persona,
        Self::Knowledge,
        Self::Lessons,
        Self::Task,
        Self::Tools,
        Self::Server,
        Self::Agents,
        Self::Skills,
    ];

    /// Returns the name for people.
    pub const fn title(self) -> &'static str {
        match self {
            Self::Instructions => "instructions",
            Self::Team => "team",
            Self::Persona => "persona",
            Self::Knowledge => "knowledge",
            Self::Lessons => "lessons",
            Self::Task => "task",
            Self::Tools => "tools",
            Self::Server => "MCP server",
            Self::Agents => "agents",
            Self::Skills => "skills",
        }
    }

    /// Returns the source of a kind of minds file.
    pub fn of_minds_file(kind: &str) -> Self {
        match kind {
            "persona" => Self::Persona,
            "lessons" => Self::Lessons,
            _ => Self::Knowledge,
        }
    }
}

/// A part of the context at the start of a session.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ContextPart {
    /// What it is.
    pub source: ContextSource,
    /// Its place: a path in the workspace, the name of a toolset or the id of a server; `null` for text that `minds mcp` writes
    /// itself.
    pub place: Option<String>,
    /// The number of bytes; `null` if it is not known.
    pub bytes: Option<usize>,
    /// The estimated number of tokens; `null` if it is not known.
    pub tokens: Option<usize>,
    /// The number of tools; `null` for other sources, and if it is not known.
    pub tools: Option<usize>,
    /// More about the part, such as the file that imports it, or why the size is not known.
    pub note: Option<String>,
}

impl ContextPart {
    /// Returns a part with its estimated number of tokens.
    pub fn new(source: ContextSource, place: Option<String>, bytes: Option<usize>) -> Self {
        Self { source, place, bytes, tokens: bytes.map(estimate_tokens), tools: None, note: None }
    }

    /// Adds the number of tools.
    #[must_use]
    pub fn with_tools(self, tools: usize) -> Self {
        Self { tools: Some(tools), ..self }
    }

    /// Adds a note.
    #[must_use]
    pub fn with_note(self, note: impl Into<String>) -> Self {
        Self { note: Some(note.into()), ..self }
    }
}

/// The context of a member in one client.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ClientContext {
    /// The id of the client, or `minds-mcp` for what `minds mcp --member` sends.
    pub client: String,
    /// The sum of the known tokens of all parts.
    pub tokens: usize,
    /// The sum of the known bytes of all parts.
    pub bytes: usize,
    /// Whether the sizes of all parts are known.
    pub complete: bool,
    /// The parts, by source; the parts of a source are in the order in which they are read.
    pub parts: Vec<ContextPart>,
}

impl ClientContext {
    /// Adds the parts up.
    pub fn new(client: impl Into<String>, mut parts: Vec<ContextPart>) -> Self {
        parts.sort_by_key(|part| part.source);
        Self {
            client: client.into(),
            tokens: parts.iter().filter_map(|part| part.tokens).sum(),
            bytes: parts.iter().filter_map(|part| part.bytes).sum(),
            complete: parts.iter().all(|part| part.tokens.is_some()),
            parts,
        }
    }
}

/// The context of a member at the start, for each client.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct MemberContext {
    /// The id of the member.
    pub member: String,
    /// The clients in display order.
    pub clients: Vec<ClientContext>,
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// A total is the sum of its parts, which are kept, by source.
        #[test]
        fn totals_are_sums(sizes in prop::collection::vec((0..ContextSource::ALL.len(), prop::option::of(0..1_000_000_usize)), 0..20)) {
            let parts: Vec<ContextPart> = sizes
                .iter()
                .map(|(source, bytes)| ContextPart::new(ContextSource::ALL[*source], None, *bytes))
                .collect();
            let context = ClientContext::new("x", parts.clone());
            let mut tokens = 0;
            let mut bytes = 0;
            for part in &context.parts {
                tokens += part.tokens.unwrap_or(0);
                bytes += part.bytes.unwrap_or(0);
            }
            prop_assert_eq!((context.tokens, context.bytes), (tokens, bytes));
            prop_assert_eq!(context.complete, parts.iter().all(|part| part.bytes.is_some()));
            prop_assert_eq!(context.parts.len(), parts.len());
            prop_assert!(context.parts.is_sorted_by_key(|part| part.source));
            prop_assert!(context.tokens <= estimate_tokens(context.bytes));
        }
    }
}
