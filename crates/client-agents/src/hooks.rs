//! The hook that judges tool calls, in the form of each client.

use minds_clients::ClientId;
use minds_render::jsonc::Json;
use minds_render::parts::{JsonPart, PartContent};

use crate::compile::Context;
use crate::front_matter::quote;

/// The time for an answer, in seconds. Clients go on when it is over, so it is long.
const TIME: &str = "60";
const PLUGIN: &str = include_str!("hooks/opencode.js");

/// Adds the hook of the client.
pub(crate) fn add(context: &mut Context<'_, '_>) {
    let client = context.client;
    let member = context.request.main_member.map(|id| format!(" --member {id}")).unwrap_or_default();
    let command = |directory: &str| format!("minds{directory} hook {client}{member}");
    let text = |text: &str| Json::Text(text.to_owned());
    let object = |members: Vec<(&str, Json)>| {
        Json::Object(members.into_iter().map(|(key, value)| (key.to_owned(), value)).collect())
    };
    let keys = |event: &str| vec!["hooks".to_owned(), event.to_owned()];
    match client {
        ClientId::ClaudeCode => {
            let command = format!("{} || exit 2", command(" -C \"$CLAUDE_PROJECT_DIR\""));
            let hook = object(vec![
                ("type", text("command")),
                ("command", Json::Text(command)),
                ("timeout", Json::Written(TIME.to_owned())),
            ]);
            let entry = object(vec![("matcher", text("*")), ("hooks", Json::List(vec![hook]))]);
            context.add(
                ".claude/settings.json",
                PartContent::Json(vec![JsonPart::Item(keys("PreToolUse"), entry)]),
            );
        }
        ClientId::Codex => {
            let command = format!("{} || exit 2", command(" -C \"$(git rev-parse --show-toplevel)\""));
            let hook = object(vec![("type", text("command")), ("command", Json::Text(command))]);
            let entry = object(vec![("matcher", text("*")), ("hooks", Json::List(vec![hook]))]);
            context
                .add(".codex/hooks.json", PartContent::Json(vec![JsonPart::Item(keys("PreToolUse"), entry)]));
        }
        ClientId::Gemini => {
            let command = format!("{} || exit 2", command(" -C \"$GEMINI_PROJECT_DIR\""));
            let hook = object(vec![
                ("type", text("command")),
                ("name", text("minds")),
                ("command", Json::Text(command)),
            ]);
            let entry = object(vec![("matcher", text(".*")), ("hooks", Json::List(vec![hook]))]);
            context.add(
                ".gemini/settings.json",
                PartContent::Json(vec![JsonPart::Item(keys("BeforeTool"), entry)]),
            );
        }
        ClientId::Cursor => {
            let command = format!("{} || exit 2", command(""));
            let entry = object(vec![("command", Json::Text(command)), ("failClosed", Json::Bool(true))]);
            let events = ["preToolUse", "beforeShellExecution", "beforeReadFile", "beforeMCPExecution"];
            let version = JsonPart::Member(vec!["version".to_owned()], Json::Written("1".to_owned()));
            let hooks = events.map(|event| JsonPart::Item(keys(event), entry.clone()));
            let parts = [version].into_iter().chain(hooks).collect();
            context.add(".cursor/hooks.json", PartContent::Json(parts));
        }
        ClientId::Opencode => {
            let member = context.request.main_member;
            let arguments = member.map_or_else(String::new, |id| format!(", \"--member\", {}", quote(id)));
            let plugin = PLUGIN.replace(", \"--member\", MEMBER", &arguments);
            context.add(".opencode/plugins/minds.js", PartContent::File(plugin));
        }
        ClientId::Copilot => {
            let entry = object(vec![
                ("type", text("command")),
                ("bash", Json::Text(command(""))),
                ("timeoutSec", Json::Written(TIME.to_owned())),
            ]);
            let file = object(vec![
                ("version", Json::Written("1".to_owned())),
                ("hooks", object(vec![("preToolUse", Json::List(vec![entry]))])),
            ]);
            context.add(".github/hooks/minds.json", PartContent::File(file.print("\n", "  ", "") + "\n"));
        }
    }
}
