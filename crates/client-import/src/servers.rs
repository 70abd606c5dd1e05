//! MCP servers in the files of clients.

use minds_clients::{ClientFile, Entry, Item, Value};
use minds_core::EnvVar;
use minds_diagnostics::Label;
use minds_document::UrlKind;
use minds_text::hidden_text;

use crate::context::Context;
use crate::fields::{Fields, is_false, is_true};
use crate::findings::{place, shorten};
use crate::rules;
use crate::server_values::{Setting, is_secret_argument, plain_argument, variable_name};
use crate::team::{ImportedServer, ServerTransport, SettingValue};

/// Reads the servers in a mapping from names to servers.
pub(crate) fn read(cx: &mut Context<'_>, file: &ClientFile, servers: Option<&Item>) -> Vec<ImportedServer> {
    let entries = servers.map(Item::entries).unwrap_or_default();
    // Of a name that is repeated, the last one counts.
    let is_last = |at: usize, entry: &Entry| !entries.iter().skip(at + 1).any(|later| later.key == entry.key);
    let last: Vec<&Entry> = entries
        .iter()
        .enumerate()
        .filter(|(at, entry)| is_last(*at, entry))
        .map(|(_, entry)| entry)
        .collect();
    last.into_iter()
        .filter_map(|entry| Reader { cx: &mut *cx, file, entry, is_enabled: true }.read())
        .collect()
}

struct Reader<'c, 'r, 'f> {
    cx: &'c mut Context<'r>,
    file: &'f ClientFile,
    entry: &'f Entry,
    is_enabled: bool,
}

impl<'f> Reader<'_, '_, 'f> {
    fn label(&self, item: &Item) -> Label {
        place(self.file, item.span)
    }

    /// Reports that the server is left out.
    fn report_unsupported(&mut self, why: &str, help: &str) {
        let message = format!("the MCP server `{}` is left out: {why}", shorten(&self.entry.key));
        self.cx.findings.report_lost_limit(&place(self.file, self.entry.key_span), message, help);
    }

    fn read(mut self) -> Option<ImportedServer> {
        let Value::Mapping(_) = self.entry.item.value else {
            self.report_unsupported("it is not a mapping", "correct the file, and import again");
            return None;
        };
        let mut fields = Fields::new(Some(&self.entry.item));
        let kind = fields.text("type").or_else(|| fields.text("transport")).unwrap_or_default();
        let transport = self.transport(&mut fields, kind);
        let whitelist = read_names(&mut fields, &["includeTools", "enabled_tools"]);
        let blacklist = read_names(&mut fields, &["excludeTools", "disabled_tools"]);
        // A list of tools in the agents of Copilot.
        let tools = read_names(&mut fields, &["tools"]);
        let whitelist =
            if tools.iter().any(|tool| tool == "*") { whitelist } else { [whitelist, tools].concat() };
        let is_off =
            fields.get("enabled").is_some_and(is_false) || fields.get("disabled").is_some_and(is_true);
        let what = format!("the MCP server `{}`", shorten(&self.entry.key));
        self.cx.report_rest(self.file, &what, fields);
        let transport = transport?;
        if has_hidden_text(&transport) {
            self.report_unsupported("it contains hidden characters", "remove them, and import again");
            return None;
        }
        Some(ImportedServer {
            id: self.entry.key.clone(),
            name: self.entry.key.clone(),
            place: place(self.file, self.entry.key_span),
            transport,
            whitelist,
            blacklist,
            is_enabled: self.is_enabled && !is_off,
        })
    }

    fn transport(&mut self, fields: &mut Fields<'f>, kind: &str) -> Option<ServerTransport> {
        const SSE: &str = "use a URL of the server for streamable HTTP, or start it as a program";
        if let Some(command) = fields.get("command") {
            return self.program(fields, command);
        }
        let newer = fields.get("httpUrl");
        let url = newer.or_else(|| fields.get("url")).or_else(|| fields.get("serverUrl"));
        // Gemini CLI uses the older transport for `url`.
        let is_sse = kind == "sse" || (self.cx.client.id == "gemini" && newer.is_none() && kind != "http");
        match url {
            Some(_) if is_sse => {
                self.report_unsupported("a team does not support the transport SSE", SSE);
                None
            }
            Some(_) if matches!(kind, "ws" | "sdk") => {
                self.report_unsupported(&format!("a team does not support the transport `{kind}`"), SSE);
                None
            }
            Some(url) => self.url(fields, url),
            None => {
                let help = "add a command or a URL for streamable HTTP, and import again";
                self.report_unsupported("it has neither a command nor a URL that a team supports", help);
                None
            }
        }
    }

