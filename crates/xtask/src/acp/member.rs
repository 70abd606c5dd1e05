//! A real opencode that is a member of the team.

use serde_json::{Value, json};

use super::Programs;
use super::model::call;
use super::place::{Place, Setup};
use super::policy::{CANARY, expect_effects};

pub(super) const TEAM: &str =
    "members:\n  writer:\n    toolsets: [ws_mod]\n    write_dirs: [drafts]\n    no_read_dirs: [secret]\n";

/// opencode has the tools of its member, which apply the access lists outside of the sandbox, and no files itself.
pub(super) fn run(programs: &Programs) -> Result<String, String> {
    let keys = "tools: {allow: [fs.read, fs.write, os.exec]}\nmember: writer\n";
    let place = Place::new(programs, Setup { engine: "opencode", keys, writes_home: false })?;
    place.write(".minds/team.yaml", TEAM)?;
    place.write("secret/canary.txt", CANARY)?;
    place.start()?;
    let own = expect_effects(&place, &[])?;
    let perform = |tool: &str, arguments: Value| place.perform(&call(&format!("minds_{tool}"), &arguments));
    perform("create_new_file", json!({ "path": "drafts/a.md", "content": "one\n" }))?;
    perform("create_new_file", json!({ "path": "printed/a.md", "content": "one\n" }))?;
    perform("read_file", json!({ "path": "secret/canary.txt" }))?;
    let exists = |path: &str| place.workspace().join(path).exists();
    if !exists("drafts/a.md") || exists("printed") || place.model.has_seen(CANARY) {
        return Err(format!(
            "the access lists do not hold: tools {:?}\n{}",
            place.model.tools(),
            place.describe()
        ));
    }
    if !place.model.has_seen("ACCESS_DENIED") {
        return Err(format!("the tools of the member did not refuse\n{}", place.describe()));
    }
    // Planned changes are in the state folder of the workspace, which the sandbox does not give.
    perform("preview_file_append", json!({ "path": "drafts/a.md", "content": "two" }))?;
    if !place.model.has_seen("apply_file_modification") || !place.model.has_seen("hunk_id") {
        return Err(format!("a change cannot be planned\n{}", place.describe()));
    }
    place.stop()?;
    Ok(format!(
        "{own} own tools have no effect, and 4 calls of tools of the member are as its access lists say"
    ))
}
