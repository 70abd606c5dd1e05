//! Notifications.

use minds_diagnostics::Severity;
use serde_json::{Value, json};

use crate::mcp::session::{TEAM, Workspace};
use crate::support::gateway::{problem, start_gateway};

const TOOLS: &str = "notifications/tools/list_changed";
const PROMPTS: &str = "notifications/prompts/list_changed";
const RESOURCES: &str = "notifications/resources/list_changed";

#[test]
fn clients_are_notified_of_changes_by_calls() {
    let workspace = Workspace::new(&[]);
    let mut session = workspace.session(&[]);
    session.ask("resources/subscribe", json!({"uri": "minds://team"}));
    session.ask("resources/subscribe", json!({"uri": "minds://problems"}));
    session.done("team_mgmt_create_new_file", json!({"path": ".minds/team.yaml", "content": TEAM}));
    session.hear(&[RESOURCES, "minds://team", "minds://problems"]);
    session.ask("ping", json!({}));
    assert!(session.notifications().is_empty(), "{:?}", session.notifications());
}

#[test]
fn clients_are_notified_of_changes_by_other_programs() {
    let workspace = Workspace::with_team();
    let mut session = workspace.session(&["--member", "reviewer"]);
    session.ask("resources/subscribe", json!({"uri": "minds://team/reviewer"}));
    workspace.write(".minds/team.yaml", &TEAM.replace("[ws_read]", "[team-mgmt]"));
    session.hear(&[TOOLS, PROMPTS, RESOURCES, "minds://team/reviewer"]);
    workspace.write(".minds/team.yaml", &TEAM.replace("  reviewer:\n    toolsets: [ws_read]\n", ""));
    session.hear(&[TOOLS, PROMPTS, RESOURCES, "minds://team/reviewer"]);
    assert_eq!(session.error_code("resources/subscribe", json!({"uri": "minds://team/reviewer"})), -32002);
}

#[test]
fn clients_are_notified_only_of_subscribed_resources() {
    let workspace = Workspace::with_team();
    let mut session = workspace.session(&[]);
    session.ask("resources/subscribe", json!({"uri": "minds://team/coder"}));
    session.ask("resources/subscribe", json!({"uri": "minds://team/lead"}));
    session.ask("resources/unsubscribe", json!({"uri": "minds://team/lead"}));
    let changed = TEAM
        .replace("  lead:\n", "  lead:\n    name: Lead\n")
        .replace("  coder:\n", "  coder:\n    name: Coder\n");
    workspace.write(".minds/team.yaml", &changed);
    session.hear(&["minds://team/coder"]);
    // A file that is not a resource causes no notification, and neither does reading.
    session.done("team_mgmt_create_new_file", json!({"path": ".minds/notes/x.txt", "content": "x"}));
    session.done("read_file", json!({"path": "src/a.txt"}));
    assert!(session.notifications().is_empty(), "{:?}", session.notifications());
}

#[test]
fn clients_are_notified_of_problems_of_gateways() {
    const PROBLEMS: &str = "minds://problems";
    let workspace = Workspace::with_team();
    let mut session = workspace.session(&["--member", "lead"]);
    session.ask("resources/subscribe", json!({"uri": PROBLEMS}));
    let gateway = start_gateway(workspace.home());
    let failed = problem(&["server_error"], "mcp/server-error", Severity::Error, "server `files` ended");
    gateway.publish(0, std::slice::from_ref(&failed)).unwrap();
    session.hear(&[PROBLEMS]);
    let content: Value = serde_json::from_str(&session.resource(PROBLEMS)).unwrap();
    assert_eq!(content["gateway_problems"][0]["id"], failed.id, "{content}");
    // The gateway is killed.
    drop(gateway);
    session.hear(&[PROBLEMS]);
    let content: Value = serde_json::from_str(&session.resource(PROBLEMS)).unwrap();
    assert_eq!(content["gateway_problems"], json!([]));
    assert!(session.notifications().is_empty(), "{:?}", session.notifications());
}

#[test]
fn a_client_of_the_newer_protocol_listens() {
    let workspace = Workspace::with_team();
    let mut session = workspace.open(&[]);
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let wanted = json!({"resourcesListChanged": true, "resourceSubscriptions": ["minds://team"]});
    let params = json!({"_meta": meta, "notifications": wanted});
    session
        .send(&json!({"jsonrpc": "2.0", "id": "listen", "method": "subscriptions/listen", "params": params}));
    session.hear(&["notifications/subscriptions/acknowledged"]);
    workspace.write(".minds/team.yaml", &format!("{TEAM}  tester: {{}}\n"));
    session.hear(&[RESOURCES, "minds://team"]);
    assert!(session.notifications().is_empty(), "{:?}", session.notifications());
    assert_eq!(session.end().code, 0);
}
