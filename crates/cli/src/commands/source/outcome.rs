//! Plans and outcomes of verbs as human-readable text and as JSON.

use std::fmt::Write as _;
use std::process::ExitCode;

use minds_diagnostics::emit::printable;
use minds_operations::source::{HookStep, ItemStep, Outcome, Preview, SourceError, SourceStep};
use serde_json::{Value, json};

use crate::output::{Failure, Output};

/// Prints the outcome of a verb. The exit code is 0 if nothing was refused, else 1.
pub(super) fn print(
    outcome: Result<Outcome, SourceError>,
    wants_json: bool,
    out: &mut Output,
) -> Result<ExitCode, Failure> {
    let outcome = outcome?;
    if wants_json {
        out.json(&document(&outcome));
    } else {
        out.data(&human(&outcome));
        outcome.notes.iter().for_each(|note| out.trailing_remark(note));
        outcome
            .failures
            .iter()
            .for_each(|failure| out.trailing_error(failure.kind().name(), &failure.to_string()));
    }
    Ok(if outcome.failures.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Reports on stderr which sources could not be read. The exit code is 0 if all could, else 1.
pub(super) fn report_unreadable_sources(failures: &[SourceError]) -> ExitCode {
    for failure in failures {
        Output::error(failure.kind().name(), &failure.to_string());
    }
    if failures.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Returns the first eight digits of a commit, or a hyphen.
pub(super) fn short(commit: Option<&str>) -> &str {
    commit.map_or("-", |commit| commit.get(..8).unwrap_or(commit))
}

fn items(number: usize) -> String {
    if number == 1 { "1 item".to_owned() } else { format!("{number} items") }
}

/// Renders a plan as lines that are safe to print on a terminal.
pub(super) fn preview(preview: &Preview) -> String {
    let mut text = String::new();
    // Writing to a string cannot fail.
    for source in &preview.sources {
        let commit = short(source.commit.as_deref());
        let _ = writeln!(
            text,
            "{:8} {}  {}  ({commit}, {})",
            source.change,
            printable(&source.name),
            printable(&source.from),
            items(source.offers)
        );
    }
    for item in &preview.items {
        let needed = if item.is_dependency { "  (needed)" } else { "" };
        let _ = writeln!(text, "{:8} {}  {}{needed}", item.change, item.key, printable(&item.source));
        for link in &item.links {
            let _ = writeln!(text, "         -> {}", printable(link));
        }
        for replaced in &item.replaces {
            let _ = writeln!(text, "         replaces {}, which minds did not install", printable(replaced));
        }
    }
    for hook in &preview.hooks {
        text.push_str(&hook_disclosure(hook));
    }
    for warning in &preview.warnings {
        let _ = writeln!(text, "warning  {}", printable(warning));
    }
    text
}

/// Renders what a user must know about a hook before it runs, as lines that are safe to print on a terminal.
fn hook_disclosure(hook: &HookStep) -> String {
    let event = hook.event.map_or("build", |event| event.name());
    let need = if hook.is_optional { "optional" } else { "required" };
    let whose = match &hook.item {
        Some(item) => format!("{item} of {}", hook.source),
        None => hook.source.clone(),
    };
    let mut text = format!("hook     {} {event}, {need}: {}\n", printable(&whose), hook.decision.name());
    if let Some(name) = &hook.name {
        let _ = writeln!(text, "         name     {}", printable(name));
    }
    let _ = writeln!(text, "         command  {}", printable(&hook.run));
    let _ = writeln!(text, "         from     {}", printable(&hook.from));
    let _ = writeln!(text, "         with     {}", printable(&hook.version));
    let _ = writeln!(text, "         environment  {}", printable(&hook.variables.join(", ")));
    let _ = writeln!(text, "         hash     {} (does not include the environment)", hook.hash);
    text
}

fn human(outcome: &Outcome) -> String {
    let mut text = String::new();
    if outcome.outcome == "dry-run" {
        let planned = preview(&outcome.preview);
        return if planned.is_empty() { "nothing to do\n".to_owned() } else { planned };
    }
    for source in &outcome.sources {
        let done = match source.change {
            "meld" => "added",
            "unmeld" => "removed",
            "update" => "updated",
            other => other,
        };
        let commit = short(source.commit.as_deref());
        let offers =
            if source.change == "unmeld" { String::new() } else { format!(", {}", items(source.offers)) };
        let _ = writeln!(text, "{done} {} ({commit}{offers})", printable(&source.name));
    }
    for (source, reason) in &outcome.skipped {
        let _ = writeln!(text, "skipped {}: {reason}", printable(source));
    }
    for run in &outcome.ran {
        let whose = run.hook.item.as_ref().map_or_else(|| run.hook.source.clone(), ToString::to_string);
        let done = if run.is_done { "ran" } else { "failed" };
        let _ = writeln!(text, "{done} hook of {}: {}", printable(&whose), printable(&run.hook.run));
        for (name, output) in [("stdout", &run.stdout), ("stderr", &run.stderr)] {
            for line in output.lines() {
                let _ = writeln!(text, "  {name} | {}", printable(line));
            }
        }
    }
    for item in &outcome.installed {
        let verb = match item.change {
            "install" => "installed",
            "replace" => "upgraded",
            "rename" => "renamed",
            "link" => "linked",
            other => other,
        };
        let _ = writeln!(text, "{verb} {} from {}", item.key, printable(&item.source));
    }
    for item in &outcome.removed {
        let _ = writeln!(text, "uninstalled {} from {}", item.key, printable(&item.source));
    }
    match outcome.outcome {
        "up-to-date" => text.push_str("everything is up to date\n"),
        "already-melded" if text.is_empty() => {
            let name = outcome.target.as_deref().unwrap_or_default();
            let _ = writeln!(text, "{} is already added", printable(name));
        }
        "cancelled" => text.push_str("cancelled; nothing was changed\n"),
        "no-op" | "melded" if text.is_empty() && outcome.failures.is_empty() => {
            text.push_str("nothing to do\n");
        }
        "no-op" if text.is_empty() => text.push_str("nothing was changed\n"),
        "synced" if text.is_empty() && outcome.failures.is_empty() => {
            text.push_str("all sources are up to date\n");
        }
        _ => {}
    }
    text
}

fn source(step: &SourceStep) -> Value {
    json!({
        "name": step.name,
        "change": step.change,
        "from": step.from,
        "commit": step.commit,
        "offers": step.offers,
    })
}

fn item(step: &ItemStep) -> Value {
    json!({
        "kind": step.key.kind.name(),
        "name": step.key.name.as_str(),
        "source": step.source,
        "change": step.change,
        "dependency": step.is_dependency,
        "links": step.links,
        "replaces": step.replaces,
    })
}

fn hook(step: &HookStep) -> Value {
    json!({
        "source": step.source,
        "item": step.item.as_ref().map(ToString::to_string),
        "event": step.event.map_or("build", |event| event.name()),
        "run": step.run,
        "name": step.name,
        "optional": step.is_optional,
        "from": step.from,
        "version": step.version,
        "environment": step.variables,
        "hash": step.hash,
        "decision": step.decision.name(),
    })
}

fn document(outcome: &Outcome) -> Value {
    let list = |items: &[ItemStep]| items.iter().map(item).collect::<Vec<_>>();
    let ran = outcome.ran.iter().map(|run| {
        let mut row = hook(&run.hook);
        if let Some(row) = row.as_object_mut() {
            row.insert("done".to_owned(), json!(run.is_done));
            row.insert("stdout".to_owned(), json!(run.stdout));
            row.insert("stderr".to_owned(), json!(run.stderr));
        }
        row
    });
    let skipped = outcome.skipped.iter().map(|(source, reason)| json!({"source": source, "reason": reason}));
    let failure = |error: &SourceError| json!({"kind": error.kind().name(), "message": error.to_string(), "target": error.target()});
    let mut document = json!({
        "action": outcome.action,
        "target": outcome.target,
        "outcome": outcome.outcome,
        "plan": {
            "sources": outcome.preview.sources.iter().map(source).collect::<Vec<_>>(),
            "items": list(&outcome.preview.items),
            "hooks": outcome.preview.hooks.iter().map(hook).collect::<Vec<_>>(),
            "warnings": outcome.preview.warnings,
        },
        "sources": outcome.sources.iter().map(source).collect::<Vec<_>>(),
        "installed": list(&outcome.installed),
        "removed": list(&outcome.removed),
        "skipped": skipped.collect::<Vec<_>>(),
        "hooks": ran.collect::<Vec<_>>(),
        "failures": outcome.failures.iter().map(failure).collect::<Vec<_>>(),
        "notes": outcome.notes,
    });
    // The first failure is also in `error`, where every JSON document of the command has its error.
    if let (Some(document), Some(first)) = (document.as_object_mut(), outcome.failures.first()) {
        document
            .insert("error".to_owned(), json!({"kind": first.kind().name(), "message": first.to_string()}));
    }
    document
}
