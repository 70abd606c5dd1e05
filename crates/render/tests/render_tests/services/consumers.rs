//! Services read by real programs, if these are installed.

use std::fs;
use std::io::Write as _;
use std::process::Command;

use minds_diagnostics::Problems;
use minds_render::Target;
use minds_render::services::{EnvironmentFile, Service, Value, render};

fn service(directory: &str) -> Service {
    let mut service = Service::new("shop-lead", "shop:lead", Value::new("the directory", directory));
    let words = [
        "/bin/sh",
        "-c",
        "exit 0",
        "two words",
        "100% of $5",
        "it's \"quoted\"",
        "back\\slash",
        "",
        ";",
        "é",
    ];
    service.command = words.iter().map(|word| Value::new("a word", *word)).collect();
    service.description = Value::new("the description", "Agent shop:lead (100% \"Boss\")");
    service
        .environment
        .push(("ATEAM_REDIS_URL", Value::new("the address", "redis://localhost/%41 \"x\" $y\\z")));
    service
}

fn render_to(service: &Service, target: Target) -> (String, String) {
    let mut problems = Problems::new();
    let made = render(std::slice::from_ref(service), target, "minds-test", &mut problems).unwrap();
    assert!(problems.is_empty());
    let name = made[0].path.file_name().unwrap().to_owned();
    (name, String::from_utf8(made[0].bytes.clone()).unwrap())
}

/// Reports a skipped test even if test output is captured.
fn report_skipped(what: &str) {
    let _ = writeln!(std::io::stderr(), "not tried: {what}");
}

#[test]
fn systemd_analyze_accepts_the_units() {
    let folder = tempfile::tempdir().unwrap();
    let mut found_any = false;
    for target in [Target::SystemdUser, Target::Systemd] {
        let (name, unit) = render_to(&service("/tmp/50% of it's \"here\""), target);
        let path = folder.path().join(&name);
        fs::write(&path, unit).unwrap();
        let Ok(output) = Command::new("systemd-analyze").arg("verify").arg(&path).output() else {
            report_skipped("`systemd-analyze verify`, which is not installed");
            return;
        };
        // Unknown settings cause a warning and not a failure.
        let remarks = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success() && remarks.is_empty(), "{remarks}");
        // A warning would be detected.
        fs::write(&path, "[Service]\nExecStart=x/y\nWorkingDirectory=relative\n").unwrap();
        let output = Command::new("systemd-analyze").arg("verify").arg(&path).output().unwrap();
        found_any |= !output.stderr.is_empty();
    }
    assert!(found_any);
}

/// The shell command of a property list works with a real shell.
#[cfg(unix)]
#[test]
fn a_shell_reads_the_environment_line_by_line() {
    let folder = tempfile::tempdir().unwrap();
    let values =
        ["two  words ", "$(touch x) `touch x` $HOME", "back\\slash\\", "'\"", "", "a=b", " *", "#x;y&z|"];
    let path = folder.path().join("it's $here.env");
    let lines = values.iter().enumerate().map(|(at, value)| format!("V{at}={value}\n"));
    fs::write(&path, lines.collect::<String>()).unwrap();
    let mut service = service(folder.path().to_str().unwrap());
    let script = "printf '%s\\n' \"$V0\" \"$V1\" \"$V2\" \"$V3\" \"$V4\" \"$V5\" \"$V6\" \"$V7\" \"$@\"";
    let words = ["/bin/sh", "-c", script, "sh", "two words", "$HOME", "it's"];
    service.command = words.iter().map(|word| Value::new("a word", *word)).collect();
    service.environment.clear();
    let variables = vec![("V5".to_owned(), Value::new("a variable", "a=b"))];
    service.environment_file =
        Some(EnvironmentFile { path: Value::new("the path", path.to_str().unwrap()), variables });
    service.environment.push(("V5", Value::new("a variable", "over=it $HOME")));
    let (_, list) = render_to(&service, Target::Launchd);
    let options = roxmltree::ParsingOptions { allow_dtd: true, ..roxmltree::ParsingOptions::default() };
    let document = roxmltree::Document::parse_with_options(&list, options).unwrap();
    let array = document.descendants().find(|node| node.has_tag_name("array")).unwrap();
    let words: Vec<&str> = array
        .children()
        .filter(roxmltree::Node::is_element)
        .map(|node| node.text().unwrap_or_default())
        .collect();
    let output = Command::new(words[0]).args(&words[1..]).current_dir(folder.path()).output().unwrap();
    let mut values = values;
    values[5] = "over=it $HOME";
    let expected: Vec<&str> = values.iter().copied().chain(["two words", "$HOME", "it's"]).collect();
    assert_eq!(String::from_utf8(output.stdout).unwrap(), expected.join("\n") + "\n");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    // Without the file the command does not run.
    fs::remove_file(&path).unwrap();
    let output = Command::new(words[0]).args(&words[1..]).current_dir(folder.path()).output().unwrap();
    assert!(!output.status.success() && output.stdout.is_empty());
}
