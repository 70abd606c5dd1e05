//! An agent after all layers are put together: what is shown of it, and where it comes from.

use crate::support;

use minds_fleet::model::TransportKind;
use minds_fleet::{FleetFamily, home};

use support::{AGENT, WORKSPACE, find_codes, layer_snapshot};

/// An empty value is a value, so it is not replaced by the built-in one.
#[test]
fn empty_lists_have_a_place() {
    let files = [
        (WORKSPACE, "tools.yaml", "{tools: {deny: []}, redact: []}\n"),
        (
            WORKSPACE,
            "agents/zeus/agent.yaml",
            "{name: zeus, model: m, prompt: {base: a.md}, fs: {whitelist: []}, tools: {allow: [], deny: []}}\n",
        ),
        (home(), "models.yaml", "models: {m: {model_settings: {stop: []}}}\n"),
        (home(), "agents.yaml", "agents: [{id: hera, model: m, tools: []}]\n"),
    ];
    let family = FleetFamily::load(&layer_snapshot(&files)).value;
    for (agent, key, pointer) in [
        ("zeus", "tools.allow", "/tools/allow"),
        ("zeus", "tools.deny", "/tools/deny"),
        ("zeus", "fs.whitelist", "/fs/whitelist"),
        ("zeus", "project.tools.deny", "/tools/deny"),
        ("zeus", "redact", "/redact"),
        ("zeus", "models.m.model_settings.stop", "/models/m/model_settings/stop"),
        ("hera", "tools.allow", "/agents/0/id"),
    ] {
        let effective = family.effective(agent, "p").unwrap();
        let field = &effective.fields[key];
        let from: Vec<String> = field.from.iter().map(|node| node.pointer()).collect();
        assert_eq!((field.value.to_string(), from), ("[]".to_owned(), vec![pointer.to_owned()]), "{key}");
    }
}

/// Whatever is wrong with a file, nothing in it that may be a password is shown.
#[test]
fn passwords_are_redacted_in_every_notation() {
    let agent = "{name: zeus, model: m, prompt: {base: a.md}, mcp: {transport: {passwort: hunter2}}, password: hunter2}\n";
    for (tools, key) in [
        ("mcp: {transport: {password: hunter2}}\n", "mcp.transport.password"),
        ("mcp: {transport: {password: {vault: hunter2}}}\n", "mcp.transport.password"),
        ("mcp: {transport: {password: {hunter2: 1}}}\n", "mcp.transport.password"),
        ("mcp: {transport: {password: [hunter2]}}\n", "mcp.transport.password"),
        ("mcp: {transport: {passwort: hunter2}}\n", "mcp.transport.passwort"),
        ("mcp: {transport: {url: {password: hunter2}}}\n", "mcp.transport.url"),
        ("mcp: {transport: {username: [ann, hunter2]}}\n", "mcp.transport.username"),
        ("mcp: {transport: hunter2}\n", "mcp.transport"),
        ("mcp: [hunter2]\n", "mcp.transport"),
        ("mcp: {trasnport: {password: hunter2}}\n", "mcp.transport.trasnport"),
        ("mcp: {kind: redis, passwort: hunter2}\n", "mcp.transport.passwort"),
        ("security: {bootstrap_token: hunter2}\n", "security.bootstrap_token"),
        ("tools: {transport: {password: hunter2}}\n", "project.tools.transport.password"),
        ("redact: [{a: {password: hunter2}}]\n", "redact"),
    ] {
        for mount in [WORKSPACE, home()] {
            let files = [(mount, "tools.yaml", tools), (WORKSPACE, "agents/zeus/agent.yaml", agent)];
            let family = FleetFamily::load(&layer_snapshot(&files)).value;
            let zeus = family.effective("zeus", "p").unwrap();
            let field = &zeus.fields[key];
            assert!(field.value.to_string().contains("\"****\""), "{tools}");
            assert_eq!(field.from.len(), 1, "{tools}");
            let shown = format!(
                "{:?}",
                zeus.fields.iter().map(|(key, field)| (key, &field.value)).collect::<Vec<_>>()
            );
            assert!(!shown.contains("hunter2"), "{tools}: {shown}");
        }
    }
}

