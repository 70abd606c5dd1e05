//! Starting agents in the background.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use minds_fleet_protocol::{AgentId, AgentState, ErrorCode, Failure, Json, Presence};
use minds_fs::{LogFile, Root, session_folder};
use minds_operations::FleetTransport;
use minds_process::{DetachedProcess, SystemError, kill, monotonic, pause, this_program};
use minds_vfs::{MountId, WorkspacePath};
use serde_json::json;

use crate::command_error::CommandError;
use crate::session::Session;

/// The log of an agent, and the older one.
const LOG: &str = "agent.log";
const OLD_LOG: &str = "agent.log.1";
/// The size above which a start begins another log, 8 MiB.
const MAX_LOG_BYTES: u64 = 8 << 20;
/// The most bytes of a log that are read for a message.
const MAX_READ_BYTES: u64 = 64 << 20;
/// The most lines of a log in a message.
const MAX_LINES: usize = 5;
/// How long a start may take.
const START_TIME: Duration = Duration::from_secs(20);
/// The interval of checks whether an agent has started.
const TICK: Duration = Duration::from_millis(5);
/// The interval of checks of the registry.
const LIST_TICK: Duration = Duration::from_millis(20);

/// What a start did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Started {
    /// The agent was started: its process id.
    New(u32),
    /// The agent runs already: its process id.
    Already(u32),
}

/// Starts an agent, and waits until it is registered.
///
/// # Errors
///
/// Fails if the agent ends, with the last lines of its log, or is not registered in time.
pub(crate) fn start(session: &Session<'_>, agent: &AgentId, accept: bool) -> Result<Started, CommandError> {
    if let Some(pid) = find(session, agent)? {
        return Ok(Started::Already(pid));
    }
    let (mut process, log) = launch(session, agent, accept)?;
    wait(session, agent, &mut process, &log)
}

/// Starts an agent that does not run, and waits until it is registered.
///
/// # Errors
///
/// Fails like [`start`], and then the process does not go on.
pub(crate) fn start_or_end(session: &Session<'_>, agent: &AgentId) -> Result<u32, CommandError> {
    let (mut process, log) = launch(session, agent, false)?;
    let failure = match wait(session, agent, &mut process, &log) {
        Ok(Started::New(pid)) => return Ok(pid),
        Ok(Started::Already(_)) => {
            CommandError::fleet(ErrorCode::DuplicateInstance, format!("`{agent}` runs already"))
        }
        Err(error) => error,
    };
    if matches!(process.end(), Ok(None)) {
        kill(process.id());
        while matches!(process.end(), Ok(None)) {
            pause(TICK);
        }
    }
    Err(failure)
}

/// Starts the process of an agent.
fn launch(
    session: &Session<'_>,
    agent: &AgentId,
    accept: bool,
) -> Result<(DetachedProcess, Log), CommandError> {
    let log = Log::open(&session.runtime_folder(agent)?)?;
    let variables = variables(session);
    let variables: Vec<(&str, &str)> =
        variables.iter().map(|(name, value)| (*name, value.as_str())).collect();
    let args = args(session, agent, accept);
    let failed = |error| cannot_start(agent, &error);
    let stderr = log.file.descriptor().map_err(failed)?;
    let directory = &session.place.workspace;
    let program = this_program().map_err(failed)?;
    let process = DetachedProcess::start(&program, &args, &variables, directory, stderr).map_err(failed)?;
    Ok((process, log))
}

fn cannot_start(agent: &AgentId, error: &std::io::Error) -> CommandError {
    CommandError::fleet(ErrorCode::HandlerError, format!("`{agent}` cannot be started: {error}"))
}

/// Waits until the process of an agent is registered.
fn wait(
    session: &Session<'_>,
    agent: &AgentId,
    process: &mut DetachedProcess,
    log: &Log,
) -> Result<Started, CommandError> {
    let (deadline, mut next_list) = (monotonic().saturating_add(START_TIME), Duration::ZERO);
    loop {
        let end = process.end().map_err(|error| cannot_start(agent, &error))?;
        if end.is_some() || monotonic() >= next_list {
            match find(session, agent)? {
                Some(pid) if pid == process.id() && end.is_none() => return Ok(Started::New(pid)),
                // Another start was faster.
                Some(pid) if pid != process.id() => return Ok(Started::Already(pid)),
                _ => next_list = monotonic().saturating_add(LIST_TICK),
            }
        }
        if let Some(end) = end {
            return Err(log.explain(agent, &format!("{end}"), code_of(end)).into());
        }
        if monotonic() >= deadline {
            let reason = "is not registered after 20 seconds, and goes on";
            return Err(log.explain(agent, reason, ErrorCode::Timeout).into());
        }
        pause(TICK);
    }
}

