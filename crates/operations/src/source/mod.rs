//! Sources: adding them, installing their items, and keeping both up to date.
//!
//! Each verb reads its input, computes the whole plan as a value, asks for consent, and then applies the plan
//! in one transaction.

mod act;
mod again;
mod clones;
mod config;
mod consent;
mod content;
mod desk;
mod dump;
mod error;
mod execute;
mod fetching;
mod files;
mod forget;
mod gather;
mod head;
mod home;
mod hooks;
mod init_source;
mod introspect;
mod learn;
mod listing;
mod locked;
mod materialize;
mod meld;
mod melding;
mod nested;
mod occupants;
mod outcome;
mod prefix;
mod renewal;
mod request;
mod review;
mod scan;
mod shown;
mod source_hooks;
mod sync;
mod unmeld;
mod upgrade;

pub use config::{ConfigShown, LobeShown, add_lobe, config, remove_lobe};
pub use desk::Desk;
pub use dump::{DumpRequest, dump};
pub use error::{SourceError, SourceErrorKind};
pub use forget::forget;
pub use init_source::{InitSource, init_source};
pub use introspect::{Issue, introspect, repair, verify};
pub use learn::learn;
pub use listing::{Probed, RecallRequest, Recalled, probe, recall, recall_item, recall_sources, recall_tree};
pub use meld::meld;
pub use outcome::{HookDecision, HookRun, HookStep, ItemStep, NO_SOURCE, Outcome, Preview, SourceStep};
pub use request::{
    Consent, ForgetRequest, LearnRequest, MeldRequest, PinRequest, SyncRequest, Terms, UnmeldRequest,
    UpgradeRequest,
};
pub use review::{Reviewed, review};
pub use sync::sync;
pub use unmeld::unmeld;
pub use upgrade::upgrade;
