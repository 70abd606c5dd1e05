//! The integration tests of this crate, one module for each subject.
#![allow(
    clippy::disallowed_methods,
    clippy::expect_used,
    clippy::format_collect,
    clippy::format_push_string,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test reads what it needs, and may stop at once"
)]

mod access_lists;
mod effective;
mod exposure;
mod golden;
mod incomplete_files;
mod long_lists;
mod member_policies;
mod shipped_catalog;
