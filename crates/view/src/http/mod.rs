//! The only module that knows how requests arrive, and that does things at the same time.

mod answer;
mod door;
mod events;
mod news;

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;

use minds_serve::{Listener, ServeError, Token, run};

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

/// Shows a package until somebody asks the process to end. `announce` is told the address of the page, as soon as it is
/// there: whoever knows it may look and change.
///
/// # Errors
///
/// Fails if the port is taken, or the system does not give what a server needs.
pub fn serve_view(view: View, options: &ViewOptions, announce: impl FnOnce(&str)) -> Result<(), ServeError> {
    let token = Token::random()?;
    run(LOOKS_AT_ONCE, async {
        let listener = Listener::open(SocketAddr::from((Ipv4Addr::LOCALHOST, options.port))).await?;
        announce(&format!("http://{}/{}/", listener.address(), token.as_str()));
        let news = Arc::new(News::new(view));
        let watching = tokio::spawn(news::watch(Arc::clone(&news)));
        let house = Arc::new(House::new(Door::new(token, listener.address().port()), Arc::clone(&news)));
        let answer = move |request| {
            let house = Arc::clone(&house);
            async move { house.answer(request).await }
        };
        listener.serve(answer, || news.end()).await;
        watching.abort();
        Ok(())
    })
}
