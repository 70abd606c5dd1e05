//! What the start of a session costs each member, by client.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use minds_client_agents::{MemberText, Team};
use minds_clients::{
    Client, ClientsFamily, NamedFile, StartFile, StartSource, clients, find_start_files, find_start_servers,
};
use minds_core::TEAM_FILE;
use minds_diagnostics::{Severity, SourceFile, find_nearest};
use minds_fs::Root;
use minds_render::parts::section_length;
use minds_vfs::{MountId, Snapshot, WorkspacePath};
use minds_workspace::context::{ClientContext, ContextPart, ContextSource, MemberContext};
use minds_workspace::{MemberFile, MemberFiles};

use crate::{OperationError, client_files, locate};

/// The id of what `minds mcp --member` sends, in the place of a client.
pub const MINDS_MCP: &str = "minds-mcp";

/// Why the tools of a server are not known.
const NOT_RECORDED: &str = "not recorded; see `minds gateway tools`";

/// Whose start to compute, and where.
#[derive(Clone, Copy, Debug)]
pub struct ContextRequest<'r> {
    /// The directory in which the session starts.
    pub base: &'r Path,
    /// The member; all members if none is given.
    pub member: Option<&'r str>,
    /// The ids of the clients; all of them if it is empty.
    pub clients: &'r [String],
    /// The text about the task with which a session in a client begins.
    pub task: Option<&'r ContextPart>,
}

/// What the start of a session costs.
#[derive(Clone, Debug)]
pub struct ContextOutcome {
    /// The directory in which the session starts, relative to the workspace; `.` for its top.
    pub directory: String,
    /// The members in the order of the file.
    pub members: Vec<MemberContext>,
    /// The number of errors in the files of the team. If there are any, members may be missing.
    pub errors: usize,
}

/// Returns the ids of the clients in display order, at the end that of `minds mcp`.
pub fn context_clients() -> impl Iterator<Item = &'static str> {
    clients().iter().filter(|client| !client.start.is_empty()).map(|client| client.id).chain([MINDS_MCP])
}

/// Returns what the start of a session costs the members of the workspace at or above the directory. `serve` returns what
/// `minds mcp` sends to a member.
///
/// # Errors
///
/// Fails if the directory does not exist, the workspace has no team, the team has no such member, or `serve` fails.
pub fn context(
    request: &ContextRequest<'_>,
    serve: &dyn Fn(&str) -> Result<Vec<ContextPart>, OperationError>,
) -> Result<ContextOutcome, OperationError> {
    let located = locate(request.base, &[])?;
    let no_team = |place: String| OperationError::NoTeam { place };
    let Some(directory) = &located.directory else {
        return Err(no_team(format!("at or above `{}`", located.root)));
    };
    let root = Root::open(directory, MountId::WORKSPACE)?;
    let snapshot = root.snapshot(&minds_workspace::team_scope());
    if !snapshot.iter().any(|(location, _)| location.path.as_str() == TEAM_FILE) {
        return Err(no_team(format!("in `{}`", located.root)));
    }
    let checked = minds_workspace::check(&snapshot);
    let errors = checked.diagnostics.iter().filter(|found| found.severity == Severity::Error).count();
    let below = located.below.as_deref().and_then(|below| WorkspacePath::parse(below).ok());
    let below = below.unwrap_or_default();
    let mut outcome = ContextOutcome { directory: display(&below), members: Vec::new(), errors };
    let files = MemberFiles::of(&snapshot);
    let texts = |id: &str| files.of_member(id).into_iter().filter_map(text_of).collect();
    let Some(team) = Team::read(&checked.family, &texts) else { return Ok(outcome) };
    let ids: Vec<&str> = team.ids().collect();
    if let Some(id) = request.member.filter(|id| !ids.contains(id)) {
        let near = find_nearest(id, ids.iter().copied(), 3).into_iter().map(str::to_owned).collect();
        return Err(OperationError::UnknownMember { id: id.to_owned(), near });
    }
    let members: Vec<(&str, Vec<MemberFile>)> = ids
        .into_iter()
        .filter(|id| request.member.is_none_or(|member| member == *id))
        .map(|id| (id, files.of_member(id)))
        .collect();
    let is_selected =
        |id: &str| request.clients.is_empty() || request.clients.iter().any(|known| known == id);
    let mut of_clients = Snapshot::new();
    client_files::add(&root, &mut of_clients);
    let start = StartReader::new(&root, &of_clients, below);
    let selected: Vec<(&Client, ClientStart)> = clients()
        .iter()
        .filter(|client| !client.start.is_empty() && is_selected(client.id))
        .map(|client| (client, start.read(client)))
        .collect();
    for (id, files) in members {
        let served = serve(id)?;
        let granted = team.servers_of(id);
        let servers = server_parts(&granted, &served);
        let mut contexts = Vec::new();
        for (client, start) in &selected {
            let mut parts = start.parts.clone();
            parts.extend(member_parts(&team, id, &files));
            parts.extend(request.task.cloned());
            if client.mcp.is_some() {
                parts.extend(servers.iter().cloned());
            }
            // The agents of other clients list the servers that they use.
            if client.agent_tools.is_none() {
                parts.extend(start.unlisted_servers(&granted));
            }
            contexts.push(ClientContext::new(client.id, parts));
        }
        if is_selected(MINDS_MCP) {
            let mut parts: Vec<ContextPart> =
                served.into_iter().filter(|part| part.source != ContextSource::Server).collect();
            parts.extend(servers);
            contexts.push(ClientContext::new(MINDS_MCP, parts));
        }
        outcome.members.push(MemberContext { member: id.to_owned(), clients: contexts });
    }
    Ok(outcome)
}

