//! A page that shows a task package and changes it, for a browser on the same machine.
//!
//! A [`View`] is one package as the page shows it, read anew for every question, and the changes that the page asks for.
//! [`serve_view`] answers a browser, and tells it when the package is another on disk. The page itself is in this crate; it
//! asks for nothing from elsewhere.
//!
//! ```no_run
//! use minds_toolset::ToolContext;
//! use minds_view::{View, ViewOptions, serve_view};
//!
//! let view = View::new(ToolContext::find(".".as_ref())?, Some("ship-it"), "user:alice")?;
//! serve_view(view, &ViewOptions { port: 0 }, |addresses| println!("{}", addresses.once))?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod assets;
mod change;
mod document;
mod http;
mod view;

pub use http::{Addresses, ViewOptions, serve_view};
pub use view::View;