/// The file of an agent has no effect on keys that are not keys of an agent.
#[test]
fn an_agent_cannot_change_the_project() {
    let agent = "{name: zeus, model: m, prompt: {base: a.md}, project: {name: other}, models: {m: {provider: a}}, mcp: {transport: {url: 'redis://other'}}}\n";
    let family = FleetFamily::load(&layer_snapshot(&[(WORKSPACE, "agents/zeus/agent.yaml", agent)])).value;
    let zeus = family.effective("zeus", "p").unwrap();
    assert_eq!(zeus.fields["project.name"].value, "p");
    assert_eq!(zeus.fields["mcp.transport.kind"].value, "local");
    assert!(!zeus.fields.contains_key("mcp.transport.url"));
    assert!(!zeus.fields.contains_key("models.m.provider"));
}

/// They belong to the provider, whatever their keys look like.
#[test]
fn settings_of_a_model_are_shown_unchanged() {
    let files = [
        (WORKSPACE, "agents/zeus/agent.yaml", AGENT),
        (WORKSPACE, "agents/zeus/base.md", "a"),
        (
            WORKSPACE,
            "models.yaml",
            "models: {m: {model_settings: {x-trace: on, seed: ~, a: {}}, x-mine: 1}}\n",
        ),
        (
            home(),
            "models.yaml",
            "models: {m: {provider: a, context_window_size: 1, model_settings: {seed: ~, a: {x-b: ~}}}}\n",
        ),
    ];
    assert_eq!(find_codes(&layer_snapshot(&files)), Vec::<String>::new());
    let family = FleetFamily::load(&layer_snapshot(&files)).value;
    let zeus = family.effective("zeus", "p").unwrap();
    let shown: Vec<String> = zeus
        .fields
        .iter()
        .filter_map(|(key, field)| {
            let from: Vec<&str> = field.from.iter().map(|node| node.document().source().name()).collect();
            Some(format!("{} = {} ({})", key.strip_prefix("models.m.")?, field.value, from.join(", ")))
        })
        .collect();
    assert_eq!(
        shown,
        [
            "context_window_size = 1 (home:.ateam/models.yaml)",
            "model_settings.a.x-b = null (home:.ateam/models.yaml)",
            "model_settings.seed = null (.ateam/models.yaml)",
            "model_settings.x-trace = \"on\" (.ateam/models.yaml)",
            "provider = \"a\" (home:.ateam/models.yaml)",
        ]
    );
}

/// Tools run without the sandbox only if the project and the agent both allow it.
#[test]
fn unsafe_needs_the_project_and_the_agent() {
    for (project, agent, expected, places) in [
        ("{}", "{}", false, 0),
        ("{unsafe: true}", "{}", false, 0),
        ("{}", "{unsafe: true}", false, 0),
        ("{unsafe: true}", "{unsafe: true}", true, 2),
        ("{unsafe: false}", "{unsafe: true}", false, 1),
        ("{unsafe: true}", "{unsafe: false}", false, 1),
        ("{unsafe: 5}", "{unsafe: true}", false, 1),
    ] {
        let tools = format!("tools: {project}\n");
        let agent_file = format!("{{name: zeus, model: m, prompt: {{base: a.md}}, tools: {agent}}}\n");
        let files = [
            (WORKSPACE, "tools.yaml", tools.as_str()),
            (WORKSPACE, "agents/zeus/agent.yaml", agent_file.as_str()),
            (home(), "tools.yaml", "tools: {unsafe: false}\n"),
        ];
        // The home layer applies where the project sets nothing.
        let files = if project.contains("unsafe") { &files[..2] } else { &files[..] };
        let family = FleetFamily::load(&layer_snapshot(files)).value;
        let effective = family.effective("zeus", "p").unwrap();
        let field = &effective.fields["tools.unsafe"];
        let said_at_home = usize::from(!project.contains("unsafe"));
        let found = (field.value.clone(), field.from.len());
        assert_eq!(found, (expected.into(), places.max(said_at_home)), "{project} {agent}");
        assert!(!effective.fields.contains_key("project.tools.unsafe"));
    }
}

