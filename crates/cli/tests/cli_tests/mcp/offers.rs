//! The offers of the server: tools, resources, prompts, completions, pages.

use serde_json::{Value, json};

use crate::mcp::session::{Session, TEAM, Workspace};

pub(crate) fn uris(session: &mut Session) -> Vec<String> {
    let (mut uris, mut cursor) = (Vec::new(), Value::Null);
    loop {
        let params = if cursor.is_null() { json!({}) } else { json!({"cursor": cursor}) };
        let mut page = session.ask("resources/list", params);
        let found = page["resources"].as_array().unwrap().iter();
        uris.extend(found.map(|resource| resource["uri"].as_str().unwrap().to_owned()));
        cursor = page["nextCursor"].take();
        if cursor.is_null() {
            return uris;
        }
    }
}

#[test]
fn every_tool_declares_its_effects() {
    let workspace = Workspace::with_team();
    let mut session = workspace.session(&[]);
    let list = session.ask("tools/list", json!({}));
    let tools = list["tools"].as_array().unwrap();
    assert!(tools.len() >= 4);
    for tool in tools {
        for hint in ["readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"] {
            assert!(tool["annotations"][hint].is_boolean(), "{tool}");
        }
        for schema in ["inputSchema", "outputSchema"] {
            assert_eq!(tool[schema]["type"], "object", "{tool}");
        }
        assert!(!tool["description"].as_str().unwrap().is_empty());
    }
}

#[test]
fn a_result_has_structured_content_and_text() {
    let workspace = Workspace::with_team();
    let mut session = workspace.session(&[]);
    let read = session.call("read_file", json!({"path": "src/a.txt"}));
    assert_eq!(read["structuredContent"]["content"], "one\n");
    assert_eq!(read["content"][1], json!({"type": "text", "text": "one\n"}));
    assert_eq!(read["isError"], false);
    let refused = session.call("read_file", json!({"path": "none"}));
    assert_eq!(refused["structuredContent"]["code"], "FILE_NOT_FOUND");
    assert!(refused["content"][0]["text"].as_str().unwrap().starts_with("FILE_NOT_FOUND: "));
    let refused = session.call("read_file", json!({"pth": "src/a.txt"}));
    assert_eq!(refused["structuredContent"]["code"], "INVALID_ARGS");
}

#[test]
fn resources_show_the_team_to_managers() {
    let workspace = Workspace::with_team();
    workspace.write(".minds/team.yaml", &TEAM.replace("toolsets: [ws_read]", "tooolsets: [ws_read]"));
    for args in [&[][..], &["--member", "lead"]] {
        let mut session = workspace.session(args);
        let team: Value = serde_json::from_str(&session.resource("minds://team")).unwrap();
        assert_eq!(team["members"][0]["id"], "lead");
        assert_eq!(team["members"][0]["fields"]["model"]["value"], "gpt-5.2");
        let coder: Value = serde_json::from_str(&session.resource("minds://team/coder")).unwrap();
        assert_eq!(coder["member"]["id"], "coder");
        let problems: Value = serde_json::from_str(&session.resource("minds://problems")).unwrap();
        let found = problems["diagnostics"].as_array().unwrap();
        assert!(found.iter().any(|one| one["message"] == "unknown key `tooolsets`"), "{found:?}");
    }
    let mut session = workspace.session(&["--member", "coder"]);
    let found = uris(&mut session);
    assert!(found.contains(&"minds://team/coder".to_owned()), "{found:?}");
    assert!(!found.iter().any(|uri| uri == "minds://team" || uri == "minds://team/lead"), "{found:?}");
    session.resource("minds://team/coder");
    for uri in ["minds://team", "minds://team/lead", "minds://problems"] {
        assert_eq!(session.error_code("resources/read", json!({"uri": uri})), -32002, "{uri}");
    }
}

#[test]
fn resources_show_schemas() {
    let workspace = Workspace::with_team();
    let mut session = workspace.session(&["--member", "coder"]);
    let schema: Value = serde_json::from_str(&session.resource("minds://schema/team")).unwrap();
    assert_eq!(schema["$schema"], "https://json-schema.org/draft/2020-12/schema");
    let templates = session.ask("resources/templates/list", json!({}));
    let templates: Vec<&str> = templates["resourceTemplates"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["uriTemplate"].as_str().unwrap())
        .collect();
    assert_eq!(
        templates,
        [
            "minds://team/{member}",
            "minds://member/{member}",
            "minds://task/{task}",
            "minds://manual/{+topic}",
            "minds://schema/{kind}"
        ]
    );
}

#[test]
fn every_resource_that_is_listed_can_be_read_and_no_other() {
    let workspace = Workspace::with_team();
    let mut session = workspace.session(&[]);
    for uri in uris(&mut session) {
        session.resource(&uri);
    }
    for uri in [
        "minds://team/",
        "minds://team/unknown",
        "minds://team/coder/x",
        "minds://team/%zz",
        "minds://schema/none",
        "minds://schema/../team",
        "minds://manual/no-such-topic-at-all",
        "minds://",
        "file:///etc/passwd",
        "",
    ] {
        let error = session.reply("resources/read", json!({"uri": uri}))["error"].take();
        assert_eq!((&error["code"], &error["data"]["uri"]), (&json!(-32002), &json!(uri)), "{error}");
    }
}

