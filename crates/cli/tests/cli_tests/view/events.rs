//! Notifications of open pages about changes.

use serde_json::json;

use crate::view::served::Workspace;

#[test]
fn every_page_is_notified_of_every_change() {
    let workspace = Workspace::with_task();
    let served = workspace.view(&[]);
    let (mut one, mut other) = (served.events(), served.events());
    assert_eq!(one.header("content-type: "), "text/event-stream");
    let first = one.revision();
    assert_eq!(other.revision(), first);
    assert_eq!(served.get("api/package").json()["revision"], first);

    // By another process.
    workspace.set("progress", "Half of it.\n");
    let second = one.revision();
    assert_ne!(second, first);
    assert_eq!(other.revision(), second);
    assert_eq!(served.section("progress")["text"], "Half of it.\n");

    // By another page.
    let hash = served.section("goals")["hash"].clone();
    served.put("goals", &json!({"content": "Ship all of it.\n", "hash": hash}));
    let third = one.revision();
    assert_ne!(third, second);
    assert_eq!(other.revision(), third);

    // By another program, a new section, and the whole package.
    let package = workspace.path().join("tasks/demo.tsk");
    let mut last = third;
    for change in 0..3 {
        match change {
            0 => std::fs::write(package.join("goals.md"), "By hand.\n").unwrap(),
            1 => {
                std::fs::create_dir(workspace.path().join("ux")).unwrap();
                std::fs::write(workspace.path().join("ux/a.md"), "- a\n").unwrap();
                std::fs::rename(workspace.path().join("ux"), package.join("ux")).unwrap();
            }
            _ => std::fs::rename(&package, workspace.path().join("away")).unwrap(),
        }
        let now = one.revision();
        assert_ne!(now, last, "{change}");
        assert_eq!(other.revision(), now);
        last = now;
    }
    // A new page begins with the current state.
    assert_eq!(served.events().revision(), last);
}

#[test]
fn pages_are_many_and_not_without_end() {
    let workspace = Workspace::with_task();
    let served = workspace.view(&[]);
    let mut open: Vec<_> = (0..32).map(|_| served.events()).collect();
    for events in &mut open {
        events.revision();
    }
    assert_eq!(served.get("api/events").status, 503);
    assert_eq!(served.get("api/package").status, 200);
    let (code, ..) = served.signal("-INT");
    assert_eq!(code, Some(0));
    assert!(open.into_iter().all(crate::view::served::Events::ends));
}
