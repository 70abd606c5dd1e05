//! Servers in the files that are JSON.

use minds_document::ContentHash;
use minds_document::jsonc::{Change, Dialect, Json, JsonError, JsonText};
use serde_json::Value;

use super::Client;
use super::entry::{Connection, Setting, SettingValue};
use super::filter::Exposure;
use super::merge::{Change as Wanted, RenderedServer, Written};
use super::opencode::Layout;
use super::reading::marked;
use super::speak::Spoken;

/// Returns the layout of a text; that of a new file where it is not sure.
pub(super) fn layout(client: Client, dialect: Dialect, key: &str, text: &str) -> Layout {
    // All other clients have one, so nothing is read for them.
    let json = (client == Client::OpenCode).then(|| JsonText::parse(text, dialect).ok()).flatten();
    json.map_or(Layout::Direct, |json| Layout::of(client, key, &json))
}

/// Returns what the client's file says of a server.
pub(super) fn entry(client: Client, layout: Layout, spoken: &Spoken<'_>) -> Json {
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
        members.push(match layout {
            Layout::Direct => ("enabled", Json::Bool(false)),
            Layout::Nested => ("disabled", Json::Bool(true)),
        });
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
    let layout = Layout::of(client, key, &json);
    let server =
        |name: &str, found: &str| RenderedServer { name: name.to_owned(), hash: hash(client, found) };
    let mut changes = Vec::new();
    let mut outside = Vec::new();
    let mut replaced = Vec::new();
    for change in wanted {
        if let Some(found) = layout.outside(client, key, &json, change.name)? {
            outside.push(Change { key: change.name, value: None });
            replaced.push(server(change.name, found.source_text()));
        }
        let found = layout.entry(client, key, &json, change.name)?;
        let found = found.map(|found| found.source_text().to_owned());
        let is_same = match (&found, &change.value) {
            (None, None) => true,
            (Some(found), Some(value)) => is_same(client, found, &value.print("\n", "", "")),
            _ => false,
        };
        if !is_same {
            changes.push(Change { key: change.name, value: change.value.as_ref() });
            replaced.extend(found.map(|found| server(change.name, &found)));
        }
    }
    let mut text = old.to_owned();
    if !changes.is_empty() {
        text = json.change(&layout.place(key), &changes)?;
    }
    if !outside.is_empty() {
        text = JsonText::parse(&text, dialect)?.change(&[key], &outside)?;
    }
    Ok(Written { text, changed: replaced })
}

/// Returns the servers of some names that a text has, those twice that both layouts have.
///
/// # Errors
///
/// Fails where [`merge`] fails.
pub(super) fn found(
    client: Client,
    dialect: Dialect,
    key: &str,
    text: &str,
    names: &[&str],
) -> Result<Vec<RenderedServer>, JsonError> {
    let json = JsonText::parse(text, dialect)?;
    let layout = Layout::of(client, key, &json);
    let mut servers = Vec::new();
    for name in names {
        let found = [layout.entry(client, key, &json, name)?, layout.outside(client, key, &json, name)?];
        let server = |hash| RenderedServer { name: (*name).to_owned(), hash };
        servers.extend(found.into_iter().flatten().map(|found| server(hash(client, found.source_text()))));
    }
    Ok(servers)
}

/// Returns whether a text has an object for servers, or something else in its place.
pub(super) fn has_object(dialect: Dialect, key: &str, text: &str) -> bool {
    !matches!(JsonText::parse(text, dialect).map(|json| matches!(json.find(&[key]), Ok(None))), Ok(true))
}

/// Returns a text without its object for servers; nothing if that holds anything, also if that is only a comment.
pub(super) fn without_object(dialect: Dialect, key: &str, text: &str) -> Option<String> {
    let json = JsonText::parse(text, dialect).ok()?;
    let object = json.find(&[key]).ok()??;
    let inside = object.source_text().strip_prefix('{')?.strip_suffix('}')?;
    if !inside.trim().is_empty() {
        return None;
    }
    let without = json.change(&[], &[Change { key, value: None }]).ok()?;
    let letters = |text: &str| text.chars().filter(|c| !c.is_whitespace()).count();
    // Beside the object a comma goes at most: a comment between the key and its value would have gone with them.
    let taken = letters(text).saturating_sub(letters(&without)).saturating_sub(key.chars().count());
    let is_alone = taken <= "\"\":{},".len();
    is_alone.then_some(without)
}

/// Returns whether two values mean the same to the client.
fn is_same(client: Client, left: &str, right: &str) -> bool {
    meaning(client, left).is_some_and(|left| Some(left) == meaning(client, right))
}

/// Returns what a value means to the client; nothing where that is not sure.
fn meaning(client: Client, text: &str) -> Option<Value> {
    let text = if client == Client::OpenCode { marked(text) } else { text.to_owned() };
    JsonText::parse(&text, Dialect::CommentsAndCommas).ok()?.find(&[]).ok()??.to_value()
}

/// Returns the hash of what a value means, however it is laid out; where that is not sure, of its letters.
pub(super) fn hash(client: Client, text: &str) -> ContentHash {
    let mut out = String::new();
    match meaning(client, text) {
        Some(value) => print(&value, &mut out),
        None => out.push_str(text),
    }
    ContentHash::of(out.as_bytes())
}

/// Prints a value in one line with sorted keys.
fn print(value: &Value, out: &mut String) {
    match value {
        Value::Object(members) => {
            let mut sorted: Vec<(&String, &Value)> = members.iter().collect();
            sorted.sort_by_key(|(key, _)| *key);
            out.push('{');
            for (key, value) in sorted {
                out.push_str(&Value::from(key.as_str()).to_string());
                out.push(':');
                print(value, out);
                out.push(',');
            }
            out.push('}');
        }
        Value::Array(items) => {
            out.push('[');
            for item in items {
                print(item, out);
                out.push(',');
            }
            out.push(']');
        }
        plain => out.push_str(&plain.to_string()),
    }
}
