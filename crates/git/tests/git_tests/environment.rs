//! The environment, and git configuration of the user or the system, have no effect unless requested.
//!
//! The environment belongs to a separate process: this program, started again.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::Command;

use minds_git::{FetchLimits, FetchRequest, Git, RemoteUrl, Revision};
use minds_vfs::MountId;

use crate::origin::{Origin, names};
use crate::reading::{all_below, list_entries};

const ORDER: &str = "MINDS_TEST_FETCH";

/// The separate process: fetches and reads in the hostile environment, and prints the result.
#[test]
fn fetch_in_a_child_process() {
    let Ok(order) = std::env::var(ORDER) else {
        // Run as a normal test: nothing to do.
        assert!(std::env::var_os("GIT_EXTERNAL_DIFF").is_none());
        return;
    };
    let mut words = order.split('|');
    let (url, into, config) = (words.next().unwrap(), words.next().unwrap(), words.next() == Some("config"));
    let git = Git::find(config).unwrap();
    let remote = RemoteUrl::parse(url).unwrap();
    let request = FetchRequest { remote, revision: Revision::Default, into: into.into(), known: None };
    let fetched = git.fetch(&request, FetchLimits::default(), &mut |_| {});
    let said = fetched.and_then(|fetched| {
        let tree = git.tree(Path::new(into), fetched.commit(), MountId::WORKSPACE)?;
        Ok(list_entries(&tree.snapshot(&all_below("")).unwrap()).join("; "))
    });
    fs::write(format!("{into}.said"), said.unwrap_or_else(|error| error.kind().name().to_owned())).unwrap();
}

/// A hostile home directory, and the marker files of all programs in it.
struct Trap {
    origin: Origin,
}

impl Trap {
    fn new() -> Self {
        let trap = Self { origin: Origin::with(&[("a", "1")]) };
        let touch = format!("#!/bin/sh\ntouch {}/$(basename $0)\nexit 1\n", trap.path("marks"));
        for folder in ["marks", "bin", "templates/hooks", "hooks", "home", "xdg/git", "cwd"] {
            fs::create_dir_all(trap.path(folder)).unwrap();
        }
        let hooks = ["post-checkout", "reference-transaction", "post-merge"];
        let programs = ["bin/ssh", "bin/program", "bin/git-upload-pack", "bin/git-remote-ext", "cwd/git"]
            .map(str::to_owned);
        let hooks =
            hooks.iter().flat_map(|hook| [format!("hooks/{hook}"), format!("templates/hooks/{hook}")]);
        for program in programs.into_iter().chain(hooks) {
            fs::write(trap.path(&program), &touch).unwrap();
            fs::set_permissions(trap.path(&program), fs::Permissions::from_mode(0o755)).unwrap();
        }
        let program = trap.path("bin/program");
        let config = format!(
            "[init]\n\ttemplateDir = {}\n[core]\n\thooksPath = {}\n\tfsmonitor = {program}\n\tsshCommand = {program}\n\
             [protocol \"ext\"]\n\tallow = always\n[url \"ext::{program} \"]\n\tinsteadOf = file://\n\
             [credential]\n\thelper = {program}\n[alias]\n\tfetch = !{program}\n",
            trap.path("templates"),
            trap.path("hooks"),
        );
        fs::write(trap.path("home/.gitconfig"), &config).unwrap();
        fs::write(trap.path("xdg/git/config"), &config).unwrap();
        trap
    }

    fn path(&self, name: &str) -> String {
        self.origin.folder.path().join(name).display().to_string()
    }

