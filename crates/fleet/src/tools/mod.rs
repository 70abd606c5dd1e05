//! The tools of agents: names, descriptors, and the lists that allow or deny them.

mod access;
mod builtin;
mod descriptor;
mod name;

pub use access::{Denial, MergedToolLists, ToolLists, Verdict};
pub use builtin::{BUILTIN, find_builtin};
pub use descriptor::{Argument, Descriptor};
pub use name::{MAX_NAME_BYTES, ToolName, ToolNameError};
