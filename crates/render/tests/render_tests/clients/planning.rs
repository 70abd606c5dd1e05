//! Plans for existing files.

use std::collections::BTreeMap;

use minds_render::clients::{
    CLIENTS_FILE, Cleanup, Client, ClientPlan, ClientRecord, find_servers, plan, plan_cleanup,
};
use minds_render::{Item, Plan, State};
use minds_vfs::{FileMode, Location, MountId, Snapshot, SnapshotEntry, WorkspacePath};

use super::{picture, servers};

pub(crate) const MCP: &str = "version: 1\nservers:\n  s:\n    transport: stdio\n    command: run\n  t:\n    transport: stdio\n    command: go\n";
const ONE: &str = "version: 1\nservers:\n  t:\n    transport: stdio\n    command: go\n";
pub(crate) const NONE: &str = "version: 1\nservers: {}\n";

/// The files of a workspace.
pub(crate) type Files = BTreeMap<String, String>;

pub(crate) fn snapshot(files: &Files) -> Snapshot {
    let mut snapshot = Snapshot::new();
    for (path, text) in files {
        let location = Location::new(MountId::WORKSPACE, WorkspacePath::parse(path).unwrap());
        let entry = SnapshotEntry::File { bytes: text.as_bytes().to_vec().into(), mode: FileMode::Regular };
        snapshot.insert(location, entry);
    }
    snapshot
}

pub(crate) fn make_plan(files: &Files, clients: &[Client], mcp: &str) -> ClientPlan {
    plan_all(&snapshot(files), clients, mcp)
}

/// Plans the files of clients and the manifest.
fn plan_all(there: &Snapshot, clients: &[Client], mcp: &str) -> ClientPlan {
    let record = ClientRecord::of(there);
    let mut made = plan(&record, clients, &servers(mcp), there);
    made.add_manifest(&record, there);
    made
}

pub(crate) fn clean(files: &Files) -> Cleanup {
    let there = snapshot(files);
    let record = ClientRecord::of(&there);
    let mut cleanup = plan_cleanup(&record, &there);
    cleanup.add_manifest(&record, &there);
    cleanup
}

/// Applies a plan, also to drifted files.
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
fn files_are_created_kept_and_removed_for_every_client() {
    for client in Client::ALL {
        let mut files = Files::new();
        let first = make_plan(&files, &[client], MCP);
        let mut expected = [(client.file(), State::Created), (CLIENTS_FILE, State::Created)];
        assert_eq!(states(&first.plan), expected);
        apply(&mut files, &first.plan);
        assert!(!make_plan(&files, &[client], MCP).plan.would_change());

        expected = [(client.file(), State::Changed), (CLIENTS_FILE, State::Changed)];
        let fewer = make_plan(&files, &[client], ONE);
        assert_eq!(states(&fewer.plan), expected);
        apply(&mut files, &fewer.plan);
        assert_eq!(find_servers(client, &files[client.file()], &["s", "t"]).unwrap().len(), 1);

        expected = [(client.file(), State::Stale), (CLIENTS_FILE, State::Stale)];
        let without = make_plan(&files, &[client], NONE);
        assert_eq!(states(&without.plan), expected);
        assert_eq!(states(&clean(&files).plan), expected);
        apply(&mut files, &without.plan);
        assert!(files.is_empty(), "{files:?}");
        assert!(make_plan(&files, &[client], NONE).plan.items().is_empty());
    }
}

#[test]
fn foreign_contents_are_kept_for_every_client() {
    for client in Client::ALL {
        let text = if client == Client::Codex { "model = \"large\"\n" } else { "{\n  \"mine\": 1\n}\n" };
        let mut files = Files::from([(client.file().to_owned(), text.to_owned())]);
        let first = make_plan(&files, &[client], MCP);
        assert_eq!(states(&first.plan), [(client.file(), State::Changed), (CLIENTS_FILE, State::Created)]);
        apply(&mut files, &first.plan);
        let Cleanup { plan, taken, kept, .. } = clean(&files);
        assert_eq!(states(&plan), [(client.file(), State::Changed), (CLIENTS_FILE, State::Stale)]);
        assert_eq!(taken.values().flatten().count(), 2);
        assert!(kept.is_empty());
        apply(&mut files, &plan);
        let left = &files[client.file()];
        assert!(left.contains("mine") || left.contains("large"), "{left}");
        assert!(find_servers(client, left, &["s", "t"]).unwrap().is_empty(), "{left}");
    }
}

#[test]
fn a_created_file_with_a_comment_is_kept() {
    for (client, comment) in [(Client::Codex, "# mine\n"), (Client::OpenCode, "// mine\n")] {
        let mut files = Files::new();
        let first = make_plan(&files, &[client], MCP);
        apply(&mut files, &first.plan);
        files.get_mut(client.file()).unwrap().insert_str(0, comment);
        assert!(!make_plan(&files, &[client], MCP).plan.would_change());
        let plan = clean(&files).plan;
        apply(&mut files, &plan);
        assert_eq!(files.keys().collect::<Vec<_>>(), [client.file()]);
        assert!(files[client.file()].starts_with(comment));
    }
}

