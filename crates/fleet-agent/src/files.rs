//! The configuration of an agent in the files of its fleet.

use std::path::{Path, PathBuf};
use std::time::Duration;

use minds_exec::SupervisorProgram;
use minds_fleet::prompt::effective;
use minds_fleet_protocol::{AgentId, ErrorCode, Failure, Json};
use minds_operations::{
    AgentPrompt, FleetAgent, FleetFile, FleetModel, FleetOptions, FleetPlace, FleetProblem, OperationError,
    PromptRefusal, open_fleet,
};
use serde_json::Value;

use crate::acp_engine::{engine, engine_secrets};
use crate::config::{
    AgentConfig, AgentSettings, Configuration, DEFAULT_MAX_STEPS, ModelConfig, PromptConfig, Secret, hash,
};

/// The engine of agents that use a model themselves.
pub(crate) const ENGINE: &str = "llm";

/// The configuration of an agent in the files of its fleet, and what is given in place of parts of it.
#[derive(Clone, Debug)]
pub struct ConfiguredAgent {
    /// A directory in the workspace.
    pub base: PathBuf,
    /// The name of the agent.
    pub name: String,
    /// The name of the project, if not that of the files.
    pub project: Option<String>,
    /// The working directory, if not that of the files; an absolute path.
    pub cwd: Option<PathBuf>,
    /// The id of the model, if not that of the files.
    pub model: Option<String>,
    /// The program that supervises what the agent starts.
    pub supervisor: SupervisorProgram,
}

impl Configuration for ConfiguredAgent {
    fn load(&self) -> Result<AgentConfig, Failure> {
        let options = FleetOptions { project: self.project.as_deref(), ..FleetOptions::default() };
        let fleet = open_fleet(&self.base, &options).map_err(|error| config_error(&error))?;
        self.configure(&fleet)
    }

    fn append_to_overlay(&self, line: &str) -> Result<(), Failure> {
        let appended = self.open_prompt()?.append(line).map_err(|error| config_error(&error))?;
        appended.map(|_| ()).map_err(|refusal| prompt_failure(&refusal))
    }

    fn replace_overlay(&self, text: &str, expected: Option<&str>) -> Result<(), Failure> {
        let prompt = self.open_prompt()?;
        let overlay = prompt.overlay_text().map_err(|error| config_error(&error))?;
        if expected.is_some_and(|expected| expected != hash(overlay.text)) {
            let message = "the overlay has changed since it was read: read it again";
            return Err(Failure::new(ErrorCode::ArgsInvalid, message));
        }
        let saved = prompt.save_overlay(text, &overlay.name).map_err(|error| config_error(&error))?;
        saved.map(|_| ()).map_err(|refusal| prompt_failure(&refusal))
    }
}

fn config_error(error: &OperationError) -> Failure {
    Failure::new(ErrorCode::ConfigInvalid, error.to_string())
}

fn prompt_failure(refusal: &PromptRefusal) -> Failure {
    Failure::new(refusal.code().unwrap_or(ErrorCode::ArgsInvalid), refusal.to_string())
}

impl ConfiguredAgent {
    fn open_prompt(&self) -> Result<AgentPrompt, Failure> {
        AgentPrompt::open(&self.base, Some(&self.name)).map_err(|error| config_error(&error))
    }

    /// Returns the configuration of the agent in a fleet.
    ///
    /// # Errors
    ///
    /// Returns `config.invalid` if the files have errors, and `agent.not_found` if the agent is not configured.
    pub fn configure(&self, fleet: &FleetPlace) -> Result<AgentConfig, Failure> {
        if let Some(problem) = fleet.problems.first() {
            return Err(config_invalid(problem, fleet.problems.len()));
        }
        let agent = fleet.agent(&self.name).ok_or_else(|| {
            let message = format!("the fleet has no agent `{}`", self.name.escape_debug());
            Failure::new(ErrorCode::AgentNotFound, message)
        })?;
        if self.model.as_ref().is_some_and(|id| agent.model.as_ref().is_none_or(|model| model.id != *id)) {
            let message = "the model of an agent is that of its file in this version";
            return Err(Failure::new(ErrorCode::ArgsInvalid, message));
        }
        let id = AgentId::parse(&agent.id)
            .map_err(|error| Failure::new(ErrorCode::ConfigInvalid, error.to_string()))?;
        let engine = engine(agent, fleet, &self.supervisor)?;
        // An engine knows its models itself.
        let model = agent.model.as_ref().filter(|_| engine.is_none()).map(model).transpose()?;
        let mut secrets = secrets(agent, fleet)?;
        secrets.extend(engine_secrets(agent, engine.as_ref()));
        let tuning = &fleet.settings.tuning;
        let days = fleet.settings.retention_days;
        Ok(AgentConfig {
            id,
            cwd: text(self.cwd.as_deref().unwrap_or(&agent.cwd))?,
            state_folder: agent.state.clone(),
            prompt: prompt(agent)?,
            redact: fleet.settings.redact.clone(),
            secrets,
            settings: AgentSettings {
                coalesce: Duration::from_millis(tuning.tail_coalesce_ms),
                history_max_bytes: tuning.history_max_bytes,
                retention_days: days.map(|days| u32::try_from(days).unwrap_or(u32::MAX)),
                summary_tokens: tuning.summary_target_tokens,
                max_steps: agent
                    .max_steps
                    .map_or(DEFAULT_MAX_STEPS, |steps| u32::try_from(steps).unwrap_or(u32::MAX)),
                metrics_port: u16::try_from(agent.prometheus_port).ok().filter(|port| *port > 0),
            },
            model,
            engine,
        })
    }
}

