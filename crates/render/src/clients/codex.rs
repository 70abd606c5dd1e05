//! Servers in the words of Codex.

use std::fmt::Write as _;

use minds_core::EnvVar;

use super::Field;
use super::entry::{Connection, Placed, ServerEntry, Setting, SettingValue};
use super::filter::Exposure;
use super::notes::Notes;
use super::speak::Spoken;

/// Where the values of headers and variables come from: Codex has keys for that, and no references within texts.
#[derive(Default)]
struct Sources<'s> {
    literals: Vec<(&'s str, &'s str)>,
    variables: Vec<(&'s str, &'s EnvVar)>,
    bearer: Option<&'s EnvVar>,
}

/// What a header begins with whose variable has a key of its own.
const BEARER: &str = "Bearer ";

/// Reports what Codex has no keys for.
pub(super) fn check(server: &ServerEntry, notes: &mut Notes<'_>) {
    match &server.connection {
        Connection::Program { env, .. } => {
            for setting in env {
                if let SettingValue::Variable { name, prefix } = &setting.value.value
                    && (name.as_str() != setting.name || !prefix.is_empty())
                {
                    let why = "Codex hands variables on under their own names";
                    let help = format!(
                        "give the server the variable `{}` itself: `{0}: {{env: {0}}}`",
                        name.as_str()
                    );
                    notes.not_at_all(Field::Env, setting.value.place.as_ref(), why, &help);
                }
            }
        }
        Connection::Address { headers, .. } => {
            let mut has_bearer = false;
            for setting in headers {
                let SettingValue::Variable { prefix, .. } = &setting.value.value else { continue };
                let is_bearer = is_bearer(setting, prefix);
                if !prefix.is_empty() && (!is_bearer || has_bearer) {
                    let why = "Codex puts nothing before the value of a variable, except `Bearer ` in `Authorization`";
                    let help =
                        "put the whole value of the header into the variable, and leave out the prefix";
                    notes.not_at_all(Field::Headers, setting.value.place.as_ref(), why, help);
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

/// Returns the lines of a server's table, each with a line feed.
pub(super) fn body(spoken: &Spoken<'_>) -> String {
    let mut out = String::new();
    let mut line = |key: &str, value: &str| {
        let _ = writeln!(out, "{key} = {value}");
    };
    match &spoken.server.connection {
        Connection::Program { command, args, env, .. } => {
            let sources = sources(env);
            line("command", &quoted(&command.value));
            if !args.is_empty() {
                line("args", &list(args.iter().map(text)));
            }
            if !sources.literals.is_empty() {
                line("env", &table(sources.literals));
            }
            if !sources.variables.is_empty() {
                line("env_vars", &list(sources.variables.iter().map(|(_, variable)| variable.as_str())));
            }
            if let Some(cwd) = spoken.cwd {
                line("cwd", &quoted(cwd));
            }
        }
        Connection::Address { url, headers } => {
            let sources = sources(headers);
            line("url", &quoted(&url.value));
            if let Some(variable) = sources.bearer {
                line("bearer_token_env_var", &quoted(variable.as_str()));
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
    if !spoken.server.is_enabled {
        line("enabled", "false");
    }
    match &spoken.exposure {
        Exposure::All => {}
        Exposure::Only(tools) => line("enabled_tools", &list(tools.iter().copied())),
        Exposure::AllBut(tools) => line("disabled_tools", &list(tools.iter().copied())),
    }
    out
}

fn text(placed: &Placed<String>) -> &str {
    &placed.value
}

fn list<'s>(items: impl Iterator<Item = &'s str>) -> String {
    format!("[{}]", items.map(quoted).collect::<Vec<_>>().join(", "))
}

fn table<'s>(members: impl IntoIterator<Item = (&'s str, &'s str)>) -> String {
    let members = members.into_iter().map(|(name, value)| format!("{} = {}", key(name), quoted(value)));
    format!("{{ {} }}", members.collect::<Vec<_>>().join(", "))
}

/// Returns a key as TOML has it: bare where it can be.
pub(super) fn key(name: &str) -> String {
    let is_bare =
        !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-".contains(&byte));
    if is_bare { name.to_owned() } else { quoted(name) }
}

/// Returns a text as a basic string of TOML, on one line.
fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for letter in text.chars() {
        match letter {
            '"' | '\\' => out.extend(['\\', letter]),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            letter if letter.is_control() => {
                let _ = write!(out, "\\u{:04X}", u32::from(letter));
            }
            letter => out.push(letter),
        }
    }
    out.push('"');
    out
}
