//! `agents.spawn`.

use std::path::Path;

use minds_fleet_protocol::{ErrorCode, Failure};
use minds_fs::{Kind, real_path};
use minds_vfs::{ContentHash, Expected, WorkspacePath};
use serde::Serialize;

use crate::arguments::AgentsSpawn;
use crate::member::FileAccess;
use crate::outcome::{Refusal, ToolOutcome, quote};
use crate::policy::{ExecPolicy, Policy};
use crate::reach::{Bounds, Reached};
use crate::toolbox::Question;

/// The name of the tool. An agent that was started with it does not have it.
const NAME: &str = "agents.spawn";
/// The maximum size of the file with the system prompt, in bytes.
const MAX_PROMPT_BYTES: u64 = 64 << 10;
/// The maximum length of the name of a project or an agent.
const MAX_NAME: usize = 64;
/// The maximum length of the name of a model.
const MAX_MODEL: usize = 256;

/// An agent that another agent starts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SpawnRequest {
    /// The name of its project.
    pub project: String,
    /// Its name.
    pub name: String,
    /// Its model.
    pub model: String,
    /// Its system prompt.
    pub system_prompt: String,
    /// What it may do at most, which is less than the agent that starts it may: it has no further folders than its working
    /// folder, which is one of that agent.
    pub policy: Policy,
}

/// An agent that was started.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SpawnedAgent {
    /// Its id.
    pub id: String,
    /// Its process id.
    pub pid: u32,
}

/// Creates and starts an agent. If it fails, nothing of the agent is left.
pub type AgentSpawner<'a> = Box<dyn Fn(&SpawnRequest) -> Result<SpawnedAgent, Failure> + Send + 'a>;

/// Returns what a call asks for, within the policy of the agent that makes it.
pub(crate) fn prepare(bounds: &Bounds, arguments: &AgentsSpawn) -> Result<SpawnRequest, Refusal> {
    for (argument, text) in [("project", &arguments.project), ("name", &arguments.name)] {
        let is_valid = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
        if !(1..=MAX_NAME).contains(&text.len()) || !text.bytes().all(is_valid) {
            let message = "does not have 1 to 64 characters of `A-Za-z0-9_-`";
            return Err(Refusal::invalid(format!("invalid arguments: `{argument}` {message}")));
        }
    }
    let is_model = |model: &str| !model.trim().is_empty() && !model.contains(char::is_control);
    if !is_model(&arguments.model_id) || arguments.model_id.len() > MAX_MODEL {
        return Err(Refusal::invalid("invalid arguments: `model_id` is not the name of a model"));
    }
    if arguments.kb_seeds.as_ref().is_some_and(|seeds| !seeds.is_empty()) {
        let message = "this version has no knowledge base that `kb_seeds` could fill; leave it out";
        return Err(Refusal::invalid(message));
    }
    let policy = &bounds.policy;
    if policy.members.len() > 1 {
        let message = "the agent has had different members of the team, and a new agent has one: accept the member of its file";
        return Err(Refusal::deny(message));
    }
    let cwd = working_folder(bounds, &arguments.cwd)?;
    let system_prompt = match &arguments.system_base_path {
        Some(path) => read_prompt(bounds, path)?,
        None => format!("You are the agent {} of the project {}.\n", arguments.name, arguments.project),
    };
    let mut tools = policy.tools.clone();
    tools.remove(NAME);
    Ok(SpawnRequest {
        project: arguments.project.clone(),
        name: arguments.name.clone(),
        model: arguments.model_id.clone(),
        system_prompt,
        policy: Policy {
            tools,
            denied: policy.denied.clone(),
            servers: policy.servers.clone(),
            members: policy.members.clone(),
            confirm: policy.confirm.clone(),
            folders: [cwd.clone()].into(),
            cwd,
            exec: ExecPolicy { require_sandbox: policy.exec.require_sandbox, ..ExecPolicy::default() },
            r#unsafe: false,
            engine: policy.engine.clone(),
        },
    })
}

/// Returns the real path of the working folder, which is in a folder of the agent.
fn working_folder(bounds: &Bounds, given: &str) -> Result<String, Refusal> {
    let reached = Reached::open(bounds, given, FileAccess::Read)?;
    reached.expect_writable(&reached.path)?;
    let path = Path::new(&reached.folder).join(reached.path.as_str());
    let is_directory = reached.path == WorkspacePath::root()
        || reached.root.resolving().metadata(&reached.path).map_err(|error| reached.refuse(&error))?.kind
            == Kind::Directory;
    if !is_directory {
        return Err(Refusal::invalid(format!("{} is not a directory", quote(given))));
    }
    let outside = || Refusal::deny(format!("{} is outside the folders of the agent", quote(given)));
    let real = real_path(&path).ok().and_then(|real| real.to_str().map(str::to_owned)).ok_or_else(outside)?;
    // A link may lead to another folder of the agent.
    let reached = Reached::open(bounds, &real, FileAccess::Read)?;
    reached.expect_writable(&reached.path)?;
    Ok(real)
}

fn read_prompt(bounds: &Bounds, path: &str) -> Result<String, Refusal> {
    let reached = Reached::open(bounds, path, FileAccess::Read)?;
    let file = reached.root.resolving().open(&reached.path).map_err(|error| reached.refuse(&error))?;
    reached.expect_permitted(file.real())?;
    let bytes = file.read(MAX_PROMPT_BYTES).map_err(|error| reached.refuse(&error))?.bytes;
    String::from_utf8(bytes).map_err(|_| Refusal::invalid(format!("{} is not valid UTF-8", quote(path))))
}

/// Returns the question to the owner.
pub(crate) fn question(request: &SpawnRequest) -> Question {
    let SpawnRequest { project, name, model, system_prompt, policy } = request;
    let list =
        |names: &std::collections::BTreeSet<String>| names.iter().cloned().collect::<Vec<_>>().join(", ");
    Question {
        title: format!("start the new agent `{project}/{name}`"),
        body: format!(
            "model: {}\ncwd: {}\ntools: {}\nconfirm: {}\n{}system prompt:\n{system_prompt}",
            model.escape_debug(),
            policy.cwd.escape_debug(),
            list(&policy.tools),
            list(&policy.confirm),
            policy
                .members
                .first()
                .map(|name| format!("member: {}\n", name.escape_debug()))
                .unwrap_or_default(),
        ),
    }
}

/// Returns the hash of a request, with which it is compared after the owner has confirmed it.
pub(crate) fn hash_request(request: &SpawnRequest) -> Expected {
    Expected::Content(ContentHash::of(format!("{request:?}").as_bytes()))
}

/// Runs `agents.spawn`.
pub(crate) fn spawn(
    spawner: Option<&AgentSpawner<'_>>,
    request: &SpawnRequest,
    confirmed: Option<Expected>,
) -> Result<ToolOutcome, Refusal> {
    if confirmed != Some(hash_request(request)) {
        let message = "the agent would be another one than the owner confirmed: call the tool again";
        return Err(Refusal::deny(message));
    }
    let Some(spawner) = spawner else { return Err(Refusal::deny("this program cannot start agents")) };
    let started = spawner(request).map_err(|failure| Refusal {
        code: failure.code().unwrap_or(ErrorCode::HandlerError),
        message: failure.message,
    })?;
    Ok(ToolOutcome::success(&started))
}
