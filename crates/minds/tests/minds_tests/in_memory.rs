//! Files in memory.

use minds::{
    Access, CheckError, Client, Files, Language, MAX_FILE_BYTES, NoTeam, Reason, RenderFailure,
    RenderOptions, Target, Team, check, check_text, render, task_text,
};

const TEAM: &str = "\
members:
  coder:
    write_dirs: [src, docs/*]
    no_write_dirs: [src/gen]
    read_file_ext_names: [rs, 5]
";

fn files(files: &[(&str, &str)]) -> Files {
    let add = |all: Files, (path, text): &(&str, &str)| all.with(path, text).expect("the path is valid");
    files.iter().fold(Files::new(), add)
}

#[test]
fn a_path_that_is_not_checked_is_an_error() {
    for path in ["team.yaml", ".minds/teams.yaml", "src/lib.rs", "fleet.yaml"] {
        let error = check_text(path, "").unwrap_err();
        assert_eq!(error.to_string(), format!("`{path}` is not a file that minds can check"));
    }
    for path in ["", "/etc/passwd", "../x", "a\\b", "a//b"] {
        assert!(matches!(check_text(path, "").unwrap_err(), CheckError::Path(_)), "{path}");
    }
    for path in
        [".minds/team.yaml", ".minds/minds.toml", "mind.toml", "team-compose.yaml", "tasks/a.tsk/goals.md"]
    {
        assert_eq!(check_text(path, "").expect(path).files, [path]);
    }
}

#[test]
fn every_family_is_checked_together() {
    let all = files(&[
        (".minds/team.yaml", "members: {coder: {model: m, toolset: []}}\n"),
        (".minds/minds.toml", "task_home = 5\n"),
        (".team/team-compose.yaml", "version: 2\nproject: []\n"),
        (".ateam/project.yaml", "nam: x\n"),
        ("mind.toml", "[sourc]\n"),
        ("tasks/ship.tsk/goals.md", "Ship it.\n"),
    ]);
    let report = check(&all);
    let mut places: Vec<&str> = report
        .diagnostics
        .iter()
        .filter_map(|found| found.primary.as_ref().map(|label| label.source.name()))
        .collect();
    places.dedup();
    assert_eq!(
        places,
        [
            ".ateam/project.yaml",
            ".minds/minds.toml",
            ".minds/team.yaml",
            ".team/team-compose.yaml",
            "mind.toml",
            "tasks/ship.tsk"
        ],
        "{report}"
    );
    assert_eq!(report.to_string(), minds::emit::concise(&report));
}

#[test]
fn a_file_that_is_too_large_is_a_finding() {
    let all = Files::new().with(".minds/team.yaml", vec![b' '; MAX_FILE_BYTES + 1]).expect("a valid path");
    assert_eq!(
        check(&all).to_string(),
        ".minds/team.yaml:1:1: error[file/unreadable]: `.minds/team.yaml` cannot be read: it is too large \
         (shorten the file)\n"
    );
    let team = Team::load(&all).expect("there is a team file");
    let decision = team.may("coder", Access::Read, "a").expect("every id is accepted");
    assert_eq!((team.errors(), decision.reason), (1, Reason::InvalidPolicy));
}

#[test]
fn decisions_have_reasons() {
    let team = Team::load(&files(&[(".minds/team.yaml", TEAM)])).expect("there is a team file");
    for (access, path, expected) in [
        (Access::Write, "docs/a/b.md", "allowed by `docs/*` of write_dirs (.minds/team.yaml:3:23)"),
        (Access::Write, "./src//x/../a", "allowed by `src` of write_dirs (.minds/team.yaml:3:18)"),
        (Access::Write, "src/gen", "denied by `src/gen` of no_write_dirs (.minds/team.yaml:4:21)"),
        (
            Access::Write,
            "src/GEN",
            "denied by `src/gen` of no_write_dirs (.minds/team.yaml:4:21), ignoring letter case and Unicode form",
        ),
        (Access::Write, "a", "denied: no entry allows it"),
        (Access::Write, "src/.git/config", "denied: the area is reserved"),
        (Access::Write, "/etc/passwd", "denied: outside of the workspace"),
        (Access::Write, "a\\b", "denied: not a valid path"),
        (
            Access::Read,
            "src/lib.rs",
            "denied: `5` of read_file_ext_names (.minds/team.yaml:5:31) cannot be read",
        ),
    ] {
        let decision = team.may("coder", access, path).expect("there is a member");
        assert_eq!(decision.to_string(), expected, "{path}");
        assert_eq!(decision.is_allowed(), expected.starts_with("allowed"), "{path}");
    }
    let error = team.may("codr", Access::Read, "a").unwrap_err();
    assert_eq!(error.to_string(), "the team has no member `codr`; did you mean `coder`?");
    let error: NoTeam = Team::load(&Files::new()).unwrap_err();
    assert_eq!(error.to_string(), "there is no `.minds/team.yaml`, so the team has no members");
}

#[test]
fn sections_of_a_task_have_names() {
    let sections =
        [("progress", "Half.\n"), ("goals", "Old.\n"), ("goals", "Ship it.\n"), ("ux/list", "No.\n")];
    let task = task_text(sections, Language::English, 1_000).expect("the names are valid");
    assert!(task.to_string().contains("## Goals\nShip it.\n"), "{task}");
    assert!(!task.text.contains("No.") && !task.text.contains("Old.") && task.cut.is_empty());
    let error = task_text([("goal", "")], Language::English, 1_000).unwrap_err();
    assert_eq!(error.code.as_str(), "INVALID_TOP_LEVEL_SELECTOR");
}

const COMPOSE: [(&str, &str); 2] = [
    (".team/team-compose.yaml", "version: 2\nprojects: [{file: shop.yaml}]\n"),
    (".team/shop.yaml", "version: 2\nproject: {id: shop, name: Shop, cwd: ..}\nmanagers: {lead: {}}\n"),
];

#[test]
fn nothing_is_rendered_from_files_with_errors() {
    let mut all = files(&COMPOSE);
    all.insert(".minds/mcp.yaml", "version: 1\nservers: {a: {transport: stdoi}}\n").expect("a valid path");
    let options = RenderOptions { root: "/srv/.team", ..RenderOptions::default() };
    let rendering = render(&all, &[Target::Artifacts], &options).expect("the request is valid");
    assert!(rendering.artifacts.is_empty() && rendering.report.summary().errors > 0);
}

#[test]
fn servers_are_merged_into_the_file_of_a_client() {
    let all = files(&[
        (".minds/mcp.yaml", "version: 1\nservers: {browser: {transport: stdio, command: browser-mcp}}\n"),
        (".mcp.json", "{\n  \"mcpServers\": {\n    \"mine\": {\"command\": \"mine\"}\n  }\n}\n"),
    ]);
    let targets = [Target::Mcp(Client::ClaudeCode), Target::Mcp(Client::Codex)];
    let rendering = render(&all, &targets, &RenderOptions::default()).expect("the request is valid");
    assert_eq!(rendering.report.diagnostics.len(), 0, "{}", rendering.report);
    let texts: Vec<(&str, &str)> = rendering
        .artifacts
        .iter()
        .map(|artifact| (artifact.path.as_str(), std::str::from_utf8(&artifact.bytes).expect("UTF-8")))
        .collect();
    let [(".codex/config.toml", codex), (".mcp.json", claude)] = texts.as_slice() else {
        panic!("{texts:?}")
    };
    assert!(codex.contains("[mcp_servers.browser]"), "{codex}");
    assert!(
        claude.contains("\"mine\": {\"command\": \"mine\"}") && claude.contains("browser-mcp"),
        "{claude}"
    );
}

#[test]
fn a_request_that_cannot_be_rendered_is_an_error() {
    let all = files(&COMPOSE);
    let fail = |files: &Files, target, root, command: &[&str]| {
        let options = RenderOptions { root, command, ..RenderOptions::default() };
        render(files, &[target], &options).unwrap_err().to_string()
    };
    assert_eq!(
        fail(&Files::new(), Target::Systemd, "/srv", &[]),
        "`systemd` needs a compose root: the files contain no `team-compose.yaml`"
    );
    for (root, reason) in
        [("srv", "not an absolute path"), ("", "not an absolute path"), ("/a\nB=1", "control character")]
    {
        let message = fail(&all, Target::Artifacts, root, &[]);
        assert!(message.contains(reason), "{message}");
    }
    assert!(fail(&all, Target::WindowsTask, "C:\\srv", &[]).contains("need a command"));
    assert!(fail(&all, Target::Docker, "/srv", &["run", "{agnt}"]).contains("unknown placeholder"));
    assert!(fail(&all, Target::Docker, "/srv", &["run", "{redis_url}"]).contains("not available"));

    let blocked = Files::new().with(".mcp.json", vec![b' '; MAX_FILE_BYTES + 1]).expect("a valid path");
    let blocked = blocked
        .with(".minds/mcp.yaml", "version: 1\nservers: {a: {transport: stdio, command: a}}\n")
        .expect("a valid path");
    let error = render(&blocked, &[Target::Mcp(Client::ClaudeCode)], &RenderOptions::default()).unwrap_err();
    assert!(matches!(error, RenderFailure::Obstacle { .. }), "{error}");
}
