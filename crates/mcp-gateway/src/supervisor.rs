//! The processes of a gateway: a supervisor, and below it the process with the servers.
//!
//! The supervisor starts the process with the servers again if that ends unexpectedly, and kills what it left running. It talks
//! to its user over one socket, on which it sends the socket to each new process.

use std::ffi::OsString;
use std::io::{self, Read as _};
use std::os::fd::AsFd as _;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Duration;

use minds_process::{
    Companion, SystemError, adopt_descendants, kill, kill_descendants, pause, receive_descriptor,
    send_descriptor, send_descriptors, standard_input_socket, this_program,
};

use crate::running::Announcement;
use crate::{Gateway, Link, Options};

/// The time for the end of the servers after the end of the user.
const END_TIME: Duration = Duration::from_millis(600);
/// The pause after a process with servers that ended within this time; it doubles, up to the longest.
const FIRST_PAUSE: Duration = Duration::from_millis(50);
const LONGEST_PAUSE: Duration = Duration::from_secs(5);
/// The time in milliseconds after which a process with servers is not taken for one that cannot run.
const STABLE: u64 = 10_000;

/// Starts a gateway in processes of their own: `program` with `arguments`, which calls [`supervise`].
///
/// If it `relays`, the messages of programs pass through this process, which can make calls itself then; `arguments` have to
/// agree with that.
///
/// A process that confines itself calls this first, because what it starts afterwards is confined too, and
/// [`Link::follow`] when it is confined.
///
/// # Errors
///
/// Fails if the program cannot be started.
pub fn launch(program: &Path, arguments: &[OsString], relays: bool) -> io::Result<Link> {
    let (ours, theirs) = UnixStream::pair()?;
    let supervisor = Companion::start(program, arguments, theirs)?;
    Ok(Link::to_supervisor(ours, supervisor, relays))
}

/// The process that has the servers, while it runs.
type Worker = Arc<Mutex<Option<u32>>>;

/// Runs the supervisor: starts this program with `arguments`, which calls [`work`], until the user of the gateway ends. Its
/// standard input is the socket to the user.
///
/// # Errors
///
/// Fails if the program cannot be started.
pub fn supervise(arguments: &[OsString]) -> io::Result<()> {
    adopt_descendants()?;
    let control = standard_input_socket()?;
    let worker = Worker::default();
    let user = watch_user(control.try_clone()?, Arc::clone(&worker))?;
    let mut rest = FIRST_PAUSE;
    loop {
        let (ours, theirs) = UnixStream::pair()?;
        let started = minds_process::now();
        let mut process = Companion::start(&this_program()?, arguments, theirs)?;
        *lock(&worker) = Some(process.id());
        let (for_user, for_worker) = UnixStream::pair()?;
        // A process that has ended already takes nothing, and is started again. Without a user the sockets are closed here, and
        // the process ends by itself.
        let has_ended = send_descriptor(&ours, &for_worker).is_err();
        let is_used = has_ended || send_descriptors(&control, 0, &[ours.as_fd(), for_user.as_fd()]).is_ok();
        drop((ours, for_user, for_worker));
        let has_finished = process.wait()?;
        *lock(&worker) = None;
        kill_descendants();
        let ran = minds_process::now().saturating_sub(started);
        let pause = if ran > STABLE { Duration::ZERO } else { rest };
        if has_finished || !is_used || user.wait_for_end(pause) {
            return Ok(());
        }
        rest = if ran > STABLE { FIRST_PAUSE } else { LONGEST_PAUSE.min(rest * 2) };
    }
}

/// Whether the user of the gateway has ended.
#[derive(Default)]
struct User {
    has_ended: Mutex<bool>,
    ended: Condvar,
}

impl User {
    /// Waits for the end, but at most this time; returns whether it came.
    fn wait_for_end(&self, time: Duration) -> bool {
        let waited = self.ended.wait_timeout_while(lock(&self.has_ended), time, |has_ended| !*has_ended);
        *waited.unwrap_or_else(PoisonError::into_inner).0
    }
}

/// Waits for the end of the user on a thread, and then for the process with the servers, which is killed if it takes too long.
fn watch_user(mut control: UnixStream, worker: Worker) -> io::Result<Arc<User>> {
    let user = Arc::new(User::default());
    let watched = Arc::clone(&user);
    std::thread::Builder::new().name("user".to_owned()).spawn(move || {
        let mut byte = [0];
        // The user sends nothing, so this is the end or an error.
        while control.read(&mut byte).is_ok_and(|count| count > 0) {}
        *lock(&watched.has_ended) = true;
        watched.ended.notify_all();
        pause(END_TIME);
        if let Some(id) = *lock(&worker) {
            kill(id);
        }
    })?;
    Ok(user)
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Runs the process with the servers until its user ends. Its standard input is the socket to the user.
///
/// # Errors
///
/// Fails if the workspace cannot be opened.
pub fn work(options: Options) -> Result<(), SystemError> {
    let workspace = options.workspace.clone();
    let failed = |error| SystemError::new("serve", &workspace, error);
    adopt_descendants().map_err(failed)?;
    let stream = standard_input_socket().map_err(failed)?;
    // The supervisor sends it first.
    let for_pipes = receive_descriptor(&stream).map_err(failed)?.map(UnixStream::from);
    let announcement = Announcement::new(&options);
    let for_pipes = for_pipes.filter(|_| options.is_relayed);
    let gateway = Gateway::start_with(options, for_pipes)?;
    // Without a name it cannot be asked by commands, but it works.
    if let Ok(announcement) = &announcement {
        gateway.accept(announcement.listener());
    }
    gateway.reap_adopted();
    gateway.serve(stream);
    drop(gateway);
    // What servers left running. The supervisor does the same, unless it has ended.
    kill_descendants();
    Ok(())
}
