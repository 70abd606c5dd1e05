//! The fleet family: the layers of `.ateam/` directories, from the workspace over those above it to the user's home.
//!
//! [`FleetFamily::load`] reads the layers of a snapshot, [`check`] applies the rules, [`FleetFamily::effective`] says what
//! an agent is after all layers are put together, and [`prompt`] is what it is told. Reading never fails on content: what
//! could be read is there, and every problem is reported.
//!
//! ```
//! use minds_document::Snapshot;
//! use minds_fleet::{FleetFamily, check};
//! use minds_paths::WorkspacePath;
//!
//! let models = "models: {small: {provider: openai, context_window_size: 32000}}\n";
//! let agent = "{name: zeus, model: smal, prompt: {base: base.md}, tools: {allow: [fs.read]}}\n";
//! let snapshot = Snapshot::new()
//!     .with_file(WorkspacePath::parse(".ateam/models.yaml")?, models)
//!     .with_file(WorkspacePath::parse(".ateam/agents/zeus/agent.yaml")?, agent)
//!     .with_file(WorkspacePath::parse(".ateam/agents/zeus/base.md")?, "You are Zeus.\n");
//!
//! let parsed = FleetFamily::load(&snapshot);
//! assert!(parsed.problems.is_empty());
//! let found = check(&parsed.value).into_sorted();
//! assert_eq!(found[0].rule.code, "fleet/unknown-model");
//! assert_eq!(found[0].help.as_deref(), Some("did you mean `small`?"));
//!
//! let zeus = parsed.value.effective("zeus", "myproj").expect("there is such an agent");
//! let tools: Vec<String> = zeus.given_tools().map(ToString::to_string).collect();
//! assert_eq!(tools, ["fs.read"]);
//! # Ok::<(), minds_paths::PathError>(())
//! ```

mod covered;
mod decode;
mod effective;
mod error_code;
mod family;
mod key_order;
pub mod merge;
pub mod model;
mod models;
pub mod prompt;
mod prompt_file;
pub mod rules;
pub mod schema;
mod stack;
mod texts;
pub mod tools;

pub use effective::{EffectiveAgent, EffectiveValue, PromptTexts};
pub use error_code::{ErrorCode, UnknownErrorCode};
pub use family::{AgentEntry, DefaultAgent, FleetFamily, FleetFile, Layer, Prompt, RepeatedId, ToolEntries};
pub use key_order::key_order;
pub use models::{KnownModels, ModelPlace};
pub use rules::check;
pub use stack::{
    AGENT_FILE, AGENTS_FOLDER, DEFAULT_AGENT_FILE, FOLDER, LEGACY_AGENTS_FILE, MODELS_FILE, PROJECT_FILE,
    TOOLS_FILE, ancestor, home, layers, scope,
};
