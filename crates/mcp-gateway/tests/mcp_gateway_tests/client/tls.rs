//! Servers with TLS: which certificates are trusted.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use minds_mcp_gateway::client::{Connection, Options};
use minds_mcp_gateway::{HttpServer, Transport};
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, DnType, IsCa, KeyPair};
use serde_json::json;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::crypto::ring::default_provider;
use tokio_rustls::rustls::pki_types::pem::PemObject as _;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};

use super::web::{Reply, Web, modern};
use super::{Events, call};

/// The variable with the folder of the certificates.
const FOLDER: &str = "MINDS_TEST_CERTIFICATES";
/// The variable with the beginning of the URL.
const HOST: &str = "MINDS_TEST_HOST";

/// Writes the certificate of a new authority, and returns the authority.
fn authority(file: &Path) -> CertifiedIssuer<'static, KeyPair> {
    let mut params = CertificateParams::new(Vec::new()).unwrap();
    params.distinguished_name.push(DnType::CommonName, file.to_str().unwrap());
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let authority = CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap();
    std::fs::write(file, authority.pem()).unwrap();
    authority
}

/// Opens a connection in a process that trusts the certificates of a file, and returns what it prints.
fn connect(host: &str, folder: &Path, trusted: &Path) -> String {
    let mut process = Command::new(std::env::current_exe().unwrap());
    process.args(["--exact", "client::tls::connection", "--nocapture"]);
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
        ("https://localhost", "trusted.pem", "connected with 2026-07-28"),
        ("https://localhost", "other.pem", "cannot be reached: invalid peer certificate: UnknownIssuer"),
        ("https://127.0.0.1", "trusted.pem", "cannot be reached: invalid peer certificate"),
        ("http://localhost", "trusted.pem", "cannot be reached: "),
        ("https://localhost", "none.pem", "TLS is not possible, because the system has no certificates"),
    ] {
        let output = connect(host, folder.path(), &file(trusted));
        assert!(output.contains(expected), "{host} {trusted}: {output}");
    }
}

/// Does nothing unless it is started by the test above.
#[tokio::test]
async fn connection() {
    let Some(folder) = std::env::var_os(FOLDER).map(PathBuf::from) else { return };
    let certificate = CertificateDer::from_pem_file(folder.join("server.pem")).unwrap();
    let key = PrivateKeyDer::from_pem_file(folder.join("key.pem")).unwrap();
    let config = ServerConfig::builder_with_provider(Arc::new(default_provider()));
    let config = config.with_safe_default_protocol_versions().unwrap().with_no_client_auth();
    let acceptor = TlsAcceptor::from(Arc::new(config.with_single_cert(vec![certificate], key).unwrap()));
    let accept = move |stream| {
        let acceptor = acceptor.clone();
        async move { acceptor.accept(stream).await.ok() }
    };
    let web =
        Web::start_with(|seen| modern(seen, |seen| Reply::result(seen, &json!({"a": 1}))), accept).await;
    let url = format!("{}:{}/", std::env::var(HOST).unwrap(), web.port);
    let transport = Transport::Http(HttpServer { url, ..web.server() });
    match Connection::open(&transport, &Options::default(), Arc::new(Events::default())).await {
        Ok(connection) => {
            assert_eq!(call(&connection, "t", json!({})).await.unwrap(), json!({"a": 1}));
            println!("connected with {}", connection.protocol());
        }
        Err(error) => println!("{error}"),
    }
}
