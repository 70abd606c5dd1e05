//! The rules beyond the schemas of the files, with one file and one page per rule.

mod broken_block;
mod contradictory_tool;
mod duplicate_agent;
mod empty_allow;
mod inherited_environment;
pub(crate) mod invalid_name;
pub(crate) mod invalid_pattern;
pub(crate) mod invalid_prompt_path;
pub(crate) mod invalid_tool;
pub(crate) mod legacy_form;
mod literal_secret;
mod missing_agent_file;
mod missing_model_key;
mod missing_prompt;
mod missing_script;
mod name_mismatch;
mod no_effect;
mod repeated_toolbox;
mod shadowed_agent;
mod tls_mismatch;
mod unknown_default_agent;
mod unknown_model;
pub(crate) mod unknown_parameter;
mod unknown_tool;
mod unsafe_tools;
mod whole_filesystem;
mod withheld_tool;

use std::collections::BTreeMap;

use minds_diagnostics::{Diagnostic, Label, Problems, Rule, SourceFile, Span};
use minds_document::{Document, Spanned};

use crate::family::{AgentEntry, FleetFamily, Layer};
use crate::model::Agent;
use crate::tools::ToolLists;

/// Every rule of this crate, by code.
pub static ALL: &[&Rule] = &[
    &broken_block::RULE,
    &contradictory_tool::RULE,
    &duplicate_agent::RULE,
    &empty_allow::RULE,
    &inherited_environment::RULE,
    &invalid_name::RULE,
    &invalid_pattern::RULE,
    &invalid_prompt_path::RULE,
    &invalid_tool::RULE,
    &legacy_form::RULE,
    &literal_secret::RULE,
    &missing_agent_file::RULE,
    &missing_prompt::RULE,
    &missing_script::RULE,
    &name_mismatch::RULE,
    &no_effect::RULE,
    &repeated_toolbox::RULE,
    &shadowed_agent::RULE,
    &tls_mismatch::RULE,
    &unknown_default_agent::RULE,
    &unknown_model::RULE,
    &unknown_parameter::RULE,
    &unknown_tool::RULE,
    &unsafe_tools::RULE,
    &whole_filesystem::RULE,
    &withheld_tool::RULE,
];

/// Applies the rules to a fleet.
///
/// If a file could not be read, no rule reports anything as missing. Agents hidden by a higher layer are not checked.
pub fn check(family: &FleetFamily) -> Problems {
    let mut check = Check { family, agents: family.agents(), problems: Problems::new() };
    missing_model_key::check(&mut check);
    missing_script::check(&mut check);
    tls_mismatch::check(&mut check);
    unknown_default_agent::check(&mut check);
    duplicate_agent::check(&mut check);
    shadowed_agent::check(&mut check);
    missing_agent_file::check(&mut check);
    name_mismatch::check(&mut check);
    unknown_model::check(&mut check);
    invalid_prompt_path::check(&mut check);
    missing_prompt::check(&mut check);
    broken_block::check(&mut check);
    repeated_toolbox::check(&mut check);
    empty_allow::check(&mut check);
    unknown_tool::check(&mut check);
    contradictory_tool::check(&mut check);
    withheld_tool::check(&mut check);
    whole_filesystem::check(&mut check);
    inherited_environment::check(&mut check);
    unsafe_tools::check(&mut check);
    literal_secret::check(&mut check);
    no_effect::check(&mut check);
    check.problems
}

/// The state of a check: the fleet, the effective agents, and the findings.
struct Check<'f> {
    family: &'f FleetFamily,
    agents: BTreeMap<&'f str, (&'f Layer, &'f AgentEntry)>,
    problems: Problems,
}

#[derive(Clone, Copy)]
struct ReadableAgent<'f> {
    name: &'f str,
    entry: &'f AgentEntry,
    agent: &'f Agent,
    document: &'f Document,
}

impl<'f> Check<'f> {
    /// Adds the finding that `build` makes of a label at `place`, with the pointer of that place.
    fn report<V>(
        &mut self,
        rule: &'static Rule,
        document: &Document,
        place: &Spanned<V>,
        build: impl FnOnce(Label) -> Diagnostic,
    ) {
        let source = document.source();
        self.problems.report(source, place.span, rule, || {
            build(source.label(place.span)).pointer(document.node(place.node).pointer())
        });
    }

    /// Adds the finding that `build` makes of a label in plain text.
    fn report_text(
        &mut self,
        rule: &'static Rule,
        source: &SourceFile,
        span: Span,
        build: impl FnOnce(Label) -> Diagnostic,
    ) {
        self.problems.report(source, span, rule, || build(source.label(span)));
    }

    /// Returns all lists of tools, of the project and of effective agents.
    fn tool_lists(&self) -> Vec<(&'f Document, &'f ToolLists)> {
        let family = self.family;
        let projects = family.layers.iter().filter_map(|layer| {
            let file = layer.tools.as_ref()?;
            Some((family.document(file)?, &file.content.as_ref()?.tools.as_given()?.value))
        });
        let agents = self.readable().into_iter();
        let agents = agents.filter_map(|agent| Some((agent.document, &agent.agent.tools.as_given()?.value)));
        projects.chain(agents).collect()
    }

    /// Returns the readable agents, by name.
    fn readable(&self) -> Vec<ReadableAgent<'f>> {
        let family = self.family;
        let readable = |(name, (_, entry)): (&&'f str, &(&'f Layer, &'f AgentEntry))| {
            let file = entry.file.as_ref()?;
            let (agent, document) = (file.content.as_ref()?, family.document(file)?);
            Some(ReadableAgent { name, entry, agent, document })
        };
        self.agents.iter().filter_map(readable).collect()
    }
}

/// Converts a byte range to a span.
fn span(range: &std::ops::Range<usize>) -> Span {
    let offset = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
    Span::new(offset(range.start), offset(range.end))
}

/// Shortens text for a message.
pub(crate) fn shorten(text: &str) -> String {
    const MAX_CHARACTERS: usize = 60;
    match text.char_indices().nth(MAX_CHARACTERS) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text.to_owned(),
    }
}
