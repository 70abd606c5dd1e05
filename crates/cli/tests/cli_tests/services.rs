//! `minds render --target systemd-user` and the other targets that keep agents running, and `minds clean` after them.

mod mistakes;
use crate::support;

use std::fs;
use std::path::Path;

use serde_json::Value;
use tempfile::TempDir;

use minds_render::Target;
use support::minds;

/// A Redis server on this machine.
const TRANSPORT: &str = "mcp:\n  transport:\n    kind: redis\n    url: redis://127.0.0.1:6379/0\n";

/// Returns a repository with a new compose root or fleet.
fn scaffold(kind: &str) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir_all(folder.path().join("app/.git")).unwrap();
    assert_eq!(minds(&folder.path().join("app"), &["init", kind]).0, 0);
    folder
}

/// Returns the states of all files by their paths, and the exit code.
fn states(directory: &Path, args: &[&str]) -> (i32, Vec<String>) {
    let args = [&["render", "--format", "json"], args].concat();
    let (code, stdout, stderr) = minds(directory, &args);
    let document: Value = serde_json::from_str(&stdout).unwrap_or_else(|_| panic!("{stderr}"));
    let files = document["artifacts"].as_array().unwrap();
    let line =
        |file: &Value| format!("{} {}", file["state"].as_str().unwrap(), file["path"].as_str().unwrap());
    (code, files.iter().map(line).collect())
}

#[track_caller]
fn refuses(directory: &Path, args: &[&str], code: i32, expected: &str) {
    let (found, _, stderr) = minds(directory, &[&["render"], args].concat());
    assert!(found == code && stderr.contains(expected), "{args:?}: {found} {stderr}");
}

#[test]
fn units_are_written_once_and_stay_with_their_target() {
    let folder = scaffold("--compose");
    let app = folder.path().join("app");
    let state = app.join(".team/state");
    let units = [
        "state/services/systemd-user/minds-main-coder.service",
        "state/services/systemd-user/minds-main-lead.service",
    ];
    let all = ["--target", "artifacts", "--target", "systemd-user"];
    let with = |state: &str, paths: &[&str]| -> Vec<String> {
        paths.iter().map(|path| format!("{state} {path}")).collect()
    };
    let manifest = "state/minds-manifest.json";
    assert_eq!(
        states(&app, &["--target", "systemd-user"]),
        (0, with("created", &[units[0], units[1], manifest]))
    );
    assert!(!state.exists());
    assert_eq!(states(&app, &[&all[..], &["--check"]].concat()).0, 1);
    assert_eq!(states(&app, &[&all[..], &["--write"]].concat()).0, 0);
    assert_eq!(states(&app, &[&all[..], &["--check"]].concat()).0, 0);
    let again = states(&app, &[&all[..], &["--write"]].concat());
    assert!(again.1.iter().all(|line| line.starts_with("unchanged ")), "{again:?}");

    // Files of other targets are kept, and stay recorded.
    let (code, found) = states(&app, &["--check"]);
    assert!(code == 0 && found.iter().all(|line| !line.contains("services")), "{found:?}");
    assert_eq!(states(&app, &["--target", "launchd", "--write"]).0, 0);
    assert!(app.join(".team").join(units[0]).exists());

    // Changed files are kept; removed agents have no units.
    let project = app.join(".team/projects/main.yaml");
    let text = fs::read_to_string(&project).unwrap();
    fs::write(app.join(".team").join(units[1]), "mine").unwrap();
    assert_eq!(states(&app, &["--target", "systemd-user", "--write"]).0, 1);
    let without_coder = text.split("workers:").next().unwrap().replace("coder", "lead");
    fs::write(&project, without_coder).unwrap();
    let (code, found) = states(&app, &["--target", "systemd-user", "--write", "--force"]);
    let expected =
        [format!("stale {}", units[0]), format!("drifted {}", units[1]), format!("changed {manifest}")];
    assert_eq!((code, found), (0, expected.to_vec()));
    assert!(!app.join(".team").join(units[0]).exists());
    assert!(state.join("services/launchd/minds.main-coder.plist").exists());

    let (code, stdout, _) = minds(&app, &["clean"]);
    assert!(
        code == 0 && stdout.contains("removed state/services/launchd/minds.main-coder.plist\n"),
        "{stdout}"
    );
    assert!(!state.join("minds-manifest.json").exists());
}

