//! The findings while a server is translated for a client.

use minds_diagnostics::{Diagnostic, Problems, Rule};
use minds_text::secrets::{self, TextKind};

use super::entry::{Connection, Place, ServerEntry, Setting, SettingValue, WithPlace};
use super::rules::{CANNOT_EXPRESS, LITERAL_SECRET, RETIRED_CLIENT};
use super::{Client, Field};

/// The findings about one server for one client.
pub(super) struct Notes<'p> {
    client: Client,
    server: &'p str,
    /// The position of the server's declaration.
    declared: Option<&'p Place>,
    problems: &'p mut Problems,
    /// Whether the server is left out.
    pub(super) is_left_out: bool,
}

impl<'p> Notes<'p> {
    pub(super) fn new(client: Client, name: &'p WithPlace<String>, problems: &'p mut Problems) -> Self {
        Self { client, server: &name.value, declared: name.place.as_ref(), problems, is_left_out: false }
    }

    /// Reports a setting that is left out.
    pub(super) fn leave_out_field(&mut self, field: Field, place: Option<&Place>, why: &str) {
        let help = format!("set it in {} by hand if it is needed there", self.client.title());
        self.report_inexpressible(field, place, why, "left out", &help);
    }

    /// Reports a setting because of which the server is left out.
    pub(super) fn leave_out_server(&mut self, field: Field, place: Option<&Place>, why: &str, help: &str) {
        self.report_inexpressible(field, place, why, "the server is left out", help);
        self.is_left_out = true;
    }

    fn report_inexpressible(
        &mut self,
        field: Field,
        place: Option<&Place>,
        why: &str,
        label: &str,
        help: &str,
    ) {
        let client = self.client.title();
        let what = self.describe(field);
        let found = Diagnostic::new(&CANNOT_EXPRESS, format!("{what} is not supported by {client}"))
            .note(why)
            .help(help);
        self.report(&CANNOT_EXPRESS, found, place, label);
    }

    fn describe(&self, field: Field) -> String {
        match field {
            Field::Name => format!("the name `{}`", self.server),
            field => format!("`{}` of `{}`", field.key(), self.server),
        }
    }

    /// Reports a finding at `place`, or at the server if there is none.
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

    /// Reports that the client is being retired.
    pub(super) fn report_retirement(&mut self) {
        let known = minds_clients::Client::find(self.client.name());
        let Some(retirement) = known.and_then(|known| known.retirement.as_ref()) else { return };
        let title = self.client.title();
        let found = Diagnostic::new(&RETIRED_CLIENT, format!("{title} is being retired"))
            .note(format!("since {}, {}", retirement.since, retirement.what))
            .help(retirement.instead.clone());
        self.report(&RETIRED_CLIENT, found, self.declared, &format!("also rendered for {title}"));
    }

    /// Checks the name of the server.
    pub(super) fn check_name(&mut self, name: &WithPlace<String>) {
        let place = name.place.as_ref();
        if let Some(why) = self.client.server_name_obstacle(&name.value) {
            self.leave_out_server(Field::Name, place, why, "choose another name");
        }
        self.report_secret(Field::Name, &name.value, place, "choose another name");
    }

    /// Checks a string that would be written literally.
    pub(super) fn check_literal(&mut self, field: Field, text: &WithPlace<String>) {
        self.check(field, &text.value, text.place.as_ref());
    }

    /// Checks environment variables or headers.
    pub(super) fn check_settings(&mut self, field: Field, settings: &[Setting]) {
        for setting in settings {
            let place = setting.value.place.as_ref();
            if let Some(why) = self.client.key_obstacle(&setting.name) {
                self.leave_out_server(field, place, why, "choose another name");
            }
            self.report_secret(field, &setting.name, place, "choose another name");
            match &setting.value.value {
                SettingValue::Literal(text) => self.check(field, text, place),
                SettingValue::Variable { name, prefix } => {
                    self.report_secret(field, name.as_str(), place, "choose another name");
                    self.check_secrets(field, prefix, place);
                    // The value after the prefix must not become part of a reference that starts in the
                    // prefix.
                    self.check_references(field, &format!("{prefix}x"), place);
                }
            }
        }
    }

    /// Reports values of environment variables, for a client that has no references to them.
    pub(super) fn refuse_variables(&mut self, server: &ServerEntry) {
        let (field, settings) = match &server.connection {
            Connection::Program { env, .. } => (Field::Env, env),
            Connection::Address { headers, .. } => (Field::Headers, headers),
        };
        let why = format!("{} passes `${{NAME}}` on as it is written", self.client.title());
        // One finding is enough, because the server is left out.
        for setting in settings {
            if let SettingValue::Variable { name, .. } = &setting.value.value {
                let help = match field {
                    Field::Env => format!(
                        "remove the variable, and start the server with a program that sets `{}`",
                        name.as_str()
                    ),
                    _ => "start a program that connects to the URL and reads the variable itself".to_owned(),
                };
                return self.leave_out_server(field, setting.value.place.as_ref(), &why, &help);
            }
        }
    }

    fn check(&mut self, field: Field, text: &str, place: Option<&Place>) {
        self.check_secrets(field, text, place);
        self.check_references(field, text, place);
    }

    fn check_references(&mut self, field: Field, text: &str, place: Option<&Place>) {
        if self.client.reads_literally(text) {
            return;
        }
        let title = self.client.title();
        if place.is_some() {
            let why = format!("{title} would read a `$` in it as the start of a reference");
            let help = "write the value without `$`, or let the server read it from a file";
            self.leave_out_server(field, place, &why, help);
        } else {
            let why = format!("{title} would read a `$` in `{text}` as the start of a reference");
            self.leave_out_server(field, None, &why, origin(field));
        }
    }

    fn check_secrets(&mut self, field: Field, text: &str, place: Option<&Place>) {
        let help = match field {
            _ if place.is_none() => origin(field),
            Field::Whitelist | Field::Blacklist => "remove it from the list",
            _ => {
                "put it into an environment variable, and refer to it with `{env: NAME}` in a header or variable"
            }
        };
        self.report_secret(field, text, place, help);
    }

    fn report_secret(&mut self, field: Field, text: &str, place: Option<&Place>, help: &str) {
        if secrets::find(text, TextKind::Settings).is_empty() {
            return;
        }
        let found = Diagnostic::new(&LITERAL_SECRET, format!("{} contains a secret", self.describe(field)))
            .note("client files are often committed to a repository")
            .help(help);
        self.report(&LITERAL_SECRET, found, place, "would be written into a client's file");
        self.is_left_out = true;
    }
}

/// Returns the help for a value without a source position, which is part of the launch command of an agent.
fn origin(field: Field) -> &'static str {
    match field {
        Field::Command => "pass another command with `--mcp-bin` or the variable `TEAMCTL_TEAM_MCP`",
        _ => {
            "change the path of the compose root, `broker.path` or `supervisor.tmux_prefix` in `team-compose.yaml`, or the id of the project or agent, from which the value is built"
        }
    }
}
