//! Servers in JSON files.

use minds_vfs::ContentHash;
use serde_json::Value;

use super::Client;
use super::entry::{Connection, Setting, SettingValue};
use super::filter::Exposure;
use super::merge::{Change as ServerChange, MergeResult, RenderedServer};
use super::opencode::Layout;
use super::syntax::mark_replacements;
use super::translate::TranslatedServer;
use crate::jsonc::{Change, Dialect, Json, JsonError, JsonText};

/// Returns the layout of an existing file, or that of a new file if it cannot be determined.
pub(super) fn layout(client: Client, dialect: Dialect, key: &str, text: &str) -> Layout {
    // All other clients have only one layout.
    let json = (client == Client::OpenCode).then(|| JsonText::parse(text, dialect).ok()).flatten();
    json.map_or(Layout::Direct, |json| Layout::of(client, key, &json))
}

/// Returns the entry for a server.
pub(super) fn entry(client: Client, layout: Layout, translated: &TranslatedServer<'_>) -> Json {
    let text = |text: &str| client.literal(text);
    let word = |word: &str| Json::Text(word.to_owned());
    let mut members: Vec<(&str, Json)> = Vec::new();
    match &translated.server.connection {
        Connection::Program { command, args, env, .. } => {
            let args = args.iter().map(|arg| text(&arg.value));
            members.extend(client.types().map(|(program, _)| ("type", word(program))));
            if client == Client::OpenCode {
                let command = [text(&command.value)].into_iter().chain(args);
                members.push(("command", Json::List(command.collect())));
            } else {
                members.push(("command", text(&command.value)));
                members.push(("args", Json::List(args.collect())));
            }
            let key = if client == Client::OpenCode { "environment" } else { "env" };
            members.push((key, settings(client, env)));
            if let Some(cwd) = translated.cwd {
                members.push(("cwd", text(&directory(client, cwd))));
            }
        }
        Connection::Address { url, headers } => {
            members.extend(client.types().map(|(_, address)| ("type", word(address))));
            members.push((client.url_key(), text(&url.value)));
            members.push(("headers", settings(client, headers)));
        }
    }
    // An empty list of tools disables all tools; other empty values have no meaning and are left out.
    let is_required = |key: &str| client == Client::Copilot && key == "args";
    members
        .retain(|(key, value)| is_required(key) || !matches!(value, Json::List(items) if items.is_empty()));
    members.retain(|(_, value)| !matches!(value, Json::Object(members) if members.is_empty()));
    let names = |names: &[&str]| Json::List(names.iter().map(|name| text(name)).collect());
    let keys = client.tool_keys();
    members.extend(match &translated.exposure {
        Exposure::All => keys.enabled.zip(keys.all).map(|(key, all)| (key, names(&[all]))),
        // Without a key the selection was refused.
        Exposure::Only(tools) => keys.enabled.map(|key| (key, names(tools))),
        Exposure::AllBut(tools) => keys.disabled.map(|key| (key, names(tools))),
    });
    if !translated.server.is_enabled {
        let switch = match layout {
            Layout::Nested => Some(("disabled", true)),
            Layout::Direct => client.switch(),
        };
        members.extend(switch.map(|(key, value)| (key, Json::Bool(value))));
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

/// Returns a working directory for the client. Only in VS Code it is not relative to the workspace.
fn directory(client: Client, cwd: &str) -> String {
    let is_absolute = cwd.starts_with(['/', '\\', '~'])
        || cwd.get(1..3).is_some_and(|drive| [":\\", ":/"].contains(&drive));
    if client == Client::VsCode && !is_absolute {
        format!("${{workspaceFolder}}/{cwd}")
    } else {
        cwd.to_owned()
    }
}

/// Merges servers into a JSON file.
///
/// # Errors
///
/// Fails if the text cannot be parsed unambiguously.
pub(super) fn merge(
    client: Client,
    dialect: Dialect,
    key: &str,
    old: &str,
    wanted: &[ServerChange<'_, Json>],
) -> Result<MergeResult, JsonError> {
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
    Ok(MergeResult { text, changed: replaced })
}

/// Returns the servers with some names in a JSON file; a name that both layouts contain is returned twice.
///
/// # Errors
///
/// Fails if [`merge`] would fail.
pub(super) fn find_servers(
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

/// Returns whether a JSON file has a value at the key for servers.
pub(super) fn has_object(dialect: Dialect, key: &str, text: &str) -> bool {
    !matches!(JsonText::parse(text, dialect).map(|json| matches!(json.find(&[key]), Ok(None))), Ok(true))
}

/// Returns a JSON file without its object for servers; `None` if the object contains anything, even only a
/// comment.
pub(super) fn remove_empty_object(dialect: Dialect, key: &str, text: &str) -> Option<String> {
    let json = JsonText::parse(text, dialect).ok()?;
    let object = json.find(&[key]).ok()??;
    let inside = object.source_text().strip_prefix('{')?.strip_suffix('}')?;
    if !inside.trim().is_empty() {
        return None;
    }
    let without = json.change(&[], &[Change { key, value: None }]).ok()?;
    let count = |text: &str| text.chars().filter(|c| !c.is_whitespace()).count();
    // At most a comma is removed with the object; otherwise a comment between the key and its value would be
    // lost.
    let removed = count(text).saturating_sub(count(&without)).saturating_sub(key.chars().count());
    let is_alone = removed <= "\"\":{},".len();
    is_alone.then_some(without)
}

/// Returns whether two values have the same meaning for the client.
fn is_same(client: Client, left: &str, right: &str) -> bool {
    meaning(client, left).is_some_and(|left| Some(left) == meaning(client, right))
}

/// Returns the meaning of a value for the client; `None` if it is ambiguous.
fn meaning(client: Client, text: &str) -> Option<Value> {
    let text = if client == Client::OpenCode { mark_replacements(text) } else { text.to_owned() };
    JsonText::parse(&text, Dialect::CommentsAndCommas).ok()?.find(&[]).ok()??.to_value()
}

/// Returns the hash of the meaning of a value, or of its text if the meaning is ambiguous.
pub(super) fn hash(client: Client, text: &str) -> ContentHash {
    let mut out = String::new();
    match meaning(client, text) {
        Some(value) => print(&value, &mut out),
        None => out.push_str(text),
    }
    ContentHash::of(out.as_bytes())
}

/// Prints a value on one line with sorted keys.
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
