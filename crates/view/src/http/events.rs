//! Events that a page waits for.

use std::convert::Infallible;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use http_body_util::BodyExt as _;
use hyper::body::{Body, Bytes, Frame};
use hyper::header::{CONTENT_TYPE, HeaderValue};
use hyper::{Response, StatusCode};
use minds_serve::Reply;
use serde_json::json;
use tokio::sync::{OwnedSemaphorePermit, mpsc};

use super::news::{News, Told};

/// How often something is said if there is nothing to say, so that both sides notice when the other one is gone.
const HEARTBEAT: Duration = Duration::from_secs(15);
/// How soon a page asks again when it lost us, in milliseconds.
const AGAIN: u32 = 1_000;

/// Answers with events until the page goes away, or there will be no more.
pub(super) fn stream(news: Arc<News>, place: OwnedSemaphorePermit) -> Reply {
    // One waits to be read; a page that reads slowly misses those between, and learns the latest.
    let (sender, receiver) = mpsc::channel(1);
    tokio::spawn(async move {
        tell(&news, &sender).await;
        drop(place);
    });
    let mut response = Response::new(Events(receiver).boxed());
    *response.status_mut() = StatusCode::OK;
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
    response
}

async fn tell(news: &News, page: &mpsc::Sender<Bytes>) {
    if page.send(Bytes::from(format!("retry: {AGAIN}\n\n"))).await.is_err() {
        return;
    }
    let mut told = news.listen().await;
    loop {
        let event = tokio::select! {
            changed = told.changed() => match (changed, told.borrow_and_update().clone()) {
                (Ok(()), Told::Revision(revision)) => format!("event: package\ndata: {}\n\n", json!({"revision": revision})),
                _ => return,
            },
            () = tokio::time::sleep(HEARTBEAT) => ":\n\n".to_owned(),
            () = page.closed() => return,
        };
        let is_over = async {
            let _ = told.clone().wait_for(|told| *told == Told::End).await;
        };
        tokio::select! {
            sent = page.send(Bytes::from(event)) => if sent.is_err() { return },
            () = is_over => return,
        }
    }
}

/// The events as a body.
struct Events(mpsc::Receiver<Bytes>);

impl Body for Events {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        self.0.poll_recv(context).map(|event| event.map(|event| Ok(Frame::data(event))))
    }
}
