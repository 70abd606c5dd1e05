//! `os.exec`.

use std::collections::VecDeque;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use minds_exec::{
    Command, ExecError, ExecEvent, Folders, OutputLines, Program, Running, SandboxRules, Stream,
    SupervisorProgram, environment,
};
use minds_fleet_protocol::{ErrorCode, FailureCode};
use minds_fs::{Root, real_path};
use minds_process::{monotonic, variable, variables};
use minds_vfs::MountId;
use serde::Serialize;

use crate::arguments::OsExec;
use crate::captured::Captured;
use crate::outcome::{EndedTool, Refusal, RunningTool, ToolEvent, ToolOutcome, quote};
use crate::policy::{Policy, find_folder, is_at_or_below};
use crate::reach::absolute_path;
use crate::settings::ToolSettings;

/// The time after which a command is ended by default.
const DEFAULT_TIME: Duration = Duration::from_mins(5);
/// The part of a result for members other than the output, in bytes.
const OTHER_MEMBERS: usize = 256;

/// The result of `os.exec`.
#[derive(Serialize)]
struct Executed<'e> {
    rc: i32,
    stdout: &'e str,
    stderr: &'e str,
    duration_ms: u64,
    timed_out: bool,
    truncated: bool,
}

/// Starts a command.
pub(crate) fn start(
    settings: &ToolSettings,
    policy: &Policy,
    supervisor: &SupervisorProgram,
    arguments: &OsExec,
) -> Result<Box<dyn RunningTool>, Refusal> {
    let cwd = find_cwd(policy, arguments.cwd.as_deref())?;
    // Only its owner can access it, as the keys beside it.
    let failed = |error: minds_process::SystemError| Refusal::new(ErrorCode::HandlerError, error.to_string());
    Root::open_private(&settings.temporary, MountId::WORKSPACE).map_err(failed)?;
    let is_unsafe = arguments.r#unsafe.unwrap_or_default();
    let command = Command {
        program: Program::Shell(arguments.cmd.clone()),
        cwd,
        environment: command_environment(settings, policy, arguments),
        pty: arguments.pty.unwrap_or_default(),
        time_limit: Some(arguments.timeout.map_or(DEFAULT_TIME, Duration::from_secs)),
        sandbox: (!is_unsafe).then(|| sandbox(policy)),
        temporary_folder: Some(settings.temporary.clone()),
    };
    let running = command.start(supervisor).map_err(|error| refuse(&error))?;
    Ok(Box::new(RunningCommand {
        running,
        lines: OutputLines::new(settings.partial_flush),
        stdout: Captured::new(settings.output_bytes),
        stderr: Captured::new(settings.output_bytes),
        ready: VecDeque::new(),
        output_bytes: settings.output_bytes,
    }))
}

/// Returns the directory in which a command starts: in the working folder, also after symbolic links.
fn find_cwd(policy: &Policy, given: Option<&str>) -> Result<PathBuf, Refusal> {
    let shown = given.unwrap_or(".");
    let absolute = absolute_path(&policy.cwd, shown)?;
    let real = real_path(Path::new(&absolute))
        .map_err(|reason| Refusal::invalid(format!("the directory {}: {reason}", quote(shown))))?;
    let is_inside = real.to_str().is_some_and(|real| {
        is_at_or_below(real, &policy.cwd) && find_folder(&policy.folders, real).is_some()
    });
    if !is_inside {
        return Err(Refusal::deny(format!("the directory {} is outside the working folder", quote(shown))));
    }
    Ok(real)
}

fn sandbox(policy: &Policy) -> SandboxRules {
    let paths =
        |folders: &crate::policy::Folders| -> Vec<PathBuf> { folders.iter().map(PathBuf::from).collect() };
    let (whitelist, read, write) =
        (paths(&policy.folders), paths(&policy.exec.read), paths(&policy.exec.write));
    // The working folder is one of the folders, unless it was not accepted.
    let working_folder = Path::new(&policy.cwd);
    let mut rules = SandboxRules::new(&Folders {
        working_folder,
        whitelist: &whitelist,
        exec_read: &read,
        exec_write: &write,
    });
    rules.is_required = policy.exec.require_sandbox;
    rules
}

