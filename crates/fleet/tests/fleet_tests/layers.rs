//! Several layers, as they come from disk.

use crate::support;

use minds_fleet::{FleetFamily, ancestor, home};
use minds_vfs::{Location, SnapshotEntry, WorkspacePath};

use support::{AGENT, WORKSPACE, find_codes, layer_snapshot};

#[test]
fn a_model_may_be_defined_in_several_layers() {
    let files = [
        (WORKSPACE, "agents/zeus/agent.yaml", AGENT),
        (WORKSPACE, "agents/zeus/base.md", "a"),
        (WORKSPACE, "models.yaml", "models: {m: {context_window_size: 5}}\n"),
        (home(), "models.yaml", "models: {m: {provider: openai, context_window_size: 9}, n: {}}\n"),
    ];
    assert_eq!(
        find_codes(&layer_snapshot(&files)),
        [
            "home:.ateam/models.yaml:1: schema/missing-key: `n` lacks the key `context_window_size`",
            "home:.ateam/models.yaml:1: schema/missing-key: `n` lacks the key `provider`",
        ]
    );
    let family = FleetFamily::load(&layer_snapshot(&files)).value;
    let zeus = family.effective("zeus", "p").unwrap();
    let field = |key: &str| {
        let field = &zeus.fields[key];
        let from: Vec<&str> = field.from.iter().map(|node| node.document().source().name()).collect();
        (field.value.to_string(), from)
    };
    assert_eq!(field("models.m.provider"), ("\"openai\"".to_owned(), vec!["home:.ateam/models.yaml"]));
    assert_eq!(field("models.m.context_window_size"), ("5".to_owned(), vec![".ateam/models.yaml"]));
    assert_eq!(field("project.name"), ("\"p\"".to_owned(), vec![]));
}

#[test]
fn the_agent_of_the_highest_layer_is_used_completely() {
    let files = [
        (WORKSPACE, "models.yaml", "models: {m: {provider: a, context_window_size: 1}}\n"),
        (
            WORKSPACE,
            "agents/zeus/agent.yaml",
            "{name: zeus, model: m, prompt: {base: base.md, overlay: over.md}}\n",
        ),
        (WORKSPACE, "agents/zeus/base.md", "high"),
        (ancestor(2), "agents/zeus/agent.yaml", "{name: other, model: gone, prompt: {base: x.md}}\n"),
        (ancestor(2), "agents/zeus/over.md", "low"),
        (home(), "agents/hera/agent.yaml", "{name: hera, model: gone, prompt: {base: base.md}}\n"),
        (home(), "agents/hera/base.md", "b"),
    ];
    // The overlay of the lower layer is hidden, and problems of its agent are not reported.
    assert_eq!(
        find_codes(&layer_snapshot(&files)),
        [
            ".ateam/agents/zeus/agent.yaml:1: fleet/missing-prompt: the overlay of the prompt does not exist: `.ateam/agents/zeus/over.md`",
            "ancestor-2:.ateam/agents/zeus/agent.yaml:1: fleet/shadowed-agent: the agent `zeus` of this layer is hidden",
            "home:.ateam/agents/hera/agent.yaml:1: fleet/unknown-model: unknown model `gone`",
        ]
    );
    let family = FleetFamily::load(&layer_snapshot(&files)).value;
    let layers: Vec<(&str, &str)> =
        family.agents().iter().map(|(name, (layer, _))| (*name, layer.mount.as_str())).collect();
    assert_eq!(layers, [("hera", "home"), ("zeus", "workspace")]);
}

