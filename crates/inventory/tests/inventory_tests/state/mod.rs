//! The state files.

mod config;
mod installed_items;
mod lock;
mod registry;
