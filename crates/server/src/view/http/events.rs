//! Server-sent events for the page.

use std::convert::Infallible;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use crate::transport::Reply;
use http_body_util::BodyExt as _;
use hyper::body::{Body, Bytes, Frame};
use hyper::header::{CONTENT_TYPE, HeaderValue};
use hyper::{Response, StatusCode};
use serde_json::json;
use tokio::sync::{OwnedSemaphorePermit, mpsc};

use super::watcher::{PackageEvent, PackageWatcher};

/// The interval of empty messages, with which both sides notice that the other side is gone.
const HEARTBEAT: Duration = Duration::from_secs(15);
/// The delay after which a page reconnects, in milliseconds.
const RECONNECT_MILLIS: u32 = 1_000;

/// Replies with a stream of events until the page closes or the server stops. `permit` is held as long.
pub(super) fn stream(watcher: Arc<PackageWatcher>, permit: OwnedSemaphorePermit) -> Reply {
    // Only one event is buffered: a page that reads slowly skips events, but gets the latest one.
    let (sender, receiver) = mpsc::channel(1);
    tokio::spawn(async move {
        send_events(&watcher, &sender).await;
        drop(permit);
    });
    let mut response = Response::new(Events(receiver).boxed());
    *response.status_mut() = StatusCode::OK;
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
    response
}

async fn send_events(watcher: &PackageWatcher, page: &mpsc::Sender<Bytes>) {
    if page.send(Bytes::from(format!("retry: {RECONNECT_MILLIS}\n\n"))).await.is_err() {
        return;
    }
    let mut events = watcher.subscribe().await;
    loop {
        let event = tokio::select! {
            changed = events.changed() => match (changed, events.borrow_and_update().clone()) {
                (Ok(()), PackageEvent::Revision(revision)) => format!("event: package\ndata: {}\n\n", json!({"revision": revision})),
                _ => return,
            },
            () = tokio::time::sleep(HEARTBEAT) => ":\n\n".to_owned(),
            () = page.closed() => return,
        };
        let is_over = async {
            let _ = events.clone().wait_for(|event| *event == PackageEvent::End).await;
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
