//! The model that an agent uses.

use std::path::Path;

use minds_fleet_protocol::{ErrorCode, Failure};
use minds_fs::Root;
use minds_model_client::{Endpoint, HttpModel, Key, Model, Protocol, Script, ScriptedModel, Times};
use minds_operations::FleetModel;
use minds_process::pause;
use minds_vfs::{MountId, WorkspacePath};

use crate::config::{ModelConfig, Secret};

/// The provider that answers from a script.
const SCRIPTED: &str = "scripted";
/// The protocol of the provider that only its own program can use.
const CODEX: &str = "codex";
/// The maximum size of a script, in bytes.
const MAX_SCRIPT_BYTES: u64 = 16 << 20;

/// The model of an agent, which is opened when it is used for the first time.
#[derive(Default)]
pub(crate) struct Models {
    open: Option<(ModelConfig, Box<dyn Model>)>,
}

impl Models {
    /// Returns a model.
    ///
    /// # Errors
    ///
    /// Returns `model.unavailable` with the reason.
    pub(crate) fn get(&mut self, config: &ModelConfig) -> Result<&mut dyn Model, Failure> {
        let model = match self.open.take() {
            Some((open, model)) if open == *config => model,
            _ => open(config)?,
        };
        Ok(self.open.insert((config.clone(), model)).1.as_mut())
    }
}

/// Checks whether a model can be used, apart from its key and the network.
///
/// # Errors
///
/// Returns the reason as `model.unavailable` or `config.invalid`.
pub fn check_model(model: &FleetModel) -> Result<(), Failure> {
    let config = crate::files::model(model)?;
    let key = config.key.clone().or_else(|| config.key_variable.as_ref().map(|_| Secret("key".to_owned())));
    open(&ModelConfig { key, ..config }).map(drop)
}

fn open(config: &ModelConfig) -> Result<Box<dyn Model>, Failure> {
    let Some(api_type) = config.api_type.as_deref() else {
        return Err(unavailable(format!(
            "the model `{}` has the unknown provider `{}`: define it in `.minds/llm.yaml`, or correct the name",
            config.id, config.provider
        )));
    };
    match (api_type, Protocol::of_api_type(api_type)) {
        (SCRIPTED, _) => open_script(config),
        (_, Some(protocol)) => open_provider(config, protocol),
        (CODEX, None) => Err(unavailable(format!(
            "the model `{}` has the provider `{}`, which only its own program can use: write `engine: codex` in `agent.yaml`",
            config.id, config.provider
        ))),
        (_, None) => Err(unavailable(format!(
            "the model `{}` has the provider `{}`, whose protocol `{api_type}` cannot be used by agents: choose another provider",
            config.id, config.provider
        ))),
    }
}

fn open_provider(config: &ModelConfig, protocol: Protocol) -> Result<Box<dyn Model>, Failure> {
    let of_model = || format!("the model `{}` with the provider `{}`", config.id, config.provider);
    let base_url = config.base_url.clone().ok_or_else(|| {
        unavailable(format!("{} has no address: set `model_settings.base_url` or `baseUrl`", of_model()))
    })?;
    let key = match (&config.key, &config.key_variable) {
        (Some(key), _) => Some(Key::new(key.0.clone())),
        (None, None) => None,
        (None, Some(variable)) => {
            return Err(unavailable(format!(
                "{} has no key: set the variable `{variable}`, and start the agent again",
                of_model()
            )));
        }
    };
    let provider = config.provider.clone();
    let endpoint = Endpoint { provider, protocol, base_url, key, times: Times::default() };
    match HttpModel::new(endpoint) {
        Ok(model) => Ok(Box::new(model)),
        Err(error) => Err(unavailable(error.to_string())),
    }
}

fn open_script(config: &ModelConfig) -> Result<Box<dyn Model>, Failure> {
    let path = config
        .script
        .as_deref()
        .ok_or_else(|| unavailable(format!("the model `{}` has no `model_settings.script`", config.id)))?;
    let text =
        read(path).map_err(|error| unavailable(format!("cannot read `{}`: {error}", path.display())))?;
    let script =
        Script::parse(&text).map_err(|error| unavailable(format!("`{}`, {error}", path.display())))?;
    Ok(Box::new(ScriptedModel::new(script, pause)))
}

fn read(path: &Path) -> Result<String, String> {
    let (Some(folder), Some(name)) = (path.parent(), path.file_name().and_then(|name| name.to_str())) else {
        return Err("it is not the path of a file".to_owned());
    };
    let root = Root::open(folder, MountId::WORKSPACE).map_err(|error| error.to_string())?;
    let name = WorkspacePath::parse(name).map_err(|error| error.to_string())?;
    let file = root.no_follow().read(&name, MAX_SCRIPT_BYTES).map_err(|error| error.to_string())?;
    String::from_utf8(file.bytes).map_err(|_| "it is not valid UTF-8".to_owned())
}

fn unavailable(message: String) -> Failure {
    Failure::new(ErrorCode::ModelUnavailable, message)
}
