//! The result of each operation for each kind of entry; nothing outside is ever read or changed.
#![cfg(unix)]

mod errors;
mod interference;
mod races;
mod tree;
mod trees;
mod verbs;
