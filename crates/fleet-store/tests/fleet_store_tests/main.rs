//! The integration tests of this crate, one module for each subject.
#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::print_stdout,
    clippy::string_slice,
    clippy::unwrap_used,
    dead_code,
    reason = "a test reads what it needs, and may stop at once; some modules are shared with the other test program"
)]

mod damage;
mod faults;
mod history;
mod model;
mod restarts;
mod scenario;
mod support;
