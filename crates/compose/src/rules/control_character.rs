use minds_diagnostics::{Diagnostic, rule};
use minds_document::{Document, Field};

use super::{Check, ProjectCheck};
use crate::RawScalar;
use crate::agents::AgentRef;
use crate::model::Compose;

rule! {
    pub(super) static RULE {
        code: "compose/control-character",
        summary: "a rendered value contains a control character",
        severity: Error,
        suppressible: false,
        since: "0.1.0",
        page: "control_character.md",
    }
}

pub(super) fn check_compose<'f>(check: &mut Check<'f>, compose: &'f Compose, document: &'f Document) {
    if let Some(broker) = compose.broker.as_given() {
        check_field(check, document, "path", &broker.value.path);
    }
    if let Some(supervisor) = compose.supervisor.as_given() {
        check_field(check, document, "tmux_prefix", &supervisor.value.tmux_prefix);
    }
}

pub(super) fn check_project<'f>(check: &mut Check<'f>, project: &ProjectCheck<'f>) {
    if let Some(head) = project.project.head.as_given() {
        check_field(check, project.document, "name", &head.value.name);
        check_field(check, project.document, "cwd", &head.value.cwd);
    }
    for fields in project.agents.iter().filter_map(AgentRef::fields) {
        check_field(check, project.document, "runtime", &fields.runtime);
        check_field(check, project.document, "model", &fields.model);
        check_field(check, project.document, "permission_mode", &fields.permission_mode);
        check_field(check, project.document, "autonomy", &fields.autonomy);
        check_field(check, project.document, "display_name", &fields.display_name);
    }
}

fn check_field<'f>(check: &mut Check<'f>, document: &'f Document, key: &str, field: &'f Field<RawScalar>) {
    let Some(value) = field.as_given() else { return };
    let Some(found) = value.value.chars().find(|c| c.is_control()) else { return };
    check.report(document, &RULE, value, |label| {
        let name = match found {
            '\n' => "a line break".to_owned(),
            '\r' => "a carriage return".to_owned(),
            '\t' => "a tab".to_owned(),
            '\0' => "a NUL".to_owned(),
            other => format!("the control character U+{:04X}", u32::from(other)),
        };
        Diagnostic::new(&RULE, format!("`{key}` contains {name}"))
            .primary(label.message("not allowed here"))
            .note("the value is written on one line of a rendered file, where it could add further lines")
            .help("write the value on one line, without control characters")
    });
}