fn command_environment(
    settings: &ToolSettings,
    policy: &Policy,
    arguments: &OsExec,
) -> Vec<(OsString, OsString)> {
    let mut current = Vec::new();
    for (name, _) in variables() {
        // Values that are not valid UTF-8 are left out.
        if let Ok(Some(value)) = variable(&name) {
            current.push((OsString::from(name), OsString::from(value)));
        }
    }
    let extra: Vec<(OsString, OsString)> =
        arguments.env.iter().flatten().map(|(name, value)| (name.into(), value.into())).collect();
    let passed: Vec<String> = policy.exec.env.iter().cloned().collect();
    environment(&current, &passed, &extra, policy.exec.inherit_env, &settings.secret_variables)
}

fn refuse(error: &ExecError) -> Refusal {
    let code = match error {
        ExecError::SandboxRequired { .. } => ErrorCode::ConfigInvalid,
        ExecError::Directory { .. } => ErrorCode::ArgsInvalid,
        _ => ErrorCode::HandlerError,
    };
    Refusal::new(code, error.to_string())
}

/// A running command. Its output is published as it comes, and its beginning and end are kept for the result.
struct RunningCommand {
    running: Running,
    lines: OutputLines,
    stdout: Captured,
    stderr: Captured,
    /// What is reported next.
    ready: VecDeque<ToolEvent>,
    output_bytes: usize,
}

impl RunningTool for RunningCommand {
    fn next(&mut self, wait: Duration) -> Option<ToolEvent> {
        if let Some(event) = self.ready.pop_front() {
            return Some(event);
        }
        let now = monotonic();
        let wait = self.lines.deadline().map_or(wait, |deadline| wait.min(deadline.saturating_sub(now)));
        match self.running.next(wait) {
            Ok(Some(ExecEvent::Output { stream, bytes })) => {
                match stream {
                    Stream::Stdout => self.stdout.push(&bytes),
                    Stream::Stderr => self.stderr.push(&bytes),
                }
                let text = self.lines.push(stream, &bytes, monotonic());
                self.ready.extend(text.map(|text| output(stream, text)));
            }
            Ok(Some(ExecEvent::Ended(ended))) => {
                let rest = self.lines.finish();
                self.ready.extend(rest.into_iter().map(|(stream, text)| output(stream, text)));
                self.ready.push_back(ToolEvent::Ended(self.result(ended)));
            }
            Ok(None) => {
                let waited = self.lines.poll(monotonic());
                self.ready.extend(waited.into_iter().map(|(stream, text)| output(stream, text)));
            }
            Err(error) => return EndedTool::new(refuse(&error).into()).next(wait),
        }
        self.ready.pop_front()
    }

    fn stop(&mut self, is_hard: bool) {
        self.running.stop(is_hard);
    }
}

impl RunningCommand {
    /// Returns the result, at most `output_bytes` long: escapes of JSON may need more space than the output.
    fn result(&self, ended: minds_exec::Outcome) -> ToolOutcome {
        let mut limit = self.output_bytes.saturating_sub(OTHER_MEMBERS);
        loop {
            let result = self.result_within(ended, limit);
            let length = result.content.len();
            if length <= self.output_bytes || limit == 0 {
                return result;
            }
            limit = (limit.saturating_mul(self.output_bytes) / length).min(limit - 1);
        }
    }

    /// Returns the result with at most `limit` bytes of output.
    fn result_within(&self, ended: minds_exec::Outcome, limit: usize) -> ToolOutcome {
        // A short stream leaves its part to the other one.
        let for_stderr = self.stderr.len().min(limit / 2).max(limit.saturating_sub(self.stdout.len()));
        let (stderr, is_stderr_cut) = self.stderr.text(for_stderr);
        let (stdout, is_stdout_cut) = self.stdout.text(limit.saturating_sub(stderr.len()));
        let result = ToolOutcome::success(&Executed {
            rc: ended.rc,
            stdout: &stdout,
            stderr: &stderr,
            duration_ms: u64::try_from(ended.duration.as_millis()).unwrap_or(u64::MAX),
            timed_out: ended.timed_out,
            truncated: is_stdout_cut || is_stderr_cut,
        });
        ToolOutcome {
            is_ok: ended.rc == 0 && !ended.timed_out,
            rc: Some(ended.rc),
            code: ended.timed_out.then_some(FailureCode::Known(ErrorCode::Timeout)),
            ..result
        }
    }
}

fn output(stream: Stream, text: String) -> ToolEvent {
    let stream = match stream {
        Stream::Stdout => minds_fleet_protocol::Stream::Stdout,
        Stream::Stderr => minds_fleet_protocol::Stream::Stderr,
    };
    ToolEvent::Output { stream, text }
}
