//! A workspace with files outside of it, and calls of its tools.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};

use minds_toolset::{Answer, Caller, Clock, ToolContext, Toolbox};
use serde_json::Value;

/// The entries below a directory, by path: permissions and contents or targets.
pub(crate) type Entries = BTreeMap<String, (u32, Vec<u8>)>;

/// Reads all entries below a directory, without following links.
pub(crate) fn snapshot(top: &Path) -> Entries {
    let mut found = Entries::new();
    let mut folders = vec![top.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.strip_prefix(top).unwrap().to_str().unwrap().to_owned();
            let metadata = fs::symlink_metadata(&path).unwrap();
            let what = if metadata.is_symlink() {
                (0, format!("link to {}", fs::read_link(&path).unwrap().display()).into_bytes())
            } else if metadata.is_dir() {
                folders.push(path);
                (0, b"directory".to_vec())
            } else if metadata.is_file() {
                (metadata.permissions().mode() & 0o7777, fs::read(&path).unwrap())
            } else {
                (0, b"special".to_vec())
            };
            found.insert(name, what);
        }
    }
    found
}

pub(crate) struct Fixture {
    folder: tempfile::TempDir,
    pub(crate) context: ToolContext,
    pub(crate) toolbox: Toolbox,
    pub(crate) caller: Caller,
}

impl Fixture {
    /// A workspace with these files, in which the operator calls.
    pub(crate) fn new(files: &[(&str, &str)]) -> Self {
        // In memory it is quicker, and what is on disk is not the question here.
        let folder = tempfile::Builder::new().prefix("host-").tempdir_in("/dev/shm");
        let folder = folder.or_else(|_| tempfile::Builder::new().prefix("host-").tempdir()).unwrap();
        let top = folder.path().join("ws");
        fs::create_dir(&top).unwrap();
        for (path, content) in files {
            write(&top.join(path), content.as_bytes());
        }
        write(&folder.path().join("outside/secret"), b"outside secret\n");
        write(&folder.path().join("ws-evil/f"), b"outside secret\n");
        let context = ToolContext::open(&top, &folder.path().join("state"), Clock::At(1_000)).unwrap();
        Self { folder, context, toolbox: Toolbox::new(), caller: Caller::operator("alice") }
    }

    /// The same, in which the member `dev` calls, who has all tools and these lists.
    pub(crate) fn with_member(lists: &str, files: &[(&str, &str)]) -> Self {
        let fixture = Self::new(files);
        let team = format!("members:\n  dev:\n    toolsets: [ws_read, ws_mod, team-mgmt]\n{lists}");
        write(&fixture.place(".minds/team.yaml"), team.as_bytes());
        Self { caller: Caller::member("dev"), ..fixture }
    }

    pub(crate) fn place(&self, path: &str) -> PathBuf {
        self.folder.path().join("ws").join(path)
    }

    pub(crate) fn outside(&self, path: &str) -> String {
        self.folder.path().join("outside").join(path).display().to_string()
    }

    pub(crate) fn link(&self, path: &str, target: &str) {
        fs::create_dir_all(self.place(path).parent().unwrap()).unwrap();
        symlink(target, self.place(path)).unwrap();
    }

    pub(crate) fn write(&self, path: &str, bytes: &[u8]) {
        write(&self.place(path), bytes);
    }

    pub(crate) fn text(&self, path: &str) -> String {
        String::from_utf8(fs::read(self.place(path)).unwrap()).unwrap()
    }

    pub(crate) fn has(&self, path: &str) -> bool {
        fs::symlink_metadata(self.place(path)).is_ok()
    }

    /// All entries of the workspace and next to it, without the state folder and temporary files.
    pub(crate) fn snapshot(&self) -> Entries {
        let mut entries = snapshot(self.folder.path());
        entries.retain(|path, _| !path.starts_with("state") && !path.ends_with(".minds-new"));
        entries
    }

    /// Calls a tool. A refusal must change nothing, be short, and contain no absolute path.
    #[track_caller]
    pub(crate) fn answer(&self, tool: &str, args: Value) -> Answer {
        let (before, asked) = (self.snapshot(), args.to_string());
        let answer = self.toolbox.call(&self.context, tool, &args, &self.caller);
        let json = answer.to_json().to_string();
        if answer.is_refused() {
            assert_eq!(self.snapshot(), before, "{tool} {asked}: {json}");
            assert!(json.len() <= 4 * 400, "{tool} {asked}: {json}");
            // An agent has no command line.
            assert!(!json.contains("`minds ") && !json.contains(" --"), "{tool} {asked}: {json}");
        }
        let host = self.folder.path().file_name().unwrap().to_str().unwrap();
        assert!(asked.contains(host) || !json.contains(host), "{tool} {asked}: {json}");
        answer
    }

    #[track_caller]
    pub(crate) fn call(&self, tool: &str, args: Value) -> Value {
        self.answer(tool, args).to_json()
    }

    /// Calls a tool that is to succeed, and returns its fields.
    #[track_caller]
    pub(crate) fn ok(&self, tool: &str, args: Value) -> Value {
        let asked = args.to_string();
        let answer = self.call(tool, args);
        assert_eq!(answer["status"], "ok", "{tool} {asked}: {answer}");
        answer
    }

    /// Calls a tool that is to be refused with this code, and returns the answer.
    #[track_caller]
    pub(crate) fn refused(&self, tool: &str, args: Value, code: &str) -> Value {
        let asked = args.to_string();
        let answer = self.call(tool, args);
        assert_eq!(answer["code"], code, "{tool} {asked}: {answer}");
        answer
    }
}

fn write(path: &Path, bytes: &[u8]) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, bytes).unwrap();
}
