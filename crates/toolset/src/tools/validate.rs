//! Validating the files of the team.

use minds_core::{LLM_FILE, MCP_FILE, TEAM_FILE};
use minds_diagnostics::{Diagnostic, Report, Summary};
use minds_document::{Field, Spanned};
use minds_workspace::{Checked, TeamFamily};
use schemars::JsonSchema;
use serde::Serialize;

use super::TEAM_MGMT;
use crate::Area;
use crate::answer::Refusal;
use crate::call::Call;
use crate::problems::{self, Files, Problem, ProblemsError, format_finding, plural};
use crate::tool::{Annotations, Body, Function, NoFields, Outcome, Tool};

/// The maximum number of problems in an answer; all are counted and remembered.
pub(super) const MAX_PROBLEMS: usize = 100;

pub(super) static TEAM_MGMT_VALIDATE: Tool = Tool {
    name: "team_mgmt_validate",
    toolsets: TEAM_MGMT,
    area: Area::Minds,
    description: "Check all files in `.minds/` that configure the team, and their references to each \
         other. Fix what `problems` lists: each has a place and often `help`. `valid` is false while any \
         file has errors; that is an answer, not a failure. Not needed after a change whose answer states \
         that the team is valid. Problems are remembered until they are fixed.",
    annotations: Annotations::READS,
    body: Body::of::<Validate>(),
};

pub(super) static TEAM_MGMT_VALIDATE_TEAM_CFG: Tool = Tool {
    name: "team_mgmt_validate_team_cfg",
    toolsets: TEAM_MGMT,
    area: Area::Minds,
    description: "Check `.minds/team.yaml`, the minds files and all that they refer to. \
         `team_mgmt_validate` checks all files in one call. Fix what `problems` lists: each has a place \
         and often `help`. `valid` is false while there are errors; that is an answer, not a failure. \
         Problems are remembered until they are fixed.",
    annotations: Annotations::READS,
    body: Body::of::<ValidateTeam>(),
};

pub(super) static TEAM_MGMT_VALIDATE_LLM_CFG: Tool = Tool {
    name: "team_mgmt_validate_llm_cfg",
    description: "Check `.minds/llm.yaml`. Answers as `team_mgmt_validate_team_cfg`.",
    body: Body::of::<ValidateLlm>(),
    ..TEAM_MGMT_VALIDATE_TEAM_CFG
};

pub(super) static TEAM_MGMT_VALIDATE_MCP_CFG: Tool = Tool {
    name: "team_mgmt_validate_mcp_cfg",
    description: "Check `.minds/mcp.yaml`. Answers as `team_mgmt_validate_team_cfg`.",
    body: Body::of::<ValidateMcp>(),
    ..TEAM_MGMT_VALIDATE_TEAM_CFG
};

struct Validate;
struct ValidateTeam;
struct ValidateLlm;
struct ValidateMcp;

#[derive(Serialize, JsonSchema)]
struct TeamOutput {
    valid: bool,
    files: Vec<String>,
    #[serde(flatten)]
    found: Findings,
}

#[derive(Serialize, JsonSchema)]
struct FileOutput {
    valid: bool,
    exists: bool,
    #[serde(flatten)]
    found: Findings,
}

/// What a validation found.
#[derive(Serialize, JsonSchema)]
struct Findings {
    problems: Vec<Problem>,
    /// The number of further problems, if there are any.
    problems_left_out: Option<usize>,
    counts: Counts,
    /// Whether the problems are remembered.
    published: bool,
    /// The file in which remembered problems were kept that could not be read.
    set_aside: Option<String>,
    next: Option<&'static str>,
}

#[derive(Serialize, JsonSchema)]
struct Counts {
    errors: usize,
    warnings: usize,
    infos: usize,
    /// Only if it is known what the last validation found.
    #[serde(skip_serializing_if = "Option::is_none")]
    new: Option<usize>,
}

impl Function for Validate {
    type Arguments = NoFields;
    type Output = TeamOutput;

    fn run(call: &Call<'_>, _: NoFields) -> Result<Outcome<TeamOutput>, Refusal> {
        Ok(run_all(call))
    }
}

impl Function for ValidateTeam {
    type Arguments = NoFields;
    type Output = FileOutput;

