//! What is found while a server is put into the words of a client.

use minds_core::secrets::{self, Reading};
use minds_diagnostics::{Diagnostic, Problems, Rule};

use super::entry::{Place, Placed, Setting, SettingValue};
use super::rules::{CANNOT_EXPRESS, LITERAL_SECRET};
use super::{Client, Field};

/// The findings about one server for one client.
pub(super) struct Notes<'p> {
    pub(super) client: Client,
    pub(super) server: &'p str,
    pub(super) problems: &'p mut Problems,
    /// Whether the server cannot be written at all.
    pub(super) is_left_out: bool,
}

impl Notes<'_> {
    /// Says that something is left out.
    pub(super) fn without(&mut self, field: Field, place: Option<&Place>, why: &str) {
        self.cannot(field, place, why, "left out", None);
    }

    /// Says that something keeps the whole server out.
    pub(super) fn not_at_all(&mut self, field: Field, place: Option<&Place>, why: &str, help: &str) {
        self.cannot(field, place, why, "so the server is left out", Some(help));
        self.is_left_out = true;
    }

    fn cannot(&mut self, field: Field, place: Option<&Place>, why: &str, label: &str, help: Option<&str>) {
        let (client, server) = (self.client.title(), self.server);
        let what = match field {
            Field::Name => format!("the name `{server}`"),
            field => format!("`{}` of `{server}`", field.key()),
        };
        let found = Diagnostic::new(&CANNOT_EXPRESS, format!("{what} cannot be expressed for {client}"))
            .note(why)
            .maybe_help(help.map(str::to_owned));
        self.report(&CANNOT_EXPRESS, found, place, label);
    }

    fn report(&mut self, rule: &'static Rule, found: Diagnostic, place: Option<&Place>, label: &str) {
        match place {
            None => self.problems.push(found),
            Some(place) => {
                let (source, span) = (&place.label.source, place.label.span);
                self.problems.report(source, span, rule, || {
                    found.primary(place.label.clone().message(label)).pointer(place.pointer.clone())
                });
            }
        }
    }

    /// Looks at a text that would be written as it is.
    pub(super) fn literal(&mut self, field: Field, text: &Placed<String>) {
        self.check(field, &text.value, text.place.as_ref());
    }

    /// Looks at the settings of a server.
    pub(super) fn settings(&mut self, field: Field, settings: &[Setting]) {
        for setting in settings {
            let place = setting.value.place.as_ref();
            if !self.client.takes_key(&setting.name) {
                self.not_at_all(
                    field,
                    place,
                    "opencode would replace a part of the name",
                    "choose another name",
                );
            }
            match &setting.value.value {
                SettingValue::Literal(text) => self.check(field, text, place),
                SettingValue::Variable { prefix, .. } => {
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
        if !self.client.takes_literally(text) {
            let why = format!("{} takes a `$` in it for the beginning of a reference", self.client.title());
            self.not_at_all(
                field,
                place,
                &why,
                "write the value without `$`, or let the server read it from a file",
            );
        }
    }

    fn look_for_secrets(&mut self, field: Field, text: &str, place: Option<&Place>) {
        if secrets::find(text, Reading::Settings).is_empty() {
            return;
        }
        let message = format!("`{}` of `{}` holds a secret", field.key(), self.server);
        let found = Diagnostic::new(&LITERAL_SECRET, message)
            .note("the files of clients are kept in repositories")
            .help("put it into an environment variable, and write `{env: NAME}` for a header or a variable");
        self.report(&LITERAL_SECRET, found, place, "would be written into a client's file");
        self.is_left_out = true;
    }
}
