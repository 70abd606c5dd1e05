//! The process of a program, and the threads that read and write its pipes.

use std::ffi::OsString;
use std::io::{PipeReader, PipeWriter, Read, Write as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender, SyncSender};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use minds_exec::{
    BUS_VARIABLES, COMMAND_VARIABLES, Command, Outcome, Pipes, Program, SkippedRule, Supervised, environment,
};
use minds_fs::Root;
use minds_process::{monotonic, variable};
use minds_vfs::MountId;

use super::member_server::ServedTools;
use crate::config::EngineConfig;

/// The number of bytes that are read at once.
const CHUNK: usize = 1 << 16;
/// The number of chunks that wait to be used. A program that writes faster has to wait.
const CHUNKS: usize = 16;
/// The most bytes that wait for a program that does not read them.
const MAX_QUEUED: usize = 64 << 20;
/// The most bytes of the end of the standard error that are kept.
const MAX_ERRORS: usize = 4_096;
/// How long the end of a program may take. Its supervisor kills it 2 seconds after it was asked to end.
const END_TIME: Duration = Duration::from_secs(3);
/// How long the last output of a program that has ended may take to arrive.
const LAST_OUTPUT_TIME: Duration = Duration::from_millis(20);
/// The time between two looks at a program that is ending.
const TICK: Duration = Duration::from_millis(20);
/// The folder for temporary files, in the folder with the files of the agent.
const TEMPORARY: &str = "tmp";

/// A running program. Nothing of it outlives this value.
pub(super) struct EngineProcess {
    program: Supervised,
    output: Receiver<Vec<u8>>,
    /// None after the program was asked to end.
    input: Option<Sender<Vec<u8>>>,
    queued: Arc<AtomicUsize>,
    errors: Arc<Mutex<Vec<u8>>>,
    /// Is closed when the standard error has ended.
    errors_end: Receiver<()>,
    /// The tools of the member that it has.
    _tools: Option<ServedTools>,
}

/// What a program wrote.
pub(super) enum Output {
    Bytes(Vec<u8>),
    Nothing,
    /// It has closed its standard output.
    End,
}

impl EngineProcess {
    /// Starts a program in the sandbox, with its supervisor.
    ///
    /// # Errors
    ///
    /// Fails if it cannot be started, with the reason.
    pub(super) fn start(config: &EngineConfig, state_folder: &Path) -> Result<Self, String> {
        let temporary = temporary_folder(state_folder);
        Root::open_private(&temporary, MountId::WORKSPACE).map_err(|error| error.to_string())?;
        let member = config.member.as_ref();
        let tools = member.map(|server| ServedTools::start(server, &config.programs.supervisor, &temporary));
        let tools = tools.transpose()?;
        let words = std::iter::once(&config.program).chain(&config.args);
        let command = Command {
            program: Program::Argv(words.map(OsString::from).collect()),
            cwd: working_folder(config, state_folder),
            environment: variables(config)?,
            pty: false,
            time_limit: None,
            sandbox: Some(config.sandbox.clone()),
            temporary_folder: Some(temporary),
        };
        let started = command.start_piped(&config.programs.supervisor).map_err(|error| error.to_string());
        let (program, Pipes { stdin, stdout, stderr }) = started?;
        let (send_output, output) = mpsc::sync_channel(CHUNKS);
        let (input, receive_input) = mpsc::channel();
        let queued = Arc::new(AtomicUsize::new(0));
        let errors = Arc::new(Mutex::new(Vec::new()));
        let (at_end, errors_end) = mpsc::channel::<()>();
        let (of_writer, of_reader) = (Arc::clone(&queued), Arc::clone(&errors));
        spawn("engine-output", move || read(PipeReader::from(stdout), &send_output))?;
        spawn("engine-errors", move || {
            keep_end(PipeReader::from(stderr), &of_reader);
            drop(at_end);
        })?;
        spawn("engine-input", move || write(PipeWriter::from(stdin), &receive_input, &of_writer))?;
        let input = Some(input);
        Ok(Self { program, output, input, queued, errors, errors_end, _tools: tools })
    }

    /// Returns the paths of its configuration that the sandbox does not give it, each with the reason.
    pub(super) fn skipped_rules(&self) -> &[SkippedRule] {
        self.program.skipped_rules()
    }

    /// Queues bytes for the program; returns whether it still reads them.
    pub(super) fn send(&self, bytes: Vec<u8>) -> bool {
        if bytes.is_empty() {
            return true;
        }
        let queued = self.queued.fetch_add(bytes.len(), Ordering::SeqCst);
        // What cannot be written is noticed as the end of the program.
        queued.saturating_add(bytes.len()) <= MAX_QUEUED
            && self.input.as_ref().is_some_and(|input| input.send(bytes).is_ok())
    }