    fn program(&mut self, fields: &mut Fields<'f>, command: &'f Item) -> Option<ServerTransport> {
        let args = fields.get("args");
        let mut words: Vec<&Item> = match &command.value {
            Value::List(items) => items.iter().collect(),
            _ => vec![command],
        };
        words.extend(args.map(Item::items).unwrap_or_default());
        let mut plain: Vec<String> = Vec::new();
        for word in words {
            match &word.value {
                Value::String(text) => {
                    let argument = self.argument(plain.last().map(String::as_str), text, word);
                    plain.push(argument);
                }
                Value::Integer(number) => plain.push(number.to_string()),
                _ => {
                    self.report_unsupported(
                        "an argument is not a string",
                        "correct the file, and import again",
                    );
                    return None;
                }
            }
        }
        let args = plain.split_off(plain.len().min(1));
        let command = plain.pop().filter(|command| !command.trim().is_empty());
        let Some(command) = command else {
            self.report_unsupported("its command is empty", "correct the file, and import again");
            return None;
        };
        let mut env = self.settings(fields, &["env", "environment"], false);
        if let Some(names) = fields.get("env_vars") {
            for name in names.items().iter().filter_map(Item::text) {
                if EnvVar::parse(name).is_some() {
                    env.push((
                        name.to_owned(),
                        SettingValue::Variable { name: name.to_owned(), prefix: String::new() },
                    ));
                }
            }
        }
        let cwd = fields.entry("cwd").and_then(|entry| self.directory(&entry.item));
        Some(ServerTransport::Program { command, args, env, cwd })
    }

    /// Returns a word of the command line. What a team cannot have turns the server off, so that it is not started with
    /// something else.
    fn argument(&mut self, before: Option<&str>, text: &str, item: &Item) -> String {
        if is_secret_argument(before, text) {
            let name = variable_name(&format!("{}_SECRET", self.entry.key));
            self.cx.findings.report(
                &rules::LITERAL_SECRET,
                &self.label(item),
                format!("an argument of `{}` may be a secret, so it was not copied, and the server is disabled", shorten(&self.entry.key)),
                format!("pass it to the program in `env`, for example as `{name}: {{ env: {name} }}`, and remove `enabled: false`"),
            );
            self.is_enabled = false;
            return name;
        }
        plain_argument(self.cx.client.id, text).unwrap_or_else(|| {
            self.cx.findings.report_lost_limit(
                &self.label(item),
                format!(
                    "a team does not replace variables in arguments, so `{}` is disabled",
                    shorten(&self.entry.key)
                ),
                "pass the value to the program in `env`, and remove `enabled: false`",
            );
            self.is_enabled = false;
            text.to_owned()
        })
    }

    fn directory(&mut self, item: &Item) -> Option<String> {
        let text = item.text().filter(|text| !text.trim().is_empty())?;
        let plain = plain_argument(self.cx.client.id, text);
        if plain.is_none() {
            self.cx.findings.report_lost_limit(
                &self.label(item),
                format!(
                    "a team does not replace variables in `cwd`, so `{}` starts in the workspace",
                    shorten(&self.entry.key)
                ),
                "set `cwd` of the server to a directory of the workspace",
            );
        }
        plain.filter(|path| path != ".")
    }

