//! What the file tools do, in `.minds` and in the workspace, and what they refuse.
#![cfg(unix)]

mod access_checks;
mod creating;
mod descriptors;
mod explaining;
pub(crate) mod fixture;
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
