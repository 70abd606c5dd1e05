//! A first fleet.

use std::path::Path;

use minds_document::{Change, ChangeSet, Expected, FileMode};
use minds_fleet::model::is_name;
use minds_fleet::prompt::refresh;
use minds_fleet::tools::{BUILTIN, Descriptor};
use minds_paths::{Location, MountId, WorkspacePath};
use minds_system::{ApplyError, Root, current_directory, directory_name};

use crate::diff::unified_diff;
use crate::{InitDone, InitOutcome, OperationError, locate};

/// The files of a first fleet, and what is in them; `PROJECT` stands for the name of the project.
const FILES: &[(&str, &str)] = &[
    (".ateam/project.yaml", include_str!("../templates/fleet/project.yaml")),
    (".ateam/models.yaml", include_str!("../templates/fleet/models.yaml")),
    (".ateam/tools.yaml", include_str!("../templates/fleet/tools.yaml")),
    (".ateam/agents/zeus/agent.yaml", include_str!("../templates/fleet/agent.yaml")),
    (".ateam/agents/zeus/system_base.md", include_str!("../templates/fleet/system_base.md")),
];

/// The overlay, which holds the tools of the agent at first.
const OVERLAY: &str = ".ateam/agents/zeus/system_overlay.md";

/// What a project is called whose directory has no name that a project can have.
const NAME: &str = "project";

/// The tools that the first agent has, as its file says.
const TOOLS: [&str; 5] = ["fs.read", "fs.write", "kb.copy_from", "kb.ingest", "os.exec"];

/// Writes an `.ateam/` that checks clean into `directory`: the project, a model, the transport, and one agent.
///
/// It never overwrites: if one of its files is there, nothing is written. All files are written, or none; without `write`
/// it is only said what would be.
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
        // The places differ, so no change excludes another.
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
    // An empty text has no broken mark.
    let overlay = refresh("", BUILTIN.iter().filter(is_given)).map(|overlay| overlay.text);
    files.push((OVERLAY, overlay.unwrap_or_default()));
    files
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "a test looks at the disk itself")]
mod tests {
    use super::*;
    use crate::{Prompting, check, show_fleet};

    #[test]
    fn a_first_fleet_checks_clean_and_is_never_overwritten() {
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
            Prompting::open(&directory, Some("zeus")).unwrap().refresh_toolbox(false).unwrap().unwrap();
        assert_eq!(toolbox.diff, "");
        assert_eq!(
            init_fleet(&directory, true).unwrap(),
            InitOutcome::Exists(".ateam/agents/zeus/agent.yaml".into())
        );
    }

    #[test]
    fn one_file_that_is_there_keeps_all_from_being_written() {
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
