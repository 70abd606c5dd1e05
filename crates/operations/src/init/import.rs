//! A first team made from the files of other clients.

use std::path::Path;

use minds_client_import::rules::UNREADABLE;
use minds_client_import::{Directories, IGNORE_FILES, Imported, LIMITING_FILES};
use minds_clients::{Client, ClientsFamily, Kind};
use minds_diagnostics::{Diagnostic, Problems, Report, Severity, SourceFile, Span};
use minds_fs::{Root, home_directory, real_directory};
use minds_process::current_directory;
use minds_vfs::{Location, MountId, Snapshot, SnapshotEntry, WorkspacePath};
use minds_workspace::redact_problems;

use super::Plan;
use super::team::exists;
use crate::{OperationError, client_files, locate, trust};

/// The directory of the configuration.
const CONFIGURATION: &str = ".minds";

/// What to import, and how.
#[derive(Clone, Copy, Debug)]
pub struct InitFromRequest<'r> {
    /// The directory, which must exist: the files of clients are in it, and the team is written to it.
    pub base: &'r Path,
    /// The id of the client; none for every client that has files.
    pub client: Option<&'r str>,
    /// Whether to write the files, all or none; otherwise only the changes are returned.
    pub write: bool,
}

/// The result of an import.
#[derive(Clone, Debug)]
pub enum InitFromOutcome {
    /// The files were written, or would be without [`InitFromRequest::write`].
    Done(ImportedFiles),
    /// The directory already has a configuration, so nothing was written.
    Exists(String),
    /// A file could not be read that may limit agents, so nothing was written.
    Refused(Report),
}

/// An imported team. All paths are relative to the directory.
#[derive(Clone, Debug, Default)]
pub struct ImportedFiles {
    /// The clients whose files were read, as their names.
    pub clients: Vec<String>,
    /// The members.
    pub members: Vec<ImportedEntry>,
    /// The MCP servers.
    pub servers: Vec<ImportedEntry>,
    /// The written files.
    pub written: Vec<String>,
    /// The changes as a unified diff.
    pub diff: String,
    /// What could not be carried over.
    pub report: Report,
}

/// A member or server, and the file from which it was made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ImportedEntry {
    /// The id.
    pub id: String,
    /// The file.
    pub file: String,
    /// The id of the client.
    pub client: Option<&'static str>,
}

/// Makes a first team from the files of other clients in a directory. It never overwrites: if there is a configuration,
/// nothing is written.
///
/// # Errors
///
/// Fails if the directory does not exist, is controlled by another user, or has nothing to import, or cannot be written.
pub fn init_from(request: &InitFromRequest<'_>) -> Result<InitFromOutcome, OperationError> {
    let directory = locate::directory(&current_directory()?, request.base)?;
    trust::ensure_trusted_clients(&directory)?;
    let root = Root::open(&directory, MountId::WORKSPACE)?;
    if exists(&root, CONFIGURATION) {
        return Ok(InitFromOutcome::Exists(CONFIGURATION.to_owned()));
    }
    let client = request.client.and_then(Client::find);
    let mut snapshot = Snapshot::new();
    client_files::add(&root, &mut snapshot);
    let limiting: Vec<WorkspacePath> = LIMITING_FILES
        .iter()
        .filter(|(id, _)| client.is_none_or(|client| client.id == *id))
        .filter_map(|(_, path)| WorkspacePath::parse(path).ok())
        .collect();
    client_files::add_if_ignored(&root, &mut snapshot, &limiting);
    if let Some(report) = report_unusable(&snapshot, &limiting) {
        return Ok(InitFromOutcome::Refused(report));
    }
    let loaded = ClientsFamily::load(&snapshot);
    let ignore_files = ignore_files(&snapshot);
    let workspace = real_directory(&directory)?;
    let home = home_directory();
    let imported = minds_client_import::import(&minds_client_import::ImportRequest {
        family: &loaded.value,
        client,
        ignore_files: &ignore_files,
        directories: Directories {
            workspace: &workspace.to_string_lossy(),
            home: home.as_ref().map(|home| home.to_string_lossy()).as_deref(),
        },
    });
    let mut problems = Problems::new();
    // Other mistakes in the files are those of `minds check`.
    for found in loaded.problems.into_sorted().into_iter().filter(|found| found.rule.area() == "file") {
        problems.push(found);
    }
    let has_plugins = loaded.value.files.iter().any(|file| file.kind == Kind::PluginAgent);
    finish(request, &root, imported, problems, has_plugins)
}

