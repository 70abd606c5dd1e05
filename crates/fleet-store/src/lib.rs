#![doc = include_str!("../README.md")]

mod agent_record;
mod call_file;
mod failure;
mod folder;
mod history_end;
mod history_file;
mod history_files;
mod item_ids;
mod line_file;
mod queue_file;
mod recovery;
mod reverse_lines;
mod settings;
mod skipped_lines;
mod store;
mod summary_file;

pub use recovery::Recovery;
pub use settings::StoreSettings;
pub use store::AgentStore;
