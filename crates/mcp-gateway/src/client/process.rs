//! The program of a server.

use std::os::fd::OwnedFd;
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;

use minds_process::{Inherited, Program, ProgramCall, ProgramEnd, ProgramPipes, describe_io_error};
use tokio::net::unix::pipe;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::task::JoinHandle;
use tokio::time::timeout;

use super::error::shorten;
use super::flag::Flag;
use super::lines::Lines;
use super::wire::{Wire, lock};
use super::{ConnectError, Inheritance, MAX_LOG_LINE_BYTES, Options, PipeRelay, RelayedPipes};
use crate::StdioServer;

/// The variables that no server receives.
const WITHHELD: &[&str] = &["MINDS_MCP_TOKEN", "ATEAM_REDIS_URL", "ATEAM_BOOTSTRAP_TOKEN"];
/// The variables that not even a program of ours receives. It needs the address of the bus.
const WITHHELD_FROM_OWN: &[&str] = &["MINDS_MCP_TOKEN", "ATEAM_BOOTSTRAP_TOKEN"];
/// The variables that a server receives if it does not inherit the environment.
const BASIC: &[&str] = &["PATH", "HOME", "LANG", "TERM", "TMPDIR", "USER"];

/// The program of a server. It ends with this value.
pub(super) struct Process {
    command: String,
    id: u32,
    program: Mutex<Program>,
    stop_step: Duration,
    end: OnceLock<ProgramEnd>,
    /// Is raised when the program has ended.
    ended: Flag,
    /// Is raised when its standard error is closed.
    silent: Flag,
    /// The last line that it wrote on standard error.
    last_line: Mutex<String>,
    tasks: Mutex<Vec<JoinHandle<()>>>,
}

/// The pipes to and from the program.
pub(super) struct Pipes {
    pub(super) input: pipe::Sender,
    pub(super) output: pipe::Receiver,
    /// What the messages pass through; then the pipes lead there.
    pub(super) relay: Option<u64>,
}

impl Process {
    /// Starts the program, and watches it.
    pub(super) fn start(
        server: &StdioServer,
        options: &Options,
        wire: &Arc<Wire>,
        relay: Option<&dyn PipeRelay>,
    ) -> Result<(Arc<Self>, Pipes), ConnectError> {
        let inherited = match options.inherited {
            Inheritance::All => Inherited::AllBut(WITHHELD),
            Inheritance::Basic => Inherited::Only(BASIC),
            Inheritance::OfProgram => Inherited::AllBut(WITHHELD_FROM_OWN),
        };
        let failed = |error: std::io::Error| ConnectError::Unreachable {
            reason: format!(
                "the program `{}` cannot be watched: {}",
                server.command,
                describe_io_error(&error)
            ),
        };
        // Before the program starts, so that its end is not missed.
        let children = signal(SignalKind::child()).map_err(failed)?;
        let (program, pipes) = Program::start(&ProgramCall {
            command: &server.command,
            args: &server.args,
            inherited,
            variables: &server.env,
            directory: &server.directory,
        })?;
        let receiver = |pipe: OwnedFd| pipe::Receiver::from_owned_fd(pipe).map_err(failed);
        let ProgramPipes { stdin, stdout, stderr } = pipes;
        // Without a relay the messages do not pass through one.
        let relayed = relay.and_then(|relay| relay.relay(&stdin, &stdout).ok());
        let (input, output, relay) = match relayed {
            Some(RelayedPipes { number, input, output }) => (input, output, Some(number)),
            None => (stdin, stdout, None),
        };
        let pipes_of_server = Pipes {
            input: pipe::Sender::from_owned_fd(input).map_err(failed)?,
            output: receiver(output)?,
            relay,
        };
        let errors = receiver(stderr)?;
        let process = Arc::new(Self {
            command: server.command.clone(),
            id: program.id(),
            program: Mutex::new(program),
            stop_step: options.times.stop_step,
            end: OnceLock::new(),
            ended: Flag::new(),
            silent: Flag::new(),
            last_line: Mutex::default(),
            tasks: Mutex::default(),
        });
        let watch = tokio::spawn(watch(Arc::clone(&process), children, Arc::clone(wire)));
        let log = tokio::spawn(log(Arc::clone(&process), errors, Arc::clone(wire)));
        lock(&process.tasks).extend([watch, log]);
        Ok((process, pipes_of_server))
    }

    pub(super) fn id(&self) -> u32 {
        self.id
    }

    /// Ends the program, whose standard input is closed, and everything in its group.
    pub(super) async fn stop(&self, now: bool) {
        if !now && timeout(self.stop_step, self.ended.wait()).await.is_err() {
            lock(&self.program).terminate();
            // The end of this step is the end of the program, or of its time.
            let _ = timeout(self.stop_step, self.ended.wait()).await;
        }
        if now {
            lock(&self.program).terminate();
        }
        self.kill_group();
        if !now {
            // Its last lines; another process may keep its standard error open.
            let _ = timeout(self.stop_step, self.silent.wait()).await;
        }
        self.kill();
    }

    /// Kills everything in the group of the program, and stops watching it.
    pub(super) fn kill(&self) {
        self.kill_group();
        for task in lock(&self.tasks).drain(..) {
            task.abort();
        }
    }

    fn kill_group(&self) {
        if let Some(end) = lock(&self.program).kill() {
            // It is known already if the program ended by itself.
            let _ = self.end.set(end);
        }
        self.ended.raise();
    }

    /// Says how the program ended, and what it said at last; none if it still runs.
    pub(super) async fn describe_end(&self) -> Option<String> {
        // Its pipes are closed shortly before it ends.
        timeout(self.stop_step, self.ended.wait()).await.ok()?;
        let end = self.end.get()?;
        // Another process may keep its standard error open.
        let _ = timeout(self.stop_step, self.silent.wait()).await;
        let line = shorten(&lock(&self.last_line));
        let line = if line.is_empty() { line } else { format!(": {line}") };
        Some(format!("the program `{}` {end}{line}", self.command))
    }
}

/// Waits for the end of the program, and then ends what it left running.
async fn watch(process: Arc<Process>, mut children: Signal, wire: Arc<Wire>) {
    let end = loop {
        let end = lock(&process.program).end();
        if let Some(end) = end {
            break end;
        }
        if children.recv().await.is_none() {
            return;
        }
    };
    // It is known already if the program was killed.
    let _ = process.end.set(end);
    process.kill_group();
    // What it wrote is still read, but a process that left the group may keep the pipe open.
    tokio::time::sleep(process.stop_step).await;
    wire.closing.raise();
}

/// Passes the lines of standard error on.
async fn log(process: Arc<Process>, errors: pipe::Receiver, wire: Arc<Wire>) {
    let mut lines = Lines::new(errors, MAX_LOG_LINE_BYTES);
    while let Some(line) = lines.next().await {
        let line = String::from_utf8_lossy(&line.bytes);
        wire.log(&line);
        if !line.trim().is_empty() {
            *lock(&process.last_line) = line.into_owned();
        }
    }
    process.silent.raise();
}
