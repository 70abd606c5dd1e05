#![doc = include_str!("../README.md")]

#[cfg(feature = "conformance")]
pub mod conformance;
mod contract;
mod in_flight;
mod local;
pub mod memory;
mod owners;
#[cfg(feature = "redis")]
mod redis;
mod serve_waker;
mod state_folder;
mod state_record;
mod tail_cursor;
mod tail_page;
mod tokens;

pub use contract::{
    AgentPort, Announced, Bus, ClaimCall, ClientEvent, ClientPort, Follower, Listed, Publisher, Served,
    Start, request,
};
pub use in_flight::MAX_IN_FLIGHT;
pub use local::LocalBus;
pub use memory::MemoryBus;
#[cfg(feature = "redis")]
pub use redis::{RedisBus, RedisRole, RedisSettings, acl_rules};
pub use tail_cursor::TailCursor;
pub use tail_page::read_page;
pub use tokens::{BootstrapToken, OwnerToken, Ticket};
