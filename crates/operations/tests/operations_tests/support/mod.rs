//! Workspaces that no repository can hold: links, pipes, names that differ in letter case, very many files.

pub(crate) mod import;
pub(crate) mod render;

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::Path;
use std::process::Command;

use tempfile::TempDir;

/// Creates the files that a string describes, one per line:
///
/// - `package PATH`: a package with its three sections;
/// - `file PATH TEXT`, `directory PATH`, `link PATH TARGET`, `hardlink PATH OTHER`, `pipe PATH`;
/// - `mode PATH BITS`: other permissions for what was made before, in octal digits;
/// - `fill PATH BYTES`: a file of so many bytes;
/// - `files PATH COUNT`, `sections PATH COUNT`: a directory with so many empty files, or files `s1.md` and so on.
pub(crate) fn make(recipe: &str) -> TempDir {
    let folder = tempfile::tempdir().expect("a folder can be made");
    for line in recipe.lines().filter(|line| !line.starts_with('#')) {
        let mut words = line.splitn(3, ' ');
        let (what, path, rest) = (
            words.next().unwrap_or_default(),
            words.next().expect("a path"),
            words.next().unwrap_or_default(),
        );
        let path = folder.path().join(path);
        fs::create_dir_all(path.parent().expect("a path in the folder")).expect("a folder can be made");
        thing(folder.path(), what, &path, rest);
    }
    folder
}

fn thing(folder: &Path, what: &str, path: &Path, rest: &str) {
    let count = || rest.parse::<usize>().expect("a number");
    let many = |name: &dyn Fn(usize) -> String| {
        fs::create_dir(path).expect("a folder can be made");
        (1..=count())
            .for_each(|number| fs::write(path.join(name(number)), "").expect("a file can be written"));
    };
    match what {
        "package" => {
            fs::create_dir(path).expect("a folder can be made");
            for section in ["goals.md", "constraints.md", "progress.md"] {
                fs::write(path.join(section), "x\n").expect("a file can be written");
            }
        }
        "file" => fs::write(path, rest).expect("a file can be written"),
        "directory" => fs::create_dir(path).expect("a folder can be made"),
        "link" => symlink(rest, path).expect("a link can be made"),
        "hardlink" => fs::hard_link(folder.join(rest), path).expect("a link can be made"),
        "pipe" => assert!(Command::new("mkfifo").arg(path).status().expect("it starts").success()),
        "mode" => {
            let bits = u32::from_str_radix(rest, 8).expect("octal digits");
            fs::set_permissions(path, fs::Permissions::from_mode(bits)).expect("permissions can be set");
        }
        "fill" => fs::write(path, "x".repeat(count())).expect("a file can be written"),
        "files" => many(&|number| format!("{number}.bin")),
        "sections" => many(&|number| format!("s{number}.md")),
        other => panic!("`{other}` is nothing that can be made"),
    }
}
