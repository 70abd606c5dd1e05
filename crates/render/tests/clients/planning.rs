//! What becomes of files that are there.

use std::collections::BTreeMap;

use minds_document::{FileMode, Snapshot, SnapshotEntry};
use minds_paths::{Location, MountId, WorkspacePath};
use minds_render::clients::{
    CLIENTS_FILE, Cleaning, Client, ClientPlan, ClientRecord, cleaning, found, plan,
};
use minds_render::{Item, Plan, State};

use super::servers;

pub(crate) const MCP: &str = "version: 1\nservers:\n  s:\n    transport: stdio\n    command: run\n  t:\n    transport: stdio\n    command: go\n";
const ONE: &str = "version: 1\nservers:\n  t:\n    transport: stdio\n    command: go\n";
pub(crate) const NONE: &str = "version: 1\nservers: {}\n";

/// The files of a workspace.
pub(crate) type Files = BTreeMap<String, String>;

fn snapshot(files: &Files) -> Snapshot {
    let mut snapshot = Snapshot::new();
    for (path, text) in files {
        let location = Location::new(MountId::WORKSPACE, WorkspacePath::parse(path).unwrap());
        let entry = SnapshotEntry::File { bytes: text.as_bytes().to_vec().into(), mode: FileMode::Regular };
        snapshot.insert(location, entry);
    }
    snapshot
}

pub(crate) fn planned(files: &Files, clients: &[Client], mcp: &str) -> ClientPlan {
    let there = snapshot(files);
    plan(&ClientRecord::of(&there), clients, &servers(mcp), &there)
}

pub(crate) fn cleaned(files: &Files) -> Cleaning {
    let there = snapshot(files);
    cleaning(&ClientRecord::of(&there), &there)
}

/// Does what a plan says, whatever has drifted.
pub(crate) fn apply(files: &mut Files, plan: &Plan) {
    for Item { path, after, .. } in plan.items() {
        match after {
            Some(bytes) => files.insert(path.to_string(), String::from_utf8(bytes.clone()).unwrap()),
            None => files.remove(path.as_str()),
        };
    }
}

fn states(plan: &Plan) -> Vec<(&str, State)> {
    plan.items().iter().map(|item| (item.path.as_str(), item.state)).collect()
}

#[test]
fn files_are_begun_kept_and_removed_for_every_client() {
    for client in Client::ALL {
        let mut files = Files::new();
        let first = planned(&files, &[client], MCP);
        let mut expected = [(client.file(), State::Created), (CLIENTS_FILE, State::Created)];
        assert_eq!(states(&first.plan), expected);
        apply(&mut files, &first.plan);
        assert!(!planned(&files, &[client], MCP).plan.would_change());

        expected = [(client.file(), State::Changed), (CLIENTS_FILE, State::Changed)];
        let fewer = planned(&files, &[client], ONE);
        assert_eq!(states(&fewer.plan), expected);
        apply(&mut files, &fewer.plan);
        assert_eq!(found(client, &files[client.file()], &["s", "t"]).unwrap().len(), 1);

        expected = [(client.file(), State::Stale), (CLIENTS_FILE, State::Stale)];
        let without = planned(&files, &[client], NONE);
        assert_eq!(states(&without.plan), expected);
        assert_eq!(states(&cleaned(&files).plan), expected);
        apply(&mut files, &without.plan);
        assert!(files.is_empty(), "{files:?}");
        assert!(planned(&files, &[client], NONE).plan.items().is_empty());
    }
}

