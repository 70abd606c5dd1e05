//! Tools of servers: who gets which, how they are described, and the tools that manage servers.

use crate::support;

use std::sync::Arc;

use minds_toolset::{
    Annotations, Area, Body, Call, Caller, Code, ForeignTool, Function, NoFields, Outcome, Refusal, Tool,
    Toolbox,
};
use serde_json::{Value, json};
use support::Place;
use support::source::{FakeSource, foreign, object};

fn toolbox(tools: Vec<ForeignTool>) -> Toolbox {
    Toolbox::new().with_source(FakeSource::new(tools))
}

fn two_servers() -> Vec<ForeignTool> {
    vec![foreign("browser", "open"), foreign("browser", "close"), foreign("tickets", "find")]
}

fn coder() -> Caller {
    Caller::member("coder")
}

/// Returns the foreign tools that a caller has, separated by spaces. What is listed is authorized, and nothing else.
#[track_caller]
fn has(toolbox: &Toolbox, place: &Place, caller: &Caller) -> String {
    let context = place.context(0);
    let listed = toolbox.granted_tools(&context, caller);
    let listed: Vec<&str> =
        listed.iter().filter(|tool| tool.meta.is_some()).map(|tool| tool.name.as_ref()).collect();
    for name in ["open", "close", "find"] {
        let is_listed = listed.contains(&name);
        match toolbox.authorize_foreign(&context, name, caller).expect("it exists") {
            Ok(tool) => assert!(is_listed && tool.name == name, "{name}"),
            Err(refusal) => assert!(!is_listed && refusal.code == Code::ToolNotGranted, "{refusal:?}"),
        }
    }
    listed.join(" ")
}

#[track_caller]
fn check(fields: &str, expected: &str) {
    let place = Place::with_team(&format!("members: {{coder: {{{fields}}}}}\n"));
    assert_eq!(has(&toolbox(two_servers()), &place, &coder()), expected, "{fields}");
}

#[test]
fn the_id_of_a_server_is_a_toolset() {
    check("toolsets: [browser]", "open close");
    check("toolsets: [tickets, browser]", "open close find");
    check("toolsets: ['*']", "open close find");
    check("toolsets: ['*', '!browser']", "find");
    check("toolsets: ['!browser', '*', browser]", "find");
    check("toolsets: [ws_mod]", "");
    check("toolsets: []", "");
    check("toolsets: [ws_mod], tools: [close]", "close");
    check("toolsets: ['!browser'], tools: [close, find]", "find");
    check("toolsets: {browser: 1}", "");
    check("toolsets: [Browser]", "");
}

#[test]
fn a_toolbox_can_be_restricted_to_a_server() {
    let place = Place::with_team("members: {coder: {toolsets: [browser, ws_read]}}\n");
    let of = |toolsets: &[&str]| toolbox(two_servers()).restricted_to(toolsets);
    assert_eq!(has(&of(&["browser"]), &place, &coder()), "open close");
    assert_eq!(has(&of(&["ws_read"]), &place, &coder()), "");
    assert_eq!(has(&of(&["tickets"]), &place, &coder()), "");
    assert_eq!(has(&of(&["tickets"]), &place, &Caller::operator("alice")), "find");
    let only = of(&["browser"]);
    assert_eq!(only.toolsets(), ["browser"]);
    assert_eq!(only.list().len(), 2);
    assert!(only.toolset("tickets").is_empty());
    let refused = only.authorize_foreign(&place.context(0), "find", &coder()).unwrap().unwrap_err();
    assert_eq!(refused.message, "`find` is not served: none of its toolsets is selected");
}

#[test]
fn the_operator_has_all_and_a_stranger_none() {
    let place = Place::with_team("members: {coder: {toolsets: [browser]}}\n");
    assert_eq!(has(&toolbox(two_servers()), &place, &Caller::operator("alice")), "open close find");
    let stranger = Caller::member("stranger");
    let toolbox = toolbox(two_servers());
    assert!(toolbox.granted_tools(&place.context(0), &stranger).is_empty());
    let refused = toolbox.authorize_foreign(&place.context(0), "open", &stranger).unwrap().unwrap_err();
    assert_eq!(refused.code, Code::UnknownMember);
}

