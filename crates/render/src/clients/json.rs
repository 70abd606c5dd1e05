//! Servers in the files that are JSON.

use minds_document::jsonc::{Change, Dialect, Json, JsonError, JsonText};

use super::Client;
use super::entry::{Connection, Setting, SettingValue};
use super::filter::Exposure;
use super::merge::{Change as Wanted, Written};
use super::reading::marked;
use super::speak::Spoken;

/// Returns what the client's file says of a server.
pub(super) fn entry(client: Client, spoken: &Spoken<'_>) -> Json {
    let text = |text: &str| client.literal(text);
    let word = |word: &str| Json::Text(word.to_owned());
    let mut members: Vec<(&str, Json)> = Vec::new();
    match &spoken.server.connection {
        Connection::Program { command, args, env, .. } => {
            let args = args.iter().map(|arg| text(&arg.value));
            match client {
                Client::ClaudeCode | Client::VsCode => members.push(("type", word("stdio"))),
                Client::OpenCode => members.push(("type", word("local"))),
                Client::Codex | Client::Gemini | Client::Cursor => {}
            }
            if client == Client::OpenCode {
                let command = [text(&command.value)].into_iter().chain(args);
                members.push(("command", Json::List(command.collect())));
            } else {
                members.push(("command", text(&command.value)));
                members.push(("args", Json::List(args.collect())));
            }
            let key = if client == Client::OpenCode { "environment" } else { "env" };
            members.push((key, settings(client, env)));
            if let Some(cwd) = spoken.cwd {
                members.push(("cwd", text(&directory(client, cwd))));
            }
        }
        Connection::Address { url, headers } => {
            match client {
                Client::ClaudeCode | Client::VsCode => members.push(("type", word("http"))),
                Client::OpenCode => members.push(("type", word("remote"))),
                Client::Codex | Client::Gemini | Client::Cursor => {}
            }
            let key = if client == Client::Gemini { "httpUrl" } else { "url" };
            members.push((key, text(&url.value)));
            members.push(("headers", settings(client, headers)));
        }
    }
    // A list of tools that is empty says that there are none; other things that are empty say nothing.
    members.retain(|(_, value)| !matches!(value, Json::List(items) if items.is_empty()));
    members.retain(|(_, value)| !matches!(value, Json::Object(members) if members.is_empty()));
    let names = |names: &[&str]| Json::List(names.iter().map(|name| text(name)).collect());
    match &spoken.exposure {
        Exposure::All => {}
        Exposure::Only(tools) => members.push(("includeTools", names(tools))),
        Exposure::AllBut(tools) => members.push(("excludeTools", names(tools))),
    }
    if !spoken.server.is_enabled {
        members.push(("enabled", Json::Bool(false)));
    }
    Json::Object(members.into_iter().map(|(key, value)| (key.to_owned(), value)).collect())
}

fn settings(client: Client, settings: &[Setting]) -> Json {
    let value = |setting: &Setting| match &setting.value.value {
        SettingValue::Literal(text) => client.literal(text),
        SettingValue::Variable { name, prefix } => client.with_variable(prefix, name),
    };
    Json::Object(settings.iter().map(|setting| (setting.name.clone(), value(setting))).collect())
}

/// Returns a directory as the client takes it: only VS Code does not begin in the workspace.
fn directory(client: Client, cwd: &str) -> String {
    let is_absolute = cwd.starts_with(['/', '\\', '~'])
        || cwd.get(1..3).is_some_and(|drive| [":\\", ":/"].contains(&drive));
    if client == Client::VsCode && !is_absolute {
        format!("${{workspaceFolder}}/{cwd}")
    } else {
        cwd.to_owned()
    }
}

/// Puts servers into a text, and says what that did.
///
/// # Errors
///
/// Fails where it is not sure what the text means.
pub(super) fn merge(
    client: Client,
    dialect: Dialect,
    key: &str,
    old: &str,
    wanted: &[Wanted<'_, Json>],
) -> Result<Written, JsonError> {
    let json = JsonText::parse(old, dialect)?;
    let mut changes = Vec::new();
    let mut replaced = Vec::new();
    for change in wanted {
        let found = json.find(&[key, change.name])?;
        let is_there = found.is_some();
        let is_same = match (&found, &change.value) {
            (None, None) => true,
            (Some(found), Some(value)) => is_same(client, found.written(), &value.print("\n", "", "")),
            _ => false,
        };
        if !is_same {
            changes.push(Change { key: change.name, value: change.value.as_ref() });
            if is_there {
                replaced.push(change.name.to_owned());
            }
        }
    }
    let text = if changes.is_empty() { old.to_owned() } else { json.change(&[key], &changes)? };
    Ok(Written { text, changed: replaced })
}

/// Returns whether two values mean the same to the client.
fn is_same(client: Client, left: &str, right: &str) -> bool {
    let meaning = |text: &str| {
        let text = if client == Client::OpenCode { marked(text) } else { text.to_owned() };
        JsonText::parse(&text, Dialect::CommentsAndCommas).ok()?.find(&[]).ok()??.to_value()
    };
    meaning(left).is_some_and(|left| Some(left) == meaning(right))
}
