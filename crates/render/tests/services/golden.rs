//! Whole files, of a compose root and of a fleet.

use std::fs;
use std::path::Path;

use minds_compose::ComposeFamily;
use minds_diagnostics::{Problems, Report, emit};
use minds_document::Snapshot;
use minds_fleet::FleetFamily;
use minds_paths::WorkspacePath;
use minds_render::services::{Command, FleetSetting, Service, of_compose, of_fleet, render};
use minds_render::{Artifact, Setting, Target, artifacts};

/// Returns the files of a fixture, by their paths below a folder in it.
fn fixture(name: &str, below: &str) -> Snapshot {
    let top =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/service/valid").join(name).join(below);
    let mut snapshot = Snapshot::new();
    let mut folders = vec![top.clone()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let name = path.strip_prefix(&top).unwrap().to_str().unwrap();
            let text = fs::read_to_string(&path).unwrap();
            snapshot = snapshot.with_file(WorkspacePath::parse(name).unwrap(), text);
        }
    }
    snapshot
}

/// Returns all files as one text, behind what was found.
fn picture(made: &[Artifact], problems: Problems) -> String {
    let report = Report { root: ".".into(), diagnostics: problems.into_sorted(), ..Report::default() };
    let mut text = emit::human_findings(&report, emit::Human::default());
    for artifact in made {
        text +=
            &format!("==> {} <==\n{}\n", artifact.path, String::from_utf8(artifact.bytes.clone()).unwrap());
    }
    text
}

const ROOT: &str = "/srv/web shop/.team";

fn of_shop(command: Option<&Command>) -> Vec<Service> {
    let family = ComposeFamily::load(&fixture("compose", ".team")).value;
    let made = artifacts(&family, &Setting { root: ROOT, mcp_command: "team-mcp" }).unwrap();
    of_compose(&family, &made, ROOT, command).unwrap()
}

#[test]
fn agents_of_a_compose_root_are_run_as_teamctl_runs_them() {
    for target in Target::SERVICES.iter().filter(|target| **target != Target::WindowsTask) {
        let mut problems = Problems::new();
        let made = render(&of_shop(None), *target, "minds-0123456789ab", &mut problems).unwrap();
        insta::assert_snapshot!(format!("compose__{target}"), picture(&made, problems));
    }
}

#[test]
fn agents_of_a_compose_root_are_run_by_a_command() {
    let words = [
        "/opt/agent",
        "--as",
        "{project}/{agent}",
        "--env",
        "{env_file}",
        "100% of $5",
        "{{\"a\": \"\\\"}}",
        "",
    ];
    let command = Command::parse(&words).unwrap();
    for target in Target::SERVICES {
        let mut problems = Problems::new();
        let made = render(&of_shop(Some(&command)), *target, "minds-0123456789ab", &mut problems).unwrap();
        insta::assert_snapshot!(format!("compose_command__{target}"), picture(&made, problems));
    }
}

#[test]
fn agents_of_a_fleet_are_run_by_a_command() {
    let family = FleetFamily::load(&fixture("fleet", "")).value;
    let words = ["/usr/bin/ateam", "agent", "--project", "{project}", "--name", "{agent}", "--cwd", "{cwd}"];
    let command = Command::parse(&words).unwrap();
    for target in Target::SERVICES {
        let mut problems = Problems::new();
        let setting =
            FleetSetting { workspace: "/srv/olymp", project: "olymp", command: &command, target: *target };
        let services = of_fleet(&family, &setting, &mut problems).unwrap();
        let made = render(&services, *target, "minds-0123456789ab", &mut problems).unwrap();
        insta::assert_snapshot!(format!("fleet__{target}"), picture(&made, problems));
    }
}
