//! `minds problems` with problems of validations and of gateways.

use std::fs;
use std::path::PathBuf;

use minds_diagnostics::Severity;
use minds_fs::Root;
use minds_state::problems::{Files, GatewayProblem, publish};
use minds_vfs::MountId;
use serde_json::Value;
use tempfile::TempDir;

use crate::support::gateway::{problem, start_gateway, state_folder};
use crate::support::{command, exit_and_output};

const TIME: u64 = 1_700_000_000_000;

/// A workspace, and its own home.
struct Place(TempDir);

impl Place {
    /// Creates a workspace with a problem, and its state folder.
    fn new() -> Self {
        let place = Self(tempfile::tempdir().unwrap());
        // Stops the search for a workspace in parent directories.
        fs::create_dir_all(place.root().join(".git")).unwrap();
        fs::create_dir_all(place.root().join(".minds")).unwrap();
        let team = "member_defaults: {provider: codex, model: gpt-5.2}\nmembers: {a: {toolsets: [nope]}}\n";
        fs::write(place.root().join(".minds/team.yaml"), team).unwrap();
        let validated = place.minds(&["tool", "call", "team_mgmt_validate_team_cfg"]);
        assert_eq!(validated.0, 0, "{validated:?}");
        place
    }

    fn root(&self) -> PathBuf {
        self.0.path().join("workspace")
    }

    fn home(&self) -> PathBuf {
        self.0.path().join("home")
    }

    fn minds(&self, args: &[&str]) -> (i32, String, String) {
        exit_and_output(&command(&self.root(), args).env("MINDS_HOME", self.home()).output().unwrap())
    }

    /// Validates the team again, at a fixed time.
    fn validate(&self) {
        let state = state_folder(&self.home());
        publish(&state, TIME, Files::Team, []).unwrap();
        let workspace = Root::open(&self.root(), MountId::WORKSPACE).unwrap();
        let checked = minds_workspace::check(&workspace.snapshot(&minds_workspace::team_scope()));
        publish(&state, TIME, Files::Team, &checked.diagnostics).unwrap();
    }
}

fn problems() -> Vec<GatewayProblem> {
    let failed = problem(&["server_error"], "mcp/server-error", Severity::Error, "server `files` ended");
    let hidden = "tool `rm -rf\u{1b}[2J` has an invalid name";
    vec![
        GatewayProblem { help: Some("run `minds gateway status files --start`".to_owned()), ..failed },
        problem(&["tool_blacklisted", "delete"], "mcp/tool-blacklisted", Severity::Warning, "tool `delete`"),
        problem(&["tool_not_whitelisted", "move"], "mcp/tool-not-whitelisted", Severity::Info, "tool `move`"),
        problem(
            &["tool_invalid_name", "rm -rf\u{1b}[2J"],
            "mcp/invalid-tool-name",
            Severity::Warning,
            hidden,
        ),
    ]
}

#[test]
fn problems_of_validations_and_gateways_are_listed_together() {
    let place = Place::new();
    fs::remove_file(state_file(&place)).unwrap();
    place.validate();
    let gateway = start_gateway(&place.home());
    gateway.publish(TIME + 1_000, &problems()).unwrap();
    let mut rest = problems();
    rest.remove(2);
    gateway.publish(TIME + 2_000, &rest).unwrap();
    let (code, open, summary) = place.minds(&["problems"]);
    assert_eq!((code, summary.as_str()), (0, "minds: 4 problems, 1 resolved\n"));
    insta::assert_snapshot!("open", open);
    insta::assert_snapshot!("all", place.minds(&["problems", "--all"]).1);
    let (code, document, _) = place.minds(&["problems", "--format", "json"]);
    assert_eq!((code, document.matches('\n').count()), (0, 1));
    let document: Value = serde_json::from_str(&document).unwrap();
    insta::assert_snapshot!("json", serde_json::to_string_pretty(&document).unwrap());
}

#[test]
fn the_problems_of_an_ended_gateway_are_resolved() {
    let place = Place::new();
    let gateway = start_gateway(&place.home());
    gateway.publish(TIME, &problems()).unwrap();
    assert_eq!(place.minds(&["problems"]).2, "minds: 5 problems, 0 resolved\n");
    // It does not say so itself.
    drop(gateway);
    let (_, open, summary) = place.minds(&["problems"]);
    assert!(open.contains("unknown toolset") && !open.contains("mcp gateway"), "{open}");
    assert_eq!(summary, "minds: 1 problem, 4 resolved\n");
    let all = place.minds(&["problems", "--all"]).1;
    assert_eq!(all.matches("mcp gateway: ").count(), 4, "{all}");
    assert_eq!(place.minds(&["problems", "--all"]).1, all);
}

fn state_file(place: &Place) -> PathBuf {
    let folder = fs::read_dir(place.home().join("state")).unwrap().next().unwrap().unwrap();
    folder.path().join("problems.json")
}