#[test]
fn a_refusal_is_worded_as_for_built_in_tools() {
    let refusal = |toolsets: &str| {
        let place = Place::with_team(&format!("members: {{coder: {{toolsets: {toolsets}}}}}\n"));
        let context = place.context(0);
        toolbox(two_servers()).authorize_foreign(&context, "open", &coder()).unwrap().unwrap_err()
    };
    let refused = refusal("[ws_read]");
    assert_eq!(refused.message, "`coder` does not have `open`, which is in the toolset `browser`");
    assert_eq!(refused.next.as_deref(), Some("use a tool that you have, or ask the team's manager"));
    assert_eq!(refused.details.unwrap().get("toolsets"), Some(&json!(["browser"])));
    let refused = refusal("['*', '!browser']");
    assert_eq!(refused.message, "`coder` does not have `open`: its toolset `browser` is excluded");
}

/// What was decoded is kept, but only for the same content, whatever the file system says about times.
#[test]
fn a_changed_file_of_the_same_size_and_time_is_decoded_again() {
    let granted = "members: {coder: {toolsets: [browser]}}\n";
    let place = Place::with_team(granted);
    let (toolbox, context) = (toolbox(two_servers()), place.context(0));
    let may = |caller: Caller| toolbox.authorize_foreign(&context, "open", &caller).unwrap().is_ok();
    assert!(may(coder()) && may(coder()) && !may(Caller::member("other")));
    let path = place.root().join(".minds/team.yaml");
    let time = std::fs::metadata(&path).unwrap().modified().unwrap();
    std::fs::write(&path, granted.replace("browser", "tickets")).unwrap();
    std::fs::File::options().write(true).open(&path).unwrap().set_modified(time).unwrap();
    assert!(!may(coder()));
    std::fs::write(&path, granted).unwrap();
    assert!(may(coder()) && !may(Caller::member("other")) && may(coder()));
}

#[test]
fn the_files_are_read_for_each_call() {
    let place = Place::with_team("members: {coder: {toolsets: []}}\n");
    let source = FakeSource::new(Vec::new());
    let toolbox = Toolbox::new().with_source(Arc::<FakeSource>::clone(&source));
    assert!(toolbox.authorize_foreign(&place.context(0), "open", &coder()).is_none());
    source.set(two_servers());
    assert_eq!(has(&toolbox, &place, &coder()), "");
    place.write(".minds/team.yaml", "members: {coder: {toolsets: [browser]}}\n");
    assert_eq!(has(&toolbox, &place, &coder()), "open close");
    source.set(Vec::new());
    assert!(toolbox.authorize_foreign(&place.context(0), "open", &coder()).is_none());
}

struct Nothing;

impl Function for Nothing {
    type Arguments = NoFields;
    type Output = NoFields;

    fn run(_: &Call<'_>, _: NoFields) -> Result<Outcome<NoFields>, Refusal> {
        Ok(Outcome::new("got", NoFields {}))
    }
}

const JOINED: Tool = Tool {
    name: "open",
    toolsets: &["stocks"],
    area: Area::Workspace,
    description: "",
    annotations: Annotations::READS,
    body: Body::of::<Nothing>(),
};
static OPEN: Tool = JOINED;
static OPEN_AGAIN: Tool = Tool { toolsets: &["other"], ..JOINED };
static READ_FILE: Tool = Tool { name: "read_file", ..JOINED };
static SHELL_CMD: Tool = Tool { name: "shell_cmd", ..JOINED };

