//! `minds access explain`

use std::fmt::Write as _;
use std::path::Path;
use std::process::ExitCode;

use minds_diagnostics::emit::printable;
use minds_workspace::access::{Access, Change, EntryView, Explanation, Obstacle, Reason, Step};
use serde::Serialize;

use super::Op;
use super::said::{named, place, verdict, why};
use crate::format::{Format, FormatArgs};
use crate::output::{Failure, Output};

/// Explain a decision: which entry decided, where it stands, and what would change it
///
/// PATH is relative to the workspace and normalised as in `minds access check`. What would change the decision was tried:
/// each step says what is decided after it, and together they lead to the opposite, unless something is in the way that
/// no list can change.
///
/// Exits with 0 if PATH is allowed, with 1 if it is denied, and with 2 if there is no such member or no team.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  minds access explain --member coder --op write src/gen/api.rs")]
pub(super) struct ExplainArgs {
    /// The id of the member
    #[arg(long, value_name = "MEMBER")]
    member: String,
    /// What is to be done
    #[arg(long, value_enum, value_name = "OP")]
    op: Op,
    #[command(flatten)]
    format: FormatArgs,
    /// A path from the top of the workspace
    #[arg(value_name = "PATH")]
    path: String,
}

#[derive(Serialize)]
struct Document<'a> {
    member: &'a str,
    op: &'static str,
    path: &'a str,
    judged: Option<&'a str>,
    allowed: bool,
    reason: &'static str,
    entry: Option<&'a EntryView>,
    /// Whether the entry matches only once letter case and Unicode form are ignored, as they are in deny lists.
    by_folding: bool,
    /// The reasons that were considered, the one that decided last.
    considered: Vec<&'static str>,
    change: Vec<&'a Step>,
    obstacle: Option<Obstacle>,
}

pub(super) fn run(directory: &Path, args: &ExplainArgs, out: &mut Output) -> Result<ExitCode, Failure> {
    let team = minds_operations::team_access(directory)?;
    let mut member = minds_operations::member_access(&team, &args.member)?;
    super::remark_on_errors(&team);
    let access: Access = args.op.into();
    let explanation = member.explain(access, &args.path);
    let judgement = &explanation.judgement;
    let judged = judgement.judged();
    let allowed = judgement.reason.is_allowed();
    match args.format.chosen(out) {
        Format::Human => out.data(&human(args, access, &explanation)),
        Format::Json => out.json(&Document {
            member: &args.member,
            op: access.as_str(),
            path: &args.path,
            judged,
            allowed,
            reason: judgement.reason.code(),
            entry: judgement.entry.as_deref(),
            by_folding: judgement.is_by_folding,
            considered: considered(judgement.reason).map(Reason::code).collect(),
            change: explanation.steps.iter().collect(),
            obstacle: explanation.obstacle,
        }),
    }
    Ok(super::code(allowed))
}

/// Returns the reasons that were considered until one applied.
fn considered(reason: Reason) -> impl Iterator<Item = Reason> {
    Reason::ALL.into_iter().filter(move |other| *other <= reason)
}

fn human(args: &ExplainArgs, access: Access, explanation: &Explanation) -> String {
    let judgement = &explanation.judgement;
    let reason = judgement.reason;
    let allowed = reason.is_allowed();
    let (member, path) = (printable(&args.member), printable(&args.path));
    let may = if allowed { "may" } else { "may not" };
    let mut text = format!("{}: `{member}` {may} {access} `{path}`\n", verdict(allowed).trim_end());
    // Writing to a string cannot fail.
    if let Some(judged) = judgement.path.as_ref().filter(|judged| judged.as_str() != args.path) {
        let _ = writeln!(text, "  judged as   {}", printable(&judged.to_string()));
    }
    let _ = writeln!(text, "  reason      {}: {}", reason.code(), why(access, judgement));
    let mut behind: Vec<&str> = Vec::new();
    for then in explanation.steps.iter().map(|step| step.then) {
        if !allowed && !then.is_allowed() && then != reason && !behind.contains(&then.code()) {
            behind.push(then.code());
        }
    }
    if !behind.is_empty() {
        let _ = writeln!(text, "  behind it   {}", behind.join(", "));
    }
    let wanted = if allowed { "deny" } else { "allow" };
    let _ = writeln!(text, "\nwhat would {wanted} it:");
    for (at, step) in explanation.steps.iter().enumerate() {
        let _ = writeln!(text, "  {}. {}", at + 1, instruction(&member, step));
        let then = match step.then.is_allowed() {
            now if now != allowed => format!("it is {}", verdict(now).trim_end()),
            now => format!("still {}: {}", verdict(now).trim_end(), step.then.code()),
        };
        let _ = writeln!(text, "     then {then}");
    }
    if let Some(obstacle) = explanation.obstacle {
        let nothing = if explanation.steps.is_empty() { "nothing: " } else { "even then: " };
        let _ = writeln!(text, "  {nothing}{}", in_the_way(obstacle));
    }
    text
}

fn instruction(member: &str, step: &Step) -> String {
    let entry = &step.entry;
    let written = printable(entry.entry.as_deref().unwrap_or_default());
    match step.action {
        Change::Remove => format!("remove {}", named(entry, "from")),
        Change::Mend => format!("mend {}", named(entry, "in")),
        Change::Add => match place(entry) {
            Some(place) => format!("add `{written}` to {} ({place})", entry.list),
            None => format!("give `{member}` the list {} with the entry `{written}`", entry.list),
        },
    }
}

fn in_the_way(obstacle: Obstacle) -> &'static str {
    match obstacle {
        Obstacle::NoPath => "this names nothing in the workspace",
        Obstacle::Package => "task packages (`*.tsk`) are reserved; use the tools for task documents",
        Obstacle::Minds => "`.minds` is reserved for the tools that manage the team",
        Obstacle::Git => "`.git` is reserved for git: its configuration names programs that git starts",
        Obstacle::BuiltIn => "the entry is built in",
        Obstacle::UnreadableFile => {
            "it is not known what the file says about the member; mend what `minds check` finds"
        }
        Obstacle::Unnameable => "no entry can name this path and nothing else",
        Obstacle::TooMany => "there is more in the way than is shown here",
    }
}
