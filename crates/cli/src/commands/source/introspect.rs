//! `minds source introspect` and `minds source verify`

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use minds_diagnostics::emit::printable;
use minds_operations::source::{self, Issue};
use serde_json::{Value, json};

use super::desk::TerminalDesk;
use super::flags::{ConsentFlags, FormatFlags, YesFlag};
use super::outcome;
use crate::output::{Failure, Output};

/// Show what is not as it should be: sources, items and links
///
/// Looks at sources that cannot be read, at items that their source changed, renamed or dropped, and at what was changed or
/// is gone in the store and in agent homes. With --fix what is gone is put back; without a terminal that takes --yes.
///
/// Exits with 0 whatever was found, and with 1 if --fix is refused something; `minds source verify` exits with 1 on
/// differences.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  minds introspect                 Show what is not as it should be
  minds introspect --fix --yes     Put back what is gone, without being asked")]
pub(crate) struct IntrospectArgs {
    /// Put back what is gone in the store and in agent homes
    #[arg(long)]
    fix: bool,
    /// Replace what somebody changed, too
    #[arg(short, long, requires = "fix")]
    force: bool,
    #[command(flatten)]
    pub(super) consent: ConsentFlags,
    #[command(flatten)]
    pub(super) format: FormatFlags,
}

/// Compare what is installed with what was installed, and with a lock file
///
/// Compares the store and the links in agent homes with what is remembered, and sources, commits and items with
/// `$MINDS_HOME/mind.lock`, or the lock file that --lock names, such as that of a dump.
///
/// Exits with 1 if there is any difference.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  minds source verify                          Compare with what was installed
  minds source verify --lock team/mind.lock    Compare with the lock of a dump")]
pub(crate) struct VerifyArgs {
    /// A lock file to compare with
    #[arg(long, value_name = "FILE")]
    lock: Option<PathBuf>,
    #[command(flatten)]
    pub(super) format: FormatFlags,
    #[command(flatten)]
    yes: YesFlag,
}

pub(super) fn introspect(
    directory: &Path,
    args: &IntrospectArgs,
    out: &mut Output,
) -> Result<ExitCode, Failure> {
    let json = args.format.wants_json(out);
    if args.fix {
        let consent = args.consent.consent(args.force, None);
        let mut desk = TerminalDesk::new(json);
        let done = source::repair(directory, &consent, &mut desk);
        drop(desk);
        return outcome::print(done, json, out);
    }
    print(&source::introspect(directory)?, "introspect", json, out);
    Ok(ExitCode::SUCCESS)
}

pub(super) fn verify(directory: &Path, args: &VerifyArgs, out: &mut Output) -> Result<ExitCode, Failure> {
    let lock = args.lock.as_deref();
    let issues = source::verify(directory, lock)?;
    print(&issues, "verify", args.format.wants_json(out), out);
    Ok(if issues.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn print(issues: &[Issue], action: &str, json: bool, out: &mut Output) {
    if json {
        let issue = |issue: &Issue| -> Value {
            json!({"kind": issue.kind, "subject": issue.subject, "message": issue.message})
        };
        let issues: Vec<Value> = issues.iter().map(issue).collect();
        out.json(&json!({"action": action, "issues": issues}));
        return;
    }
    for issue in issues {
        let (subject, message) = (printable(&issue.subject), printable(&issue.message));
        out.data(&format!("{}  {subject}  {message}\n", issue.kind));
    }
    if issues.is_empty() {
        out.data("everything is as it should be\n");
    }
}
