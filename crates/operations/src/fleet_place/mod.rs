//! Where a fleet is, and what its agents are started with.

mod agent;
mod compose;
mod engine;
mod member;
mod model;
mod rights;
mod secret;
mod settings;
mod transport;
mod values;

use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use minds_diagnostics::{Diagnostic, Problems, Severity};
use minds_fleet::{FOLDER, FleetFamily};
use minds_vfs::{ContentHash, MountId};

use crate::OperationError;
use crate::fleet::Stack;

use compose::ComposeAgents;

pub use agent::{FleetAgent, FleetFile, FleetPrompt, FleetTool};
pub use engine::{FleetEngine, FleetEnvValue, FleetProgram};
pub use member::FleetMember;
pub use model::FleetModel;
pub use rights::FleetRights;
pub use secret::Secret;
pub use settings::{FleetSettings, FleetTuning};
pub use transport::{FleetTransport, RedisPlace};

/// The number of hexadecimal digits of the id of a fleet on this machine.
const FLEET_DIGITS: usize = 16;

/// What takes precedence over the files of a fleet.
#[derive(Clone, Copy, Debug, Default)]
pub struct FleetOptions<'o> {
    /// Whether the fleet is on this machine.
    pub is_local: bool,
    /// The URL of the Redis server of the fleet.
    pub redis: Option<&'o str>,
    /// The name of the project.
    pub project: Option<&'o str>,
}

/// A fleet: where its agents meet, and what each of them is started with.
///
/// Values of secrets are in it, and not in its debug output.
#[derive(Clone, Debug)]
pub struct FleetPlace {
    /// The real path of the workspace.
    pub workspace: PathBuf,
    /// Whether the workspace, a directory above it or the home directory has a fleet.
    pub has_files: bool,
    /// The layers, highest first.
    pub layers: Vec<MountId>,
    /// The name of the project, which is the first part of the id of each agent.
    pub project: String,
    /// Whether the name of the project is that of the directory, because no file names it.
    pub is_project_of_directory: bool,
    /// The id of the fleet on this machine. Agents with the same one see each other.
    pub fleet_id: String,
    /// What connects the agents and their clients.
    pub transport: FleetTransport,
    /// The errors in the files. If there are any, agents may be incomplete.
    pub problems: Vec<FleetProblem>,
    /// The settings of all agents.
    pub settings: FleetSettings,
    /// The models of all layers, by id.
    pub models: Vec<FleetModel>,
    /// The configured agents: those of the layers by name, and those of the compose root of the workspace in its order.
    pub agents: Vec<FleetAgent>,
    /// Why agents of the compose root are not among them.
    pub unlisted: Vec<FleetProblem>,
}

/// An error in a file of a fleet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FleetProblem {
    /// The file, with the name of the mount in front if it is in another layer; `None` if it is about no file.
    pub file: Option<String>,
    /// The line, from 1.
    pub line: Option<usize>,
    /// The message.
    pub message: String,
}

impl FleetPlace {
    /// Returns the agent of the layers with a name.
    pub fn agent(&self, name: &str) -> Option<&FleetAgent> {
        self.agents.iter().find(|agent| agent.name == name && !agent.is_of_compose_root)
    }

    /// Returns the configured agent with an id.
    pub fn find(&self, id: &str) -> Option<&FleetAgent> {
        self.agents.iter().find(|agent| agent.id == id)
    }

    /// Adds the agents of the compose root. An agent whose id a layer defines too is neither of both.
    fn add_compose_agents(&mut self) {
        let ComposeAgents { agents, unlisted } = compose::read(&self.workspace);
        self.unlisted = unlisted;
        for agent in agents {
            match self.agents.iter_mut().find(|known| known.id == agent.id) {
                None => self.agents.push(agent),
                Some(known) => {
                    known.problem = Some(FleetProblem {
                        file: Some(known.defined_in.clone()),
                        line: None,
                        message: format!(
                            "the id `{}` is also defined in `{}`; rename one of the agents, or one of the projects",
                            agent.id, agent.defined_in
                        ),
                    });
                }
            }
        }
    }

    /// Returns the model with an id.
    pub fn model(&self, id: &str) -> Option<&FleetModel> {
        self.models.iter().find(|model| model.id == id)
    }
}

/// Finds the fleet of the workspace at or above `base`, or of `base` itself if there is none, with the agents of the compose
/// root of that workspace. Errors in the files of the compose root make only its own agents unavailable.
///
/// The transport is the first of: the options, `ATEAM_REDIS_URL`, `mcp.transport` of the files, this machine. The id of the
/// fleet on this machine is the first of: `MINDS_FLEET`, `mcp.transport.name`, 16 digits of the hash of the real path.
///
/// # Errors
///
/// Fails if `base` does not exist or a layer cannot be opened; and if a value that decides where the fleet is cannot be read.
pub fn open_fleet(base: &Path, options: &FleetOptions<'_>) -> Result<FleetPlace, OperationError> {
    let stack = Stack::open(base)?;
    let mut found = Problems::new();
    let family = FleetFamily::load(&stack.snapshot).take(&mut found);
    found.append(minds_fleet::check(&family));
    let errors = found.into_sorted().into_iter().filter(|found| found.severity == Severity::Error);
    let problems = errors.map(FleetProblem::from).collect();
    let workspace = path_of(&stack, &MountId::WORKSPACE)?.to_owned();
    let named = values::project_name(&family);
    let is_project_of_directory = options.project.is_none() && named.is_none();
    let project = options.project.map(str::to_owned).or(named).unwrap_or_else(|| stack.project.clone());
    let (transport, name) = transport::find(&family, options)?;
    let variable = minds_process::variable("MINDS_FLEET")?.filter(|id| !id.is_empty());
    let mut place = FleetPlace {
        has_files: !family.layers.is_empty(),
        layers: family.layers.iter().map(|layer| layer.mount.clone()).collect(),
        is_project_of_directory,
        fleet_id: variable.or(name).unwrap_or_else(|| fleet_id(&workspace)),
        transport,
        problems,
        settings: settings::read(&family)?,
        models: model::read_all(&stack, &family)?,
        agents: Vec::new(),
        unlisted: Vec::new(),
        workspace,
        project,
    };
    for (name, (_, entry)) in family.agents() {
        place.agents.push(agent::read(&stack, &family, &place, name, entry)?);
    }
    place.add_compose_agents();
    Ok(place)
}

/// Returns the absolute path of a layer.
fn path_of<'s>(stack: &'s Stack, mount: &MountId) -> Result<&'s Path, OperationError> {
    let found = stack.paths.iter().find(|(known, _)| known == mount);
    found
        .map(|(_, path)| path.as_path())
        .ok_or_else(|| unusable(format!("the directory `{FOLDER}` of `{}` is not open", mount.as_str())))
}

/// Returns the id of the fleet of a workspace.
fn fleet_id(workspace: &Path) -> String {
    let hash = ContentHash::of(workspace.as_os_str().as_bytes()).to_string();
    hash.chars().skip_while(|c| *c != ':').skip(1).take(FLEET_DIGITS).collect()
}

fn unusable(reason: String) -> OperationError {
    OperationError::UnusableFleet { reason }
}

impl From<Diagnostic> for FleetProblem {
    fn from(found: Diagnostic) -> Self {
        let line = |label: &minds_diagnostics::Label| {
            usize::try_from(label.source.range(label.span).start.line).unwrap_or(usize::MAX)
        };
        Self {
            file: found.primary.as_ref().map(|label| label.source.name().to_owned()),
            line: found.primary.as_ref().map(line),
            message: found.message,
        }
    }
}
