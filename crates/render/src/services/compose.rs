//! The agents of a compose root.

use minds_compose::{AgentId, AgentRef, COMPOSE_FILE, Compose, ComposeFamily, Prompt, RolePrompt};
use minds_document::{Document, Spanned};

use super::command::{Command, Placeholder};
use super::service::{EnvironmentFile, Place, Service, Value};
use super::{behind_names, resolved};
use crate::artifact::{Artifact, RenderError};

/// What `teamctl` starts an agent with: a script that it writes itself, and the id of the agent.
const SCRIPT: &str = "bin/agent-wrapper.sh";

/// The variable with the directory of an agent's project.
const PROJECT_VARIABLE: &str = "CLAUDE_PROJECT_DIR";

/// How many seconds agents have to end if nobody says so, as with `teamctl`.
const STOP_SECONDS: u64 = 10;

/// Returns a service for each agent, in the order of the projects, managers first.
///
/// `root` is the compose root, an absolute path without links; `made` are its [artifacts](crate::artifacts()), sorted as
/// they come, which have the environments. Without a command agents are started with what `teamctl` starts them with, in the root; a command is
/// started in the directory of the agent's project, and `CLAUDE_PROJECT_DIR` is the whole path of that.
///
/// A `..` behind a name leads to where the system goes, which follows links: `real` returns the directory without links
/// that an absolute path means, or none if there is none. Then the path is resolved by its names.
///
/// # Errors
///
/// Fails if the family could not be read in full.
pub fn of_compose(
    family: &ComposeFamily,
    made: &[Artifact],
    root: &str,
    command: Option<&Command>,
    real: &dyn Fn(&str) -> Option<String>,
) -> Result<Vec<Service>, RenderError> {
    let unreadable = || RenderError::Unreadable { what: COMPOSE_FILE.to_owned() };
    let (compose, tree) = family.readable().ok_or_else(unreadable)?;
    let all = All { family, compose, tree, made, root, command, real };
    family.agents().into_iter().map(|agent| all.service(agent)).collect()
}

/// What all agents share.
struct All<'a> {
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

impl All<'_> {
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
        let directory = Value::new("`cwd`", self.followed(&cwd.value)).at(place(agent.document, Some(cwd)));
        let root = Value::new("the path of the compose root", resolved(self.root, ""));
        let environment_file = self.environment_file(agent, &id)?;
        let env_file = environment_file.path.text.clone();
        let (command, runs_in) = match self.command {
            None => {
                let script = Value::new("the path of the script of `teamctl`", resolved(self.root, SCRIPT));
                (vec![script, Value::new("the id", id.to_string())], root.clone())
            }
            Some(command) => (
                command.fill(|placeholder| match placeholder {
                    Placeholder::Project => id.project.clone(),
                    Placeholder::Agent => id.agent.clone(),
                    Placeholder::Root => root.text.clone(),
                    Placeholder::Cwd => directory.text.clone(),
                    Placeholder::EnvFile => env_file.clone(),
                    // It is refused before.
                    Placeholder::RedisUrl => String::new(),
                }),
                directory.clone(),
            ),
        };
        // The file says it as the team does: from the root, and through links that a container has not.
        let is_followed = behind_names(&cwd.value).is_some();
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
            hands_over_environment: self.command.is_some_and(|command| command.uses(Placeholder::EnvFile)),
            stop_seconds: drain.map_or(STOP_SECONDS, |drain| drain.value),
            stop_place: place(self.tree, drain),
            place: Some(Place::new(agent.document, agent.agent.id.span, agent.agent.id.node)),
            inputs,
            ..service
        })
    }

    /// Returns the path of what is written in a file of the team, where the system goes.
    fn followed(&self, written: &str) -> String {
        let found = behind_names(written).and_then(|(through, rest)| {
            let start = if through.starts_with('/') { String::new() } else { format!("{}/", self.root) };
            Some(resolved(&(self.real)(&format!("{start}{through}"))?, rest.trim_start_matches('/')))
        });
        found.unwrap_or_else(|| resolved(self.root, written))
    }

    /// Returns the directory of the mailbox, which all agents share: beside its file others come and go.
    fn mailbox_directory(&self, environment: &EnvironmentFile) -> Option<Value> {
        let (_, mailbox) = environment.variables.iter().find(|(key, _)| key == "TEAMCTL_MAILBOX")?;
        let path = self.followed(&mailbox.text);
        let (parent, _) = path.rsplit_once('/')?;
        let parent = if parent.is_empty() { "/" } else { parent };
        Some(Value::new("the directory of the mailbox", parent).at(mailbox.place.clone()))
    }

    /// Returns the files that are read where they stand: those of projects, and the role prompt of an agent.
    fn files(&self, agent: AgentRef<'_>) -> Vec<Value> {
        let named = |name: &str, path: &str| Value::new(name, self.followed(path));
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

    /// Returns the environment, which is that of the artifact, each value at the place that it comes from.
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
        let named = Value::new("the path of the environment", resolved(self.root, &path));
        Ok(EnvironmentFile { path: named, variables: variables.collect() })
    }

    /// Returns the place that says a variable; none if no file does.
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
