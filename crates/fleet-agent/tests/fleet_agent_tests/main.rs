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
mod engine_rights;
mod engines;
mod fake_engine;
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

/// Is the program of an engine if the variable with its log is set.
#[test]
fn fake_engine() {
    if let Some(log) = std::env::var_os(fake_engine::LOG) {
        fake_engine::run(log.as_ref());
    }
}

/// Supervises a program if it was started for that.
#[test]
fn supervisor() {
    if std::env::args().any(|arg| arg == place::SUPERVISOR) {
        let is_ok = minds_exec::confine(minds_exec::KernelSandbox::Used).is_ok();
        std::process::exit(i32::from(!is_ok));
    }
}

/// Connects an engine with the tools of a member if it was started for that.
#[test]
fn relay() {
    if std::env::args().any(|arg| arg == place::RELAY) {
        let folder = std::env::args_os().next_back().unwrap();
        let is_ok = minds_fleet_agent::relay(folder.as_ref()).is_ok();
        std::process::exit(i32::from(!is_ok));
    }
}
