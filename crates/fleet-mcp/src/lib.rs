#![doc = include_str!("../README.md")]

mod access;
mod answer;
mod call;
mod protocol;

pub use access::{Answer, FleetAccess, Sent, Watch};
pub use call::{MAX_ANSWER_BYTES, MAX_TIMEOUT_SECONDS, ReadCall, SendCall};
pub use protocol::serve;
