//! Passing messages on between a program and the process with the servers.

use std::io;
use std::os::fd::OwnedFd;
use std::sync::Arc;
use std::time::Duration;

use serde_json::value::RawValue;
use tokio::net::unix::pipe;
use tokio::time::{sleep, timeout};

use super::direct::{Accepted, Relay};
use super::input::ProgramInput;
use crate::client::MAX_MESSAGE_BYTES;
use crate::client::lines::Lines;
use crate::client::stdio::write_all;
use crate::link::connection::Shared;

/// The interval at which the times of calls are checked.
const TICK: Duration = Duration::from_millis(250);
/// The time for the last lines of a program that has closed its standard input.
const LAST_LINES: Duration = Duration::from_millis(500);

/// The ends of pipes that belong to this process.
pub(super) struct Pipes {
    /// The standard input and output of the program.
    pub(super) program: (pipe::Sender, pipe::Receiver),
    /// What the process with the servers writes, and what it reads.
    pub(super) worker: (pipe::Receiver, pipe::Sender),
}

impl Pipes {
    /// Takes descriptors in the order in which they are sent: the standard input and output of the program, the output and
    /// the input of the process with the servers.
    ///
    /// # Errors
    ///
    /// Fails if they are not four pipes.
    pub(super) fn new(descriptors: Vec<OwnedFd>) -> io::Result<Self> {
        let [input, output, from_worker, to_worker] =
            <[OwnedFd; 4]>::try_from(descriptors).map_err(|_| io::ErrorKind::InvalidData)?;
        Ok(Self {
            program: (pipe::Sender::from_owned_fd(input)?, pipe::Receiver::from_owned_fd(output)?),
            worker: (pipe::Receiver::from_owned_fd(from_worker)?, pipe::Sender::from_owned_fd(to_worker)?),
        })
    }
}

/// Passes messages on until one side ends; then both ends are closed.
pub(super) async fn run(number: u64, pipes: Pipes, link: Arc<Shared>) {
    let Pipes { program: (input, output), worker: (from_worker, to_worker) } = pipes;
    let relay = Relay::new(number, ProgramInput::new(input));
    link.add_relay(&relay);
    {
        let to_program = pass_to_program(&relay, from_worker);
        let to_worker = pass_to_worker(&relay, output, to_worker, &link);
        tokio::pin!(to_worker);
        tokio::select! {
            () = &mut to_worker => {}
            written = to_program => if written.is_err() {
                // Its last answers may still arrive.
                let _ = timeout(LAST_LINES, to_worker).await;
            },
            () = watch(&relay, &link) => {}
        }
    }
    relay.end(&link);
    link.remove_relay(&relay);
}

/// Passes on what the process with the servers writes, until it closes the connection.
///
/// # Errors
///
/// Fails if the program has closed its standard input.
async fn pass_to_program(relay: &Relay, source: pipe::Receiver) -> io::Result<()> {
    let mut lines = Lines::new(source, usize::MAX);
    loop {
        let line = tokio::select! {
            biased;
            line = relay.input.next_waiting() => line,
            line = lines.next() => {
                let Some(line) = line else { return Ok(()) };
                let mut line = line.bytes;
                relay.note(&line);
                line.push(b'\n');
                line
            }
        };
        relay.input.write(&line).await?;
    }
}

/// Passes on what the program writes, but for what belongs to calls of this process, until one of them closes its pipe.
async fn pass_to_worker(
    relay: &Arc<Relay>,
    output: pipe::Receiver,
    target: pipe::Sender,
    link: &Arc<Shared>,
) {
    // A line that is longer by one byte is too long for the process with the servers.
    let mut lines = Lines::new(output, MAX_MESSAGE_BYTES + 1);
    while let Some(line) = lines.next().await {
        if line.is_cut {
            // The process with the servers ends the connection, and says why.
            let _ = write_all(&target, &line.bytes).await;
            return;
        }
        for message in split(line.bytes) {
            match relay.accept(&message, link) {
                Accepted::Done => {}
                // A server that asks and reads no answers is not read either.
                Accepted::Asked => relay.input.wait_for_space().await,
                Accepted::ForWorker => {
                    if write_line(&target, message).await.is_err() {
                        return;
                    }
                }
            }
        }
    }
}

async fn write_line(target: &pipe::Sender, mut line: Vec<u8>) -> io::Result<()> {
    line.push(b'\n');
    write_all(target, &line).await
}

/// Returns the messages of a line, which may be a batch. Anything else is returned as it is.
fn split(line: Vec<u8>) -> Vec<Vec<u8>> {
    if !line.trim_ascii_start().starts_with(b"[") {
        return vec![line];
    }
    match serde_json::from_slice::<Vec<&RawValue>>(&line) {
        Ok(messages) => messages.into_iter().map(|message| message.get().as_bytes().to_vec()).collect(),
        Err(_) => vec![line],
    }
}

/// Ends calls whose time is over.
async fn watch(relay: &Relay, link: &Shared) {
    loop {
        relay.watch.notified().await;
        loop {
            sleep(TICK).await;
            if !relay.expire(link) {
                break;
            }
        }
    }
}