fn display(directory: &WorkspacePath) -> String {
    if directory.is_root() { ".".to_owned() } else { directory.as_str().to_owned() }
}

fn text_of(file: MemberFile) -> Option<MemberText> {
    Some(MemberText { kind: file.kind, text: file.text.ok()? })
}

/// Returns the instructions of a member as an agent of a client has them.
fn member_parts(team: &Team<'_>, id: &str, files: &[MemberFile]) -> Vec<ContextPart> {
    let paths: BTreeMap<&str, &str> =
        files.iter().map(|file| (file.kind.as_str(), file.file.as_str())).collect();
    let mut parts: Vec<ContextPart> = Vec::new();
    for part in team.instructions_of(id) {
        let bytes = Some(part.text.len());
        parts.push(match part.kind {
            Some(kind) => {
                let place = paths.get(kind).map(|path| (*path).to_owned());
                ContextPart::new(ContextSource::of_minds_file(kind), place, bytes)
            }
            None => ContextPart::new(ContextSource::Persona, None, bytes).with_note("no minds files"),
        });
    }
    let unreadable = files.iter().filter_map(|file| Some((file, file.text.as_ref().err()?)));
    parts.extend(unreadable.map(|(file, reason)| {
        let source = ContextSource::of_minds_file(&file.kind);
        ContextPart::new(source, Some(file.file.clone()), None).with_note(format!("unknown: it {reason}"))
    }));
    parts
}

/// Returns the servers of a member: with the recorded tools that it has, or without a size.
fn server_parts(granted: &[&str], served: &[ContextPart]) -> Vec<ContextPart> {
    let known = served.iter().filter(|part| part.source == ContextSource::Server);
    let mut parts: Vec<ContextPart> = known.cloned().collect();
    for id in granted {
        if !parts.iter().any(|part| part.place.as_deref() == Some(id)) {
            let place = Some((*id).to_owned());
            parts.push(ContextPart::new(ContextSource::Server, place, None).with_note(NOT_RECORDED));
        }
    }
    parts.sort_by_key(|part| granted.iter().position(|id| part.place.as_deref() == Some(id)));
    parts
}

/// What a client reads from the workspace for every member.
struct ClientStart {
    parts: Vec<ContextPart>,
    /// The servers in the files of the client, each with its file.
    servers: Vec<(String, String)>,
}

