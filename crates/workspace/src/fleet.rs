//! The agents of a fleet after merging all layers, each value with its origins.

use std::collections::BTreeMap;

use minds_diagnostics::{Parsed, Problems};
use minds_document::Node;
use minds_fleet::tools::Denial;
use minds_fleet::{EffectiveAgent, FleetFamily, ToolEntries};
use minds_vfs::Snapshot;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use crate::redact::{redact_value, without_secrets};
use crate::team::{Place, place};

/// The effective configuration of an agent.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct FleetAgentView {
    /// The id, as `project/name`.
    pub id: String,
    /// The name.
    pub name: String,
    /// The directory that defines it; for another layer prefixed with the name of the mount.
    pub folder: String,
    /// The merged fields by key.
    pub fields: BTreeMap<String, FleetField>,
    /// All built-in and configured tools by name.
    pub tools: Vec<FleetTool>,
}

/// A value and its origins.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct FleetField {
    /// The value; `null` if it could not be read.
    pub value: Value,
    /// The places that define it: one for each item of a list, or that of the list itself if it is empty; empty if the value
    /// is built in.
    pub from: Vec<Place>,
}

/// Whether an agent has a tool.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct FleetTool {
    /// The name, with the version unless it is the first one.
    pub name: String,
    /// Whether the agent has it.
    pub given: bool,
    /// The reason for denial; `null` if the agent has the tool.
    pub reason: Option<&'static str>,
    /// The entry that denies it, if there is one.
    pub from: Option<Place>,
}

/// Returns the effective agents by name. `project` is the name of the project unless a layer defines it.
///
/// Secrets are redacted with `*`. The problems include those of loading and of the rules; if one of them is an error, the
/// view may be incomplete.
pub fn show_fleet(snapshot: &Snapshot, project: &str) -> Parsed<Vec<FleetAgentView>> {
    let mut problems = Problems::new();
    let family = FleetFamily::load(snapshot).take(&mut problems);
    problems.append(minds_fleet::check(&family));
    let names: Vec<&str> = family.agents().into_keys().collect();
    let entries = family.tool_entries();
    let agents = names.into_iter().filter_map(|name| family.effective(name, project));
    Parsed { value: agents.map(|agent| view(&entries, &agent)).collect(), problems }
}

fn view(entries: &ToolEntries<'_>, agent: &EffectiveAgent<'_>) -> FleetAgentView {
    let project = agent.fields.get("project.name").and_then(|name| name.value.as_str()).unwrap_or_default();
    let clean = |text: &str| without_secrets(minds_fleet::TOOLS_FILE, text).into_owned();
    let fields = agent.fields.iter().map(|(key, field)| {
        let from = field.from.iter().map(at).collect();
        let value = redact_value(&[], agent.redacted_value(key).unwrap_or_default());
        (clean(key), FleetField { value, from })
    });
    let tools = agent.tools.iter().map(|(name, verdict)| FleetTool {
        name: name.to_string(),
        given: verdict.is_ok(),
        reason: agent.why_not(name),
        from: match verdict {
            Err(Denial::Denied(_, entry)) => entries.node_of(entry).as_ref().map(at),
            Ok(()) | Err(Denial::NotAllowed(_) | Denial::Unreadable(_)) => None,
        },
    });
    FleetAgentView {
        id: clean(&format!("{project}/{}", agent.name)),
        name: clean(agent.name),
        folder: clean(&agent.entry.folder.to_string()),
        fields: fields.collect(),
        tools: tools.collect(),
    }
}

fn at(node: &Node<'_>) -> Place {
    place(node.document(), node.id())
}

#[cfg(test)]
mod tests {
    use minds_vfs::WorkspacePath;

    use super::*;

    #[test]
    fn the_password_of_a_url_is_redacted() {
        let place = |path: &str| WorkspacePath::parse(path).expect("the path is valid");
        let snapshot = Snapshot::new()
            .with_file(
                place(".ateam/agents/zeus/agent.yaml"),
                "{name: zeus, model: m, prompt: {base: a.md}}\n",
            )
            .with_file(
                place(".ateam/tools.yaml"),
                "mcp: {transport: {url: 'redis://ann:changeme@host/0?password=hunter2'}}\n",
            );
        let agents = show_fleet(&snapshot, "p").value;
        let url = agents.first().and_then(|zeus| zeus.fields.get("mcp.transport.url"));
        let url = url.map(|field| field.value.to_string());
        assert_eq!(url.as_deref(), Some("\"redis://ann:****@host/0?password=*******\""));
    }
}
