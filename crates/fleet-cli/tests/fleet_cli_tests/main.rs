//! The tests of the program, one module for each subject. They run it, with real agents that answer from a script and with
//! agents of the tests.
#![allow(
    clippy::disallowed_methods,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test reads what it needs, and may stop at once"
)]

mod acp;
mod confirmations;
mod errors;
mod help;
mod items;
mod lifecycle;
mod owners;
mod send;
mod support;
mod tail;
mod views;
