#![doc = include_str!("../README.md")]

mod access;
mod check;
mod clean;
mod compose;
mod compose_root;
mod diff;
mod editor;
mod error;
mod explain;
mod fix;
mod fleet;
mod fmt;
mod init;
mod init_fleet;
mod locate;
mod prompt;
mod referenced_files;
mod render;
mod render_clients;
mod rendering_place;
mod scaffold;
mod schema;
mod services;
pub mod source;
pub mod task;
mod team;
mod trust;
mod watch;

pub use access::{access_lint, member_access, team_access};
pub use check::{
    CheckOutcome, CheckRequest, check, check_everywhere, check_on, check_requested, check_root_on,
    check_text, check_text_on, check_text_requested, this_host,
};
pub use clean::{CleanOutcome, ClientServers, clean};
pub use compose::{ComposeOutcome, show_compose};
pub use compose_root::{ROOT_VARIABLE, root_of_environment};
pub use editor::{Editor, EditorSchema};
pub use error::OperationError;
pub use explain::explain;
pub use fix::{FixOutcome, fix, fix_requested, fix_root};
pub use fleet::{FleetOutcome, show_fleet};
pub use fmt::{FmtOutcome, fmt, fmt_text};
pub use init::{InitDone, InitOutcome, Refusal, init};
pub use init_fleet::init_fleet;
pub use locate::{Located, expect_directory, locate};
pub use prompt::{
    AgentPrompt, EffectivePrompt, Overlay, PromptRefusal, SavedFile, ToolboxRefresh, UNKNOWN_TOOLS,
};
pub use render::{RenderOutcome, RenderRequest, RenderedFile, Rendering, render, render_in_memory};
pub use scaffold::{Scaffold, write_scaffold};
pub use schema::{WrittenSchema, write_schemas};
pub use team::{TeamOutcome, show_team};
pub use trust::{SAFE_DIRECTORIES_VARIABLE, UntrustedDirectory, ensure_trusted};
pub use watch::Watch;