/// A file that was created for our servers is removed with them, even if their object is already gone.
#[test]
fn a_created_file_is_removed_even_if_its_servers_were_removed_by_hand() {
    for client in Client::ALL {
        let mut files = Files::new();
        let first = make_plan(&files, &[client], MCP);
        apply(&mut files, &first.plan);
        let empty = if client == Client::Codex { "\n" } else { " { }\n" };
        files.insert(client.file().to_owned(), empty.to_owned());
        let without = make_plan(&files, &[client], NONE);
        assert_eq!(states(&without.plan), [(client.file(), State::Stale), (CLIENTS_FILE, State::Stale)]);
        assert!(without.details.values().all(|detail| detail.after.is_none()));
        assert_eq!(states(&clean(&files).plan), states(&without.plan), "{client:?}");
    }
}

#[test]
fn the_manifest_is_in_the_order_of_clients_and_of_names() {
    let mcp =
        "version: 1\nservers:\n  z: {transport: stdio, command: z}\n  a: {transport: stdio, command: a}\n";
    let mut files = Files::new();
    for clients in [&[Client::OpenCode, Client::Gemini][..], &[Client::Codex, Client::ClaudeCode]] {
        let plan = make_plan(&files, clients, mcp).plan;
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
    // A manifest in another order is equivalent.
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

/// A checkout may have different line breaks, and the manifest may have been reformatted.
#[test]
fn another_layout_of_all_files_is_not_a_change() {
    for client in Client::ALL {
        let mut files = Files::new();
        let first = make_plan(&files, &[client], MCP);
        apply(&mut files, &first.plan);
        for text in files.values_mut() {
            *text = text.replace('\n', "\r\n");
        }
        assert!(!make_plan(&files, &[client], MCP).plan.would_change(), "{client:?}");
        let manifest: serde_json::Value = serde_json::from_str(&files[CLIENTS_FILE]).unwrap();
        files.insert(CLIENTS_FILE.to_owned(), manifest.to_string());
        let again = make_plan(&files, &[client], MCP).plan;
        assert!(!again.would_change(), "{client:?}");
        apply(&mut files, &again);
        assert_eq!(files[CLIENTS_FILE], manifest.to_string());
        // If its contents change, it is written again.
        let fewer = make_plan(&files, &[client], ONE).plan;
        assert_eq!(fewer.items().last().unwrap().state, State::Changed, "{client:?}");
        assert!(clean(&files).plan.items().iter().all(|item| item.state == State::Stale), "{client:?}");
    }
}

#[test]
fn an_entry_that_is_not_a_file_is_a_foreign_manifest() {
    let mut there = Snapshot::new();
    let path = WorkspacePath::parse(CLIENTS_FILE).unwrap();
    there.insert(Location::new(MountId::WORKSPACE, path), SnapshotEntry::Link { target: "x".to_owned() });
    assert_eq!(ClientRecord::of(&there), ClientRecord::Foreign);
    let planned = plan_all(&there, &[Client::Cursor], MCP);
    assert!(planned.plan.changes(true).is_err());
}

#[test]
fn changed_servers_have_drifted() {
    for client in Client::ALL {
        let mut files = Files::new();
        let first = make_plan(&files, &[client], MCP);
        apply(&mut files, &first.plan);
        let text = files.get_mut(client.file()).unwrap();
        *text = text.replace("\"run\"", "\"mine\"");
        for mcp in [MCP, ONE] {
            let again = make_plan(&files, &[client], mcp);
            assert_eq!(again.plan.items()[0].state, State::Drifted, "{client:?}");
            assert_eq!(again.details.values().flat_map(|detail| &detail.drifted).collect::<Vec<_>>(), ["s"]);
            assert!(again.plan.changes(false).is_err() && again.plan.changes(true).is_ok());
        }
        // The current entry is as it would be rendered, so nothing is lost.
        let wanted = MCP.replace("command: run", "command: mine");
        let adopted = make_plan(&files, &[client], &wanted);
        assert_eq!(
            states(&adopted.plan),
            [(client.file(), State::Unchanged), (CLIENTS_FILE, State::Changed)]
        );

        let Cleanup { plan, taken, kept, .. } = clean(&files);
        assert_eq!(taken.values().flatten().collect::<Vec<_>>(), ["t"]);
        assert_eq!(kept.values().flatten().collect::<Vec<_>>(), ["s"]);
        apply(&mut files, &plan);
        assert!(files[client.file()].contains("mine") && !files[client.file()].contains("go"));
        // It is still recorded as ours.
        let again = make_plan(&files, &[client], NONE);
        assert_eq!(again.plan.items()[0].state, State::Drifted, "{client:?}");
    }
}

#[test]
fn another_layout_is_not_a_change() {
    for (client, from, to) in [
        (Client::ClaudeCode, "\n", "\n\t "),
        (Client::VsCode, "\"command\"", "/* mine */ \"comm\\u0061nd\""),
        (Client::Codex, "command = \"run\"", "command   = 'run' # mine"),
    ] {
        let mut files = Files::new();
        let first = make_plan(&files, &[client], MCP);
        apply(&mut files, &first.plan);
        let text = files.get_mut(client.file()).unwrap();
        *text = text.replace(from, to);
        assert!(!make_plan(&files, &[client], MCP).plan.would_change(), "{client:?}");
        assert!(
            make_plan(&files, &[client], ONE).details.values().all(|detail| detail.drifted.is_empty()),
            "{client:?}"
        );
        assert!(clean(&files).kept.is_empty(), "{client:?}");
    }
}

#[test]
fn only_equal_entries_are_adopted() {
    let text = "{\"mcpServers\": {\"s\": {\"command\": \"run\"}, \"t\": {\"command\": \"other\"}}}";
    let mut files = Files::from([(".cursor/mcp.json".to_owned(), text.to_owned())]);
    let first = make_plan(&files, &[Client::Cursor], MCP);
    assert_eq!(first.details.values().flat_map(|detail| &detail.drifted).collect::<Vec<_>>(), ["t"]);
    apply(&mut files, &first.plan);
    let plan = clean(&files).plan;
    apply(&mut files, &plan);
    // The file was not created by `minds`, so it is kept.
    assert_eq!(
        files.into_iter().collect::<Vec<_>>(),
        [(".cursor/mcp.json".to_owned(), "{\"mcpServers\": {}}".to_owned())]
    );
}

#[test]
fn files_of_other_clients_are_kept() {
    let mut files = Files::new();
    let both = [Client::Codex, Client::Gemini];
    let first = make_plan(&files, &both, MCP);
    apply(&mut files, &first.plan);
    let one = make_plan(&files, &[Client::Gemini], NONE);
    assert_eq!(states(&one.plan), [(".gemini/settings.json", State::Stale), (CLIENTS_FILE, State::Changed)]);
    apply(&mut files, &one.plan);
    assert!(!make_plan(&files, &[Client::Codex], MCP).plan.would_change());
}

#[test]
fn a_foreign_manifest_owns_nothing() {
    let mut files = Files::new();
    let first = make_plan(&files, &[Client::Cursor], MCP);
    apply(&mut files, &first.plan);
    let manifest = files[CLIENTS_FILE].replace("\"version\": 1", "\"version\": 3");
    files.insert(CLIENTS_FILE.to_owned(), manifest);
    let again = make_plan(&files, &[Client::Cursor], ONE);
    // The obsolete server is not recorded as ours, so it is kept.
    assert_eq!(states(&again.plan), [(".cursor/mcp.json", State::Unchanged), (CLIENTS_FILE, State::Drifted)]);
    assert!(clean(&files).plan.items().is_empty());
}

#[test]
fn invalid_utf8_is_refused_and_other_entries_are_obstacles() {
    let location = |path: &str| Location::new(MountId::WORKSPACE, WorkspacePath::parse(path).unwrap());
    let mut there = Snapshot::new();
    there.insert(
        location(".mcp.json"),
        SnapshotEntry::File { bytes: vec![b'{', 0xff, b'}'].into(), mode: FileMode::Regular },
    );
    there.insert(location("opencode.json"), SnapshotEntry::Link { target: "x".to_owned() });
    let broken = plan_all(&there, &[Client::ClaudeCode], MCP);
    assert!(broken.problems.has_errors());
    let linked = plan_all(&there, &[Client::OpenCode], MCP);
    assert!(!linked.problems.has_errors());
    assert!(linked.plan.changes(true).is_err());
    // The rendered servers stay recorded, although they cannot be removed.
    let mut files = Files::new();
    let first = make_plan(&files, &[Client::OpenCode], MCP);
    apply(&mut files, &first.plan);
    files.remove("opencode.json");
    let mut taken = snapshot(&files);
    taken.insert(location("opencode.json"), SnapshotEntry::Link { target: "x".to_owned() });
    let without = plan_all(&taken, &[Client::OpenCode], NONE);
    assert_eq!(states(&without.plan), [(CLIENTS_FILE, State::Unchanged)]);
    // Without servers nothing is reported.
    let nothing = plan_all(&there, &Client::ALL, NONE);
    assert!(nothing.problems.is_empty() && nothing.plan.items().is_empty());
}

/// Information about a client comes once, at the first server, and can be suppressed there.
#[test]
fn a_client_that_is_being_retired_is_reported() {
    let found = |clients: &[Client], mcp: &str| make_plan(&Files::new(), clients, mcp).problems.into_sorted();
    let others: Vec<Client> = Client::ALL.into_iter().filter(|client| *client != Client::Gemini).collect();
    assert!(found(&others, MCP).is_empty());
    let text = picture(found(&[Client::Gemini], MCP));
    assert!(
        text.starts_with(
            "info[render/retired-client]: Gemini CLI is being retired\n --> .minds/mcp.yaml:3:3\n"
        ),
        "{text}"
    );
    assert!(text.contains("since 2026-06-18") && text.contains("= help: render `mcp:antigravity`"), "{text}");
    let suppressed = MCP.replace("  s:", "  s: # minds: allow(render/retired-client) the company has keys");
    assert!(found(&[Client::Gemini], &suppressed).is_empty());
}
