//! The rules that go beyond the schema of the files, each with a source file and a page.

mod ambiguous_id;
mod backslash;
mod confusable_entry;
mod dead_extension;
mod dropped_deny_list;
mod empty_models;
mod excluded_tool;
pub(crate) mod invalid_extension;
pub(crate) mod invalid_pattern;
mod invalid_server_id;
pub(crate) mod invalid_task_home;
mod invalid_tool_name;
mod labelled_list;
mod length_order;
mod literal_character;
mod misnamed_minds_file;
mod missing_model;
mod missing_provider;
mod misspelled_model_key;
mod models_list;
mod no_effect;
mod redundant_entry;
mod renamed_filter;
mod reserved_scope;
pub mod run_time;
mod secret;
mod shadow_member;
mod shell_specialist_forbidden_member;
mod shell_specialist_missing_shell_tools;
mod shell_specialist_non_specialist;
mod streaming_required;
mod tool_name_collision;
mod toolset_collision;
mod toolset_without_tools;
mod unassignable_toolset;
mod uncompared_lists;
mod unknown_maintainer;
mod unknown_member;
mod unknown_minds_member;
mod unknown_model;
mod unknown_provider;
mod unknown_tool;
mod unknown_toolset;
mod unsafe_id;
mod unset_variable;
pub(crate) mod unused_key;
mod whole_workspace;
mod writable_configuration;

use std::cell::OnceCell;
use std::collections::BTreeSet;

use minds_access_control::Pattern;
use minds_diagnostics::{Diagnostic, Label, Problems, Rule, SourceFile};
use minds_document::{Document, Field, Spanned};

pub(crate) use self::models_list::RULE as MODELS_LIST;
pub use self::unsafe_id::reason as member_id_obstacle;
use crate::effective::SHADOW_MEMBERS;
use crate::family::TeamFamily;
use crate::grants::Grants;
use crate::host::Host;
use crate::llm::Llm;
use crate::mcp::Mcp;
use crate::model::{MemberFields, Team};

/// Every rule of this crate, sorted by code.
pub static ALL: &[&Rule] = &[
    &backslash::RULE,
    &confusable_entry::RULE,
    &redundant_entry::CONTRADICTORY,
    &redundant_entry::DEAD,
    &dead_extension::RULE,
    &dropped_deny_list::RULE,
    &invalid_extension::RULE,
    &invalid_pattern::RULE,
    &literal_character::RULE,
    &redundant_entry::MOOT,
    &reserved_scope::RULE,
    &redundant_entry::SHADOWED,
    &uncompared_lists::RULE,
    &whole_workspace::RULE,
    &writable_configuration::RULE,
    &empty_models::RULE,
    &length_order::RULE,
    &misspelled_model_key::RULE,
    &models_list::RULE,
    &unset_variable::LLM,
    &invalid_server_id::RULE,
    &invalid_tool_name::RULE,
    &run_time::INVALID_TOOL_SCHEMA,
    &no_effect::RULE,
    &renamed_filter::RULE,
    &run_time::SERVER_ERROR,
    &run_time::TOOL_BLACKLISTED,
    &tool_name_collision::RULE,
    &run_time::TOOL_NOT_WHITELISTED,
    &toolset_collision::RULE,
    &run_time::UNMATCHED_FILTER_ENTRY,
    &unset_variable::MCP,
    &unused_key::RULE,
    &run_time::WORKSPACE_CONFIG_ERROR,
    &misnamed_minds_file::RULE,
    &unknown_minds_member::RULE,
    &secret::AUTHORIZATION,
    &secret::PRIVATE_KEY,
    &secret::TOKEN,
    &secret::URL_CREDENTIALS,
    &invalid_task_home::RULE,
    &unknown_maintainer::RULE,
    &ambiguous_id::RULE,
    &excluded_tool::RULE,
    &labelled_list::RULE,
    &missing_model::RULE,
    &missing_provider::RULE,
    &shadow_member::RULE,
    &shell_specialist_forbidden_member::RULE,
    &shell_specialist_missing_shell_tools::RULE,
    &shell_specialist_non_specialist::RULE,
    &streaming_required::RULE,
    &toolset_without_tools::RULE,
    &unassignable_toolset::RULE,
    &unknown_member::RULE,
    &unknown_model::RULE,
    &unknown_provider::RULE,
    &unknown_tool::RULE,
    &unknown_toolset::RULE,
    &unsafe_id::RULE,
];

