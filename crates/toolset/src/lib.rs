#![doc = include_str!("../README.md")]

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
