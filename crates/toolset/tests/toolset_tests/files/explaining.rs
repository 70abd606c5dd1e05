//! A refusal contains the reason, the alternatives, and who can change the lists; `access_explain` returns the same.

use minds_toolset::{Caller, Toolbox};
use serde_json::{Value, json};

use crate::files::fixture::Fixture;

const TEAM: &str = "\
member_defaults:
  toolsets: [ws_read, ws_mod]
  no_read_dirs: [secret, '**/key']
members:
  dev:
    write_dirs: [src, out]
    no_write_dirs:
      - src/gen
      - src/gen/deep
    no_write_file_ext_names: [pem]
  other:
    no_read_dirs: [plans-of-other]
  lead:
    toolsets: [team-mgmt, ws_read]
  broken:
    write_dirs: [src, '../up']
";

const FILES: &[(&str, &str)] = &[
    (".minds/team.yaml", TEAM),
    ("src/a.txt", "a\n"),
    ("src/gen/g.txt", "g\n"),
    ("secret/key", "TOP-SECRET\n"),
    ("out/o.txt", "o\n"),
];

fn fixture(member: &str) -> Fixture {
    let mut fixture = Fixture::new(FILES);
    fixture.caller = Caller::member(member);
    fixture.link("src/to-secret", "../secret/key");
    fixture.link("src/gen-dir", "gen");
    fixture
}

fn explain(fixture: &Fixture, operation: &str, path: &str) -> Value {
    fixture.ok("access_explain", json!({"path": path, "operation": operation}))
}

#[test]
fn a_refusal_names_all_reasons_the_allowed_paths_and_the_managers() {
    let answer =
        fixture("dev").refused("create_new_file", json!({"path": "src/gen/deep/x.pem"}), "ACCESS_DENIED");
    assert_eq!(
        answer["message"],
        "you may not change `src/gen/deep/x.pem`: denied by `src/gen` in `no_write_dirs` (.minds/team.yaml:8:9); also \
         denied by `src/gen/deep` in `no_write_dirs` (.minds/team.yaml:9:9); also denied by `pem` in \
         `no_write_file_ext_names` (.minds/team.yaml:10:31)"
    );
    assert_eq!(
        answer["next"],
        "you may change files in `src`, `out`, except `src/gen`, `src/gen/deep`, not with the extensions `pem`; `lead`, \
         `fuxi` can change `.minds/team.yaml`: ask if you need access"
    );
    assert_eq!(
        answer["details"],
        json!({
            "reason": "denied",
            "entry": "src/gen",
            "reasons": [
                {"reason": "denied", "list": "no_write_dirs", "entry": "src/gen", "at": ".minds/team.yaml:8:9"},
                {"reason": "denied", "list": "no_write_dirs", "entry": "src/gen/deep", "at": ".minds/team.yaml:9:9"},
                {"reason": "extension-denied", "list": "no_write_file_ext_names", "entry": "pem", "at": ".minds/team.yaml:10:31"},
            ],
            "change_in": ".minds/team.yaml",
            "managers": ["lead", "fuxi"],
        })
    );
    let answer = fixture("dev").refused("create_new_file", json!({"path": "x"}), "ACCESS_DENIED");
    assert_eq!(
        answer["message"],
        "you may not change `x`: no entry of `write_dirs` (.minds/team.yaml:6:17) covers it"
    );
    assert_eq!(
        answer["details"]["reasons"],
        json!([{"reason": "not-in-allow-list", "list": "write_dirs", "at": ".minds/team.yaml:6:17"}])
    );
}

#[test]
fn a_refusal_reports_inherited_lists_and_folded_matches() {
    let answer = fixture("dev").refused("read_file", json!({"path": "secret/key"}), "ACCESS_DENIED");
    assert_eq!(
        answer["message"],
        "you may not read `secret/key`: denied by `secret` in `no_read_dirs` (.minds/team.yaml:3:18, from \
         `member_defaults`); also denied by `**/key` in `no_read_dirs` (.minds/team.yaml:3:26, from `member_defaults`)"
    );
    assert_eq!(answer["details"]["reasons"][0]["inherited"], true);
    let answer = fixture("dev").refused("read_file", json!({"path": "SECRET/a"}), "ACCESS_DENIED");
    assert!(
        answer["message"].as_str().unwrap().ends_with(", ignoring letter case and Unicode form"),
        "{answer}"
    );
    assert_eq!(answer["details"]["reasons"][0]["by_folding"], true);
}

/// What a list that cannot be read leaves out is not known, so nothing is concluded from it.
#[test]
fn a_list_that_cannot_be_read_is_the_only_reason() {
    let answer = fixture("broken").refused("create_new_file", json!({"path": "x"}), "ACCESS_DENIED");
    assert_eq!(
        answer["message"],
        "you may not change `x`: `../up` in `write_dirs` (.minds/team.yaml:16:23) cannot be read, so the whole list denies \
         access"
    );
    assert_eq!(answer["details"]["reasons"].as_array().unwrap().len(), 1);
    assert_eq!(answer["next"], "`lead`, `fuxi` can change `.minds/team.yaml`: ask if you need access");
}

