//! Validating the files of the team.

use minds_core::{LLM_FILE, MCP_FILE, TEAM_FILE};
use minds_diagnostics::{Diagnostic, Report, Summary};
use minds_document::{Field, Spanned};
use minds_workspace::{Checked, TeamFamily};
use serde_json::{Value, json};

use super::TEAM_MGMT;
use crate::Area;
use crate::answer::{Fields, Refusal, Success};
use crate::call::Call;
use crate::problems::{self, Files, Problem, ProblemsError};
use crate::tool::{Annotations, OutputField, Tool};

/// The maximum number of problems in an answer; all are counted and remembered.
const MAX_PROBLEMS: usize = 100;

pub(super) static TEAM_MGMT_VALIDATE: Tool = Tool {
    name: "team_mgmt_validate",
    toolsets: TEAM_MGMT,
    area: Area::Minds,
    description: "Check all files in `.minds/` that configure the team, and their references to each \
         other. Fix what `problems` lists: each has a place and often `help`. `valid` is false while any \
         file has errors; that is an answer, not a failure. Not needed after a change whose answer says \
         that the team is valid. Problems are remembered until they are fixed.",
    arguments: &[],
    output: ALL_OUTPUT,
    annotations: Annotations::READS,
    run: |call| Ok(run_all(call)),
};

const ALL_OUTPUT: &[OutputField] = &[
    OutputField { name: "valid", kind: "boolean" },
    OutputField { name: "files", kind: "array" },
    OutputField { name: "problems", kind: "array" },
    OutputField { name: "counts", kind: "object" },
];

pub(super) static TEAM_MGMT_VALIDATE_TEAM_CFG: Tool = Tool {
    name: "team_mgmt_validate_team_cfg",
    toolsets: TEAM_MGMT,
    area: Area::Minds,
    description: "Check `.minds/team.yaml`, the minds files and all that they refer to. \
         `team_mgmt_validate` checks all files in one call. Fix what `problems` lists: each has a place \
         and often `help`. `valid` is false while there are errors; that is an answer, not a failure. \
         Problems are remembered until they are fixed.",
    arguments: &[],
    output: OUTPUT,
    annotations: Annotations::READS,
    run: |call| Ok(run(call, Files::Team)),
};

pub(super) static TEAM_MGMT_VALIDATE_LLM_CFG: Tool = Tool {
    name: "team_mgmt_validate_llm_cfg",
    description: "Check `.minds/llm.yaml`. Answers as `team_mgmt_validate_team_cfg`.",
    run: |call| Ok(run(call, Files::Llm)),
    ..TEAM_MGMT_VALIDATE_TEAM_CFG
};

pub(super) static TEAM_MGMT_VALIDATE_MCP_CFG: Tool = Tool {
    name: "team_mgmt_validate_mcp_cfg",
    description: "Check `.minds/mcp.yaml`. Answers as `team_mgmt_validate_team_cfg`.",
    run: |call| Ok(run(call, Files::Mcp)),
    ..TEAM_MGMT_VALIDATE_TEAM_CFG
};

const OUTPUT: &[OutputField] = &[
    OutputField { name: "valid", kind: "boolean" },
    OutputField { name: "exists", kind: "boolean" },
    OutputField { name: "problems", kind: "array" },
    OutputField { name: "counts", kind: "object" },
];

fn run(call: &Call<'_>, files: Files) -> Success {
    let checked = minds_workspace::check(&call.context.root().snapshot(&minds_workspace::team_scope()));
    let about = |found: &Diagnostic| concerns(files, found, &checked.family);
    let found: Vec<Diagnostic> = checked.diagnostics.iter().filter(|found| about(found)).cloned().collect();
    let new = problems::count_new(call.context, &found);
    let own = checked.diagnostics.iter().filter(|found| Files::with(file(found)) == files);
    let published = problems::publish(call.context, files, own);
    let report = Report { diagnostics: found, ..Report::default() };
    answer(files, &checked, &report, new, published.map(|published| published.set_aside))
}

