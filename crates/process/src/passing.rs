//! Passing open descriptors to other processes over sockets.

use std::io::{self, IoSlice, IoSliceMut};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::net::UnixStream;

use rustix::io::Errno;
use rustix::net::{
    RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer, SendAncillaryMessage,
    SendFlags, recvmsg, send, sendmsg,
};

/// The maximum number of descriptors that are sent together.
const MAX_DESCRIPTORS: usize = 4;

/// Descriptors that were sent together with a number.
#[derive(Debug)]
pub struct ReceivedDescriptors {
    /// The number.
    pub number: u64,
    /// The descriptors in their order. Some are missing if this process can have no more.
    pub descriptors: Vec<OwnedFd>,
}

/// Sends descriptors, at most four, and a number over a socket. The receiver has descriptors of its own.
///
/// # Errors
///
/// Fails if the other end is closed, and if a socket that does not block is full.
pub fn send_descriptors(socket: &impl AsFd, number: u64, descriptors: &[BorrowedFd<'_>]) -> io::Result<()> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(MAX_DESCRIPTORS))];
    let mut control = SendAncillaryBuffer::new(&mut space);
    if !control.push(SendAncillaryMessage::ScmRights(descriptors)) {
        return Err(io::ErrorKind::InvalidInput.into());
    }
    let bytes = number.to_le_bytes();
    loop {
        match sendmsg(socket, &[IoSlice::new(&bytes)], &mut control, SendFlags::NOSIGNAL) {
            Ok(_) => return Ok(()),
            Err(Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
    }
}

/// Waits for descriptors and their number; none at the end of the socket.
///
/// # Errors
///
/// Fails if the socket cannot be read, and with `WouldBlock` if nothing has arrived at a socket that does not block.
pub fn receive_descriptors(socket: &impl AsFd) -> io::Result<Option<ReceivedDescriptors>> {
    loop {
        let mut bytes = [0; size_of::<u64>()];
        let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(MAX_DESCRIPTORS))];
        let mut control = RecvAncillaryBuffer::new(&mut space);
        match recvmsg(socket, &mut [IoSliceMut::new(&mut bytes)], &mut control, RecvFlags::CMSG_CLOEXEC) {
            Ok(received) if received.bytes == 0 => return Ok(None),
            Ok(_) => {}
            Err(Errno::INTR) => continue,
            Err(error) => return Err(error.into()),
        }
        let messages = control.drain().filter_map(|message| match message {
            RecvAncillaryMessage::ScmRights(descriptors) => Some(descriptors),
            _ => None,
        });
        let descriptors = messages.flatten().collect();
        return Ok(Some(ReceivedDescriptors { number: u64::from_le_bytes(bytes), descriptors }));
    }
}

/// Sends one descriptor over a socket.
///
/// # Errors
///
/// Fails if the other end is closed.
pub fn send_descriptor(socket: &UnixStream, descriptor: &impl AsFd) -> io::Result<()> {
    send_descriptors(socket, 0, &[descriptor.as_fd()])
}

/// Waits for one descriptor; none at the end of the socket.
///
/// # Errors
///
/// Fails if the socket cannot be read.
pub fn receive_descriptor(socket: &UnixStream) -> io::Result<Option<OwnedFd>> {
    loop {
        let Some(mut received) = receive_descriptors(socket)? else { return Ok(None) };
        if let Some(descriptor) = received.descriptors.pop() {
            return Ok(Some(descriptor));
        }
    }
}

/// Sends bytes without waiting, and returns how many were sent.
///
/// # Errors
///
/// Fails if the other end is closed, and with `WouldBlock` if there is no space.
pub fn try_send(socket: &UnixStream, bytes: &[u8]) -> io::Result<usize> {
    loop {
        match send(socket, bytes, SendFlags::NOSIGNAL | SendFlags::DONTWAIT) {
            Err(Errno::INTR) => {}
            sent => return Ok(sent?),
        }
    }
}
