use minds_diagnostics::{Diagnostic, rule};
use minds_document::{Document, Spanned};

use super::{Check, ProjectCheck};
use crate::family::Prompt;
use crate::place::Place;
use crate::project::RolePrompt;

rule! {
    pub(super) static RULE {
        code: "compose/outside-file",
        summary: "a referenced file is outside the repository",
        severity: Error,
        suppressible: false,
        since: "0.1.0",
        page: "outside_file.md",
    }
}

pub(super) fn check_compose<'f>(check: &mut Check<'f>, document: &'f Document) {
    let family = check.family;
    for file in family.projects.iter().filter(|file| file.is_outside) {
        let reason = file.reason.as_deref().unwrap_or_default();
        report(check, document, &file.entry, reason);
    }
}

pub(super) fn check_project<'f>(check: &mut Check<'f>, project: &ProjectCheck<'f>) {
    let family = check.family;
    for agent in &project.agents {
        let Some(prompt) = agent.fields().and_then(|fields| fields.role_prompt.as_given()) else { continue };
        let paths = match &prompt.value {
            RolePrompt::File(path) => std::slice::from_ref(path),
            RolePrompt::Files(paths) => paths.items.as_slice(),
        };
        for path in paths {
            if let Some(Prompt::Outside(reason)) = family.prompts.get(&path.value) {
                report(check, project.document, path, reason);
            }
        }
    }
}

fn report<'f>(check: &mut Check<'f>, document: &'f Document, path: &Spanned<String>, reason: &str) {
    let root = &check.family.root;
    let place = Place::of(root, &path.value);
    check.report(document, &RULE, path, |label| {
        let written = path.value.escape_debug();
        let found = Diagnostic::new(&RULE, format!("`{written}` is not read: {reason}"))
            .primary(label.message("referenced here"))
            .help(
                "move the file into the repository, or use `--allow-outside` if you trust these files to refer to any file on this machine",
            );
        match place {
            Ok(place) if place.name != path.value => {
                found.note(format!("the path resolves to `{}`", place.name.escape_debug()))
            }
            _ => found,
        }
    });
}
