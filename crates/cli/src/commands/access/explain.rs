//! `minds access explain`

use std::fmt::Write as _;
use std::path::Path;
use std::process::ExitCode;

use clap::ValueEnum as _;
use minds_diagnostics::emit::printable;
use minds_operations::WorkspaceRoots;
use minds_operations::documents::AccessExplanationDocument;
use minds_workspace::access::{Access, Change, Explanation, MemberAccess, Obstacle, Step};

use super::Op;
use super::decision_text::{render_entry, render_place, render_reason, verdict};
use minds_output::format::{Format, FormatArgs};
use minds_output::{Failure, Output};

/// Explain a decision: which entry decided, where it is, and what would change the decision
///
/// PATH is relative to the workspace and normalized as in `minds access check`. Each suggested step was evaluated and shows
/// the decision after it. All steps together reverse the decision, unless an obstacle exists that no list can change.
///
/// Exits with 0 if PATH is allowed, with 1 if it is denied, and with 2 if the member or the team does not exist.
#[derive(Debug, clap::Args)]
#[command(
    override_usage = "minds access explain [OPTIONS] <MEMBER> <read|write> <PATH>\n       \
                      minds access explain [OPTIONS] --member <MEMBER> --op <OP> <PATH>",
    after_help = "\
Examples:
  minds access explain coder write src/gen/api.rs
  minds access explain --member coder --op write src/gen/api.rs"
)]
pub(super) struct ExplainArgs {
    /// The id of the member, instead of the argument MEMBER
    #[arg(long, value_name = "MEMBER")]
    member: Option<String>,
    /// The operation, instead of the argument `read` or `write`
    #[arg(long, value_enum, value_name = "OP")]
    op: Option<Op>,
    #[command(flatten)]
    format: FormatArgs,
    /// The id of the member, `read` or `write`, and a path relative to the workspace
    #[arg(value_name = "PATH", required = true, num_args = 1..=3)]
    words: Vec<String>,
}

/// The member, the operation and the path of a question.
struct Query<'a> {
    member: &'a str,
    op: Op,
    path: &'a str,
}

impl ExplainArgs {
    /// Returns the question, of which the options take the place of the arguments.
    fn query(&self) -> Result<Query<'_>, Failure> {
        let mut words = self.words.iter().map(String::as_str);
        let mut next = |name: &str| {
            words.next().ok_or_else(|| Failure::usage(format!("{name} is missing; {}", Self::USAGE)))
        };
        let member = match &self.member {
            Some(member) => member,
            None => next("MEMBER")?,
        };
        let op = if let Some(op) = self.op {
            op
        } else {
            let word = next("the operation")?;
            Op::from_str(word, false).map_err(|_| {
                let usage = Self::USAGE;
                Failure::usage(format!("invalid operation `{word}`: expected `read` or `write`; {usage}"))
            })?
        };
        let path = next("PATH")?;
        match words.next() {
            Some(word) => Err(Failure::usage(format!("unexpected argument `{word}`; {}", Self::USAGE))),
            None => Ok(Query { member, op, path }),
        }
    }

    const USAGE: &str = "usage: `minds access explain MEMBER read|write PATH`";
}

pub(super) fn run(directory: &Path, args: &ExplainArgs, out: &mut Output) -> Result<ExitCode, Failure> {
    let query = args.query()?;
    let team = minds_operations::team_access(directory)?;
    let mut member = minds_operations::member_access(&team, query.member)?;
    super::warn_about_errors(&team);
    let access: Access = query.op.into();
    let path = WorkspaceRoots::find(directory)?.relative(query.path).into_owned();
    let explanation = member.explain(access, &path);
    let allowed = explanation.decision.reason.is_allowed();
    match args.format.chosen(out) {
        Format::Human => {
            out.data(&human(&query, access, &explanation));
            if !member.servers.is_empty() {
                out.trailing_remark(&servers_remark(&member));
            }
        }
        Format::Json => {
            out.document(&AccessExplanationDocument::new(&member, access, query.path, &explanation));
        }
    }
    Ok(super::exit_code(allowed))
}

/// Says which tools the decision is not about.
fn servers_remark(member: &MemberAccess<'_>) -> String {
    let servers: Vec<String> = member.servers.iter().map(|id| format!("`{}`", printable(id))).collect();
    let member = printable(&member.id);
    format!(
        "access lists do not apply to tools of MCP servers, of which `{member}` has {}",
        servers.join(", ")
    )
}

fn human(query: &Query<'_>, access: Access, explanation: &Explanation) -> String {
    let decision = &explanation.decision;
    let reason = decision.reason;
    let allowed = reason.is_allowed();
    let (member, path) = (printable(query.member), printable(query.path));
    let may = if allowed { "may" } else { "may not" };
    let mut text = format!("{}: `{member}` {may} {access} `{path}`\n", verdict(allowed).trim_end());
    // Writing to a string cannot fail.
    if let Some(judged) = decision.path.as_ref().filter(|judged| judged.as_str() != query.path) {
        let _ = writeln!(text, "  normalized  {}", printable(&judged.to_string()));
    }
    let _ = writeln!(text, "  reason      {}: {}", reason.code(), render_reason(access, decision));
    let mut hidden: Vec<&str> = Vec::new();
    for then in explanation.steps.iter().map(|step| step.then) {
        if !allowed && !then.is_allowed() && then != reason && !hidden.contains(&then.code()) {
            hidden.push(then.code());
        }
    }
    if !hidden.is_empty() {
        let _ = writeln!(text, "  also        {}", hidden.join(", "));
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
        let _ = writeln!(text, "  {nothing}{}", obstacle_text(obstacle));
    }
    text
}

fn instruction(member: &str, step: &Step) -> String {
    let entry = &step.entry;
    let text = printable(entry.entry.as_deref().unwrap_or_default());
    match step.action {
        Change::Remove => format!("remove {}", render_entry(entry, "from")),
        Change::Repair => format!("fix {}", render_entry(entry, "in")),
        Change::Add => match render_place(entry) {
            Some(place) => format!("add `{text}` to {} ({place})", entry.list),
            None => format!("add the list {} with the entry `{text}` to `{member}`", entry.list),
        },
    }
}

fn obstacle_text(obstacle: Obstacle) -> &'static str {
    match obstacle {
        Obstacle::NoPath => "this is not a path in the workspace",
        Obstacle::Package => "task packages (`*.tsk`) are reserved; use the tools for task documents",
        Obstacle::Minds => "`.minds` is reserved for the tools that manage the team",
        Obstacle::Git => "`.git` is reserved for git: its configuration names programs that git starts",
        Obstacle::BuiltIn => "the entry is built in",
        Obstacle::UnreadableFile => {
            "the entries of the member cannot be read; fix the errors that `minds check` reports"
        }
        Obstacle::Unnameable => "no entry can match only this path",
        Obstacle::TooMany => "there are more obstacles than are shown here",
    }
}
