//! Tests of the guard.

mod clients;
mod hostile_paths;
mod properties;
mod support;
