//! Deny lists hold in any letter case and Unicode form, through every tool: a file system may take the names for the same.

use serde_json::{Value, json};

use crate::files::fixture::Fixture;

const LISTS: &str = "    no_read_dirs: [secret, café]
    no_write_dirs: [secret, café]
    no_read_file_ext_names: [pem]
    no_write_file_ext_names: [PEM]
";

/// Spellings of the denied directories that some file system takes for them.
const SPELLINGS: [&str; 7] =
    ["Secret", "SECRET", "\u{17f}ecret", "secret", "CAFÉ", "cafe\u{301}", "Cafe\u{301}"];

fn fixture() -> Fixture {
    let files: Vec<(String, &str)> =
        SPELLINGS.iter().map(|name| (format!("{name}/key.txt"), "needle\n")).collect();
    let mut files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (path.as_str(), *text)).collect();
    files.extend([("open/a.txt", "needle\n"), ("open/SERVER.PEM", "needle\n"), ("open/b.pem", "needle\n")]);
    Fixture::with_member(LISTS, &files)
}

#[test]
fn no_spelling_of_a_denied_directory_is_read_or_changed() {
    let fixture = fixture();
    for name in SPELLINGS {
        let path = format!("{name}/key.txt");
        let denied = |tool: &str, args: Value| fixture.refused(tool, args, "ACCESS_DENIED");
        denied("read_file", json!({"path": path}));
        denied("list_dir", json!({"path": name}));
        denied("search_text", json!({"text": "needle", "path": name}));
        denied("create_new_file", json!({"path": format!("{name}/new.txt"), "content": "x"}));
        denied("mk_dir", json!({"path": format!("{name}/new")}));
        denied("rm_file", json!({"path": path}));
        denied("rm_dir", json!({"path": name, "recursive": true}));
        denied("move_file", json!({"from": path, "to": "open/key.txt"}));
        denied("move_file", json!({"from": "open/a.txt", "to": format!("{name}/a.txt")}));
        denied("move_dir", json!({"from": name, "to": "open/other"}));
        denied(
            "overwrite_entire_file",
            json!({
                "path": path, "known_old_sha256": format!("sha256:{}", "0".repeat(64)),
                "known_old_total_lines": 1, "known_old_total_bytes": 7, "content": "x",
            }),
        );
    }
    for path in ["open/SERVER.PEM", "open/b.pem"] {
        fixture.refused("read_file", json!({"path": path}), "ACCESS_DENIED");
        fixture.refused("rm_file", json!({"path": path}), "ACCESS_DENIED");
    }
}

#[test]
fn nothing_denied_is_listed_or_found() {
    let fixture = fixture();
    let found = fixture.ok("search_text", json!({"text": "needle"}));
    let paths: Vec<&str> =
        found["matches"].as_array().unwrap().iter().map(|m| m["path"].as_str().unwrap()).collect();
    assert_eq!(paths, ["open/a.txt"]);
    fixture.refused("rm_dir", json!({"path": "open", "recursive": true}), "ACCESS_DENIED");
    fixture.refused("move_dir", json!({"from": "open", "to": "other"}), "ACCESS_DENIED");
    let refusal = fixture.refused("read_file", json!({"path": "SECRET/key.txt"}), "ACCESS_DENIED");
    assert!(refusal["message"].as_str().unwrap().contains("ignoring letter case"), "{refusal}");
}
