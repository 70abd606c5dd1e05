//! The agents of a compose root in the fleet of its workspace.

use std::fs;
use std::path::{Path, PathBuf};

use minds_fleet::model::EnginePermission;
use minds_operations::{
    FleetAgent, FleetEnvValue, FleetOptions, FleetPlace, FleetProblem, FleetProgram, open_fleet,
};
use tempfile::TempDir;

const FIXTURE: &str = "../../fixtures/workspaces/studio";

/// A copy of the fixture.
struct Studio {
    folder: TempDir,
}

impl Studio {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        copy(&Path::new(env!("CARGO_MANIFEST_DIR")).join(FIXTURE), folder.path());
        Self { folder }
    }

    fn path(&self, path: &str) -> PathBuf {
        self.folder.path().canonicalize().unwrap().join(path)
    }

    fn write(&self, path: &str, text: &str) {
        fs::write(self.path(path), text).unwrap();
    }

    fn replace(&self, path: &str, from: &str, to: &str) {
        let text = fs::read_to_string(self.path(path)).unwrap();
        assert!(text.contains(from), "{text}");
        self.write(path, &text.replace(from, to));
    }

    fn open(&self) -> FleetPlace {
        open_fleet(self.folder.path(), &FleetOptions::default()).unwrap()
    }
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let to = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &to);
        } else {
            fs::copy(entry.path(), to).unwrap();
        }
    }
}

const FILM: &str = ".team/projects/film.yaml";

fn ids(place: &FleetPlace) -> Vec<&str> {
    place.agents.iter().map(|agent| agent.id.as_str()).collect()
}

fn variable<'a>(agent: &'a FleetAgent, name: &str) -> &'a FleetEnvValue {
    let program = agent.program.as_ref().unwrap();
    &program.env.iter().find(|(known, _)| known == name).unwrap().1
}

fn text(value: &FleetEnvValue) -> &str {
    match value {
        FleetEnvValue::Literal(text) | FleetEnvValue::SecretLiteral(text) => text.expose(),
        FleetEnvValue::Variable(name) => panic!("the variable {name}"),
    }
}

/// Returns the permissions as `kind:permission`, without the kinds that are always equal.
fn permissions(agent: &FleetAgent) -> String {
    let permissions = &agent.program.as_ref().unwrap().permissions;
    for (kind, expected) in [
        ("read", EnginePermission::Allow),
        ("search", EnginePermission::Allow),
        ("think", EnginePermission::Allow),
        ("fetch", EnginePermission::Deny),
        ("other", EnginePermission::Deny),
    ] {
        assert_eq!(permissions[kind], expected, "{kind}");
    }
    let kinds = ["edit", "delete", "move", "execute", "switch_mode"];
    kinds.map(|kind| format!("{:?}", permissions[kind]).to_lowercase()).join(" ")
}

#[test]
fn agents_of_the_compose_root_follow_those_of_the_layers() {
    let studio = Studio::new();
    let place = studio.open();
    assert_eq!(ids(&place), ["studio/critic", "film/director", "film/cutter", "film/extra"]);
    assert_eq!((place.problems.as_slice(), place.unlisted.as_slice()), ([].as_slice(), [].as_slice()));
    // From a directory in the workspace the same agents are found.
    let inside = open_fleet(&studio.path(".team/projects"), &FleetOptions::default()).unwrap();
    assert_eq!((ids(&inside), &inside.fleet_id), (ids(&place), &place.fleet_id));
    assert!(place.agent("critic").is_some() && place.agent("cutter").is_none());

    let director = place.find("film/director").unwrap();
    assert!(director.is_of_compose_root && director.problem.is_none());
    assert_eq!(director.defined_in, ".team/projects/film.yaml:13");
    assert_eq!(director.state, studio.path(".team/state/fleet/film-director"));
    assert_eq!(director.cwd, place.workspace);
    assert_eq!(director.engine, "claude-code");
    assert_eq!(director.program.as_ref().unwrap().program, FleetProgram::Short("claude-code"));
    let base = director.prompt.base.as_ref().unwrap();
    assert_eq!(base.text.as_deref(), Some("Be brief.\n\n\n\u{2014}\n\nYou direct the film.\n"));
    assert_eq!(text(variable(director, "AGENT_ID")), "film:director");
    assert_eq!(text(variable(director, "CLAUDE_PROJECT_DIR")), place.workspace.to_str().unwrap());
    assert_eq!(text(variable(director, "TEAMCTL_ROOT")), studio.path(".team").to_str().unwrap());
    assert_eq!(director.model.as_ref().map(|model| model.id.as_str()), Some("large"));

    let cutter = place.find("film/cutter").unwrap();
    assert_eq!(cutter.prompt.base.as_ref().unwrap().text.as_deref(), Some("You cut the film.\n"));
    assert!(cutter.given_tools.is_empty() && cutter.tools.iter().all(|tool| !tool.is_given));
    assert!(cutter.rights.env.is_empty() && cutter.rights.whitelist.is_empty());
}

