//! The rules that a schema cannot express: one source file and one page for each rule.

mod ambiguous_channel;
mod blank_role_prompt;
mod colliding_agents;
mod control_character;
mod duplicate_agent;
mod duplicate_project;
mod incompatible_yaml;
mod invalid_display_name;
pub(crate) mod invalid_pattern;
mod missing_project;
mod outside_file;
mod rendered_input;
mod reporting_cycle;
mod role_prompt_not_utf8;
mod telegram_on_worker;
mod unknown_agent;
mod unknown_channel;
mod unknown_hook;
mod unknown_manager;
mod unknown_runtime;
mod unreachable_hook;
mod unrestricted;
mod unsafe_id;
mod unsupported_version;
mod unusable_role_prompt;

use minds_diagnostics::{Diagnostic, Label, Problems, Rule};
use minds_document::{Document, Spanned};

use crate::agents::AgentRef;
use crate::family::{ComposeFamily, ProjectFile};
use crate::model::Compose;
use crate::project::Project;

/// Every rule of this crate, by code.
pub static ALL: &[&Rule] = &[
    &ambiguous_channel::RULE,
    &blank_role_prompt::RULE,
    &colliding_agents::RULE,
    &control_character::RULE,
    &duplicate_agent::RULE,
    &duplicate_project::RULE,
    &incompatible_yaml::RULE,
    &invalid_display_name::RULE,
    &invalid_pattern::RULE,
    &missing_project::RULE,
    &outside_file::RULE,
    &rendered_input::RULE,
    &reporting_cycle::RULE,
    &role_prompt_not_utf8::RULE,
    &telegram_on_worker::RULE,
    &unknown_agent::RULE,
    &unknown_channel::RULE,
    &unknown_hook::RULE,
    &unknown_manager::RULE,
    &unknown_runtime::RULE,
    &unreachable_hook::RULE,
    &unrestricted::RULE,
    &unsafe_id::RULE,
    &unsupported_version::RULE,
    &unusable_role_prompt::RULE,
];

/// Applies all rules to `family` and returns their findings.
///
/// If a part of a file could not be read, no rule reports anything as missing that this part may contain.
pub fn check(family: &ComposeFamily) -> Problems {
    let mut check = Check { family, problems: Problems::new() };
    if let Some((compose, document)) = family.readable() {
        unsupported_version::check_compose(&mut check, compose, document);
        control_character::check_compose(&mut check, compose, document);
        missing_project::check(&mut check, document);
        outside_file::check_compose(&mut check, document);
        rendered_input::check_compose(&mut check, compose, document);
        unknown_hook::check_compose(&mut check, compose, document);
        unreachable_hook::check(&mut check, compose, document);
        duplicate_project::check_entries(&mut check, document);
    }
    let files: Vec<ProjectCheck<'_>> = family.projects.iter().filter_map(ProjectCheck::of).collect();
    duplicate_project::check(&mut check, &files);
    colliding_agents::check(&mut check, &files);
    for project in &files {
        unsupported_version::check_project(&mut check, project);
        unsafe_id::check(&mut check, project);
        control_character::check_project(&mut check, project);
        duplicate_agent::check(&mut check, project);
        ambiguous_channel::check(&mut check, project);
        unknown_agent::check(&mut check, project);
        unknown_channel::check(&mut check, project);
        unknown_manager::check(&mut check, project);
        reporting_cycle::check(&mut check, project);
        telegram_on_worker::check(&mut check, project);
        unknown_runtime::check(&mut check, project);
        unknown_hook::check(&mut check, project);
        blank_role_prompt::check(&mut check, project);
        unusable_role_prompt::check(&mut check, project);
        outside_file::check_project(&mut check, project);
        rendered_input::check_project(&mut check, project);
        invalid_display_name::check(&mut check, project);
        unrestricted::check(&mut check, project);
    }
    incompatible_yaml::check(&mut check);
    role_prompt_not_utf8::check(&mut check);
    check.problems
}

/// The state of a check: the files, and the findings so far.
pub(crate) struct Check<'f> {
    family: &'f ComposeFamily,
    problems: Problems,
}

impl<'f> Check<'f> {
    /// Adds the finding that `build` returns for a label at `place` in `document`, and sets its JSON pointer.
    fn report<T>(
        &mut self,
        document: &'f Document,
        rule: &'static Rule,
        place: &Spanned<T>,
        build: impl FnOnce(Label) -> Diagnostic,
    ) {
        let node = document.node(place.node);
        self.problems.report(document.source(), place.span, rule, || {
            build(document.source().label(place.span)).pointer(node.pointer())
        });
    }
}

pub(crate) struct ProjectCheck<'f> {
    project: &'f Project,
    document: &'f Document,
    /// The agents: managers first, each kind sorted by id.
    agents: Vec<AgentRef<'f>>,
}

impl<'f> ProjectCheck<'f> {
    fn of(file: &'f ProjectFile) -> Option<Self> {
        let (project, document) = file.readable()?;
        Some(Self { project, document, agents: file.agents() })
    }

    /// Returns the id of the project for messages; if it could not be read, the name of its file.
    fn name(&self) -> &'f str {
        let id = self.project.head.as_given().and_then(|head| head.value.id.as_given());
        id.map_or_else(|| self.document.source().name(), |id| &id.value)
    }

    /// Returns the id of the project, if it could be read.
    fn id(&self) -> Option<&'f Spanned<crate::RawScalar>> {
        self.project.head.as_given()?.value.id.as_given()
    }

    /// Returns whether all agents could be read, so that an unknown id is an error.
    fn knows_agents(&self) -> bool {
        let Project { managers, workers, .. } = self.project;
        !managers.is_unreadable() && !workers.is_unreadable() && !self.document.is_partial()
    }
}

/// Returns the names of all hooks, or `None` if not all hooks could be read.
fn hook_names(compose: &Compose) -> Option<Vec<&str>> {
    let mut hooks = vec![crate::model::Hook::BUILT_IN];
    if compose.rate_limits.is_unreadable() {
        return None;
    }
    let Some(limits) = compose.rate_limits.as_given() else { return Some(hooks) };
    if limits.value.hooks.is_unreadable() {
        return None;
    }
    let Some(listed) = limits.value.hooks.as_given() else { return Some(hooks) };
    for hook in &listed.value.items {
        hooks.push(&hook.value.name.as_given()?.value);
    }
    listed.value.is_complete.then_some(hooks)
}