fn text(path: &Path) -> Result<String, Failure> {
    path.to_str().map(str::to_owned).ok_or_else(|| {
        let message = format!("the path `{}` is not valid UTF-8", path.display());
        Failure::new(ErrorCode::ConfigInvalid, message)
    })
}

/// Returns the failure for files with errors, of which it names the first one.
pub fn config_invalid(problem: &FleetProblem, count: usize) -> Failure {
    let place = match (&problem.file, problem.line) {
        (Some(file), Some(line)) => format!("{file}:{line}: "),
        (Some(file), None) => format!("{file}: "),
        (None, _) => String::new(),
    };
    let more =
        if count > 1 { format!(" (and {} more; see `minds check`)", count - 1) } else { String::new() };
    let message = format!("{place}{}{more}", problem.message);
    let mut detail = serde_json::Map::new();
    detail.insert("file".to_owned(), problem.file.clone().map_or(Value::Null, Value::from));
    detail.insert("line".to_owned(), problem.line.map_or(Value::Null, Value::from));
    detail.insert("message".to_owned(), problem.message.clone().into());
    Failure { detail: Json::from_value(&detail).ok(), ..Failure::new(ErrorCode::ConfigInvalid, message) }
}

fn model(model: &FleetModel) -> Result<ModelConfig, Failure> {
    let provider = model.provider.clone().ok_or_else(|| {
        let message = format!("no `models.yaml` defines the model `{}`", model.id.escape_debug());
        Failure::new(ErrorCode::ConfigInvalid, message)
    })?;
    let name = model.settings.expose().get("model").and_then(Value::as_str).unwrap_or(&model.id);
    Ok(ModelConfig {
        id: model.id.clone(),
        provider,
        name: name.to_owned(),
        window: model.context_window_size.unwrap_or_default(),
        parameters: model.default_inference.clone(),
        script: model.script.clone(),
    })
}

fn prompt(agent: &FleetAgent) -> Result<PromptConfig, Failure> {
    let read = |file: &Option<FleetFile>| match file {
        None => Ok(String::new()),
        Some(FleetFile { text: Some(text), .. }) => Ok(text.clone()),
        Some(FleetFile { path, text: None }) => {
            let message = format!("the prompt file `{}` cannot be read", path.display());
            Err(Failure::new(ErrorCode::ConfigInvalid, message))
        }
    };
    // An overlay that does not exist is empty.
    let overlay = agent.prompt.overlay.as_ref().and_then(|file| file.text.clone()).unwrap_or_default();
    let base = read(&agent.prompt.base)?;
    Ok(PromptConfig {
        effective: effective(&base, &overlay, agent.given_tools.iter().copied()),
        base,
        overlay,
    })
}

/// Returns the password in a URL.
fn password_of(url: &str) -> Option<&str> {
    let (_, rest) = url.split_once("://")?;
    let authority = rest.split(['/', '?', '#']).next()?;
    let (user, _) = authority.rsplit_once('@')?;
    user.split_once(':').map(|(_, password)| password).filter(|password| !password.is_empty())
}

/// Returns the secrets that no output shows: the values of variables with keys, and passwords of the transport.
fn secrets(agent: &FleetAgent, fleet: &FleetPlace) -> Result<Vec<Secret>, Failure> {
    let mut secrets = Vec::new();
    let settings = agent.model.as_ref().map(|model| model.settings.expose());
    let variable = settings.and_then(|settings| settings.get("api_key_env")).and_then(Value::as_str);
    if let Some(name) = variable {
        let value = minds_process::variable(name)
            .map_err(|error| Failure::new(ErrorCode::ConfigInvalid, error.to_string()))?;
        secrets.extend(value.filter(|value| !value.is_empty()).map(Secret));
    }
    if let minds_operations::FleetTransport::Redis(server) = &fleet.transport {
        secrets.extend(server.password.as_ref().map(|password| Secret(password.expose().clone())));
        secrets.extend(password_of(server.url.expose()).map(|password| Secret(password.to_owned())));
    }
    Ok(secrets)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passwords_of_urls_are_found() {
        let cases = [
            ("redis://ann:hunter2@host:6379/0", Some("hunter2")),
            ("rediss://:p@ss@host", Some("p@ss")),
            ("redis://ann@host", None),
            ("redis://host/a:b@c", None),
            ("redis://ann:@host", None),
            ("host", None),
        ];
        for (url, expected) in cases {
            assert_eq!(password_of(url), expected, "{url}");
        }
    }
}
