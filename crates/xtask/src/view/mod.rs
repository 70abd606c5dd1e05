//! Tests of the task page with a browser: `page.mjs` clicks through it at two widths, in light and dark mode.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::json;

use crate::files::root;
use crate::mcp::node::Node;

/// The library that controls the browser; it does not include one.
const PACKAGES: [(&str, &str); 1] = [("playwright-core", "1.65.1")];
/// The names of the browser.
const BROWSERS: [&str; 4] = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];
const SCRIPT: &str = include_str!("page.mjs");

/// Tests the page; returns whether it works. Without a browser or npm nothing is tested, and a line is
/// printed. `minds` is the command; it is built if not given.
pub fn run(minds: Option<PathBuf>) -> bool {
    let folder = root().join("target/view");
    let found =
        find_or_install_browser().and_then(|browser| Ok((browser, Node::install(&folder, &PACKAGES)?)));
    let (browser, node) = match found {
        Ok(found) => found,
        Err(reason) => {
            println!("view: skipped: {reason}");
            return true;
        }
    };
    let minds = minds.unwrap_or_else(super::bench::build_debug);
    let (script, workspace) = (folder.join("page.mjs"), folder.join("workspace"));
    let _ = std::fs::remove_dir_all(&workspace);
    std::fs::create_dir_all(workspace.join(".git")).expect("the folder can be made");
    std::fs::write(&script, SCRIPT).expect("the file can be written");
    let given = json!({"browser": browser, "minds": minds, "workspace": workspace, "pictures": folder.join("pictures")});
    let status = node.command("node").arg(&script).arg(given.to_string()).status();
    let is_right = status.expect("node starts").success();
    println!("view: {}", if is_right { "the page works" } else { "the page does not work" });
    is_right
}

/// Returns the browser; in CI, it is installed if possible.
fn find_or_install_browser() -> Result<PathBuf, String> {
    if let Some(found) = find_browser() {
        return Ok(found);
    }
    if std::env::var_os("CI").is_some() && Path::new("/usr/bin/apt-get").exists() {
        let ask = |args: &[&str]| {
            let mut command = Command::new("apt-get");
            command.args(args).env("DEBIAN_FRONTEND", "noninteractive");
            command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
            command.status().is_ok_and(|status| status.success())
        };
        // If this fails, no browser is found, which is reported.
        let _ = ask(&["update"]) && ask(&["install", "--yes", "--no-install-recommends", "chromium"]);
    }
    find_browser().ok_or_else(|| format!("no browser was found, such as `{}`", BROWSERS[0]))
}

fn find_browser() -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    let folders: Vec<PathBuf> = std::env::split_paths(&path).collect();
    BROWSERS
        .iter()
        .flat_map(|name| folders.iter().map(move |folder| folder.join(name)))
        .find(|file| file.is_file())
}
