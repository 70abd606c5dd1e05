//! `minds access decide`

use std::process::ExitCode;

use minds_system::{Line, MAX_FILE_BYTES, standard_input_lines};
use minds_workspace::decide::Decider;

use crate::output::{Failure, Output};

/// Answer questions of programs: a line of JSON in, a line of JSON out
///
/// Reads standard input line by line and nothing else; no workspace is needed. Each line has an answer, in order, as soon
/// as it is there; blank lines have none.
///
/// `{"dirs":{…},"op":"read","path":"src/a"}` is answered by `{"allowed":…,"reason":…,"pattern":…}`: `dirs` has lists by
/// their keys in `team.yaml`, `pattern` is the entry that decided. `{"dirs":{…}}` sets the lists of the lines after it
/// that have none, and is answered by `{"policy":"ok","problems":[]}` or `"invalid"`. `{"pattern":"src/**","path":"src/a"}`
/// is answered by `{"match":true}`. Anything else is answered by `{"error":…,"message":…}`.
///
/// Exits with 0 whatever the answers are, and with 2 if standard input cannot be read.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  echo '{\"dirs\":{\"write_dirs\":[\"src\"]},\"op\":\"write\",\"path\":\"src/a\"}' | minds access decide")]
pub(super) struct DecideArgs {}

pub(super) fn run(out: &mut Output) -> Result<ExitCode, Failure> {
    let limit = usize::try_from(MAX_FILE_BYTES).unwrap_or(usize::MAX);
    let mut lines = standard_input_lines(limit);
    let mut decider = Decider::default();
    loop {
        // Whoever waits for an answer before asking on must get it.
        if !out.pass_on(!lines.is_ready())? {
            return Ok(ExitCode::SUCCESS);
        }
        match lines.next_line().map_err(minds_operations::OperationError::from)? {
            None => return Ok(ExitCode::SUCCESS),
            Some(Line::TooLong) => Decider::refuse_long(out.text()),
            Some(Line::Bytes(line)) => decider.answer(line, out.text()),
        }
    }
}
