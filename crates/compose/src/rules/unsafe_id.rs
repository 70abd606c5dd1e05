use minds_diagnostics::{Diagnostic, rule};
use minds_document::{Document, Spanned};

use super::{Check, ProjectCheck};

/// The maximum number of characters of an id. Two ids and an extension must fit in a file name.
const MAX_CHARACTERS: usize = 100;

rule! {
    pub(super) static RULE {
        code: "compose/unsafe-id",
        summary: "an id is not safe in file and session names",
        severity: Error,
        suppressible: false,
        since: "0.1.0",
        page: "unsafe_id.md",
    }
}

pub(super) fn check<'f>(check: &mut Check<'f>, project: &ProjectCheck<'f>) {
    if let Some(id) = project.id() {
        check_id(check, project.document, "project", id, &id.value);
    }
    for agent in &project.agents {
        check_id(check, project.document, "agent", &agent.agent.id, &agent.agent.id.value);
    }
}

fn check_id<'f, T>(check: &mut Check<'f>, document: &'f Document, kind: &str, place: &Spanned<T>, id: &str) {
    let Some(why) = find_problem(id) else { return };
    check.report(document, &RULE, place, |label| {
        Diagnostic::new(&RULE, format!("unsafe {kind} id `{}`: {why}", id.escape_debug()))
            .primary(label.message("this id"))
            .note("the id is part of file names, session names and addresses")
            .help("use letters, digits, `.`, `_` and `-`, and do not begin with `-`")
    });
}

fn find_problem(id: &str) -> Option<String> {
    if id.is_empty() {
        return Some("it is empty".to_owned());
    }
    if let Some(other) = id.chars().find(|c| !(c.is_ascii_alphanumeric() || "._-".contains(*c))) {
        return Some(format!("it contains the character `{}`", other.escape_debug()));
    }
    if matches!(id, "." | "..") {
        return Some("it names a directory".to_owned());
    }
    if id.starts_with('-') {
        return Some("it begins with `-`".to_owned());
    }
    (id.len() > MAX_CHARACTERS).then(|| format!("it is longer than {MAX_CHARACTERS} characters"))
}