    fn run(call: &Call<'_>, _: NoFields) -> Result<Outcome<FileOutput>, Refusal> {
        Ok(run(call, Files::Team))
    }
}

impl Function for ValidateLlm {
    type Arguments = NoFields;
    type Output = FileOutput;

    fn run(call: &Call<'_>, _: NoFields) -> Result<Outcome<FileOutput>, Refusal> {
        Ok(run(call, Files::Llm))
    }
}

impl Function for ValidateMcp {
    type Arguments = NoFields;
    type Output = FileOutput;

    fn run(call: &Call<'_>, _: NoFields) -> Result<Outcome<FileOutput>, Refusal> {
        Ok(run(call, Files::Mcp))
    }
}

fn run(call: &Call<'_>, files: Files) -> Outcome<FileOutput> {
    let checked = minds_workspace::check(&call.context.root().snapshot(&minds_workspace::team_scope()));
    let about = |found: &Diagnostic| affects_team(files, found, &checked.family);
    let found: Vec<Diagnostic> = checked.diagnostics.iter().filter(|found| about(found)).cloned().collect();
    let new = problems::count_new(call.context, &found);
    let own = checked.diagnostics.iter().filter(|found| Files::with(file(found)) == files);
    let published = problems::publish(call.context, files, own);
    let report = Report { diagnostics: found, ..Report::default() };
    answer(files, &checked, &report, new, published.map(|published| published.set_aside))
}

/// Checks everything that configures the team.
fn run_all(call: &Call<'_>) -> Outcome<TeamOutput> {
    let checked = minds_workspace::check(&call.context.root().snapshot(&minds_workspace::team_scope()));
    let new = problems::count_new(call.context, &checked.diagnostics);
    let mut published = Vec::new();
    for files in [Files::Team, Files::Llm, Files::Mcp] {
        let own = checked.diagnostics.iter().filter(|found| Files::with(file(found)) == files);
        published.push(problems::publish(call.context, files, own));
    }
    let is_published = published.iter().all(Result::is_ok);
    let set_aside = published.into_iter().flatten().find_map(|published| published.set_aside);
    let report = Report { diagnostics: checked.diagnostics, ..Report::default() };
    let valid = report.summary().is_clean(checked.strict);
    let has_team = checked.files.iter().any(|file| file == TEAM_FILE);
    let is = if valid { "valid" } else { "not valid" };
    let summary =
        format!("the team in {} is {is}: {}", plural(checked.files.len(), "file"), describe(&report, new));
    let found = Findings {
        published: is_published,
        set_aside,
        next: (!has_team).then(|| next(Files::Team)),
        ..Findings::of(&report, new)
    };
    Outcome::new(summary, TeamOutput { valid, files: checked.files, found })
}

fn answer(
    files: Files,
    checked: &Checked,
    report: &Report,
    new: Option<usize>,
    published: Result<Option<String>, ProblemsError>,
) -> Outcome<FileOutput> {
    let name = main_file(files);
    let exists = checked.files.iter().any(|file| file == name);
    let valid = report.summary().is_clean(checked.strict);
    let described = describe(report, new);
    let summary = match (exists, valid) {
        (true, true) => format!("`{name}` is valid: {described}"),
        (true, false) => format!("`{name}` is not valid: {described}"),
        (false, _) => format!("`{name}` does not exist; {described}"),
    };
    let found = Findings {
        published: published.is_ok(),
        set_aside: published.ok().flatten(),
        next: (!exists).then(|| next(files)),
        ..Findings::of(report, new)
    };
    Outcome::new(summary, FileOutput { valid, exists, found })
}

impl Findings {
    /// Returns the findings of a report; `new` of them if it is known what the last validation found.
    fn of(report: &Report, new: Option<usize>) -> Self {
        let problems: Vec<Problem> = report.diagnostics.iter().take(MAX_PROBLEMS).map(Problem::of).collect();
        let left_out = report.diagnostics.len() - problems.len();
        let Summary { errors, warnings, infos, .. } = report.summary();
        Self {
            problems,
            problems_left_out: (left_out > 0).then_some(left_out),
            counts: Counts { errors, warnings, infos, new },
            published: false,
            set_aside: None,
            next: None,
        }
    }
}

