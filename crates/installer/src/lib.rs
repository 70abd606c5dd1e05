#![doc = include_str!("../README.md")]

mod apply;
mod clones;
mod config;
mod consent;
mod content;
mod documents;
mod dump;
mod error;
mod fetch;
mod files;
mod forget;
mod gather;
mod git_head;
mod home;
mod hooks;
mod init_source;
mod interaction;
mod introspect;
mod learn;
mod listing;
mod materialize;
mod meld;
mod nested_sources;
mod occupants;
mod outcome;
mod prefix;
mod preview;
mod registration;
mod remeld;
mod reproduce;
mod request;
mod review;
mod scan;
mod source_hooks;
mod staging;
mod sync;
mod unmeld;
mod update;
mod upgrade;

pub use config::{ConfigReport, HomesOrigin, LobeReport, add_lobe, config, remove_lobe};
pub use documents::{
    AgentHomeChange, AgentHomeChangeDocument, AgentHomeOutcome, AgentHomesDocument, ConfigDocument,
    DependenciesDocument, ExportDocument, InitOutcome, InitSourceDocument, IssueAction, IssuesDocument,
    OfferedItemsDocument, OutcomeDocument, SourceItemsDocument,
};
pub use dump::{DumpRequest, dump};
pub use error::{SourceError, SourceErrorKind};
pub use forget::forget;
pub use init_source::{InitSource, init_source};
pub use interaction::Interaction;
pub use introspect::{Issue, IssueKind, introspect, repair, verify};
pub use learn::learn;
pub use listing::{
    ProbeReport, RecallReport, RecallRequest, TreeReport, probe, recall, recall_item, recall_sources,
    recall_tree,
};
pub use meld::meld;
pub use outcome::{
    Action, HookDecision, HookRun, HookStep, ItemChange, ItemStep, NO_SOURCE, Outcome, OutcomeKind, Preview,
    SkipReason, SourceChange, SourceStep,
};
pub use request::{
    Consent, FetchSettings, ForgetRequest, LearnRequest, MeldRequest, PinRequest, SyncRequest, UnmeldRequest,
    UpgradeRequest,
};
pub use review::{ReviewReport, review};
pub use sync::sync;
pub use unmeld::unmeld;
pub use upgrade::upgrade;
