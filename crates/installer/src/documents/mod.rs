//! The JSON documents of the commands for sources.
//!
//! Verbs and outcomes have the names from the first program with this format.

mod items;
mod outcome;
mod settings;

pub use items::{
    DependenciesDocument, ExportDocument, InitOutcome, InitSourceDocument, IssueAction, IssuesDocument,
    OfferedItemsDocument, SourceItemsDocument,
};
pub use outcome::OutcomeDocument;
pub use settings::{
    AgentHomeChange, AgentHomeChangeDocument, AgentHomeOutcome, AgentHomesDocument, ConfigDocument,
};
