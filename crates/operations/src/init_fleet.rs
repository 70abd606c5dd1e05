//! Writing a first fleet.

use std::path::Path;

use minds_document::{Change, ChangeSet, Expected, FileMode};
use minds_fleet::model::is_name;
use minds_fleet::prompt::refresh;
use minds_fleet::tools::{BUILTIN, Descriptor};
use minds_paths::{Location, MountId, WorkspacePath};
use minds_system::{ApplyError, Root, current_directory, directory_name};

use crate::diff::unified_diff;
use crate::{InitDone, InitOutcome, OperationError, locate};

/// The files of a first fleet with their contents; `PROJECT` is replaced by the name of the project.
const FILES: &[(&str, &str)] = &[
    (".ateam/project.yaml", include_str!("../templates/fleet/project.yaml")),
    (".ateam/models.yaml", include_str!("../templates/fleet/models.yaml")),
    (".ateam/tools.yaml", include_str!("../templates/fleet/tools.yaml")),
    (".ateam/agents/zeus/agent.yaml", include_str!("../templates/fleet/agent.yaml")),
    (".ateam/agents/zeus/system_base.md", include_str!("../templates/fleet/system_base.md")),
];

/// The overlay, which initially contains the tools of the agent.
const OVERLAY: &str = ".ateam/agents/zeus/system_overlay.md";

/// The name of the project if the name of the directory is not valid.
const NAME: &str = "project";

/// The tools of the first agent, as in its file.
const TOOLS: [&str; 5] = ["fs.read", "fs.write", "kb.copy_from", "kb.ingest", "os.exec"];

/// Writes an `.ateam/` without findings into `directory`: the project, a model, the transport, and one agent.
///
/// It never overwrites: if one of its files exists, nothing is written. All files are written, or none.
/// Without `write`, only the changes are returned.
///
/// # Errors
///
/// Fails if the directory does not exist, or cannot be written.
pub fn init_fleet(directory: &Path, write: bool) -> Result<InitOutcome, OperationError> {
    let directory = locate::directory(&current_directory()?, directory)?;
    let project = directory_name(&directory)?.filter(|name| is_name(name)).unwrap_or_else(|| NAME.to_owned());
    let root = Root::open(&directory, MountId::WORKSPACE)?;
    let mut done = InitDone { is_first: true, ..InitDone::default() };
    let mut changes = ChangeSet::new();
    for (path, text) in files(&project) {
        done.diff.push_str(&unified_diff(path, None, &text));
        done.written.push(path.to_owned());
        let Ok(place) = WorkspacePath::parse(path) else { continue };
        let write =
            Change::Write { bytes: text.into_bytes(), mode: FileMode::Regular, expected: Expected::Absent };
        // The paths are distinct, so the changes do not conflict.
        let _ = changes.add(Location::new(MountId::WORKSPACE, place), write);
    }
    let applied = if write { root.apply(&changes) } else { root.expect_states(&changes) };
    match applied {
        Ok(()) => Ok(InitOutcome::Done(done)),
        Err(ApplyError::Unexpected { location, .. }) => Ok(InitOutcome::Exists(location.to_string())),
        Err(error) => Err(error.into()),
    }
}

fn files(project: &str) -> Vec<(&'static str, String)> {
    let mut files: Vec<(&str, String)> =
        FILES.iter().map(|(path, text)| (*path, text.replace("PROJECT", project))).collect();
    let is_given = |tool: &&Descriptor<'_>| TOOLS.contains(&tool.name);
    // An empty string has no broken block markers.
    let overlay = refresh("", BUILTIN.iter().filter(is_given)).map(|overlay| overlay.text);
    files.push((OVERLAY, overlay.unwrap_or_default()));
    files
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "a test looks at the disk itself")]
mod tests {
    use super::*;
    use crate::{AgentPrompt, check, show_fleet};

    #[test]
    fn a_first_fleet_has_no_findings_and_is_never_overwritten() {
        let folder = tempfile::tempdir().unwrap();
        let directory = folder.path().join("my-project");
        std::fs::create_dir(&directory).unwrap();
        let InitOutcome::Done(planned) = init_fleet(&directory, false).unwrap() else {
            panic!("it is empty")
        };
        assert!(!directory.join(".ateam").exists());
        assert_eq!(init_fleet(&directory, true).unwrap(), InitOutcome::Done(planned.clone()));
        assert_eq!(planned.written.len(), FILES.len() + 1);
        let outcome = check(&directory, &[]).unwrap();
        assert!(outcome.report.diagnostics.is_empty(), "{:?}", outcome.report.diagnostics);
        assert_eq!(outcome.report.files, {
            let mut files = planned.written.clone();
            files.sort();
            files
        });
        let fleet = show_fleet(&directory, None).unwrap();
        let ids: Vec<&str> = fleet.agents.iter().map(|agent| agent.id.as_str()).collect();
        assert_eq!(ids, ["my-project/zeus"]);
        let toolbox =
            AgentPrompt::open(&directory, Some("zeus")).unwrap().refresh_toolbox(false).unwrap().unwrap();
        assert_eq!(toolbox.diff, "");
        assert_eq!(
            init_fleet(&directory, true).unwrap(),
            InitOutcome::Exists(".ateam/agents/zeus/agent.yaml".into())
        );
    }

    #[test]
    fn one_existing_file_prevents_writing() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(folder.path().join(".ateam")).unwrap();
        std::fs::write(folder.path().join(".ateam/models.yaml"), "models: {}\n").unwrap();
        assert_eq!(
            init_fleet(folder.path(), true).unwrap(),
            InitOutcome::Exists(".ateam/models.yaml".into())
        );
        assert!(!folder.path().join(".ateam/agents").exists());
    }
}
