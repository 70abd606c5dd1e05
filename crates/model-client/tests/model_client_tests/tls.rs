//! Servers with TLS: which certificates are trusted.

use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

use minds_model_client::{Endpoint, HttpModel, Key, Protocol, Times};
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, DnType, IsCa, KeyPair};
use rustls::crypto::ring::default_provider;
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{ServerConfig, ServerConnection, Stream};

use crate::server::ask;

/// The variable with the folder of the certificates.
const FOLDER: &str = "MINDS_TEST_CERTIFICATES";
/// The variable with the beginning of the URL.
const HOST: &str = "MINDS_TEST_HOST";
const BODY: &str =
    "data: {\"choices\":[{\"delta\":{\"content\":\"hi\"},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n";

/// Writes the certificate of a new authority, and returns the authority.
fn authority(file: &Path) -> CertifiedIssuer<'static, KeyPair> {
    let mut params = CertificateParams::new(Vec::new()).unwrap();
    params.distinguished_name.push(DnType::CommonName, file.to_str().unwrap());
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let authority = CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap();
    std::fs::write(file, authority.pem()).unwrap();
    authority
}

/// Asks in a process that trusts the certificates of a file, and returns what it prints.
fn ask_as(host: &str, folder: &Path, trusted: &Path) -> String {
    let mut process = Command::new(std::env::current_exe().unwrap());
    process.args(["--exact", "tls::question", "--nocapture"]);
    process.env(FOLDER, folder).env(HOST, host).env("SSL_CERT_FILE", trusted).env_remove("SSL_CERT_DIR");
    let output = process.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn only_certificates_of_trusted_authorities_are_accepted() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str| folder.path().join(name);
    let trusted = authority(&file("trusted.pem"));
    authority(&file("other.pem"));
    let key = KeyPair::generate().unwrap();
    let params = CertificateParams::new(vec!["localhost".to_owned()]).unwrap();
    let certificate = params.signed_by(&key, &trusted).unwrap();
    std::fs::write(file("server.pem"), certificate.pem()).unwrap();
    std::fs::write(file("key.pem"), key.serialize_pem()).unwrap();
    for (host, trusted, expected) in [
        ("https://localhost", "trusted.pem", "answered: text hi"),
        ("https://localhost", "other.pem", "the certificate of the server is not trusted: UnknownIssuer"),
        ("https://127.0.0.1", "trusted.pem", "the certificate of the server is not trusted: NotValidForName"),
        ("http://localhost", "trusted.pem", "failed"),
        ("https://localhost", "none.pem", "TLS is not possible, because the system has no certificates"),
        ("silent https://localhost", "trusted.pem", "nothing arrived within 0 s"),
    ] {
        let output = ask_as(host, folder.path(), &file(trusted));
        assert!(output.contains(expected), "{host} {trusted}: {output}");
    }
}

/// Does nothing unless it is started by the test above.
#[test]
fn question() {
    let Some(folder) = std::env::var_os(FOLDER).map(PathBuf::from) else { return };
    let host = std::env::var(HOST).unwrap();
    let (is_silent, host) = host.strip_prefix("silent ").map_or((false, host.as_str()), |host| (true, host));
    let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let base_url = format!("{host}:{}/v1", listener.local_addr().unwrap().port());
    std::thread::spawn(move || serve(&listener, &folder, is_silent));
    let connect = if is_silent { Duration::from_millis(60) } else { Times::default().connect };
    let model = HttpModel::new(Endpoint {
        provider: "test".to_owned(),
        protocol: Protocol::OpenAi,
        base_url,
        key: Some(Key::new("s3cr3t")),
        times: Times { connect, ..Times::default() },
    });
    match model.map(|mut model| ask(&mut model)) {
        Ok((events, None)) => println!("answered: {}", events.join(", ")),
        Ok((_, Some(error))) | Err(error) => println!("{error}"),
    }
}

fn serve(listener: &TcpListener, folder: &Path, is_silent: bool) {
    let certificate = CertificateDer::from_pem_file(folder.join("server.pem")).unwrap();
    let key = PrivateKeyDer::from_pem_file(folder.join("key.pem")).unwrap();
    let config = ServerConfig::builder_with_provider(Arc::new(default_provider()));
    let config = config.with_safe_default_protocol_versions().unwrap().with_no_client_auth();
    let config = Arc::new(config.with_single_cert(vec![certificate], key).unwrap());
    for stream in listener.incoming() {
        let mut tcp = stream.unwrap();
        if is_silent {
            let _ = tcp.read(&mut [0; 1 << 14]);
            let _ = tcp.read(&mut [0; 1 << 14]);
            continue;
        }
        let mut connection = ServerConnection::new(Arc::clone(&config)).unwrap();
        let mut stream = Stream::new(&mut connection, &mut tcp);
        // A client that does not trust the certificate ends the connection.
        if stream.read(&mut [0; 1 << 14]).is_ok() {
            let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncontent-length";
            let _ = write!(stream, "{head}: {}\r\n\r\n{BODY}", BODY.len());
            let _ = stream.flush();
        }
    }
}
