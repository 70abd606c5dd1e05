//! The configuration of an agent in the files of its fleet.

use std::path::{Path, PathBuf};
use std::time::Duration;

use minds_fleet::prompt::effective;
use minds_fleet_protocol::{AgentId, ErrorCode, Failure, Json};
use minds_operations::{
    AgentPrompt, FleetAgent, FleetFile, FleetModel, FleetOptions, FleetPlace, FleetProblem, OperationError,
    PromptRefusal, open_fleet,
};
use serde_json::Value;

use crate::acp_engine::{engine, engine_secrets};
use crate::config::{
    AgentConfig, AgentSettings, Configuration, DEFAULT_MAX_STEPS, DEFAULT_TURN_TIME, ModelConfig,
    OwnPrograms, PromptConfig, Secret, hash,
};
use crate::tool_settings::PolicyReview;

/// The engine of agents that use a model themselves.
pub(crate) const ENGINE: &str = "llm";

/// The settings of `model_settings` that are interpreted here.
const OWN_SETTINGS: [&str; 4] = ["api_key_env", "base_url", "model", "script"];

/// The configuration of an agent in the files of its fleet, and what is given in place of parts of it.
#[derive(Clone, Debug)]
pub struct ConfiguredAgent {
    /// A directory in the workspace.
    pub base: PathBuf,
    /// The name of the agent.
    pub name: String,
    /// The name of the project, if not that of the files; for an agent of a compose root, the id of its project.
    pub project: Option<String>,
    /// Whether it is an agent of the compose root of the workspace.
    pub is_of_compose_root: bool,
    /// The working directory, if not that of the files; an absolute path.
    pub cwd: Option<PathBuf>,
    /// The id of the model, if not that of the files.
    pub model: Option<String>,
    /// The programs that are started for the agent.
    pub programs: OwnPrograms,
}

impl Configuration for ConfiguredAgent {
    fn load(&self) -> Result<AgentConfig, Failure> {
        self.configure(&self.open_fleet()?)
    }

    fn start(&self) -> Result<AgentConfig, Failure> {
        let fleet = self.open_fleet()?;
        // What does not start accepts nothing.
        let config = self.configure_for(&fleet, true)?;
        self.review(&fleet)?.accept_first()?;
        Ok(config)
    }

    fn append_to_overlay(&self, line: &str) -> Result<(), Failure> {
        self.expect_overlay()?;
        let appended = self.open_prompt()?.append(line).map_err(|error| config_error(&error))?;
        appended.map(|_| ()).map_err(|refusal| prompt_failure(&refusal))
    }

