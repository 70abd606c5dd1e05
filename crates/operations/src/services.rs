//! Rendering services for the agents of a compose root or a fleet.

use std::path::{Path, PathBuf};

use minds_compose::ComposeFamily;
use minds_diagnostics::{Diagnostic, Problems, Report};
use minds_fs::{find_upwards, real_directory};
use minds_process::{current_directory, find_program_beside};
use minds_render::services::{
    Command, CommandError, FleetSetting, Placeholder, container_name, of_compose, of_fleet, render,
};
use minds_render::{Artifact, Target, restrict};

use crate::compose_root;
use crate::fleet::Stack;
use crate::locate::{self, relative};
use crate::render::{AgentFiles, path_to_str};
use crate::{OperationError, locate as located_workspace};

/// The program that runs the agents of a fleet, and its arguments.
const FLEET_PROGRAM: &str = "minds-fleet";
const FLEET_ARGS: [&str; 7] = ["agent", "--project", "{project}", "--name", "{agent}", "--cwd", "{cwd}"];

/// Returns the targets for a compose root. Without `named`, these are the artifacts and the services of its
/// supervisor.
pub(crate) fn targets_of(family: &ComposeFamily, named: &[Target]) -> Vec<Target> {
    if !named.is_empty() {
        return named.to_vec();
    }
    let supervisor = family.readable().map(|(compose, _)| compose.supervisor());
    let services = supervisor.and_then(Target::of_supervisor);
    [Target::Artifacts].into_iter().chain(services).collect()
}

/// Returns the files for the targets, of which `made` are the artifacts, and the findings.
pub(crate) fn add_services(
    made: Vec<Artifact>,
    family: &ComposeFamily,
    root: &str,
    targets: &[Target],
    words: &[String],
) -> Result<(Vec<Artifact>, Vec<Diagnostic>), OperationError> {
    let command = command(words, targets)?;
    if let Some(command) = &command {
        refuse_placeholder(command, Placeholder::RedisUrl, "the agents of a compose root")?;
    } else if let Some(reason) = targets.iter().find_map(|target| target.command_reason()) {
        return Err(unusable(format!("{reason}; pass it with `--exec`")));
    }
    let mut problems = Problems::new();
    let mut all = Vec::new();
    if targets.iter().any(|target| target.is_service()) {
        let real = |path: &str| real_directory(Path::new(path)).ok()?.to_str().map(str::to_owned);
        let services = of_compose(family, &made, root, command.as_ref(), &real)?;
        for target in service_targets(targets) {
            all.extend(render(&services, target, &container_name(root), &mut problems)?);
        }
    }
    if targets.contains(&Target::Artifacts) {
        all.extend(made);
    }
    restrict(&mut all, &family.sources);
    Ok((all, redact_findings(problems)))
}

/// Returns the workspace of the fleet to render; `None` if a compose root or only a workspace is selected.
///
/// A fleet is selected if `--root` is its `.ateam` directory, or if there is no compose root.
pub(crate) fn find_fleet(base: &Path, root: Option<&Path>) -> Result<Option<PathBuf>, OperationError> {
    let current = current_directory()?;
    let directory = locate::directory(&current, base)?;
    if let Some(root) = root {
        let is_fleet = root.file_name().is_some_and(|name| name == minds_fleet::FOLDER);
        if !is_fleet || find_upwards(&directory, root, &[])?.file.is_some() {
            return Ok(None);
        }
        return Ok(directory.join(root).parent().map(Path::to_owned));
    }
    // A compose root from the environment must exist; there is no fallback.
    if compose_root::from_environment_variable()?.is_some() {
        return Ok(None);
    }
    match compose_root::locate(base, None) {
        Err(OperationError::NoCompose { .. }) => {}
        Ok(_) => return Ok(None),
        Err(error) => return Err(error),
    }
    let Some(workspace) = located_workspace(base, &[])?.directory else { return Ok(None) };
    let is_fleet = find_upwards(&workspace, Path::new("."), &[minds_fleet::FOLDER])?.root;
    Ok(is_fleet.filter(|found| *found == workspace))
}

