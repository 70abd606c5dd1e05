//! The tools of callers: without a team, with an invalid file, and with a valid one.

use crate::support;

use std::borrow::Cow;
use std::fs;
use std::os::unix::fs::symlink;

use minds_toolset::{
    Annotations, Area, Body, Call, Caller, Function, NoFields, Outcome, Refusal, Tool, Toolbox,
};
use serde_json::json;
use support::Place;

/// A function that does nothing.
struct Nothing;

impl Function for Nothing {
    type Arguments = NoFields;
    type Output = NoFields;

    fn run(_: &Call<'_>, _: NoFields) -> Result<Outcome<NoFields>, Refusal> {
        Ok(Outcome::new("got", NoFields {}))
    }
}

const FURTHER: Tool = Tool {
    name: "further",
    toolsets: &[],
    area: Area::Workspace,
    description: "",
    annotations: Annotations::READS,
    body: Body::of::<Nothing>(),
};

static FURTHER_READ: Tool = Tool { name: "further_read", toolsets: &["ws_read", "ws_mod"], ..FURTHER };
static FURTHER_CHANGE: Tool = Tool { name: "further_change", toolsets: &["ws_mod"], ..FURTHER };

/// Returns which tools a caller has: `T` those of the team, `R` those that read the workspace, `W` those that change it, a
/// lowercase letter for some of them, `stranger` if the team has no such member. What is listed can be called.
fn has(place: &Place, caller: &Caller) -> String {
    let (mut toolbox, context) = (Toolbox::new(), place.context(0));
    toolbox.add(&FURTHER_READ).unwrap();
    toolbox.add(&FURTHER_CHANGE).unwrap();
    let listed: Vec<Cow<str>> =
        toolbox.granted_tools(&context, caller).into_iter().map(|tool| tool.name).collect();
    let mut granted: Vec<Cow<str>> = Vec::new();
    let mut is_known = true;
    for tool in toolbox.list() {
        // Arguments that no tool takes, so that nothing happens.
        let answer = toolbox.call(&context, &tool.name, &json!({"no": 1}), caller).to_json();
        is_known = answer["code"] != "UNKNOWN_MEMBER";
        assert!(
            !is_known || answer["code"] == "INVALID_ARGS" || answer["code"] == "TOOL_NOT_GRANTED",
            "{answer}"
        );
        if answer["code"] == "INVALID_ARGS" {
            granted.push(tool.name);
        }
    }
    // A tool that is granted is not listed where each call of it would be refused.
    assert!(listed.iter().all(|tool| granted.contains(tool)), "{listed:?} {granted:?}");
    // What works on tasks everybody has whom the team knows.
    let control = toolbox.toolset("control");
    assert!(control.iter().all(|tool| granted.contains(&tool.name) == is_known));
    let names = |toolset: &str| toolbox.toolset(toolset).into_iter().map(|tool| tool.name);
    let kinds = [
        (
            "T",
            names("team-mgmt").filter(|tool| names("ws_read").all(|read| read != *tool)).collect::<Vec<_>>(),
        ),
        ("R", names("ws_read").filter(|tool| names("team-mgmt").all(|other| other != *tool)).collect()),
        ("W", names("ws_mod").filter(|tool| names("ws_read").all(|read| read != *tool)).collect()),
    ];
    let mut shown = String::new();
    for (kind, tools) in kinds {
        let has = tools.iter().filter(|tool| granted.contains(tool)).count();
        if has == tools.len() {
            shown.push_str(kind);
        } else if has > 0 {
            shown.push_str(&kind.to_lowercase());
        }
    }
    if is_known { shown } else { "stranger".to_owned() }
}

/// Checks which tools the manager of the team, the one that does everything else, and a further member have.
#[track_caller]
fn check(place: &Place, what: &str, fuxi: &str, pangu: &str, coder: &str) {
    let members = ["fuxi", "pangu", "coder"].map(|id| has(place, &Caller::member(id)));
    assert_eq!(members, [fuxi, pangu, coder], "{what}");
    assert_eq!(has(place, &Caller::operator("alice")), "TRW", "{what}");
    // With any content of the file, only the manager of the team changes it.
    let before = place.tree();
    let args = json!({"path": ".minds/new.md", "content": "x"});
    for tool in ["create_new_file", "team_mgmt_create_new_file"] {
        for id in ["pangu", "stranger"] {
            let answer = place.call(&Caller::member(id), tool, args.clone());
            assert_eq!(answer["status"], "error", "{what}: {id} {tool}");
        }
        let answer = place.call(&Caller::operator("alice"), "create_new_file", args.clone());
        assert_eq!(answer["code"], "ACCESS_DENIED", "{what}");
    }
    assert!(before == place.tree(), "{what}");
}

