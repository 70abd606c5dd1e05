use minds_diagnostics::{Diagnostic, Rule, Severity};
use minds_document::{Document, Spanned};
use minds_paths::WorkspacePath;

use super::{Check, ProjectCheck};
use crate::model::Compose;
use crate::place::Place;
use crate::project::RolePrompt;

/// Where rendering writes and removes files, from the compose root: directories, and the list of what was rendered.
const RENDERED: [&str; 6] = [
    "state/envs",
    "state/mcp",
    "state/role_prompts",
    "state/services",
    "state/docker",
    "state/minds-manifest.json",
];

pub(super) static RULE: Rule = Rule {
    code: "compose/rendered-input",
    summary: "a file that is read stands where files are rendered",
    default_severity: Severity::Error,
    is_allowable: false,
    since: "0.1.0",
    page: include_str!("rendered_input.md"),
};

pub(super) fn check_compose<'f>(check: &mut Check<'f>, compose: &'f Compose, document: &'f Document) {
    if let Some(path) = compose.broker.given().and_then(|broker| broker.value.path.given()) {
        look(check, document, "the mailbox", path, &path.value);
    }
    let family = check.family;
    for file in &family.projects {
        look(check, document, "the project file", &file.entry, &file.entry.value);
    }
}

pub(super) fn check_project<'f>(check: &mut Check<'f>, project: &ProjectCheck<'f>) {
    for agent in &project.agents {
        let prompt = agent.fields().and_then(|fields| fields.role_prompt.given());
        let paths = match prompt.map(|prompt| &prompt.value) {
            None => continue,
            Some(RolePrompt::File(path)) => std::slice::from_ref(path),
            Some(RolePrompt::Files(paths)) => paths.items.as_slice(),
        };
        for path in paths {
            look(check, project.document, "the role prompt", path, &path.value);
        }
    }
}

fn look<'f, T>(check: &mut Check<'f>, document: &'f Document, what: &str, at: &Spanned<T>, written: &str) {
    let Ok(place) = Place::of(&check.family.root, written) else { return };
    let Some(rendered) = rendered(&check.family.root, &place.name) else { return };
    check.report(document, &RULE, at, |label| {
        let message = format!("{what} `{}` stands where files are rendered", written.escape_debug());
        Diagnostic::new(&RULE, message)
            .primary(label.message(format!("`{rendered}` belongs to `minds render`")))
            .help("keep the file elsewhere: what is rendered is overwritten and removed")
    });
}

/// Returns the rendered place at or below which a file lies, by its name from the top of what was opened.
fn rendered(root: &WorkspacePath, name: &str) -> Option<&'static str> {
    let inside = match root.as_str() {
        "" => name,
        root => name.strip_prefix(root)?.strip_prefix('/')?,
    };
    RENDERED
        .into_iter()
        .find(|place| inside.strip_prefix(place).is_some_and(|rest| rest.is_empty() || rest.starts_with('/')))
}
