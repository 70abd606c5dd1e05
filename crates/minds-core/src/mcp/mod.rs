//! `mcp.yaml`: MCP servers, each of which is a toolset with the same name.
//!
//! [`Mcp`] is the content of the file; [`crate::Servers`] are the servers that other files can refer to.
//!
//! ```
//! use minds_core::TeamFamily;
//! use minds_core::mcp::{SettingValue, Transport};
//! use minds_vfs::Snapshot;
//! use minds_vfs::WorkspacePath;
//!
//! let mcp = "
//! version: 1
//! servers:
//!   browser:
//!     transport: streamable_http
//!     url: https://browser.example.org/mcp
//!     headers: {Authorization: {env: BROWSER_TOKEN, prefix: 'Bearer '}}
//! ";
//! let snapshot = Snapshot::new().with_file(WorkspacePath::parse(".minds/mcp.yaml")?, mcp);
//! let parsed = TeamFamily::load(&snapshot);
//! assert!(parsed.problems.is_empty());
//!
//! let (mcp, _) = parsed.value.readable_mcp().expect("the file is a mapping");
//! let browser = &mcp.servers[0].fields.as_given().expect("the server is a mapping").value;
//! assert_eq!(browser.transport.as_given().map(|transport| transport.value), Some(Transport::StreamableHttp));
//! let header = &browser.headers.as_given().expect("headers are given").value[0];
//! assert!(matches!(
//!     header.value.as_given().map(|value| &value.value),
//!     Some(SettingValue::Variable { name, .. }) if name.as_str() == "BROWSER_TOKEN",
//! ));
//! # Ok::<(), minds_vfs::PathError>(())
//! ```

pub(crate) mod affixes;
mod decode;
pub mod exposure;
pub(crate) mod literal_tools;
mod model;
mod server_url;
pub(crate) mod servers;
mod settings;
pub(crate) mod transform;

pub use model::{Mcp, Server, ServerFields, Setting, SettingValue, ToolFilter, Transform, Transport};
pub use server_url::ServerUrl;
