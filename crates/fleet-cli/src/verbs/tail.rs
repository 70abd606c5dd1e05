//! `tail`

use std::process::ExitCode;
use std::time::Duration;

use minds_fleet_bus::Start;
use minds_fleet_protocol::{EventKind, Frame};
use minds_output::{Failure, Output};
use minds_process::StopRequest;

use crate::args::TailArgs;
use crate::clock::now;
use crate::command_error::CommandError;
use crate::document;
use crate::frame_text::FrameText;
use crate::session::Session;

/// How long the end of this command may take after Ctrl-C.
const TICK: Duration = Duration::from_millis(200);
/// The variable that makes consoles print offsets.
const DEBUG_VARIABLE: &str = "ATEAM_DEBUG_TAIL";

pub(super) fn run(
    session: &Session<'_>,
    args: &TailArgs,
    out: &mut Output,
) -> Result<ExitCode, CommandError> {
    let agent = session.id(&args.agent)?;
    let start = match args.since {
        Some(since) => Start::Since(since.at(now().time)),
        None if args.follow => Start::End,
        None => Start::Offset(0),
    };
    let mut follower =
        session.bus.follow(&agent, start).map_err(|failure| session.explain(failure, &agent))?;
    // From here on, Ctrl-C ends the output after a complete line.
    let stop = if args.follow { StopRequest::watch().ok() } else { None };
    let is_stopped = || stop.as_ref().is_some_and(StopRequest::is_pending);
    let has_offsets = minds_process::variable(DEBUG_VARIABLE)?.is_some_and(|value| value == "1");
    let mut text = FrameText::new(has_offsets);
    let mut is_first = true;
    while !is_stopped() {
        let frames = follower.read(if args.follow { TICK } else { Duration::ZERO })?;
        if frames.is_empty() && !args.follow {
            break;
        }
        for frame in &frames {
            // A reader that asks for the kept frames does not need the gap in front of them.
            let is_gap = matches!(frame.event.kind, EventKind::Gap(_));
            if !(std::mem::take(&mut is_first) && is_gap && start == Start::Offset(0)) {
                print(frame, &mut text, out);
            }
        }
        if !out.flush_if_needed(args.follow).map_err(output_error)? {
            return Ok(ExitCode::SUCCESS);
        }
    }
    if !out.is_json() {
        out.push_styled(text.close());
    }
    Ok(ExitCode::SUCCESS)
}

fn print(frame: &Frame, text: &mut FrameText, out: &mut Output) {
    if frame.event.kind == EventKind::Unknown {
        return;
    }
    if out.is_json() {
        document::line(out, frame);
    } else {
        let rendered = text.render(frame);
        out.push_styled(&rendered);
    }
}

/// Returns the error of an output that cannot be written.
pub(super) fn output_error(_: Failure) -> CommandError {
    CommandError::System("cannot write to stdout".to_owned())
}