#[test]
fn files_of_others_stay_with_what_others_wrote() {
    for client in Client::ALL {
        let text = if client == Client::Codex { "model = \"large\"\n" } else { "{\n  \"mine\": 1\n}\n" };
        let mut files = Files::from([(client.file().to_owned(), text.to_owned())]);
        let first = planned(&files, &[client], MCP);
        assert_eq!(states(&first.plan), [(client.file(), State::Changed), (CLIENTS_FILE, State::Created)]);
        apply(&mut files, &first.plan);
        let Cleaning { plan, taken, kept, .. } = cleaned(&files);
        assert_eq!(states(&plan), [(client.file(), State::Changed), (CLIENTS_FILE, State::Stale)]);
        assert_eq!(taken.values().flatten().count(), 2);
        assert!(kept.is_empty());
        apply(&mut files, &plan);
        let left = &files[client.file()];
        assert!(left.contains("mine") || left.contains("large"), "{left}");
        assert!(found(client, left, &["s", "t"]).unwrap().is_empty(), "{left}");
    }
}

#[test]
fn a_comment_keeps_a_file_that_was_begun() {
    for (client, comment) in [(Client::Codex, "# mine\n"), (Client::OpenCode, "// mine\n")] {
        let mut files = Files::new();
        let first = planned(&files, &[client], MCP);
        apply(&mut files, &first.plan);
        files.get_mut(client.file()).unwrap().insert_str(0, comment);
        assert!(!planned(&files, &[client], MCP).plan.would_change());
        let plan = cleaned(&files).plan;
        apply(&mut files, &plan);
        assert_eq!(files.keys().collect::<Vec<_>>(), [client.file()]);
        assert!(files[client.file()].starts_with(comment));
    }
}

/// A file that was begun for our servers goes with them, whatever is left of the place for them.
#[test]
fn a_file_that_was_begun_goes_also_if_somebody_took_the_servers_out() {
    for client in Client::ALL {
        let mut files = Files::new();
        let first = planned(&files, &[client], MCP);
        apply(&mut files, &first.plan);
        let empty = if client == Client::Codex { "\n" } else { " { }\n" };
        files.insert(client.file().to_owned(), empty.to_owned());
        let without = planned(&files, &[client], NONE);
        assert_eq!(states(&without.plan), [(client.file(), State::Stale), (CLIENTS_FILE, State::Stale)]);
        assert!(without.details.values().all(|detail| detail.after.is_none()));
        assert_eq!(states(&cleaned(&files).plan), states(&without.plan), "{client:?}");
    }
}

#[test]
fn the_manifest_is_in_the_order_of_clients_and_of_names() {
    let mcp =
        "version: 1\nservers:\n  z: {transport: stdio, command: z}\n  a: {transport: stdio, command: a}\n";
    let mut files = Files::new();
    for clients in [&[Client::OpenCode, Client::Gemini][..], &[Client::Codex, Client::ClaudeCode]] {
        let plan = planned(&files, clients, mcp).plan;
        apply(&mut files, &plan);
    }
    let manifest: serde_json::Value = serde_json::from_str(&files[CLIENTS_FILE]).unwrap();
    let listed = manifest["clients"].as_array().unwrap();
    let clients: Vec<&str> = listed.iter().map(|client| client["client"].as_str().unwrap()).collect();
    assert_eq!(clients, ["claude-code", "codex", "gemini", "opencode"]);
    for client in listed {
        let servers = client["servers"].as_array().unwrap();
        assert_eq!((&servers[0]["name"], &servers[1]["name"]), (&"a".into(), &"z".into()));
    }
    // One in another order says the same.
    let mut turned = manifest.clone();
    turned["clients"].as_array_mut().unwrap().reverse();
    for client in turned["clients"].as_array_mut().unwrap() {
        client["servers"].as_array_mut().unwrap().reverse();
    }
    assert_eq!(
        ClientRecord::parse(turned.to_string().as_bytes()),
        ClientRecord::parse(files[CLIENTS_FILE].as_bytes())
    );
}