    /// Starts this program again with the trap; returns its output.
    fn spring(&self, config: bool, environment: &[(&str, String)]) -> String {
        let into = self.path("fetched");
        let word = if config { "config" } else { "plain" };
        let path = std::env::var("PATH").unwrap();
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.args(["--exact", "environment::fetch_in_a_child_process"]);
        command.env(ORDER, format!("{}|{into}|{word}", self.origin.url()));
        command.env("PATH", format!(".::relative:{path}")).env("HOME", self.path("home"));
        command.env("XDG_CONFIG_HOME", self.path("xdg")).current_dir(self.path("cwd"));
        command.envs(environment.iter().map(|(name, value)| (name, value)));
        let output = command.output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
        fs::read_to_string(format!("{into}.said")).unwrap()
    }

    fn marks(&self) -> Vec<String> {
        names(Path::new(&self.path("marks")))
    }
}

#[test]
fn a_hostile_environment_has_no_effect() {
    let trap = Trap::new();
    let program = trap.path("bin/program");
    let environment = [
        ("GIT_DIR", trap.path("none")),
        ("GIT_WORK_TREE", trap.path("none")),
        ("GIT_INDEX_FILE", trap.path("none")),
        ("GIT_OBJECT_DIRECTORY", trap.path("none")),
        ("GIT_ALTERNATE_OBJECT_DIRECTORIES", trap.path("none")),
        ("GIT_NAMESPACE", "x".to_owned()),
        ("GIT_EXEC_PATH", trap.path("bin")),
        ("GIT_TEMPLATE_DIR", trap.path("templates")),
        ("GIT_SSH_COMMAND", program.clone()),
        ("GIT_SSH", program.clone()),
        ("GIT_PROXY_COMMAND", program.clone()),
        ("GIT_ASKPASS", program.clone()),
        ("SSH_ASKPASS", program.clone()),
        ("GIT_EXTERNAL_DIFF", program.clone()),
        ("GIT_PAGER", program.clone()),
        ("GIT_EDITOR", program.clone()),
        ("GIT_TRACE", trap.path("marks/trace")),
        ("GIT_TRACE2_EVENT", trap.path("marks/trace2")),
        ("GIT_ALLOW_PROTOCOL", "ext:file".to_owned()),
        ("GIT_PROTOCOL_FROM_USER", "1".to_owned()),
        ("GIT_CONFIG_GLOBAL", trap.path("home/.gitconfig")),
        ("GIT_CONFIG_SYSTEM", trap.path("home/.gitconfig")),
        ("GIT_CONFIG_COUNT", "1".to_owned()),
        ("GIT_CONFIG_KEY_0", "core.fsmonitor".to_owned()),
        ("GIT_CONFIG_VALUE_0", program.clone()),
        ("GIT_CONFIG_PARAMETERS", format!("'core.hooksPath={}'", trap.path("hooks"))),
        ("GIT_REPLACE_REF_BASE", "refs/x".to_owned()),
        ("LC_ALL", "de_DE.UTF-8".to_owned()),
        ("LD_PRELOAD_IS_NOT_KEPT", "x".to_owned()),
    ];
    assert_eq!(trap.spring(false, &environment), "a: file \"1\"");
    assert_eq!(trap.marks(), Vec::<String>::new());
    assert!(!Path::new(&trap.path("fetched/hooks")).exists());
}

/// With the user's configuration, another address is fetched, but by no other protocol.
#[test]
fn the_configuration_of_the_user_applies_if_requested() {
    let trap = Trap::new();
    assert_eq!(trap.spring(true, &[]), "protocol-not-allowed");
    assert_eq!(trap.marks(), Vec::<String>::new());
    let trap = Trap::new();
    let other = Origin::with(&[("b", "2")]);
    let config = format!("[url \"{}\"]\n\tinsteadOf = {}\n", other.url(), trap.origin.url());
    fs::write(trap.path("home/.gitconfig"), config).unwrap();
    fs::remove_file(trap.path("xdg/git/config")).unwrap();
    assert_eq!(trap.spring(false, &[]), "a: file \"1\"");
    fs::remove_dir_all(trap.path("fetched")).unwrap();
    assert_eq!(trap.spring(true, &[]), "b: file \"2\"");
}
