//! A first fleet.

use std::path::Path;

use minds_fleet::model::is_name;
use minds_fleet::prompt::refresh;
use minds_fleet::tools::{BUILTIN, Descriptor};
use minds_fs::directory_name;

use crate::OperationError;

/// The files of a first fleet with their contents; `PROJECT` is replaced by the name of the project.
const FILES: &[(&str, &str)] = &[
    (".ateam/project.yaml", include_str!("../../templates/fleet/project.yaml")),
    (".ateam/models.yaml", include_str!("../../templates/fleet/models.yaml")),
    (".ateam/tools.yaml", include_str!("../../templates/fleet/tools.yaml")),
    (".ateam/agents/zeus/agent.yaml", include_str!("../../templates/fleet/agent.yaml")),
    (".ateam/agents/zeus/system_base.md", include_str!("../../templates/fleet/system_base.md")),
];

/// The overlay, which initially contains the tools of the agent.
const OVERLAY: &str = ".ateam/agents/zeus/system_overlay.md";

/// The name of the project if the name of the directory is not valid.
const NAME: &str = "project";

/// The tools of the first agent, as in its file.
const TOOLS: [&str; 5] = ["fs.read", "fs.write", "kb.copy_from", "kb.ingest", "os.exec"];

/// Returns the files with their contents: the project, a model, the transport, and one agent. The project has the name of
/// the directory.
///
/// # Errors
///
/// Fails if the directory has no name that can be read.
pub(super) fn files(directory: &Path) -> Result<Vec<(&'static str, String)>, OperationError> {
    let project = directory_name(directory)?.filter(|name| is_name(name)).unwrap_or_else(|| NAME.to_owned());
    let mut files: Vec<(&str, String)> =
        FILES.iter().map(|(path, text)| (*path, text.replace("PROJECT", &project))).collect();
    let is_given = |tool: &&Descriptor<'_>| TOOLS.contains(&tool.name);
    // An empty string has no broken block markers.
    let overlay = refresh("", BUILTIN.iter().filter(is_given)).map(|overlay| overlay.text);
    files.push((OVERLAY, overlay.unwrap_or_default()));
    Ok(files)
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "a test looks at the disk itself")]
mod tests {
    use super::*;
    use crate::{AgentPrompt, InitOutcome, InitRequest, Scaffold, check, init, show_fleet};

    fn init_fleet(directory: &Path, write: bool) -> Result<InitOutcome, OperationError> {
        init(&InitRequest { base: directory, scaffold: Scaffold::Fleet, write })
    }

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
        let outcome = check(&crate::CheckRequest::new(&directory)).unwrap();
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
