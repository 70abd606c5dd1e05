//! The function tools of agents: what an agent may do to a workspace, each with a name, a schema and a result.
//!
//! A [`Toolbox`] lists the tools and calls them. Whoever calls is a [`Caller`]: the operator, or a member of the team, who
//! has only the tools and the paths that the team gives it. Every call is answered by one [`Answer`]: what was done, or
//! a refusal with a stable code, the reason and the next step. A refused call leaves the disk as it was.
//!
//! ```
//! use minds_toolset::{Caller, Clock, Toolbox, ToolContext};
//! use serde_json::json;
//!
//! let folder = tempfile::tempdir()?;
//! let context = ToolContext::open(folder.path(), &folder.path().join("state"), Clock::System)?;
//! let toolbox = Toolbox::new();
//! let operator = Caller::operator("alice");
//!
//! let args = json!({"path": ".minds/team.yaml", "content": "members: {}\n"});
//! let answer = toolbox.call(&context, "team_mgmt_create_new_file", args, &operator);
//! assert_eq!(answer.to_json()["status"], "ok");
//!
//! let answer = toolbox.call(&context, "team_mgmt_read_file", json!({"path": "team.yaml"}), &operator);
//! assert_eq!(answer.to_json()["code"], "INVALID_PATH");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod answer;
mod area;
mod arguments;
mod call;
mod caller;
mod code;
mod context;
mod denial;
mod edit;
mod file_refusal;
mod hunks;
mod lines;
pub mod manual;
mod offer;
mod permissions;
mod problems;
mod subtree_access;
pub mod tasks;
mod tool;
mod toolbox;
mod tools;

pub use answer::{Answer, Fields, Refusal, Success};
pub use area::Area;
pub use arguments::{Argument, Kind};
pub use call::Call;
pub use caller::Caller;
pub use code::Code;
pub use context::{Clock, ToolContext};
pub use problems::{Problem, ProblemsError, RememberedProblem, remembered_problems};
pub use tool::{Annotations, OutputField, Tool, ToolDescriptor};
pub use toolbox::Toolbox;