    fn replace_overlay(&self, text: &str, expected: Option<&str>) -> Result<(), Failure> {
        self.expect_overlay()?;
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
    fn open_fleet(&self) -> Result<FleetPlace, Failure> {
        let project = self.project.as_deref().filter(|_| !self.is_of_compose_root);
        let options = FleetOptions { project, ..FleetOptions::default() };
        open_fleet(&self.base, &options).map_err(|error| config_error(&error))
    }

    fn open_prompt(&self) -> Result<AgentPrompt, Failure> {
        AgentPrompt::open(&self.base, Some(&self.name)).map_err(|error| config_error(&error))
    }

    /// Fails for an agent whose prompt has no overlay.
    fn expect_overlay(&self) -> Result<(), Failure> {
        if !self.is_of_compose_root {
            return Ok(());
        }
        let message = "the prompt of an agent of a compose root is its role prompt; edit its files";
        Err(Failure::new(ErrorCode::ArgsInvalid, message))
    }

    /// Returns the agent, if its files are valid.
    fn find<'f>(&self, fleet: &'f FleetPlace) -> Result<&'f FleetAgent, Failure> {
        let found = match &self.project {
            Some(project) if self.is_of_compose_root => fleet.find(&format!("{project}/{}", self.name)),
            _ => fleet.agent(&self.name),
        };
        let agent = found.ok_or_else(|| {
            let message = format!("the fleet has no agent `{}`", self.name.escape_debug());
            Failure::new(ErrorCode::AgentNotFound, message)
        })?;
        agent.problem.as_ref().map_or(Ok(agent), |problem| Err(config_invalid(problem, 1)))
    }

    /// Compares what the files permit with what a person accepted.
    ///
    /// # Errors
    ///
    /// Returns `agent.not_found` if the agent is not configured, and `config.invalid` if the files have errors or let the agent
    /// change its own policy.
    pub fn review(&self, fleet: &FleetPlace) -> Result<PolicyReview, Failure> {
        if let Some(problem) = fleet.problems.first() {
            return Err(config_invalid(problem, fleet.problems.len()));
        }
        let agent = self.find(fleet)?;
        PolicyReview::open(agent, fleet, &id_of(agent)?, self.cwd.as_deref())
    }

    /// Returns the configuration of the agent in a fleet.
    ///
    /// # Errors
    ///
    /// Returns `config.invalid` if the files have errors, and `agent.not_found` if the agent is not configured.
    pub fn configure(&self, fleet: &FleetPlace) -> Result<AgentConfig, Failure> {
        self.configure_for(fleet, false)
    }

    fn configure_for(&self, fleet: &FleetPlace, is_start: bool) -> Result<AgentConfig, Failure> {
        if let Some(problem) = fleet.problems.first() {
            return Err(config_invalid(problem, fleet.problems.len()));
        }
        let agent = self.find(fleet)?;
        if self.model.as_ref().is_some_and(|id| agent.model.as_ref().is_none_or(|model| model.id != *id)) {
            let message = "the model of an agent is that of its file in this version";
            return Err(Failure::new(ErrorCode::ArgsInvalid, message));
        }
        let id = id_of(agent)?;
        let mut review = self.review(fleet)?;
        let server_secrets = std::mem::take(&mut review.secrets);
        let tools = review.settings(agent, fleet, is_start)?;
        let engine = engine(agent, fleet, &tools, &self.programs)?;
        // An engine knows its models itself.
        let model = agent.model.as_ref().filter(|_| engine.is_none()).map(model).transpose()?;
        let mut secrets = secrets(agent, fleet)?;
        secrets.extend(engine_secrets(agent, engine.as_ref()));
        secrets.extend(server_secrets.into_iter().map(Secret));
        let tuning = &fleet.settings.tuning;
        let days = fleet.settings.retention_days;
        Ok(AgentConfig {
            id,
            cwd: text(self.cwd.as_deref().unwrap_or(&agent.cwd))?,
            state_folder: agent.state.clone(),
            prompt: prompt(agent, &tools.given_tools())?,
            tools,
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
                max_turn_time: agent.turn_seconds.map_or(DEFAULT_TURN_TIME, Duration::from_secs),
                metrics_port: u16::try_from(agent.prometheus_port).ok().filter(|port| *port > 0),
            },
            model,
            engine,
        })
    }
}

fn id_of(agent: &FleetAgent) -> Result<AgentId, Failure> {
    AgentId::parse(&agent.id).map_err(|error| Failure::new(ErrorCode::ConfigInvalid, error.to_string()))
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

/// Returns the configuration of a model.
pub(crate) fn model(model: &FleetModel) -> Result<ModelConfig, Failure> {
    let provider = model.provider.clone().ok_or_else(|| {
        let message = format!("no `models.yaml` defines the model `{}`", model.id.escape_debug());
        Failure::new(ErrorCode::ConfigInvalid, message)
    })?;
    let settings = model.settings.expose();
    let name = settings.get("model").and_then(Value::as_str).unwrap_or(&model.id);
    // Settings that are not interpreted here are parameters of the provider.
    let further = settings.iter().filter(|(key, _)| !OWN_SETTINGS.contains(&key.as_str()));
    let further = further.map(|(key, value)| (key.clone(), value.clone()));
    Ok(ModelConfig {
        id: model.id.clone(),
        provider,
        api_type: model.api_type.clone(),
        base_url: model.base_url.clone(),
        key_variable: model.key_variable.clone(),
        key: key(model)?,
        name: name.to_owned(),
        window: model.context_window_size.unwrap_or_default(),
        parameters: model.default_inference.clone().into_iter().chain(further).collect(),
        script: model.script.clone(),
    })
}

/// Returns the value of the variable with the key of a model.
fn key(model: &FleetModel) -> Result<Option<Secret>, Failure> {
    let Some(name) = &model.key_variable else { return Ok(None) };
    let value = minds_process::variable(name)
        .map_err(|error| Failure::new(ErrorCode::ConfigInvalid, error.to_string()))?;
    Ok(value.filter(|value| !value.is_empty()).map(Secret))
}

fn prompt(agent: &FleetAgent, tools: &[&str]) -> Result<PromptConfig, Failure> {
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
    if agent.is_of_compose_root {
        // A role prompt is used as it is; the tools are those of the runtime.
        return Ok(PromptConfig { effective: base.clone(), base, overlay });
    }
    Ok(PromptConfig {
        // The prompt describes no tool that the agent does not have.
        effective: effective(
            &base,
            &overlay,
            agent.given_tools.iter().copied().filter(|tool| tools.contains(&tool.name)),
        ),
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
    if let Some(model) = &agent.model {
        secrets.extend(key(model)?);
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
