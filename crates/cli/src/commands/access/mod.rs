//! `minds access`

mod check;
mod decide;
mod explain;
mod lint;
mod matrix;
mod said;

use std::path::Path;
use std::process::ExitCode;

use clap::{Subcommand, ValueEnum};
use minds_workspace::access::{Access, TeamAccess};

use crate::output::{Failure, Output};

/// Ask who may read and write what
///
/// The answers follow from the access lists in `.minds/team.yaml` after inheritance, and from nothing else: no file that
/// is asked about need exist. A list that cannot be read denies.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  minds access check --member coder --op write src/main.rs
                                  May it?
  minds access explain --member coder --op write src/gen/api.rs
                                  Why not, and what would change that?
  minds access matrix             See everybody's rights at once
  minds access lint               Find entries that are not what they seem")]
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

/// What is to be done with a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Op {
    /// Look at it
    Read,
    /// Make, change, move or remove it
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
        AccessCommand::Decide(_) => decide::run(out),
    }
}

/// Says that what could not be read denies, if there is anything.
fn remark_on_errors(team: &TeamAccess) {
    let errors = match team.errors() {
        0 => return,
        1 => "an error".to_owned(),
        many => format!("{many} errors"),
    };
    Output::warning(&format!(
        "`.minds/team.yaml` has {errors}, and a list that cannot be read denies; see `minds check`"
    ));
}

fn code(is_allowed: bool) -> ExitCode {
    if is_allowed { ExitCode::SUCCESS } else { ExitCode::from(1) }
}
