//! Complete files of a compose root and of a fleet.

use std::fs;
use std::path::Path;

use minds_compose::ComposeFamily;
use minds_diagnostics::{Problems, Report, emit};
use minds_fleet::FleetFamily;
use minds_render::services::{Command, FleetSetting, Service, of_compose, of_fleet, render};
use minds_render::{Artifact, Setting, Target, artifacts};
use minds_vfs::{FileMode, Location, MountId, Snapshot, SnapshotEntry, WorkspacePath};

/// Returns the files of a fixture by their paths relative to a folder.
fn fixture(name: &str, below: &str) -> Snapshot {
    let top = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../fixtures/render/service/valid")
        .join(name)
        .join(below);
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

/// Returns the findings and the contents of all files.
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
    of_compose(&family, &made, ROOT, command, &|_| None).unwrap()
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

/// Files and directories that the environment or the team refers to are mounted.
#[test]
fn files_outside_of_the_root_are_mounted_too() {
    let project = "version: 2\nproject: {id: shop, name: Shop, cwd: .}\nmanagers:\n  a: {role_prompt: roles/a.md}\n  \
                   b: {role_prompt: ../../p/b.md}\n  c: {role_prompt: ../../p/gone.md}\n";
    let containers = |mailbox: &str| {
        let compose =
            format!("version: 2\nbroker: {{path: {mailbox}}}\nprojects: [{{file: ../../p/shop.yaml}}]\n");
        let inside = |path: &str| Location::new(MountId::WORKSPACE, WorkspacePath::parse(path).unwrap());
        let outside =
            |path: &str| Location::new(MountId::new("../../p"), WorkspacePath::parse(path).unwrap());
        let mut files = Snapshot::new();
        for (place, text) in [
            (inside("team-compose.yaml"), compose.as_str()),
            (inside("roles/a.md"), "a"),
            (outside("shop.yaml"), project),
            (outside("b.md"), "b"),
        ] {
            let entry = SnapshotEntry::File { bytes: text.into(), mode: FileMode::Regular };
            files.insert(place, entry);
        }
        let family = ComposeFamily::load(&files).value;
        let made = artifacts(&family, &Setting { root: ROOT, mcp_command: "team-mcp" }).unwrap();
        let services = of_compose(&family, &made, ROOT, None, &|_| None).unwrap();
        let mut problems = Problems::new();
        let made = render(&services, Target::Docker, "minds-0123456789ab", &mut problems).unwrap();
        let text = made.last().map_or("", |made| std::str::from_utf8(&made.bytes).unwrap());
        let binds: Vec<Vec<String>> = text
            .split("working_dir:")
            .skip(1)
            .map(|container| {
                let lines = container.lines().filter_map(|line| line.trim().strip_prefix("target: '"));
                lines.map(|path| path.trim_end_matches('\'').to_owned()).collect()
            })
            .collect();
        let read_only = text.matches("read_only: true").count();
        let found = problems.into_sorted().into_iter().map(|found| found.message).collect::<Vec<_>>();
        (binds, read_only, found)
    };
    let (root, project, home) = (ROOT, "/srv/p/shop.yaml", "/home/agent");
    assert_eq!(
        containers("state/mailbox.db"),
        (
            vec![
                vec![root, project, home],
                vec![root, project, "/srv/p/b.md", home],
                vec![root, project, home]
            ]
            .into_iter()
            .map(|paths| paths.into_iter().map(str::to_owned).collect())
            .collect(),
            4,
            vec![]
        )
    );
    // The directory of the mailbox contains the two other directories.
    let (binds, read_only, found) = containers("/srv/p/mailbox.db");
    assert_eq!(
        (binds[1].as_slice(), read_only, found.len()),
        (&[root, "/srv/p", home].map(str::to_owned)[..], 0, 0)
    );
    let (binds, _, found) = containers("/mailbox.db");
    assert!(binds.is_empty(), "{binds:?}");
    assert_eq!(
        found[0],
        "the directory of the mailbox cannot be written for Docker: it is the root directory, and a container has its own"
    );
}
