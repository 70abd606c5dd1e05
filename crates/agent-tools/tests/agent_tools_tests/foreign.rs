//! Tools of MCP servers: which the agent has, and which calls reach a server.

use std::sync::{Arc, Mutex};

use minds_agent_tools::policy::ServerPolicy;
use minds_agent_tools::{
    Call, Decision, FileAccess, ForeignTool, ForeignTools, MemberRights, RunningTool, ToolOutcome,
    ToolSettings, Toolbox,
};
use serde_json::{Map, Value, json};

use crate::support::{Place, call, code, end, names, settings, supervisor, to_arguments};

/// Servers that record the calls which reach them.
#[derive(Clone, Default)]
struct Servers {
    tools: Arc<Mutex<Vec<ForeignTool>>>,
    calls: Arc<Mutex<Vec<String>>>,
}

impl ForeignTools for Servers {
    fn list(&self) -> Vec<ForeignTool> {
        self.tools.lock().unwrap().clone()
    }

    fn start(&self, tool: &ForeignTool, arguments: Map<String, Value>) -> Box<dyn RunningTool> {
        let call = format!("{}.{} {}", tool.server, tool.original, Value::Object(arguments));
        self.calls.lock().unwrap().push(call);
        let outcome = ToolOutcome { is_ok: true, content: "done".to_owned(), ..ToolOutcome::default() };
        Box::new(Ended(Some(outcome)))
    }
}

struct Ended(Option<ToolOutcome>);

impl RunningTool for Ended {
    fn next(&mut self, _: std::time::Duration) -> Option<minds_agent_tools::ToolEvent> {
        self.0.take().map(minds_agent_tools::ToolEvent::Ended)
    }

    fn stop(&mut self, _: bool) {}
}

/// A member that has the tools of one server.
struct OneServer(&'static str);

impl MemberRights for OneServer {
    fn check(&self, _: FileAccess, _: &str) -> Result<(), String> {
        Ok(())
    }

    fn has_server_tool(&self, server: &str, _: &str) -> bool {
        server == self.0
    }
}

/// A change of settings.
type Change = fn(&mut ToolSettings);

fn tool(server: &str, name: &str) -> ForeignTool {
    let schema = json!({"properties": {"n": {"type": "integer"}}, "required": ["n"]});
    ForeignTool {
        name: name.to_owned(),
        server: server.to_owned(),
        original: format!("original-{name}"),
        description: "does it".to_owned(),
        schema: schema.as_object().unwrap().clone(),
    }
}

/// Returns settings that give `mcp.web`, and servers with two tools.
fn given_settings(place: &Place) -> (ToolSettings, Servers) {
    let mut policy = place.policy();
    policy.tools.insert("mcp.web".to_owned());
    for id in ["web", "db"] {
        policy.servers.insert(id.to_owned(), ServerPolicy { hash: id.to_owned(), shown: id.to_owned() });
    }
    let servers = Servers::default();
    *servers.tools.lock().unwrap() = vec![tool("web", "open"), tool("web", "close"), tool("db", "query")];
    (settings(&policy), servers)
}

fn toolbox(settings: &ToolSettings, servers: &Servers) -> Toolbox<'static> {
    let reader = |id: &str| match id {
        "ann" => Ok(Box::new(OneServer("web")) as Box<dyn MemberRights>),
        "ben" => Ok(Box::new(OneServer("db")) as Box<dyn MemberRights>),
        _ => Err("no such member".to_owned()),
    };
    let tools = Toolbox::new(Box::new(|| Ok(Vec::new())), supervisor());
    let mut tools = tools.with_foreign(Box::new(servers.clone())).with_members(Box::new(reader));
    tools.configure(settings);
    tools
}

fn offered_names(tools: &Toolbox<'_>) -> Vec<String> {
    let names = crate::support::TOOLS.map(minds_agent_tools::model_name);
    tools.offers().into_iter().map(|offer| offer.name).filter(|name| !names.contains(name)).collect()
}

#[track_caller]
fn assert_denied(tools: &mut Toolbox<'_>, servers: &Servers, name: &str, what: &str) {
    let arguments = to_arguments(json!({"n": 1}));
    let call = Call { id: "call-0", name, arguments: &arguments };
    let Decision::Refuse(judged) = tools.judge(call) else { panic!("{what}: {name} is not refused") };
    for outcome in [judged, end(tools, call)] {
        assert_eq!(code(&outcome), "tool.denied", "{what}: {outcome:?}");
    }
    assert!(!tools.has_effect(name), "{what}");
    assert_eq!(*servers.calls.lock().unwrap(), Vec::<String>::new(), "{what}");
}

#[test]
fn a_given_tool_runs_at_its_server() {
    let place = Place::new();
    let (settings, servers) = given_settings(&place);
    let mut tools = toolbox(&settings, &servers);
    assert_eq!(offered_names(&tools), ["open", "close"]);
    assert!(tools.has_effect("open"));
    assert_eq!(tools.file_name("open").as_deref(), Some("mcp.web.open"));
    let offer = tools.offers().into_iter().find(|offer| offer.name == "open").unwrap();
    assert_eq!(offer.schema["type"], "object");
    assert!(offer.description.contains("untrusted"), "{}", offer.description);
    let outcome = call(&mut tools, "open", json!({"n": 1}));
    assert_eq!((code(&outcome), outcome.content.as_str()), ("ok", "done"));
    assert_eq!(*servers.calls.lock().unwrap(), ["web.original-open {\"n\":1}"]);
}

