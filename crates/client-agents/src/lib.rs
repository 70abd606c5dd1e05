#![doc = include_str!("../README.md")]

mod clients;
mod compile;
mod confined;
mod directory;
mod front_matter;
mod hooks;
mod report;
pub mod rights;
pub mod rules;
mod team;

pub use compile::{Compiled, Request, compile};
pub use team::{InstructionPart, MemberText, Team};
