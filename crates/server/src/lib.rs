#![doc = include_str!("../README.md")]

pub mod mcp;
pub mod transport;
pub mod view;

pub use transport::{ServeError, Token};
