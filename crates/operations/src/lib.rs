#![doc = include_str!("../README.md")]

mod access;
mod check;
mod clean;
mod client_files;
mod compose;
mod compose_root;
mod context;
pub mod documents;
mod editor;
mod error;
mod explain;
mod fix;
mod fleet;
mod fleet_place;
mod fmt;
mod guard;
mod init;
mod locate;
mod new_agent;
mod origins;
mod prompt;
mod referenced_files;
mod render;
mod render_clients;
mod render_targets;
mod render_team;
mod rendering_place;
mod schema;
mod services;
mod team;
mod trust;
mod watch;
mod workspaces;

pub use access::{WorkspaceRoots, access_lint, member_access, team_access};
pub use check::{CheckOutcome, CheckRequest, UnsavedText, check, this_host};
pub use clean::{CleanOutcome, ClientServers, clean};
pub use compose::{ComposeOutcome, show_compose};
pub use compose_root::{ROOT_VARIABLE, root_of_environment};
pub use context::{ContextOutcome, ContextRequest, MINDS_MCP, context, context_clients};
pub use editor::{Editor, EditorSchema};
pub use error::{OperationError, OperationErrorCode, OperationErrorKind};
pub use explain::explain;
pub use fix::{FixOutcome, FixRequest, fix};
pub use fleet::{FleetOutcome, show_fleet};
pub use fleet_place::{
    FleetAgent, FleetEngine, FleetEnvValue, FleetFile, FleetMember, FleetModel, FleetOptions, FleetPlace,
    FleetProblem, FleetProgram, FleetPrompt, FleetRights, FleetSettings, FleetTool, FleetTransport,
    FleetTuning, RedisPlace, Secret, open_fleet,
};
pub use fmt::{FmtOutcome, FmtRequest, fmt};
pub use guard::{GuardRequest, guard};
pub use init::{
    ImportedEntry, ImportedFiles, InitDone, InitFromOutcome, InitFromRequest, InitOutcome, InitRequest,
    Refusal, Scaffold, init, init_from,
};
pub use locate::{FileSelection, expect_directory, locate};
pub use minds_clients::TOKEN_ESTIMATE;
pub use minds_workspace::access::Access;
pub use new_agent::{CreatedAgent, NewAgent, create_agent};
pub use prompt::{
    AgentPrompt, EffectivePrompt, Overlay, PromptRefusal, SavedFile, ToolboxRefresh, UNKNOWN_TOOLS,
};
pub use render::{RenderOutcome, RenderRequest, RenderedFile, Rendering, render, render_in_memory};
pub use schema::{WrittenSchema, write_schemas};
pub use team::{TeamOutcome, show_team};
pub use trust::ensure_trusted;
pub use watch::Watch;
