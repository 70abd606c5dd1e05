//! `minds task view`

use std::path::Path;
use std::process::ExitCode;

use minds_system::{open_in_browser, user_name};
use minds_toolset::{Caller, Workbench};
use minds_view::{View, ViewOptions, serve_view};
use serde_json::json;

use super::{TaskArgs, refused};
use crate::output::{Failure, Output};

/// Show a package in the browser, and change it there
///
/// Serves one page to this machine until you press Ctrl-C. The first line on standard output is JSON with its address as
/// `url`; whoever knows the address may look and change, so it is nobody else's. A section that changed meanwhile is shown and
/// not overwritten.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  minds task view
  minds task view ship-it --port 8334 --no-open")]
pub(super) struct ViewArgs {
    /// The package; by default the only one
    #[arg(value_name = "NAME")]
    name: Option<String>,
    /// The port of this machine; 0 picks one that is free
    #[arg(long, value_name = "N", default_value_t = 0)]
    port: u16,
    /// Open no browser
    #[arg(long)]
    no_open: bool,
}

pub(super) fn run(
    directory: &Path,
    args: &TaskArgs,
    view: &ViewArgs,
    out: &mut Output,
) -> Result<ExitCode, Failure> {
    if args.member.is_some() {
        let message =
            "a page is for people: what is changed there is changed by you, so `--as` has no place here";
        return Err(Failure::usage(message.to_owned()));
    }
    let name = args.named(view.name.as_deref())?;
    let actor = Caller::operator(user_name()).label();
    let shown = match View::new(Workbench::find(directory)?, name, actor) {
        Ok(shown) => shown,
        Err(error) => return Ok(refused(args, out, &error)),
    };
    let about = format!("a page shows `{}` until you press Ctrl-C", shown.path());
    serve_view(shown, &ViewOptions { port: view.port }, |url| {
        out.json(&json!({"url": url}));
        // If nobody reads, the browser is told all the same.
        out.flush();
        Output::remark(&about);
        if !view.no_open {
            open(url.to_owned());
        }
    })?;
    Ok(ExitCode::SUCCESS)
}

/// Opens the page while it is served, and says if that cannot be done.
fn open(url: String) {
    std::thread::spawn(move || {
        if let Err(error) = open_in_browser(&url) {
            Output::remark(&format!("{error}; open the address yourself"));
        }
    });
}
