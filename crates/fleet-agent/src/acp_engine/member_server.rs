//! The MCP server with the tools of a member, outside of the sandbox of the program that uses them.
//!
//! A program starts its MCP servers itself, and therefore in its sandbox, where the tools of the member could not work. So it
//! starts a relay, which gives its standard streams to this process, and this process starts the server with them.

use std::ffi::OsString;
use std::io::{self, Read as _};
use std::os::fd::AsFd as _;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use minds_exec::{Command, Program, SupervisorProgram};
use minds_fs::{NamedListener, connect_to};
use minds_process::{receive_descriptors, send_descriptors, variable, variables};

/// The name of the socket, in the folder for temporary files of the program.
const SOCKET: &str = "member.sock";
/// The maximum number of servers at once.
const MAX_SERVERS: usize = 8;
/// How long a relay may take to send its streams.
const START_TIME: Duration = Duration::from_secs(10);
/// The time of one wait for the end of a server.
const WAIT: Duration = Duration::from_hours(1);

/// How the server with the tools of a member is started.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MemberServer {
    /// The program and its arguments.
    pub words: Vec<OsString>,
    /// The workspace of the team.
    pub workspace: PathBuf,
}

/// The socket of a program, while this value exists. Its servers end with their connections, at the latest with the program.
pub(super) struct ServedTools {
    folder: PathBuf,
    has_ended: Arc<AtomicBool>,
}

impl ServedTools {
    /// Listens in a folder that only this user can access.
    ///
    /// # Errors
    ///
    /// Fails if it cannot listen there, with the reason.
    pub(super) fn start(
        server: &MemberServer,
        supervisor: &SupervisorProgram,
        folder: &Path,
    ) -> Result<Self, String> {
        let listener = NamedListener::new(folder, SOCKET).map_err(|error| error.to_string())?;
        let tools = Self { folder: folder.to_owned(), has_ended: Arc::default() };
        let has_ended = Arc::clone(&tools.has_ended);
        // Each running server has a reference.
        let programs = Arc::new((server.clone(), supervisor.clone()));
        super::process::spawn("member-tools", move || {
            for socket in listener.listener().incoming() {
                if has_ended.load(Ordering::SeqCst) {
                    return;
                }
                let Ok(socket) = socket else { continue };
                // A relay whose connection is closed ends, which its program notices as the end of the server.
                if Arc::strong_count(&programs) > MAX_SERVERS {
                    continue;
                }
                let programs = Arc::clone(&programs);
                // A failure is the end of the server, too.
                let _ = super::process::spawn("member-server", move || {
                    let _ = serve(&socket, &programs.0, &programs.1);
                });
            }
        })?;
        Ok(tools)
    }
}

impl Drop for ServedTools {
    fn drop(&mut self) {
        self.has_ended.store(true, Ordering::SeqCst);
        // The thread waits for a connection. If nothing listens, it has ended.
        let _ = connect_to(&self.folder, SOCKET);
    }
}

/// Runs a server for a relay, with the standard streams of the relay, until it ends. It does when its input ends.
fn serve(socket: &UnixStream, server: &MemberServer, supervisor: &SupervisorProgram) -> Result<(), String> {
    let failed = |error: io::Error| error.to_string();
    socket.set_read_timeout(Some(START_TIME)).map_err(failed)?;
    let Some(received) = receive_descriptors(socket).map_err(failed)? else { return Ok(()) };
    let [stdin, stdout, stderr] = &received.descriptors[..] else { return Ok(()) };
    let command = Command {
        program: Program::Argv(server.words.clone()),
        cwd: server.workspace.clone(),
        environment: environment(),
        pty: false,
        time_limit: None,
        sandbox: None,
        temporary_folder: None,
    };
    let started = command.start_connected(supervisor, [stdin.as_fd(), stdout.as_fd(), stderr.as_fd()]);
    let mut program = started.map_err(|error| error.to_string())?;
    // The input of the server ends only if this process does not have it, too.
    drop(received);
    while matches!(program.end(WAIT), Ok(None)) {}
    Ok(())
}

/// Returns the environment of this process: the MCP servers of the workspace may need any of it.
fn environment() -> Vec<(OsString, OsString)> {
    let value = |name: String| Some((OsString::from(&name), OsString::from(variable(&name).ok()??)));
    variables().into_iter().filter_map(|(name, _)| value(name)).collect()
}

/// Gives the standard streams of this process to a server with the tools of the member that an engine has, and waits until the
/// server has ended. `folder` is where the agent of the engine listens.
///
/// # Errors
///
/// Fails if nothing listens there.
pub fn relay(folder: &Path) -> io::Result<()> {
    let mut socket = connect_to(folder, SOCKET)?;
    let (stdin, stdout, stderr) = (io::stdin(), io::stdout(), io::stderr());
    send_descriptors(&socket, 0, &[stdin.as_fd(), stdout.as_fd(), stderr.as_fd()])?;
    // Nothing arrives but the end.
    match socket.read(&mut [0]) {
        Err(error) if error.kind() != io::ErrorKind::ConnectionReset => Err(error),
        _ => Ok(()),
    }
}