#[test]
fn a_name_belongs_to_one_tool() {
    let mut tools = toolbox(two_servers());
    tools.add(&OPEN).unwrap();
    for tool in [&OPEN, &OPEN_AGAIN, &READ_FILE, &SHELL_CMD] {
        let error = tools.add(tool).unwrap_err();
        assert_eq!(error.to_string(), format!("there is already a tool `{}`", tool.name));
    }
    // The built-in one is served, and the foreign one is not listed.
    let place = Place::with_team("members: {coder: {toolsets: [browser, stocks]}}\n");
    let context = place.context(0);
    assert!(tools.authorize_foreign(&context, "open", &coder()).is_none());
    assert!(!tools.call(&context, "open", &json!({}), &coder()).is_refused());
    let listed = tools.granted_tools(&context, &coder());
    let open: Vec<&str> =
        listed.iter().filter(|tool| tool.name == "open").map(|tool| tool.toolset.as_ref()).collect();
    assert_eq!(open, ["stocks"]);
}

/// Everybody has the tools of `control`, and the aliases of a toolset are granted with it.
#[test]
fn no_server_takes_the_place_of_a_built_in_toolset_or_tool() {
    let place = Place::with_team("members: {coder: {toolsets: ['*', team_mgmt, fs_read]}}\n");
    let context = place.context(0);
    let tools = toolbox(vec![
        foreign("control", "a"),
        foreign("team_mgmt", "b"),
        foreign("fs_read", "c"),
        foreign("browser", "read_file"),
        foreign("browser", "shell_cmd"),
        foreign("browser", "mcp_restart"),
    ]);
    for name in ["a", "b", "c", "read_file", "shell_cmd", "mcp_restart"] {
        assert!(tools.authorize_foreign(&context, name, &coder()).is_none(), "{name}");
        assert!(tools.authorize_foreign(&context, name, &Caller::operator("alice")).is_none(), "{name}");
    }
    assert!(tools.list().iter().all(|tool| tool.meta.is_none()));
    assert!(!tools.toolsets().contains(&"browser".into()));
}

#[test]
fn foreign_tools_come_after_the_built_in_ones_in_order() {
    let place = Place::empty();
    let names = |toolbox: &Toolbox| -> Vec<String> {
        let listed = toolbox.granted_tools(&place.context(0), &Caller::operator("alice"));
        listed.into_iter().map(|tool| tool.name.into_owned()).collect()
    };
    let all = names(&toolbox(two_servers()));
    let built_in = names(&toolbox(Vec::new()));
    assert_eq!(all, [built_in, vec!["open".into(), "close".into(), "find".into()]].concat());
    let toolsets = toolbox(two_servers()).toolsets();
    assert_eq!(toolsets[toolsets.len() - 2..], ["browser", "tickets"]);
}

#[test]
fn a_descriptor_has_what_the_server_says_and_where_it_is_from() {
    let tool = ForeignTool {
        title: Some("Open a page".to_owned()),
        input_schema: object(json!({"properties": {"url": {"type": "string"}}, "x-mine": [1]})),
        output_schema: Some(object(json!({"type": "object", "x": 1}))),
        annotations: object(json!({
            "title": 7, "readOnlyHint": true, "destructiveHint": "no", "openWorldHint": false, "x-hint": {"a": 1}
        })),
        ..foreign("browser", "open")
    };
    let expected = json!({
        "_meta": {"minds/server": "browser", "minds/original": "original_open"},
        "annotations": {"readOnlyHint": true, "openWorldHint": true, "x-hint": {"a": 1}},
        "description": "does open",
        "inputSchema": {"type": "object", "properties": {"url": {"type": "string"}}, "x-mine": [1]},
        "name": "open",
        "outputSchema": {"type": "object", "x": 1},
        "title": "Open a page",
        "toolset": "browser",
    });
    assert_eq!(serde_json::to_value(tool.descriptor()).unwrap(), expected);
    assert!(!tool.descriptor().annotations.is_read_only());
    let down = ForeignTool { is_available: false, ..foreign("browser", "open") };
    let said = down.descriptor().description;
    assert!(
        said.starts_with("The server `browser` does not run at present: ") && said.ends_with("\n\ndoes open")
    );
    let plain = serde_json::to_value(foreign("browser", "open").descriptor()).unwrap();
    assert!(plain.get("title").is_none() && plain.get("outputSchema").is_none(), "{plain}");
}