#[test]
fn no_change_is_suggested_where_no_list_decides() {
    let answer = fixture("pangu").refused("read_file", json!({"path": ".minds/team.yaml"}), "ACCESS_DENIED");
    assert!(
        answer["message"].as_str().unwrap().ends_with("denied by `.minds/**` in `no_read_dirs` (built in)"),
        "{answer}"
    );
    assert_eq!(answer["next"], "you may read files everywhere except `.minds/**` and reserved areas");
    assert!(answer["details"]["managers"].is_null());
}

#[test]
fn a_manager_is_shown_that_it_can_change_the_lists() {
    let answer = fixture("lead").refused("read_file", json!({"path": "secret/key"}), "ACCESS_DENIED");
    assert!(
        answer["next"].as_str().unwrap().contains("with the `team_mgmt_*` tools, if the user agrees"),
        "{answer}"
    );
}

/// `Fixture` refuses refusals of more than 1,600 bytes.
#[test]
fn refusals_and_explanations_are_bounded() {
    let long = "é".repeat(120);
    let entries: Vec<String> = (0..200).map(|number| format!("{long}{number}")).collect();
    let denied: Vec<String> = (1..60).map(|number| format!("**/{}", "*a".repeat(number))).collect();
    let extensions: Vec<String> = (0..200).map(|number| format!("{number}{}", "e".repeat(200))).collect();
    let lists = json!({"toolsets": ["ws_read", "ws_mod"], "write_dirs": entries, "no_write_dirs": denied,
        "write_file_ext_names": extensions, "no_write_file_ext_names": ["aaa", "b"]});
    let mut members = serde_json::Map::new();
    for number in 0..50 {
        members.insert(format!("{}{number}", "m".repeat(200)), json!({"toolsets": ["team-mgmt"]}));
    }
    members.insert("dev".into(), lists);
    let team = json!({"members": members}).to_string();
    let mut fixture = Fixture::new(&[(".minds/team.yaml", &team)]);
    fixture.caller = Caller::member("dev");
    let path = format!("{}.aaa", "a".repeat(200));
    let refused = fixture.refused("create_new_file", json!({"path": path}), "ACCESS_DENIED");
    assert_eq!(refused["details"]["more_reasons"], true, "{refused}");
    let explained = explain(&fixture, "write", &path);
    assert!(explained.to_string().len() <= 64 * 1024, "{} bytes", explained.to_string().len());
    let left_out: Vec<&Value> =
        explained["lists"].as_array().unwrap().iter().map(|list| &list["left_out"]).collect();
    assert_eq!(left_out, [39, 0, 180, 180], "{explained}");
    fixture.refused(
        "access_explain",
        json!({"path": "a".repeat(5_000), "operation": "read"}),
        "INVALID_PATH",
    );
}

/// Neither an entry nor the call for a package discloses what is below a directory that the caller may not read.
#[test]
fn a_refusal_about_a_directory_names_nothing_that_may_not_be_read() {
    let files = [("hidden/deep/key", "x"), ("packed/plan.tsk/goals.md", "x")];
    let fixture = Fixture::with_member("    no_read_dirs: ['**/key', packed]\n", &files);
    for path in ["hidden", "packed"] {
        let args = json!({"from": path, "to": "elsewhere"});
        let answer = fixture.refused("move_dir", args, "ACCESS_DENIED").to_string();
        assert!(path == "packed" || !answer.contains("key"), "{answer}");
        assert!(!answer.contains("plan"), "{answer}");
    }
    let answer =
        fixture.refused("rm_dir", json!({"path": "packed", "recursive": true}), "ACCESS_DENIED").to_string();
    assert!(!answer.contains("plan"), "{answer}");
}

#[test]
fn an_explanation_agrees_with_the_refusal() {
    let answer = explain(&fixture("dev"), "write", "src/../docs/./x");
    assert_eq!((&answer["path"], &answer["allowed"]), (&"docs/x".into(), &false.into()));
    assert_eq!((&answer["member"], &answer["operation"]), (&"dev".into(), &"write".into()));
    assert_eq!(
        answer["changes"],
        json!([{"action": "add", "list": "write_dirs", "entry": "docs", "at": ".minds/team.yaml:6:17", "then": "allowed"}])
    );
    assert_eq!(
        answer["lists"],
        json!([
            {"list": "no_write_dirs", "entries": ["src/gen", "src/gen/deep"], "left_out": 0, "at": ".minds/team.yaml:8:7",
                "inherited": false, "unreadable": false},
            {"list": "no_write_file_ext_names", "entries": ["pem"], "left_out": 0, "at": ".minds/team.yaml:10:30",
                "inherited": false, "unreadable": false},
            {"list": "write_dirs", "entries": ["src", "out"], "left_out": 0, "at": ".minds/team.yaml:6:17",
                "inherited": false, "unreadable": false},
        ])
    );
    assert_eq!(answer["managers"], json!(["lead", "fuxi"]));
    let answer = explain(&fixture("dev"), "write", "src/a.txt");
    assert_eq!((&answer["allowed"], &answer["reason"]), (&true.into(), &"allowed".into()));
    assert!(answer["next"].is_null() && answer["changes"][0]["action"] == "add", "{answer}");
    let answer = explain(&fixture("dev"), "write", ".minds/team.yaml");
    assert_eq!((&answer["reason"], &answer["obstacle"]), (&"reserved".into(), &"minds".into()));
    assert!(answer["managers"].is_null(), "{answer}");
    for (path, reason) in [("/etc/passwd", "outside"), ("../x", "outside"), ("a\\b", "invalid-path")] {
        assert_eq!(explain(&fixture("dev"), "read", path)["reason"], reason, "{path}");
    }
    fixture("dev").refused("access_explain", json!({"path": "a", "operation": ""}), "INVALID_ARGS");
}

