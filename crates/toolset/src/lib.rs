#![doc = include_str!("../README.md")]

mod answer;
mod area;
mod availability;
mod call;
mod caller;
mod code;
mod context;
mod denial;
mod documents;
mod file_refusal;
mod fleet;
mod foreign;
mod foreign_descriptor;
mod foreign_task;
mod hunks;
mod input;
pub mod manual;
mod offered;
mod overview;
mod permissions;
mod problems;
mod recorded_tools;
mod schema;
mod subtree_access;
pub mod tasks;
mod tool;
mod toolbox;
mod tools;

pub use answer::{Answer, Fields, Refusal, Success};
pub use area::Area;
pub use call::Call;
pub use caller::Caller;
pub use code::Code;
pub use context::{Clock, ToolContext};
pub use documents::{AnswerDocument, ProblemsDocument, ToolsDocument};
pub use fleet::{FLEET_FOLDER, FLEET_TOOLSET, has_fleet, may_use_fleet};
pub use foreign::{
    ActionOutcome, CallClient, ForeignAnswer, ForeignCall, ForeignTool, RunningCall, ServerAction,
    ServerState, ToolSource,
};
pub use foreign_task::{TaskAction, TaskRequest, qualify_task, take_server_of_task};
pub use offered::{OfferedTool, OfferedTools};
pub use overview::team_overview;
pub use problems::{
    GatewayProblems, Problem, ProblemSource, ProblemsError, RememberedProblem, gateway_problems,
    remembered_problems,
};
pub use recorded_tools::RecordedTools;
pub use tool::{Annotations, Body, Function, Hints, NoFields, Outcome, Tool, ToolDescriptor};
pub use toolbox::{DuplicateTool, Toolbox};
