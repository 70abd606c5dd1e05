//! Agents in processes of their own, over the local bus.
#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    clippy::exit,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::print_stderr,
    clippy::unwrap_used,
    reason = "a test reads what it needs, and may stop at once"
)]

mod client;
mod context;
mod items;
#[cfg(target_os = "linux")]
mod kills;
mod place;
mod stops;
mod tools;
#[cfg(target_os = "linux")]
mod traced;

/// Is an agent if the variable with its place is set.
#[test]
fn agent() {
    if let Some(folder) = std::env::var_os(place::FOLDER) {
        place::run_agent(folder.as_ref());
    }
}
