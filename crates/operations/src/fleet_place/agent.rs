//! What an agent is started with.

use std::path::{Path, PathBuf};

use minds_fleet::merge::{MergedValue, merge};
use minds_fleet::tools::{BUILTIN, Descriptor};
use minds_fleet::{AgentEntry, FleetFamily, Prompt};
use minds_fs::{home_directory, is_writable, state_folder};
use minds_vfs::{Location, MountId};

use super::engine::FleetEngine;
use super::model::FleetModel;
use super::rights::{self, FleetRights};
use super::values::{at, number, text};
use super::{FleetPlace, FleetProblem, path_of};
use crate::OperationError;
use crate::fleet::Stack;

/// The folder of the state of an agent in its own folder.
const STATE: &str = "state";

/// A configured agent.
#[derive(Clone, Debug)]
pub struct FleetAgent {
    /// Its id, `project/name`.
    pub id: String,
    /// Its name.
    pub name: String,
    /// Whether the compose root of the workspace defines it, and not a layer of the fleet.
    pub is_of_compose_root: bool,
    /// The file that defines it, for messages.
    pub defined_in: String,
    /// Why it cannot be started; `None` if its files are valid as far as they are about it alone.
    pub problem: Option<FleetProblem>,
    /// The mount of its layer.
    pub layer: MountId,
    /// Its folder, an absolute path.
    pub folder: PathBuf,
    /// The folder of its state, an absolute path. It need not exist.
    pub state: PathBuf,
    /// Its working directory, an absolute path.
    pub cwd: PathBuf,
    /// Its model; `None` if the file names none.
    pub model: Option<FleetModel>,
    /// The files of its prompt.
    pub prompt: FleetPrompt,
    /// The built-in tools that it has.
    pub given_tools: Vec<&'static Descriptor<'static>>,
    /// All tools that are built in or listed, by name.
    pub tools: Vec<FleetTool>,
    /// What performs its turns: `llm`, or another program.
    pub engine: String,
    /// The program that performs its turns; `None` for `llm`.
    pub program: Option<FleetEngine>,
    /// The maximum number of steps of a turn; `None` for the default.
    pub max_steps: Option<u64>,
    /// The maximum duration of a turn, in seconds; `None` for the default.
    pub turn_seconds: Option<u64>,
    /// The port for metrics; 0 for none.
    pub prometheus_port: u64,
    /// What its tools may do.
    pub rights: FleetRights,
}

/// The files of a prompt.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FleetPrompt {
    /// The base; `None` if the agent has none.
    pub base: Option<FleetFile>,
    /// The overlay; `None` if the agent has none.
    pub overlay: Option<FleetFile>,
}

/// A file of a prompt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FleetFile {
    /// Its absolute path.
    pub path: PathBuf,
    /// Its text; `None` if it does not exist or cannot be read.
    pub text: Option<String>,
}

/// Whether an agent has a tool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FleetTool {
    /// The name, with its version unless it is 1.
    pub name: String,
    /// What it does; `None` if it is not built in.
    pub doc: Option<&'static str>,
    /// Whether the agent has it.
    pub is_given: bool,
    /// Why the agent does not have it.
    pub reason: Option<&'static str>,
    /// Whether it waits for a confirmation.
    pub needs_confirmation: bool,
}

impl FleetTool {
    /// Returns a built-in tool that an agent does not have.
    pub(super) fn not_given(tool: &Descriptor<'static>, reason: &'static str) -> Self {
        Self {
            name: tool.name.to_owned(),
            doc: Some(tool.doc),
            is_given: false,
            reason: Some(reason),
            needs_confirmation: false,
        }
    }
}

