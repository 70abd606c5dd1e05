//! Passes on the messages between programs of servers and the process with the servers, and makes calls itself.
//!
//! The process with the servers starts a program, and gives its pipes to this process. It talks to the program through two more
//! pipes, as if they were those of the program. So this process can write a call to the program, and read the answer, without
//! waking another process.

mod calls;
mod direct;
mod forward;
mod input;
mod message;
mod records;

use std::io;
use std::os::unix::net::UnixStream as StdStream;
use std::sync::Arc;
use std::thread::JoinHandle;

use minds_process::receive_descriptors;
use tokio::io::Interest;
use tokio::net::UnixStream;
use tokio::runtime::Handle;
use tokio::sync::watch;

use super::connection::Shared;

pub(super) use direct::Relay;
pub(super) use records::Records;

/// The number of file descriptors that the thread needs without programs.
const DESCRIPTORS: usize = 8;

/// The thread that passes messages on. It ends with this value, and so do all pipes.
pub(super) struct Relays {
    runtime: Handle,
    end: watch::Sender<bool>,
    thread: Option<JoinHandle<()>>,
}

impl Relays {
    /// Starts the thread.
    ///
    /// # Errors
    ///
    /// Fails if the system has no thread, or too few file descriptors.
    pub(super) fn start(link: &Arc<Shared>) -> io::Result<Self> {
        // The runtime panics if it does not get the file descriptors that it needs.
        minds_process::expect_descriptors(DESCRIPTORS)?;
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let (end, mut ended) = watch::channel(false);
        let handle = runtime.handle().clone();
        let link = Arc::clone(link);
        let run = async move {
            tokio::select! {
                // The sender is dropped with the value.
                _ = ended.wait_for(|has_ended| *has_ended) => {}
                () = link.records.send_all(&link) => {}
            }
        };
        let thread = std::thread::Builder::new().name("relay".to_owned());
        let thread = thread.spawn(move || {
            runtime.block_on(run);
            runtime.shutdown_background();
        })?;
        Ok(Self { runtime: handle, end, thread: Some(thread) })
    }

    /// Uses the pipes of programs that a process with servers sends.
    pub(super) fn accept(&self, socket: StdStream, link: &Arc<Shared>) {
        let link = Arc::clone(link);
        self.runtime.spawn(async move {
            // A process whose socket fails has servers without direct calls.
            let _ = receive_pipes(socket, link).await;
        });
    }
}

impl Drop for Relays {
    fn drop(&mut self) {
        self.end.send_replace(true);
        // The thread does not wait for itself.
        let thread = self.thread.take();
        if let Some(thread) = thread.filter(|thread| thread.thread().id() != std::thread::current().id()) {
            // It does not panic.
            let _ = thread.join();
        }
    }
}

async fn receive_pipes(socket: StdStream, link: Arc<Shared>) -> io::Result<()> {
    socket.set_nonblocking(true)?;
    let socket = UnixStream::from_std(socket)?;
    loop {
        socket.readable().await?;
        match socket.try_io(Interest::READABLE, || receive_descriptors(&socket)) {
            Ok(Some(received)) => {
                // Pipes that cannot be used are closed, which both sides see.
                if let Ok(pipes) = forward::Pipes::new(received.descriptors) {
                    tokio::spawn(forward::run(received.number, pipes, Arc::clone(&link)));
                }
            }
            Ok(None) => return Ok(()),
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
            Err(error) => return Err(error),
        }
    }
}
