//! A page that shows a task package and changes it, for a browser on the same machine.
//!
//! A [`View`] reads one package for the page, again for every request, and applies the changes that the page sends.
//! [`serve_view`] serves it to a browser, and notifies the page when the package changes on disk. The files of the page are in
//! this crate; it loads nothing from other servers.
//!
//! ```no_run
//! use minds_toolset::ToolContext;
//! use minds_server::view::{View, ViewOptions, serve_view};
//!
//! let view = View::new(ToolContext::find(".".as_ref())?, Some("ship-it"), "alice")?;
//! serve_view(view, &ViewOptions { port: 0 }, |addresses| println!("{}", addresses.once))?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod assets;
mod document;
mod http;
mod package_view;
mod section_change;
mod start_document;

pub use http::{Addresses, ViewOptions, serve_view};
pub use package_view::View;
pub use start_document::TaskViewDocument;