fn finish(
    request: &InitFromRequest<'_>,
    root: &Root,
    imported: Imported,
    mut problems: Problems,
    has_plugins: bool,
) -> Result<InitFromOutcome, OperationError> {
    let is_refused = imported.is_refused;
    problems.append(imported.problems);
    let report = Report { root: ".".to_owned(), diagnostics: redact_problems(problems), ..Report::default() };
    if is_refused {
        return Ok(InitFromOutcome::Refused(report));
    }
    let Some(team) = imported.team else {
        // A file that cannot be read may be the only one.
        if report.diagnostics.iter().any(|found| found.severity == Severity::Error) {
            return Ok(InitFromOutcome::Refused(report));
        }
        let client = request.client.and_then(Client::find);
        let searched = minds_client_import::searched_paths(client);
        let hint =
            if has_plugins { "; agents of plugins belong to the workspaces that install them" } else { "" };
        let name = client.map_or("clients", |client| client.name.as_str()).to_owned();
        return Err(OperationError::NothingToImport { client: name, searched, hint });
    };
    let mut plan = Plan::default();
    for (path, text) in &imported.files {
        plan.write_new(path, text);
    }
    let applied = if request.write { root.apply(&plan.changes) } else { root.expect_states(&plan.changes) };
    applied?;
    let members = team.members.iter().map(|member| ImportedEntry {
        id: member.id.clone(),
        file: member.place.source.name().to_owned(),
        client: Some(member.client.id),
    });
    let servers = team.servers.iter().map(|server| ImportedEntry {
        id: server.id.clone(),
        file: server.place.source.name().to_owned(),
        client: None,
    });
    Ok(InitFromOutcome::Done(ImportedFiles {
        clients: imported.clients.iter().map(|client| client.name.clone()).collect(),
        members: members.collect(),
        servers: servers.collect(),
        written: plan.done.written,
        diff: plan.done.diff,
        report,
    }))
}

/// Returns the findings about files that limit agents and exist, but are not regular files that can be read.
fn report_unusable(snapshot: &Snapshot, limiting: &[WorkspacePath]) -> Option<Report> {
    let mut problems = Problems::new();
    for path in limiting {
        let place = Location::new(MountId::WORKSPACE, path.clone());
        if matches!(snapshot.get(&place), None | Some(SnapshotEntry::File { .. })) {
            continue;
        }
        let message = format!(
            "`{path}` is not a regular file that can be read; nothing is written, because it may limit what agents can do"
        );
        problems.push(
            Diagnostic::new(&UNREADABLE, message)
                .primary(SourceFile::new(path.as_str(), "").label(Span::at(0)))
                .help("replace it by a file of the workspace, such as a copy of what it refers to"),
        );
    }
    let report = Report { root: ".".to_owned(), diagnostics: redact_problems(problems), ..Report::default() };
    (!report.diagnostics.is_empty()).then_some(report)
}

/// Returns the ignore files of clients at the top of the workspace.
fn ignore_files(snapshot: &Snapshot) -> Vec<SourceFile> {
    let place = |name: &&str| Some(Location::new(MountId::WORKSPACE, WorkspacePath::parse(name).ok()?));
    let places = IGNORE_FILES.iter().filter_map(place);
    places.filter_map(|place| snapshot.source(&place, &mut Problems::new())).collect()
}
