//! The files in which MCP clients look for servers.
//!
//! [`render`] takes the servers of a team, the names of those that it rendered the last time, and the text that a client's
//! file has; it gives the text that the file should have. What is not ours stays letter by letter. Ours are the servers
//! of these names, whole; an entry that says already what it should is not touched either.
//!
//! Values that come from environment variables stay references to them, in the way in which the client writes these.
//! What a client has no way to say is a finding at the place where the team says it.
//!
//! ```
//! use minds_core::TeamFamily;
//! use minds_document::Snapshot;
//! use minds_paths::WorkspacePath;
//! use minds_render::clients::{Client, ServerEntry, render};
//!
//! let mcp = "version: 1
//! servers:
//!   browser:
//!     transport: streamable_http
//!     url: https://browser.example.org/mcp
//!     headers: {Authorization: {env: BROWSER_TOKEN, prefix: 'Bearer '}}
//! ";
//! let snapshot = Snapshot::new().with_file(WorkspacePath::parse(".minds/mcp.yaml")?, mcp);
//! let family = TeamFamily::load(&snapshot).value;
//! let (mcp, document) = family.readable_mcp().expect("the file is a mapping");
//! let servers = ServerEntry::all(mcp, document)?;
//!
//! let there = "{\n  \"mcpServers\": {\n    \"mine\": {\"command\": \"mine\"}\n  }\n}\n";
//! let merged = render(Client::ClaudeCode, &servers, &[], Some(there));
//! assert!(merged.problems.is_empty());
//! assert_eq!(
//!     merged.text.as_deref(),
//!     Some(
//!         r#"{
//!   "mcpServers": {
//!     "mine": {"command": "mine"},
//!     "browser": {
//!       "type": "http",
//!       "url": "https://browser.example.org/mcp",
//!       "headers": {
//!         "Authorization": "Bearer ${BROWSER_TOKEN}"
//!       }
//!     }
//!   }
//! }
//! "#
//!     ),
//! );
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod clean;
mod client;
mod codex;
mod entry;
mod field;
mod filter;
mod json;
mod merge;
mod notes;
mod opencode;
mod parts;
mod plan;
mod reading;
mod record;
pub mod rules;
mod sections;
mod speak;
mod veil;

pub use self::clean::{BlockedServers, Cleaning, cleaning};
pub use self::client::Client;
pub use self::entry::{Connection, Place, Placed, ServerEntry, Setting, SettingValue, Unreadable};
pub use self::field::Field;
pub use self::merge::{Merged, RenderedServer, found, render};
pub use self::plan::{ClientPlan, Detail, plan, scope};
pub use self::record::{CLIENTS_FILE, ClientFile, ClientManifest, ClientRecord};