/// Returns the directory in which a fleet is rendered, and its name in messages.
pub(crate) fn folder_of(workspace: &Path) -> Result<(PathBuf, String), OperationError> {
    let folder = real_directory(workspace)?.join(minds_fleet::FOLDER);
    if real_directory(&folder)? != folder {
        return Err(OperationError::UnusableRoot { reason: "`.ateam` is a symbolic link" });
    }
    let shown = relative(&real_directory(&current_directory()?)?, &folder);
    Ok((folder, shown))
}

/// Renders the fleet of a workspace and adds findings and files to the report. Returns `None` if there are
/// errors.
pub(crate) fn render_fleet(
    workspace: &Path,
    targets: &[Target],
    words: &[String],
    report: &mut Report,
) -> Result<Option<AgentFiles>, OperationError> {
    if targets.is_empty() || targets.contains(&Target::Artifacts) {
        return Err(OperationError::NoFleetArtifacts);
    }
    let command = command(words, targets)?;
    if let Some(command) = &command {
        refuse_placeholder(command, Placeholder::EnvFile, "the agents of a fleet")?;
    }
    let stack = Stack::open(workspace)?;
    let (family, found) = minds_workspace::check_fleet(&stack.snapshot);
    report.files = family.sources.iter().map(|text| text.name().to_owned()).collect();
    report.diagnostics = found;
    if report.summary().errors > 0 {
        return Ok(None);
    }
    let path = path_to_str(workspace)?;
    let mut problems = Problems::new();
    let mut artifacts = Vec::new();
    for target in service_targets(targets) {
        let command = match &command {
            Some(command) => command.clone(),
            None => default_command(target)?,
        };
        let setting = FleetSetting { workspace: path, project: &stack.project, command: &command, target };
        let services = of_fleet(&family, &setting, &mut problems)?;
        artifacts.extend(render(&services, target, &container_name(path), &mut problems)?);
    }
    restrict(&mut artifacts, &family.sources);
    report.diagnostics.extend(redact_findings(problems));
    Ok(Some(AgentFiles { artifacts, targets: targets.to_vec() }))
}

/// Returns the command that runs an agent of a fleet. The program is that beside this one, or the one on `PATH`, which
/// containers always use: the paths of this machine do not exist there.
fn default_command(target: Target) -> Result<Command, OperationError> {
    let beside = find_program_beside(FLEET_PROGRAM).filter(|_| !target.is_container());
    let program = beside.as_deref().and_then(Path::to_str).unwrap_or(FLEET_PROGRAM);
    // A brace in a path is not a placeholder.
    let program = program.replace('{', "{{").replace('}', "}}");
    let words: Vec<&str> = std::iter::once(program.as_str()).chain(FLEET_ARGS.iter().copied()).collect();
    Command::parse(&words).map_err(|error| unusable(error.to_string()))
}

/// Returns the service targets, without duplicates.
fn service_targets(targets: &[Target]) -> impl Iterator<Item = Target> {
    Target::SERVICES.iter().copied().filter(|target| targets.contains(target))
}

/// Parses the command, if one is given. It must be used by a target.
pub(crate) fn command(words: &[String], targets: &[Target]) -> Result<Option<Command>, OperationError> {
    if words.is_empty() {
        return Ok(None);
    }
    if !targets.iter().any(|target| target.is_service()) {
        return Err(unusable("no rendered file runs a command, so `--exec` has no effect".to_owned()));
    }
    Command::parse(words).map(Some).map_err(|error| unusable(error.to_string()))
}

/// Refuses a placeholder that is not available for these agents.
fn refuse_placeholder(
    command: &Command,
    placeholder: Placeholder,
    agents: &'static str,
) -> Result<(), OperationError> {
    if command.uses(placeholder) {
        let name = placeholder.name();
        return Err(unusable(CommandError::NotOfThese { name, agents }.to_string()));
    }
    Ok(())
}

fn unusable(reason: String) -> OperationError {
    OperationError::UnusableCommand { reason }
}

/// Returns findings sorted, without duplicates and with secrets redacted.
fn redact_findings(problems: Problems) -> Vec<Diagnostic> {
    let mut found = problems.into_sorted();
    minds_workspace::redact_findings(&mut found);
    let key = |found: &Diagnostic| {
        let place = found.primary.as_ref().map(|label| (label.source.name().to_owned(), label.span));
        (found.message.clone(), place)
    };
    let mut seen = std::collections::BTreeSet::new();
    found.retain(|one| seen.insert(key(one)));
    found
}