#[test]
fn the_supervisor_selects_the_default_targets() {
    let folder = scaffold("--compose");
    let app = folder.path().join("app");
    let compose = app.join(".team/team-compose.yaml");
    let text = fs::read_to_string(&compose).unwrap();
    for (supervisor, services) in [
        ("tmux", &[][..]),
        ("systemd", &["created state/services/systemd-user/minds-main-coder.service"]),
        ("launchd", &["created state/services/launchd/minds.main-coder.plist"]),
    ] {
        fs::write(&compose, text.replace("type: tmux", &format!("type: {supervisor}"))).unwrap();
        let (_, found) = states(&app, &[]);
        let found: Vec<&String> =
            found.iter().filter(|line| line.contains("services") && line.contains("coder")).collect();
        assert_eq!(found, services, "{supervisor}");
        let (_, found) = states(&app, &["--target", "artifacts"]);
        assert!(found.iter().all(|line| !line.contains("services")), "{supervisor}");
    }
}

#[test]
fn agents_of_a_fleet_are_rendered_below_their_directory() {
    let folder = scaffold("--fleet");
    let app = folder.path().join("app");
    let command = ["--exec", "/usr/bin/ateam", "agent", "--project", "{project}", "--name", "{agent}"];
    let all: Vec<&str> = Target::SERVICES.iter().flat_map(|target| ["--target", target.name()]).collect();
    refuses(&app, &[], 2, "the agents of a fleet have no launch files");
    let both = ["--target", "artifacts", "--target", "docker", "--exec", "agent"];
    refuses(&app, &both, 2, "the agents of a fleet have no launch files");
    let write = [&all[..], &["--write"], &command].concat();
    let (code, found) = states(&app, &write);
    assert_eq!((code, found.len()), (0, 7), "{found:?}");
    for path in [
        "docker/Dockerfile",
        "docker/compose.yaml",
        "services/launchd/minds.app-zeus.plist",
        "services/systemd/minds-app-zeus@.service",
        "services/systemd-user/minds-app-zeus.service",
        "services/windows-task/minds-app-zeus.xml",
    ] {
        assert!(app.join(".ateam/state").join(path).exists(), "{path}");
    }
    let check = [&["--root", ".ateam"], &all[..], &["--check"], &command].concat();
    assert_eq!(states(&app, &check).0, 0);
    assert_eq!(minds(&app, &["check"]).0, 0);
    let unit = app.join(".ateam/state/services/systemd-user/minds-app-zeus.service");
    let workspace = app.canonicalize().unwrap();
    let text = fs::read_to_string(unit).unwrap();
    assert!(text.contains(&format!("\nWorkingDirectory={}\n", workspace.display())), "{text}");
    assert!(text.contains("\nExecStart=/usr/bin/ateam agent --project app --name zeus\n"), "{text}");
    let (code, stdout, _) = minds(&app, &["clean", "--root", ".ateam"]);
    assert_eq!((code, stdout.lines().count()), (0, 7), "{stdout}");
    assert_eq!(minds(&app, &["clean"]).2, "minds: nothing to remove\n");
}

