//! Connections to a host, with and without TLS.

use std::error::Error;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use hyper::Uri;
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::connect::HttpConnector;
use rustls::crypto::ring::default_provider;
use rustls::{ClientConfig, RootCertStore};
use tower_service::Service;

type Inner = HttpsConnector<HttpConnector>;
type Failure = Box<dyn Error + Send + Sync>;

/// Makes connections in a limited time. The system determines which certificates are trusted.
#[derive(Clone)]
pub(super) struct Connector {
    inner: Inner,
    time: Duration,
}

/// There was no connection in time.
#[derive(Clone, Copy, Debug, thiserror::Error)]
#[error("no connection within {} s", .0.as_secs())]
pub(super) struct ConnectTimeout(pub(super) Duration);

impl Connector {
    /// Creates a connector; `is_plain` if it needs no certificates.
    pub(super) fn new(is_plain: bool, time: Duration) -> Result<Self, String> {
        let mut roots = RootCertStore::empty();
        // Reading the certificates takes longer than a request.
        if !is_plain {
            let found = rustls_native_certs::load_native_certs();
            let (usable, _) = roots.add_parsable_certificates(found.certs);
            if usable == 0 {
                let reason = "TLS is not possible, because the system has no certificates: install them, or set SSL_CERT_FILE";
                return Err(reason.to_owned());
            }
        }
        let config = ClientConfig::builder_with_provider(Arc::new(default_provider()))
            .with_safe_default_protocol_versions()
            .map_err(|error| format!("TLS is not possible: {error}"))?;
        let config = config.with_root_certificates(roots).with_no_client_auth();
        let mut tcp = HttpConnector::new();
        // A request is complete when it is written.
        tcp.set_nodelay(true);
        tcp.enforce_http(false);
        let builder = HttpsConnectorBuilder::new().with_tls_config(config);
        Ok(Self { inner: builder.https_or_http().enable_http1().wrap_connector(tcp), time })
    }
}

impl Service<Uri> for Connector {
    type Response = <Inner as Service<Uri>>::Response;
    type Error = Failure;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, Failure>> + Send>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), Failure>> {
        self.inner.poll_ready(context)
    }

    fn call(&mut self, uri: Uri) -> Self::Future {
        let (connecting, time) = (self.inner.call(uri), self.time);
        Box::pin(async move {
            tokio::time::timeout(time, connecting).await.unwrap_or_else(|_| Err(ConnectTimeout(time).into()))
        })
    }
}
