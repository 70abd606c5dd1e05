//! The page of a task, driven by a browser: `page.mjs` clicks through it at two widths, in light and in dark.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::json;

use crate::files::root;
use crate::mcp::node::Node;

/// The library that drives the browser; it brings none.
const PACKAGES: [(&str, &str); 1] = [("playwright-core", "1.65.1")];
/// What the browser is called.
const BROWSERS: [&str; 4] = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];
const SCRIPT: &str = include_str!("page.mjs");

/// Drives the page, and returns whether it did as it should; without a browser or npm nothing is driven, and that is said. The
/// command is `minds`, or built.
pub fn run(minds: Option<PathBuf>) -> bool {
    let folder = root().join("target/view");
    let made = browser().and_then(|browser| Ok((browser, Node::install(&folder, &PACKAGES)?)));
    let (browser, node) = match made {
        Ok(made) => made,
        Err(reason) => {
            println!("view: left out: {reason}");
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
    println!(
        "view: {}",
        if is_right { "the page does as it should" } else { "the page does not do as it should" }
    );
    is_right
}

/// Returns the browser; on a machine that is there for checks, it is installed where that can be done.
fn browser() -> Result<PathBuf, String> {
    if let Some(found) = find() {
        return Ok(found);
    }
    if std::env::var_os("CI").is_some() && Path::new("/usr/bin/apt-get").exists() {
        let ask = |args: &[&str]| {
            let mut command = Command::new("apt-get");
            command.args(args).env("DEBIAN_FRONTEND", "noninteractive");
            command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
            command.status().is_ok_and(|status| status.success())
        };
        // Where this is refused, there is no browser, which is said.
        let _ = ask(&["update"]) && ask(&["install", "--yes", "--no-install-recommends", "chromium"]);
    }
    find().ok_or_else(|| format!("there is no browser, such as `{}`", BROWSERS[0]))
}

fn find() -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    let folders: Vec<PathBuf> = std::env::split_paths(&path).collect();
    BROWSERS
        .iter()
        .flat_map(|name| folders.iter().map(move |folder| folder.join(name)))
        .find(|file| file.is_file())
}
