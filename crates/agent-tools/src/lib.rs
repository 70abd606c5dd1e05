#![doc = include_str!("../README.md")]

mod arguments;
mod captured;
mod commands;
mod foreign;
mod foreign_arguments;
mod member;
mod outcome;
pub mod policy;
mod policy_file;
mod reach;
mod read_files;
mod registry;
mod schema;
mod settings;
mod spawn;
mod toolbox;
mod write_files;

pub use foreign::{ForeignTool, ForeignTools};
pub use member::{FileAccess, MemberReader, MemberRights};
pub use minds_exec::{Level, SupervisorProgram, available_level};
pub use outcome::{EndedTool, RunningTool, ToolEvent, ToolOutcome};
pub use policy_file::PolicyFile;
pub use registry::{file_name, model_name, server_entry, server_of};
pub use settings::{ACCEPT, ListedTool, ProtectedFolder, ToolSettings, check_protected};
pub use spawn::{AgentSpawner, SpawnRequest, SpawnedAgent};
pub use toolbox::{AgentLister, Call, Decision, Offer, Question, Toolbox};
