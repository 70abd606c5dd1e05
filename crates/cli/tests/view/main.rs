//! The page of a task, as a browser and as strangers meet it: the real command, over loopback.
#![allow(
    clippy::disallowed_methods,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::string_slice,
    clippy::unwrap_used,
    reason = "a test reads what it needs, and may stop at once"
)]

mod changes;
mod door;
mod news;
mod served;
mod start;
