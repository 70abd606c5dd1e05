//! Where a fleet is, and what its agents are started with.

use std::fs;
use std::path::{Path, PathBuf};

use minds_operations::{FleetOptions, FleetPlace, FleetTransport, FleetTuning, OperationError, open_fleet};
use serde_json::json;
use tempfile::TempDir;

const AGENT: &str = "name: zeus\nmodel: small\nprompt: {base: base.md, overlay: over.md}\n";
const MODELS: &str = "models:\n  small:\n    provider: scripted\n    context_window_size: 8000\n    default_inference: {temperature: 0.5}\n    model_settings: {script: answers.jsonl, api_key: hunter2}\n";

/// A workspace with one agent.
struct Workspace {
    folder: TempDir,
}

impl Workspace {
    fn new() -> Self {
        let workspace = Self { folder: tempfile::tempdir().unwrap() };
        workspace.write(".ateam/project.yaml", "{name: shop, retention_days: 30}\n");
        workspace.write(".ateam/models.yaml", MODELS);
        workspace.write("answers.jsonl", "");
        workspace.write(".ateam/agents/zeus/agent.yaml", AGENT);
        workspace.write(".ateam/agents/zeus/base.md", "You are Zeus.\n");
        workspace
    }

    fn path(&self, path: &str) -> PathBuf {
        self.folder.path().canonicalize().unwrap().join(path)
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.path(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn open(&self) -> FleetPlace {
        self.open_with(&FleetOptions::default()).unwrap()
    }

    fn open_with(&self, options: &FleetOptions<'_>) -> Result<FleetPlace, OperationError> {
        open_fleet(self.folder.path(), options)
    }
}

#[test]
fn an_agent_has_everything_that_it_is_started_with() {
    let workspace = Workspace::new();
    workspace.write(
        ".ateam/tools.yaml",
        "{tools: {deny: [fs.write]}, redact: ['tok-[0-9]+'], security: {require_bootstrap: true}}\n",
    );
    let place = workspace.open();
    assert_eq!((place.project.as_str(), place.has_files), ("shop", true));
    assert_eq!(place.workspace, workspace.path("").components().collect::<PathBuf>());
    assert_eq!(place.transport, FleetTransport::Local);
    assert_eq!(place.settings.retention_days, Some(30));
    assert_eq!(place.settings.redact, ["tok-[0-9]+"]);
    assert!(place.settings.requires_bootstrap);
    assert_eq!(place.settings.tuning, FleetTuning::default());
    let zeus = place.agent("zeus").unwrap();
    assert_eq!(zeus.id, "shop/zeus");
    assert_eq!(zeus.folder, workspace.path(".ateam/agents/zeus"));
    assert_eq!(zeus.state, workspace.path(".ateam/agents/zeus/state"));
    assert_eq!(zeus.cwd, place.workspace);
    let model = zeus.model.as_ref().unwrap();
    assert_eq!((model.id.as_str(), model.provider.as_deref()), ("small", Some("scripted")));
    assert_eq!(model.context_window_size, Some(8000));
    assert_eq!(json!(model.default_inference), json!({"temperature": 0.5}));
    assert_eq!(model.settings.expose()["api_key"], "hunter2");
    assert_eq!(model.script, Some(workspace.path("answers.jsonl")));
    let base = zeus.prompt.base.as_ref().unwrap();
    assert_eq!(base.text.as_deref(), Some("You are Zeus.\n"));
    let overlay = zeus.prompt.overlay.as_ref().unwrap();
    assert_eq!((&overlay.path, &overlay.text), (&workspace.path(".ateam/agents/zeus/over.md"), &None));
    assert!(zeus.given_tools.iter().any(|tool| tool.name == "fs.read"));
    assert!(zeus.given_tools.iter().all(|tool| tool.name != "fs.write"));
    let denied = zeus.tools.iter().find(|tool| tool.name == "fs.write").unwrap();
    assert_eq!((denied.is_given, denied.reason), (false, Some("denied by the project")));
    assert!(!format!("{place:?}").contains("hunter2"));
}

#[test]
fn the_transport_is_that_of_the_options_or_of_the_files() {
    let url = "redis://ann:hunter2@db:6379/1";
    for (transport, options, expected) in [
        ("", (false, None), "local"),
        ("{kind: redis}", (false, None), "redis://127.0.0.1:6379/0 mcp: None"),
        ("{kind: local, url: 'redis://a'}", (false, None), "local"),
        ("{url: 'redis://a'}", (false, None), "redis://a mcp: None"),
        ("{name: mine}", (false, None), "local"),
        (
            "{kind: redis, url: 'redis://a', prefix: 'p:', username: u}",
            (false, None),
            "redis://a p: Some(\"u\")",
        ),
        // The account of the files belongs to another server.
        (
            "{kind: redis, url: 'redis://a', prefix: 'p:', username: u}",
            (false, Some(url)),
            &format!("{url} p: None"),
        ),
        ("{kind: redis}", (true, Some(url)), "local"),
    ] {
        let workspace = Workspace::new();
        workspace.write(".ateam/tools.yaml", &format!("mcp: {{transport: {transport}}}\n"));
        let (is_local, redis) = options;
        let place = workspace.open_with(&FleetOptions { is_local, redis, project: None }).unwrap();
        let found = match &place.transport {
            FleetTransport::Local => "local".to_owned(),
            FleetTransport::Redis(server) => {
                format!("{} {} {:?}", server.url.expose(), server.prefix, server.username)
            }
        };
        assert_eq!(found, expected, "{transport} {options:?}");
        assert!(!format!("{place:?}").contains("hunter2"));
    }
}

#[test]
fn values_that_decide_where_the_fleet_is_must_be_readable() {
    for (transport, expected) in [
        ("{kind: zmq}", "`mcp.transport.kind` is not valid; run `minds check`"),
        ("{kind: redis, url: [a]}", "`mcp.transport.url` is not valid; run `minds check`"),
        (
            "{kind: redis, password: {env: NO_SUCH_VARIABLE}}",
            "`mcp.transport.password` refers to the environment variable `NO_SUCH_VARIABLE`, which is not set",
        ),
    ] {
        let workspace = Workspace::new();
        workspace.write(".ateam/tools.yaml", &format!("mcp: {{transport: {transport}}}\n"));
        let error = workspace.open_with(&FleetOptions::default()).unwrap_err();
        assert_eq!(error.to_string(), expected, "{transport}");
        assert_eq!(error.code().map(minds_fleet::ErrorCode::as_str), Some("config.invalid"));
    }
}

#[test]
fn a_fleet_is_identified_by_its_name_or_the_real_path() {
    let workspace = Workspace::new();
    let link = workspace
        .path("../link-")
        .with_file_name(format!("{}-link", workspace.folder.path().file_name().unwrap().to_str().unwrap()));
    std::os::unix::fs::symlink(workspace.folder.path(), &link).unwrap();
    let through_link = open_fleet(&link, &FleetOptions::default());
    fs::remove_file(&link).unwrap();
    let id = workspace.open().fleet_id;
    assert!(id.len() == 16 && id.bytes().all(|byte| byte.is_ascii_hexdigit()), "{id}");
    assert_eq!(through_link.unwrap().fleet_id, id);
    assert_ne!(Workspace::new().open().fleet_id, id);
    workspace.write(".ateam/tools.yaml", "mcp: {transport: {kind: local, name: ours}}\n");
    assert_eq!(workspace.open().fleet_id, "ours");
}

#[test]
fn errors_have_a_file_and_a_line() {
    let workspace = Workspace::new();
    workspace.write(".ateam/agents/zeus/agent.yaml", &AGENT.replace("small", "smal"));
    let place = workspace.open();
    let found: Vec<_> = place
        .problems
        .iter()
        .map(|problem| (problem.file.as_deref(), problem.line, problem.message.as_str()))
        .collect();
    assert_eq!(found[0].0, Some(".ateam/agents/zeus/agent.yaml"), "{found:?}");
    assert_eq!(found[0].1, Some(2), "{found:?}");
    assert!(found[0].2.contains("smal"), "{found:?}");
}

#[test]
fn a_directory_without_a_fleet_has_no_agents() {
    let folder = tempfile::tempdir().unwrap();
    let place = open_fleet(folder.path(), &FleetOptions::default()).unwrap();
    assert!(place.agents.is_empty() && place.problems.is_empty() && place.is_project_of_directory);
    assert!(open_fleet(&folder.path().join("none"), &FleetOptions::default()).is_err());
    let options = FleetOptions { project: Some("other"), ..FleetOptions::default() };
    assert_eq!(Workspace::new().open_with(&options).unwrap().agents[0].id, "other/zeus");
}

#[test]
fn the_working_directory_is_relative_to_the_workspace() {
    for (cwd, expected) in [("sub/dir", "sub/dir"), (".", "."), ("/tmp", "/tmp")] {
        let workspace = Workspace::new();
        workspace.write(".ateam/agents/zeus/agent.yaml", &format!("{AGENT}cwd: {cwd}\n"));
        let found = workspace.open().agent("zeus").unwrap().cwd.clone();
        assert_eq!(found, workspace.path("").join(Path::new(expected)), "{cwd}");
    }
}

#[test]
fn a_model_has_the_values_of_its_provider_unless_its_settings_replace_them() {
    let workspace = Workspace::new();
    workspace.write(
        ".minds/llm.yaml",
        "providers:\n  ours:\n    apiType: openai-compatible\n    baseUrl: https://llm.example/v1\n    apiKeyEnvVar: OUR_KEY\n",
    );
    workspace.write(
        ".ateam/models.yaml",
        "models:\n  a: {provider: ours}\n  b: {provider: ours, model_settings: {base_url: 'http://x', api_key_env: K}}\n  c: {provider: none}\n  d: {provider: scripted}\n",
    );
    let place = workspace.open();
    let found: Vec<_> = place
        .models
        .iter()
        .map(|model| {
            let [api, url, key] =
                [&model.api_type, &model.base_url, &model.key_variable].map(Option::as_deref);
            (model.id.as_str(), api, url, key)
        })
        .collect();
    let expected = [
        ("a", Some("openai-compatible"), Some("https://llm.example/v1"), Some("OUR_KEY")),
        ("b", Some("openai-compatible"), Some("http://x"), Some("K")),
        ("c", None, None, None),
        ("d", Some("scripted"), None, None),
    ];
    assert_eq!(found, expected);
    assert_eq!(place.agents[0].model.as_ref().unwrap().provider, None, "`small` is not defined");
}

#[test]
fn tuning_is_read_from_the_files() {
    let workspace = Workspace::new();
    workspace.write(".ateam/tools.yaml", "tuning: {tail_coalesce_ms: 7, history_max_bytes: x}\n");
    let expected = FleetTuning { tail_coalesce_ms: 7, ..FleetTuning::default() };
    assert_eq!(workspace.open().settings.tuning, expected);
}
