//! Items of one installation are installed completely, or not at all.
#![cfg(unix)]

mod faults;
mod journal;
mod verbs;
pub(crate) mod world;
