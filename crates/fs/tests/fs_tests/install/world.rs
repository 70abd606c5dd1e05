//! A home, two agent homes, and an installation with all kinds of steps.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use minds_fs::Root;
use minds_fs::install::{InstallError, Outcome, Recovery, Transaction, inspect, recover};
use minds_vfs::{FileMode, MountId, WorkspacePath};
use tempfile::TempDir;

use crate::support::{Entries, list_entries};

/// A folder with `home`, `one` (an agent home with links) and `two` (one with copies).
pub(crate) struct World {
    folder: TempDir,
}

pub(crate) fn path(text: &str) -> WorkspacePath {
    WorkspacePath::parse(text).unwrap()
}

impl World {
    pub(crate) fn new() -> Self {
        // In memory, where syncing takes no time.
        let folder = tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).unwrap();
        let world = Self { folder };
        for (name, text) in [
            ("home/store/skill/a/SKILL.md", "old a"),
            ("home/store/skill/a/deep/x", "old x"),
            ("home/store/skill/gone/SKILL.md", "gone"),
            ("home/store/rule/same", "same"),
            ("home/sources/h/o/r.git/HEAD", "old head"),
            ("home/manifest.json", "old"),
            ("one/skills/user/mine.md", "the user's own"),
            ("one/other", "the user's own"),
            ("two/skills/a/SKILL.md", "old a"),
        ] {
            world.write(name, text);
        }
        fs::create_dir_all(world.at("one/rules")).unwrap();
        for (name, target) in [
            ("one/skills/a", "home/store/skill/a"),
            ("one/skills/gone", "home/store/skill/gone"),
            ("one/skills/moved", "home/store/skill/gone"),
            ("one/rules/same.md", "home/store/rule/same"),
        ] {
            symlink(world.at(target), world.at(name)).unwrap();
        }
        world
    }

    pub(crate) fn at(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }

    pub(crate) fn write(&self, name: &str, text: &str) {
        fs::create_dir_all(self.at(name).parent().unwrap()).unwrap();
        fs::write(self.at(name), text).unwrap();
    }

    pub(crate) fn root(&self) -> Root {
        open(self.path())
    }

    pub(crate) fn recover(&self) -> Result<Recovery, InstallError> {
        recover(&self.root(), &lobes(self.path()))
    }

    /// Returns all entries that are not temporary; absolute targets of links are replaced.
    pub(crate) fn files(&self) -> Entries {
        let mut files = self.all();
        files.retain(|name, _| !is_temporary(name));
        files
    }

    /// Returns the same without new empty folders, which may remain after a failure or a crash.
    pub(crate) fn files_but_new_folders(&self, old: &Entries) -> Entries {
        let mut files = self.files();
        let is_empty =
            |name: &str| fs::read_dir(self.at(name)).is_ok_and(|mut entries| entries.next().is_none());
        files.retain(|name, _| old.contains_key(name) || !is_empty(name));
        files
    }

    /// Returns the temporary entries.
    pub(crate) fn temporaries(&self) -> Vec<String> {
        self.all().into_keys().filter(|name| is_temporary(name)).collect()
    }

    fn all(&self) -> Entries {
        let own = self.path().display().to_string();
        let plain = |(name, (mode, what)): (String, (u32, String))| (name, (mode, what.replace(&own, "@")));
        list_entries(self.path()).into_iter().map(plain).collect()
    }
}

fn is_temporary(name: &str) -> bool {
    name.split('/').any(|segment| segment == ".staging" || minds_fs::is_temporary(segment))
}

pub(crate) fn open(world: &Path) -> Root {
    Root::open(&world.join("home"), MountId::new("home")).unwrap()
}

pub(crate) fn lobes(world: &Path) -> [PathBuf; 2] {
    [world.join("one"), world.join("two")]
}

/// Installs: replaces, adds and removes items, links and copies, and replaces a folder of the user.
pub(crate) fn install(world: &Path) -> Result<Outcome, String> {
    let root = Root::open(&world.join("home"), MountId::new("home")).map_err(|error| error.to_string())?;
    plan_and_commit(&root, world).map_err(|error| format!("{error} [{}]", error.kind().name()))
}

fn plan_and_commit(root: &Root, world: &Path) -> Result<Outcome, InstallError> {
    let [one, two] = lobes(world);
    recover(root, &[one.clone(), two.clone()])?;
    let mut all = Transaction::begin(root)?;
    let new = |name: &str| all.folder().join(name).unwrap();
    let (a, b, rule, clone) = (new("a"), new("b"), new("r"), new("clone"));
    all.write(&a.join("SKILL.md").unwrap(), b"new a", FileMode::Regular)?;
    all.write(&a.join("bin/run").unwrap(), b"#!", FileMode::Executable)?;
    all.write(&b.join("SKILL.md").unwrap(), b"new b", FileMode::Regular)?;
    all.write(&rule, b"new r", FileMode::Regular)?;
    all.write(&clone.join("HEAD").unwrap(), b"new head", FileMode::Regular)?;
    all.put(a, path("store/skill/a"));
    all.put(b, path("store/skill/b"));
    all.put(rule, path("store/rule/r"));
    all.put(clone, path("sources/h/o/r.git"));
    all.remove(path("store/skill/gone"));
    all.remove(path("store/skill/never-there"));
    let target = |name: &str| world.join("home/store").join(name).display().to_string();
    let found = |lobe: &Path, name: &str| inspect(lobe, &path(name));
    for (name, to) in [
        ("skills/b", "skill/b"),
        ("skills/user", "skill/b"),
        ("skills/moved", "skill/a"),
        ("rules/same.md", "rule/same"),
        ("rules/deep/er/r.md", "rule/r"),
    ] {
        all.link(&one, path(name), &target(to), found(&one, name)?);
    }
    all.unlink(&one, path("skills/gone"), found(&one, "skills/gone")?);
    for (name, from) in
        [("skills/a", "store/skill/a"), ("skills/b", "store/skill/b"), ("rules/r.md", "store/rule/r")]
    {
        all.copy(&two, path(name), path(from), found(&two, name)?);
    }
    all.state(path("manifest.json"), b"new", FileMode::Regular)?;
    all.state(path("sources.json"), b"new", FileMode::Private)?;
    all.commit()
}