/// A checkout may have other line breaks than were written, and somebody may have laid out the manifest.
#[test]
fn another_layout_of_all_files_is_no_change() {
    for client in Client::ALL {
        let mut files = Files::new();
        let first = planned(&files, &[client], MCP);
        apply(&mut files, &first.plan);
        for text in files.values_mut() {
            *text = text.replace('\n', "\r\n");
        }
        assert!(!planned(&files, &[client], MCP).plan.would_change(), "{client:?}");
        let manifest: serde_json::Value = serde_json::from_str(&files[CLIENTS_FILE]).unwrap();
        files.insert(CLIENTS_FILE.to_owned(), manifest.to_string());
        let again = planned(&files, &[client], MCP).plan;
        assert!(!again.would_change(), "{client:?}");
        apply(&mut files, &again);
        assert_eq!(files[CLIENTS_FILE], manifest.to_string());
        // Where it has to say something else, it is written anew.
        let fewer = planned(&files, &[client], ONE).plan;
        assert_eq!(fewer.items().last().unwrap().state, State::Changed, "{client:?}");
        assert!(cleaned(&files).plan.items().iter().all(|item| item.state == State::Stale), "{client:?}");
    }
}

#[test]
fn what_is_no_file_is_no_manifest() {
    let mut there = Snapshot::new();
    let path = WorkspacePath::parse(CLIENTS_FILE).unwrap();
    there.insert(Location::new(MountId::WORKSPACE, path), SnapshotEntry::Link { target: "x".to_owned() });
    assert_eq!(ClientRecord::of(&there), ClientRecord::Foreign);
    let planned = plan(&ClientRecord::of(&there), &[Client::Cursor], &servers(MCP), &there);
    assert!(planned.plan.changes(true).is_err());
}

#[test]
fn what_somebody_changed_has_drifted() {
    for client in Client::ALL {
        let mut files = Files::new();
        let first = planned(&files, &[client], MCP);
        apply(&mut files, &first.plan);
        let text = files.get_mut(client.file()).unwrap();
        *text = text.replace("\"run\"", "\"mine\"");
        for mcp in [MCP, ONE] {
            let again = planned(&files, &[client], mcp);
            assert_eq!(again.plan.items()[0].state, State::Drifted, "{client:?}");
            assert_eq!(again.details.values().flat_map(|detail| &detail.drifted).collect::<Vec<_>>(), ["s"]);
            assert!(again.plan.changes(false).is_err() && again.plan.changes(true).is_ok());
        }
        // What it became is what it is to be now, so nothing is lost.
        let wanted = MCP.replace("command: run", "command: mine");
        let adopted = planned(&files, &[client], &wanted);
        assert_eq!(
            states(&adopted.plan),
            [(client.file(), State::Unchanged), (CLIENTS_FILE, State::Changed)]
        );

        let Cleaning { plan, taken, kept, .. } = cleaned(&files);
        assert_eq!(taken.values().flatten().collect::<Vec<_>>(), ["t"]);
        assert_eq!(kept.values().flatten().collect::<Vec<_>>(), ["s"]);
        apply(&mut files, &plan);
        assert!(files[client.file()].contains("mine") && !files[client.file()].contains("go"));
        // It is still known to have been ours.
        let again = planned(&files, &[client], NONE);
        assert_eq!(again.plan.items()[0].state, State::Drifted, "{client:?}");
    }
}

#[test]
fn another_layout_is_no_change() {
    for (client, from, to) in [
        (Client::ClaudeCode, "\n", "\n\t "),
        (Client::VsCode, "\"command\"", "/* mine */ \"comm\\u0061nd\""),
        (Client::Codex, "command = \"run\"", "command   = 'run' # mine"),
    ] {
        let mut files = Files::new();
        let first = planned(&files, &[client], MCP);
        apply(&mut files, &first.plan);
        let text = files.get_mut(client.file()).unwrap();
        *text = text.replace(from, to);
        assert!(!planned(&files, &[client], MCP).plan.would_change(), "{client:?}");
        assert!(
            planned(&files, &[client], ONE).details.values().all(|detail| detail.drifted.is_empty()),
            "{client:?}"
        );
        assert!(cleaned(&files).kept.is_empty(), "{client:?}");
    }
}