#[test]
fn an_unknown_tool_can_be_near_one_of_a_server() {
    let next = |name: &str| toolbox(vec![foreign("browser", "navigate")]).refuse_unknown(name).next.unwrap();
    assert_eq!(next("navigat"), "did you mean `navigate`?");
    assert_eq!(next("read_fil"), "did you mean `read_file`?");
}

#[test]
fn a_server_that_has_no_tools_yet_is_not_a_toolset_without_tools() {
    let team = "members: {coder: {toolsets: [browser, tickets, stocks, os, mcp_admin]}}\n";
    let place = Place::with_team(team);
    let context = place.context(0);
    let with_gateway = || toolbox(vec![foreign("browser", "open")]);
    let missing = |toolbox: Toolbox| toolbox.toolsets_without_tools(&context, &coder());
    assert_eq!(missing(with_gateway()), ["tickets", "stocks", "os"]);
    assert!(!with_gateway().has_toolset(&context, "tickets"));
    place.write(
        ".minds/mcp.yaml",
        "version: 1\nservers: {tickets: {transport: stdio, command: x}, os: {transport: stdio, command: x}}\n",
    );
    assert_eq!(missing(with_gateway()), ["stocks", "os"]);
    assert!(with_gateway().has_toolset(&context, "tickets"));
    assert!(!with_gateway().has_toolset(&context, "stocks") && !with_gateway().has_toolset(&context, "os"));
    // Without a gateway no server can have tools.
    assert_eq!(missing(Toolbox::new()), ["browser", "tickets", "stocks", "os", "mcp_admin"]);
    assert!(!Toolbox::new().has_toolset(&context, "tickets"));
    // Any server may be in an unreadable file.
    place.write(".minds/mcp.yaml", "servers: [\n");
    assert_eq!(missing(with_gateway()), ["os"]);
}

fn manage(toolbox: &Toolbox, place: &Place, tool: &str, server: &str, conversation: &str) -> Value {
    let args = json!({"serverId": server});
    toolbox.call_in(&place.context(0), tool, &args, &coder(), conversation).to_json()
}

#[test]
fn servers_are_managed_in_the_conversation_of_the_call() {
    let place = Place::with_team("members: {coder: {toolsets: [mcp_admin]}}\n");
    let source = FakeSource::new(Vec::new());
    let toolbox = Toolbox::new().with_source(Arc::<FakeSource>::clone(&source));
    let expected = json!({"status": "ok", "tool": "mcp_restart", "serverId": "browser", "state": "ready",
        "summary": "ok: the server `browser` was started again"});
    assert_eq!(manage(&toolbox, &place, "mcp_restart", "browser", "talk"), expected);
    let released = manage(&toolbox, &place, "mcp_release", "browser", "talk");
    assert_eq!((&released["released"], &released["state"]), (&json!(true), &json!("ready")));
    let released = manage(&toolbox, &place, "mcp_release", "browser", "other");
    assert_eq!(released["released"], false);
    assert!(released["summary"].as_str().unwrap().starts_with("ok: "), "{released}");
    assert_eq!(manage(&toolbox, &place, "mcp_disable", "browser", "talk")["state"], "disabled");
    let actions = source.actions.lock().unwrap().join(", ");
    assert_eq!(
        actions,
        "talk browser Restart, talk browser Release, other browser Release, talk browser Disable"
    );
}

#[test]
fn refusals_of_the_gateway_are_refusals_of_the_tools() {
    let place = Place::with_team("members: {coder: {toolsets: [mcp_admin]}}\n");
    let toolbox = toolbox(Vec::new());
    let code = |server: &str| manage(&toolbox, &place, "mcp_restart", server, "talk")["code"].clone();
    assert_eq!(
        (code("none"), code("broken"), code("down")),
        (json!("UNKNOWN_SERVER"), json!("SERVER_INVALID"), json!("SERVER_UNAVAILABLE"))
    );
    let without = manage(&Toolbox::new(), &place, "mcp_release", "browser", "talk");
    assert_eq!(without["code"], "SERVER_UNAVAILABLE");
    assert!(without["next"].as_str().unwrap().contains("`--no-gateway`"), "{without}");
    let reader = Place::with_team("members: {coder: {toolsets: [browser]}}\n");
    assert_eq!(manage(&toolbox, &reader, "mcp_restart", "browser", "talk")["code"], "TOOL_NOT_GRANTED");
}