/// A tool that is not given, for whatever reason, is neither offered nor called.
#[test]
fn a_tool_that_is_not_given_reaches_no_server() {
    let place = Place::new();
    let changes: [(&str, Change, &str); 11] = [
        ("not listed", |_| {}, "query"),
        ("not in the files", |settings| assert!(settings.files.tools.remove("mcp.web")), "open"),
        ("not accepted", |settings| assert!(settings.accepted.tools.remove("mcp.web")), "open"),
        ("denied by the files", |settings| settings.files.denied = names(&["mcp.web.open"]), "open"),
        ("denied when accepted", |settings| settings.accepted.denied = names(&["mcp.web.open"]), "open"),
        (
            "an unreadable list",
            |settings| settings.reasons = [("mcp.web.open".to_owned(), "unreadable".to_owned())].into(),
            "open",
        ),
        ("no such server", |settings| settings.files.servers.clear(), "open"),
        ("a server that was not accepted", |settings| settings.accepted.servers.clear(), "open"),
        (
            "a server that was changed",
            |settings| settings.files.servers.get_mut("web").unwrap().hash.push('2'),
            "open",
        ),
        ("a member without the server", |settings| settings.files.members = names(&["ben"]), "open"),
        ("an unknown member", |settings| settings.accepted.members = names(&["ann", "dan"]), "open"),
    ];
    for (what, change, name) in changes {
        let (mut settings, servers) = given_settings(&place);
        change(&mut settings);
        let mut tools = toolbox(&settings, &servers);
        assert!(!offered_names(&tools).contains(&name.to_owned()), "{what}");
        assert_denied(&mut tools, &servers, name, what);
    }
    let (mut settings, servers) = given_settings(&place);
    settings.files.members = names(&["ann"]);
    assert_eq!(offered_names(&toolbox(&settings, &servers)), ["open", "close"]);
}

/// What changed since the model was asked counts: a call reaches only the tool that was offered.
#[test]
fn a_list_that_changed_denies() {
    let place = Place::new();
    let changes = [
        ("removed", vec![tool("web", "close")]),
        ("of another server", vec![tool("db", "open")]),
        ("another tool", vec![ForeignTool { original: "rm".to_owned(), ..tool("web", "open") }]),
        ("no server", Vec::new()),
    ];
    for (what, list) in changes {
        let (settings, servers) = given_settings(&place);
        let mut tools = toolbox(&settings, &servers);
        let arguments = to_arguments(json!({"n": 1}));
        let call = Call { id: "call-0", name: "open", arguments: &arguments };
        assert_eq!(tools.judge(call), Decision::Run, "{what}");
        *servers.tools.lock().unwrap() = list;
        let outcome = end(&mut tools, call);
        assert_eq!(code(&outcome), "tool.denied", "{what}: {outcome:?}");
        assert_eq!(*servers.calls.lock().unwrap(), Vec::<String>::new(), "{what}");
    }
    // A tool that appears after the model was asked was not offered.
    let (settings, servers) = given_settings(&place);
    let mut tools = toolbox(&settings, &servers);
    servers.tools.lock().unwrap().push(tool("web", "late"));
    assert_denied(&mut tools, &servers, "late", "late");
}

/// The name of a tool has one meaning: built-in tools keep theirs, also those that this version does not have.
#[test]
fn a_name_that_another_tool_has_is_not_offered() {
    let place = Place::new();
    let (settings, servers) = given_settings(&place);
    let names = ["fs_read", "kb_search", "agents_spawn", "open", "open"];
    *servers.tools.lock().unwrap() = names.map(|name| tool("web", name)).to_vec();
    let reader = Toolbox::new(Box::new(|| Ok(Vec::new())), supervisor());
    let mut tools = reader.with_foreign(Box::new(servers.clone()));
    let warnings = tools.configure(&settings);
    assert_eq!(warnings.len(), 4, "{warnings:?}");
    assert!(warnings[0].contains("`fs_read`") && warnings[0].contains("a built-in tool"), "{warnings:?}");
    assert_eq!(tools.configure(&settings), Vec::<String>::new());
    assert_eq!(offered_names(&tools), ["open"]);
    assert_eq!(tools.file_name("fs_read").as_deref(), Some("fs.read"));
    let outcome = call(&mut tools, "kb_search", json!({"n": 1}));
    assert_eq!(code(&outcome), "tool.denied");
    assert_eq!(*servers.calls.lock().unwrap(), Vec::<String>::new());
}

#[test]
fn arguments_are_checked_before_the_call() {
    let place = Place::new();
    let (settings, servers) = given_settings(&place);
    let mut tools = toolbox(&settings, &servers);
    for given in [json!({}), json!({"n": "1"}), json!("not JSON"), json!([1])] {
        let outcome = call(&mut tools, "open", given.clone());
        assert_eq!(code(&outcome), "args.invalid", "{given}: {outcome:?}");
    }
    assert_eq!(*servers.calls.lock().unwrap(), Vec::<String>::new());
}

/// A confirmation of the server, or of one tool, is asked for.
#[test]
fn a_call_that_a_person_confirms_does_not_reach_the_server_before() {
    let place = Place::new();
    for confirmed in ["mcp.web", "mcp.web.open"] {
        let (mut settings, servers) = given_settings(&place);
        settings.accepted.confirm = names(&[confirmed]);
        let mut tools = toolbox(&settings, &servers);
        let arguments = to_arguments(json!({"n": 1}));
        let open = Call { id: "call-0", name: "open", arguments: &arguments };
        assert_eq!(code(&end(&mut tools, open)), "tool.denied", "{confirmed}");
        let Decision::Ask(question) = tools.judge(open) else { panic!("{confirmed}") };
        assert_eq!(
            (question.title.as_str(), question.body.as_str()),
            ("run the tool `mcp.web.open`", "{\"n\":1}")
        );
        assert_eq!(*servers.calls.lock().unwrap(), Vec::<String>::new(), "{confirmed}");
        assert_eq!(code(&end(&mut tools, open)), "ok", "{confirmed}");
    }
}
