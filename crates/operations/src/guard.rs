//! Answering the hook events of clients.

use std::path::Path;

use minds_fs::{FileErrorKind, Root};
use minds_guard::{Answer, ClientId, Event, Kind, Member, Request, ShellPolicy, Surroundings};
use minds_vfs::portable::is_encapsulated;
use minds_vfs::{Location, MountId, Scope, WorkspacePath};
use minds_workspace::access::{Access, MemberAccess, TeamAccess};

use crate::access::WorkspaceRoots;
use crate::{OperationError, locate};

/// How events are answered.
#[derive(Clone, Copy, Debug)]
pub struct GuardRequest<'r> {
    /// The directory at or below the workspace.
    pub base: &'r Path,
    /// The client that sends the event.
    pub client: ClientId,
    /// The member that calls tools if the event does not name one.
    pub member: Option<&'r str>,
    /// The verdict about commands whose files are not known.
    pub shell: ShellPolicy,
    /// Whether calls that are allowed skip the question of the client.
    pub auto_allow: bool,
}

/// The maximum number of entries of the directory for task packages that are examined.
const MAX_PACKAGES: usize = 10_000;

/// Answers an event. Whatever cannot be read is denied.
pub fn guard(request: &GuardRequest<'_>, input: &[u8]) -> Answer {
    let event = match Event::parse(request.client, input) {
        Ok(event) => event,
        Err(reason) => return minds_guard::refuse(request.client, &reason),
    };
    if event.tool.is_none() {
        return minds_guard::answer_without_tool(request.client);
    }
    match answer(request, &event) {
        Ok(answer) => answer,
        Err(error) => minds_guard::refuse(request.client, &error.to_string()),
    }
}

fn answer(request: &GuardRequest<'_>, event: &Event) -> Result<Answer, OperationError> {
    let located = locate(request.base, &[])?;
    let no_team = || OperationError::NoTeam { place: format!("at or above `{}`", located.root) };
    let directory = located.directory.as_deref().ok_or_else(no_team)?;
    let root = Root::open(directory, MountId::WORKSPACE)?;
    let team = TeamAccess::load(&root.snapshot(&scope())).ok_or_else(no_team)?;
    let mut members = members(&team, event.agent.as_deref(), request.member)?;
    let workspace = Workspace::new(directory, &root, &team)?;
    let request = Request {
        client: request.client,
        shell: request.shell,
        auto_allow: request.auto_allow,
        surroundings: &workspace,
    };
    Ok(minds_guard::answer(&request, event, &mut members))
}

/// Returns the files that decide: nothing else is read, because the user waits for each answer.
fn scope() -> Scope {
    let files = [minds_core::TEAM_FILE, minds_core::MCP_FILE, minds_core::SETTINGS_FILE];
    let paths = files.into_iter().filter_map(|file| WorkspacePath::parse(file).ok());
    Scope::of_files(paths.map(|path| Location::new(MountId::WORKSPACE, path)))
}

/// Returns the members that must all be allowed: the one that the event names, otherwise the given one, otherwise all.
fn members<'t>(
    team: &'t TeamAccess,
    agent: Option<&str>,
    given: Option<&str>,
) -> Result<Vec<Box<dyn Member + 't>>, OperationError> {
    // Without a list of members, every id is that of a member that is denied everything.
    let ids = team.ids();
    let is_member = |id: &&str| ids.is_some() && team.member(id).is_ok();
    let ids = match (agent.filter(is_member), given) {
        (Some(id), _) | (None, Some(id)) => vec![id],
        (None, None) => ids.clone().unwrap_or_else(|| vec![""]),
    };
    let members = ids.into_iter().map(|id| {
        let member = crate::member_access(team, id)?;
        Ok(Box::new(GuardedMember(member)) as Box<dyn Member>)
    });
    members.collect()
}

/// A member whose access is explained as in the access queries.
struct GuardedMember<'t>(MemberAccess<'t>);

impl Member for GuardedMember<'_> {
    fn id(&self) -> &str {
        &self.0.id
    }

    fn decide(&mut self, access: Access, path: &WorkspacePath) -> Result<(), String> {
        let decision = self.0.decide(access, path.as_str());
        if decision.is_allowed() { Ok(()) } else { Err(decision.to_string()) }
    }

    fn denial_below(&mut self, access: Access, directory: &WorkspacePath) -> Option<String> {
        self.0.denial_below(access, directory).map(|entry| entry.to_string())
    }

    fn has_lists(&self) -> bool {
        self.0.has_lists()
    }

    fn lacks_tools(&self, access: Access) -> bool {
        self.0.lacks_tools(access)
    }

    fn lacks_shell(&self) -> bool {
        self.0.lacks_shell()
    }

    fn has_server_tool(&self, server: &str, tool: &str) -> bool {
        self.0.has_server_tool(server, tool)
    }
}

/// A workspace on disk.
#[derive(Debug)]
struct Workspace<'w> {
    roots: Vec<String>,
    root: &'w Root,
    task_home: Option<WorkspacePath>,
    servers: Vec<String>,
}

impl<'w> Workspace<'w> {
    fn new(directory: &Path, root: &'w Root, team: &TeamAccess) -> Result<Self, OperationError> {
        let roots = WorkspaceRoots::of(directory)?.0;
        let servers = team.server_ids().map(str::to_owned).collect();
        Ok(Self { roots, root, task_home: team.task_home(), servers })
    }
}

impl Surroundings for Workspace<'_> {
    fn roots(&self) -> Vec<String> {
        self.roots.clone()
    }

    fn real_path(&self, path: &str) -> Result<String, String> {
        let real = minds_fs::real_path(Path::new(path)).map_err(str::to_owned)?;
        real.into_os_string().into_string().map_err(|_| "its real path is not valid UTF-8".to_owned())
    }

    fn kind(&self, path: &str) -> Kind {
        match minds_fs::may_be_directory(Path::new(path)) {
            Some(true) => Kind::Directory,
            Some(false) => Kind::File,
            None => Kind::Missing,
        }
    }

    fn packages(&self) -> Vec<WorkspacePath> {
        // If the setting cannot be read, packages can be anywhere.
        let Some(home) = &self.task_home else { return vec![WorkspacePath::root()] };
        let listing = match self.root.resolving().list(home, MAX_PACKAGES) {
            Ok(listing) => listing,
            Err(error) if matches!(error.kind(), FileErrorKind::NotFound | FileErrorKind::NotDirectory) => {
                return Vec::new();
            }
            Err(_) => return vec![home.clone()],
        };
        let names = listing.entries.iter().filter_map(|entry| entry.real.file_name());
        names.filter(|name| is_encapsulated(name)).filter_map(|name| home.join(name).ok()).collect()
    }

    fn servers(&self) -> Vec<String> {
        self.servers.clone()
    }
}
