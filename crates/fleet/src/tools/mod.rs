//! The tools of agents: their names, what they do, and which of them an agent has.

mod access;
mod builtin;
mod descriptor;
mod name;

pub use access::{Denial, Stand, ToolLists, Verdict};
pub use builtin::{BUILTIN, find_builtin};
pub use descriptor::{Argument, Descriptor};
pub use name::{MAX_NAME_BYTES, ToolName, ToolNameError};