/// Reads an agent.
pub(super) fn read(
    stack: &Stack,
    family: &FleetFamily,
    place: &FleetPlace,
    name: &str,
    entry: &AgentEntry,
) -> Result<FleetAgent, OperationError> {
    let folder = absolute(stack, &entry.folder)?;
    let document = entry.file.as_ref().and_then(|file| family.document(file)).filter(|_| !entry.is_legacy);
    let own = document.and_then(|document| merge([document.root()]));
    let value = |keys: &[&str]| own.as_ref().and_then(|own| at(own, keys));
    let model = entry.content().and_then(|agent| agent.model.as_given()).map(|model| model.value.as_str());
    let prompt = entry.prompt_files();
    let file = |prompt: Option<Prompt<'_>>, path: Option<Location>| {
        let Some(path) = path else { return Ok(None) };
        let text = match prompt {
            Some(Prompt::Text(source)) => source.text().ok().map(str::to_owned),
            Some(Prompt::Missing | Prompt::Unreadable) | None => None,
        };
        Ok::<_, OperationError>(Some(FleetFile { path: absolute(stack, &path)?, text }))
    };
    let files = entry.content().and_then(|agent| agent.prompt.as_given()).map(|files| &files.value);
    let location = |path: Option<&minds_document::Spanned<minds_fleet::model::PromptPath>>| {
        path.map(|path| entry.prompt_location(&path.value))
    };
    let effective = family.effective(name, &place.project);
    let tools = effective.iter().flat_map(|agent| {
        agent.tools.iter().map(|(tool, verdict)| {
            let name = tool.to_string();
            let doc = BUILTIN.iter().find(|known| known.name == name).map(|known| known.doc);
            let needs_confirmation = family.needs_confirmation(entry, tool);
            FleetTool {
                name,
                doc,
                is_given: verdict.is_ok(),
                reason: agent.why_not(tool),
                needs_confirmation,
            }
        })
    });
    Ok(FleetAgent {
        id: format!("{}/{name}", place.project),
        name: name.to_owned(),
        is_of_compose_root: false,
        defined_in: document
            .map_or_else(|| folder.display().to_string(), |document| document.source().name().to_owned()),
        problem: None,
        layer: entry.folder.mount.clone(),
        state: state(&folder, place, name)?,
        cwd: cwd(value(&["cwd"]), place),
        model: model.map(|id| place.model(id).cloned().unwrap_or_else(|| FleetModel::without_provider(id))),
        prompt: FleetPrompt {
            base: file(prompt.base, location(files.and_then(|files| files.base.as_given())))?,
            overlay: file(prompt.overlay, location(files.and_then(|files| files.overlay.as_given())))?,
        },
        given_tools: family.descriptors_of(entry),
        tools: tools.collect(),
        program: super::engine::read(entry),
        engine: engine(value(&["engine", "kind"]).or_else(|| value(&["engine"]))),
        rights: rights::read(own.as_ref(), effective.as_ref()),
        max_steps: value(&["limits", "max_steps"]).and_then(number),
        turn_seconds: value(&["limits", "turn_seconds"]).and_then(number),
        prometheus_port: value(&["telemetry", "prometheus_port"]).and_then(number).unwrap_or_default(),
        folder,
    })
}

/// Returns the folder of the state: in the folder of the agent if that can be written, else in the folder of the program.
fn state(folder: &Path, place: &FleetPlace, name: &str) -> Result<PathBuf, OperationError> {
    if is_writable(folder) {
        return Ok(folder.join(STATE));
    }
    let outside = state_folder(&place.workspace)?.join("fleet");
    Ok(outside.join(format!("{}-{name}", place.project)))
}

/// Returns the name of the engine.
fn engine(given: Option<&MergedValue<'_>>) -> String {
    given.and_then(text).unwrap_or("llm").to_owned()
}

/// Returns the working directory, which is relative to the workspace or begins with `~/`.
fn cwd(given: Option<&MergedValue<'_>>, place: &FleetPlace) -> PathBuf {
    let Some(given) = given.and_then(text) else { return place.workspace.clone() };
    let below_home = given.strip_prefix("~/").map(str::to_owned).or_else(|| (given == "~").then(String::new));
    match (below_home, home_directory()) {
        (Some(below), Some(home)) => home.join(below),
        _ => place.workspace.join(given),
    }
}

/// Returns the absolute path of a location.
fn absolute(stack: &Stack, location: &Location) -> Result<PathBuf, OperationError> {
    Ok(path_of(stack, &location.mount)?.join(location.path.as_str()))
}