/// The tools judge what a link leads to, and so does the explanation.
#[test]
fn an_explanation_agrees_with_the_tools() {
    let fixture = fixture("dev");
    for (path, content) in [
        ("src/a.txt", "a"),
        ("src/gen/g.txt", "g"),
        ("src/gen-dir/g.txt", "g"),
        ("src/to-secret", "k"),
        ("secret/key", "k"),
        ("SECRET/key", "k"),
        ("src/x.tsk/goals.md", "g"),
        ("src/new.pem", "p"),
        ("out/new", "n"),
        ("new", "n"),
    ] {
        let read = fixture.call("read_file", json!({"path": path}));
        let is_denied = read["code"] == "ACCESS_DENIED";
        let explained = explain(&fixture, "read", path);
        assert_eq!(explained["allowed"], !is_denied, "{path}: {read} {explained}");
        assert!(
            !is_denied
                || explained["reasons"] == read["details"]["reasons"]
                || explained["obstacle"] == "package"
        );
        let tool = if fixture.has(path) { "overwrite_entire_file" } else { "create_new_file" };
        let mut args = json!({"path": path, "content": content});
        if fixture.has(path) {
            // The path is checked before the hash.
            args["known_old_sha256"] = format!("sha256:{}", "0".repeat(64)).into();
        }
        let written = fixture.call(tool, args);
        let is_denied = written["code"] == "ACCESS_DENIED";
        assert_eq!(explain(&fixture, "write", path)["allowed"], !is_denied, "{path}: {written}");
    }
    let answer = explain(&fixture, "read", "src/to-secret");
    assert_eq!((&answer["path"], &answer["real_path"]), (&"src/to-secret".into(), &"secret/key".into()));
}

#[test]
fn only_managers_can_ask_about_other_members() {
    let ask = |fixture: &Fixture, member: &str| {
        fixture.call(
            "access_explain",
            json!({"path": "plans-of-other/x", "operation": "read", "member": member}),
        )
    };
    let dev = fixture("dev");
    assert_eq!(ask(&dev, "dev")["allowed"], true);
    let (known, unknown) = (ask(&dev, "other"), ask(&dev, "stranger"));
    assert_eq!(known["code"], "ACCESS_DENIED");
    assert_eq!(
        known.to_string().replace("other", "stranger"),
        unknown.to_string(),
        "whether there is such a member is not said"
    );
    let lead = fixture("lead");
    let answer = ask(&lead, "other");
    assert_eq!((&answer["allowed"], &answer["member"]), (&false.into(), &"other".into()));
    assert!(
        answer["summary"].as_str().unwrap().starts_with("`other` may not read `plans-of-other/x`: "),
        "{answer}"
    );
    assert!(answer["next"].as_str().unwrap().contains("as a manager of the team"), "{answer}");
    assert_eq!(ask(&lead, "stranger")["code"], "UNKNOWN_MEMBER");
    // Where the toolset of managers is kept out, so is what it gives.
    let mut narrowed = fixture("lead");
    narrowed.toolbox = Toolbox::new().restricted_to(&["ws_read"]);
    assert_eq!(ask(&narrowed, "other")["code"], "ACCESS_DENIED");
    assert_eq!(ask(&narrowed, "lead")["allowed"], true);
    let mut operator = fixture("dev");
    operator.caller = Caller::operator("alice");
    assert_eq!(ask(&operator, "other")["allowed"], false);
    assert_eq!(ask(&operator, "")["allowed"], true);
}

/// The target of a link is only shown to callers that may read both.
#[test]
fn a_manager_is_shown_no_path_that_it_may_not_read() {
    let fixture = fixture("lead");
    let args = json!({"path": "src/to-secret", "operation": "read", "member": "other"});
    let answer = fixture.ok("access_explain", args);
    assert!(answer["real_path"].is_null() && !answer.to_string().contains("secret/key"), "{answer}");
    let args = json!({"path": "src/gen-dir/new", "operation": "write", "member": "dev"});
    assert_eq!(fixture.ok("access_explain", args)["real_path"], "src/gen/new");
}
