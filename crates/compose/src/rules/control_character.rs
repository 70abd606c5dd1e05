use minds_diagnostics::{Diagnostic, Rule, Severity};
use minds_document::{Document, Field};

use super::{Check, ProjectCheck};
use crate::Spelled;
use crate::agents::AgentRef;
use crate::model::Compose;

pub(super) static RULE: Rule = Rule {
    code: "compose/control-character",
    summary: "a value that is rendered has a control character",
    default_severity: Severity::Error,
    is_allowable: false,
    since: "0.1.0",
    page: include_str!("control_character.md"),
};

pub(super) fn check_compose<'f>(check: &mut Check<'f>, compose: &'f Compose, document: &'f Document) {
    if let Some(broker) = compose.broker.given() {
        look(check, document, "path", &broker.value.path);
    }
    if let Some(supervisor) = compose.supervisor.given() {
        look(check, document, "tmux_prefix", &supervisor.value.tmux_prefix);
    }
}

pub(super) fn check_project<'f>(check: &mut Check<'f>, project: &ProjectCheck<'f>) {
    if let Some(head) = project.project.head.given() {
        look(check, project.document, "name", &head.value.name);
        look(check, project.document, "cwd", &head.value.cwd);
    }
    for fields in project.agents.iter().filter_map(AgentRef::fields) {
        look(check, project.document, "runtime", &fields.runtime);
        look(check, project.document, "model", &fields.model);
        look(check, project.document, "permission_mode", &fields.permission_mode);
        look(check, project.document, "autonomy", &fields.autonomy);
        look(check, project.document, "display_name", &fields.display_name);
    }
}

fn look<'f>(check: &mut Check<'f>, document: &'f Document, key: &str, field: &'f Field<Spelled>) {
    let Some(value) = field.given() else { return };
    let Some(found) = value.value.chars().find(|c| c.is_control()) else { return };
    check.report(document, &RULE, value, |label| {
        let name = match found {
            '\n' => "a line break".to_owned(),
            '\r' => "a carriage return".to_owned(),
            '\t' => "a tab".to_owned(),
            '\0' => "a NUL".to_owned(),
            other => format!("the control character U+{:04X}", u32::from(other)),
        };
        Diagnostic::new(&RULE, format!("`{key}` holds {name}"))
            .primary(label.message("not allowed here"))
            .note("the value becomes part of a line of a file, where it could add lines of its own")
            .help("write the value in one line, without control characters")
    });
}
