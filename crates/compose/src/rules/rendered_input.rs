use minds_diagnostics::{Diagnostic, rule};
use minds_document::{Document, Spanned};
use minds_vfs::WorkspacePath;

use super::{Check, ProjectCheck};
use crate::model::Compose;
use crate::place::Place;
use crate::project::RolePrompt;

/// The directories and the manifest in which rendering writes and removes files, relative to the compose
/// root.
const RENDERED: [&str; 6] = [
    "state/envs",
    "state/mcp",
    "state/role_prompts",
    "state/services",
    "state/docker",
    "state/minds-manifest.json",
];

rule! {
    pub(super) static RULE {
        code: "compose/rendered-input",
        summary: "an input file is in a directory for rendered files",
        severity: Error,
        suppressible: false,
        since: "0.1.0",
        page: "rendered_input.md",
    }
}

pub(super) fn check_compose<'f>(check: &mut Check<'f>, compose: &'f Compose, document: &'f Document) {
    if let Some(path) = compose.broker.as_given().and_then(|broker| broker.value.path.as_given()) {
        check_path(check, document, "the mailbox", path, &path.value);
    }
    let family = check.family;
    for file in &family.projects {
        check_path(check, document, "the project file", &file.entry, &file.entry.value);
    }
}

pub(super) fn check_project<'f>(check: &mut Check<'f>, project: &ProjectCheck<'f>) {
    for agent in &project.agents {
        let prompt = agent.fields().and_then(|fields| fields.role_prompt.as_given());
        let paths = match prompt.map(|prompt| &prompt.value) {
            None => continue,
            Some(RolePrompt::File(path)) => std::slice::from_ref(path),
            Some(RolePrompt::Files(paths)) => paths.items.as_slice(),
        };
        for path in paths {
            check_path(check, project.document, "the role prompt", path, &path.value);
        }
    }
}

fn check_path<'f, T>(
    check: &mut Check<'f>,
    document: &'f Document,
    what: &str,
    at: &Spanned<T>,
    written: &str,
) {
    let Ok(place) = Place::of(&check.family.root, written) else { return };
    let Some(rendered) = find_rendered_place(&check.family.root, &place.name) else { return };
    check.report(document, &RULE, at, |label| {
        let message = format!("{what} `{}` is in a directory for rendered files", written.escape_debug());
        Diagnostic::new(&RULE, message)
            .primary(label.message(format!("`{rendered}` is managed by `minds render`")))
            .help("move the file: rendered files are overwritten and removed")
    });
}

/// Returns the rendered directory or file that contains the file `name`, a path relative to the workspace.
fn find_rendered_place(root: &WorkspacePath, name: &str) -> Option<&'static str> {
    let inside = match root.as_str() {
        "" => name,
        root => name.strip_prefix(root)?.strip_prefix('/')?,
    };
    RENDERED
        .into_iter()
        .find(|place| inside.strip_prefix(place).is_some_and(|rest| rest.is_empty() || rest.starts_with('/')))
}
