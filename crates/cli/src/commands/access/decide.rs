//! `minds access decide`

use std::path::Path;
use std::process::ExitCode;

use minds_fs::MAX_FILE_BYTES;
use minds_process::{Line, standard_input_lines};
use minds_workspace::decide::Decider;

use minds_output::{Failure, Output};

/// Answer access queries of other programs as JSON lines
///
/// Reads one JSON query per line from stdin, and prints one JSON answer per line, in the same order and without delay. Blank
/// lines are ignored. A workspace is used only with `--member`.
///
/// `{"dirs":{…},"op":"read","path":"src/a"}` is answered by `{"allowed":…,"reason":…,"pattern":…}`: `dirs` has the lists by
/// their keys in `team.yaml`, and `pattern` is the entry that decided. `{"dirs":{…}}` sets the lists for following queries
/// without `dirs`, and is answered by `{"policy":"ok","problems":[]}` or `"invalid"`. `{"pattern":"src/**","path":"src/a"}`
/// is answered by `{"match":true}`. Any other line is answered by `{"error":…,"message":…}`.
///
/// Exits with 0 regardless of the answers, and with 2 if stdin cannot be read or the member does not exist.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  echo '{\"dirs\":{\"write_dirs\":[\"src\"]},\"op\":\"write\",\"path\":\"src/a\"}' | minds access decide
  minds access decide --member coder < queries
                                  Decide by the access lists of a member")]
pub(super) struct DecideArgs {
    /// Use the access lists of this member of the team for queries without `dirs`
    #[arg(long, value_name = "MEMBER")]
    member: Option<String>,
}

pub(super) fn run(directory: &Path, args: &DecideArgs, out: &mut Output) -> Result<ExitCode, Failure> {
    let limit = usize::try_from(MAX_FILE_BYTES).unwrap_or(usize::MAX);
    let mut lines = standard_input_lines(limit);
    let mut decider = match &args.member {
        None => Decider::default(),
        Some(id) => {
            let team = minds_operations::team_access(directory)?;
            let member = minds_operations::member_access(&team, id)?;
            super::warn_about_errors(&team);
            Decider::with_policy(member.policy().clone())
        }
    };
    loop {
        // A caller may wait for an answer before it sends the next query.
        if !out.flush_if_needed(!lines.is_ready())? {
            return Ok(ExitCode::SUCCESS);
        }
        match lines.next_line().map_err(minds_operations::OperationError::from)? {
            None => return Ok(ExitCode::SUCCESS),
            Some(Line::TooLong) => Decider::answer_too_long(out.text()),
            Some(Line::Bytes(line)) => decider.answer(line, out.text()),
        }
    }
}
