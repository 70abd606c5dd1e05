//! Members of the team, whose access lists bound the files of an agent as well.

use std::sync::{Arc, Mutex};

use minds_agent_tools::{Call, Decision, FileAccess, MemberRights, ToolOutcome, Toolbox};
use serde_json::{Value, json};

use crate::support::{Place, call, code, end, names, settings, supervisor, to_arguments, value};

/// The folder of a member, who may access everything in it.
struct OneFolder(String);

impl MemberRights for OneFolder {
    fn check(&self, access: FileAccess, path: &str) -> Result<(), String> {
        let is_below = path.trim_end_matches('/') == self.0 || path.starts_with(&format!("{}/", self.0));
        if is_below { Ok(()) } else { Err(format!("no entry allows to {access:?} it")) }
    }

    fn has_server_tool(&self, _: &str, _: &str) -> bool {
        false
    }
}

/// A member that may access everything in a folder but the canary.
struct WithoutCanary(String);

impl MemberRights for WithoutCanary {
    fn check(&self, _: FileAccess, path: &str) -> Result<(), String> {
        if path.starts_with(&self.0) && !path.contains("canary") { Ok(()) } else { Err("no".to_owned()) }
    }

    fn has_server_tool(&self, _: &str, _: &str) -> bool {
        false
    }
}

/// The team: the folder that each member may access, or why it cannot be read.
type Team = Arc<Mutex<Result<Vec<(&'static str, String)>, &'static str>>>;

/// Returns the tools of an agent with these members, whose team can change.
fn tools(place: &Place, members: &[&str], team: &Team) -> Toolbox<'static> {
    let mut policy = place.policy();
    policy.members = names(members);
    let team = Arc::clone(team);
    let reader = move |id: &str| {
        let team = team.lock().unwrap();
        let folders = team.as_ref().map_err(|reason| (*reason).to_owned())?;
        let found = folders.iter().find(|(name, _)| *name == id);
        let (_, folder) = found.ok_or("no such member")?;
        Ok(Box::new(OneFolder(folder.clone())) as Box<dyn MemberRights>)
    };
    let mut tools = Toolbox::new(Box::new(|| Ok(Vec::new())), supervisor()).with_members(Box::new(reader));
    tools.configure(&settings(&policy));
    tools
}

