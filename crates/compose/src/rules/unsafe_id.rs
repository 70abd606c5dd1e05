use minds_diagnostics::{Diagnostic, Rule, Severity};
use minds_document::{Document, Spanned};

use super::{Check, ProjectCheck};

/// The number of characters that an id has at most: two of them and an ending make the name of a file.
const MAX_CHARACTERS: usize = 100;

pub(super) static RULE: Rule = Rule {
    code: "compose/unsafe-id",
    summary: "an id cannot be part of the name of a file and of a session",
    default_severity: Severity::Error,
    is_allowable: false,
    since: "0.1.0",
    page: include_str!("unsafe_id.md"),
};

pub(super) fn check<'f>(check: &mut Check<'f>, project: &ProjectCheck<'f>) {
    if let Some(id) = project.id() {
        look(check, project.document, "project", id, &id.value);
    }
    for agent in &project.agents {
        look(check, project.document, "agent", &agent.agent.id, &agent.agent.id.value);
    }
}

fn look<'f, T>(check: &mut Check<'f>, document: &'f Document, kind: &str, place: &Spanned<T>, id: &str) {
    let Some(why) = problem(id) else { return };
    check.report(document, &RULE, place, |label| {
        Diagnostic::new(
            &RULE,
            format!("the id `{}` of {} {kind} is not safe: {why}", id.escape_debug(), article(kind)),
        )
        .primary(label.message("this id"))
        .note("files, sessions and addresses are named after it")
        .help("use letters, digits, `.`, `_` and `-`, and begin with another sign than `-`")
    });
}

fn article(kind: &str) -> &'static str {
    if kind.starts_with('a') { "an" } else { "a" }
}

fn problem(id: &str) -> Option<String> {
    if id.is_empty() {
        return Some("it is empty".to_owned());
    }
    if let Some(other) = id.chars().find(|c| !(c.is_ascii_alphanumeric() || "._-".contains(*c))) {
        return Some(format!("it has the character `{}`", other.escape_debug()));
    }
    if matches!(id, "." | "..") {
        return Some("it names a directory".to_owned());
    }
    if id.starts_with('-') {
        return Some("it begins with `-`".to_owned());
    }
    (id.len() > MAX_CHARACTERS).then(|| format!("it is longer than {MAX_CHARACTERS} characters"))
}
