//! The configuration files of MCP clients.
//!
//! [`render`] takes the servers of a team, the servers of the previous rendering, and the contents of a
//! client's file; it returns the new contents. Only the entries of these servers are changed, and only if
//! their meaning differs; the rest of the file is kept byte for byte.
//!
//! Values from environment variables are written as references in the syntax of the client. A setting that a
//! client does not support is reported at its position in the file of the team.
//!
//! ```
//! use minds_core::TeamFamily;
//! use minds_vfs::Snapshot;
//! use minds_vfs::WorkspacePath;
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
//! let existing = "{\n  \"mcpServers\": {\n    \"mine\": {\"command\": \"mine\"}\n  }\n}\n";
//! let merged = render(Client::ClaudeCode, &servers, &[], Some(existing));
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
mod plan;
mod record;
mod redact;
pub mod rules;
mod sections;
mod spans;
mod syntax;
mod translate;

pub use self::clean::{BlockedServers, Cleanup, plan_cleanup};
pub use self::client::Client;
pub use self::entry::{Connection, Place, ServerEntry, Setting, SettingValue, Unreadable, WithPlace};
pub use self::field::Field;
pub use self::merge::{MergedFile, RenderedServer, find_servers, render};
pub use self::plan::{ClientPlan, Detail, plan, scope};
pub use self::record::{CLIENTS_FILE, ClientFile, ClientManifest, ClientRecord, TeamSettings};
pub(crate) use self::redact::redact_shared;
