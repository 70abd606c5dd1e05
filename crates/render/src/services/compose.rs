//! Services for the agents of a compose root.

use minds_compose::{AgentId, AgentRef, COMPOSE_FILE, Compose, ComposeFamily, Prompt, RolePrompt};
use minds_document::{Document, Spanned};

use super::command::{Command, Placeholder};
use super::service::{EnvironmentFile, Place, Service, Value};
use super::{resolve_path, split_at_last_parent};
use crate::artifact::{Artifact, RenderError};

/// The script, written by `teamctl`, with which it starts an agent.
const SCRIPT: &str = "bin/agent-wrapper.sh";

/// The environment variable with the project directory of an agent.
const PROJECT_VARIABLE: &str = "CLAUDE_PROJECT_DIR";

/// The default shutdown timeout in seconds, the same as that of `teamctl`.
const STOP_SECONDS: u64 = 10;

/// Returns a service for each agent, in the order of the projects, managers first.
///
/// `root` is the compose root, an absolute path without symbolic links. `made` are its
/// [artifacts](crate::artifacts()), sorted by path; they contain the environments. Without `command`, agents
/// are started with the script of `teamctl`, in the root. A command is started in the directory of the
/// agent's project, and `CLAUDE_PROJECT_DIR` is the absolute path of that directory.
///
/// For a `..` after a directory name, symbolic links must be resolved: `real` returns the real path of an
/// absolute directory path, or `None` if it does not exist. In that case the path is resolved lexically.
///
/// # Errors
///
/// Fails if a part of the family could not be read.
pub fn of_compose(
    family: &ComposeFamily,
    made: &[Artifact],
    root: &str,
    command: Option<&Command>,
    real: &dyn Fn(&str) -> Option<String>,
) -> Result<Vec<Service>, RenderError> {
    let unreadable = || RenderError::Unreadable { what: COMPOSE_FILE.to_owned() };
    let (compose, tree) = family.readable().ok_or_else(unreadable)?;
    let all = AllAgents { family, compose, tree, made, root, command, real };
    family.agents().into_iter().map(|agent| all.service(agent)).collect()
}

/// The settings that all agents share.
struct AllAgents<'a> {
    family: &'a ComposeFamily,
    compose: &'a Compose,
    tree: &'a Document,
    made: &'a [Artifact],
    root: &'a str,
    command: Option<&'a Command>,
    real: &'a dyn Fn(&str) -> Option<String>,
}

fn place<T>(document: &Document, value: Option<&Spanned<T>>) -> Option<Place> {
    value.map(|value| Place::new(document, value.span, value.node))
}

