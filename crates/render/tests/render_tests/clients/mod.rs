//! The files of MCP clients.

mod foreign;
mod golden;
mod naming;
mod objects;
mod opencode;
mod ownership;
mod pages;
pub(crate) mod planning;
mod product;
mod properties;
mod reading;
mod refusals;
mod round_trip;
mod rows;
mod secrets;
mod setting_rows;
mod strategies;

use minds_core::TeamFamily;
use minds_diagnostics::{Diagnostic, Report, emit};
use minds_render::clients::{Client, MergedFile, RenderedServer, ServerEntry, find_servers, render};
use minds_vfs::{ContentHash, Snapshot, WorkspacePath};
use proptest::prelude::{Strategy, prop};
use round_trip::{place, read};

/// Returns the servers of a `mcp.yaml`.
#[track_caller]
fn servers(mcp: &str) -> Vec<ServerEntry> {
    let path = WorkspacePath::parse(".minds/mcp.yaml").unwrap();
    let family = TeamFamily::load(&Snapshot::new().with_file(path, mcp)).value;
    let (mcp, document) = family.readable_mcp().expect("the file is a mapping");
    ServerEntry::all(mcp, document).expect("all can be read")
}

/// Returns the servers of the previous rendering, if `text` were its result.
fn previous_servers(client: Client, names: &[&str], text: &str) -> Vec<RenderedServer> {
    let mut left = find_servers(client, text, names).unwrap_or_default();
    for name in names {
        if left.iter().all(|server| server.name != *name) {
            left.push(RenderedServer { name: (*name).to_owned(), hash: ContentHash::of(b"") });
        }
    }
    left
}

/// Returns the names of the servers that are ours in a file.
fn names(merged: &MergedFile) -> Vec<&str> {
    merged.rendered.iter().map(|server| server.name.as_str()).collect()
}

/// Renders without a previous rendering.
fn render_first(client: Client, mcp: &str, existing: Option<&str>) -> MergedFile {
    render(client, &servers(mcp), &[], existing)
}

fn findings(merged: MergedFile) -> Vec<Diagnostic> {
    merged.problems.into_sorted()
}

/// Returns findings as displayed to users.
fn picture(diagnostics: Vec<Diagnostic>) -> String {
    emit::human_findings(&Report { diagnostics, ..Report::default() }, emit::Human::default())
}

/// One of the clients, drawn at random.
fn client() -> impl Strategy<Value = Client> {
    prop::sample::select(Client::ALL.to_vec())
}