#[track_caller]
fn check_text(team: &str, fuxi: &str, pangu: &str, coder: &str) {
    check(&Place::with_team(team), team, fuxi, pangu, coder);
}

#[test]
fn two_members_can_create_the_team() {
    check(&Place::empty(), "no folder", "T", "RW", "stranger");
    let place = Place::empty();
    fs::create_dir(place.root().join(".minds")).unwrap();
    check(&place, "no file", "T", "RW", "stranger");
    place.write(".minds/llm.yaml", "providers: {}\n");
    check(&place, "another file", "T", "RW", "stranger");
}

#[test]
fn the_built_in_members_can_repair_an_unreadable_file() {
    for team in [
        "",
        "# nothing yet\n",
        "members: {coder: {toolsets: [ws_mod, team-mgmt]}\n",
        "members:\n\tcoder: {toolsets: [team-mgmt]}\n",
        "- coder\n",
        "coder",
        "5",
        "null",
    ] {
        check_text(team, "T", "RW", "stranger");
    }
    let place = Place::empty();
    place.write(".minds/team.yaml", b"members: {coder: {toolsets: [team-mgmt]}} # \xff\n");
    check(&place, "no UTF-8", "T", "RW", "stranger");
    let place = Place::empty();
    fs::create_dir_all(place.root().join(".minds/team.yaml")).unwrap();
    check(&place, "a directory", "T", "RW", "stranger");
    let place = Place::empty();
    fs::create_dir(place.root().join(".minds")).unwrap();
    symlink("nothing.yaml", place.root().join(".minds/team.yaml")).unwrap();
    check(&place, "a link to nothing", "T", "RW", "stranger");
    let place = Place::with_team("members: {coder: {toolsets: [team-mgmt]}}\n");
    fs::hard_link(place.root().join(".minds/team.yaml"), place.root().join("other")).unwrap();
    check(&place, "a file with two names", "T", "RW", "stranger");
    let place = Place::empty();
    place.write("elsewhere/team.yaml", "members: {coder: {toolsets: [team-mgmt]}}\n");
    symlink("..", place.root().join("elsewhere/out")).unwrap();
    symlink("elsewhere/out/nothing", place.root().join(".minds")).unwrap();
    check(&place, "a link in the place of the folder", "T", "RW", "stranger");
}

#[test]
fn a_team_file_with_content_replaces_the_initial_team() {
    check_text("{}", "T", "RW", "stranger");
    check_text("members: {}\n", "T", "RW", "stranger");
    check_text("members: {pangu: {}}\n", "T", "RW", "stranger");
    check_text("members: {coder: {}}\n", "T", "RW", "");
    check_text("members: {coder: {toolsets: [ws_mod]}}\n", "T", "RW", "RW");
    check_text("members: {coder: {toolsets: [ws_read]}}\n", "T", "RW", "R");
    check_text("members: {coder: {toolsets: [team-mgmt]}}\n", "T", "RW", "T");
    check_text("members: {coder: {toolsets: [team_mgmt]}}\n", "T", "RW", "T");
    check_text("members: {coder: {toolsets: ['*']}}\n", "T", "RW", "TRW");
    check_text("members: {coder: {toolsets: ['*', '!team_mgmt']}}\n", "T", "RW", "RW");
    check_text("members: {coder: {toolsets: ['!ws_mod', '*']}}\n", "T", "RW", "TR");
    check_text("members: {coder: {tools: [team_mgmt_read_file]}}\n", "T", "RW", "t");
    check_text("member_defaults: {toolsets: [ws_read]}\nmembers: {coder: {}}\n", "T", "RW", "R");
    check_text("member_defaults: {toolsets: [ws_read]}\nmembers: {coder: {toolsets: []}}\n", "T", "RW", "");
}

#[test]
fn the_built_in_members_keep_their_tools() {
    check_text("members: {pangu: {toolsets: [team-mgmt]}}\n", "T", "RW", "stranger");
    check_text("members: {pangu: {toolsets: [team_mgmt, ws_read]}}\n", "T", "RW", "stranger");
    check_text("members: {pangu: {toolsets: ['!ws_mod']}}\n", "T", "R", "stranger");
    check_text("members: {fuxi: {toolsets: []}}\n", "T", "RW", "stranger");
    check_text("members: {fuxi: {toolsets: ['!team-mgmt']}}\n", "T", "RW", "stranger");
    check_text("members: {fuxi: {toolsets: ['!team_mgmt', ws_read]}}\n", "TR", "RW", "stranger");
    check_text(
        "member_defaults: {toolsets: ['!team-mgmt', ws_mod]}\nmembers: {fuxi: {}}\n",
        "T",
        "RW",
        "stranger",
    );
}

