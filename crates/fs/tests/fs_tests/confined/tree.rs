//! A root with every kind of entry that could lead outside.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::os::unix::net::UnixListener;

use minds_fs::Root;
use minds_vfs::{MountId, WorkspacePath};

use crate::support::{Entries, list_entries};

pub(crate) struct Tree {
    folder: tempfile::TempDir,
    pub(crate) root: Root,
}

pub(crate) fn path(text: &str) -> WorkspacePath {
    if text == "." { WorkspacePath::root() } else { WorkspacePath::parse(text).unwrap() }
}

impl Tree {
    pub(crate) fn new() -> Self {
        // In memory, because durability is not tested here and memory is faster.
        let folder = tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).unwrap();
        let outside = folder.path().join("outside");
        let root = folder.path().join("root");
        fs::create_dir_all(outside.join("deep")).unwrap();
        fs::write(outside.join("secret"), "secret").unwrap();
        fs::write(outside.join("deep/secret"), "deep secret").unwrap();
        fs::create_dir_all(root.join("dir/deep")).unwrap();
        fs::create_dir(root.join("empty")).unwrap();
        fs::write(root.join("file"), "inside").unwrap();
        fs::write(root.join("dir/inner"), "inner").unwrap();
        fs::write(root.join("read-only"), "fixed").unwrap();
        fs::set_permissions(root.join("read-only"), fs::Permissions::from_mode(0o444)).unwrap();
        let absolute = outside.join("secret");
        let links = [
            ("in", "file"),
            ("in-dir", "dir"),
            ("dir/up", "../file"),
            ("dir/twice", "../in-dir/../in"),
            ("out", "../outside/secret"),
            ("out-dir", "../outside"),
            ("back", "../root/file"),
            ("absolute", absolute.to_str().unwrap()),
            ("dangling", "dir/nowhere"),
            ("loop", "loop"),
            ("loop-a", "loop-b"),
            ("loop-b", "loop-a"),
            ("parent", ".."),
            ("magic", "/proc/self/cwd"),
            ("to-fifo", "fifo"),
        ];
        for (name, target) in links {
            symlink(target, root.join(name)).unwrap();
        }
        fs::hard_link(outside.join("secret"), root.join("hard")).unwrap();
        let (mode, device) = (rustix::fs::Mode::from_raw_mode(0o644), 0);
        rustix::fs::mknodat(rustix::fs::CWD, root.join("fifo"), rustix::fs::FileType::Fifo, mode, device)
            .unwrap();
        drop(UnixListener::bind(root.join("socket")).unwrap());
        let root = Root::open(&root, MountId::WORKSPACE).unwrap();
        Self { folder, root }
    }

    pub(crate) fn inside(&self) -> Entries {
        list_entries(&self.folder.path().join("root"))
    }

    pub(crate) fn outside(&self) -> Entries {
        list_entries(&self.folder.path().join("outside"))
    }

    pub(crate) fn place(&self, path: &str) -> std::path::PathBuf {
        self.folder.path().join("root").join(path)
    }
}
