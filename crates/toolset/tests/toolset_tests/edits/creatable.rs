//! A preview promises nothing that applying it refuses.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};

use proptest::prelude::*;
use serde_json::{Value, json};

use crate::edits::site::{Site, outcome};

/// Names that some system refuses or takes for another, or that cannot be seen.
const UNPORTABLE: [&str; 20] = [
    "foo.tsk.",
    "foo.tsk ",
    "CON",
    "con.md",
    "NUL",
    "com1.txt",
    "a:b",
    "a*b",
    "a?b",
    "a|b",
    "a<b",
    "a\"b",
    "a.",
    "a ",
    "a\u{200b}b",
    "\u{feff}",
    "a\u{2028}b",
    "a\u{2029}",
    "a\u{3164}b",
    "e\u{301}",
];

/// A workspace with something of every kind.
fn site() -> Site {
    let site =
        Site::new(&[(".minds/dir/old.md", "one\n"), ("dir/old.md", "one\n"), ("dir/read-only.md", "one\n")]);
    for top in ["", ".minds/"] {
        site.write(&format!("{top}dir/bad:name"), "one\n");
        site.write(&format!("{top}dir/con/inner.md"), "one\n");
        site.write(&format!("{top}twice"), "one\n");
        fs::hard_link(site.path(&format!("{top}twice")), site.path(&format!("{top}dir/twice"))).unwrap();
        site.write(&format!("{top}dir/read-only.md"), "one\n");
        let read_only = fs::Permissions::from_mode(0o444);
        fs::set_permissions(site.path(&format!("{top}dir/read-only.md")), read_only).unwrap();
        symlink("old.md", site.path(&format!("{top}dir/link"))).unwrap();
        symlink("nothing", site.path(&format!("{top}dir/dangling"))).unwrap();
        symlink("/nowhere/at/all", site.path(&format!("{top}dir/outside"))).unwrap();
        symlink("dir", site.path(&format!("{top}linked"))).unwrap();
    }
    site
}

/// Previews an append, applies it, and returns both answers.
fn both(site: &Site, prefix: &str, path: &str) -> (Value, Option<Value>) {
    let planned =
        site.call(&format!("{prefix}preview_file_append"), json!({"path": path, "content": "new\n"}));
    let applied = (planned["status"] == "ok").then(|| {
        site.call(&format!("{prefix}apply_file_modification"), json!({"hunk_id": planned["hunk_id"]}))
    });
    (planned, applied)
}

#[test]
fn names_that_cannot_be_created_are_refused_by_every_tool() {
    for (prefix, top) in [("team_mgmt_", ".minds/"), ("", "")] {
        let site = site();
        for name in UNPORTABLE {
            for path in [format!("{top}{name}"), format!("{top}{name}/x.md"), format!("{top}new/{name}")] {
                for (tool, args) in [
                    ("preview_file_append", json!({"path": path, "content": "new\n"})),
                    ("create_new_file", json!({"path": path, "content": "new\n"})),
                    ("mk_dir", json!({"path": path})),
                ] {
                    let answer = site.call(&format!("{prefix}{tool}"), args);
                    assert_eq!(outcome(&answer), "INVALID_PATH", "{tool} {path:?}: {answer}");
                }
            }
            let (from, to) = (format!("{top}dir/old.md"), format!("{top}dir/{name}"));
            let moved = site.call(&format!("{prefix}move_file"), json!({"from": from, "to": to}));
            assert_eq!(outcome(&moved), "INVALID_PATH", "{to:?}: {moved}");
            let moved =
                site.call(&format!("{prefix}move_dir"), json!({"from": format!("{top}dir/con"), "to": to}));
            assert_eq!(outcome(&moved), "INVALID_PATH", "{to:?}: {moved}");
        }
        assert!(!site.path(&format!("{top}new")).exists() && site.path(&format!("{top}dir/old.md")).exists());
    }
}

#[test]
fn existing_files_with_such_names_can_be_changed() {
    let site = site();
    for (prefix, path) in
        [("", "dir/bad:name"), ("", "dir/con/inner.md"), ("team_mgmt_", ".minds/dir/bad:name")]
    {
        let (planned, applied) = both(&site, prefix, path);
        assert_eq!(planned["status"], "ok", "{planned}");
        assert_eq!(applied.unwrap()["status"], "ok");
        assert_eq!(site.read(path), "one\nnew\n");
    }
    let (made, _) = both(&site, "", "dir/con/new.md");
    assert_eq!(made["status"], "ok", "the directory exists: {made}");
}

#[test]
fn a_file_that_is_read_only_is_refused_before_a_change_of_it_is_planned() {
    let (planned, _) = both(&site(), "", "dir/read-only.md");
    assert_eq!(outcome(&planned), "ACCESS_DENIED", "{planned}");
}

fn segments() -> impl Strategy<Value = String> {
    let names = [
        "dir",
        "linked",
        "old.md",
        "link",
        "dangling",
        "outside",
        "twice",
        "con",
        "bad:name",
        "read-only.md",
        "new",
        "x.tsk",
        ".git",
        ".old.md.minds-new",
        ".minds-journal",
        "日本",
        "❤\u{fe0f}",
    ];
    let all: Vec<String> = names.iter().chain(&UNPORTABLE).map(|name| (*name).to_owned()).collect();
    prop_oneof![9 => prop::sample::select(all), 1 => (250_usize..260).prop_map(|length| "x".repeat(length))]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn an_accepted_preview_is_applied_to_an_unchanged_tree(
        parts in prop::collection::vec(segments(), 1..5), is_minds in any::<bool>(),
    ) {
        let (prefix, top) = if is_minds { ("team_mgmt_", ".minds/") } else { ("", "") };
        let path = format!("{top}{}", parts.join("/"));
        let (planned, applied) = both(&site(), prefix, &path);
        if let Some(applied) = &applied {
            prop_assert_eq!(&applied["status"], "ok", "{}: {}", path, applied);
        }
        // Making a file by itself accepts the same new paths.
        let made = site().call(&format!("{prefix}create_new_file"), json!({"path": path, "content": "new\n"}));
        let is_planned_as_new = planned["status"] == "ok" && planned["created"] == true;
        prop_assert_eq!(is_planned_as_new, made["status"] == "ok", "{}: {} {}", path, planned, made);
    }
}