impl AllAgents<'_> {
    fn service(&self, agent: AgentRef<'_>) -> Result<Service, RenderError> {
        let unreadable = || RenderError::Unreadable { what: agent.file.entry.value.clone() };
        let id = agent.id().ok_or_else(unreadable)?;
        let fields = agent.fields().ok_or_else(unreadable)?;
        let cwd = agent
            .project
            .head
            .as_given()
            .and_then(|head| head.value.cwd.as_given())
            .ok_or_else(unreadable)?;
        let directory =
            Value::new("`cwd`", self.follow_links(&cwd.value)).at(place(agent.document, Some(cwd)));
        let root = Value::new("the path of the compose root", resolve_path(self.root, ""));
        let environment_file = self.environment_file(agent, &id)?;
        let env_file = environment_file.path.text.clone();
        let (command, runs_in) = match self.command {
            None => {
                let script =
                    Value::new("the path of the script of `teamctl`", resolve_path(self.root, SCRIPT));
                (vec![script, Value::new("the id", id.to_string())], root.clone())
            }
            Some(command) => (
                command.fill(|placeholder| match placeholder {
                    Placeholder::Project => id.project.clone(),
                    Placeholder::Agent => id.agent.clone(),
                    Placeholder::Root => root.text.clone(),
                    Placeholder::Cwd => directory.text.clone(),
                    Placeholder::EnvFile => env_file.clone(),
                    // The caller refuses this placeholder.
                    Placeholder::RedisUrl => String::new(),
                }),
                directory.clone(),
            ),
        };
        // The environment file contains the path as written in the project file: relative to the root, and
        // possibly through links that do not exist in a container.
        let is_followed = split_at_last_parent(&cwd.value).is_some();
        let is_elsewhere = self.command.is_some() && directory.text != root.text;
        let environment = if *directory.text != *cwd.value && (is_followed || is_elsewhere) {
            vec![(PROJECT_VARIABLE, directory.clone())]
        } else {
            Vec::new()
        };
        let title = fields.display_name.as_given();
        let title_of = |name: &Spanned<minds_compose::RawScalar>| {
            let text = format!("Agent {id} ({})", name.value);
            Value::new("`display_name`", text).at(place(agent.document, Some(name)))
        };
        let supervisor = self.compose.supervisor.as_given();
        let drain = supervisor.and_then(|supervisor| supervisor.value.drain_timeout_secs.as_given());
        let mut inputs = vec![COMPOSE_FILE.to_owned(), agent.document.source().name().to_owned()];
        inputs.sort();
        let directories = [root, directory].into_iter().chain(self.mailbox_directory(&environment_file));
        let service = Service::new(id.stem(), id.to_string(), runs_in);
        Ok(Service {
            description: title.map_or_else(|| service.description.clone(), title_of),
            command,
            directories: directories.collect(),
            files: self.files(agent),
            environment_file: Some(environment_file),
            environment,
            passes_environment: self.command.is_some_and(|command| command.uses(Placeholder::EnvFile)),
            stop_seconds: drain.map_or(STOP_SECONDS, |drain| drain.value),
            stop_place: place(self.tree, drain),
            place: Some(Place::new(agent.document, agent.agent.id.span, agent.agent.id.node)),
            inputs,
            ..service
        })
    }

    /// Returns the absolute path of `written`, with symbolic links resolved where `..` requires it.
    fn follow_links(&self, written: &str) -> String {
        let found = split_at_last_parent(written).and_then(|(through, rest)| {
            let start = if through.starts_with('/') { String::new() } else { format!("{}/", self.root) };
            Some(resolve_path(&(self.real)(&format!("{start}{through}"))?, rest.trim_start_matches('/')))
        });
        found.unwrap_or_else(|| resolve_path(self.root, written))
    }

    /// Returns the directory of the mailbox, which all agents share. It is mounted as a whole because a database
    /// creates further files in it.
    fn mailbox_directory(&self, environment: &EnvironmentFile) -> Option<Value> {
        let (_, mailbox) = environment.variables.iter().find(|(key, _)| key == "TEAMCTL_MAILBOX")?;
        let path = self.follow_links(&mailbox.text);
        let (parent, _) = path.rsplit_once('/')?;
        let parent = if parent.is_empty() { "/" } else { parent };
        Some(Value::new("the directory of the mailbox", parent).at(mailbox.place.clone()))
    }

    /// Returns the files that are read in place: the project files, and the role prompt of the agent.
    fn files(&self, agent: AgentRef<'_>) -> Vec<Value> {
        let named = |name: &str, path: &str| Value::new(name, self.follow_links(path));
        let projects = self.family.projects.iter().map(|file| {
            named("the path of a project file", &file.entry.value).at(place(self.tree, Some(&file.entry)))
        });
        let prompt = agent.fields().and_then(|fields| match &fields.role_prompt.as_given()?.value {
            RolePrompt::File(path) => Some(path),
            RolePrompt::Files(_) => None,
        });
        let is_text = |path: &str| matches!(self.family.prompts.get(path), Some(Prompt::Text(_)));
        let prompt = prompt.filter(|path| is_text(&path.value)).map(|path| {
            named("the path of the role prompt", &path.value).at(place(agent.document, Some(path)))
        });
        projects.chain(prompt).collect()
    }

    /// Returns the environment file from the artifact, with the source position of each value.
    fn environment_file(&self, agent: AgentRef<'_>, id: &AgentId) -> Result<EnvironmentFile, RenderError> {
        let unreadable = || RenderError::Unreadable { what: id.to_string() };
        let path = format!("state/envs/{}.env", id.stem());
        let at = self.made.binary_search_by(|artifact| artifact.path.as_str().cmp(&path));
        let artifact = at.ok().and_then(|at| self.made.get(at)).ok_or_else(unreadable)?;
        let text = std::str::from_utf8(&artifact.bytes).map_err(|_| unreadable())?;
        let variables = text.split_terminator('\n').filter_map(|line| line.split_once('='));
        let variables = variables.map(|(key, value)| {
            let named = Value::new(format!("the variable `{key}`"), value);
            (key.to_owned(), named.at(self.place_of(agent, key)))
        });
        let named = Value::new("the path of the environment", resolve_path(self.root, &path));
        Ok(EnvironmentFile { path: named, variables: variables.collect() })
    }

    /// Returns where the value of a variable is configured, if it is.
    fn place_of(&self, agent: AgentRef<'_>, key: &str) -> Option<Place> {
        let fields = agent.fields()?;
        let own = |value: Option<&Spanned<minds_compose::RawScalar>>| place(agent.document, value);
        match key {
            "RUNTIME" => own(fields.runtime.as_given()),
            "MODEL" => own(fields.model.as_given()),
            "PERMISSION_MODE" => own(fields.permission_mode.as_given()),
            "EFFORT" => own(fields.effort.as_given()),
            "SYSTEM_PROMPT_PATH" => place(agent.document, fields.role_prompt.as_given()),
            "CLAUDE_PROJECT_DIR" => own(agent.project.head.as_given()?.value.cwd.as_given()),
            "TEAMCTL_MAILBOX" => place(self.tree, self.compose.broker.as_given()?.value.path.as_given()),
            "TMUX_SESSION" => {
                place(self.tree, self.compose.supervisor.as_given()?.value.tmux_prefix.as_given())
            }
            _ => None,
        }
    }
}
