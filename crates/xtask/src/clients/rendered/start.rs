//! How each client is started so that a rendered member works.

use std::path::Path;
use std::process::Command;

use serde_json::json;

use super::team::Member;
use crate::clients::client::Client;
use crate::clients::model::Call;
use crate::clients::place::Place;

/// What is rendered, and which agent the member is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// Without the hook, so that only the files of the client hold the limits.
    Files,
    /// Everything, `all:CLIENT`.
    All,
    /// Everything, with the member as an agent that the main agent starts.
    Subagent,
}

impl Form {
    /// Returns the forms in which a client has members.
    pub(super) fn of(client: Client) -> &'static [Self] {
        match client {
            Client::ClaudeCode | Client::Opencode | Client::Copilot => {
                &[Self::Files, Self::All, Self::Subagent]
            }
            // The one limits sessions only, and the other agents that the main agent starts.
            Client::Codex => &[Self::Files, Self::All],
            Client::Gemini => &[Self::Files, Self::Subagent],
        }
    }

    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Files => "without the hook",
            Self::All => "with all targets",
            Self::Subagent => "as a subagent, with all targets",
        }
    }

    pub(super) fn has_hook(self) -> bool {
        self != Self::Files
    }

    fn is_subagent(self, client: Client) -> bool {
        self == Self::Subagent || client == Client::Gemini
    }

    /// Returns the targets to render.
    pub(super) fn targets(self, client: Client) -> Vec<String> {
        let aspects: &[&str] = match (self, client) {
            (Self::All | Self::Subagent, _) => &["all"],
            (Self::Files, Client::ClaudeCode | Client::Codex) => &["agents", "permissions", "rules"],
            (Self::Files, _) => &["agents", "rules"],
        };
        aspects.iter().map(|aspect| format!("{aspect}:{}", client.name())).collect()
    }
}

/// A session of a member.
pub(super) struct Start {
    /// The arguments of the client.
    pub(super) arguments: Vec<String>,
    /// The call with which the main agent starts the member.
    pub(super) delegation: Option<Call>,
}

/// Returns the provider and the model of the team: those that the scripted client has, or that the client does not have.
pub(super) fn model(client: Client) -> (&'static str, &'static str) {
    if client == Client::Opencode { ("anthropic", "scripted") } else { ("codex", "gpt-5.2") }
}

/// Returns how the session of a member is started; none if the member was not rendered.
pub(super) fn start(client: Client, form: Form, place: &Place, member: &Member) -> Option<Start> {
    let id = member.id;
    let workspace = place.workspace();
    let has = |path: String| workspace.join(path).is_file();
    let settings = format!(".claude-{id}.json");
    let is_subagent = form.is_subagent(client);
    let has_agent = has(match client {
        Client::ClaudeCode => format!(".claude/agents/{id}.md"),
        Client::Opencode => format!(".opencode/agents/{id}.md"),
        Client::Codex => format!(".codex/agents/{id}.toml"),
        Client::Gemini => format!(".gemini/agents/{id}.md"),
        Client::Copilot => format!(".github/agents/{id}.agent.md"),
    });
    let agent = || if has_agent && !is_subagent { vec!["--agent", id] } else { Vec::new() };
    let profile = format!("default_permissions=\"{id}\"");
    let arguments = match client {
        Client::ClaudeCode if !is_subagent && has(settings.clone()) => {
            [agent(), vec!["--settings", &settings]].concat()
        }
        // The client would ask for everything that is written.
        Client::ClaudeCode if has_agent => [agent(), vec!["--permission-mode", "acceptEdits"]].concat(),
        Client::Codex if has_profile(&workspace, id) => {
            let trust = form.has_hook().then_some("--dangerously-bypass-hook-trust");
            let session = ["-c", &profile, "-c", "approval_policy=\"never\""];
            session.into_iter().chain(trust).collect()
        }
        Client::Opencode if has_agent => agent(),
        Client::Gemini if has_agent => {
            acknowledge(place, id);
            // The tool for commands does not exist in the other modes.
            vec!["--approval-mode", if member.has_shell() { "yolo" } else { "auto_edit" }]
        }
        Client::Copilot if has_agent => [agent(), vec!["--allow-all-tools"]].concat(),
        _ => return None,
    };
    let delegation = is_subagent.then(|| match client {
        Client::ClaudeCode => {
            let input = json!({ "description": "x", "prompt": "go", "subagent_type": id, "run_in_background": false });
            Call::new("Agent", input)
        }
        Client::Opencode => {
            Call::new("task", json!({ "description": "x", "prompt": "go", "subagent_type": id }))
        }
        Client::Gemini => Call::new("invoke_agent", json!({ "agent_name": id, "prompt": "go" })),
        Client::Copilot => {
            let input = json!({ "name": "x", "description": "x", "prompt": "go", "agent_type": id, "mode": "sync" });
            Call::new("task", input)
        }
        Client::Codex => Call::new("spawn_agent", json!({ "agent_type": id, "message": "go" })),
    });
    Some(Start { arguments: arguments.into_iter().map(str::to_owned).collect(), delegation })
}

fn has_profile(workspace: &Path, id: &str) -> bool {
    let text = std::fs::read_to_string(workspace.join(".codex/config.toml")).unwrap_or_default();
    text.contains(&format!("[permissions.{id}.filesystem]"))
}

/// Writes what Gemini CLI writes when a user accepts an agent of the workspace: the hash of its file.
fn acknowledge(place: &Place, id: &str) {
    let workspace = place.workspace();
    let file = workspace.join(format!(".gemini/agents/{id}.md"));
    let output = Command::new("sha256sum").arg(&file).output().expect("sha256sum starts");
    let output = String::from_utf8_lossy(&output.stdout).into_owned();
    let hash = output.split(' ').next().unwrap_or_default();
    let accepted = json!({ workspace.to_str().expect("the path is text"): { id: hash } });
    place.write_home(".gemini/acknowledgments/agents.json", &accepted.to_string());
}
