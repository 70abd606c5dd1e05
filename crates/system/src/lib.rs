//! The only crate that touches files, the environment and the terminal.
//!
//! A [`Root`] is an open directory: whoever has it may read below it and, through [`Root::apply`], write below it, and
//! nothing outside can be reached, whatever links and `..` say. Everything else of the project works on the values that
//! come out of here and go into here.
#![expect(clippy::disallowed_methods, reason = "this is the crate that all others leave these to")]

mod apply;
mod below;
mod environment;
mod error;
mod find;
mod lines;
mod root;

pub use apply::ApplyError;
pub use environment::{current_directory, pause, standard_input, terminal_width, variables};
pub use error::SystemError;
pub use find::{Found, find_upwards};
pub use lines::{Line, Lines, standard_input_lines};
pub use root::{MAX_FILE_BYTES, Root};
