//! Sockets in an open directory, and the processes at their other ends.

use std::io;
use std::os::fd::{AsFd, AsRawFd as _, BorrowedFd};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;

use crate::Root;
use crate::syscalls;

/// The permissions of a socket.
const PRIVATE: u32 = 0o600;

/// A socket to wait for.
#[derive(Clone, Copy, Debug)]
pub struct Watched<'f> {
    /// The socket. It is ready when it has input or has ended.
    pub socket: BorrowedFd<'f>,
    /// Whether it is also ready when it accepts output.
    pub for_output: bool,
}

impl Root {
    /// Listens at the socket `name` of this directory, which only this user can connect to. A name that exists is replaced.
    /// The listener does not block. The length of the path of the directory does not matter.
    ///
    /// # Errors
    ///
    /// Fails if `name` is not a name, or the socket cannot be created.
    pub fn listen(&self, name: &str) -> io::Result<UnixListener> {
        let address = self.address(name)?;
        match syscalls::unlink(&self.handle, name) {
            Err(error) if !syscalls::is_absent(&error) => return Err(error),
            _ => {}
        }
        let listener = UnixListener::bind(address)?;
        syscalls::set_entry_bits(&self.handle, name, PRIVATE)?;
        listener.set_nonblocking(true)?;
        Ok(listener)
    }

    /// Connects to the socket `name` of this directory. Neither this call nor the connection blocks.
    ///
    /// # Errors
    ///
    /// Fails if no process listens there, and with `WouldBlock` if too many connections wait for it.
    pub fn connect(&self, name: &str) -> io::Result<UnixStream> {
        use rustix::net::{AddressFamily, SocketAddrUnix, SocketFlags, SocketType, connect, socket_with};

        let address = SocketAddrUnix::new(self.address(name)?)?;
        let flags = SocketFlags::CLOEXEC | SocketFlags::NONBLOCK;
        let socket = socket_with(AddressFamily::UNIX, SocketType::STREAM, flags, None)?;
        connect(&socket, &address)?;
        Ok(UnixStream::from(socket))
    }

    /// Returns an address of a name in this directory whose length does not depend on the directory.
    fn address(&self, name: &str) -> io::Result<PathBuf> {
        if name.is_empty() || name.contains(['/', '\0']) || matches!(name, "." | "..") {
            return Err(io::ErrorKind::InvalidInput.into());
        }
        Ok(self.descriptor_path()?.join(name))
    }

    #[cfg(target_os = "linux")]
    #[expect(clippy::unnecessary_wraps, reason = "other systems may not know the path")]
    fn descriptor_path(&self) -> io::Result<PathBuf> {
        Ok(Path::new("/proc/self/fd").join(self.handle.as_raw_fd().to_string()))
    }

    #[cfg(target_vendor = "apple")]
    fn descriptor_path(&self) -> io::Result<PathBuf> {
        use std::os::unix::ffi::OsStrExt as _;

        let path = rustix::fs::getpath(&self.handle)?;
        Ok(Path::new(std::ffi::OsStr::from_bytes(path.as_bytes())).to_owned())
    }

    #[cfg(not(any(target_os = "linux", target_vendor = "apple")))]
    fn descriptor_path(&self) -> io::Result<PathBuf> {
        let _ = self.handle.as_raw_fd();
        Err(io::ErrorKind::Unsupported.into())
    }
}

/// Returns the user id of the process at the other end of a connection.
///
/// # Errors
///
/// Fails if the system does not report it.
#[cfg(target_os = "linux")]
pub fn peer_user(socket: &UnixStream) -> io::Result<u32> {
    Ok(rustix::net::sockopt::socket_peercred(socket)?.uid.as_raw())
}

/// Returns the user id of the process at the other end of a connection.
///
/// # Errors
///
/// Fails if the system does not report it.
#[cfg(not(target_os = "linux"))]
pub fn peer_user(socket: &UnixStream) -> io::Result<u32> {
    let (user, _) = nix::unistd::getpeereid(socket)?;
    Ok(user.as_raw())
}

/// Waits until one of the sockets is ready, and returns for each whether it is. After `timeout`, none of them is.
///
/// # Errors
///
/// Fails if the system cannot wait.
pub fn wait_for(watched: &[Watched<'_>], timeout: Duration) -> io::Result<Vec<bool>> {
    let mut polled: Vec<PollFd<'_>> = watched.iter().copied().map(Watched::poll).collect();
    let timeout = Timespec::try_from(timeout).map_err(|_| io::ErrorKind::InvalidInput)?;
    match poll(&mut polled, Some(&timeout)) {
        // The caller waits again.
        Ok(_) | Err(Errno::INTR) => Ok(polled.iter().map(|one| !one.revents().is_empty()).collect()),
        Err(error) => Err(error.into()),
    }
}

impl<'f> Watched<'f> {
    /// Waits for input of a socket.
    pub fn new(socket: &'f impl AsFd) -> Self {
        Self { socket: socket.as_fd(), for_output: false }
    }

    fn poll(self) -> PollFd<'f> {
        let output = if self.for_output { PollFlags::OUT } else { PollFlags::empty() };
        PollFd::from_borrowed_fd(self.socket, PollFlags::IN | output)
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;
    use std::os::unix::fs::PermissionsExt as _;

    use minds_vfs::MountId;
    use nix::unistd::Uid;

    use super::*;

    #[test]
    fn a_socket_in_an_open_directory_is_private_and_reached_however_long_the_path_is() {
        let top = tempfile::tempdir().unwrap();
        let long = top.path().join("x".repeat(120)).join("y".repeat(120));
        std::fs::create_dir_all(&long).unwrap();
        let root = Root::open(&long, MountId::WORKSPACE).unwrap();
        assert!(root.connect("sock").is_err());
        drop(root.listen("sock").unwrap());
        assert!(root.connect("sock").is_err());
        let listener = root.listen("sock").unwrap();
        let mode = std::fs::metadata(long.join("sock")).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        let mut client = root.connect("sock").unwrap();
        let (server, _) = listener.accept().unwrap();
        assert_eq!(peer_user(&server).unwrap(), Uid::effective().as_raw());
        let is_ready = || wait_for(&[Watched::new(&server)], Duration::ZERO).unwrap();
        assert_eq!(is_ready(), [false]);
        client.write_all(b"x").unwrap();
        assert_eq!(is_ready(), [true]);
    }

    #[test]
    fn a_socket_has_a_name_and_not_a_path() {
        let top = tempfile::tempdir().unwrap();
        let root = Root::open(top.path(), MountId::WORKSPACE).unwrap();
        for name in ["", "..", "a/b"] {
            assert!(root.listen(name).is_err() && root.connect(name).is_err(), "{name}");
        }
    }
}