#[test]
fn servers_can_be_managed_only_where_there_are_some() {
    let place = Place::with_team("members: {coder: {toolsets: ['*']}}\n");
    let offered = |toolbox: Toolbox| {
        let tools = toolbox.offered_tools(&place.context(0), &coder());
        ["mcp_restart", "mcp_release", "mcp_disable", "env_get"].map(|name| tools.has(name))
    };
    assert_eq!(offered(toolbox(Vec::new())), [true, true, true, false]);
    assert_eq!(offered(Toolbox::new()), [false; 4]);
}

#[test]
fn the_toolset_of_the_fleet_is_only_granted_by_name() {
    let fleet =
        || vec![foreign("fleet", "fleet_list"), foreign("fleet", "fleet_send"), foreign("fleet", "find")];
    let has = |fields: &str| {
        let place = Place::with_team(&format!("members: {{coder: {{{fields}}}}}\n"));
        let (toolbox, context) = (toolbox(fleet()), place.context(0));
        let listed = toolbox.granted_tools(&context, &coder());
        let listed: Vec<&str> =
            listed.iter().filter(|tool| tool.meta.is_some()).map(|tool| tool.name.as_ref()).collect();
        for name in ["fleet_list", "fleet_send"] {
            let authorized = toolbox.authorize_foreign(&context, name, &coder()).unwrap();
            assert_eq!(authorized.is_ok(), listed.contains(&name), "{name}: {authorized:?}");
        }
        assert_eq!(minds_toolset::may_use_fleet(&context, &coder()), !listed.is_empty(), "{fields}");
        listed.join(" ")
    };
    // A tool that is not in the toolset is left out.
    assert_eq!(has("toolsets: [fleet]"), "fleet_list fleet_send");
    assert_eq!(has("toolsets: ['*']"), "");
    assert_eq!(has("toolsets: ['*', fleet]"), "fleet_list fleet_send");
    assert_eq!(has("toolsets: [fleet, '!fleet']"), "");
    assert_eq!(has("tools: [fleet_list]"), "fleet_list");
    assert_eq!(has("toolsets: ['!fleet'], tools: [fleet_list]"), "");
    assert_eq!(has("toolsets: [ws_read]"), "");
}

#[test]
fn tools_of_the_fleet_are_refused_before_their_program_runs() {
    let place = Place::with_team("members: {coder: {toolsets: ['*']}, lead: {toolsets: [fleet]}}\n");
    let (toolbox, context) = (toolbox(Vec::new()), place.context(0));
    let refused = toolbox.authorize_foreign(&context, "fleet_send", &coder()).unwrap().unwrap_err();
    assert_eq!(refused.code, Code::ToolNotGranted);
    assert!(refused.message.contains("which is in the toolset `fleet`"), "{}", refused.message);
    // The program may start, so the call is not refused for good.
    assert!(toolbox.authorize_foreign(&context, "fleet_send", &Caller::member("lead")).is_none());
    let missing = toolbox.refuse_unknown("fleet_send");
    assert!(missing.message.contains("`minds-fleet`") && missing.next.unwrap().contains("minds problems"));
    // The toolset is expected where there is a fleet.
    assert!(!toolbox.has_toolset(&context, "fleet"));
    assert_eq!(toolbox.toolsets_without_tools(&context, &Caller::member("lead")), ["fleet"]);
    std::fs::create_dir(place.root().join(".ateam")).unwrap();
    assert!(toolbox.has_toolset(&context, "fleet"));
    assert!(toolbox.toolsets_without_tools(&context, &Caller::member("lead")).is_empty());
    assert!(!Toolbox::new().has_toolset(&context, "fleet"));
}
