//! What an agent is told: a base, an overlay, and protected blocks.
//!
//! A protected block is what stands between two marks, each alone on its line. Whoever edits the text keeps it as it is;
//! the block `toolbox` is generated from the tools that the agent has.
//!
//! [`Blocks`] finds the blocks of a text and what is broken, [`validate_edit`] says whether an edit keeps them,
//! [`append`] adds a line outside of them, [`effective`] puts a prompt together, and [`refresh`] brings the generated block
//! of a file up to date. All of it is a function of texts.
//!
//! ```
//! use minds_fleet::prompt::{Within, append, effective, validate_edit};
//! use minds_fleet::tools::BUILTIN;
//!
//! let overlay = "Be brief.\n<!-- ateam-protect:start:toolbox -->\n<!-- ateam-protect:end:toolbox -->\n";
//! let longer = append(overlay, "Ask before you delete.")?;
//! assert!(longer.ends_with("end:toolbox -->\nAsk before you delete.\n"));
//!
//! let violation = validate_edit(overlay, "Be brief.\n").unwrap_err();
//! assert_eq!((violation.line, violation.within), (2, Within::Old));
//!
//! let read = BUILTIN.iter().filter(|tool| tool.name == "fs.read");
//! let told = effective("You are a reviewer.\n", &longer, read);
//! assert!(told.contains("- **fs.read** — Read file contents within the sandboxed cwd.\n  - args: path: string*\n"));
//! assert_eq!(told.matches("ateam-protect:start:toolbox").count(), 1);
//! # Ok::<(), minds_fleet::prompt::Violation>(())
//! ```

mod append;
mod blocks;
mod edit;
mod effective;
mod lines;
mod neutral;
mod toolbox;
mod violation;

#[cfg(test)]
mod properties;

pub use append::append;
pub use blocks::{Block, Blocks, Broken, BrokenKind, TOOLBOX};
pub use edit::{Edited, validate_edit};
pub use effective::{Refreshed, effective, refresh};
pub use neutral::neutral;
pub use toolbox::toolbox;
pub use violation::{Violation, ViolationKind, Within};

/// The number of bytes that a prompt file has at most, 1 MiB: all of it is told to a model.
pub const MAX_PROMPT_BYTES: usize = 1 << 20;
