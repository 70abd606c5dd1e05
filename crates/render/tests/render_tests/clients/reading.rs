//! Unreadable servers prevent rendering, because servers that are not rendered are removed.

use minds_core::TeamFamily;
use minds_render::clients::{Client, ServerEntry};
use minds_vfs::{Snapshot, WorkspacePath};

use super::{findings, names, render_first};

#[track_caller]
fn unreadable(lines: &str, expected: &str) {
    let mcp = format!("version: 1\nservers:\n  s:\n    transport: stdio\n    command: run\n{lines}");
    let path = WorkspacePath::parse(".minds/mcp.yaml").unwrap();
    let family = TeamFamily::load(&Snapshot::new().with_file(path, mcp.as_str())).value;
    let (mcp, document) = family.readable_mcp().expect("the file is a mapping");
    let error = ServerEntry::all(mcp, document).expect_err(lines);
    assert_eq!(error.to_string(), expected, "{lines}");
}

#[test]
fn unreadable_settings_are_named_in_the_error() {
    unreadable("    args: x\n", "`args` of the server `s` cannot be read");
    unreadable("    args: [x, [y]]\n", "`args` of the server `s` cannot be read");
    unreadable("    env: {A: [1]}\n", "`env` of the server `s` cannot be read");
    unreadable("    env: {A: {env: '1 2'}}\n", "`env` of the server `s` cannot be read");
    unreadable("    cwd: ' '\n", "`cwd` of the server `s` cannot be read");
    unreadable("    enabled: maybe\n", "`enabled` of the server `s` cannot be read");
    unreadable("    tools: [a]\n", "`tools` of the server `s` cannot be read");
    unreadable("    tools: {whitelist: {a: 1}}\n", "`whitelist` of the server `s` cannot be read");
    unreadable("    transform: 1\n", "`transform` of the server `s` cannot be read");
    unreadable("    truely-stateless: 1\n", "`truely-stateless` of the server `s` cannot be read");
    unreadable("  t: 1\n", "`servers` of the server `t` cannot be read");
    unreadable("  t: {transport: other}\n", "`transport` of the server `t` cannot be read");
    unreadable("  t: {transport: streamable_http}\n", "`url` of the server `t` cannot be read");
    unreadable("  t: {transport: streamable_http, url: x}\n", "`url` of the server `t` cannot be read");
    unreadable("  s:\n    transport: stdio\n    command: other\n", "`servers` cannot be read");
    unreadable("other: {transport: stdio, command: x}\n", "`servers` cannot be read");
    // The unreadable part may contain further settings.
    unreadable("  ? [a]\n  : {transport: stdio, command: x}\n", "`servers` cannot be read");
    unreadable("---\nservers: {}\n", "`servers` cannot be read");
}

#[test]
fn servers_that_are_not_a_mapping_are_unreadable() {
    for servers in ["servers: [a]\n", "servers: 1\n", "serverz: {a: {transport: stdio, command: x}}\n"] {
        let path = WorkspacePath::parse(".minds/mcp.yaml").unwrap();
        let family =
            TeamFamily::load(&Snapshot::new().with_file(path, format!("version: 1\n{servers}"))).value;
        let (mcp, document) = family.readable_mcp().expect("the file is a mapping");
        let error = ServerEntry::all(mcp, document).expect_err(servers);
        assert_eq!(error.to_string(), "`servers` cannot be read", "{servers}");
    }
}

/// Unreadable entries of an unsupported list are left out like its other entries.
#[test]
fn a_list_with_an_unreadable_entry_is_not_empty() {
    let merged = render_first(
        Client::Codex,
        "version: 1\nservers:\n  s:\n    transport: stdio\n    command: run\n    transform: [1]\n",
        None,
    );
    assert_eq!(names(&merged), ["s"]);
    let found = findings(merged);
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].pointer.as_deref(), Some("/servers/s/transform"));
}

/// Only VS Code does not start servers in the workspace.
#[test]
fn relative_directories_are_relative_to_the_workspace() {
    for (cwd, expected) in [
        ("tools", "${workspaceFolder}/tools"),
        ("c:tools", "${workspaceFolder}/c:tools"),
        ("/srv", "/srv"),
        ("~/tools", "~/tools"),
        ("\\\\host\\tools", "\\\\host\\tools"),
        ("C:\\tools", "C:\\tools"),
        ("c:/tools", "c:/tools"),
    ] {
        let mcp =
            format!("version: 1\nservers:\n  s:\n    transport: stdio\n    command: run\n    cwd: '{cwd}'\n");
        for client in [Client::VsCode, Client::Gemini] {
            let text = render_first(client, &mcp, None).text.unwrap();
            let file: serde_json::Value = serde_json::from_str(&text).unwrap();
            let found = &file[&super::place(client)[1..]]["s"]["cwd"];
            assert_eq!(found, if client == Client::VsCode { expected } else { cwd }, "{client:?}");
        }
    }
}
