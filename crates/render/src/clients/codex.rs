//! Servers in the TOML file of Codex.

use std::fmt::Write as _;

use minds_core::EnvVar;

use super::Field;
use super::entry::{Connection, ServerEntry, Setting, SettingValue, WithPlace};
use super::filter::Exposure;
use super::notes::Notes;
use super::translate::TranslatedServer;

/// The values of headers and variables by origin: Codex has separate keys for each origin, and no references
/// within strings.
#[derive(Default)]
struct Sources<'s> {
    literals: Vec<(&'s str, &'s str)>,
    variables: Vec<(&'s str, &'s EnvVar)>,
    bearer: Option<&'s EnvVar>,
}

/// The prefix of the header whose variable has its own key.
const BEARER: &str = "Bearer ";

/// Reports values for which Codex has no keys.
pub(super) fn check(server: &ServerEntry, notes: &mut Notes<'_>) {
    match &server.connection {
        Connection::Program { env, .. } => {
            for setting in env {
                if let SettingValue::Variable { name, prefix } = &setting.value.value
                    && (name.as_str() != setting.name || !prefix.is_empty())
                {
                    let why = "Codex passes variables on only under their own names";
                    let help = format!(
                        "pass the variable `{}` to the server directly: `{0}: {{env: {0}}}`",
                        name.as_str()
                    );
                    notes.leave_out_server(Field::Env, setting.value.place.as_ref(), why, &help);
                }
            }
        }
        Connection::Address { headers, .. } => {
            let mut has_bearer = false;
            for setting in headers {
                let SettingValue::Variable { prefix, .. } = &setting.value.value else { continue };
                let is_bearer = is_bearer(setting, prefix);
                if !prefix.is_empty() && (!is_bearer || has_bearer) {
                    let why = "Codex supports no prefix before the value of a variable, except `Bearer ` in `Authorization`";
                    let help = "put the whole header value into the variable, and remove the prefix";
                    notes.leave_out_server(Field::Headers, setting.value.place.as_ref(), why, help);
                }
                has_bearer |= is_bearer;
            }
        }
    }
}

fn is_bearer(setting: &Setting, prefix: &str) -> bool {
    setting.name.eq_ignore_ascii_case("authorization") && prefix == BEARER
}

fn sources(settings: &[Setting]) -> Sources<'_> {
    let mut sources = Sources::default();
    for setting in settings {
        match &setting.value.value {
            SettingValue::Literal(text) => sources.literals.push((&setting.name, text)),
            SettingValue::Variable { name, prefix } if is_bearer(setting, prefix) => {
                sources.bearer = Some(name);
            }
            SettingValue::Variable { name, .. } => sources.variables.push((&setting.name, name)),
        }
    }
    sources
}

/// Returns the lines of a server's table, each with a line break.
pub(super) fn body(translated: &TranslatedServer<'_>) -> String {
    let mut out = String::new();
    let mut line = |key: &str, value: &str| {
        let _ = writeln!(out, "{key} = {value}");
    };
    match &translated.server.connection {
        Connection::Program { command, args, env, .. } => {
            let sources = sources(env);
            line("command", &quote(&command.value));
            if !args.is_empty() {
                line("args", &list(args.iter().map(text)));
            }
            if !sources.literals.is_empty() {
                line("env", &table(sources.literals));
            }
            if !sources.variables.is_empty() {
                line("env_vars", &list(sources.variables.iter().map(|(_, variable)| variable.as_str())));
            }
            if let Some(cwd) = translated.cwd {
                line("cwd", &quote(cwd));
            }
        }
        Connection::Address { url, headers } => {
            let sources = sources(headers);
            line("url", &quote(&url.value));
            if let Some(variable) = sources.bearer {
                line("bearer_token_env_var", &quote(variable.as_str()));
            }
            if !sources.literals.is_empty() {
                line("http_headers", &table(sources.literals));
            }
            if !sources.variables.is_empty() {
                let variables =
                    sources.variables.into_iter().map(|(name, variable)| (name, variable.as_str()));
                line("env_http_headers", &table(variables));
            }
        }
    }
    if !translated.server.is_enabled {
        line("enabled", "false");
    }
    match &translated.exposure {
        Exposure::All => {}
        Exposure::Only(tools) => line("enabled_tools", &list(tools.iter().copied())),
        Exposure::AllBut(tools) => line("disabled_tools", &list(tools.iter().copied())),
    }
    out
}

fn text(placed: &WithPlace<String>) -> &str {
    &placed.value
}

fn list<'s>(items: impl Iterator<Item = &'s str>) -> String {
    format!("[{}]", items.map(quote).collect::<Vec<_>>().join(", "))
}

fn table<'s>(members: impl IntoIterator<Item = (&'s str, &'s str)>) -> String {
    let members = members.into_iter().map(|(name, value)| format!("{} = {}", key(name), quote(value)));
    format!("{{ {} }}", members.collect::<Vec<_>>().join(", "))
}

/// Returns a TOML key, bare if possible.
pub(super) fn key(name: &str) -> String {
    let is_bare =
        !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-".contains(&byte));
    if is_bare { name.to_owned() } else { quote(name) }
}

/// Returns a TOML basic string on one line.
fn quote(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c if c.is_control() => {
                let _ = write!(out, "\\u{:04X}", u32::from(c));
            }
            c => out.push(c),
        }
    }
    out.push('"');
    out
}
