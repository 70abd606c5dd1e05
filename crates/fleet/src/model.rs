//! The decoded files of a layer, before layers are merged.

mod agent;
mod engine;
mod tools;

use minds_document::yaml::KeyOrder;
use minds_document::{EnvVar, Field, FiniteNumber, Keys, List, Spanned};
use minds_vfs::WorkspacePath;

use crate::decode::{
    base_url, base_url_schema, models, models_schema, name_schema, project_name, script_path,
    script_path_schema,
};
use crate::scalars::{not_blank, not_blank_schema};

pub use agent::*;
pub use engine::*;
pub use tools::*;

/// The provider that replays a script.
pub const SCRIPTED: &str = "scripted";

/// The maximum retention, in days.
pub(crate) const MAX_RETENTION: i64 = 365;

/// The project of a fleet.
///
/// The content of `project.yaml`.
#[derive(Debug, Default, Keys)]
#[keys(title = "fleet project", describe)]
pub struct Project {
    /// The name, which is part of the id of each agent.
    #[key(decode = project_name, schema = name_schema)]
    pub name: Field<String>,
    /// A description of the project.
    pub description: Field<String>,
    /// The retention of data of agents, in days.
    #[key(range = 1..=MAX_RETENTION)]
    pub retention_days: Field<i64>,
}

/// The models that agents may use.
///
/// The content of `models.yaml`.
#[derive(Debug, Default, Keys)]
#[keys(title = "fleet models", describe)]
pub struct Models {
    /// Models by id.
    ///
    /// Only the place is here; unreadable if it is not a mapping.
    #[key(name = "models", decode = models, schema = models_schema, order = KeyOrder::named::<ModelFields>())]
    pub models_field: Field<()>,
    /// The models, in the order of the file.
    #[key(skip)]
    pub models: Vec<Model>,
    /// Whether all models of the file are among these.
    #[key(skip)]
    pub is_complete: bool,
}

/// An entry of `models`.
#[derive(Debug)]
pub struct Model {
    /// The id, at its key.
    pub id: Spanned<String>,
    /// The fields; unreadable if it is not a mapping.
    pub fields: Field<ModelFields>,
}

/// The fields of a model in one file.
#[derive(Debug, Default, Keys)]
#[keys(title = "model")]
pub struct ModelFields {
    /// The display name.
    pub name: Field<String>,
    /// A description of the model.
    pub description: Field<String>,
    /// The provider.
    ///
    /// Not blank.
    #[key(decode = not_blank, schema = not_blank_schema, examples = ["openai"])]
    pub provider: Field<String>,
    /// The total length of input and output, in tokens.
    #[key(range = 1..)]
    pub context_window_size: Field<i64>,
    /// The default inference parameters.
    pub default_inference: Field<Inference>,
    /// Settings for the provider.
    ///
    /// Settings other than these are passed to the provider unchanged.
    pub model_settings: Field<ModelSettings>,
}

/// The settings for a provider that are interpreted here.
#[derive(Debug, Default, Keys)]
#[keys(title = "model settings", open)]
pub struct ModelSettings {
    /// The URL of the API, instead of that of the provider.
    #[key(decode = base_url, schema = base_url_schema)]
    pub base_url: Field<String>,
    /// The environment variable that contains the key of the API, instead of that of the provider.
    pub api_key_env: Field<EnvVar>,
    /// The id of the model at the provider, instead of its id here.
    ///
    /// Not blank.
    #[key(decode = not_blank, schema = not_blank_schema)]
    pub model: Field<String>,
    /// The file with the answers of the provider `scripted`, relative to the directory that contains `.ateam`.
    #[key(decode = script_path, schema = script_path_schema)]
    pub script: Field<WorkspacePath>,
}

/// Inference parameters.
#[derive(Debug, Default, Keys)]
#[keys(title = "inference", open)]
pub struct Inference {
    /// The maximum length of an answer, in tokens.
    #[key(range = 1..)]
    pub max_tokens: Field<i64>,
    /// Whether answers are streamed.
    pub stream: Field<bool>,
    /// The sampling temperature.
    #[key(range = 0.0..)]
    pub temperature: Field<FiniteNumber>,
    /// The probability mass for nucleus sampling.
    #[key(range = 0.0..=1.0)]
    pub top_p: Field<FiniteNumber>,
    /// The number of most likely tokens for sampling.
    #[key(range = 1..)]
    pub top_k: Field<i64>,
    /// The seed for sampling.
    #[key(range = i64::MIN..)]
    pub seed: Field<i64>,
    /// Stop sequences.
    pub stop: Field<List<String>>,
}

/// Returns whether `text` is a valid name of a project or an agent: ASCII letters, digits, `_` and `-`.
pub fn is_name(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-')
}
