//! `llm.yaml`: model providers that the workspace adds, or that replace built-in ones.
//!
//! [`Llm`] is the content of the file; [`crate::Providers`] combines it with the built-in catalog.
//!
//! ```
//! use minds_core::TeamFamily;
//! use minds_vfs::Snapshot;
//! use minds_vfs::WorkspacePath;
//!
//! let llm = "
//! providers:
//!   local:
//!     apiType: openai-compatible
//!     baseUrl: https://models.example.org/v1
//!     apiKeyEnvVar: LOCAL_API_KEY
//!     models:
//!       small: {context_length: 32000}
//! ";
//! let snapshot = Snapshot::new().with_file(WorkspacePath::parse(".minds/llm.yaml")?, llm);
//! let parsed = TeamFamily::load(&snapshot);
//! assert!(parsed.problems.is_empty());
//!
//! let (llm, _) = parsed.value.readable_llm().expect("the file is a mapping");
//! let local = llm.providers[0].fields.as_given().expect("the provider is a mapping");
//! assert_eq!(local.value.api_key_env_var.as_given().map(|name| name.value.as_str()), Some("LOCAL_API_KEY"));
//! assert!(parsed.value.providers.find("local").is_some_and(|local| local.may_have("small")));
//! # Ok::<(), minds_vfs::PathError>(())
//! ```

mod decode;
mod model;
pub(crate) mod param_options;
pub(crate) mod providers;

pub use model::{ApiType, Llm, Model, ModelFields, Models, OwnProvider, ParamOptions, ProviderFields};
