//! A foreign repository.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use minds_git::{FetchLimits, FetchRequest, FetchResult, Git, GitError, ObjectId, RemoteUrl, Revision, Tree};
use minds_vfs::MountId;
use tempfile::TempDir;

/// A folder with a repository `origin`, in which repositories can be fetched.
pub(crate) struct Origin {
    pub(crate) folder: TempDir,
}

impl Origin {
    pub(crate) fn new() -> Self {
        Self::named_by("sha1")
    }

    /// Creates a repository with this object format.
    pub(crate) fn named_by(hash: &str) -> Self {
        let origin = Self { folder: tempfile::tempdir().unwrap() };
        fs::create_dir(origin.path()).unwrap();
        let format = format!("--object-format={hash}");
        origin.git(&["init", "--quiet", "--initial-branch=main", &format]);
        origin
    }

    /// Creates a repository with these files, committed.
    pub(crate) fn with(files: &[(&str, &str)]) -> Self {
        let origin = Self::new();
        origin.commit(files);
        origin
    }

    pub(crate) fn path(&self) -> PathBuf {
        self.folder.path().join("origin")
    }

    pub(crate) fn git(&self, args: &[&str]) -> String {
        self.git_with(args, b"")
    }

    pub(crate) fn git_with(&self, args: &[&str], input: &[u8]) -> String {
        let mut command = Command::new("git");
        for (name, _) in std::env::vars_os() {
            if name.to_string_lossy().starts_with("GIT_") {
                command.env_remove(name);
            }
        }
        command.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_NOSYSTEM", "1");
        for role in ["AUTHOR", "COMMITTER"] {
            command.env(format!("GIT_{role}_NAME"), "A").env(format!("GIT_{role}_EMAIL"), "a@example.org");
            command.env(format!("GIT_{role}_DATE"), "2020-01-01T00:00:00Z");
        }
        // The trees of these tests are refused by git itself.
        command.args(["-c", "core.protectNTFS=false", "-c", "core.protectHFS=false"]);
        command.arg("-C").arg(self.path()).args(args);
        let mut child =
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        child.stdin.take().unwrap().write_all(input).unwrap();
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    }

    /// Writes files and commits all files; returns the commit.
    pub(crate) fn commit(&self, files: &[(&str, &str)]) -> String {
        for (path, text) in files {
            let path = self.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        self.git(&["add", "--all"]);
        self.git(&["commit", "--quiet", "--allow-empty", "--message=x"]);
        self.head()
    }

    pub(crate) fn head(&self) -> String {
        self.git(&["rev-parse", "HEAD"])
    }

    /// Commits a tree of arbitrary entries: a mode, a path of one segment, and an id.
    pub(crate) fn commit_raw(&self, entries: &[(&str, &[u8], &str)]) -> String {
        let mut tree = Vec::new();
        for (mode, name, id) in entries {
            tree.extend_from_slice(format!("{mode} ").as_bytes());
            tree.extend_from_slice(name);
            tree.push(0);
            let digits = id.as_bytes().chunks(2);
            tree.extend(
                digits.map(|pair| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap()),
            );
        }
        let tree = self.git_with(&["hash-object", "-t", "tree", "-w", "--literally", "--stdin"], &tree);
        let commit = self.git(&["commit-tree", &tree, "-m", "x"]);
        self.git(&["update-ref", "refs/heads/main", &commit]);
        commit
    }

    pub(crate) fn blob(&self, text: &str) -> String {
        self.git_with(&["hash-object", "-w", "--stdin"], text.as_bytes())
    }

    pub(crate) fn url(&self) -> RemoteUrl {
        RemoteUrl::of_folder(&self.path()).unwrap()
    }

    pub(crate) fn request(&self, revision: Revision, name: &str) -> FetchRequest {
        FetchRequest { remote: self.url(), revision, into: self.folder.path().join(name), known: None }
    }

    /// Fetches into a new repository.
    pub(crate) fn fetch(&self, revision: Revision, name: &str) -> Result<ObjectId, GitError> {
        let request = self.request(revision, name);
        git().fetch(&request, FetchLimits::default(), &mut |_| {}).map(|fetched| match fetched {
            FetchResult::New(commit) => commit,
            FetchResult::Unchanged(_) => panic!("nothing was known"),
        })
    }

    /// Fetches the default branch, and lists its commit.
    pub(crate) fn tree(&self) -> Result<Tree, GitError> {
        let name = "tree.git";
        let commit = self.fetch(Revision::Default, name)?;
        git().tree(&self.folder.path().join(name), &commit, MountId::WORKSPACE)
    }

    /// Lists the repository itself without fetching it, like a clone that contains it.
    pub(crate) fn own_tree(&self) -> Result<Tree, GitError> {
        let commit = ObjectId::parse(&self.head()).unwrap();
        git().tree(&self.path().join(".git"), &commit, MountId::WORKSPACE)
    }
}

pub(crate) fn git() -> Git {
    Git::find(false).expect("git is here")
}

/// Returns the names below a folder.
pub(crate) fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(folder)
        .map(|entries| entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect())
        .unwrap_or_default();
    names.sort();
    names
}