#[test]
fn secrets_of_the_files_are_not_shown() {
    let workspace = Workspace::with_team();
    let secret = format!("sk-{}", "a1B2c3D4e5F6g7H8".repeat(3));
    workspace.write(".minds/team.yaml", &TEAM.replace("lead:\n", &format!("lead:\n    name: {secret}\n")));
    let mut session = workspace.session(&[]);
    for uri in uris(&mut session) {
        assert!(!session.resource(&uri).contains(&secret), "{uri}");
    }
}

#[test]
fn long_lists_come_in_pages() {
    let workspace = Workspace::with_team();
    let many: String = (0..600).map(|number| format!("  m{number}: {{}}\n")).collect();
    workspace.write(".minds/team.yaml", &format!("{TEAM}{many}"));
    let mut session = workspace.session(&[]);
    let first = session.ask("resources/list", json!({}));
    assert!(first["resources"].as_array().unwrap().len() < 600);
    assert!(first["nextCursor"].is_string());
    let found = uris(&mut session);
    for number in 0..600 {
        let uri = format!("minds://team/m{number}");
        assert_eq!(found.iter().filter(|one| **one == uri).count(), 1, "{uri}");
    }
    // A cursor is valid only for its own list.
    let cursor = &first["nextCursor"];
    assert_eq!(session.error_code("tools/list", json!({"cursor": cursor})), -32602);
    for method in ["tools/list", "resources/list", "resources/templates/list", "prompts/list"] {
        for cursor in ["", "x", "100", "ffff"] {
            assert_eq!(session.error_code(method, json!({"cursor": cursor})), -32602, "{method} {cursor:?}");
        }
    }
}

#[test]
fn prompts_begin_the_common_jobs() {
    let workspace = Workspace::with_team();
    let mut session = workspace.session(&["--member", "lead"]);
    let list = session.ask("prompts/list", json!({}));
    let names: Vec<&str> =
        list["prompts"].as_array().unwrap().iter().map(|one| one["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["act-as-member", "set-up-team", "add-member", "review-access", "repair-team"]);
    let params = json!({"name": "add-member", "arguments": {"id": "tester", "role": "writes tests"}});
    let prompt = session.ask("prompts/get", params);
    let text = prompt["messages"][0]["content"]["text"].as_str().unwrap();
    assert!(text.contains("Id: tester\nRole: writes tests"), "{text}");
    assert_eq!(session.error_code("prompts/get", json!({"name": "add-member"})), -32602);
    assert_eq!(session.error_code("prompts/get", json!({"name": "none"})), -32602);
    assert_eq!(
        session.error_code("prompts/get", json!({"name": "repair-team", "arguments": {"x": "y"}})),
        -32602
    );
    assert_eq!(
        session.error_code("prompts/get", json!({"name": "repair-team", "arguments": {"x": 1}})),
        -32602
    );

    let mut session = workspace.session(&["--member", "coder"]);
    let list = session.ask("prompts/list", json!({}));
    assert_eq!(list["prompts"].as_array().unwrap().len(), 1);
    assert_eq!(list["prompts"][0]["name"], "act-as-member");
    assert_eq!(session.error_code("prompts/get", json!({"name": "repair-team"})), -32602);
}

#[test]
fn places_to_fill_in_are_suggested() {
    let workspace = Workspace::with_team();
    let mut session = workspace.session(&[]);
    let mut suggested = |reference: Value, name: &str, value: &str| {
        let params = json!({"ref": reference, "argument": {"name": name, "value": value}});
        session.ask("completion/complete", params)["completion"]["values"].clone()
    };
    let prompt = json!({"type": "ref/prompt", "name": "review-access"});
    assert_eq!(suggested(prompt.clone(), "member", "co"), json!(["coder"]));
    assert_eq!(suggested(prompt, "nothing", ""), json!([]));
    let schema = json!({"type": "ref/resource", "uri": "minds://schema/{kind}"});
    assert_eq!(suggested(schema, "kind", "t"), json!(["team", "team-compose"]));
}

#[test]
fn clients_without_a_handshake_are_served() {
    let workspace = Workspace::with_team();
    let mut session = workspace.open(&[]);
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let found = session.ask("server/discover", json!({"_meta": meta}));
    assert!(found["supportedVersions"].as_array().unwrap().contains(&json!("2026-07-28")), "{found}");
    let tools = session.ask("tools/list", json!({"_meta": meta}));
    assert!(!tools["tools"].as_array().unwrap().is_empty());
    // Without authentication, no further request is served.
    assert_eq!(session.error_code("tools/list", json!({})), -32602);
}
