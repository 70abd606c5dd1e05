//! What the file tools do, in `.minds` and in the workspace, and what they refuse.
#![cfg(unix)]
#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    clippy::expect_used,
    clippy::format_collect,
    clippy::indexing_slicing,
    clippy::needless_pass_by_value,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test reads what it needs, and may stop at once"
)]

mod access_checks;
mod creating;
mod descriptors;
mod explaining;
mod fixture;
mod git_directory;
mod hostile;
mod letter_case;
mod listing;
mod moving;
mod overwriting;
mod paths;
mod reading;
mod refusals;
mod removing;
mod searching;
