//! Many items become true at once.
//!
//! What is to be installed is written down below `.staging` of a home first. Then one barrier waits until all of it is on disk,
//! a journal says which names change, and the names change: each thing is the old or the new one at any moment. Whoever opens
//! the home next calls [`recover`], which finishes what a process that died had begun, or removes what it had only staged.
//!
//! ```
//! use std::path::Path;
//!
//! use minds_document::FileMode;
//! use minds_paths::{MountId, WorkspacePath};
//! use minds_system::Root;
//! use minds_system::install::{Found, Transaction, recover};
//!
//! let folder = tempfile::tempdir()?;
//! let (home, lobe) = (folder.path().join("home"), folder.path().join("agents"));
//! let path = |text: &str| WorkspacePath::parse(text);
//! let root = Root::open_private(&home, MountId::new("home"))?;
//! // The caller holds the lock of the home from here on.
//! recover(&root, &[lobe.clone()])?;
//!
//! let mut transaction = Transaction::begin(&root)?;
//! let staged = transaction.folder().join("a")?;
//! transaction.write(&staged.join("SKILL.md")?, b"text", FileMode::Regular)?;
//! transaction.put(staged, path("store/skill/a")?);
//! let target = home.join("store/skill/a");
//! transaction.link(&lobe, path("skills/a")?, target.to_str().unwrap_or_default(), Found::Nothing);
//! transaction.state(path("manifest.json")?, b"{}", FileMode::Regular)?;
//! transaction.commit()?;
//!
//! assert_eq!(std::fs::read_to_string(lobe.join("skills/a/SKILL.md"))?, "text");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod commit;
mod error;
mod found;
mod journal;
mod lobe;
mod moves;
mod plan;
mod recover;
mod run;
mod sites;
mod staging;
mod step;

pub use commit::Outcome;
pub use error::{InstallError, InstallErrorKind};
pub use found::{Found, look};
pub use recover::{Recovered, is_interrupted, recover};
pub use staging::Transaction;
