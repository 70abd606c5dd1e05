//! What previews show and what is applied stays within the lists of the caller.

use minds_toolset::Caller;
use serde_json::{Value, json};

use crate::edits::site::{Site, outcome};

const TEAM: &str = "members:\n  coder:\n    toolsets: [ws_mod]\n    no_read_dirs: [secret]\n    write_dirs: [src, secret, link]\n";

fn site() -> Site {
    let mut site = Site::new(&[
        (".minds/team.yaml", TEAM),
        ("src/a.rs", "a\n"),
        ("docs/a.md", "a\n"),
        ("secret/key", "hush\n"),
        ("src/x.tsk/goals.md", "a\n"),
    ]);
    site.caller = Caller::member("coder");
    site
}

fn plan(site: &Site, path: &str) -> Value {
    site.call("preview_file_modification", json!({"path": path, "range": "1", "content": "b"}))
}

fn apply(site: &Site, id: &Value) -> Value {
    site.call("apply_file_modification", json!({"hunk_id": id}))
}

#[test]
fn a_preview_needs_both_to_read_and_to_write() {
    let site = site();
    std::os::unix::fs::symlink("../secret", site.path("src/link")).unwrap();
    for path in ["secret/key", "docs/a.md", "src/link/key", ".minds/team.yaml", "src/x.tsk/goals.md"] {
        let said = plan(&site, path);
        assert_eq!(outcome(&said), "ACCESS_DENIED", "{path}: {said}");
        assert!(!said.to_string().contains("hush"), "{said}");
    }
    for path in ["secret/new", "docs/new", "src/link/new/er", ".minds/new", "src/y.tsk/new", ".minds"] {
        let said = site.call("preview_file_append", json!({"path": path, "content": "b"}));
        assert_eq!(outcome(&said), "ACCESS_DENIED", "{path}: {said}");
    }
    assert_eq!(outcome(&plan(&site, "src/a.rs")), "ok");
    assert_eq!(outcome(&plan(&site, "../a")), "INVALID_PATH");
    assert_eq!(site.read("secret/key"), "hush\n");
}

#[test]
fn permissions_revoked_since_the_preview_apply() {
    for change in ["no_write_dirs: [src]", "no_read_dirs: [src]"] {
        let site = site();
        let id = plan(&site, "src/a.rs")["hunk_id"].clone();
        let team = TEAM.replace("no_read_dirs: [secret]", change);
        site.write(".minds/team.yaml", &team);
        assert_eq!(outcome(&apply(&site, &id)), "ACCESS_DENIED", "{change}");
        assert_eq!(site.read("src/a.rs"), "a\n");
        site.write(".minds/team.yaml", TEAM);
        assert_eq!(outcome(&apply(&site, &id)), "exact", "it was kept");
    }
}

#[test]
fn a_link_whose_target_changed_is_not_followed() {
    let site = site();
    site.write("src/b.rs", "a\n");
    let link = site.path("src/link.rs");
    std::os::unix::fs::symlink("a.rs", &link).unwrap();
    let id = plan(&site, "src/link.rs")["hunk_id"].clone();
    std::fs::remove_file(&link).unwrap();
    std::os::unix::fs::symlink("b.rs", &link).unwrap();
    assert_eq!(outcome(&apply(&site, &id)), "CONTENT_CHANGED");
    std::fs::remove_file(&link).unwrap();
    std::os::unix::fs::symlink("a.rs", &link).unwrap();
    assert_eq!(outcome(&apply(&site, &id)), "exact");
    assert_eq!((site.read("src/a.rs"), site.read("src/b.rs")), ("b\n".to_owned(), "a\n".to_owned()));
    assert!(link.is_symlink());
}

#[test]
fn a_new_file_is_created_through_links_if_allowed() {
    let site = site();
    std::fs::create_dir(site.path("src/real")).unwrap();
    std::os::unix::fs::symlink("real", site.path("src/alias")).unwrap();
    let args = json!({"path": "src/alias/deep/new.rs", "content": "b"});
    let planned = site.call("preview_file_append", args);
    assert_eq!(outcome(&planned), "ok", "{planned}");
    assert_eq!(outcome(&apply(&site, &planned["hunk_id"])), "exact");
    assert_eq!(site.read("src/real/deep/new.rs"), "b\n");
}

#[test]
fn nothing_is_created_through_a_dangling_link() {
    let site = site();
    std::os::unix::fs::symlink("none.rs", site.path("src/dangling.rs")).unwrap();
    let planned = site.call("preview_file_append", json!({"path": "src/dangling.rs", "content": "b"}));
    if planned["status"] == "ok" {
        assert_eq!(apply(&site, &planned["hunk_id"])["status"], "error");
    }
    assert!(!site.path("src/none.rs").exists());
    assert!(site.path("src/dangling.rs").is_symlink());
}
