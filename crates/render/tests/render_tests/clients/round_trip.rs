//! How clients read a server, written from their documentation and independent of the encoders. Used by tests
//! and by `cargo xtask stress`.

use minds_render::clients::{Client, Connection, ServerEntry, Setting, SettingValue, render};
use serde_json::{Map, Value, json};

/// Returns the JSON pointer of the servers in a client's file.
pub(crate) fn place(client: Client) -> &'static str {
    match client {
        Client::Codex => "/mcp_servers",
        Client::VsCode => "/servers",
        Client::OpenCode => "/mcp",
        Client::ClaudeCode | Client::Gemini | Client::Cursor | Client::Copilot | Client::Antigravity => {
            "/mcpServers"
        }
    }
}

/// Parses a file without comments, with a parser other than the one under test.
#[track_caller]
pub(crate) fn read(client: Client, text: &str) -> Value {
    let text = text.trim_start_matches('\u{feff}');
    if client == Client::Codex {
        toml::from_str(text).expect(text)
    } else {
        serde_json::from_str(text).expect(text)
    }
}

/// Returns the expected server, with `<NAME>` for the values of variables.
fn expected_server(server: &ServerEntry) -> Value {
    let values = |settings: &[Setting]| -> Value {
        let value = |setting: &Setting| match &setting.value.value {
            SettingValue::Literal(text) => text.clone(),
            SettingValue::Variable { name, prefix } => format!("{prefix}<{}>", name.as_str()),
        };
        settings
            .iter()
            .map(|setting| (setting.name.clone(), json!(value(setting))))
            .collect::<Map<_, _>>()
            .into()
    };
    match &server.connection {
        Connection::Program { command, args, env, cwd } => json!({
            "command": command.value,
            "args": args.iter().map(|arg| arg.value.as_str()).collect::<Vec<_>>(),
            "env": values(env),
            "cwd": cwd.as_ref().map(|cwd| &cwd.value),
        }),
        Connection::Address { url, headers } => json!({ "url": url.value, "headers": values(headers) }),
    }
}

/// Replaces all parts between two markers in a string, with lazy matching.
fn replace_between(text: &str, open: &str, replace: impl Fn(&str) -> String) -> String {
    let (mut out, mut rest) = (String::new(), text);
    while let Some((before, behind)) = rest.split_once(open) {
        let Some((inner, after)) = behind.split_once('}').filter(|(inner, _)| !inner.is_empty()) else {
            out.push_str(before);
            out.push_str(open);
            rest = behind;
            continue;
        };
        out.push_str(before);
        out.push_str(&replace(inner));
        rest = after;
    }
    out + rest
}

/// Expands references in a string as a client does.
fn expand(client: Client, text: &str) -> String {
    match client {
        Client::Codex | Client::OpenCode | Client::Antigravity => text.to_owned(),
        Client::ClaudeCode => replace_between(text, "${", |name| format!("<{name}>")),
        Client::VsCode | Client::Cursor => {
            replace_between(text, "${", |name| format!("<{}>", name.strip_prefix("env:").unwrap_or("?")))
        }
        Client::Gemini | Client::Copilot => {
            let braced = replace_between(text, "${", |name| format!("<{name}>"));
            let mut parts = braced.split('$');
            let mut out = parts.next().unwrap_or_default().to_owned();
            for part in parts {
                let end = part.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(part.len());
                let (name, rest) = part.split_at(end);
                let name = if name.is_empty() { "$".to_owned() } else { format!("<{name}>") };
                out.extend([name.as_str(), rest]);
            }
            out
        }
    }
}

/// Reads a server as a client does.
fn understood(client: Client, text: &str, name: &str) -> Option<Value> {
    let text = if client == Client::OpenCode {
        let text = replace_between(text, "{env:", |name| format!("<{name}>"));
        replace_between(&text, "{file:", |_| "<file>".to_owned())
    } else {
        text.to_owned()
    };
    let file = read(client, &text);
    let server = file.pointer(place(client))?.get(name)?;
    let text = |value: &Value| json!(expand(client, value.as_str().unwrap()));
    let strings = |key: &str| -> Vec<Value> {
        server.get(key).and_then(Value::as_array).into_iter().flatten().map(text).collect()
    };
    let values = |key: &str| -> Map<String, Value> {
        let members = server.get(key).and_then(Value::as_object).into_iter().flatten();
        members.map(|(name, value)| (name.clone(), text(value))).collect()
    };
    let is_program = server.get("command").is_some();
    let mut settings = values(match (client, is_program) {
        (Client::OpenCode, true) => "environment",
        (_, true) => "env",
        (Client::Codex, false) => "http_headers",
        (_, false) => "headers",
    });
    if client == Client::Codex {
        for name in strings("env_vars") {
            settings
                .insert(name.as_str().unwrap().to_owned(), json!(format!("<{}>", name.as_str().unwrap())));
        }
        for (name, variable) in values("env_http_headers") {
            settings.insert(name, json!(format!("<{}>", variable.as_str().unwrap())));
        }
        if let Some(variable) = server.get("bearer_token_env_var") {
            settings
                .insert("Authorization".into(), json!(format!("Bearer <{}>", variable.as_str().unwrap())));
        }
    }
    if !is_program {
        let url = ["httpUrl", "serverUrl", "url"].iter().find_map(|key| server.get(key))?;
        return Some(json!({ "url": text(url), "headers": settings }));
    }
    let (command, args) = if client == Client::OpenCode {
        let mut command = strings("command").into_iter();
        (command.next()?, command.collect())
    } else {
        (text(server.get("command")?), strings("args"))
    };
    let cwd = server.get("cwd").map(text);
    Some(json!({ "command": command, "args": args, "env": settings, "cwd": cwd }))
}

/// Returns whether a client may refuse a server.
fn may_be_refused(client: Client, server: &ServerEntry) -> bool {
    let (settings, cwd) = match &server.connection {
        Connection::Program { env, cwd, .. } => (env, cwd.is_some()),
        Connection::Address { headers, .. } => (headers, false),
    };
    let has_variables =
        settings.iter().any(|setting| matches!(setting.value.value, SettingValue::Variable { .. }));
    match client {
        Client::Codex | Client::Antigravity => has_variables,
        Client::OpenCode => settings.iter().any(|setting| setting.name.contains('{')),
        _ => format!("{:?}", server.connection).contains('$') || cwd,
    }
}

/// Renders a server for a client and reads it back. Returns whether it was written; otherwise it was refused
/// or left out.
///
/// # Errors
///
/// Returns the difference if the server was read differently, or was refused without a reason.
pub(crate) fn round_trip(client: Client, server: &ServerEntry) -> Result<bool, String> {
    let merged = render(client, std::slice::from_ref(server), &[], None);
    let found = merged.text.as_deref().and_then(|text| understood(client, text, &server.name.value));
    let mut meant = expected_server(server);
    if matches!(client, Client::ClaudeCode | Client::Cursor) && meant.get("cwd").is_some() {
        meant["cwd"] = Value::Null;
    }
    match found {
        Some(found) if found == meant => Ok(true),
        Some(found) => Err(format!("{found}\nwas read, but meant was\n{meant}")),
        None if !server.is_enabled
            && !matches!(client, Client::Codex | Client::OpenCode | Client::Antigravity) =>
        {
            Ok(false)
        }
        None if merged.problems.is_empty() => Err("it was left out without a word".to_owned()),
        None if may_be_refused(client, server) => Ok(false),
        None => Err("it was refused without a reason".to_owned()),
    }
}