#[test]
fn nothing_is_concluded_from_what_cannot_be_read() {
    let agent = [(WORKSPACE, "agents/zeus/agent.yaml", AGENT), (WORKSPACE, "agents/zeus/base.md", "a")];
    for (path, text, code) in [
        ("models.yaml", "models: [", "yaml/syntax"),
        ("models.yaml", "models: []\n", "schema/type"),
        ("models.yaml", "modles: {m: {}}\n", "schema/unknown-key"),
        ("models.yaml", "models: {<<: {m: {}}}\n", "schema/unknown-key"),
        ("models.yaml", "models: {}\n---\nmodels: {}\n", "yaml/several-documents"),
    ] {
        let files = [&agent[..], &[(home(), path, text)]].concat();
        let found = find_codes(&layer_snapshot(&files));
        assert!(found.len() == 1 && found[0].contains(code), "{text}: {found:?}");
    }
    let mut snapshot = layer_snapshot(&agent);
    let folder = Location::new(home(), WorkspacePath::parse(".ateam").unwrap());
    snapshot.insert(folder, SnapshotEntry::Unreadable { reason: "permission denied".into() });
    assert_eq!(
        find_codes(&snapshot),
        ["home:.ateam:1: file/unreadable: `home:.ateam` cannot be read: permission denied"]
    );
    let family = FleetFamily::load(&snapshot).value;
    let zeus = family.effective("zeus", "p").unwrap();
    // What cannot be read may deny.
    assert_eq!(zeus.given_tools().count(), 0);
}

#[test]
fn tool_lists_show_which_list_denies() {
    let files = [
        (WORKSPACE, "tools.yaml", "tools: {allow: [fs.read, os.exec]}\n"),
        (home(), "tools.yaml", "tools: {deny: [os.exec], allow: [fs.write]}\n"),
        (
            WORKSPACE,
            "agents/zeus/agent.yaml",
            "{name: zeus, model: m, prompt: {base: a.md}, tools: {allow: [fs.read, os.exec, fs.stat], deny: [slack.post]}}\n",
        ),
    ];
    let family = FleetFamily::load(&layer_snapshot(&files)).value;
    let zeus = family.effective("zeus", "p").unwrap();
    let shown: Vec<String> = zeus
        .tools
        .iter()
        .filter(|(name, _)| {
            ["fs.read", "fs.stat", "fs.write", "os.exec", "slack.post"].contains(&name.name())
        })
        .map(|(name, _)| format!("{name}: {}", zeus.why_not(name).unwrap_or("given")))
        .collect();
    assert_eq!(
        shown,
        [
            "fs.read: given",
            "fs.stat: not allowed by the project",
            "fs.write: not allowed by the agent",
            "os.exec: denied by the project",
            "slack.post: denied by the agent",
        ]
    );
    let Err(minds_fleet::tools::Denial::Denied(_, entry)) = zeus.tools.values().last().unwrap() else {
        panic!("it is denied")
    };
    assert_eq!(family.tool_entries().node_of(entry).unwrap().pointer(), "/tools/deny/0");
}

/// As written by the program that introduced the file: all keys exist, with null for missing values.
const OLDER_AGENTS: &str = "agents:
- created_at: null
  description: Leads the others
  enable_scratchpad: true
  enable_summarization: false
  grammar_file: null
  id: zeus
  max_tokens: null
  model: m
  name: Zeus
  prompts:
  - zeus_system.md
  schema_file: null
  temperature: null
  tools:
  - fs_read
  - create_agent
  - kb.search
  updated_at: '2025-03-04T05:06:07.000008'
";

#[test]
fn agents_of_an_older_file_are_read_as_they_were_written() {
    let files = [
        (WORKSPACE, "agents.yaml", OLDER_AGENTS),
        (
            WORKSPACE,
            "models.yaml",
            "models: {m: {provider: a, context_window_size: 1, model_settings: {}}}\n",
        ),
    ];
    assert_eq!(
        find_codes(&layer_snapshot(&files)),
        [
            ".ateam/agents.yaml:1: fleet/legacy-form: defining all agents in one file is an older form",
            ".ateam/agents.yaml:16: fleet/legacy-form: `fs_read` is an older name of a tool",
            ".ateam/agents.yaml:17: fleet/legacy-form: `create_agent` is an older name of a tool",
        ]
    );
    let family = FleetFamily::load(&layer_snapshot(&files)).value;
    let zeus = family.effective("zeus", "p").unwrap();
    assert_eq!(zeus.given_tools().map(ToString::to_string).collect::<Vec<_>>(), ["kb.search"]);
    let allowed = &zeus.fields["tools.allow"];
    assert_eq!(
        (allowed.value.to_string(), allowed.from[0].pointer()),
        ("[\"kb.search\"]".to_owned(), "/agents/0/tools/2".to_owned())
    );
    let settings = &zeus.fields["models.m.model_settings"];
    assert_eq!((settings.value.to_string(), settings.from.len()), ("{}".to_owned(), 1));
    // Other names without a dot are not older names.
    for tool in ["'*'", "Read", "'fs.*'", "5"] {
        let text = OLDER_AGENTS.replace("fs_read", tool);
        let errors = find_codes(&layer_snapshot(&[(WORKSPACE, "agents.yaml", &text), files[1].clone()]));
        assert!(!errors[1].contains("legacy-form"), "{tool}: {errors:?}");
    }
}

