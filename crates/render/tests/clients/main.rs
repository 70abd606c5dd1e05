//! The files of MCP clients.
#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::string_slice,
    clippy::unwrap_used,
    reason = "a test may stop at once"
)]

mod foreign;
mod golden;
mod ownership;
mod pages;
mod planning;
mod product;
mod properties;
mod reading;
mod refusals;
mod rows;
mod strategies;

use minds_core::TeamFamily;
use minds_diagnostics::{Diagnostic, Report, emit};
use minds_document::{ContentHash, Snapshot};
use minds_paths::WorkspacePath;
use minds_render::clients::{Client, Merged, RenderedServer, ServerEntry, found, render};

/// Returns the servers of a `mcp.yaml`.
#[track_caller]
fn servers(mcp: &str) -> Vec<ServerEntry> {
    let path = WorkspacePath::parse(".minds/mcp.yaml").unwrap();
    let family = TeamFamily::load(&Snapshot::new().with_file(path, mcp)).value;
    let (mcp, document) = family.readable_mcp().expect("the file is a mapping");
    ServerEntry::all(mcp, document).expect("all can be read")
}

/// Returns what the last rendering would have said of these servers if the text were what it left.
fn left(client: Client, names: &[&str], text: &str) -> Vec<RenderedServer> {
    let mut left = found(client, text, names).unwrap_or_default();
    for name in names {
        if left.iter().all(|server| server.name != *name) {
            left.push(RenderedServer { name: (*name).to_owned(), hash: ContentHash::of(b"") });
        }
    }
    left
}

/// Returns the names of the servers that are ours in a file.
fn names(merged: &Merged) -> Vec<&str> {
    merged.rendered.iter().map(|server| server.name.as_str()).collect()
}

/// Renders where nothing was rendered before.
fn rendered(client: Client, mcp: &str, existing: Option<&str>) -> Merged {
    render(client, &servers(mcp), &[], existing)
}

fn findings(merged: Merged) -> Vec<Diagnostic> {
    merged.problems.into_sorted()
}

/// Returns findings as people see them.
fn picture(diagnostics: Vec<Diagnostic>) -> String {
    emit::human_findings(&Report { diagnostics, ..Report::default() }, emit::Human::default())
}

/// Returns where the servers stand in a client's file, as a JSON pointer.
fn place(client: Client) -> &'static str {
    match client {
        Client::Codex => "/mcp_servers",
        Client::VsCode => "/servers",
        Client::OpenCode => "/mcp",
        Client::ClaudeCode | Client::Gemini | Client::Cursor => "/mcpServers",
    }
}

/// Reads a file that has no comments, with another reader than the one that is tested.
#[track_caller]
fn read(client: Client, text: &str) -> serde_json::Value {
    let text = text.trim_start_matches('\u{feff}');
    if client == Client::Codex {
        toml::from_str(text).expect(text)
    } else {
        serde_json::from_str(text).expect(text)
    }
}
