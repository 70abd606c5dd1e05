//! Sessions in which the server of the team has the only tools: it holds all limits itself.

use minds_clients::ClientId;
use minds_render::jsonc::Json;
use minds_render::parts::{JsonPart, PartContent};

use crate::clients::server_spelling;
use crate::compile::Context;
use crate::front_matter::{FrontMatter, quote};
use crate::team::Member;

/// The tools of Claude Code that touch files, run programs or start agents, also later.
const CLOSED: [&str; 16] = [
    "Read",
    "Edit",
    "Write",
    "NotebookEdit",
    "Grep",
    "Glob",
    "Bash",
    "PowerShell",
    "Monitor",
    "LSP",
    "Agent",
    "Skill",
    "REPL",
    "Workflow",
    "EnterWorktree",
    "CronCreate",
];

/// Adds the files of each member.
pub(crate) fn add(context: &mut Context<'_, '_>) {
    for member in context.members(str::to_owned) {
        let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
        if member.id.starts_with('-') || !member.id.chars().all(is_plain) {
            let reason = "the id is a part of a file name and of a command here";
            let help = "use ASCII letters, digits, `-` and `_` in the id";
            context.reporter().leave_out(member, member.node, reason, help);
            continue;
        }
        match context.client {
            ClientId::ClaudeCode => add_claude_code(context, member),
            ClientId::Opencode => add_opencode(context, member),
            _ => {}
        }
    }
}

fn add_claude_code(context: &mut Context<'_, '_>, member: &Member<'_>) {
    let texts =
        |texts: &[&str]| Json::List(texts.iter().map(|text| Json::Text((*text).to_owned())).collect());
    let permissions = object(vec![
        ("defaultMode", Json::Text("dontAsk".to_owned())),
        ("allow", texts(&["mcp__minds"])),
        ("deny", texts(&CLOSED)),
    ]);
    let settings = object(vec![("permissions", permissions)]);
    context.add(&format!(".claude-{}.confined.json", member.id), PartContent::File(print(&settings)));
    let server = object(vec![
        ("type", Json::Text("stdio".to_owned())),
        ("command", Json::Text("minds".to_owned())),
        ("args", texts(&["mcp", "--member", member.id])),
    ]);
    let servers = object(vec![("mcpServers", object(vec![("minds", server)]))]);
    context.add(&format!(".claude-{}.confined.mcp.json", member.id), PartContent::File(print(&servers)));
}

fn add_opencode(context: &mut Context<'_, '_>, member: &Member<'_>) {
    let server = format!("minds-{}", member.id);
    let Some(spelled) = server_spelling(context.client, &server) else { return };
    let mut matter = FrontMatter::default();
    matter.text("description", &member.description());
    matter.line(0, "mode: primary");
    matter.line(0, "permission:");
    matter.line(1, "\"*\": deny");
    matter.line(1, &format!("{}: allow", quote(&format!("{spelled}_*"))));
    let text = matter.with_body(&member.instructions());
    context.add(&format!(".opencode/agents/{}.confined.md", member.id), PartContent::File(text));
    let command = ["minds", "mcp", "--member", member.id].map(|word| Json::Text(word.to_owned()));
    let value =
        object(vec![("type", Json::Text("local".to_owned())), ("command", Json::List(command.into()))]);
    let part = JsonPart::Member(vec!["mcp".to_owned(), server], value);
    context.add("opencode.json", PartContent::Json(vec![part]));
}

fn object(members: Vec<(&str, Json)>) -> Json {
    Json::Object(members.into_iter().map(|(key, value)| (key.to_owned(), value)).collect())
}

fn print(value: &Json) -> String {
    value.print("\n", "  ", "") + "\n"
}