/// Checks the files of the family against the rules.
///
/// If part of a file could not be read, no rule reports anything as missing from it.
pub fn check(family: &TeamFamily) -> Problems {
    let (mut problems, secrets) = with_secrets(family, || check_team(family));
    secret::report_all(family, &secrets, &mut problems);
    unknown_minds_member::check(family, &mut problems);
    misnamed_minds_file::check(family, &mut problems);
    unknown_maintainer::check(family, &mut problems);
    if let Some((llm, document)) = family.readable_llm() {
        problems.append(check_llm(FileCheck { content: llm, document, problems: Problems::new() }));
    }
    if let Some((mcp, document)) = family.readable_mcp() {
        problems.append(check_mcp(FileCheck { content: mcp, document, problems: Problems::new() }));
    }
    problems
}

/// Reports the secrets in source files of other families.
pub fn check_secrets(sources: &[SourceFile]) -> Problems {
    let mut problems = Problems::new();
    let none = TeamFamily { sources: sources.to_vec(), ..TeamFamily::default() };
    let found = if is_large(sources) { secret::find_on_two_threads(sources) } else { secret::find(sources) };
    secret::report_all(&none, &found, &mut problems);
    problems
}

/// The size in bytes from which a second thread is worthwhile.
const LARGE: usize = 128 << 10;

fn is_large(sources: &[SourceFile]) -> bool {
    sources.iter().map(|source| source.bytes().len()).sum::<usize>() >= LARGE
}

/// Returns the findings of `check` and the secrets in all sources. Large sources are scanned on another thread meanwhile.
fn with_secrets(
    family: &TeamFamily,
    check: impl FnOnce() -> Problems,
) -> (Problems, Vec<Vec<minds_text::secrets::Secret>>) {
    let sources = &family.sources;
    if !is_large(sources) {
        return (check(), secret::find(sources));
    }
    std::thread::scope(|scope| {
        let meanwhile = std::thread::Builder::new().spawn_scoped(scope, || secret::find(sources));
        let problems = check();
        // If no thread can be started, this one scans the sources.
        let secrets = meanwhile.ok().and_then(|thread| thread.join().ok());
        (problems, secrets.unwrap_or_else(|| secret::find(sources)))
    })
}

/// The rules that only [`check_host`] checks.
pub static ON_HOST: &[&Rule] = &[&unset_variable::LLM, &unset_variable::MCP];

/// Checks the rules about the machine on which the team runs.
pub fn check_host(family: &TeamFamily, host: &Host) -> Problems {
    let mut problems = Problems::new();
    unset_variable::check(family, host, &mut problems);
    problems
}

fn check_mcp(mut check: FileCheck<'_, Mcp>) -> Problems {
    invalid_server_id::check(&mut check);
    toolset_collision::check(&mut check);
    let tools = check.content.literal_tools();
    invalid_tool_name::check(&mut check, &tools);
    tool_name_collision::check(&mut check, &tools);
    renamed_filter::check(&mut check);
    no_effect::check(&mut check);
    check.problems
}

fn check_llm(mut check: FileCheck<'_, Llm>) -> Problems {
    empty_models::check(&mut check);
    length_order::check(&mut check);
    misspelled_model_key::check(&mut check);
    check.problems
}

fn check_team(family: &TeamFamily) -> Problems {
    let Some((team, document)) = family.readable_team() else { return Problems::new() };
    let mut check = Check {
        family,
        team,
        document,
        ids: OnceCell::new(),
        steps: uncompared_lists::MAX_STEPS,
        has_uncompared_lists: false,
        problems: Problems::new(),
    };
    missing_provider::check(&mut check);
    missing_model::check(&mut check);
    unknown_provider::check(&mut check);
    unknown_model::check(&mut check);
    streaming_required::check(&mut check);
    unknown_member::check(&mut check);
    unsafe_id::check(&mut check);
    ambiguous_id::check(&mut check);
    shadow_member::check(&mut check);
    labelled_list::check(&mut check);
    let toolsets = check.lists(|fields| &fields.toolsets);
    unknown_toolset::check(&mut check, &toolsets);
    unassignable_toolset::check(&mut check, &toolsets);
    toolset_without_tools::check(&mut check, &toolsets);
    unknown_tool::check(&mut check);
    let members = members_with_grants(team);
    excluded_tool::check(&mut check, &members);
    shell_specialist_forbidden_member::check(&mut check, &members);
    shell_specialist_missing_shell_tools::check(&mut check, &members);
    shell_specialist_non_specialist::check(&mut check, &members);
    writable_configuration::check(&mut check, &members);
    let remarkable: Vec<_> =
        check.patterns().filter(|(_, entry)| !entry.value.remarks().is_empty()).collect();
    backslash::check(&mut check, &remarkable);
    literal_character::check(&mut check, &remarkable);
    whole_workspace::check(&mut check, &remarkable);
    reserved_scope::check(&mut check);
    redundant_entry::check(&mut check);
    confusable_entry::check(&mut check);
    dead_extension::check(&mut check);
    dropped_deny_list::check(&mut check);
    check.problems
}

