//! The tools of agents, over folders of the tests.
#![allow(
    clippy::disallowed_methods,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test reads what it needs, and may stop at once"
)]

mod files;
mod foreign;
mod hostile;
mod judging;
mod members;
mod policies;
mod policy_file;
mod spawning;
mod support;
