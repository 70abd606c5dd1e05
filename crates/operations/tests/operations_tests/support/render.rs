//! Rendering what a fixture asks for, and what is put into the files of clients.

use std::path::Path;

use minds_diagnostics::Report;
use minds_operations::{RenderRequest, render};
use minds_render::Target;
use minds_render::clients::{Client, TeamSettings};

/// Renders a folder with options from a string, one per line: `target NAME`, `exec WORD`. Returns the findings.
pub(crate) fn rendered(folder: &Path, request: &str) -> Report {
    let words = |key: &str| {
        let lines = request.lines().filter_map(|line| line.split_once(' ')).filter(|(name, _)| *name == key);
        lines.map(|(_, word)| word.to_owned()).collect::<Vec<String>>()
    };
    let targets: Vec<Target> =
        words("target").iter().map(|name| Target::find(name).expect("there is such a target")).collect();
    let command = words("exec");
    let roots = [".team", ".ateam"].map(|root| folder.join(root));
    let root = roots.iter().find(|root| root.is_dir()).expect("there is something to render");
    let request = RenderRequest {
        root: Some(root),
        targets: &targets,
        command: &command,
        ..RenderRequest::new(Path::new("."))
    };
    let outcome = render(&request).expect("it can be rendered");
    // Where the repository lies is not part of the picture.
    Report { root: ".".into(), ..outcome.report }
}

/// Renders a workspace for every client, and writes nothing.
pub(crate) fn rendered_for_clients(workspace: &Path) -> Report {
    let targets = Client::ALL.map(Target::Mcp);
    let request =
        RenderRequest { root: Some(workspace), targets: &targets, ..RenderRequest::new(Path::new(".")) };
    render(&request).expect("the workspace can be read").report
}

/// Renders the members of a team for a client, and returns the codes of the findings.
pub(crate) fn rendered_for_agents(workspace: &Path, target: &str, allow_wider: &[&str]) -> Vec<&'static str> {
    let settings = TeamSettings {
        allow_wider: allow_wider.iter().map(|id| (*id).to_owned()).collect(),
        ..TeamSettings::default()
    };
    let targets = [Target::find(target).expect("there is such a target")];
    let request = RenderRequest {
        root: Some(workspace),
        targets: &targets,
        settings: Some(&settings),
        ..RenderRequest::new(Path::new("."))
    };
    let report = render(&request).expect("the workspace can be read").report;
    report.diagnostics.iter().map(|found| found.rule.code).collect()
}
