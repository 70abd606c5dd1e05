//! The HTTP server of the page. Only this module uses HTTP and runs tasks concurrently.

mod events;
mod guard;
mod handler;
mod watcher;

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;

use crate::transport::{Connection, Listener, ServeError, Ticket, Token, run};

use crate::view::View;
use guard::RequestGuard;
use handler::RequestHandler;
use watcher::PackageWatcher;

/// The number of requests that access files concurrently; further requests wait.
const MAX_CONCURRENT_READS: usize = 8;

/// Options of the server.
#[derive(Clone, Copy, Debug, Default)]
pub struct ViewOptions {
    /// The local port; 0 selects a free port.
    pub port: u16,
}

/// The URLs of a page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Addresses {
    /// A URL that opens the page once, within a limited time. It may be disclosed afterwards, as arguments of programs are.
    pub once: String,
    /// The URL of the page. It gives access to the page, also for changes.
    pub page: String,
}

/// Serves the page of a package until the process is asked to stop. `announce` gets the URLs as soon as the page is served.
///
/// # Errors
///
/// Fails if the port is in use, or if the system lacks resources.
pub fn serve_view(
    view: View,
    options: &ViewOptions,
    announce: impl FnOnce(&Addresses),
) -> Result<(), ServeError> {
    let token = Token::random()?;
    run(MAX_CONCURRENT_READS, async {
        let listener = Listener::open(SocketAddr::from((Ipv4Addr::LOCALHOST, options.port))).await?;
        let (address, port) = (listener.address(), listener.address().port());
        let guard = RequestGuard::new(token, Ticket::issue()?, port);
        let url = |path: String| format!("http://{address}{path}");
        announce(&Addresses { once: url(guard.once_path()), page: url(guard.page_path()) });
        let watcher = Arc::new(PackageWatcher::new(view));
        let polling = tokio::spawn(watcher::poll(Arc::clone(&watcher)));
        let handler = Arc::new(RequestHandler::new(guard, Arc::clone(&watcher)));
        let answer = move |request, connection: Arc<Connection>| {
            let handler = Arc::clone(&handler);
            async move { handler.answer(request, &connection).await }
        };
        listener.serve(answer, || watcher.end()).await;
        polling.abort();
        Ok(())
    })
}