    /// Returns what the program wrote next, if it did within `wait`.
    pub(super) fn next(&mut self, wait: Duration) -> Output {
        let receive = |wait| match self.output.recv_timeout(wait) {
            Ok(bytes) => Output::Bytes(bytes),
            Err(RecvTimeoutError::Timeout) => Output::Nothing,
            Err(RecvTimeoutError::Disconnected) => Output::End,
        };
        match receive(wait) {
            // A process that it started may keep its output open.
            Output::Nothing if !matches!(self.program.end(Duration::ZERO), Ok(None)) => {
                match receive(LAST_OUTPUT_TIME) {
                    Output::Bytes(bytes) => Output::Bytes(bytes),
                    Output::Nothing | Output::End => Output::End,
                }
            }
            output => output,
        }
    }

    /// Describes how the program ended, with the last line of its standard error.
    pub(super) fn describe_end(&mut self) -> String {
        self.program.stop(true);
        let end = self.program.end(END_TIME).ok().flatten().map(|Outcome { rc, signal, .. }| match signal {
            Some(signal) => format!("was killed by signal {signal}"),
            None => format!("exited with status {rc}"),
        });
        // Nothing is sent: this waits for the end of the output.
        let _ = self.errors_end.recv_timeout(END_TIME);
        let errors = self.errors.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let text = String::from_utf8_lossy(&errors);
        let last = text.lines().rfind(|line| !line.trim().is_empty()).map(str::trim);
        let end = end.unwrap_or_else(|| "ended".to_owned());
        last.map_or_else(|| end.clone(), |last| format!("{end}: {last}"))
    }

    /// Ends the program and what it started: at once, or after it had time to end by itself.
    pub(super) fn end(mut self, is_hard: bool) {
        self.input = None;
        self.program.stop(is_hard);
        let deadline = monotonic().saturating_add(END_TIME);
        while matches!(self.program.end(TICK), Ok(None)) && monotonic() < deadline {
            // Its last output must not keep it from ending.
            while self.output.try_recv().is_ok() {}
        }
    }
}

/// Returns the folder for temporary files of the program of an agent.
pub(super) fn temporary_folder(state_folder: &Path) -> PathBuf {
    state_folder.join(TEMPORARY)
}

/// Returns the folder in which a program works.
pub(super) fn working_folder(config: &EngineConfig, state_folder: &Path) -> PathBuf {
    if config.has_files { config.cwd.clone() } else { temporary_folder(state_folder) }
}

/// Returns the environment of a program.
///
/// # Errors
///
/// Fails if a variable is not valid UTF-8.
fn variables(config: &EngineConfig) -> Result<Vec<(OsString, OsString)>, String> {
    let names = COMMAND_VARIABLES.iter().chain(BUS_VARIABLES).copied();
    let given = config.inherited.iter().chain(&config.key_variables).map(String::as_str);
    let mut current = Vec::new();
    for name in names.chain(given) {
        let value = variable(name).map_err(|error| error.to_string())?;
        current.extend(value.map(|value| (OsString::from(name), OsString::from(value))));
    }
    let mut variables = environment(&current, &config.inherited, &[], false, &config.key_variables);
    // The file gives these to this program, keys too.
    variables.retain(|(name, _)| !config.variables.iter().any(|(given, _)| name == given.as_str()));
    variables.extend(config.variables.iter().map(|(name, value)| (name.into(), (&value.0).into())));
    Ok(variables)
}

pub(super) fn spawn(name: &str, work: impl FnOnce() + Send + 'static) -> Result<(), String> {
    let thread = std::thread::Builder::new().name(name.to_owned()).spawn(work);
    thread.map(drop).map_err(|error| format!("a thread cannot be started: {error}"))
}

/// Passes on what a program writes, until its end.
fn read(mut pipe: PipeReader, output: &SyncSender<Vec<u8>>) {
    let mut chunk = vec![0; CHUNK];
    loop {
        match pipe.read(&mut chunk) {
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Err(_) | Ok(0) => return,
            Ok(count) => {
                let bytes = chunk.get(..count).unwrap_or_default().to_vec();
                if output.send(bytes).is_err() {
                    return;
                }
            }
        }
    }
}

/// Keeps the end of what a program writes.
fn keep_end(mut pipe: PipeReader, end: &Mutex<Vec<u8>>) {
    let mut chunk = vec![0; MAX_ERRORS];
    loop {
        match pipe.read(&mut chunk) {
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Err(_) | Ok(0) => return,
            Ok(count) => {
                let mut end = end.lock().unwrap_or_else(PoisonError::into_inner);
                end.extend_from_slice(chunk.get(..count).unwrap_or_default());
                let excess = end.len().saturating_sub(MAX_ERRORS);
                end.drain(..excess);
            }
        }
    }
}

/// Writes what is queued for a program, until it does not read any longer.
fn write(mut pipe: PipeWriter, input: &Receiver<Vec<u8>>, queued: &AtomicUsize) {
    while let Ok(bytes) = input.recv() {
        let length = bytes.len();
        if pipe.write_all(&bytes).is_err() {
            return;
        }
        queued.fetch_sub(length, Ordering::SeqCst);
    }
}