/// Returns whether a finding belongs in an answer about `files`.
///
/// For the team these are also findings with a secondary place in its files, findings of another file that cannot be read,
/// and findings about a provider or server that the team refers to, because the team does not work with them either.
fn affects_team(files: Files, found: &Diagnostic, family: &TeamFamily) -> bool {
    let of = |name: &str| Files::with(Some(name)) == files;
    if Files::with(file(found)) == files {
        return true;
    }
    let unread = match file(found) {
        Some(LLM_FILE) => family.llm.is_some() && family.readable_llm().is_none(),
        Some(MCP_FILE) => family.mcp.is_some() && family.readable_mcp().is_none(),
        _ => false,
    };
    files == Files::Team
        && (unread
            || is_referred_to(found, family)
            || found.secondary.iter().any(|label| of(label.source.name())))
}

/// Returns whether a finding is about a provider or a server that the team refers to.
fn is_referred_to(found: &Diagnostic, family: &TeamFamily) -> bool {
    let (Some(label), Some((team, _))) = (&found.primary, family.readable_team()) else { return false };
    let at = label.span.start();
    match file(found) {
        Some(LLM_FILE) => {
            let providers =
                family.readable_llm().map(|(llm, _)| llm.providers.as_slice()).unwrap_or_default();
            let entry = entry_at(providers.iter().map(|provider| (&provider.key, end(&provider.fields))), at);
            entry.is_some_and(|key| {
                let mut names = team.field_groups().filter_map(|fields| fields.provider.as_given());
                names.any(|name| name.value == key)
            })
        }
        Some(MCP_FILE) => {
            let servers = family.readable_mcp().map(|(mcp, _)| mcp.servers.as_slice()).unwrap_or_default();
            let entry = entry_at(servers.iter().map(|server| (&server.id, end(&server.fields))), at);
            entry.is_some_and(|id| {
                let lists = team.field_groups().filter_map(|fields| fields.toolsets.as_given());
                let mut names = lists.flat_map(|list| &list.value.items);
                names.any(|name| name.value == id || name.value == "*")
            })
        }
        _ => false,
    }
}

/// Returns the key of the entry that includes a place, of entries with their ends.
fn entry_at<'e>(
    mut entries: impl Iterator<Item = (&'e Spanned<String>, Option<u32>)>,
    at: u32,
) -> Option<&'e str> {
    let is_in = |key: &Spanned<String>, end: Option<u32>| {
        key.span.start() <= at && at <= end.unwrap_or_else(|| key.span.end())
    };
    entries.find(|(key, end)| is_in(key, *end)).map(|(key, _)| key.value.as_str())
}

fn end<T>(fields: &Field<T>) -> Option<u32> {
    match fields {
        Field::Given(value) => Some(value.span.end()),
        Field::Unreadable(place) => Some(place.span.end()),
        Field::Absent => None,
    }
}

fn file(found: &Diagnostic) -> Option<&str> {
    found.primary.as_ref().map(|label| label.source.name())
}

fn main_file(files: Files) -> &'static str {
    match files {
        Files::Team => TEAM_FILE,
        Files::Llm => LLM_FILE,
        Files::Mcp => MCP_FILE,
    }
}

/// Returns the next step if a file does not exist.
fn next(files: Files) -> &'static str {
    match files {
        Files::Team => {
            "create `.minds/team.yaml` with `team_mgmt_create_new_file`; `team_mgmt_manual` with `topics: [team]` has a template"
        }
        Files::Llm => "nothing to do: the built-in providers work without `.minds/llm.yaml`",
        Files::Mcp => "nothing to do: `.minds/mcp.yaml` is only needed for MCP servers",
    }
}

/// Returns the counts of a report and its first finding, as part of a sentence.
fn describe(report: &Report, new: Option<usize>) -> String {
    let counts = report.summary();
    let Some(first) = report.diagnostics.first() else {
        return "no findings, nothing to fix".to_owned();
    };
    let new = match new {
        None => String::new(),
        Some(0) => ", none new since the last validation".to_owned(),
        Some(new) => format!(", {new} new since the last validation"),
    };
    format!("{}{new}; first: {}", format_counts(counts), format_finding(first))
}

fn format_counts(counts: Summary) -> String {
    format!("{} and {}", plural(counts.errors, "error"), plural(counts.warnings, "warning"))
}
