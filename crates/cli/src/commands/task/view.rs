//! `minds task view`

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use minds_fs::PrivateFile;
use minds_process::{open_in_browser, user_name};
use minds_server::view::{TaskViewDocument, View, ViewOptions, serve_view};
use minds_toolset::ToolContext;

use super::{TaskArgs, report_error};
use crate::commands::mcp::failure;
use minds_output::{Failure, Output};

/// Show and edit a package in the browser
///
/// Serves a page to this machine until you press Ctrl-C. The first line on stdout is JSON: `url` is a URL that can be opened
/// once, within five minutes, and `file` is an HTML file, readable only by you, that opens the page while the command runs.
/// A section that has changed in the meantime is shown and not overwritten.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  minds task view
  minds task view ship-it --port 8334 --no-open")]
pub(super) struct ViewArgs {
    /// The package [default: the only one]
    #[arg(value_name = "NAME")]
    name: Option<String>,
    /// The local port; 0 selects a free port
    #[arg(long, value_name = "N", default_value_t = 0)]
    port: u16,
    /// Do not open a browser
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
        let message = "`--as` cannot be used with `view`: changes in the browser are recorded as yours";
        return Err(Failure::usage(message.to_owned()));
    }
    let name = args.package_name(view.name.as_deref())?;
    let page = match View::new(ToolContext::find(directory)?, name, user_name()) {
        Ok(page) => page,
        Err(error) => return Ok(report_error(args, out, &error)),
    };
    let about = format!("serving `{}` until you press Ctrl-C", page.path());
    // The file is removed when the server stops.
    let mut file = None;
    serve_view(page, &ViewOptions { port: view.port }, |addresses| {
        let written = PrivateFile::new_transient("task.html", redirect(&addresses.page).as_bytes());
        let path = written.as_ref().ok().and_then(|file| file.path().to_str());
        out.document(&TaskViewDocument { file: path, url: &addresses.once });
        // If stdout is closed, the browser is still opened.
        out.flush();
        Output::remark(&about);
        match &written {
            Ok(file) if !view.no_open => open(file.path().to_owned()),
            Ok(_) => {}
            Err(error) => Output::warning(&format!("{error}; open the URL yourself")),
        }
        file = written.ok();
    })
    .map_err(failure)?;
    drop(file);
    Ok(ExitCode::SUCCESS)
}

/// Opens the page while it is served, and warns if that fails.
fn open(page: PathBuf) {
    std::thread::spawn(move || {
        if let Err(error) = open_in_browser(&page) {
            Output::warning(&format!("{error}; open the URL yourself"));
        }
    });
}

/// Returns a page that redirects to an address, which must not contain characters with a special meaning in HTML.
fn redirect(address: &str) -> String {
    format!(
        "<!doctype html>\n<meta charset=\"utf-8\">\n<meta name=\"referrer\" content=\"no-referrer\">\n\
         <meta http-equiv=\"refresh\" content=\"0;url={address}\">\n<title>Task</title>\n\
         <p><a href=\"{address}\">Open the task</a></p>\n"
    )
}