    fn url(&mut self, fields: &mut Fields<'f>, item: &'f Item) -> Option<ServerTransport> {
        let text = item.text().unwrap_or_default();
        let is_plain = plain_argument(self.cx.client.id, text).is_some() && !text.contains(['{', '}', '$']);
        let Some(url) = UrlKind::HTTP.parse(text).ok().filter(|_| is_plain) else {
            let help = "write an absolute URL without variables, and import again";
            self.report_unsupported("its URL cannot be used by a team", help);
            return None;
        };
        if is_secret_argument(None, url) {
            self.cx.findings.report(
                &rules::LITERAL_SECRET,
                &self.label(item),
                format!(
                    "the URL of `{}` may contain a secret, so the server is left out",
                    shorten(&self.entry.key)
                ),
                "send the secret in `headers`, where a value can be `{ env: NAME }`",
            );
            return None;
        }
        let mut headers = self.settings(fields, &["headers", "http_headers"], true);
        for entry in fields.get("env_http_headers").map(Item::entries).unwrap_or_default() {
            if let Some(name) =
                entry.item.text().and_then(EnvVar::parse).filter(|_| is_header_name(&entry.key))
            {
                let name = name.as_str().to_owned();
                headers.push((entry.key.clone(), SettingValue::Variable { name, prefix: String::new() }));
            }
        }
        if let Some(name) = fields.text("bearer_token_env_var").and_then(EnvVar::parse) {
            let value =
                SettingValue::Variable { name: name.as_str().to_owned(), prefix: "Bearer ".to_owned() };
            headers.push(("Authorization".to_owned(), value));
        }
        Some(ServerTransport::Url { url: url.to_owned(), headers })
    }

    /// Reads the variables or headers at the first of these keys.
    fn settings(
        &mut self,
        fields: &mut Fields<'f>,
        keys: &[&str],
        is_header: bool,
    ) -> Vec<(String, SettingValue)> {
        let mut found: Vec<(String, SettingValue)> = Vec::new();
        for entry in keys.iter().filter_map(|key| fields.get(key)).flat_map(Item::entries) {
            let key = entry.key.as_str();
            let is_name = if is_header { is_header_name(key) } else { is_variable_name(key) };
            let text = match &entry.item.value {
                Value::String(text) => Some(text.clone()),
                Value::Integer(number) => Some(number.to_string()),
                Value::Bool(value) => Some(value.to_string()),
                _ => None,
            };
            let Some(text) = text.filter(|text| is_name && !(is_header && text.contains(char::is_control)))
            else {
                self.cx.findings.report_lost_limit(
                    &place(self.file, entry.key_span),
                    format!(
                        "`{}` of `{}` is left out: its name or value is not valid",
                        shorten(key),
                        shorten(&self.entry.key)
                    ),
                    "correct it, and import again",
                );
                continue;
            };
            let setting = Setting {
                client: self.cx.client.id,
                server: &self.entry.key,
                key,
                is_header,
                place: place(self.file, entry.item.span),
            };
            let value = setting.read(&text, &mut self.cx.findings);
            found.retain(|(known, _)| known != key);
            found.push((key.to_owned(), value));
        }
        found
    }
}

/// Returns whether a string of a server contains characters that are not displayed.
fn has_hidden_text(transport: &ServerTransport) -> bool {
    let is_hidden = |text: &str| hidden_text(text).next().is_some();
    let has_hidden = |settings: &[(String, SettingValue)]| {
        settings.iter().any(|(name, value)| {
            is_hidden(name)
                || match value {
                    SettingValue::Literal(text) => is_hidden(text),
                    SettingValue::Variable { prefix, .. } => is_hidden(prefix),
                }
        })
    };
    match transport {
        ServerTransport::Program { command, args, env, cwd } => {
            args.iter().chain(cwd).chain([command]).any(|text| is_hidden(text)) || has_hidden(env)
        }
        ServerTransport::Url { url, headers } => is_hidden(url) || has_hidden(headers),
    }
}

/// The maximum length of a name that is written.
const MAX_KEY_BYTES: usize = 256;

fn is_variable_name(name: &str) -> bool {
    !name.is_empty()
        && name.len() <= MAX_KEY_BYTES
        && name != "<<"
        && !name.contains(|c: char| c == '=' || c.is_control())
}

/// Reads the names of tools at these keys.
fn read_names(fields: &mut Fields<'_>, keys: &[&str]) -> Vec<String> {
    let items = keys.iter().filter_map(|key| fields.get(key)).flat_map(Item::items);
    items.filter_map(Item::text).filter(|name| !name.trim().is_empty()).map(str::to_owned).collect()
}

fn is_header_name(name: &str) -> bool {
    let is_token = |c: char| c.is_ascii_alphanumeric() || "!#$%&'*+-.^_`|~".contains(c);
    !name.is_empty() && name.len() <= MAX_KEY_BYTES && name.chars().all(is_token)
}
