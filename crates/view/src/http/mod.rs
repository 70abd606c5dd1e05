//! The only module that knows how requests arrive, and that does things at the same time.

mod answer;
mod door;
mod events;
mod news;

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;

use minds_serve::{Listener, ServeError, Ticket, Token, Visit, run};

use crate::view::View;
use answer::House;
use door::Door;
use news::News;

/// How many requests look at files at once; others wait for them.
const LOOKS_AT_ONCE: usize = 8;

/// How a package is shown.
#[derive(Clone, Copy, Debug, Default)]
pub struct ViewOptions {
    /// The port of this machine; 0 picks one that is free.
    pub port: u16,
}

/// Where a page is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Addresses {
    /// An address that leads to the page once, and only for a while: it may be seen by others afterwards, as arguments of
    /// programs and histories are.
    pub once: String,
    /// The address of the page. A program that knows it may look and change.
    pub page: String,
}

/// Shows a package until somebody asks the process to end. `announce` gets the addresses of the page, as soon as it is
/// served.
///
/// # Errors
///
/// Fails if the port is taken, or the system does not give what a server needs.
pub fn serve_view(
    view: View,
    options: &ViewOptions,
    announce: impl FnOnce(&Addresses),
) -> Result<(), ServeError> {
    let token = Token::random()?;
    run(LOOKS_AT_ONCE, async {
        let listener = Listener::open(SocketAddr::from((Ipv4Addr::LOCALHOST, options.port))).await?;
        let (address, port) = (listener.address(), listener.address().port());
        let door = Door::new(token, Ticket::issue()?, port);
        let at = |path: String| format!("http://{address}{path}");
        announce(&Addresses { once: at(door.once()), page: at(door.home()) });
        let news = Arc::new(News::new(view));
        let watching = tokio::spawn(news::watch(Arc::clone(&news)));
        let house = Arc::new(House::new(door, Arc::clone(&news)));
        let answer = move |request, visit: Arc<Visit>| {
            let house = Arc::clone(&house);
            async move { house.answer(request, &visit).await }
        };
        listener.serve(answer, || news.end()).await;
        watching.abort();
        Ok(())
    })
}
