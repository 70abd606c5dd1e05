//! A connection to the server that does not block, with or without TLS.

use std::io::{self, Read, Write};
use std::net::{TcpStream, ToSocketAddrs};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, ClientConnection, RootCertStore, StreamOwned};

use super::settings::{Place, Target};

/// The longest time for one step of connecting.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(2);

/// A connection.
pub(super) enum Socket {
    Tcp(TcpStream),
    Tls(Box<StreamOwned<ClientConnection, TcpStream>>),
    Unix(UnixStream),
}

impl Socket {
    /// Connects, and makes the handshake of TLS.
    pub(super) fn connect(target: &Target) -> io::Result<Self> {
        match &target.place {
            Place::Unix(path) => {
                let socket = UnixStream::connect(path)?;
                socket.set_nonblocking(true)?;
                Ok(Self::Unix(socket))
            }
            Place::Tcp { host, port, is_encrypted } => {
                let socket = connect_tcp(host, *port)?;
                socket.set_nodelay(true)?;
                if !is_encrypted {
                    socket.set_nonblocking(true)?;
                    return Ok(Self::Tcp(socket));
                }
                let stream = encrypt(socket, host, target.ca_file.as_deref())?;
                stream.sock.set_nonblocking(true)?;
                Ok(Self::Tls(Box::new(stream)))
            }
        }
    }
}

/// Connects to the first address of a host that answers.
fn connect_tcp(host: &str, port: u16) -> io::Result<TcpStream> {
    let mut failed = io::Error::new(io::ErrorKind::NotFound, "the host has no address");
    for address in (host, port).to_socket_addrs()? {
        match TcpStream::connect_timeout(&address, CONNECT_TIMEOUT) {
            Ok(socket) => return Ok(socket),
            Err(error) => failed = error,
        }
    }
    Err(failed)
}

fn encrypt(
    mut socket: TcpStream,
    host: &str,
    ca_file: Option<&Path>,
) -> io::Result<StreamOwned<ClientConnection, TcpStream>> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(io::Error::other)?
        .with_root_certificates(roots(ca_file)?)
        .with_no_client_auth();
    let name = ServerName::try_from(host.to_owned()).map_err(io::Error::other)?;
    let mut connection = ClientConnection::new(Arc::new(config), name).map_err(io::Error::other)?;
    socket.set_read_timeout(Some(CONNECT_TIMEOUT))?;
    socket.set_write_timeout(Some(CONNECT_TIMEOUT))?;
    while connection.is_handshaking() {
        connection.complete_io(&mut socket)?;
    }
    Ok(StreamOwned::new(connection, socket))
}

/// Returns the certificates that are trusted: those of a file, or those of the system.
fn roots(ca_file: Option<&Path>) -> io::Result<RootCertStore> {
    let mut roots = RootCertStore::empty();
    let Some(file) = ca_file else {
        let (usable, _) = roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
        return if usable > 0 { Ok(roots) } else { Err(io::Error::other("the system has no certificates")) };
    };
    let bytes = minds_fs::read_named_file(file).map_err(io::Error::other)?;
    let unreadable = |error: &dyn std::fmt::Display| {
        io::Error::other(format!("cannot use the certificates in `{}`: {error}", file.display()))
    };
    for certificate in CertificateDer::pem_slice_iter(&bytes) {
        let certificate = certificate.map_err(|error| unreadable(&error))?;
        roots.add(certificate).map_err(|error| unreadable(&error))?;
    }
    if roots.is_empty() { Err(unreadable(&"it contains none")) } else { Ok(roots) }
}

impl AsFd for Socket {
    fn as_fd(&self) -> BorrowedFd<'_> {
        match self {
            Self::Tcp(socket) => socket.as_fd(),
            Self::Tls(stream) => stream.sock.as_fd(),
            Self::Unix(socket) => socket.as_fd(),
        }
    }
}

impl Read for Socket {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::Tcp(socket) => socket.read(buffer),
            Self::Tls(stream) => stream.read(buffer),
            Self::Unix(socket) => socket.read(buffer),
        }
    }
}

impl Write for Socket {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::Tcp(socket) => socket.write(bytes),
            Self::Tls(stream) => stream.write(bytes),
            Self::Unix(socket) => socket.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::Tcp(socket) => socket.flush(),
            Self::Tls(stream) => stream.flush(),
            Self::Unix(socket) => socket.flush(),
        }
    }
}
