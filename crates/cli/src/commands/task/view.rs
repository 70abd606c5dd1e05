//! `minds task view`

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use minds_system::{PrivateFile, open_in_browser, user_name};
use minds_toolset::{Caller, ToolContext};
use minds_view::{View, ViewOptions, serve_view};
use serde_json::json;

use super::{TaskArgs, refused};
use crate::output::{Failure, Output};

/// Show a package in the browser, and change it there
///
/// Serves one page to this machine until you press Ctrl-C. The first line on standard output is JSON: `url` is an address that
/// works once, within five minutes, and `file` a page that only you can read and that leads there as long as the command
/// runs. A section that changed meanwhile is shown and not overwritten.
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
    let shown = match View::new(ToolContext::find(directory)?, name, actor) {
        Ok(shown) => shown,
        Err(error) => return Ok(refused(args, out, &error)),
    };
    let about = format!("a page shows `{}` until you press Ctrl-C", shown.path());
    // It goes with the server.
    let mut file = None;
    serve_view(shown, &ViewOptions { port: view.port }, |addresses| {
        let written = PrivateFile::new_transient("task.html", redirect(&addresses.page).as_bytes());
        let path = written.as_ref().ok().and_then(|file| file.path().to_str());
        out.json(&json!({"url": addresses.once, "file": path}));
        // If nobody reads, the browser is told all the same.
        out.flush();
        Output::remark(&about);
        match &written {
            Ok(page) if !view.no_open => open(page.path().to_owned()),
            Ok(_) => {}
            Err(error) => Output::warning(&format!("{error}; open the address yourself")),
        }
        file = written.ok();
    })?;
    drop(file);
    Ok(ExitCode::SUCCESS)
}

/// Opens the page while it is served, and says if that cannot be done.
fn open(page: PathBuf) {
    std::thread::spawn(move || {
        if let Err(error) = open_in_browser(&page) {
            Output::warning(&format!("{error}; open the address yourself"));
        }
    });
}

/// Returns a page that leads to an address, which has nothing but letters, digits and signs that mean nothing in HTML.
fn redirect(address: &str) -> String {
    format!(
        "<!doctype html>\n<meta charset=\"utf-8\">\n<meta name=\"referrer\" content=\"no-referrer\">\n\
         <meta http-equiv=\"refresh\" content=\"0;url={address}\">\n<title>Task</title>\n\
         <p><a href=\"{address}\">Open the task</a></p>\n"
    )
}
