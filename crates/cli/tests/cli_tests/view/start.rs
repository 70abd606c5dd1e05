//! Start and end of the page server, and how the page is opened.

use std::io::Read as _;
use std::os::unix::fs::PermissionsExt as _;
use std::process::Output;

use serde_json::Value;

use crate::view::served::{Served, Workspace};

fn read_refusal(output: &Output) -> (i32, Value) {
    (output.status.code().unwrap(), serde_json::from_slice(&output.stdout).unwrap())
}

#[test]
fn the_first_line_has_the_url_and_signals_stop_the_server() {
    let workspace = Workspace::with_task();
    for (name, signal) in [(None, "-INT"), (Some("demo"), "-TERM")] {
        let served = workspace.view(&name.into_iter().collect::<Vec<_>>());
        assert!(served.address.starts_with("127.0.0.1:"), "{}", served.url);
        let token = served.home.trim_matches('/').to_owned();
        assert!(token.len() >= 22 && !token.contains('/'), "{}", served.url);
        assert_eq!(served.get("").status, 200);
        // Neither a page that listens nor an idle connection delays the end.
        let mut events = served.events();
        events.revision();
        let _silent = served.open();
        let (code, stdout, stderr) = served.signal(signal);
        assert_eq!((code, stdout.as_str()), (Some(0), ""), "{signal}");
        assert!(stderr.contains("tasks/demo.tsk") && !stderr.contains(&token), "{stderr}");
        assert!(events.ends());
    }
}

#[test]
fn an_immediate_interrupt_ends_the_command() {
    let workspace = Workspace::with_task();
    for _ in 0..5 {
        let (code, stdout, _) = workspace.view(&[]).signal("-INT");
        assert_eq!((code, stdout.as_str()), (Some(0), ""));
    }
}

#[test]
fn every_address_is_another_and_a_port_can_be_chosen() {
    let workspace = Workspace::with_task();
    let served = workspace.view(&[]);
    let port = served.address.split(':').nth(1).unwrap().to_owned();
    let taken = workspace.command(&["task", "view", "--no-open", "--port", &port]).output().unwrap();
    assert_eq!((taken.status.code(), taken.stdout.as_slice()), (Some(2), b"".as_slice()));
    assert!(String::from_utf8_lossy(&taken.stderr).contains("cannot listen"), "{taken:?}");
    let before = served.home.clone();
    drop(served);
    let again = workspace.view(&["--port", &port]);
    assert_eq!(again.address, format!("127.0.0.1:{port}"));
    assert_ne!(again.home, before);
}

#[test]
fn packages_that_cannot_be_shown_are_refused() {
    let workspace = Workspace::with_task();
    let ask = |args: &[&str]| {
        let args: Vec<&str> =
            ["task", "--format", "json", "view", "--no-open"].iter().chain(args).copied().collect();
        workspace.command(&args).output().unwrap()
    };
    let (code, none) = read_refusal(&ask(&["nothing"]));
    assert_eq!((code, &none["code"]), (2, &Value::from("TASKDOC_NOT_FOUND")));
    let (code, invalid) = read_refusal(&ask(&["../demo"]));
    assert_eq!((code, &invalid["code"]), (1, &Value::from("TASKDOC_INVALID")));
    let (code, member) = read_refusal(&ask(&["--as", "coder"]));
    assert_eq!((code, &member["error"]["kind"]), (2, &Value::from("usage")));
    workspace.minds(&["task", "new", "other"]);
    let (code, several) = read_refusal(&ask(&[]));
    assert_eq!((code, &several["code"]), (2, &Value::from("TASKDOC_AMBIGUOUS")));
    assert_eq!(ask(&["--port", "65536"]).status.code(), Some(2));
}

/// Replaces the opener of the system by a program, and serves with a display.
fn with_opener(workspace: &Workspace, script: &str) -> Served {
    let folder = workspace.path().join("bin");
    std::fs::create_dir_all(&folder).unwrap();
    for name in ["xdg-open", "open"] {
        std::fs::write(folder.join(name), format!("#!/bin/sh\n{script}\n")).unwrap();
        std::fs::set_permissions(folder.join(name), std::fs::Permissions::from_mode(0o755)).unwrap();
    }
    let path = format!("{}:{}", folder.display(), std::env::var("PATH").unwrap());
    let mut command = workspace.command(&["task", "view"]);
    command.env("PATH", path).env("DISPLAY", ":0").env("OPENED", workspace.path().join("opened"));
    Served::start(command)
}

