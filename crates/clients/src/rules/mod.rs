//! The rules, with one page per rule.

mod broken_front_matter;
mod broken_import;
mod cursor_permissions;
mod dead_permission;
mod duplicate_agent;
mod empty_body;
mod gemini_policy;
mod invalid_json;
mod invalid_name;
mod invalid_permission_path;
mod invalid_server;
mod keys;
mod literal_secret;
mod long_context;
mod missing_key;
mod overridden_deny;
mod partial_deny;
mod permissions;
mod shadowed_permission;
mod shell_bypass;
mod template_variable;
mod tool_specifier;
mod tools;
mod unknown_model;
mod unknown_server;
mod unknown_skill;
mod unknown_tool;
mod unlimited_delegation;

use minds_diagnostics::{Diagnostic, Label, Problems, Rule, Span};

pub use self::tools::read_tool_list;

use crate::family::{ClientFile, ClientsFamily};

/// Every rule of this crate, by code.
pub static ALL: &[&Rule] = &[
    &broken_front_matter::RULE,
    &broken_import::RULE,
    &dead_permission::RULE,
    &duplicate_agent::RULE,
    &empty_body::RULE,
    &invalid_json::RULE,
    &invalid_name::RULE,
    &invalid_permission_path::RULE,
    &invalid_server::RULE,
    &keys::INVALID_VALUE,
    &keys::KEY_WITHOUT_EFFECT,
    &keys::UNKNOWN_KEY,
    &keys::WRONG_TYPE,
    &literal_secret::RULE,
    &long_context::RULE,
    &long_context::OVER_LIMIT,
    &missing_key::RULE,
    &overridden_deny::RULE,
    &partial_deny::RULE,
    &invalid_json::REPEATED_KEY,
    &shadowed_permission::RULE,
    &shell_bypass::RULE,
    &template_variable::RULE,
    &tool_specifier::RULE,
    &unknown_model::RULE,
    &unknown_server::RULE,
    &unknown_skill::RULE,
    &unknown_tool::RULE,
    &unlimited_delegation::RULE,
];

/// Applies the rules to the files of clients.
pub fn check(family: &ClientsFamily) -> Problems {
    let mut check = Check { family, problems: Problems::new() };
    if family.files.is_empty() {
        // Nearly all checks: reading the data of clients would take longer than all that they do.
        return check.problems;
    }
    for file in &family.files {
        invalid_json::check(&mut check, file);
        broken_front_matter::check(&mut check, file);
        if file.is_page() {
            continue;
        }
        missing_key::check(&mut check, file);
        keys::check(&mut check, file);
        invalid_name::check(&mut check, file);
        unknown_model::check(&mut check, file);
        unknown_tool::check(&mut check, file);
        tool_specifier::check(&mut check, file);
        unlimited_delegation::check(&mut check, file);
        empty_body::check(&mut check, file);
        template_variable::check(&mut check, file);
        invalid_permission_path::check(&mut check, file);
        invalid_server::check(&mut check, file);
        literal_secret::check(&mut check, file);
        overridden_deny::check(&mut check, file);
        broken_import::check(&mut check, file);
    }
    permissions::check(&mut check);
    cursor_permissions::check(&mut check);
    gemini_policy::check(&mut check);
    duplicate_agent::check(&mut check);
    unknown_skill::check(&mut check);
    unknown_server::check(&mut check);
    long_context::check(&mut check);
    check.problems
}

/// The state of a check: the files and the findings.
struct Check<'f> {
    family: &'f ClientsFamily,
    problems: Problems,
}

impl Check<'_> {
    /// Adds the finding that `build` makes of a label at a place in a file.
    fn report(
        &mut self,
        rule: &'static Rule,
        file: &ClientFile,
        span: Span,
        build: impl FnOnce(Label) -> Diagnostic,
    ) {
        self.problems.report(&file.source, span, rule, || build(file.source.label(span)));
    }
}

/// Returns the note that says for which version of a client a statement was found to be true.
fn version_note(file: &ClientFile) -> String {
    let client = file.client;
    format!("as of {} {}, {}", client.name, client.version, client.as_of)
}

/// Shortens text for a message.
fn shorten(text: &str) -> String {
    const MAX_CHARACTERS: usize = 60;
    match text.char_indices().nth(MAX_CHARACTERS) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text.to_owned(),
    }
}
