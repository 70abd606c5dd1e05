//! The laws of the contract, checked on every transport, and transports that break one law each.

mod local;
mod memory;
