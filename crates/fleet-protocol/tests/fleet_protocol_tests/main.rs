//! The integration tests of this crate, one module for each subject.
#![allow(clippy::unwrap_used, reason = "a test reads what it needs, and may stop at once")]

mod agent_state;
mod envelope;
mod events;
mod methods;