/// Every user of a machine can read the arguments of every program, and a program passes its environment on.
#[test]
fn arguments_of_the_browser_contain_no_token() {
    let workspace = Workspace::with_task();
    let opened = workspace.path().join("opened");
    assert!(std::process::Command::new("mkfifo").arg(&opened).status().unwrap().success());
    let served = with_opener(&workspace, "{ echo \"$0 $*\"; env; } > \"$OPENED\"");
    let shown = std::fs::read_to_string(&opened).unwrap();
    let word = served.url.rsplit('/').next().unwrap();
    let token = served.home.trim_matches('/');
    assert!(word.len() >= 64 && token.len() >= 64 && word != token);
    assert!(!shown.contains(word) && !shown.contains(token) && !shown.contains("http://"), "{shown}");
    // Instead there is a file that only the user can read, in a directory that only the user can access.
    let bits = |path: &std::path::Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert!(shown.contains(served.file.to_str().unwrap()), "{shown}");
    assert_eq!((bits(&served.file), bits(served.file.parent().unwrap())), (0o600, 0o700));
    assert_eq!(served.follow(&served.page_of_file(), "").status, 200);
    assert_eq!(served.follow(&served.page_of_file(), "").status, 200);
    let file = served.file.clone();
    let (code, _, stderr) = served.signal("-INT");
    assert_eq!(code, Some(0), "{stderr}");
    assert!(!file.exists());
    let left: Vec<_> = std::fs::read_dir(file.parent().unwrap()).unwrap().collect();
    assert!(left.is_empty(), "{left:?}");
}

#[test]
fn the_printed_address_leads_to_the_page_once() {
    let workspace = Workspace::with_task();
    let served = workspace.view(&[]);
    // A prefetch does not redeem the ticket, and neither does a guess.
    assert_eq!(served.follow(&served.url, "Sec-Purpose: prefetch;prerender\r\n").status, 403);
    assert_eq!(served.follow(&format!("{}0", served.url), "").status, 403);
    let reply = served.follow(&served.url, "");
    assert_eq!((reply.status, reply.header("location")), (303, Some(served.home.as_str())), "{reply:?}");
    assert_eq!((reply.header("referrer-policy"), reply.header("set-cookie")), (Some("no-referrer"), None));
    let again = served.follow(&served.url, "");
    assert_eq!((again.status, again.header("location")), (403, None));
    assert!(
        again.body.contains("can be used only once") && !again.body.contains(served.home.trim_matches('/'))
    );
    // The ticket is not a token.
    let word = served.url.rsplit('/').next().unwrap();
    assert_eq!(served.follow(&format!("http://{}/{word}/", served.address), "").status, 403);
    assert_eq!(served.get("").status, 200);
}

#[test]
fn files_of_a_killed_command_are_removed_by_the_next_one() {
    let workspace = Workspace::with_task();
    let mut killed = workspace.view(&[]);
    let file = killed.file.clone();
    killed.child.kill().unwrap();
    killed.child.wait().unwrap();
    assert!(file.exists());
    let served = workspace.view(&[]);
    assert!(!file.exists() && served.file.exists());
}

#[test]
fn the_browser_is_opened_or_a_remark_is_printed() {
    let workspace = Workspace::with_task();
    let opened = workspace.path().join("opened");
    assert!(std::process::Command::new("mkfifo").arg(&opened).status().unwrap().success());
    let served = with_opener(&workspace, "printf %s \"$1\" > \"$OPENED\"");
    let shown = std::fs::read_to_string(&opened).unwrap();
    assert_eq!(shown, served.file.to_str().unwrap());
    drop(served);

    // The error of the opener is printed before the end of stderr.
    let mut served = with_opener(&workspace, "echo noise; kill -INT $PPID; exit 3");
    let (mut stderr, code) = (String::new(), served.child.wait().unwrap().code());
    served.child.stderr.take().unwrap().read_to_string(&mut stderr).unwrap();
    assert_eq!(code, Some(0));
    assert!(!stderr.contains("noise"), "{stderr}");

    let mut served = Served::start(workspace.command(&["task", "view"]));
    let mut stderr = served.child.stderr.take().unwrap();
    let mut printed = Vec::new();
    while !String::from_utf8_lossy(&printed).contains("open the URL yourself") {
        let mut part = [0; 256];
        let count = stderr.read(&mut part).unwrap();
        assert_ne!(count, 0, "{}", String::from_utf8_lossy(&printed));
        printed.extend_from_slice(&part[..count]);
    }
    assert_eq!(served.get("").status, 200);
}