#[test]
fn what_is_there_already_is_adopted_and_what_differs_is_not() {
    let text = "{\"mcpServers\": {\"s\": {\"command\": \"run\"}, \"t\": {\"command\": \"other\"}}}";
    let mut files = Files::from([(".cursor/mcp.json".to_owned(), text.to_owned())]);
    let first = planned(&files, &[Client::Cursor], MCP);
    assert_eq!(first.details.values().flat_map(|detail| &detail.drifted).collect::<Vec<_>>(), ["t"]);
    apply(&mut files, &first.plan);
    let plan = cleaned(&files).plan;
    apply(&mut files, &plan);
    // Somebody else began the file, so it stays.
    assert_eq!(
        files.into_iter().collect::<Vec<_>>(),
        [(".cursor/mcp.json".to_owned(), "{\"mcpServers\": {}}".to_owned())]
    );
}

#[test]
fn clients_that_are_not_asked_for_stay() {
    let mut files = Files::new();
    let both = [Client::Codex, Client::Gemini];
    let first = planned(&files, &both, MCP);
    apply(&mut files, &first.plan);
    let one = planned(&files, &[Client::Gemini], NONE);
    assert_eq!(states(&one.plan), [(".gemini/settings.json", State::Stale), (CLIENTS_FILE, State::Changed)]);
    apply(&mut files, &one.plan);
    assert!(!planned(&files, &[Client::Codex], MCP).plan.would_change());
}

#[test]
fn a_manifest_of_somebody_else_owns_nothing() {
    let mut files = Files::new();
    let first = planned(&files, &[Client::Cursor], MCP);
    apply(&mut files, &first.plan);
    let manifest = files[CLIENTS_FILE].replace("\"version\": 1", "\"version\": 2");
    files.insert(CLIENTS_FILE.to_owned(), manifest);
    let again = planned(&files, &[Client::Cursor], ONE);
    // The server that is no more is not known to be ours, so it stays.
    assert_eq!(states(&again.plan), [(".cursor/mcp.json", State::Unchanged), (CLIENTS_FILE, State::Drifted)]);
    assert!(cleaned(&files).plan.items().is_empty());
}

#[test]
fn what_is_no_text_is_refused_and_what_is_no_file_is_in_the_way() {
    let location = |path: &str| Location::new(MountId::WORKSPACE, WorkspacePath::parse(path).unwrap());
    let mut there = Snapshot::new();
    there.insert(
        location(".mcp.json"),
        SnapshotEntry::File { bytes: vec![b'{', 0xff, b'}'].into(), mode: FileMode::Regular },
    );
    there.insert(location("opencode.json"), SnapshotEntry::Link { target: "x".to_owned() });
    let record = ClientRecord::of(&there);
    let broken = plan(&record, &[Client::ClaudeCode], &servers(MCP), &there);
    assert!(broken.problems.has_errors());
    let linked = plan(&record, &[Client::OpenCode], &servers(MCP), &there);
    assert!(!linked.problems.has_errors());
    assert!(linked.plan.changes(true).is_err());
    // What was rendered stays known, though nothing can be taken out of what took its place.
    let mut files = Files::new();
    let first = planned(&files, &[Client::OpenCode], MCP);
    apply(&mut files, &first.plan);
    files.remove("opencode.json");
    let mut taken = snapshot(&files);
    taken.insert(location("opencode.json"), SnapshotEntry::Link { target: "x".to_owned() });
    let without = plan(&ClientRecord::of(&taken), &[Client::OpenCode], &servers(NONE), &taken);
    assert_eq!(states(&without.plan), [(CLIENTS_FILE, State::Unchanged)]);
    // Nobody who renders nothing is bothered.
    let nothing = plan(&record, &Client::ALL, &servers(NONE), &there);
    assert!(nothing.problems.is_empty() && nothing.plan.items().is_empty());
}
