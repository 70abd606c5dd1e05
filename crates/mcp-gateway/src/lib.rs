#![doc = include_str!("../README.md")]

mod backoff;
pub mod client;
mod config;
mod definition;
pub mod documents;
mod fleet;
mod link;
mod listing;
mod options;
mod plan;
mod problems;
pub mod report;
mod running;
mod supervisor;
mod worker;

pub use config::{
    Config, ConfigError, Fingerprint, HttpServer, InvalidServer, Server, ServerEntry, StdioServer, Transport,
};
pub use link::Link;
pub use listing::{ListedServer, Listing, SkippedTool, UnmatchedEntry, expose};
pub use options::Options;
pub use plan::{Actual, Goal, Step, plan};
pub use problems::{ServerFacts, find as find_problems, server_problem_prefix};
pub use running::{RunningGateway, running_gateways};
pub use supervisor::{launch, supervise, work};
pub use worker::Gateway;
