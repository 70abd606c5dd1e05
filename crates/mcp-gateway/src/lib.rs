#![doc = include_str!("../README.md")]

mod config;

pub use config::{
    Config, ConfigError, Fingerprint, HttpServer, InvalidServer, Server, ServerEntry, StdioServer, Transport,
};