/// Returns the command that starts an agent, for people.
pub(crate) fn command_line(session: &Session<'_>, agent: &AgentId, accept: bool) -> String {
    let words = std::iter::once(OsString::from("minds-fleet")).chain(args(session, agent, accept));
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./:".contains(c);
    let quoted = words.map(|word| {
        let word = word.to_string_lossy().into_owned();
        if word.chars().all(is_plain) { word } else { format!("'{}'", word.replace('\'', r"'\''")) }
    });
    quoted.collect::<Vec<_>>().join(" ")
}

fn args(session: &Session<'_>, agent: &AgentId, accept: bool) -> Vec<OsString> {
    let mut args: Vec<OsString> = vec!["-C".into(), session.place.workspace.clone().into()];
    if session.options.local {
        args.push("--local".into());
    }
    args.extend(["agent", agent.as_str(), "--detached"].map(OsString::from));
    args.extend(accept.then(|| "--accept".into()));
    args
}

/// Returns the variables of an agent. Command lines are visible for all users, so a URL is not a part of them.
fn variables(session: &Session<'_>) -> Vec<(&'static str, String)> {
    let mut variables = vec![("MINDS_FLEET", session.place.fleet_id.clone())];
    if let (Some(_), FleetTransport::Redis(server)) = (&session.options.redis, &session.place.transport) {
        variables.push(("ATEAM_REDIS_URL", server.url.expose().clone()));
    }
    variables.extend(session.options.log_level.map(|level| ("ATEAM_LOG_LEVEL", level.as_str().to_owned())));
    variables
}

/// Returns the process id of an agent that runs and is registered.
fn find(session: &Session<'_>, agent: &AgentId) -> Result<Option<u32>, CommandError> {
    let found = session.list()?.into_iter().find(|listed| listed.info.id == *agent);
    let is_ready = |listed: &minds_fleet_bus::Listed| {
        listed.presence == Presence::Alive && listed.info.state != AgentState::Shutdown
    };
    Ok(found.filter(is_ready).map(|listed| listed.info.pid))
}

/// Returns the code that an exit status means.
fn code_of(end: minds_process::ProgramEnd) -> ErrorCode {
    match end {
        minds_process::ProgramEnd::Exited(11) => ErrorCode::DuplicateInstance,
        minds_process::ProgramEnd::Exited(12) => ErrorCode::ConfigInvalid,
        _ => ErrorCode::HandlerError,
    }
}

/// The log of an agent.
struct Log {
    folder: Root,
    path: PathBuf,
    file: LogFile,
    /// The size before the start.
    start: u64,
}

impl Log {
    /// Opens the log in a runtime folder. One that is too large becomes the older one.
    fn open(folder: &Path) -> Result<Self, CommandError> {
        Root::open_own(&session_folder()?, MountId::WORKSPACE)?;
        let root = Root::open_private(folder, MountId::WORKSPACE)?;
        let failed = |error: &dyn std::fmt::Display| {
            let source = std::io::Error::other(error.to_string());
            CommandError::from(SystemError::new("write", &folder.join(LOG), source))
        };
        let name = |name: &str| WorkspacePath::parse(name).map_err(|error| failed(&error));
        let (log, old) = (name(LOG)?, name(OLD_LOG)?);
        let open = || root.no_follow().open_log(&log).map_err(|error| failed(&error));
        let mut file = open()?;
        if file.size() > MAX_LOG_BYTES {
            root.no_follow().rename_unsynced(&log, &old).map_err(|error| failed(&error))?;
            file = open()?;
        }
        let start = file.size();
        Ok(Self { path: folder.join(LOG), folder: root, file, start })
    }

    /// Returns a failure with the last lines that the agent wrote.
    fn explain(&self, agent: &AgentId, what: &str, code: ErrorCode) -> Failure {
        let lines = self.last_lines();
        let said = match lines.last() {
            Some(last) => format!(": {last}"),
            None => String::new(),
        };
        let message = format!("`{agent}` {what}{said}");
        let detail = json!({ "log": self.path.to_string_lossy(), "lines": lines });
        Failure { detail: Json::from_value(&detail).ok(), ..Failure::new(code, message) }
    }

    fn last_lines(&self) -> Vec<String> {
        let path = WorkspacePath::parse(LOG).ok();
        let read = path.and_then(|path| self.folder.no_follow().read(&path, MAX_READ_BYTES).ok());
        let bytes = read.map(|file| file.bytes).unwrap_or_default();
        let start = usize::try_from(self.start).unwrap_or(usize::MAX).min(bytes.len());
        let text = String::from_utf8_lossy(bytes.get(start..).unwrap_or_default()).into_owned();
        let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
        let skipped = lines.len().saturating_sub(MAX_LINES);
        lines.into_iter().skip(skipped).map(str::to_owned).collect()
    }
}