#[test]
fn values_with_the_form_of_a_secret_are_known() {
    let studio = Studio::new();
    studio.replace(
        FILM,
        "model: large",
        "# minds: allow(secret/url-credentials) a test\n    model: https://anna:sesame-street@models.example/large",
    );
    let place = studio.open();
    let director = place.find("film/director").unwrap();
    assert!(matches!(variable(director, "MODEL"), FleetEnvValue::SecretLiteral(_)));
    assert!(matches!(variable(director, "RUNTIME"), FleetEnvValue::Literal(_)));
    assert!(!format!("{:?}", director.program).contains("sesame-street"));
}

#[test]
fn permissions_follow_from_the_permission_mode() {
    let studio = Studio::new();
    let asks = "ask ask ask ask allow";
    for (runtime, mode, expected) in [
        ("claude-code", "plan", "deny deny deny deny deny"),
        ("claude-code", "default", asks),
        ("claude-code", "auto", asks),
        ("claude-code", "unheard-of", asks),
        ("claude-code", "acceptEdits", "allow ask ask ask allow"),
        ("claude-code", "bypassPermissions", "allow allow allow allow allow"),
        // Of other runtimes, the meaning of these modes is not known.
        ("gemini", "plan", "deny deny deny deny deny"),
        ("gemini", "acceptEdits", asks),
        ("gemini", "bypassPermissions", asks),
    ] {
        let studio = Studio::new();
        studio.replace(FILM, "runtime: claude-code", &format!("runtime: {runtime}"));
        studio.replace(FILM, "permission_mode: plan", &format!("permission_mode: {mode}"));
        let place = studio.open();
        assert_eq!(permissions(place.find("film/director").unwrap()), expected, "{runtime} {mode}");
    }
    assert_eq!(permissions(studio.open().find("film/cutter").unwrap()), asks);
}

#[test]
fn a_runtime_without_a_known_program_makes_its_agent_unavailable() {
    let place = Studio::new().open();
    let FleetProblem { file, line, message } = place.find("film/extra").unwrap().problem.clone().unwrap();
    assert_eq!((file.as_deref(), line), (Some(FILM), Some(29)));
    assert!(message.contains("runtime `puppet`") && message.contains("`opencode`"), "{message}");
    assert!(place.find("film/cutter").unwrap().problem.is_none());
}

#[test]
fn errors_of_the_compose_root_are_about_its_agents_only() {
    let studio = Studio::new();
    studio.replace(FILM, "reports_to: director\n  extra", "reports_to: ghost\n  extra");
    let place = studio.open();
    assert_eq!(ids(&place), ["studio/critic", "film/director", "film/cutter", "film/extra"]);
    assert!(place.problems.is_empty() && place.agent("critic").unwrap().problem.is_none());
    for agent in place.agents.iter().filter(|agent| agent.is_of_compose_root) {
        let problem = agent.problem.as_ref().unwrap();
        assert_eq!((problem.file.as_deref(), problem.line), (Some(FILM), Some(27)), "{problem:?}");
        assert!(problem.message.contains("minds check"), "{problem:?}");
    }
    // Nothing can be listed.
    studio.write(".team/team-compose.yaml", "version: 2\nprojects: {\n");
    let place = studio.open();
    assert_eq!(ids(&place), ["studio/critic"]);
    assert!(place.problems.is_empty());
    assert_eq!(place.unlisted[0].file.as_deref(), Some(".team/team-compose.yaml"));
    assert!(place.unlisted[0].line.is_some(), "{:?}", place.unlisted);
}

#[test]
fn an_id_that_both_define_is_an_error_with_both_files() {
    let studio = Studio::new();
    studio.write(".ateam/project.yaml", "name: film\n");
    studio.replace(FILM, "  cutter:\n", "  critic:\n");
    studio.replace(FILM, "can_dm: [cutter]", "can_dm: [critic]");
    let place = studio.open();
    assert_eq!(ids(&place), ["film/critic", "film/director", "film/extra"]);
    let problem = place.find("film/critic").unwrap().problem.as_ref().unwrap();
    assert_eq!(problem.file.as_deref(), Some(".ateam/agents/critic/agent.yaml"));
    assert!(problem.message.contains("`.team/projects/film.yaml:22`"), "{problem:?}");
    assert!(place.find("film/director").unwrap().problem.is_none());
}

#[test]
fn an_id_that_is_not_one_of_a_fleet_is_not_listed() {
    let studio = Studio::new();
    studio.replace(FILM, "  extra:\n", "  extra.two:\n");
    let place = studio.open();
    assert_eq!(ids(&place), ["studio/critic", "film/director", "film/cutter"]);
    let problem = &place.unlisted[0];
    assert_eq!((problem.file.as_deref(), problem.line), (Some(FILM), Some(28)), "{problem:?}");
    assert!(problem.message.contains("`film:extra.two`"), "{problem:?}");
}

#[test]
fn a_compose_root_alone_is_a_fleet() {
    let studio = Studio::new();
    fs::remove_dir_all(studio.path(".ateam")).unwrap();
    let place = studio.open();
    assert_eq!(ids(&place), ["film/director", "film/cutter", "film/extra"]);
    assert!(!place.has_files && place.problems.is_empty());
    // The compose root of a directory above belongs to another workspace.
    fs::create_dir_all(studio.path("inner/.ateam")).unwrap();
    let inner = open_fleet(&studio.path("inner"), &FleetOptions::default()).unwrap();
    assert_eq!(ids(&inner), Vec::<&str>::new());
}
