//! `minds source doctor` and `minds source verify`

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use minds_diagnostics::emit::printable;
use minds_installer::{Issue, IssueAction, IssuesDocument};

use super::flags::{ConsentFlags, FormatFlags, YesFlag};
use super::outcome;
use super::terminal::TerminalInteraction;
use minds_output::{Failure, Output};

/// Check installed sources, items and links for problems
///
/// Reports sources that cannot be read, items that their source changed, renamed or removed, and files that were changed
/// or deleted in the store and in agent homes. With --fix, missing files are restored; without a terminal this needs
/// --yes.
///
/// Exits with 0 even if problems are found, and with 1 if --fix could not restore something. To exit with 1 on problems
/// use `minds source verify`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  minds source doctor                      Report problems
  minds source doctor --fix --yes          Restore missing files")]
pub(crate) struct IntrospectArgs {
    /// Restore files that are missing in the store and in agent homes
    #[arg(long)]
    fix: bool,
    /// Also replace files that were edited
    #[arg(short, long, requires = "fix")]
    force: bool,
    #[command(flatten)]
    pub(super) consent: ConsentFlags,
    #[command(flatten)]
    pub(super) format: FormatFlags,
}

/// Verify that installed files are unchanged
///
/// Compares the store and the links in agent homes with the recorded state, and sources, commits and items with
/// `$MINDS_HOME/mind.lock` or with another lock file, such as that of an export.
///
/// Exits with 1 if there is any difference.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  minds source verify                      Compare with the recorded state
  minds source verify --lock team/mind.lock
                                           Compare with an export")]
pub(crate) struct VerifyArgs {
    /// The lock file to compare with [default: `$MINDS_HOME/mind.lock`]
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
        let mut interaction = TerminalInteraction::new(json);
        let done = minds_installer::repair(directory, &consent, &mut interaction);
        drop(interaction);
        return outcome::print(done, json, out);
    }
    print(&minds_installer::introspect(directory)?, IssueAction::Introspect, json, out);
    Ok(ExitCode::SUCCESS)
}

pub(super) fn verify(directory: &Path, args: &VerifyArgs, out: &mut Output) -> Result<ExitCode, Failure> {
    let lock = args.lock.as_deref();
    let issues = minds_installer::verify(directory, lock)?;
    print(&issues, IssueAction::Verify, args.format.wants_json(out), out);
    Ok(if issues.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn print(issues: &[Issue], action: IssueAction, json: bool, out: &mut Output) {
    if json {
        out.document(&IssuesDocument { action, issues });
        return;
    }
    for issue in issues {
        let (subject, message) = (printable(&issue.subject), printable(&issue.message));
        out.data(&format!("{}  {subject}  {message}\n", issue.kind.as_str()));
    }
    if issues.is_empty() {
        out.data("no problems found\n");
    }
}
