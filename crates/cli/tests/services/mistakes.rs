//! What is wrong with a command or with files is said, and nothing is written.

use std::fs;

use super::support::minds;
use super::{refuses, seeded};

/// A sign of a password that ends the host of an address does not let the rest of it out.
#[test]
fn a_password_that_is_not_escaped_is_written_nowhere() {
    let folder = seeded("--fleet");
    let app = folder.path().join("app");
    let tools = app.join(".ateam/tools.yaml");
    let text = fs::read_to_string(&tools).unwrap();
    let render = ["--target", "systemd-user", "--write", "--exec", "agent", "{redis_url}"];
    let allowed = "    # minds: allow(secret/url-credentials) of this machine alone\n    url: ";
    for (url, expected) in [
        ("'redis://user:hunter2/Xk9@127.0.0.1:6379/0'", "URL with a host"),
        ("'redis://u:pq7x?Xk9@h'", "URL with a host"),
        ("'redis://u:12/Xk9@h'", "it has a password"),
    ] {
        let text = text.replace("redis://127.0.0.1:6379/0", url).replace("    url: ", allowed);
        fs::write(&tools, text).unwrap();
        refuses(&app, &render, 1, expected);
        let (_, stdout, stderr) = minds(&app, &["check"]);
        assert!(!format!("{stdout}{stderr}").contains("Xk9"), "{stdout}{stderr}");
    }
    fs::write(&tools, text).unwrap();
    let typed = ["--target", "systemd-user", "--exec", "agent", "redis://user:hunter2/Xk9@127.0.0.1:6379/0"];
    refuses(&app, &typed, 1, "service/literal-secret");
    assert!(!app.join(".ateam/state").exists());
}

/// A second command would be words of the first.
#[test]
fn there_is_one_command() {
    let folder = seeded("--compose");
    let app = folder.path().join("app");
    let twice = ["--target", "systemd-user", "--exec", "a", ";", "--exec", "b", "{agent}"];
    refuses(&app, &twice, 2, "cannot be used multiple times");
}

/// A service runs where the system goes, which follows links before `..`.
#[cfg(unix)]
#[test]
fn a_directory_behind_a_link_is_that_of_the_system() {
    let folder = seeded("--compose");
    let app = folder.path().join("app");
    for path in ["else/deep", "else/proj"] {
        fs::create_dir_all(folder.path().join(path)).unwrap();
    }
    std::os::unix::fs::symlink("../else/deep", app.join("lnk")).unwrap();
    let project = app.join(".team/projects/main.yaml");
    let text = fs::read_to_string(&project).unwrap();
    fs::write(&project, text.replace("cwd: ..", "cwd: ../lnk/../proj")).unwrap();
    refuses(&app, &["--target", "systemd-user", "--write", "--exec", "agent"], 0, "wrote 3 files");
    let unit = app.join(".team/state/services/systemd-user/minds-main-lead.service");
    let unit = fs::read_to_string(unit).unwrap();
    let expected = folder.path().canonicalize().unwrap().join("else/proj");
    assert!(unit.contains(&format!("\nWorkingDirectory={}\n", expected.display())), "{unit}");
}

/// It is a finding at a place, and what the check says is still said.
#[test]
fn agents_that_differ_only_in_case_are_a_finding() {
    let folder = seeded("--compose");
    let app = folder.path().join("app");
    let project = app.join(".team/projects/main.yaml");
    let text = fs::read_to_string(&project).unwrap();
    fs::write(
        &project,
        text.replace("  coder:", "  Lead:")
            .replace("coder", "Lead")
            .replace("roles/Lead.md", "roles/coder.md"),
    )
    .unwrap();
    let unit = ["--target", "systemd-user", "--write"];
    refuses(&app, &unit, 1, "error[service/unwritable-value]: `main:lead` and `main:Lead`");
    refuses(&app, &unit, 1, "warning[compose/colliding-agents]");
    assert!(!app.join(".team/state").exists());
}