/// A check of a single file: its content, and the findings so far.
pub(crate) struct FileCheck<'f, T> {
    content: &'f T,
    document: &'f Document,
    problems: Problems,
}

impl<'f, T> FileCheck<'f, T> {
    /// Adds the finding that `build` creates from a label at `place`, with the pointer of that place.
    fn report<V>(
        &mut self,
        rule: &'static Rule,
        place: &Spanned<V>,
        build: impl FnOnce(&'f Document, Label) -> Diagnostic,
    ) {
        report(&mut self.problems, self.document, rule, place, build);
    }
}

fn report<'f, V>(
    problems: &mut Problems,
    document: &'f Document,
    rule: &'static Rule,
    place: &Spanned<V>,
    build: impl FnOnce(&'f Document, Label) -> Diagnostic,
) {
    let node = document.node(place.node);
    problems.report(document.source(), place.span, rule, || {
        build(document, document.source().label(place.span)).pointer(node.pointer())
    });
}

/// A check of the team: the content of the files, and the findings so far.
pub(crate) struct Check<'f> {
    family: &'f TeamFamily,
    team: &'f Team,
    document: &'f Document,
    /// The ids of all members, computed on first use because most teams do not need them.
    #[expect(clippy::disallowed_types, reason = "only looked up, never iterated")]
    ids: OnceCell<std::collections::HashSet<&'f str>>,
    /// The remaining steps for comparing entries of access lists.
    steps: usize,
    /// Whether the exhausted budget has been reported.
    has_uncompared_lists: bool,
    problems: Problems,
}

impl<'f> Check<'f> {
    /// Adds the finding that `build` creates from a label at `place`, with the pointer of that place.
    fn report<T>(
        &mut self,
        rule: &'static Rule,
        place: &Spanned<T>,
        build: impl FnOnce(&'f Document, Label) -> Diagnostic,
    ) {
        report(&mut self.problems, self.document, rule, place, build);
    }

    /// Returns whether the whole team could be read, so that absent entries are known to be missing.
    fn is_complete(&self) -> bool {
        self.team.is_complete(self.document)
    }

    /// Returns whether the team has a member with an id.
    fn has_member(&self, id: &str) -> bool {
        self.ids.get_or_init(|| self.team.ids().collect()).contains(id)
    }

    /// Returns the lists that `get` returns for the defaults and each member, each node once, because aliases share nodes.
    fn lists<T>(&self, get: fn(&MemberFields) -> &Field<T>) -> Vec<&'f Spanned<T>> {
        let mut seen = BTreeSet::new();
        let lists = self.team.field_groups().filter_map(|fields| get(fields).as_given());
        lists.filter(|list| seen.insert(list.node)).collect()
    }

    /// Returns every entry of a directory list, with the name of the list.
    fn patterns(&self) -> impl Iterator<Item = ListedPattern<'f>> + use<'f> {
        self.team.field_groups().flat_map(|fields| fields.access.directories()).flat_map(|(name, list)| {
            list.as_given()
                .into_iter()
                .flat_map(move |list| list.value.0.items.iter().map(move |item| (name, item)))
        })
    }
}

/// An entry of a directory list, with the name of the list.
type ListedPattern<'f> = (&'static str, &'f Spanned<Pattern>);

/// A member and its tools; `None` if these are not known.
type MemberGrants<'t> = (crate::Effective<'t>, Option<Grants<'t>>);

fn members_with_grants(team: &Team) -> Vec<MemberGrants<'_>> {
    let grants = |member: &crate::Effective<'_>| -> Option<()> {
        // The tools of an unreadable member are not known.
        member.definition().is_none_or(|own| !own.fields.is_unreadable()).then_some(())
    };
    let mut members = Vec::with_capacity(team.members.len() + SHADOW_MEMBERS.len());
    members.extend(team.effective().map(|member| {
        let known = grants(&member).and_then(|()| Some((member.toolsets()?, member.tools()?)));
        let grants = known.map(|(toolsets, tools)| Grants::new(&toolsets, tools));
        (member, grants)
    }));
    members
}

/// Returns the value of a field that is given and not empty.
fn non_empty(field: &Field<String>) -> Option<&Spanned<String>> {
    field.as_given().filter(|text| !text.value.is_empty())
}