#[test]
fn a_granted_tool_does_not_override_an_exclusion() {
    check_text("members: {pangu: {tools: [team_mgmt_create_new_file]}}\n", "T", "RW", "stranger");
    check_text("member_defaults: {tools: [team_mgmt_create_new_file]}\n", "T", "RW", "stranger");
    check_text("members: {coder: {toolsets: ['!team-mgmt'], tools: [team_mgmt_read_file]}}\n", "T", "RW", "");
    check_text(
        "members: {coder: {toolsets: ['*', '!team_mgmt'], tools: [team_mgmt_read_file]}}\n",
        "T",
        "RW",
        "RW",
    );
    check_text("members: {coder: {toolsets: ['!team-mgmt'], tools: [read_file]}}\n", "T", "RW", "r");
    check_text("members: {coder: {toolsets: ['!ws_read'], tools: [create_new_file]}}\n", "T", "RW", "w");
}

#[test]
fn unreadable_definitions_grant_nothing() {
    check_text("members: {coder: }\n", "T", "RW", "");
    check_text("members: {coder: 5}\n", "T", "RW", "");
    check_text("members: {coder: {toolsets: ws_mod}}\n", "T", "RW", "");
    check_text("members: {coder: {toolsets: [ws_mod, 5]}}\n", "T", "RW", "");
    check_text("members: {coder: {toolsets: [ws_mod], tools: [5, team_mgmt_read_file]}}\n", "T", "RW", "RW");
    // An exclusion may be what cannot be read.
    check_text("members: {coder: {toolsets: [5], tools: [team_mgmt_read_file]}}\n", "T", "RW", "");
    check_text(
        "members: {coder: {tooolsets: ['!team-mgmt'], tools: [team_mgmt_read_file]}}\n",
        "T",
        "RW",
        "",
    );
    check_text("member_defaults: 5\nmembers: {coder: {}}\n", "T", "RW", "");
    check_text("member_defaults: 5\nmembers: {coder: {tools: [team_mgmt_read_file]}}\n", "T", "RW", "");
    check_text("member_defaults: 5\nmembers: {coder: {toolsets: [ws_read]}}\n", "T", "RW", "R");
    check_text("member_defaults: {toolsets: 5}\nmembers: {coder: {}}\n", "T", "RW", "");
    check_text("members: {pangu: 5, fuxi: 5}\n", "T", "", "stranger");
    check_text("members: {pangu: {toolsets: 5}, fuxi: {toolsets: 5}}\n", "T", "", "stranger");
    check_text("members: {pangu: {tools: 5}, fuxi: {tools: 5}}\n", "T", "RW", "stranger");
    check_text("members: 5\n", "T", "", "stranger");
}

#[test]
fn duplicate_definitions_grant_nothing() {
    let coder = "coder: {toolsets: [ws_mod]}";
    check_text(&format!("members: {{{coder}, coder: {{}}}}\n"), "T", "RW", "");
    check_text(&format!("members: {{{coder}}}\nmembers: {{{coder}}}\n"), "T", "", "");
    check_text(&format!("member_defaults: {{}}\nmember_defaults: {{}}\nmembers: {{{coder}}}\n"), "T", "", "");
    check_text("members: {coder: {toolsets: [ws_mod], toolsets: ['!ws_mod']}}\n", "T", "RW", "");
    check_text(
        "members: {coder: {toolsets: [ws_read], tools: [create_new_file], tools: []}}\n",
        "T",
        "RW",
        "R",
    );
    let defaults = "member_defaults: {toolsets: [ws_mod], toolsets: []}\n";
    check_text(&format!("{defaults}members: {{coder: {{}}}}\n"), "T", "RW", "");
    check_text(&format!("{defaults}members: {{coder: {{toolsets: [ws_read]}}}}\n"), "T", "RW", "R");
    check_text("members: {fuxi: {}, fuxi: {}, pangu: {}, pangu: {}}\n", "T", "", "stranger");
    // A second document may have other content.
    check_text(&format!("members: {{{coder}}}\n---\nmembers: {{}}\n"), "T", "", "");
}

