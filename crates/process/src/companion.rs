//! Processes of this program that run beside it and are connected to it by a socket.

use std::ffi::OsStr;
use std::io;
use std::os::fd::{AsFd as _, OwnedFd};
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::pause;

/// The interval of checks for the end of a companion.
const TICK: Duration = Duration::from_millis(2);

/// A process that runs beside this one, in a process group of its own, so that a signal to the group of this process does not
/// reach it.
#[derive(Debug)]
pub struct Companion {
    child: Child,
}

impl Companion {
    /// Starts `program` with a socket as its standard input. It has the environment and the standard error of this process,
    /// and no standard output.
    ///
    /// # Errors
    ///
    /// Fails if the program cannot be started.
    pub fn start<S: AsRef<OsStr>>(program: &Path, args: &[S], socket: UnixStream) -> io::Result<Self> {
        let mut command = Command::new(program);
        // The name for lists of processes.
        command.arg0("minds").args(args).stdin(OwnedFd::from(socket)).stdout(Stdio::null()).process_group(0);
        Ok(Self { child: command.spawn()? })
    }

    /// Returns its process id.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Waits for its end, and returns whether it succeeded.
    ///
    /// # Errors
    ///
    /// Fails if it was waited for elsewhere.
    pub fn wait(&mut self) -> io::Result<bool> {
        self.child.wait().map(|status| status.success())
    }

    /// Waits for its end, and kills it if it takes longer than this time.
    ///
    /// # Errors
    ///
    /// Fails if it was waited for elsewhere.
    pub fn end_within(&mut self, time: Duration) -> io::Result<()> {
        let end = Instant::now() + time;
        while self.child.try_wait()?.is_none() {
            if Instant::now() > end {
                self.child.kill()?;
                return self.child.wait().map(drop);
            }
            pause(TICK);
        }
        Ok(())
    }
}

/// Kills a process that this one started and did not wait for.
pub fn kill(id: u32) {
    if let Some(id) = i32::try_from(id).ok().and_then(rustix::process::Pid::from_raw) {
        // It may have ended.
        let _ = rustix::process::kill_process(id, rustix::process::Signal::KILL);
    }
}

/// Returns the file of this program, also after it was replaced by another version.
///
/// # Errors
///
/// Fails if the system does not know it.
pub fn this_program() -> io::Result<PathBuf> {
    // Resolved by the process that is started, which is still a copy of this one then.
    if cfg!(target_os = "linux") { Ok(PathBuf::from("/proc/self/exe")) } else { std::env::current_exe() }
}

/// Returns the standard input of this process, which is a socket.
///
/// # Errors
///
/// Fails if it cannot be duplicated.
pub fn standard_input_socket() -> io::Result<UnixStream> {
    let socket = io::stdin().as_fd().try_clone_to_owned()?;
    Ok(UnixStream::from(socket))
}
