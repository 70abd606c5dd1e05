//! Tools of servers through the protocol.
#![allow(clippy::disallowed_methods, reason = "a test writes the workspace that it serves")]
#![allow(clippy::needless_pass_by_value, clippy::format_push_string, reason = "a test is easier to read")]

mod calls;
mod client;
mod held;
mod http;
mod lists;
mod questions;
mod source;
mod tasks;

use std::fs;
use std::sync::Arc;

use minds_toolset::{Caller, Clock, ToolContext};
use tempfile::TempDir;

use self::source::FakeSource;
use crate::mcp::server::Server;

/// A team in which `coder` has the server `browser` and `reader` has none.
const TEAM: &str =
    "members:\n  coder: {toolsets: [ws_read, browser, mcp_admin]}\n  reader: {toolsets: [ws_read]}\n";

/// A workspace with a team.
struct Place(TempDir);

impl Place {
    fn new() -> Self {
        let place = Self(tempfile::tempdir().unwrap());
        fs::create_dir_all(place.0.path().join("workspace/.minds")).unwrap();
        place.write(TEAM);
        place
    }

    /// Writes `team.yaml`.
    fn write(&self, team: &str) {
        fs::write(self.0.path().join("workspace/.minds/team.yaml"), team).unwrap();
    }

    /// Returns a server of the workspace.
    fn server(&self, source: &Arc<FakeSource>, member: &str) -> Server {
        let (root, state) = (self.0.path().join("workspace"), self.0.path().join("state"));
        let context = ToolContext::open(&root, &state, Clock::At(0)).unwrap();
        let source = Arc::<FakeSource>::clone(source);
        Server::new(context, "demo", Caller::member(member)).with_source(source)
    }
}