#[test]
fn lists_apply_as_written_and_unreadable_ones_deny() {
    let write = |place: &Place, id: &str, path: &str| {
        let answer = place.call(&Caller::member(id), "create_new_file", json!({"path": path}));
        answer["code"].as_str().unwrap_or("ok").to_owned()
    };
    let place = Place::with_team("members: {coder: {toolsets: [ws_mod], write_dirs: [src]}}\n");
    assert_eq!(write(&place, "coder", "src/a"), "ok");
    assert_eq!(write(&place, "coder", "docs/a"), "ACCESS_DENIED");
    assert_eq!(write(&place, "pangu", "docs/a"), "ok");
    // What was edited holds for the next call.
    place.write(".minds/team.yaml", "members: {coder: {toolsets: [ws_mod], write_dirs: [docs]}}\n");
    assert_eq!(write(&place, "coder", "src/b"), "ACCESS_DENIED");
    assert_eq!(write(&place, "coder", "docs/b"), "ok");
    place.write(".minds/team.yaml", "members: {coder: {toolsets: [ws_mod], write_dirs: [docs, ../x]}}\n");
    assert_eq!(write(&place, "coder", "docs/c"), "ACCESS_DENIED");
    place.write(".minds/team.yaml", "members: {coder: {toolsets: [ws_mod], write_dirs: [docs]}\n");
    assert_eq!(write(&place, "coder", "docs/d"), "UNKNOWN_MEMBER");
    assert_eq!(write(&place, "pangu", "docs/d"), "ok");
    for path in [".minds/x", ".MINDS/x", "src/../.minds/team/pangu/persona.md"] {
        assert_eq!(write(&place, "pangu", path), "ACCESS_DENIED", "{path}");
    }
    let read = json!({"path": ".minds/team.yaml"});
    assert_eq!(place.call(&Caller::member("pangu"), "read_file", read.clone())["code"], "ACCESS_DENIED");
    assert_eq!(place.call(&Caller::member("fuxi"), "team_mgmt_read_file", read)["status"], "ok");
    assert_eq!(write(&place, "fuxi", "docs/e"), "TOOL_NOT_GRANTED");
}

#[test]
fn a_refusal_names_the_toolset_and_the_nearest_members() {
    let place =
        Place::with_team("members: {coder: {toolsets: [ws_read]}, code-reader: {toolsets: ['!ws_mod']}}\n");
    let refusal = |id: &str, tool: &str| {
        let answer = Toolbox::new().call(&place.context(0), tool, &json!({}), &Caller::member(id));
        (answer.to_text(), answer.to_json()["details"].clone())
    };
    assert_eq!(
        refusal("coder", "create_new_file"),
        (
            "TOOL_NOT_GRANTED: `coder` does not have `create_new_file`, which is in the toolset `ws_mod`\n\
             next: use a tool that you have, or ask the team's manager"
                .to_owned(),
            json!({"toolsets": ["ws_mod"]})
        )
    );
    assert_eq!(
        refusal("coder", "team_mgmt_read_file").0.lines().next().unwrap(),
        "TOOL_NOT_GRANTED: `coder` does not have `team_mgmt_read_file`, which is in the toolset `team-mgmt`"
    );
    assert_eq!(
        refusal("code-reader", "read_file").0.lines().next().unwrap(),
        "TOOL_NOT_GRANTED: `code-reader` does not have `read_file`: its toolset `ws_mod` is excluded"
    );
    assert_eq!(
        refusal("codr", "read_file"),
        (
            "UNKNOWN_MEMBER: the team has no member `codr`\nnext: did you mean `coder`?".to_owned(),
            json!({"nearest": ["coder"]})
        )
    );
    assert_eq!(
        refusal("zzz", "read_file").0,
        "UNKNOWN_MEMBER: the team has no member `zzz`\nnext: members are `coder`, `code-reader`, `fuxi`, `pangu`"
    );
    assert_eq!(
        refusal("coder", "read_fil").0,
        "TOOL_NOT_GRANTED: unknown tool `read_fil`\nnext: did you mean `read_file`?"
    );
    place.write(".minds/team.yaml", "[");
    assert_eq!(
        refusal("coder", "read_file").0.lines().next().unwrap(),
        "UNKNOWN_MEMBER: `.minds/team.yaml` cannot be read, and the team for repairs has no member `coder`"
    );
    fs::remove_file(place.root().join(".minds/team.yaml")).unwrap();
    assert_eq!(
        refusal("panggu", "read_file").0,
        "UNKNOWN_MEMBER: `.minds/team.yaml` does not exist yet, and the initial team has no member `panggu`\n\
         next: did you mean `pangu`?"
    );
}

#[test]
fn the_manager_repairs_an_unreadable_file() {
    let place = Place::with_team("members: {coder: {toolsets: [ws_mod]}\n");
    let (fuxi, coder) = (Caller::member("fuxi"), Caller::member("coder"));
    assert_eq!(has(&place, &coder), "stranger");
    let path = ".minds/team.yaml";
    let read = place.call(&fuxi, "team_mgmt_read_file", json!({"path": path}));
    let args = json!({
        "path": path,
        "content": "members: {coder: {toolsets: [ws_mod]}}\n",
        "known_old_total_lines": read["total_lines"],
        "known_old_total_bytes": read["size_bytes"],
        "known_old_sha256": read["sha256"],
    });
    let answer = place.call(&fuxi, "team_mgmt_overwrite_entire_file", args);
    assert_eq!(answer["status"], "ok", "{answer}");
    assert_eq!(has(&place, &coder), "RW");
}