impl ClientStart {
    /// Returns the servers that the files of the client have in addition to those of a member.
    fn unlisted_servers(&self, granted: &[&str]) -> impl Iterator<Item = ContextPart> {
        let further = self.servers.iter().filter(|(id, _)| !granted.contains(&id.as_str()));
        further.map(|(id, file)| {
            let note = format!("unknown: a server of `{file}`");
            ContextPart::new(ContextSource::Server, Some(id.clone()), None).with_note(note)
        })
    }
}

/// Reads what clients read, each file once.
struct StartReader<'r> {
    root: &'r Root,
    family: ClientsFamily,
    directory: WorkspacePath,
    imported: RefCell<BTreeMap<WorkspacePath, NamedFile>>,
}

impl<'r> StartReader<'r> {
    fn new(root: &'r Root, snapshot: &Snapshot, directory: WorkspacePath) -> Self {
        let family = ClientsFamily::load(snapshot).value;
        Self { root, family, directory, imported: RefCell::default() }
    }

    fn read(&self, client: &Client) -> ClientStart {
        let read = |path: &WorkspacePath| self.read_imported(path);
        let files = find_start_files(client, &self.directory, &self.family, &read);
        let servers: BTreeSet<(String, String)> = find_start_servers(client, &self.family)
            .into_iter()
            .map(|(id, file)| (id.to_owned(), file.as_str().to_owned()))
            .collect();
        ClientStart {
            parts: files.iter().flat_map(|file| self.file_parts(file)).collect(),
            servers: servers.into_iter().collect(),
        }
    }

    /// Returns a file, without the section about the team that `minds render` writes, and that section.
    fn file_parts(&self, file: &StartFile) -> Vec<ContextPart> {
        let place = || Some(file.path.as_str().to_owned());
        let source = match file.source {
            StartSource::Instructions => ContextSource::Instructions,
            StartSource::Agents => ContextSource::Agents,
            StartSource::Skills => ContextSource::Skills,
        };
        let Some(bytes) = file.bytes else {
            let reason = match &file.imported_by {
                Some(by) => format!("unknown: it cannot be read; imported by `{by}`"),
                None => "unknown: it cannot be read".to_owned(),
            };
            return vec![ContextPart::new(source, place(), None).with_note(reason)];
        };
        let text = self.text(&file.path);
        let length = text.as_ref().map_or(0, |text| text.bytes().len());
        let mut section = 0;
        let part = |bytes| ContextPart::new(source, place(), Some(bytes));
        let mut whole = part(bytes);
        if source == ContextSource::Instructions {
            section = text.as_ref().and_then(|text| text.text().ok()).map_or(0, section_length);
            if bytes < length {
                whole = whole.with_note(format!("{} of {length} bytes are not read", length - bytes));
                section = 0;
            }
            if section > 0 {
                whole = part(bytes - section);
            }
            if let Some(by) = &file.imported_by {
                whole = whole.with_note(format!("imported by `{by}`"));
            }
        }
        let team = (section > 0).then(|| {
            ContextPart::new(ContextSource::Team, place(), Some(section))
                .with_note("the section of `minds render`")
        });
        // A file with nothing but the section has no instructions of its own.
        let own = Some(whole).filter(|whole| section == 0 || whole.bytes > Some(0));
        own.into_iter().chain(team).collect()
    }

    fn text(&self, path: &WorkspacePath) -> Option<SourceFile> {
        if let Some(known) = self.family.files.iter().find(|known| known.path == *path) {
            return Some(known.source.clone());
        }
        match self.read_imported(path) {
            NamedFile::Text(source) => Some(source),
            NamedFile::Missing | NamedFile::Unreadable => None,
        }
    }

    fn read_imported(&self, path: &WorkspacePath) -> NamedFile {
        let mut imported = self.imported.borrow_mut();
        let file = imported.entry(path.clone()).or_insert_with(|| client_files::read_named(self.root, path));
        file.clone()
    }
}
