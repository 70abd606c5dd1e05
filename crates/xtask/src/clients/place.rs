//! The folders of a session: a workspace, an empty home, and the programs that the client finds.

#![expect(clippy::disallowed_types, reason = "programs write to files")]

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::files::root;
use crate::mcp::processes::with_variable;

/// A variable that all processes of a session inherit. Its value is the folder of the session.
const MARKER: &str = "MINDS_TEST_SESSION";
/// The time for a session; it only ends those that would wait forever.
const LIMIT: Duration = Duration::from_mins(5);
/// The interval at which the end of a client is looked for.
const INTERVAL: Duration = Duration::from_millis(10);

pub(crate) struct Place {
    folder: PathBuf,
}

/// How a program ended.
pub(crate) struct Ended {
    pub(crate) is_success: bool,
    /// What it wrote, to show if something is wrong.
    pub(crate) output: String,
}

impl Place {
    /// Creates the folders of a session with the files of its workspace. The command `minds` is this program.
    pub(crate) fn new(name: &str, minds: &Path, files: &[(&str, &str)]) -> Self {
        let folder = root().join("target/clients/sessions").join(name);
        let _ = std::fs::remove_dir_all(&folder);
        let place = Self { folder };
        for folder in [place.workspace(), place.home(), place.outside(), place.bin(), place.temporary()] {
            std::fs::create_dir_all(folder).expect("the folder can be made");
        }
        std::os::unix::fs::symlink(minds, place.bin().join("minds")).expect("the link can be made");
        // Clients look for their files up to the root of the repository, which must not be the one of this program.
        let git = Command::new("git").args(["init", "--quiet"]).arg(place.workspace()).status();
        assert!(git.expect("git starts").success(), "git cannot make a repository");
        for (path, content) in files {
            place.write(path, content);
        }
        place
    }

    pub(crate) fn workspace(&self) -> PathBuf {
        self.folder.join("work")
    }

    pub(crate) fn home(&self) -> PathBuf {
        self.folder.join("home")
    }

    /// Returns a folder that no client may change.
    pub(crate) fn outside(&self) -> PathBuf {
        self.folder.join("outside")
    }

    fn bin(&self) -> PathBuf {
        self.folder.join("bin")
    }

    fn temporary(&self) -> PathBuf {
        self.folder.join("tmp")
    }

    /// Writes a file of the workspace.
    pub(crate) fn write(&self, path: &str, content: &str) {
        write(&self.workspace().join(path), content);
    }

    /// Writes a file of the home.
    pub(crate) fn write_home(&self, path: &str, content: &str) {
        write(&self.home().join(path), content);
    }

    /// Makes a symbolic link in the workspace.
    pub(crate) fn link(&self, path: &str, target: &str) {
        std::os::unix::fs::symlink(target, self.workspace().join(path)).expect("the link can be made");
    }

    /// Renders files of a client.
    pub(crate) fn render(&self, targets: &[&str], more: &[&str]) -> Result<(), String> {
        let mut command = Command::new(self.bin().join("minds"));
        command.args(["render", "--write"]).args(more);
        for target in targets {
            command.args(["--target", target]);
        }
        let ended = self.run(command, &[])?;
        if ended.is_success { Ok(()) } else { Err(format!("minds render fails:\n{}", ended.output)) }
    }

    /// Runs a program in the workspace until it ends, with nothing but what belongs to the session, and ends every process
    /// that it leaves.
    ///
    /// # Errors
    ///
    /// Fails if it does not start or does not end in time.
    pub(crate) fn run(&self, command: Command, variables: &[(&str, String)]) -> Result<Ended, String> {
        let (stdout, stderr) = (self.folder.join("stdout"), self.folder.join("stderr"));
        let [out, err] =
            [&stdout, &stderr].map(|path| std::fs::File::create(path).expect("a file can be made"));
        let mut command = command;
        let path = std::env::var("PATH").unwrap_or_default();
        let inherited = command.get_envs().find(|(name, _)| *name == "PATH").and_then(|(_, value)| value);
        let path = inherited.map_or(path, |path| path.to_string_lossy().into_owned());
        command
            .env_clear()
            .env("PATH", format!("{}:{path}", self.bin().display()))
            .env("HOME", self.home())
            .env("TMPDIR", self.temporary())
            .env("LANG", "C.UTF-8")
            .env(MARKER, &self.folder)
            .envs(variables.iter().map(|(name, value)| (name, value)))
            .current_dir(self.workspace())
            .stdin(Stdio::null())
            .stdout(out)
            .stderr(err);
        let left = SandboxFolders::missing();
        let mut child = command.spawn().map_err(|error| format!("{command:?}: {error}"))?;
        let end = Instant::now() + LIMIT;
        let status = loop {
            if let Some(status) = child.try_wait().map_err(|error| error.to_string())? {
                break Some(status);
            }
            if Instant::now() > end {
                break None;
            }
            std::thread::sleep(INTERVAL);
        };
        if status.is_none() {
            let _ = child.kill();
            let _ = child.wait();
        }
        for id in with_variable(MARKER, &self.folder) {
            // It may have ended meanwhile.
            let _ = Command::new("kill").args(["-KILL", &id.to_string()]).stderr(Stdio::null()).status();
        }
        left.remove();
        let read =
            |path: &Path| String::from_utf8_lossy(&std::fs::read(path).unwrap_or_default()).into_owned();
        let output = format!("{}{}", read(&stdout), read(&stderr));
        let status = status.ok_or_else(|| format!("not ended in time:\n{}", tail(&output)))?;
        Ok(Ended { is_success: status.success(), output: tail(&output).to_owned() })
    }
}

/// The folders that the sandbox of Codex makes in the folder for temporary files, whatever its settings are. With them, that
/// folder would be taken for a repository.
struct SandboxFolders(Vec<PathBuf>);

impl SandboxFolders {
    /// Returns those that do not exist yet.
    fn missing() -> Self {
        let folders = [".git", ".codex", ".agents"].map(|name| Path::new("/tmp").join(name));
        Self(folders.into_iter().filter(|folder| !folder.exists()).collect())
    }

    /// Removes those that are empty.
    fn remove(&self) {
        for folder in &self.0 {
            // Most runs make none.
            let _ = std::fs::remove_dir(folder);
        }
    }
}

fn write(path: &Path, content: &str) {
    std::fs::create_dir_all(path.parent().expect("a file has a folder")).expect("the folder can be made");
    std::fs::write(path, content).expect("the file can be written");
}

/// Returns the end of a string.
fn tail(text: &str) -> &str {
    let start = text.len().saturating_sub(3_000);
    (start..=text.len()).find_map(|at| text.get(at..)).unwrap_or_default()
}
