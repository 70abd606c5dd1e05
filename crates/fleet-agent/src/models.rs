//! The model that an agent uses.

use std::path::Path;

use minds_fleet_protocol::{ErrorCode, Failure};
use minds_fs::Root;
use minds_model_client::{Model, Script, ScriptedModel};
use minds_process::pause;
use minds_vfs::{MountId, WorkspacePath};

use crate::config::ModelConfig;

/// The provider that answers from a script.
const SCRIPTED: &str = "scripted";
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

fn open(config: &ModelConfig) -> Result<Box<dyn Model>, Failure> {
    if config.provider != SCRIPTED {
        return Err(unavailable(format!(
            "the model `{}` has the provider `{}`, and this version performs turns only with `{SCRIPTED}`",
            config.id, config.provider
        )));
    }
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
