//! Sockets with names, through which the programs of a user talk to each other.

use std::io;
use std::os::fd::AsRawFd as _;
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};

use minds_process::SystemError;

/// The longest path that every system accepts as the address of a socket.
const MAX_ADDRESS_BYTES: usize = 100;

/// A listening socket. Its name is removed with it.
#[derive(Debug)]
pub struct NamedListener {
    listener: UnixListener,
    path: PathBuf,
}

impl NamedListener {
    /// Listens at `name` in a folder that only the user can access. A name that exists, which a process with the same id left,
    /// is replaced.
    ///
    /// # Errors
    ///
    /// Fails if the socket cannot be created.
    pub fn new(folder: &Path, name: &str) -> Result<Self, SystemError> {
        let path = folder.join(name);
        let failed = |error| SystemError::new("listen at", &path, error);
        match std::fs::remove_file(&path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(failed(error)),
            _ => {}
        }
        let listener = at_address(folder, name, |address| UnixListener::bind(address)).map_err(failed)?;
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600)).map_err(failed)?;
        Ok(Self { listener, path })
    }

    /// Returns the socket.
    pub fn listener(&self) -> &UnixListener {
        &self.listener
    }
}

impl Drop for NamedListener {
    fn drop(&mut self) {
        // A name that remains is found not to have a listener.
        let _ = std::fs::remove_file(&self.path);
    }
}

/// Connects to the socket at `name` in a folder.
///
/// # Errors
///
/// Fails if there is no socket, or nothing listens there.
pub fn connect_to(folder: &Path, name: &str) -> io::Result<UnixStream> {
    at_address(folder, name, |address| UnixStream::connect(address))
}

/// Uses the address of a name in a folder, which is shorter than the path where that is too long.
fn at_address<T>(folder: &Path, name: &str, act: impl Fn(&Path) -> io::Result<T>) -> io::Result<T> {
    let path = folder.join(name);
    if path.as_os_str().len() <= MAX_ADDRESS_BYTES {
        return act(&path);
    }
    let open = std::fs::File::open(folder)?;
    act(&Path::new("/proc/self/fd").join(open.as_raw_fd().to_string()).join(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_socket_is_reached_by_its_name_however_long_the_path_is() {
        let top = tempfile::tempdir().unwrap();
        let long = top.path().join("x".repeat(120));
        std::fs::create_dir(&long).unwrap();
        for folder in [top.path(), &long] {
            let listener = NamedListener::new(folder, "1.sock").unwrap();
            assert!(connect_to(folder, "1.sock").is_ok());
            let mode = std::fs::metadata(folder.join("1.sock")).unwrap().permissions().mode();
            assert_eq!(mode & 0o777, 0o600);
            drop(listener);
            assert!(!folder.join("1.sock").exists() && connect_to(folder, "1.sock").is_err());
        }
    }

    #[test]
    fn a_name_that_remains_is_replaced() {
        let top = tempfile::tempdir().unwrap();
        let left = NamedListener::new(top.path(), "1.sock").unwrap();
        std::mem::forget(left);
        let _listener = NamedListener::new(top.path(), "1.sock").unwrap();
        assert!(connect_to(top.path(), "1.sock").is_ok());
    }
}
