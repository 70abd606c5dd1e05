//! Connections to a host, with and without TLS.

use http_body_util::Full;
use hyper::body::Bytes;
use hyper_util::client::legacy;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;

#[cfg(feature = "tls")]
type Connector = hyper_rustls::HttpsConnector<HttpConnector>;
#[cfg(not(feature = "tls"))]
type Connector = HttpConnector;

/// Keeps connections to a server open between requests.
pub(super) type Client = legacy::Client<Connector, Full<Bytes>>;

/// Returns a client; the system tells which certificates are trusted.
pub(super) fn client(is_plain: bool) -> Result<Client, String> {
    let connector = connector(is_plain)?;
    Ok(legacy::Client::builder(TokioExecutor::new()).build(connector))
}

#[cfg(feature = "tls")]
fn connector(is_plain: bool) -> Result<Connector, String> {
    use std::sync::Arc;

    use rustls::crypto::ring::default_provider;
    use rustls::{ClientConfig, RootCertStore};

    let mut roots = RootCertStore::empty();
    // Reading the certificates takes longer than a request.
    if !is_plain {
        let found = rustls_native_certs::load_native_certs();
        let (usable, _) = roots.add_parsable_certificates(found.certs);
        if usable == 0 {
            return Err("TLS is not possible, because the system has no certificates".to_owned());
        }
    }
    let config = ClientConfig::builder_with_provider(Arc::new(default_provider()))
        .with_safe_default_protocol_versions()
        .map_err(|error| format!("TLS is not possible: {error}"))?;
    let config = config.with_root_certificates(roots).with_no_client_auth();
    let builder = hyper_rustls::HttpsConnectorBuilder::new().with_tls_config(config);
    let mut tcp = tcp();
    tcp.enforce_http(false);
    Ok(builder.https_or_http().enable_http1().wrap_connector(tcp))
}

#[cfg(not(feature = "tls"))]
fn connector(is_plain: bool) -> Result<Connector, String> {
    if is_plain { Ok(tcp()) } else { Err("this build supports no TLS".to_owned()) }
}

fn tcp() -> HttpConnector {
    let mut tcp = HttpConnector::new();
    // A request is complete when it is written.
    tcp.set_nodelay(true);
    tcp
}