#[test]
fn agents_of_a_fleet_are_run_by_our_program_by_default() {
    let folder = scaffold("--fleet");
    let app = folder.path().join("app");
    let (code, found) = states(&app, &["--target", "docker", "--target", "systemd-user", "--write"]);
    assert_eq!(code, 0, "{found:?}");
    let read = |path: &str| fs::read_to_string(app.join(".ateam/state").join(path)).unwrap();
    let workspace = app.canonicalize().unwrap();
    let args = format!("agent --project app --name zeus --cwd {}\n", workspace.display());
    let unit = read("services/systemd-user/minds-app-zeus.service");
    let start = unit.lines().find_map(|line| line.strip_prefix("ExecStart=")).unwrap();
    // The path is that beside the program, if it was built.
    let program = start.strip_suffix(args.trim_end()).expect("the arguments name the agent").trim_end();
    assert!(
        program == "minds-fleet" || program.starts_with('/') && program.ends_with("/minds-fleet"),
        "{start}"
    );
    let text = read("docker/compose.yaml") + &read("docker/Dockerfile");
    assert!(text.contains("\"minds-fleet\""), "{text}");
    assert!(!text.contains("/minds-fleet"), "the paths of this machine do not exist in a container: {text}");
}

/// A fleet in a parent directory belongs to another workspace.
#[test]
fn the_fleet_of_the_workspace_is_used() {
    let folder = scaffold("--fleet");
    let inner = folder.path().join("app/inner");
    fs::create_dir_all(inner.join(".minds")).unwrap();
    refuses(&inner, &["--target", "launchd", "--exec", "agent"], 0, "team-compose.yaml");
    // A file with this name is not a fleet.
    fs::write(inner.join(".ateam"), "").unwrap();
    let named = ["--root", ".ateam", "--target", "launchd", "--exec", "agent"];
    refuses(&inner, &named, 2, "`.ateam` from `--root` is not a directory");
}

/// Errors in the files of a fleet prevent all output.
#[test]
fn errors_of_a_fleet_prevent_rendering() {
    let folder = scaffold("--fleet");
    let app = folder.path().join("app");
    let tools = app.join(".ateam/tools.yaml");
    let text = fs::read_to_string(&tools).unwrap_or_default();
    fs::write(&tools, format!("{text}\nmisspelt: 1\n")).unwrap();
    let render = ["--target", "launchd", "--write", "--exec", "agent"];
    refuses(&app, &render, 1, "so nothing is generated");
    assert!(!app.join(".ateam/state").exists());
}

/// Containers of several workspaces have different names.
#[test]
fn containers_are_named_after_their_root() {
    let folders = [scaffold("--fleet"), scaffold("--fleet")];
    let names = folders.each_ref().map(|folder| {
        let app = folder.path().join("app");
        let (code, _, stderr) =
            minds(&app, &["render", "--target", "docker", "--write", "--exec", "/usr/bin/ateam"]);
        assert_eq!(code, 0, "{stderr}");
        let text = fs::read_to_string(app.join(".ateam/state/docker/compose.yaml")).unwrap();
        let name = text.lines().find_map(|line| line.strip_prefix("name: 'minds-")).unwrap();
        let digits = name.strip_suffix('\'').unwrap().to_owned();
        assert!(digits.len() == 12 && digits.bytes().all(|digit| digit.is_ascii_hexdigit()), "{digits}");
        digits
    });
    assert_ne!(names[0], names[1]);
}