/// Checks everything that configures the team.
fn run_all(call: &Call<'_>) -> Success {
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
    let counts = report.summary();
    let valid = counts.is_clean(checked.strict);
    let shown: Vec<Value> =
        report.diagnostics.iter().take(MAX_PROBLEMS).map(|found| json!(Problem::of(found))).collect();
    let left_out = report.diagnostics.len() - shown.len();
    let has_team = checked.files.iter().any(|file| file == TEAM_FILE);
    let is = if valid { "valid" } else { "not valid" };
    let summary = format!("the team in {} files is {is}: {}", checked.files.len(), describe(&report, new));
    let fields = Fields::new()
        .with("valid", valid)
        .with("files", checked.files)
        .with("problems", shown)
        .with_some("problems_left_out", (left_out > 0).then_some(left_out))
        .with("counts", count(counts, new))
        .with("published", is_published)
        .with_some("set_aside", set_aside)
        .with_some("next", (!has_team).then(|| next(Files::Team)));
    Tool::done(summary, fields)
}

fn answer(
    files: Files,
    checked: &Checked,
    report: &Report,
    new: Option<usize>,
    published: Result<Option<String>, ProblemsError>,
) -> Success {
    let name = main_file(files);
    let exists = checked.files.iter().any(|file| file == name);
    let counts = report.summary();
    let valid = counts.is_clean(checked.strict);
    let shown: Vec<Value> =
        report.diagnostics.iter().take(MAX_PROBLEMS).map(|found| json!(Problem::of(found))).collect();
    let left_out = report.diagnostics.len() - shown.len();
    let fields = Fields::new()
        .with("valid", valid)
        .with("exists", exists)
        .with("problems", shown)
        .with_some("problems_left_out", (left_out > 0).then_some(left_out))
        .with("counts", count(counts, new))
        .with("published", published.is_ok())
        .with_some("set_aside", published.ok().flatten())
        .with_some("next", (!exists).then(|| next(files)));
    let found = describe(report, new);
    let summary = match (exists, valid) {
        (true, true) => format!("`{name}` is valid: {found}"),
        (true, false) => format!("`{name}` is not valid: {found}"),
        (false, _) => format!("`{name}` does not exist; {found}"),
    };
    Tool::done(summary, fields)
}

/// Returns whether a finding belongs in an answer about `files`.
///
/// For the team these are also findings with a secondary place in its files, findings of another file that cannot be read,
/// and findings about a provider or server that the team refers to, because the team does not work with them either.
fn concerns(files: Files, found: &Diagnostic, family: &TeamFamily) -> bool {
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

fn format_finding(found: &Diagnostic) -> String {
    let place = found.primary.as_ref().map(|label| {
        let start = label.source.range(label.span).start;
        format!("{}:{}:{}: ", label.source.name(), start.line, start.column)
    });
    format!("{}{}[{}]: {}", place.unwrap_or_default(), found.severity, found.rule.code, found.message)
}

/// Returns the counts as JSON; `new` if it is known what the last validation found.
fn count(counts: Summary, new: Option<usize>) -> Value {
    let mut value = json!({"errors": counts.errors, "warnings": counts.warnings, "infos": counts.infos});
    if let (Some(fields), Some(new)) = (value.as_object_mut(), new) {
        fields.insert("new".into(), new.into());
    }
    value
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

fn plural(count: usize, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}

/// Makes a change in `.minds`, and adds to the answer what validation finds now and did not find before.
///
/// # Errors
///
/// Refuses what `change` refuses.
pub(super) fn with_validation(
    call: &Call<'_>,
    change: impl FnOnce(&Call<'_>) -> Result<Success, Refusal>,
) -> Result<Success, Refusal> {
    if call.tool.area != Area::Minds {
        return change(call);
    }
    let check = || minds_workspace::check(&call.context.root().snapshot(&minds_workspace::team_scope()));
    let before = check();
    let mut success = change(call)?;
    let after = check();
    let report = Report { diagnostics: after.diagnostics, ..Report::default() };
    let new = problems::find_new(&before.diagnostics, &report.diagnostics);
    let older = report.diagnostics.len() - new.len();
    let is = if report.summary().is_clean(after.strict) { "valid" } else { "not valid" };
    let found = match new.len() {
        0 => "no new findings".to_owned(),
        count => plural(count, "new finding"),
    };
    let older_text = if older == 0 { String::new() } else { format!("; {}", plural(older, "older finding")) };
    success.summary = format!("{}; the team is {is}: {found}{older_text}", success.summary);
    let new: Vec<Value> = new.iter().take(MAX_PROBLEMS).map(|found| json!(Problem::of(found))).collect();
    success.fields = success.fields.with("new_problems", new).with("older_problems", older);
    Ok(success)
}

/// The fields that [`with_validation`] adds.
pub(super) const NEW_PROBLEMS: OutputField = OutputField { name: "new_problems", kind: "array" };
pub(super) const OLDER_PROBLEMS: OutputField = OutputField { name: "older_problems", kind: "integer" };