/// A value that comes from a variable is shown by the variable's name, and hides the URL that is built in.
#[test]
fn variables_of_the_transport_are_shown() {
    let tools = "mcp: {transport: {url: {env: BUS_URL}, username: ann, password: {env: BUS_PASSWORD}}}\n";
    let outer = "mcp: {transport: {url: 'redis://outer', password: hunter2}}\n";
    let agent = "{name: zeus, model: m, prompt: {base: a.md}}\n";
    let files = [
        (WORKSPACE, "tools.yaml", tools),
        (WORKSPACE, "agents/zeus/agent.yaml", agent),
        (home(), "tools.yaml", outer),
    ];
    let family = FleetFamily::load(&layer_snapshot(&files)).value;
    let effective = family.effective("zeus", "p").unwrap();
    let shown = |key: &str| effective.redacted_value(key).unwrap().to_string();
    assert_eq!(shown("mcp.transport.url"), r#"{"env":"BUS_URL"}"#);
    assert_eq!(shown("mcp.transport.password"), r#"{"env":"BUS_PASSWORD"}"#);
    assert_eq!(shown("mcp.transport.username"), r#""ann""#);
    assert!(!effective.fields.keys().any(|key| key.starts_with("mcp.transport.url.")));
}

/// Files that are older than the kind `local` mean a Redis server by its URL.
#[test]
fn the_kind_of_the_transport_follows_from_the_url() {
    for (near, far, kind, url) in [
        ("{}", "{}", Some("local"), None),
        ("mcp: {transport: {}}", "{}", Some("local"), None),
        ("mcp: {transport: {name: shared}}", "{}", Some("local"), None),
        ("mcp: {transport: {url: 'redis://a'}}", "{}", Some("redis"), Some("redis://a")),
        ("mcp: {url: 'redis://a'}", "{}", Some("redis"), Some("redis://a")),
        ("mcp: {transport: {kind: redis}}", "{}", Some("redis"), Some("redis://127.0.0.1:6379/0")),
        (
            "mcp: {transport: {kind: redis}}",
            "mcp: {transport: {url: 'redis://b'}}",
            Some("redis"),
            Some("redis://b"),
        ),
        (
            "mcp: {transport: {kind: local}}",
            "mcp: {transport: {url: 'redis://b'}}",
            Some("local"),
            Some("redis://b"),
        ),
        ("mcp: {transport: {url: 5}}", "{}", Some("redis"), Some("null")),
        ("mcp: {transport: {kind: zmq}}", "{}", None, None),
        ("mcp: {transport: 5}", "{}", None, None),
    ] {
        let agent = "{name: zeus, model: m, prompt: {base: a.md}}\n";
        let (near, far) = (format!("{near}\n"), format!("{far}\n"));
        let files = [
            (WORKSPACE, "tools.yaml", near.as_str()),
            (WORKSPACE, "agents/zeus/agent.yaml", agent),
            (home(), "tools.yaml", far.as_str()),
        ];
        let family = FleetFamily::load(&layer_snapshot(&files)).value;
        let zeus = family.effective("zeus", "p").unwrap();
        assert_eq!(zeus.transport_kind().map(TransportKind::as_str), kind, "{near}{far}");
        let shown = zeus.fields.get("mcp.transport.url").map(|field| field.value.as_str().unwrap_or("null"));
        assert_eq!(shown, url, "{near}{far}");
    }
}