/// Merge keys are not expanded, so what they would bring along is not known: it may deny.
#[test]
fn lists_that_are_merged_in_deny() {
    let agent = |first: &str| format!("{{{first}name: zeus, model: m, prompt: {{base: base.md}}}}\n");
    for (tools, agent, given) in [
        ("{}\n", agent(""), 10),
        ("<<: {tools: {deny: [fs.read]}}\n", agent(""), 0),
        ("{}\n", agent("<<: {tools: {deny: [fs.read]}}, "), 0),
        ("{}\n", agent("<<: {}, tools: {allow: [fs.read], deny: []}, "), 1),
    ] {
        let files = [(WORKSPACE, "tools.yaml", tools), (WORKSPACE, "agents/zeus/agent.yaml", agent.as_str())];
        let family = FleetFamily::load(&layer_snapshot(&files)).value;
        assert_eq!(family.effective("zeus", "p").unwrap().given_tools().count(), given, "{tools}{agent}");
    }
}

#[test]
fn an_entry_that_is_not_a_directory_hides_the_agent_of_a_lower_layer() {
    let folder = || Location::new(WORKSPACE, WorkspacePath::parse(".ateam/agents/zeus").unwrap());
    let lower = [
        (WORKSPACE, "models.yaml", "models: {m: {provider: a, context_window_size: 1}}\n"),
        (home(), "agents/zeus/agent.yaml", AGENT),
        (home(), "agents/zeus/base.md", "a"),
    ];
    for entry in [
        SnapshotEntry::Link { target: "../../elsewhere".into() },
        SnapshotEntry::Unreadable { reason: "permission denied".into() },
    ] {
        let mut snapshot = layer_snapshot(&lower);
        snapshot.insert(folder(), entry);
        let family = FleetFamily::load(&snapshot).value;
        let agents = family.agents();
        assert_eq!(agents["zeus"].0.mount, WORKSPACE);
        assert!(agents["zeus"].1.content().is_none());
        assert_eq!(family.effective("zeus", "p").unwrap().given_tools().count(), 0);
        let found = find_codes(&snapshot);
        assert!(found[0].starts_with(".ateam/agents/zeus:1: file/unreadable"), "{found:?}");
        assert!(found[1].contains("fleet/shadowed-agent") && found.len() == 2, "{found:?}");
    }
}

#[test]
fn older_forms_are_merged_like_newer_ones() {
    let files = [
        (WORKSPACE, "tools.yaml", "mcp: {kind: redis, password: hunter2}\n"),
        (home(), "tools.yaml", "mcp: {transport: {url: 'redis://low'}}\n"),
        (WORKSPACE, "project.yaml", "retention: {days: 5}\n"),
        (home(), "project.yaml", "{retention_days: 9, name: low}\n"),
        (WORKSPACE, "agents.yaml", "agents: [{id: zeus, model: m, tools: [fs.read]}]\n"),
    ];
    let family = FleetFamily::load(&layer_snapshot(&files)).value;
    let zeus = family.effective("zeus", "p").unwrap();
    let shown: Vec<String> =
        zeus.fields.iter().map(|(key, field)| format!("{key} = {}", field.value)).collect();
    insta::assert_snapshot!(shown.join("\n"));
    assert_eq!(zeus.given_tools().map(ToString::to_string).collect::<Vec<_>>(), ["fs.read"]);
}
