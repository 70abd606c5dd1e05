//! Rendering what keeps agents running, of a compose root or of a fleet.

use std::path::{Path, PathBuf};

use minds_compose::ComposeFamily;
use minds_diagnostics::{Diagnostic, Problems, Report};
use minds_document::ContentHash;
use minds_render::services::{
    Command, CommandError, FleetSetting, Placeholder, of_compose, of_fleet, render,
};
use minds_render::{Artifact, Target, restrict};
use minds_system::{current_directory, find_upwards, real_directory};

use crate::compose_root;
use crate::fleet::Stack;
use crate::locate::{self, relative};
use crate::render::{Made, usable};
use crate::{OperationError, locate as located_workspace};

/// Returns what is rendered of a compose root. Where nothing is named its supervisor decides what else than the artifacts.
pub(crate) fn targets_of(family: &ComposeFamily, named: &[Target]) -> Vec<Target> {
    if !named.is_empty() {
        return named.to_vec();
    }
    let supervisor = family.readable().map(|(compose, _)| compose.supervisor());
    let services = match supervisor {
        Some("systemd") => Some(Target::SystemdUser),
        Some("launchd") => Some(Target::Launchd),
        _ => None,
    };
    [Target::Artifacts].into_iter().chain(services).collect()
}

/// Returns what is rendered for the targets, of which `made` are the artifacts, and what was found meanwhile.
pub(crate) fn with_services(
    made: Vec<Artifact>,
    family: &ComposeFamily,
    root: &str,
    targets: &[Target],
    words: &[String],
) -> Result<(Vec<Artifact>, Vec<Diagnostic>), OperationError> {
    let command = command(words, targets)?;
    if let Some(command) = &command {
        refuse(command, Placeholder::RedisUrl, "the agents of a compose root")?;
    } else if targets.contains(&Target::WindowsTask) {
        let reason = "tasks of Windows need a command, because the script of `teamctl` is one for Unix";
        return Err(unusable(format!("{reason}: name it behind `--exec`")));
    }
    let mut problems = Problems::new();
    let mut all = Vec::new();
    if targets.iter().any(|target| target.is_service()) {
        let real = |path: &str| real_directory(Path::new(path)).ok()?.to_str().map(str::to_owned);
        let services = of_compose(family, &made, root, command.as_ref(), &real)?;
        for target in chosen(targets) {
            all.extend(render(&services, target, &name_of(root), &mut problems)?);
        }
    }
    if targets.contains(&Target::Artifacts) {
        all.extend(made);
    }
    restrict(&mut all, &family.sources);
    Ok((all, covered(problems)))
}

/// Returns the workspace whose fleet is meant; none if a compose root or something else is.
///
/// A fleet is meant where `--root` names its `.ateam` directory, or where there is no compose root.
pub(crate) fn fleet_at(base: &Path, root: Option<&Path>) -> Result<Option<PathBuf>, OperationError> {
    let current = current_directory()?;
    let directory = locate::directory(&current, base)?;
    if let Some(root) = root {
        let is_fleet = root.file_name().is_some_and(|name| name == minds_fleet::FOLDER);
        if !is_fleet || find_upwards(&directory, root, &[])?.file.is_some() {
            return Ok(None);
        }
        return Ok(directory.join(root).parent().map(Path::to_owned));
    }
    // What the environment names must be there, and nothing else is taken instead.
    if compose_root::named_by_environment()?.is_some() {
        return Ok(None);
    }
    match compose_root::located(base, None) {
        Err(OperationError::NoCompose { .. }) => {}
        Ok(_) => return Ok(None),
        Err(error) => return Err(error),
    }
    let Some(workspace) = located_workspace(base, &[])?.directory else { return Ok(None) };
    let is_fleet = find_upwards(&workspace, Path::new("."), &[minds_fleet::FOLDER])?.root;
    Ok(is_fleet.filter(|found| *found == workspace))
}

/// Returns the directory below which a fleet is rendered, and how it is shown.
pub(crate) fn folder_of(workspace: &Path) -> Result<(PathBuf, String), OperationError> {
    let folder = real_directory(workspace)?.join(minds_fleet::FOLDER);
    if real_directory(&folder)? != folder {
        return Err(OperationError::UnusableRoot { reason: "`.ateam` is a link" });
    }
    let shown = relative(&real_directory(&current_directory()?)?, &folder);
    Ok((folder, shown))
}

/// Renders the fleet of a workspace; what was found, and in which files, is added to the report. None if that has errors.
pub(crate) fn render_fleet(
    workspace: &Path,
    targets: &[Target],
    words: &[String],
    report: &mut Report,
) -> Result<Option<Made>, OperationError> {
    if targets.is_empty() || targets.contains(&Target::Artifacts) {
        return Err(OperationError::NoFleetArtifacts);
    }
    let Some(command) = command(words, targets)? else {
        let reason = "the agents of a fleet need a command: name it behind `--exec`";
        return Err(unusable(reason.to_owned()));
    };
    refuse(&command, Placeholder::EnvFile, "the agents of a fleet")?;
    let stack = Stack::open(workspace)?;
    let (family, found) = minds_workspace::check_fleet(&stack.snapshot);
    report.files = family.sources.iter().map(|text| text.name().to_owned()).collect();
    report.diagnostics = found;
    if report.summary().errors > 0 {
        return Ok(None);
    }
    let path = usable(workspace)?;
    let mut problems = Problems::new();
    let mut artifacts = Vec::new();
    for target in chosen(targets) {
        let setting = FleetSetting { workspace: path, project: &stack.project, command: &command, target };
        let services = of_fleet(&family, &setting, &mut problems)?;
        artifacts.extend(render(&services, target, &name_of(path), &mut problems)?);
    }
    restrict(&mut artifacts, &family.sources);
    report.diagnostics.extend(covered(problems));
    Ok(Some(Made { artifacts, targets: targets.to_vec() }))
}

/// Returns the targets that keep agents running, each once.
fn chosen(targets: &[Target]) -> impl Iterator<Item = Target> {
    Target::SERVICES.iter().copied().filter(|target| targets.contains(target))
}

/// Reads the command that was named, if one was: it must be for something.
pub(crate) fn command(words: &[String], targets: &[Target]) -> Result<Option<Command>, OperationError> {
    if words.is_empty() {
        return Ok(None);
    }
    if !targets.iter().any(|target| target.is_service()) {
        return Err(unusable(
            "nothing that is rendered runs a command, so `--exec` means nothing".to_owned(),
        ));
    }
    Command::parse(words).map(Some).map_err(|error| unusable(error.to_string()))
}

/// Refuses a placeholder that means nothing for these agents.
fn refuse(command: &Command, placeholder: Placeholder, agents: &'static str) -> Result<(), OperationError> {
    if command.uses(placeholder) {
        let name = placeholder.name();
        return Err(unusable(CommandError::NotOfThese { name, agents }.to_string()));
    }
    Ok(())
}

fn unusable(reason: String) -> OperationError {
    OperationError::UnusableCommand { reason }
}

/// Returns what tells the containers of a root from those of another one on the same machine.
fn name_of(root: &str) -> String {
    let hash = ContentHash::of(root.as_bytes()).to_string();
    let digits = hash.rsplit_once(':').map_or(hash.as_str(), |(_, digits)| digits);
    format!("minds-{}", digits.chars().take(12).collect::<String>())
}

/// Returns findings in the order in which they are shown, each once, without secrets.
fn covered(problems: Problems) -> Vec<Diagnostic> {
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
