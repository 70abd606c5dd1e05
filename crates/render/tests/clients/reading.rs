//! Servers that cannot be read are not rendered, because what is not rendered is taken out.

use minds_core::TeamFamily;
use minds_document::Snapshot;
use minds_paths::WorkspacePath;
use minds_render::clients::ServerEntry;

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
fn whatever_cannot_be_read_is_named() {
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
}
