//! Errors in commands or files are reported, and nothing is written.

use std::fs;

use super::support::minds;
use super::{TRANSPORT, refuses, scaffold};

/// A character of a password that ends the host of a URL does not disclose the rest.
#[test]
fn an_unescaped_password_is_never_printed() {
    let folder = scaffold("--fleet");
    let app = folder.path().join("app");
    let tools = app.join(".ateam/tools.yaml");
    let text = TRANSPORT;
    let render = ["--target", "systemd-user", "--write", "--exec", "agent", "{redis_url}"];
    // A fleet without a transport has no address.
    refuses(&app, &render, 1, "the transport of the fleet is local");
    let allowed = "    # minds: allow(secret/url-credentials) of this machine alone\n    url: ";
    for (url, expected) in [
        ("'redis://user:hunter2/Xk9@127.0.0.1:6379/0'", "URL with a host"),
        ("'redis://u:pq7x?Xk9@h'", "URL with a host"),
        ("'redis://u:12/Xk9@h'", "it contains a password"),
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

/// A second command would become arguments of the first.
#[test]
fn there_is_one_command() {
    let folder = scaffold("--compose");
    let app = folder.path().join("app");
    let twice = ["--target", "systemd-user", "--exec", "a", ";", "--exec", "b", "{agent}"];
    refuses(&app, &twice, 2, "cannot be used multiple times");
}

/// A service runs in the directory that the system resolves, which follows links before `..`.
#[cfg(unix)]
#[test]
fn a_linked_directory_is_resolved() {
    let folder = scaffold("--compose");
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

/// It is a finding with a place, and other findings are still reported.
#[test]
fn agents_that_differ_only_in_case_are_a_finding() {
    let folder = scaffold("--compose");
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
