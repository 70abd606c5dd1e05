//! Atomic installation of many items.
//!
//! New files are first written below `.staging` of a home. Then they are synced to disk, a journal records
//! which names will change, and the names are changed: every entry is either the old or the new one at any
//! time. The next process that opens the home calls [`recover`], which completes the installation of a
//! process that died, or removes what was only staged.
//!
//! ```
//! use std::path::Path;
//!
//! use minds_vfs::FileMode;
//! use minds_vfs::{MountId, WorkspacePath};
//! use minds_fs::Root;
//! use minds_fs::install::{PlaceState, Transaction, recover};
//!
//! let folder = tempfile::tempdir()?;
//! let (home, lobe) = (folder.path().join("home"), folder.path().join("agents"));
//! let path = |text: &str| WorkspacePath::parse(text);
//! let root = Root::open_private(&home, MountId::new("home"))?;
//! // The caller must hold the lock of the home from here on.
//! recover(&root, &[lobe.clone()])?;
//!
//! let mut transaction = Transaction::begin(&root)?;
//! let staged = transaction.folder().join("a")?;
//! transaction.write(&staged.join("SKILL.md")?, b"text", FileMode::Regular)?;
//! transaction.put(staged, path("store/skill/a")?);
//! let target = home.join("store/skill/a");
//! transaction.link(&lobe, path("skills/a")?, target.to_str().unwrap_or_default(), PlaceState::Nothing);
//! transaction.state(path("manifest.json")?, b"{}", FileMode::Regular)?;
//! transaction.commit()?;
//!
//! assert_eq!(std::fs::read_to_string(lobe.join("skills/a/SKILL.md"))?, "text");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod commit;
mod entry_moves;
mod error;
mod install_steps;
mod journal;
mod lobe;
mod open_directories;
mod place_state;
mod plan;
mod recover;
mod staging;
mod step;

pub use commit::Outcome;
pub use error::{InstallError, InstallErrorKind};
pub use place_state::{PlaceState, inspect};
pub use recover::{Recovery, is_interrupted, recover};
pub use staging::Transaction;
