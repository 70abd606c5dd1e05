#![doc = include_str!("../README.md")]

pub mod client;
mod config;

pub use config::{
    Config, ConfigError, Fingerprint, HttpServer, InvalidServer, Server, ServerEntry, StdioServer, Transport,
};
