//! The prompts of agents: a base, an overlay, and protected blocks.
//!
//! A protected block is the text between two markers, each on its own line, which edits must not change. The block `toolbox`
//! is generated from the tools of the agent.
//!
//! [`Blocks`] finds blocks and broken markers, [`validate_edit`] checks that an edit keeps the blocks, [`append`] adds a line
//! outside of them, [`effective`] composes a prompt, and [`refresh`] updates the generated block of a file. All functions
//! work on strings.
//!
//! ```
//! use minds_fleet::prompt::{ViolationText, append, effective, validate_edit};
//! use minds_fleet::tools::BUILTIN;
//!
//! let overlay = "Be brief.\n<!-- ateam-protect:start:toolbox -->\n<!-- ateam-protect:end:toolbox -->\n";
//! let longer = append(overlay, "Ask before you delete.")?;
//! assert!(longer.ends_with("end:toolbox -->\nAsk before you delete.\n"));
//!
//! let violation = validate_edit(overlay, "Be brief.\n").unwrap_err();
//! assert_eq!((violation.line, violation.within), (2, ViolationText::Old));
//!
//! let read = BUILTIN.iter().filter(|tool| tool.name == "fs.read");
//! let prompt = effective("You are a reviewer.\n", &longer, read);
//! assert!(prompt.contains("- **fs.read** — Read file contents within the sandboxed cwd.\n  - args: path: string*"));
//! assert_eq!(prompt.matches("ateam-protect:start:toolbox").count(), 1);
//! # Ok::<(), minds_fleet::prompt::Violation>(())
//! ```

mod append;
mod blocks;
mod edit;
mod effective;
mod lines;
mod neutralize;
mod toolbox;
mod violation;

#[cfg(test)]
mod properties;

pub use append::append;
pub use blocks::{Block, Blocks, InvalidMarker, MarkerProblem, TOOLBOX};
pub use edit::{EditedPrompt, validate_edit};
pub use effective::{RefreshResult, effective, refresh};
pub use neutralize::neutralize;
pub use toolbox::toolbox;
pub use violation::{Violation, ViolationKind, ViolationText};

/// The maximum size of a prompt file, 1 MiB, because a model receives all of it.
pub const MAX_PROMPT_BYTES: usize = 1 << 20;
