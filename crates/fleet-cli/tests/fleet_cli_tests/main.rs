//! The tests of the program, one module for each subject. They run it, with real agents that answer from a script and with
//! agents of the tests.
#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    clippy::exit,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::print_stderr,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a test reads what it needs, and may stop at once"
)]

mod acp;
mod commands;
mod compose_root;
mod confine;
mod confirmations;
mod documents;
mod errors;
mod help;
mod items;
mod lifecycle;
mod mcp;
mod members;
mod numbers;
mod owners;
mod providers;
mod redis;
mod repl;
mod secrets;
mod send;
mod servers;
mod services;
mod spawning;
mod support;
mod tail;
mod tokens;
mod tools;
mod views;
