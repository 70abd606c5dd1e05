//! Plans and outcomes of verbs as human-readable text.

use std::fmt::Write as _;
use std::process::ExitCode;

use minds_diagnostics::emit::printable;
use minds_installer::{
    HookStep, ItemChange, Outcome, OutcomeDocument, OutcomeKind, Preview, SourceChange, SourceError,
};

use minds_output::{Failure, Output};

/// Prints the outcome of a verb. The exit code is 0 if nothing was refused, else 1.
pub(super) fn print(
    outcome: Result<Outcome, SourceError>,
    wants_json: bool,
    out: &mut Output,
) -> Result<ExitCode, Failure> {
    let outcome = outcome?;
    if wants_json {
        out.document(&OutcomeDocument::from(&outcome));
    } else {
        out.data(&human(&outcome));
        outcome.notes.iter().for_each(|note| out.trailing_remark(note));
        outcome
            .failures
            .iter()
            .for_each(|failure| out.trailing_error(failure.kind().as_str(), &failure.to_string()));
    }
    Ok(if outcome.failures.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Reports on stderr which sources could not be read. The exit code is 0 if all could, else 1.
pub(super) fn report_unreadable_sources(failures: &[SourceError]) -> ExitCode {
    for failure in failures {
        Output::error(failure.kind().as_str(), &failure.to_string());
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
            source.change.name(),
            printable(&source.name),
            printable(&source.from),
            items(source.offers)
        );
    }
    for item in &preview.items {
        let needed = if item.is_dependency { "  (needed)" } else { "" };
        let _ = writeln!(text, "{:8} {}  {}{needed}", item.change.name(), item.key, printable(&item.source));
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
    if outcome.outcome == OutcomeKind::DryRun {
        let planned = preview(&outcome.preview);
        return if planned.is_empty() { "nothing to do\n".to_owned() } else { planned };
    }
    for source in &outcome.sources {
        let done = match source.change {
            SourceChange::Meld => "added",
            SourceChange::Unmeld => "removed",
            SourceChange::Update => "updated",
        };
        let commit = short(source.commit.as_deref());
        let offers = if source.change == SourceChange::Unmeld {
            String::new()
        } else {
            format!(", {}", items(source.offers))
        };
        let _ = writeln!(text, "{done} {} ({commit}{offers})", printable(&source.name));
    }
    for (source, reason) in &outcome.skipped {
        let _ = writeln!(text, "skipped {}: {}", printable(source), reason.name());
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
            ItemChange::Install => "installed",
            ItemChange::Replace => "upgraded",
            ItemChange::Rename => "renamed",
            ItemChange::Remove => "uninstalled",
        };
        let _ = writeln!(text, "{verb} {} from {}", item.key, printable(&item.source));
    }
    for item in &outcome.removed {
        let _ = writeln!(text, "uninstalled {} from {}", item.key, printable(&item.source));
    }
    match outcome.outcome {
        OutcomeKind::UpToDate => text.push_str("everything is up to date\n"),
        OutcomeKind::AlreadyMelded if text.is_empty() => {
            let name = outcome.target.as_deref().unwrap_or_default();
            let _ = writeln!(text, "{} is already added", printable(name));
        }
        OutcomeKind::Cancelled => text.push_str("cancelled; nothing was changed\n"),
        OutcomeKind::NoOp | OutcomeKind::Melded if text.is_empty() && outcome.failures.is_empty() => {
            text.push_str("nothing to do\n");
        }
        OutcomeKind::NoOp if text.is_empty() => text.push_str("nothing was changed\n"),
        OutcomeKind::Synced if text.is_empty() && outcome.failures.is_empty() => {
            text.push_str("all sources are up to date\n");
        }
        _ => {}
    }
    text
}
