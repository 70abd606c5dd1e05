//! `minds access`

mod check;
mod decide;
mod decision_text;
mod explain;
mod lint;
mod matrix;

use std::path::Path;
use std::process::ExitCode;

use clap::{Subcommand, ValueEnum};
use minds_workspace::access::{Access, TeamAccess};

use minds_output::{Failure, Output};

/// Show who may read and write which paths, and why
///
/// The answers follow from the access lists in `.minds/team.yaml` after inheritance, and from nothing else; paths do not
/// need to exist. A list that cannot be read denies access. Access lists apply to the tools of `minds`, not to those of MCP
/// servers.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  minds access check --member coder --op write src/main.rs
                                  Check whether a member may write a file
  minds access explain coder write src/gen/api.rs
                                  Explain why, and what would change the decision
  minds access matrix             Show the access rights of all members
  minds access lint               Find entries that are misleading or have no effect")]
pub(crate) struct AccessArgs {
    #[command(subcommand)]
    command: AccessCommand,
}

#[derive(Debug, Subcommand)]
enum AccessCommand {
    Check(check::CheckArgs),
    Explain(explain::ExplainArgs),
    Matrix(matrix::MatrixArgs),
    Lint(lint::LintArgs),
    Decide(decide::DecideArgs),
}

/// An operation on a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Op {
    /// Read the file or directory
    Read,
    /// Create, change, move or remove it
    Write,
}

impl From<Op> for Access {
    fn from(op: Op) -> Self {
        match op {
            Op::Read => Self::Read,
            Op::Write => Self::Write,
        }
    }
}

pub(crate) fn run(directory: &Path, args: &AccessArgs, out: &mut Output) -> Result<ExitCode, Failure> {
    match &args.command {
        AccessCommand::Check(args) => check::run(directory, args, out),
        AccessCommand::Explain(args) => explain::run(directory, args, out),
        AccessCommand::Matrix(args) => matrix::run(directory, args, out),
        AccessCommand::Lint(args) => lint::run(directory, args, out),
        AccessCommand::Decide(args) => decide::run(directory, args, out),
    }
}

/// Warns that lists which cannot be read deny access, if there are errors.
fn warn_about_errors(team: &TeamAccess) {
    let errors = match team.errors() {
        0 => return,
        1 => "an error".to_owned(),
        many => format!("{many} errors"),
    };
    Output::warning(&format!(
        "`.minds/team.yaml` has {errors}; lists that cannot be read deny access; see `minds check`"
    ));
}

fn exit_code(is_allowed: bool) -> ExitCode {
    if is_allowed { ExitCode::SUCCESS } else { ExitCode::from(1) }
}