fn team(place: &Place, members: &[(&'static str, &str)]) -> Team {
    let folders = members.iter().map(|(name, folder)| (*name, place.text(folder)));
    Arc::new(Mutex::new(Ok(folders.collect())))
}

/// Returns each call that shows the canary or has an effect, with the path in its place.
fn calls(path: &str) -> Vec<(&'static str, Value)> {
    vec![
        ("fs_read", json!({"path": path})),
        ("fs_stat", json!({"path": path})),
        ("fs_list", json!({"path": path})),
        ("fs_write", json!({"path": path, "content": "effect"})),
        ("fs_write", json!({"path": format!("{path}/new/file"), "content": "effect", "create_dirs": true})),
    ]
}

#[track_caller]
fn assert_denied(outcome: &ToolOutcome, what: &str) {
    assert_eq!(code(outcome), "tool.denied", "{what}: {outcome:?}");
    assert!(!outcome.content.contains("canary"), "{what}: {outcome:?}");
}

/// The agent and each member must permit a path, as it was asked for and as it is.
#[test]
fn each_member_must_permit_a_path() {
    let place = Place::new();
    place.write("work/a/own", "text");
    place.write("work/b/secret", "canary");
    std::os::unix::fs::symlink("../b/secret", place.path("work/a/link")).unwrap();
    std::os::unix::fs::symlink("../b", place.path("work/a/folder")).unwrap();
    std::os::unix::fs::symlink("a/own", place.path("work/elsewhere")).unwrap();
    let team = team(&place, &[("ann", "work/a"), ("ben", "work"), ("cay", "data")]);
    let permitted = [(&["ann"][..], "a/own"), (&["ann", "ben"], "a/own"), (&["ben"], "b/secret")];
    for (members, path) in permitted {
        let mut tools = tools(&place, members, &team);
        let read = call(&mut tools, "fs_read", json!({"path": path}));
        assert_eq!(code(&read), "ok", "{members:?}, {path}: {read:?}");
    }
    let denied = [
        (&["ann"][..], "b/secret"),
        (&["ann"], "a/../b/secret"),
        (&["ann"], "a/link"),
        (&["ann"], "a/folder/secret"),
        (&["ann"], "elsewhere"),
        (&["ann"], "."),
        (&["ann", "ben"], "b/secret"),
        (&["ann", "cay"], "a/own"),
        (&["dan"], "a/own"),
        (&["ann", "dan"], "a/own"),
    ];
    for (members, path) in denied {
        for (name, arguments) in calls(path) {
            let what = format!("{members:?}: {name} {arguments}");
            let mut tools = tools(&place, members, &team);
            let judged = call(&mut tools, name, arguments.clone());
            // A caller that does not ask gains nothing.
            let given = to_arguments(arguments.clone());
            let unasked = Call { id: "call-1", name, arguments: &given };
            for outcome in [judged, end(&mut tools, unasked)] {
                assert!(!outcome.is_ok && !outcome.content.contains("canary"), "{what}: {outcome:?}");
                // The kind of a file at the other end of a link may be what is wrong first.
                let is_first =
                    path.starts_with("a/") && (name == "fs_list" || arguments["create_dirs"] == true);
                assert!(is_first || code(&outcome) == "tool.denied", "{what}: {outcome:?}");
            }
            assert_eq!(place.read("work/b/secret"), "canary", "{what}");
            assert_eq!(place.read("work/a/own"), "text", "{what}");
            assert!(!place.path("work/b/new").exists() && !place.path("work/a/new").exists(), "{what}");
        }
    }
    // A new file below a link of which the member may only access the name.
    let mut tools = tools(&place, &["ann"], &team);
    let created = json!({"path": "a/folder/new/file", "content": "effect", "create_dirs": true});
    assert_denied(&call(&mut tools, "fs_write", created), "create_dirs");
    assert!(!place.path("work/b/new").exists());
}

/// What a member may not read is not named in a list, and only counted.
#[test]
fn lists_name_what_each_member_may_read() {
    let place = Place::new();
    place.write("work/a/own", "text");
    place.write("work/canary", "text");
    let mut policy = place.policy();
    policy.members = names(&["ann"]);
    let folder = place.text("work");
    let reader = move |_: &str| Ok(Box::new(WithoutCanary(folder.clone())) as Box<dyn MemberRights>);
    let mut tools = Toolbox::new(Box::new(|| Ok(Vec::new())), supervisor()).with_members(Box::new(reader));
    tools.configure(&settings(&policy));
    let listed = value(&call(&mut tools, "fs_list", json!({"path": "."})));
    assert_eq!(
        (listed["entries"].as_array().unwrap().len(), &listed["left_out"]),
        (1, &json!(1)),
        "{listed}"
    );
    assert_eq!(listed["entries"][0]["name"], "a");
}

/// The team is read again for each call: what it no longer permits is denied, and what cannot be read permits nothing.
#[test]
fn the_team_is_read_for_each_call() {
    let place = Place::new();
    place.write("work/a/own", "canary");
    let team = team(&place, &[("ann", "work/a")]);
    let mut tools = tools(&place, &["ann"], &team);
    let write = json!({"path": "a/new", "content": "effect"});
    let arguments = to_arguments(write.clone());
    let call_of = Call { id: "call-0", name: "fs_write", arguments: &arguments };
    let changes: [Result<Vec<(&'static str, String)>, &'static str>; 3] =
        [Ok(vec![("ann", place.text("data"))]), Ok(Vec::new()), Err("it cannot be read")];
    for change in changes {
        // Between the decision and the call.
        assert_eq!(tools.judge(call_of), Decision::Run);
        let before = std::mem::replace(&mut *team.lock().unwrap(), change);
        assert_denied(&end(&mut tools, call_of), "write");
        assert_denied(&call(&mut tools, "fs_read", json!({"path": "a/own"})), "read");
        assert_eq!(place.read("work/a/new"), "none");
        *team.lock().unwrap() = before;
    }
    assert_eq!(code(&call(&mut tools, "fs_write", write)), "ok");
}

/// Without a way to read the team, a member permits nothing.
#[test]
fn a_member_without_a_team_permits_nothing() {
    let place = Place::new();
    place.write("work/file", "canary");
    let mut policy = place.policy();
    policy.members = names(&["ann"]);
    let mut tools = crate::support::toolbox(&settings(&policy));
    for (name, arguments) in calls("file") {
        assert_denied(&call(&mut tools, name, arguments), name);
    }
}

/// A sandbox cannot be as narrow as access lists, so no command runs; also if only the accepted policy has a member.
#[test]
fn commands_do_not_run_for_a_member() {
    let place = Place::new();
    let team = team(&place, &[("ann", "work")]);
    for (in_files, in_accepted) in [(true, true), (true, false), (false, true)] {
        let mut settings = place.settings();
        for (is_set, policy) in [(in_files, &mut settings.files), (in_accepted, &mut settings.accepted)] {
            if is_set {
                policy.members = names(&["ann"]);
            }
        }
        let mut tools = tools(&place, &["ann"], &team);
        tools.configure(&settings);
        assert!(!tools.offers().iter().any(|offer| offer.name == "os_exec"));
        let outcome = call(&mut tools, "os_exec", json!({"cmd": "touch effect", "unsafe": true}));
        assert_denied(&outcome, "os_exec");
        assert!(outcome.content.contains("access lists of the member `ann`"), "{outcome:?}");
        assert_eq!(place.read("work/effect"), "none");
    }
}