/// In a container, a loopback address refers to the container.
#[test]
fn a_container_reaches_the_server_next_to_it() {
    let folder = scaffold("--fleet");
    let app = folder.path().join("app");
    let tools = app.join(".ateam/tools.yaml");
    let text = TRANSPORT;
    let render =
        ["--target", "docker", "--target", "systemd-user", "--write", "--exec", "agent", "{redis_url}"];
    for (url, in_unit, in_container) in [
        ("redis://127.0.0.1:6379/0", "redis://127.0.0.1:6379/0", "redis://redis:6379/0"),
        ("redis://redis.example.org/3", "redis://redis.example.org/3", "redis://redis.example.org/3"),
    ] {
        fs::write(&tools, text.replace("redis://127.0.0.1:6379/0", url)).unwrap();
        assert_eq!(states(&app, &render).0, 0, "{url}");
        let state = app.join(".ateam/state");
        let unit = fs::read_to_string(state.join("services/systemd-user/minds-app-zeus.service")).unwrap();
        assert!(unit.contains(&format!("\nExecStart=agent {in_unit}\n")), "{unit}");
        let containers = fs::read_to_string(state.join("docker/compose.yaml")).unwrap();
        assert!(containers.contains(&format!("    command:\n      - '{in_container}'\n")), "{containers}");
        assert!(containers.contains(&format!("ATEAM_REDIS_URL: '{in_container}'\n")), "{containers}");
    }
    // Passwords of the transport are never written.
    let allowed = "    # minds: allow(secret/url-credentials) of this machine alone\n    url: ";
    fs::write(&tools, text.replace("127.0.0.1", "user:hunter2@127.0.0.1").replace("    url: ", allowed))
        .unwrap();
    refuses(&app, &render, 1, "it contains a password");
    let docker = ["--target", "docker", "--exec", "agent", "{redis_url}"];
    refuses(&app, &docker, 0, "");
}

/// The project is named after its directory if no file names it, unless that is not a valid name.
#[test]
fn a_project_has_a_name_for_its_services() {
    let folder = scaffold("--fleet");
    let app = folder.path().join("my app");
    fs::rename(folder.path().join("app"), &app).unwrap();
    fs::remove_file(app.join(".ateam/project.yaml")).unwrap();
    let render = ["--target", "launchd", "--write", "--exec", "agent"];
    refuses(
        &app,
        &render,
        1,
        "the name of the project cannot be written for launchd: it must consist of letters",
    );
    assert!(!app.join(".ateam/state").exists());
    fs::write(app.join(".ateam/project.yaml"), "name: my-app\n").unwrap();
    refuses(&app, &render, 0, "wrote 2 files in `.ateam`");
}

/// `--root` with a compose root never selects a fleet.
#[test]
fn the_environment_names_a_compose_root_and_nothing_else() {
    let fleet = scaffold("--fleet");
    let app = fleet.path().join("app");
    let run = |args: &[&str]| {
        let mut command = support::command(&app, args);
        let output = command.env("TEAMCTL_ROOT", "nowhere").output().unwrap();
        (output.status.code(), String::from_utf8(output.stderr).unwrap())
    };
    let unit = ["render", "--target", "systemd-user", "--exec", "agent"];
    assert_eq!(run(&unit).0, Some(2));
    let at_root = ["render", "--root", ".ateam", "--target", "systemd-user", "--exec", "agent"];
    assert_eq!(run(&at_root), (Some(0), "minds: 2 files would change; nothing was written\n".to_owned()));
    assert_eq!(run(&["clean"]).0, Some(2));
}

