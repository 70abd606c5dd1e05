//! `minds gateway restart`

use serde_json::json;

use crate::gateway::{World, pid};

#[test]
fn a_server_is_restarted_in_all_gateways() {
    let world = World::with_servers();
    let (mut one, mut other) = (world.session(&[]), world.session(&["--member", "coder"]));
    let before = [pid(&mut one, "open_file"), pid(&mut other, "open_file")];
    let web = pid(&mut one, "fetch");
    let (code, document) = world.document(&["gateway", "restart", "files", "--json"]);
    assert_eq!((code, &document["server"]), (0, &json!("files")), "{document}");
    let gateways = document["gateways"].as_array().unwrap();
    assert_eq!(gateways.len(), 2);
    for gateway in gateways {
        assert_eq!(
            (&gateway["ok"], &gateway["state"], &gateway["tools"]),
            (&json!(true), &json!("ready"), &json!(2))
        );
        assert!(gateway.get("error").is_none());
    }
    let after = [pid(&mut one, "open_file"), pid(&mut other, "open_file")];
    assert!(before.iter().all(|pid| !after.contains(pid)));
    assert_eq!(pid(&mut one, "fetch"), web, "other servers stay");
    let (code, human, _) = world.run(&["gateway", "restart", "files"]);
    assert_eq!(code, 0);
    let lines: Vec<&str> = human.lines().collect();
    assert!(lines.len() == 2 && lines.iter().all(|line| line.ends_with(": restarted, 2 tools")), "{human}");
}

#[test]
fn a_restart_that_fails_keeps_what_worked() {
    let world = World::with_servers();
    let mut session = world.session(&[]);
    let before = pid(&mut session, "open_file");
    world.behave("files", &json!({"tools": ["open_file"], "fails": "list"}));
    let (code, document) = world.document(&["gateway", "restart", "files", "--json"]);
    let gateway = &document["gateways"][0];
    assert_eq!((code, &gateway["ok"], &gateway["tools"]), (1, &json!(false), &json!(2)), "{document}");
    assert!(gateway["error"].as_str().unwrap().contains("files fails at list"), "{gateway}");
    let (code, human, _) = world.run(&["gateway", "restart", "files"]);
    assert!(code == 1 && human.contains(": not restarted: "), "{human}");
    assert_eq!(pid(&mut session, "open_file"), before);
}

#[test]
fn without_a_gateway_a_restart_is_refused() {
    let world = World::with_servers();
    let (code, stdout, stderr) = world.run(&["gateway", "restart", "files"]);
    assert_eq!((code, stdout.as_str()), (1, ""));
    assert_eq!(stderr, "error[refused]: no gateway runs in this workspace; `minds mcp` starts one\n");
    let (code, document) = world.document(&["gateway", "restart", "files", "--json"]);
    assert_eq!((code, &document["gateways"]), (1, &json!([])));
    assert!(world.starts("files").is_empty());
}
