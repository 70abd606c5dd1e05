//! What is found while a server is put into the words of a client.

use minds_diagnostics::{Diagnostic, Problems, Rule};
use minds_document::secrets::{self, Reading};

use super::entry::{Place, Placed, Setting, SettingValue};
use super::rules::{CANNOT_EXPRESS, LITERAL_SECRET};
use super::{Client, Field};

/// The findings about one server for one client.
pub(super) struct Notes<'p> {
    client: Client,
    server: &'p str,
    /// Where the server is declared.
    declared: Option<&'p Place>,
    problems: &'p mut Problems,
    /// Whether the server cannot be written at all.
    pub(super) is_left_out: bool,
}

impl<'p> Notes<'p> {
    pub(super) fn new(client: Client, name: &'p Placed<String>, problems: &'p mut Problems) -> Self {
        Self { client, server: &name.value, declared: name.place.as_ref(), problems, is_left_out: false }
    }

    /// Says that something is left out.
    pub(super) fn without(&mut self, field: Field, place: Option<&Place>, why: &str) {
        let help = format!("set it in {} by hand if it is needed there", self.client.title());
        self.cannot(field, place, why, "left out", &help);
    }

    /// Says that something keeps the whole server out.
    pub(super) fn not_at_all(&mut self, field: Field, place: Option<&Place>, why: &str, help: &str) {
        self.cannot(field, place, why, "so the server is left out", help);
        self.is_left_out = true;
    }

    fn cannot(&mut self, field: Field, place: Option<&Place>, why: &str, label: &str, help: &str) {
        let client = self.client.title();
        let what = self.what(field);
        let found = Diagnostic::new(&CANNOT_EXPRESS, format!("{what} cannot be expressed for {client}"))
            .note(why)
            .help(help);
        self.report(&CANNOT_EXPRESS, found, place, label);
    }

    fn what(&self, field: Field) -> String {
        match field {
            Field::Name => format!("the name `{}`", self.server),
            field => format!("`{}` of `{}`", field.key(), self.server),
        }
    }

    /// Reports what was found at a place; where there is none, at the server itself.
    fn report(&mut self, rule: &'static Rule, found: Diagnostic, place: Option<&Place>, label: &str) {
        let (found, label) =
            if place.is_some() { (found, label) } else { (found.note(label), "declared here") };
        match place.or(self.declared) {
            None => self.problems.push(found),
            Some(place) => {
                let (source, span) = (&place.label.source, place.label.span);
                self.problems.report(source, span, rule, || {
                    found.primary(place.label.clone().message(label)).pointer(place.pointer.clone())
                });
            }
        }
    }

    /// Looks at the name of the server.
    pub(super) fn name(&mut self, name: &Placed<String>) {
        let place = name.place.as_ref();
        if let Some(why) = self.client.server_name_obstacle(&name.value) {
            self.not_at_all(Field::Name, place, why, "choose another name");
        }
        self.secret(Field::Name, &name.value, place, "choose another name");
    }

    /// Looks at a text that would be written as it is.
    pub(super) fn literal(&mut self, field: Field, text: &Placed<String>) {
        self.check(field, &text.value, text.place.as_ref());
    }

    /// Looks at the settings of a server.
    pub(super) fn settings(&mut self, field: Field, settings: &[Setting]) {
        for setting in settings {
            let place = setting.value.place.as_ref();
            if let Some(why) = self.client.key_obstacle(&setting.name) {
                self.not_at_all(field, place, why, "choose another name");
            }
            self.secret(field, &setting.name, place, "choose another name");
            match &setting.value.value {
                SettingValue::Literal(text) => self.check(field, text, place),
                SettingValue::Variable { name, prefix } => {
                    self.secret(field, name.as_str(), place, "choose another name");
                    self.look_for_secrets(field, prefix, place);
                    // What is behind the prefix must not become a part of something that begins in it.
                    self.look_for_references(field, &format!("{prefix}x"), place);
                }
            }
        }
    }

    fn check(&mut self, field: Field, text: &str, place: Option<&Place>) {
        self.look_for_secrets(field, text, place);
        self.look_for_references(field, text, place);
    }

    fn look_for_references(&mut self, field: Field, text: &str, place: Option<&Place>) {
        if self.client.takes_literally(text) {
            return;
        }
        let title = self.client.title();
        if place.is_some() {
            let why = format!("{title} takes a `$` in it for the beginning of a reference");
            let help = "write the value without `$`, or let the server read it from a file";
            self.not_at_all(field, place, &why, help);
        } else {
            let why = format!("{title} takes a `$` in `{text}` for the beginning of a reference");
            self.not_at_all(field, None, &why, origin(field));
        }
    }

    fn look_for_secrets(&mut self, field: Field, text: &str, place: Option<&Place>) {
        let help = match field {
            _ if place.is_none() => origin(field),
            Field::Whitelist | Field::Blacklist => "take it out of the list",
            _ => "put it into an environment variable, and write `{env: NAME}` for a header or a variable",
        };
        self.secret(field, text, place, help);
    }

    fn secret(&mut self, field: Field, text: &str, place: Option<&Place>, help: &str) {
        if secrets::find(text, Reading::Settings).is_empty() {
            return;
        }
        let found = Diagnostic::new(&LITERAL_SECRET, format!("{} holds a secret", self.what(field)))
            .note("the files of clients are kept in repositories")
            .help(help);
        self.report(&LITERAL_SECRET, found, place, "would be written into a client's file");
        self.is_left_out = true;
    }
}

/// Says where a value comes from that stands in no file: what an agent of a compose root is started with.
fn origin(field: Field) -> &'static str {
    match field {
        Field::Command => {
            "name another command with `--mcp-bin`, or in the variable `TEAMCTL_TEAM_MCP` if it is from there"
        }
        _ => {
            "it is made of the path of the compose root, of `broker.path` and `supervisor.tmux_prefix` in \
             `team-compose.yaml`, and of the ids of the project and the agent: write these without it"
        }
    }
}