#[test]
fn commands_are_checked_before_anything_else() {
    let compose = scaffold("--compose");
    let app = compose.path().join("app");
    let unit = ["--target", "systemd-user"];
    let with = |exec: &[&'static str]| [&unit[..], &["--exec"], exec].concat();
    refuses(&app, &["--exec", "agent"], 2, "so `--exec` has no effect");
    refuses(&app, &with(&["agent", "{agnt}"]), 2, "unknown placeholder `{agnt}`; known are `{project}`");
    refuses(&app, &with(&["agent", "{"]), 2, "an unmatched `{`");
    refuses(
        &app,
        &with(&["agent", "{redis_url}"]),
        2,
        "`{redis_url}` is not available for the agents of a compose root",
    );
    refuses(&app, &["--target", "windows-task"], 2, "pass it with `--exec`");
    refuses(&app, &["--target", "systemd-users"], 2, "systemd-user");
    let fleet = scaffold("--fleet");
    let agents = "`{env_file}` is not available for the agents of a fleet";
    refuses(&fleet.path().join("app"), &with(&["agent", "{env_file}"]), 2, agents);
    assert!(!app.join(".team/state").exists());
}

/// All arguments up to a separate semicolon belong to the command.
#[test]
fn options_after_the_command_are_its_arguments() {
    let folder = scaffold("--compose");
    let app = folder.path().join("app");
    let unit = app.join(".team/state/services/systemd-user/minds-main-lead.service");
    // Otherwise nothing would be written, contrary to the intention.
    let (code, _, stderr) =
        minds(&app, &["render", "--target", "systemd-user", "--exec", "agent", "--write"]);
    assert!(code == 2 && stderr.contains("write `--write` in front of `--exec`"), "{stderr}");
    assert!(!unit.exists());
    let args = ["render", "--target", "systemd-user", "--exec", "agent", "--check", ";", "--write"];
    assert_eq!(minds(&app, &args).0, 0);
    assert!(fs::read_to_string(unit).unwrap().contains(" agent --check\n"));
}

#[test]
fn nothing_is_written_if_one_value_is_invalid() {
    let folder = scaffold("--compose");
    let app = folder.path().join("app");
    let project = app.join(".team/projects/main.yaml");
    let text = fs::read_to_string(&project).unwrap();
    fs::write(&project, text.replace("  coder:\n", "  coder:\n    model: 'back\\slash'\n")).unwrap();
    let args = ["render", "--target", "artifacts", "--target", "systemd-user", "--write", "--format", "json"];
    let (code, stdout, stderr) = minds(&app, &args);
    let document: Value = serde_json::from_str(&stdout).unwrap();
    assert_eq!((code, document["artifacts"].as_array().unwrap().len()), (1, 0), "{stderr}");
    let found = document["diagnostics"].as_array().unwrap().iter().find(|found| found["severity"] == "error");
    assert_eq!(found.unwrap()["code"], "service/unwritable-value");
    assert!(!app.join(".team/state").exists());
    // It is reported once for two targets of the same reader.
    let both = ["--target", "systemd", "--target", "systemd-user"];
    let (_, stdout, _) = minds(&app, &[&["render", "--format", "json"], &both[..]].concat());
    let document: Value = serde_json::from_str(&stdout).unwrap();
    let found = document["diagnostics"].as_array().unwrap().iter();
    assert_eq!(found.filter(|found| found["code"] == "service/unwritable-value").count(), 1, "{document}");
    // Its owner writes the file.
    assert_eq!(minds(&app, &["render", "--target", "launchd", "--write"]).0, 0);
}

#[cfg(unix)]
#[test]
fn no_link_is_followed() {
    let folder = scaffold("--fleet");
    let app = folder.path().join("app");
    let render = ["--target", "systemd-user", "--write", "--exec", "agent"];
    let outside = folder.path().join("outside");
    fs::create_dir(&outside).unwrap();
    std::os::unix::fs::symlink(&outside, app.join(".ateam/state")).unwrap();
    refuses(&app, &render, 1, "cannot be");
    assert_eq!(fs::read_dir(&outside).unwrap().count(), 0);
    fs::remove_file(app.join(".ateam/state")).unwrap();
    // A manifest that is a link is not used, even within the directory.
    refuses(&app, &render, 0, "wrote 2 files");
    fs::rename(app.join(".ateam/state"), app.join(".ateam/other")).unwrap();
    std::os::unix::fs::symlink("other", app.join(".ateam/state")).unwrap();
    let _ = minds(&app, &["clean", "--root", ".ateam"]);
    assert_eq!(fs::read_dir(app.join(".ateam/other")).unwrap().count(), 2);
    fs::rename(app.join(".ateam"), folder.path().join("fleet")).unwrap();
    std::os::unix::fs::symlink(folder.path().join("fleet"), app.join(".ateam")).unwrap();
    refuses(&app, &render, 2, "`.ateam` is a symbolic link");
}
