//! Changes of text files that are planned first and applied then, through the tools.
#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    clippy::expect_used,
    clippy::format_collect,
    clippy::format_push_string,
    clippy::indexing_slicing,
    clippy::needless_pass_by_value,
    clippy::panic,
    clippy::string_slice,
    clippy::unwrap_used,
    reason = "a test reads what it needs, and may stop at once"
)]

mod access;
mod applying;
mod crashes;
mod creatable;
mod descriptions;
mod hunks;
mod previews;
mod properties;
mod site;
mod writers;
